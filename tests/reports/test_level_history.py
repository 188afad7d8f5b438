"""Who got worse: the report, `changes` and `company` compare the levels of a period, and say when there is none."""

import html
import re
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli.changes import print_movements
from innspect.cli.company import company_as_json, print_company, read_company
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.reports.level_history import Movement, find_movements, level_line, past_level_remark
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.reports.portfolio_report.member_table.member_rows import member_rows
from innspect.reports.portfolio_report.queries import PortfolioQueries
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load
from tests.support.builders import MOSCOW, lose_call

WORSE, BETTER, SILENT, AGAIN, SCORED, CALM, NEW, RETURNED = sample_inns(8, 61)
ONE, TWO, THREE = (START + timedelta(days=day) for day in (-2, -1, 0))
BETWEEN = ONE + timedelta(hours=2)
"""After the first run: the period of the second and the third."""
BAD = all_blocks(company={"illegal_finance": True, "invalid_data": True})
TINY = all_blocks(company={"authorized_capital": 10000})
NO_BANKRUPTCY = {key: value for key, value in all_blocks().items() if key != KEYS["bankruptcy"]}
FIRST = {**dict.fromkeys((WORSE, SILENT, SCORED, CALM, RETURNED), all_blocks()), BETTER: BAD, AGAIN: NO_BANKRUPTCY}
LAST = {**dict.fromkeys((BETTER, CALM, RETURNED), all_blocks()), **dict.fromkeys((WORSE, AGAIN, NEW), BAD),
        SILENT: NO_BANKRUPTCY, SCORED: TINY}  # fmt: skip
EXPECTED = {WORSE: "worse", BETTER: "better", SILENT: "unknown", AGAIN: "known"}
COUNTS = {**dict.fromkeys(EXPECTED.values(), 1), "same": 2, "first": 1, "requested": 8}


def check(warehouse, name, day, contents):
    """A run of the portfolio that loads these contents by INN."""
    answers = [
        replace(
            full_check_response(inn, content, at=day + timedelta(seconds=number), name=f"{name}-{inn}"), run_id=name
        )
        for number, (inn, content) in enumerate(contents.items())
    ]
    load(warehouse, *answers)
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    warehouse.connection.execute(
        "INSERT INTO lineage.runs VALUES (?, ?, ?, 'p', 'full', 500, 18, 0, 0, 'test')",
        [name, day, day + timedelta(hours=1)],
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory, create_empty_warehouse):
    """Three runs: of the second, one member is worse, and well again with the third."""
    path = create_empty_warehouse(tmp_path_factory.mktemp("history") / "warehouse.duckdb")
    with Warehouse(path) as warehouse:
        add_members(warehouse, *FIRST, NEW)
        check(warehouse, "one", ONE, FIRST)
        check(warehouse, "two", TWO, {RETURNED: BAD})
        check(warehouse, "three", THREE, LAST)
        yield warehouse


@pytest.fixture(params=LANGUAGES)
def t(request):
    return translations(request.param, MOSCOW)


def part(warehouse, t, since=None, portfolio="p"):
    """The text of the part of the report, and its rows by INN."""
    page = build_report(warehouse, ReportOptions(portfolio, t.language, since), MOSCOW, START)
    text = page.partition('id="movements"')[2].partition("</section")[0]
    rows = {re.findall(r'href="#inn-(\d+)"', row)[0]: row for row in text.split("<tr>") if 'class="inn">' in row}
    return html.unescape(re.sub("<[^>]+>", "", text)).replace("\N{NO-BREAK SPACE}", " "), rows


def test_movements_of_a_period(checked):
    counts, rows = find_movements(checked, BETWEEN, "p")
    assert counts == COUNTS
    assert {row["inn"]: row["movement"] for row in rows} == EXPECTED
    worse, *_ = rows
    assert (worse["inn"], worse["level_before"], worse["level"], worse["score_before"]) == (WORSE, "low", "high", 0)
    assert [signal["title"] for signal in worse["appeared"]] == [
        "Flag under the anti-money-laundering law",
        "Unreliable data in the register",
    ]
    assert (worse["run_id"], worse["assessed_at"].date()) == ("three", THREE.date())
    silent = next(row for row in rows if row["inn"] == SILENT)
    assert (silent["level_before"], silent["level"], silent["level_known"]) == ("low", "unknown", "low")
    assert silent["unknown_blocks"] == ["bankruptcy"]


def test_the_first_assessment_is_the_level_before_where_it_is_in_the_period(checked):
    counts, rows = find_movements(checked, ONE - timedelta(days=1), "p")
    assert counts == {**COUNTS, "first": 2}  # one of them did not change after it
    assert {row["inn"]: row["movement"] for row in rows} == EXPECTED
    # What was present at the first assessment did not appear.
    assert next(row for row in rows if row["inn"] == BETTER)["appeared"] == []


def test_a_period_of_one_run_and_one_without_any(checked):
    counts, rows = find_movements(checked, TWO + timedelta(hours=2), "p")
    assert {row["inn"]: row["movement"] for row in rows} == EXPECTED | {RETURNED: "better"}
    assert (counts["better"], counts["first"]) == (2, 1)
    counts, rows = find_movements(checked, THREE + timedelta(days=1), "p")
    assert (set(counts.values()), rows) == ({0}, [])
    assert find_movements(checked, BETWEEN, None)[0] == COUNTS
    assert set(find_movements(checked, BETWEEN, "none")[0].values()) == {0}


@pytest.mark.long
def test_report_says_who_got_worse(checked, t):
    text, rows = part(checked, t, BETWEEN)
    assert list(rows) == list(EXPECTED)
    for movement in ("worse", "better", "unknown", "known"):
        assert f"{t.label('movement', movement).capitalize()}: 1" in text
    assert t("movements.same", count=2) in text
    assert t("movements.assessed_first", count=1) in text
    low, high = (t.label("level", level) for level in ("low", "high"))
    assert re.search(rf"{low}</span> → .*{high}</span>", rows[WORSE])
    title = "Unreliable data in the register" if t.language == "en" else "Недостоверные сведения"
    assert title in rows[WORSE]
    assert t.date(THREE) in rows[WORSE]
    # What is not known is shown with the level.
    assert t("unknown.no_answer", block=t.label("block", "bankruptcy")) in rows[SILENT]
    assert t("unknown.answered", level=low) in rows[SILENT]


@pytest.mark.long
def test_report_since_the_previous_check(checked, t):
    text, rows = part(checked, t)
    assert set(rows) == {*EXPECTED, RETURNED}
    assert t.date_time(TWO + timedelta(hours=1)) in text


@pytest.mark.long
def test_nothing_to_compare_differs_from_nothing_changed(warehouse):
    both = [translations(language, MOSCOW) for language in LANGUAGES]
    add_members(warehouse, CALM)
    for t in both:
        assert t("movements.unasked") in part(warehouse, t)[0]
    check(warehouse, "one", ONE, {CALM: all_blocks()})
    for t in both:
        assert t("movements.first") in part(warehouse, t)[0]
        text, _ = part(warehouse, t, ONE + timedelta(hours=2))
        assert t("movements.unrequested", since=t.date_time(ONE + timedelta(hours=2))) in text
        assert t("movements.none") not in text
    check(warehouse, "two", TWO, {CALM: all_blocks()})
    for t in both:
        text, rows = part(warehouse, t)
        assert t("movements.none") in text
        assert t.count(1, "of_member").replace("\N{NO-BREAK SPACE}", " ") in text
        assert rows == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_history_does_not_call_stale_evidence_not_confirmed(warehouse, language):
    t = translations(language, MOSCOW)
    add_members(warehouse, CALM)
    check(warehouse, "one", ONE, {CALM: all_blocks()})
    check(warehouse, "two", THREE, {CALM: NO_BANKRUPTCY})
    (row,) = (row for row in find_movements(warehouse, BETWEEN, "p")[1] if row["inn"] == CALM)
    words = past_level_remark(row, t)
    assert t("unknown.no_answer", block=t.label("block", "bankruptcy")) in words
    assert t("unknown.block", block="") not in words


@pytest.mark.parametrize(("content", "part"), [({}, "none"), (NO_BANKRUPTCY, "some")])
def test_earlier_answers_are_none_of_the_other_blocks(warehouse, content, part):
    add_members(warehouse, CALM)
    check(warehouse, "one", ONE, {CALM: all_blocks()})
    check(warehouse, "two", THREE, {CALM: content})
    (row,) = (row for row in find_movements(warehouse, BETWEEN, "p")[1] if row["inn"] == CALM)
    assert (row["level"], row["known_part"]) == ("unknown", part)
    assert read_company(warehouse, CALM, START).level_history[0]["known_part"] == part


def test_a_request_without_an_answer_is_a_request(warehouse):
    add_members(warehouse, CALM, SILENT, NEW)
    check(warehouse, "one", ONE, {CALM: all_blocks(), SILENT: all_blocks()})
    check(warehouse, "two", TWO, {CALM: all_blocks()})
    lose_call(warehouse, SILENT, "full-check", TWO + timedelta(minutes=1))
    counts, _ = find_movements(warehouse, BETWEEN, "p")
    assert counts["requested"] == 2
    queries = PortfolioQueries("p")
    answers = warehouse.query(queries.answer_figures(BETWEEN)).row(0, named=True)
    assert answers["silent"] == 1
    titles = {}
    for language in LANGUAGES:
        t = translations(language, MOSCOW)
        table = warehouse.query(queries.table(BETWEEN, 10, [])).to_dicts()
        rows = {row.inn: row for row in member_rows(table, titles, t, has_period=True, has_tags=False)}
        assert t("members_table.unanswered") in rows[SILENT].change
        assert t("members_table.not_requested") in rows[NEW].change
        assert t("members_table.not_requested") not in rows[SILENT].change
        assert t("members_table.unanswered") not in rows[CALM].change
    # Without a check to compare with, who was requested is not as one who never was.
    lose_call(warehouse, NEW, "full-check", TWO, call_id="new")
    table = warehouse.query(queries.table(None, 10, [])).to_dicts()
    rows = {row.inn: row for row in member_rows(table, titles, t, has_period=False, has_tags=False)}
    assert rows[NEW].change == [t("members_table.unanswered")]


def test_changes_on_the_screen(checked):
    screen = StringIO()
    print_movements(*find_movements(checked, BETWEEN, "p"), Console(file=screen, width=300))
    shown = screen.getvalue()
    assert (
        "Levels of 8 counterparties checked: 1 worse, 1 better, 1 no longer known, 1 known again, "
        "2 with the same level and another score, 1 assessed once, with nothing to compare."
    ) in shown
    assert shown.index("WORSE (1)") < shown.index("BETTER (1)") < shown.index("LEVEL NO LONGER KNOWN (1)")
    assert (
        f"{THREE:%Y-%m-%d} low -> unknown; not known: bankruptcy; of the blocks that answered: low; possibly critical;"
        in shown
    )
    screen = StringIO()
    print_movements(*find_movements(checked, THREE + timedelta(days=1), "p"), Console(file=screen, width=300))
    assert "nobody was checked again" in screen.getvalue()


def test_company_shows_the_course_of_its_level(checked):
    data = read_company(checked, RETURNED, START)
    history = company_as_json(data)["level_history"]
    assert [(row["change"], row["level_before"], row["level"], row["run_id"]) for row in history] == [
        ("better", "high", "low", "three"),
        ("worse", "low", "high", "two"),
        ("first", None, "low", "one"),
    ]
    screen = StringIO()
    print_company(data, Console(file=screen, width=300))
    lines = screen.getvalue().partition("History of the level")[2].splitlines()[1:4]
    assert lines == [f"  {level_line(row)}" for row in data.level_history]
    assert lines[1].startswith(f"  {TWO:%Y-%m-%d} low -> high")
    assert "score 0 -> 45; appeared: illegal_finance, " in lines[1]


def test_a_warehouse_without_a_check_has_no_history(warehouse):
    add_members(warehouse, NEW)
    screen = StringIO()
    print_company(read_company(warehouse, NEW, START), Console(file=screen, width=300))
    assert "Never checked" in screen.getvalue()
    assert find_movements(warehouse, ONE, "p") == ({**dict.fromkeys(map(str, Movement), 0), "requested": 0}, [])
