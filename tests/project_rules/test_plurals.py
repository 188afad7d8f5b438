"""No message says `1 INNs`: a number before a noun goes through `count_of`, or `count` of the translations."""

import ast
import re
from collections.abc import Iterator

import pytest

from innspect.reports.i18n.catalog import count_of, translations
from innspect.reports.i18n.en import PLURALS as ENGLISH
from innspect.reports.i18n.ru import PLURALS as RUSSIAN
from tests.project_rules.sources import ROOT, product_modules

NOUNS = (
    "account", "alert", "block", "call", "cell", "change", "column", "company", "counterparty", "day", "dossier", "file",
    "finding", "INN", "leading zero", "line", "member", "membership", "message", "minute", "portfolio", "record",
    "receiver", "repair", "response", "row", "run", "second", "signal", "snapshot", "table", "text", "version", "violation",
)  # fmt: skip
PLURAL = re.compile(
    rf"^ (?:(?!that )[a-z]+(?<!s) )?(?:{'|'.join(re.sub('y$', 'ie', noun) + 'e?s' for noun in NOUNS)})\b"
)
COUNTS = (0, 1, 2, 5, 21, 12_345)
ALLOWED = {
    ("cli/publish.py", "relations"): "A copy has hundreds of tables.",
    ("cli/policy.py", "number"): "After the case of one day.",
    ("flows/account_summary.py", "days"): "After the case of one day.",
}


def counted_plurals() -> Iterator[tuple[str, str]]:
    """Module and expression of each number that is written before a noun in the plural; not of constants and measurements."""
    for module in product_modules():
        if module.parts[0] in ("benchmarks", "sandbox", "tests") or "i18n" in module.parts:
            continue
        for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            for value, text in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    expression = ast.unparse(value.value)
                    if value.format_spec is not None or expression.startswith("count_of("):
                        continue
                    if PLURAL.match(str(text.value)) and not expression.split("(")[-1].strip(")").isupper():
                        yield str(module), expression


def test_numbers_and_nouns_agree_in_every_message():
    assert {place for place in counted_plurals() if place not in ALLOWED} == set()


@pytest.mark.parametrize("count", COUNTS)
def test_nouns_of_the_command_line_agree(count):
    for noun in NOUNS:
        text = count_of(count, noun, "is", "are")
        assert text.startswith("12 345 " if count == 12_345 else f"{count} ")
        assert (text.endswith(" is"), text.endswith("s are")) == (count == 1, count != 1)


@pytest.mark.parametrize("count", COUNTS)
def test_nouns_of_the_catalogue_agree(count):
    assert set(ENGLISH) == set(RUSSIAN)
    for noun in ENGLISH:
        one, few, many = RUSSIAN[noun][:3]
        assert (
            translations("ru", "UTC").plural(count, noun)
            == {0: many, 1: one, 2: few, 5: many, 21: one, 12_345: many}[count]
        )
        assert translations("en", "UTC").plural(count, noun) == ENGLISH[noun][count != 1]
