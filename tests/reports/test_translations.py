"""The catalogue of translations: complete in both languages, one key per word, and an honest notation of numbers."""

import re
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from string import Formatter

import pytest
from jinja2 import Environment, nodes

from innspect import transforms
from innspect.extract.service.charging import Failure
from innspect.reports.coverage_text import is_lower_bound
from innspect.reports.dossier.history import code_text, source_text
from innspect.reports.i18n import catalog, en, ru
from innspect.reports.i18n.catalog import translations
from innspect.reports.style import LEVELS, SEVERITIES, SHOWN_STATES
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.errors import Exit
from innspect.schemas.states import OLDER_ANSWER, CallState, SignalState
from tests.support.builders import MOSCOW

RU, EN = translations("ru", MOSCOW), translations("en", MOSCOW)
SPACES = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")
REPORTS = Path(catalog.__file__).parents[1]
LABEL_GROUPS = (
    "exit.",
    "level.",
    "severity.",
    "state.",
    "age.",
    "role.",
    "proceeding.",
    "movement.",
    "kind.",
    "code.",
    "card.",
    "reason.",
    "subject.",
    "table.",
    "column.",
    "outcome.",
    "register.",
    "dossier.group.",
    "dossier.kind.",
    "command.column.",
    "command.member.",
    "command.movement.",
    "method.",
    "profile.",
    "todo.",
    "streamlit.",
)
"""Keys that are looked up by the code of a value."""


def placeholders(texts):
    return {key: sorted(re.findall(r"{(\w+)}", text)) for key, text in texts.items()}


def test_both_languages_have_the_same_keys_and_placeholders():
    shared, english = (
        {key: text for key, text in language.TEXTS.items() if not key.startswith("code.")} for language in (ru, en)
    )
    assert placeholders(shared) == placeholders(english)
    codes = {key for key in en.TEXTS if key.startswith("code.")}
    assert codes <= ru.TEXTS.keys(), "a code without English words is an English word itself"
    assert ru.PLURALS.keys() == en.PLURALS.keys()
    for language in (ru, en):
        assert {len(forms) for forms in language.PLURALS.values()} == {len(language.PLURAL_CATEGORIES)}


def test_no_word_has_two_keys():
    keys = {}
    for key, text in en.TEXTS.items():
        keys.setdefault((text, ru.TEXTS[key]), []).append(key)
    assert [repeated for repeated in keys.values() if len(repeated) > 1] == []


def test_every_code_has_a_label():
    groups = {"exit": [int(code) for code in Exit], "level": LEVELS, "severity": SEVERITIES,
              "state": (*SHOWN_STATES, *SignalState)}  # fmt: skip
    assert {f"{group}.{code}" for group, codes in groups.items() for code in codes} <= en.TEXTS.keys()


TRANSFORMS = Path(transforms.__file__).parent
REASON_IN_CODE = re.compile(
    r"""(?:refuse\(|reason = |pl\.lit\(|return |SnapshotState\.\w+, |else )"([a-z]+(?:_[a-z]+)*)\""""
)
OTHER_WORDS = {"reason", "json"}


def find_reasons() -> set[str]:
    """The reasons of the declarations' coverage rules, of the steps before them, and of calls without a response."""
    declared = {
        reason
        for block in BLOCKS.values()
        for rules in (block.coverage.unavailable, block.coverage.unconfirmed, block.coverage.incomplete,
                      block.coverage.partial)
        for reason in rules
    }  # fmt: skip
    modules = ("coverage", "split", "decode", "lenient_decoder", "pipeline")
    sources = "".join((TRANSFORMS / f"{name}.py").read_text("utf-8") for name in modules)
    fixed = {word for word in re.findall(REASON_IN_CODE, sources) if "_" in word or word in ("absent", "shape")}
    fixed.add(OLDER_ANSWER)
    return declared | fixed | {failure.value for failure in Failure} | {CallState.UNKNOWN.value, "status", "http"}


def test_every_reason_has_words_in_both_languages():
    reasons = find_reasons()
    assert {"list_full", "no_field", "shape", "counted_not_listed", "not_json", "absent", "timeout"} <= reasons
    for language in (en, ru):
        assert [reason for reason in reasons if f"reason.{reason}" not in language.TEXTS] == []
    assert [key for key in en.TEXTS if key.startswith("reason.") and key.removeprefix("reason.") not in reasons] == []


@pytest.mark.parametrize(
    ("reason", "english", "russian"),
    [
        (None, "", ""),
        ("list_full", "the list is at its cap, there may be more", "список достиг предела, может быть больше"),
        ("status:in_progress", "status of the response: in_progress", "статус ответа: in_progress"),
        ("http_503", "HTTP status 503", "код HTTP 503"),
        ("unavailable", "the service calls the source unavailable", "сервис сообщает, что источник недоступен"),
        ("unavailable: unavailable", "service could not ask the source", "сервис не смог запросить источник"),
        ("absent", "the full check lacks the block", "в полной проверке этого раздела нет"),
        ("missing: absent", "not in the response: the full check lacks the block",
         "раздела нет в ответе: в полной проверке этого раздела нет"),
        ("not told", "not stated in the response", "в ответе не указано"),
        ("sources_failed,shape", "some sources did not answer, part of the response has another structure",
         "часть источников не ответила, часть ответа имеет другую структуру"),
        ("unconfirmed: no_identity", "source did not answer: the card has neither a registration number nor a name",
         "источник не ответил: в карточке нет ни ОГРН, ни наименования"),
        ("list_full,Сайт закрыт, ждём", "the list is at its cap, there may be more, Сайт закрыт, ждём",
         "список достиг предела, может быть больше, Сайт закрыт, ждём"),
    ],
)  # fmt: skip
def test_reasons_in_words(reason, english, russian):
    assert (EN.reason(reason), RU.reason(reason)) == (english, russian)


def test_figures_over_incomplete_lists_are_lower_bounds():
    assert (EN.at_least("30", 30), RU.at_least("30", 30)) == ("at least 30", "не менее 30")
    assert RU.at_least("нет", value=False) == "нет, но список неполон"
    assert is_lower_bound({"freezes_complete": False}, "freezes")
    assert not is_lower_bound({"freezes_complete": None}, "freezes")
    assert not is_lower_bound({}, "status")


def test_every_key_is_used():
    sources = [
        path
        for folder in (REPORTS, REPORTS.parent / "cli", REPORTS.parent / "flows")
        for path in folder.rglob("*")
        if path.suffix in (".py", ".j2") and path.stem.partition("_")[0] not in ("en", "ru")
    ]
    quoted = set(re.findall(r"""["']([\w.]+)["']""", "".join(path.read_text("utf-8") for path in sources)))
    assert [key for key in en.TEXTS if key not in quoted and not key.startswith(LABEL_GROUPS)] == []
    assert en.PLURALS.keys() <= quoted


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1 компания"), (2, "2 компании"), (5, "5 компаний"), (11, "11 компаний"), (12, "12 компаний"),
     (21, "21 компания"), (104, "104 компании"), (111, "111 компаний"), (0, "0 компаний")],
)  # fmt: skip
def test_russian_plurals(number, text):
    assert RU.count(number, "company").translate(SPACES) == text


def test_numbers_are_never_rounded_into_another_claim():
    assert RU.percent(0.9999).translate(SPACES) == "> 99 %"
    assert RU.percent(0.0001).translate(SPACES) == "< 1 %"
    assert (RU.percent(1.0).translate(SPACES), RU.percent(0.0).translate(SPACES)) == ("100 %", "0 %")
    assert RU.percent(None) == RU.roubles(None) == RU.age(None) == "неизвестно"
    assert RU.roubles(Decimal("1234567.89")).translate(SPACES) == "1 234 567,89 ₽"
    assert EN.roubles(Decimal("1234567.89")).translate(SPACES) == "RUB 1,234,567.89"
    assert [RU.short_roubles(Decimal(n)).translate(SPACES) for n in (950, 9_600, 12_300_000, 2 * 10**9)] == [
        "950 ₽", "9,6 тыс. ₽", "12,3 млн ₽", "2 млрд ₽",
    ]  # fmt: skip
    assert RU.date_time(datetime(2026, 11, 20, 22, 30)) == "21.11.2026 01:30"


@pytest.mark.parametrize(
    ("evidence", "russian_words"),
    [
        ("proceedings: 2, 3 434 997.24 RUB", "производств: 2, 3 434 997,24 ₽"),
        ("proceedings: 3, 500.00 RUB, without an amount: 1", "производств: 3, 500,00 ₽, без суммы: 1"),
        ("cases: 3, at least 2 000.00 RUB", "дел: 3, не менее 2 000,00 ₽"),
        ("cases: 3 of 5", "дел: 3 из 5"),
        ("cases: 2 (the list is incomplete)", "дел: 2 (список неполон)"),
        ("observation, case А40-820193/2026", "наблюдение, дело А40-820193/2026"),
        ("decisions: 1, No. 15294 of 2026-08-20, АО 'ГОРКА'", "решений: 1, № 15294 от 20.08.2026, АО 'ГОРКА'"),
        ("2025: 52 000.00 RUB, before: 89 000.00 RUB", "2025: 52 000,00 ₽, годом раньше: 89 000,00 ₽"),
        ("expense 11 656.00 RUB, income 10 748.00 RUB", "расходы 11 656,00 ₽, доходы 10 748,00 ₽"),
        ("contracts: 2", "договоров: 2"),
        ("registered 2026-02-05", "регистрация 05.02.2026"),
        ("linked companies: 6, closed: 3", "связанных компаний: 6, закрыто: 3"),
        ("OFAC SDN List: JOINT CASES LTD", "OFAC SDN List: JOINT CASES LTD"),
    ],
)
def test_evidence_in_russian(evidence, russian_words):
    assert RU.signal_evidence(evidence).translate(SPACES) == russian_words


def test_unknown_is_a_dash_and_zero_is_zero():
    assert RU.number(None) == "—"
    assert RU.number(0) == "0"
    assert RU.number(1234.5, 2).translate(SPACES) == "1 234,50"


@pytest.mark.parametrize("t", [RU, EN], ids=["ru", "en"])
def test_every_call_in_a_template_fills_all_placeholders_of_its_text(t: catalog.Translations):
    calls = 0
    for template in REPORTS.rglob("*.j2"):
        tree = Environment(autoescape=True).parse(template.read_text("utf-8"))
        for call in tree.find_all(nodes.Call):
            name, (key, *_) = call.node, [*call.args, None]
            if isinstance(name, nodes.Name) and name.name == "t" and isinstance(key, nodes.Const):
                wanted = {field for _, field, _, _ in Formatter().parse(t.texts[key.value]) if field}
                given = {argument.key for argument in call.kwargs}
                # A text without any value is shown as it is.
                assert not given or wanted <= given, (template.name, key.value)
                calls += 1
    assert calls > 100


@pytest.mark.parametrize(
    ("words", "english", "russian"),
    [
        (partial(code_text, "third"), "third party", "третье лицо"),
        (partial(code_text, "partial"), "granted in part", "удовлетворено частично"),
        (partial(source_text, "card"), "card", "карточка"),
        (partial(source_text, "company"), "card", "карточка"),
        (partial(source_text, "MCHS"), "fire-safety regulator", "МЧС"),
        (partial(source_text, "NEW_REGISTER"), "NEW_REGISTER", "NEW_REGISTER"),
        (partial(source_text, "tax_debts"), "tax service's data set", "набор данных ФНС"),
    ],
)
def test_codes_and_sources_of_a_dossier_in_words(words, english, russian):
    assert (words(EN), words(RU)) == (english, russian)
