"""The digest: what moved, what is not known, what it cost; a silent source never makes it calm."""

import html
import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from innspect.reports.digest.digest_data import AccountView, Scope, read_digest
from innspect.reports.digest.digest_text import describe_digest
from innspect.reports.digest.message_page import (
    MAX_LINE_CHARACTERS,
    Enclosure,
    finish_page,
    render_html,
    render_text,
    wrap_text,
)
from innspect.reports.digest.money_text import money_lines
from innspect.reports.digest.notice_text import (
    FailedRun,
    describe_alerts,
    describe_failure,
    describe_low_balance,
    describe_test,
)
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.errors import Exit
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load
from tests.support.builders import MOSCOW

WORSE, BETTER, SILENT, AGAIN, HIDDEN, CALM, NEW = sample_inns(7, 61)
ONE, TWO = START - timedelta(days=1), START
AFTER = TWO + timedelta(hours=2)
BETWEEN = ONE + timedelta(hours=2)
BAD = all_blocks(company={"illegal_finance": True, "invalid_data": True})
NO_BANKRUPTCY = {key: value for key, value in all_blocks().items() if key != KEYS["bankruptcy"]}
NO_CARD = {key: value for key, value in BAD.items() if key != KEYS["company"]}
FIRST = {**dict.fromkeys((WORSE, SILENT, CALM), all_blocks()), BETTER: BAD, HIDDEN: BAD, AGAIN: NO_BANKRUPTCY}
LAST = {BETTER: all_blocks(), WORSE: BAD, AGAIN: BAD, SILENT: NO_BANKRUPTCY, HIDDEN: NO_CARD, NEW: BAD}
ACCOUNT = AccountView(
    Decimal(30000), Decimal("12345.67"), AFTER, Decimal("514.40"), 24, date(2026, 12, 17), None, 58
)  # fmt: skip
SPACES = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")


def check(warehouse, name, day, contents, code=0):
    """A run of the portfolio that loads these contents by INN."""
    answers = [
        replace(
            full_check_response(inn, content, at=day + timedelta(seconds=number), name=f"{name}-{inn}"), run_id=name
        )
        for number, (inn, content) in enumerate(contents.items())
    ]
    if answers:
        load(warehouse, *answers)
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    warehouse.connection.execute(
        "INSERT INTO lineage.runs VALUES (?, ?, ?, 'p', 'full', 500, 18, 2.5, ?, 'test')",
        [name, day, day + timedelta(hours=1), code],
    )


def make_warehouse(path, *runs):
    with Warehouse(path) as warehouse:
        add_members(warehouse, *FIRST, NEW)
        for name, day, contents in runs:
            check(warehouse, name, day, contents)
    return path


@pytest.fixture(scope="module")
def checked(tmp_path_factory, create_empty_warehouse):
    path = create_empty_warehouse(tmp_path_factory.mktemp("digest") / "warehouse.duckdb")
    make_warehouse(path, ("one", ONE, FIRST), ("two", TWO, LAST))
    with Warehouse(path, read_only=True) as warehouse:
        yield warehouse


@pytest.fixture(params=LANGUAGES)
def t(request):
    return translations(request.param, MOSCOW)


RU = translations("ru", MOSCOW)


def digest(warehouse, t=RU, since=BETWEEN, account=ACCOUNT):
    """The text of a digest, and the same words in its HTML."""
    page = finish_page(
        describe_digest(read_digest(warehouse, Scope("p"), since, AFTER, account), t), Enclosure(), "boss", AFTER, t
    )
    text = render_text(page, t).translate(SPACES)
    return page, text


def plain(page, t):
    """The words of the HTML part."""
    body = re.sub(r"<style.*?</style>|<head>.*?</head>", "", render_html(page, t), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)).translate(SPACES))


def entries(page):
    """The entries of a page by the title of their part and INN."""
    return {part.title: {entry.inn: entry for entry in part.entries} for part in page.parts if part.entries}


def test_digest_names_what_moved_and_what_is_not_known(checked):
    page, text = digest(checked)
    assert page.subject == "ООО: риск теперь высокий, был низкий; ООО: риск снова известен, высокий"
    assert page.verdict.startswith(page.subject)
    assert "уровень риска перестал быть известен у 1" in page.verdict.translate(SPACES)
    assert page.code == "high"
    found = entries(page)
    assert {title: [*inns] for title, inns in found.items()} == {
        "Стало хуже": [WORSE],
        "Уровень перестал быть известен": [SILENT],
        "Уровень снова известен": [AGAIN],
        "Стало лучше": [BETTER],
        "Чего мы не знаем": [HIDDEN],
    }
    appeared = "Появилось: Признак по закону 115-ФЗ; Недостоверные сведения в реестре"
    assert [*found["Стало хуже"][WORSE].lines] == [appeared]
    assert [*found["Стало лучше"][BETTER].lines] == [appeared.replace("Появилось", "Больше нет")]
    assert "Банкротство: нет свежего ответа" in found["Уровень перестал быть известен"][SILENT].lines[0]
    assert "Неизвестно стало за это время: Карточка" in found["Чего мы не знаем"][HIDDEN].lines[0]
    assert CALM not in text
    assert "Проверено: 6 из 7" in text
    assert "Известно не всё: 2 из 7" in text
    assert "Впервые проверено: 1." in text


@pytest.mark.long
def test_digest_tells_the_gravest_news_in_sentences(tmp_path, create_empty_warehouse, t):
    freeze = {"found": True, "count": 1, "items": [{"decision_num": "17", "decision_date": "01.10.2026"}]}
    first, last = {WORSE: all_blocks(), CALM: all_blocks()}, {WORSE: all_blocks(freezes=freeze), CALM: all_blocks()}
    path = create_empty_warehouse(tmp_path / "warehouse.duckdb")
    make_warehouse(path, ("one", ONE, first), ("two", TWO, last))
    with Warehouse(path, read_only=True) as warehouse:
        page, text = digest(warehouse, t)
        column = f"sentence_{t.language}"
        (sentence,) = warehouse.query(f"SELECT {column} FROM mart.news WHERE severity = 'alert'")[column]
        _, later = digest(warehouse, t, since=AFTER)
    news = entries(page)[t("digest.news")]
    assert {inn: entry.lines for inn, entry in news.items()} == {WORSE: [sentence]}
    assert "17" in sentence
    assert sentence.translate(SPACES) in " ".join(text.split())
    assert t("digest.news") not in later


def test_digest_says_what_it_cost_and_how_long_the_money_lasts(checked):
    _, text = digest(checked)
    for line in (
        "Потрачено за это время: 18,00 ₽.",
        "Ещё до 2,50 ₽ могло быть списано: исход этих запросов неизвестен.",
        "При расходе 514,40 ₽ в день этого хватит на 24 дня, до 17.12.2026.",
        "Наименьшее пополнение — 30 000,00 ₽, его хватит на 58 дней. На счёте уже меньше этой суммы.",
    ):
        assert line in text


def test_both_parts_say_the_same_in_both_languages(checked, t):
    page, text = digest(checked, t)
    body = plain(page, t).lower()
    words = [page.title, page.verdict, page.footer]
    for fact in page.facts:
        words += [fact.name, fact.value, fact.note]
    for part in page.parts:
        words += [part.title, part.note, part.more, *part.lines]
        for entry in part.entries:
            words += [entry.name, entry.inn, t.label("level", entry.level) if entry.level else "", *entry.lines]
    for word in (word.translate(SPACES).lower() for word in words):
        assert word in text.lower()
        assert word in body


def test_plain_text_can_be_read_in_a_narrow_window(checked, t):
    _, text = digest(checked, t)
    lines = wrap_text(text).splitlines()
    assert max(map(len, lines)) <= MAX_LINE_CHARACTERS < max(map(len, text.splitlines()))
    assert not re.search(r"<[a-z/]|&[a-z#0-9]+;|\{|None|\bnan\b", text)
    assert " ".join(wrap_text(text).split()) == " ".join(text.split())
    # Items begin with a dash or an asterisk, and only their continuations are indented.
    assert all(re.match(r"\S|  \S", line) for line in lines if line)
    assert [line for line in lines if line != line.rstrip()] == []
    assert not re.search(r"\n\n\n", "\n".join(lines))
    address = "https://files.example/" + "report-" * 20
    assert address in wrap_text(f"Open the report of the portfolio with a long name: {address}").splitlines()


def test_html_stands_alone_and_escapes_names(checked):
    data = read_digest(checked, Scope("p"), BETWEEN, AFTER, ACCOUNT)
    hostile = [{**row, "name": "<script>alert(1)</script>"} for row in data.movements]
    page = render_html(describe_digest(replace(data, movements=hostile), RU), RU)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"""(src|href)=|url\(|<style|<link|@import""", page)


def test_an_empty_period_is_not_calm(checked):
    page, text = digest(checked, since=AFTER)
    assert page.subject == "Проверок не было, есть ли новое, неизвестно"
    assert page.code == "unknown"
    assert "За это время никого не проверяли; последний запрос" in text
    assert entries(page).keys() == {"Чего мы не знаем"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("last", "subject", "code"),
    [
        (FIRST, "Изменений нет, обязательные сведения есть обо всех", "low"),
        ({**FIRST, CALM: NO_BANKRUPTCY}, "Уровень риска перестал быть известен у 1 контрагента", "unknown"),
        ({WORSE: all_blocks()}, "Изменений не найдено, но известно не всё", "unknown"),
    ],
)
def test_calm_only_if_everybody_answered(tmp_path, create_empty_warehouse, last, subject, code):
    path = create_empty_warehouse(tmp_path / "warehouse.duckdb")
    known = {inn: content for inn, content in FIRST.items() if inn != AGAIN}
    last = {inn: content for inn, content in last.items() if inn != AGAIN}
    with Warehouse(path) as warehouse:
        add_members(warehouse, *known)
        check(warehouse, "one", ONE, known)
        check(warehouse, "two", TWO, last)
        page, _ = digest(warehouse)
    assert (page.subject.translate(SPACES), page.code) == (subject, code)


@pytest.mark.long
def test_failed_checks_and_a_low_balance_are_in_the_verdict(tmp_path, create_empty_warehouse):
    path = create_empty_warehouse(tmp_path / "warehouse.duckdb")
    with Warehouse(path) as warehouse:
        add_members(warehouse, CALM)
        check(warehouse, "one", ONE, {CALM: all_blocks()})
        check(warehouse, "two", TWO, {CALM: all_blocks()}, code=4)
        page, text = digest(warehouse, account=replace(ACCOUNT, days=3, is_low=True))
    assert page.verdict.translate(SPACES) == (
        "Изменений нет, обязательные сведения есть обо всех; денег на счёте на 3 дня; не всё прошло гладко: 1 проверка."
    )
    assert "сервис не принял ключ" in text


def test_tag_and_severity_select(checked):
    data = read_digest(checked, Scope("p", "ключевой"), BETWEEN, AFTER, ACCOUNT)
    assert (data.figures["members"], data.movements, data.unknown) == (0, [], [])
    assert describe_digest(data, RU).subject.startswith("Проверок не было")
    grave = read_digest(checked, Scope("p", severity="alert"), BETWEEN, AFTER, ACCOUNT)
    everything = read_digest(checked, Scope("p"), BETWEEN, AFTER, ACCOUNT)
    assert {row["severity"] for row in grave.signals} <= {"alert"}
    assert len(grave.signals) < len(everything.signals)
    assert grave.movements == everything.movements


def test_a_balance_that_is_not_known_is_never_zero(t):
    lines = money_lines(AccountView(Decimal(30000)), t)
    assert lines[0] == t("digest.no_balance")
    assert lines[1:] == [t("digest.top_up", amount=t.roubles(30000))]
    balance = AccountView(Decimal(30000), Decimal(50000), AFTER)
    assert t("digest.no_forecast") in money_lines(balance, t)
    long = replace(balance, daily=Decimal("0.01"))
    assert t("digest.lasts_long", daily=t.roubles(Decimal("0.01"))) in money_lines(long, t)
    low_on = date(2026, 12, 1)
    soon = replace(balance, daily=Decimal(500), days=100, until=date(2027, 3, 1), low_on=low_on, top_up_days=60)
    assert t("digest.below_on", day=t.date(low_on)) in money_lines(soon, t)[-1]


def test_failure_says_the_code_and_what_to_do(t):
    codes = [int(code) for code in Exit if code is not Exit.OK]
    pages = [describe_failure(FailedRun("p", "run", code, AFTER), t) for code in (*codes, None)]
    texts = [render_text(page, t) for page in pages]
    assert len({page.subject for page in pages}) == len(pages)
    for code, text in zip(codes, texts, strict=False):
        assert str(code) in text
        assert t.texts[f"todo.{code}"] in text
    assert t("failure.killed") in texts[-1]


def test_alerts_are_grouped_and_the_gravest_is_the_subject(t):
    alert = {
        "id": "1", "kind": "signal", "severity": "notice", "inn": CALM, "name": "ООО «А»", "title": "Minor",
        "title_ru": "Мелочь", "signal": "minor", "block": "company", "evidence": "2025-01-02", "level": "low",
        "unknown_blocks": ["fssp"],
    }  # fmt: skip
    grave = {**alert, "id": "2", "severity": "alert", "title": "Grave", "title_ru": "Беда", "level": "critical"}
    other = {**alert, "id": "3", "inn": WORSE, "name": None}
    page = describe_alerts([alert, grave, other], t)
    assert page.subject.startswith("ООО «А»: " + ("Беда" if t.language == "ru" else "Grave"))
    assert [entry.inn for entry in page.parts[0].entries] == [CALM, WORSE]
    assert len(page.parts[0].entries[0].lines) == 3
    assert t.label("block", "fssp").lower() in page.parts[0].entries[0].lines[-1].lower()


def test_other_messages_have_both_parts(t):
    for page in (describe_low_balance(ACCOUNT, t), describe_test(t)):
        enclosure = Enclosure(["p.html"], [("p", "https://files.example/p.html")], [AFTER])
        done = finish_page(page, enclosure, "boss", AFTER, t)
        text = render_text(done, t)
        assert "p.html" in text
        assert t("digest.doubt", at=t.date_time(AFTER)) in text
        assert 'href="https://files.example/p.html"' in render_html(done, t)
        assert "notify.boss" in text
