"""Stale evidence and unknown levels as a reader meets them: the report, `company` and `coverage`."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli.company import company_as_json, print_company, read_company
from innspect.cli.coverage import COVERAGE
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.reports.portfolio_report.queries import PortfolioQueries
from innspect.sandbox.world.inn_samples import sample_inns
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load
from tests.support.builders import INN, MOSCOW

OLD = START - timedelta(days=60)
FRESH, SILENT, TROUBLED, NEVER = sample_inns(4, 91)
DEBT = {"total_proceedings": 1, "active_proceedings": 1, "total_debt_rub": 5_000, "active_debt_rub": 5_000,
        "proceedings": [{"exe_production": "1/24", "is_active": True, "sum": 5_000}]}  # fmt: skip


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, create_empty_warehouse):
    """Old evidence, fresh evidence, a silent source, a member in trouble, and one that was never requested."""
    from innspect.warehouse.database import Warehouse

    path = create_empty_warehouse(tmp_path_factory.mktemp("stale") / "warehouse.duckdb")
    with Warehouse(path) as warehouse:
        silent = {key: value for key, value in all_blocks().items() if key != KEYS["bankruptcy"]}
        load(warehouse, full_check_response(INN, all_blocks(fssp=DEBT), at=OLD))
        load(warehouse, full_check_response(FRESH, all_blocks()), start=1)
        load(warehouse, full_check_response(SILENT, silent), start=2)
        load(
            warehouse,
            full_check_response(TROUBLED, all_blocks(company={"illegal_finance": True, "invalid_data": True})),
            start=3,
        )
        add_members(warehouse, INN, FRESH, SILENT, TROUBLED, NEVER)
        yield warehouse


@pytest.fixture(scope="module", params=LANGUAGES)
def t(request):
    return translations(request.param, MOSCOW)


@pytest.fixture(scope="module")
def page(warehouse, t):
    return build_report(warehouse, ReportOptions("p", t.language), MOSCOW, START)


def part(page, start, end):
    text = page.partition(start)[2]
    assert text, start
    return text.partition(end)[0]


def test_levels_of_this_portfolio(warehouse):
    levels = dict(warehouse.query("SELECT inn, level FROM mart.risk_score").rows())
    unknown = dict.fromkeys((INN, SILENT, NEVER), "unknown")
    assert levels == {**unknown, FRESH: "low", TROUBLED: "high"}


def test_members_of_unknown_level_are_a_group_of_their_own(page, t):
    worst = part(page, 'id="worst"', 'id="unknown"')
    unknown = part(page, 'id="unknown"', "<section")
    listed = [set(re.findall(r'href="#inn-(\d+)"', text)) for text in (worst, unknown)]
    assert listed == [{TROUBLED}, {INN, SILENT, NEVER}]
    tile = re.search(r'data-column="unknown" value="3">', page)
    assert tile
    assert t("level_unknown") in page
    assert 'data-column="perhaps_critical" value="3"' in page
    # What is known of them, and what is missing, is shown with the level.
    row = next(row for row in unknown.split("<tr>") if f'#inn-{SILENT}"' in row)
    assert t("unknown.block", block=t.label("block", "bankruptcy")) in row
    assert t("unknown.answered", level=t.label("level", "low")) in row
    # Of who was never requested, nothing is known.
    row = next(row for row in unknown.split("<tr>") if f'#inn-{NEVER}"' in row)
    assert not any(t(key, level="").strip(" :") in row for key in ("unknown.rest", "unknown.answered"))


def test_report_shows_stale_evidence(page, t, warehouse):
    number = warehouse.query("SELECT count(*) FROM mart.coverage WHERE stale").item()
    confirmed = warehouse.query(
        "SELECT count(*) FROM mart.coverage WHERE NOT stale AND state IN ('found', 'clean')"
    ).item()
    assert number
    assert f'data-column="stale" value="{number}"' in page
    assert f'data-column="confirmed" value="{confirmed}"' in page
    word = t.label("state", "stale")
    coverage = part(page, 'id="coverage"', "<section")
    assert f"{t.label('block', 'fssp')}, {word}: 1 / 5" in coverage
    assert "url(#aged)" in coverage
    assert f'<th class="n">{word}</th>' in coverage
    row = next(row for row in coverage.split("<tr>") if f"<td>{t.label('block', 'fssp')}</td>" in row)
    assert re.findall(r"<td class=\"n\">(?:<span[^>]*>)?(\d+)", row) == ["1", "0", "1"]
    assert t("freshness.stale", stale="").split(":")[0] in page
    # A signal that only old evidence shows says how old it is, and not that a response denies it.
    unknown = part(page, 'id="unknown"', "<section")
    row = next(row for row in unknown.split("<tr>") if f'#inn-{INN}"' in row)
    assert f'<span class="uncertain">{word}: {t("stale.collected", date=t.date(OLD))}' in row
    assert t("not_confirmed_since") not in row
    # Revenue and debt of old evidence are drawn and marked.
    row = next(row for row in part(page, 'id="debt"', "<section").split("<tr>") if f'#inn-{INN}"' in row)
    assert f'<span class="stale">{word}</span>' in row


def test_stale_answer_is_no_answer_of_the_new_check(warehouse):
    """Nothing of today is known from it, so it is not `no change`."""
    rows = warehouse.query(PortfolioQueries("p").table(None, 10, [])).to_dicts()
    silent = {row["inn"]: row["silent"] for row in rows}
    never_sent = ["timeline", "trademarks"]
    stale = warehouse.query("SELECT stale_blocks FROM mart.risk_score WHERE inn = $inn", {"inn": INN}).item()
    assert silent[FRESH] == len(never_sent)
    assert silent[SILENT] == len([*never_sent, "bankruptcy"])
    assert silent[INN] == len([*never_sent, *stale]) > 10


def test_gaps_of_a_section_count_stale_evidence(page, t):
    words = re.sub("<[^>]+>", "", part(page, 'id="enforcement"', "</section"))
    block = t.label("block", "fssp")
    assert t("gaps.some", block=block, unconfirmed=0, stale=1, never=1, askable=5) in words


@pytest.mark.long
def test_company_shows_stale_evidence(warehouse):
    data = read_company(warehouse, INN, START)
    told = company_as_json(data)
    assert "fssp" in told["risk"]["stale_blocks"]
    coverage = {row["block"]: row["stale"] for row in told["coverage"]}
    assert coverage["fssp"] is True
    assert coverage["contacts"] is None
    assert {row["reason"] for row in told["signals"] if row["block"] == "bankruptcy"} == {"stale"}
    screen = StringIO()
    print_company(data, Console(file=screen, width=200))
    shown = screen.getvalue()
    day = f"{OLD:%Y-%m-%d}"
    assert re.search(rf"active debt \(RUB\) +5 000.00 \(stale: collected on {day}\)", shown)
    assert re.search(rf"fssp +found +stale .*{day}", shown)
    assert f"stale, collected on {day}; of the blocks that answered: medium" in shown
    assert f"  stale: collected on {day}" in shown
    screen = StringIO()
    print_company(read_company(warehouse, FRESH, START), Console(file=screen, width=200))
    assert "stale" not in screen.getvalue()


def test_coverage_counts_stale_evidence(warehouse):
    rows = warehouse.query(COVERAGE, {"portfolio": "p"}).rows(named=True)
    stale = {row["block"]: row["stale"] for row in rows if row["state"] == "found"}
    assert stale["fssp"] == 1
    assert sum(row["stale"] for row in rows) == warehouse.query("SELECT count(*) FROM mart.coverage WHERE stale").item()
