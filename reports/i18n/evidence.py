"""The short words by which `mart.risk_signals` shows a signal, as the page's language says them.

The mart writes English (`proceedings: 2, 3 434 997.24 RUB`); names and numbers of the evidence are not touched.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

from innspect.reports.i18n.catalog import Words

Said = Callable[[Words, re.Match[str]], str]

COUNTED = (
    "linked companies", "matches of low confidence", "excluded entries", "with violations", "cases lost", "cases",
    "proceedings", "decisions", "notices", "contracts", "matches",
)  # fmt: skip
DAY = r"(\d{4}-\d\d-\d\d)"


def _amount(words: Words, found: re.Match[str]) -> str:
    return words.rub(Decimal(found[0].removesuffix(" RUB").replace(" ", "")))


def _counted(words: Words, found: re.Match[str]) -> str:
    return f"{words('evidence.' + found[1])}: {words.number(int(found[2]))}"


def _code(words: Words, found: re.Match[str]) -> str:
    return words.named("code", found[0])


def _day(name: str) -> Said:
    return lambda words, found: words(name, day=words.day(date.fromisoformat(found[1])))


def _text(name: str) -> Said:
    return lambda words, _: words(name)


FORMS: Sequence[tuple[re.Pattern[str], Said]] = tuple(
    (re.compile(form), said)
    for form, said in (
        (r"-?\d{1,3}(?: \d{3})*\.\d\d RUB", _amount),
        (r"^[a-z_]+(?=$|, case )", _code),
        (rf"\b({'|'.join(COUNTED)}): (\d+)", _counted),
        (r", closed: (?=\d)", _text("evidence.closed")),
        (rf" of {DAY}", _day("evidence.dated")),
        (r"(?<=\d) of (?=\d)", _text("evidence.of")),
        (r"\bNo\. ", _text("evidence.number")),
        (r"\bcase (?=[АA]\d)", _text("evidence.case")),
        (rf"^registered {DAY}", _day("evidence.registered")),
        (rf"\buntil {DAY}", _day("evidence.until")),
        (r"^headcount (?=\d)", _text("evidence.headcount")),
        (r", before: ", _text("evidence.before")),
        (r"(?<=₽) against ", _text("evidence.against")),
    )
)


def shown(evidence: str | None, words: Words) -> str | None:
    """The evidence in the page's language; None where the mart has none."""
    if evidence is None:
        return None
    for form, said in FORMS:
        evidence = form.sub(lambda found, said=said: said(words, found), evidence)
    return evidence
