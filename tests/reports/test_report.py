"""The report: its numbers are its queries', its words are honest, and the page needs nothing but itself."""

import errno
import html
import json
import logging
import os
import re
import stat
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import duckdb
import polars as pl
import pytest

from innspect.flows.load import load_responses
from innspect.flows.write_report import write_report, write_report_after_run
from innspect.reports.i18n.catalog import translations
from innspect.reports.portfolio_report import build, data
from innspect.reports.portfolio_report import queries as queries_module
from innspect.reports.portfolio_report.build import ReportOptions, build_report, latest_portfolio, report_file_name
from innspect.reports.portfolio_report.link_groups import circle_positions, read_groups
from innspect.reports.portfolio_report.link_queries import LinkQueries
from innspect.reports.style import (
    DARK_PAPERS,
    LEVELS,
    LIGHT_PAPERS,
    SEVERITIES,
    SHOWN_STATES,
    STYLES,
    contrast,
    css_variables,
)  # fmt: skip
from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.errors import DiskFull, StoreError, UsageError
from innspect.schemas.states import NO_EVIDENCE, SignalState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy
from innspect.warehouse.publish.exclude import Exclusion
from innspect.warehouse.publish.reader import PublishedCopy
from tests.support.builders import CONVENTIONS, MOSCOW, Response, response_frame
from tests.support.cli import assert_fails

DAY = datetime(2026, 11, 2, 9)
NOW = DAY + timedelta(days=20)
INNS = list(sample_inns(30, 5, persons=0.0))[:10]
EVIL = '<script>alert("x")</script>'
QUOTED = """"><img src=x onerror='alert(1)'>"""
RU, EN = translations("ru", MOSCOW), translations("en", MOSCOW)
TEMPLATES = Path(build.__file__).parent / "templates"


def body(inn, **company):
    made = json.loads(ResponseCache(0, DAY.date().toordinal(), 1 << 20).body(inn, "full-check").payload)
    made["company"] |= company
    return made


@dataclass
class Past:
    """A warehouse into which runs are written by hand."""

    warehouse: Warehouse
    calls: int = 0

    def members(self, portfolio, inns):
        for inn in inns:
            self._insert("portfolio_members", portfolio, inn, f"Имя {inn}", None, None, None, DAY, DAY, None)

    def run(self, run, portfolio, day, bodies, method="full-check", price="18.00"):
        """A run that asked this; its answers as JSON by INN."""
        answers = [Response(method, told, inn, asked_at=day) for inn, told in bodies.items()]
        made = response_frame(answers, file=run, start=self.calls).with_columns(pl.lit(run).alias("run_id"))
        for call, inn in made.select("call_id", "inn").iter_rows():
            self._insert("calls", call, run, inn, method, price, price, "settled", day, day, 200, None)
        self.calls += len(answers)
        load_responses(self.warehouse, made, CONVENTIONS)
        cost = str(Decimal(price) * len(answers))
        self._insert("runs", run, day, day + timedelta(hours=1), portfolio, "full", "500.00", cost, "0.00", 0, "test")

    def _insert(self, table, *cells):
        marks = ", ".join("?" for _ in cells)
        self.warehouse.connection.execute(f"INSERT INTO lineage.{table} VALUES ({marks})", list(cells))

    def page(self, portfolio="p", language="ru", since=None):
        return build_report(self.warehouse, ReportOptions(portfolio, language, since), MOSCOW, NOW)


@pytest.fixture
def past(warehouse):
    return Past(warehouse)


@pytest.fixture(scope="module")
def history(tmp_path_factory, create_empty_warehouse):
    """Ten companies checked twice, with an alert, a silent source, one that was never asked, and names that bite."""
    with Warehouse(create_empty_warehouse(tmp_path_factory.mktemp("report") / "warehouse.duckdb")) as warehouse:
        past = Past(warehouse)
        past.members("p", INNS)
        first = {inn: body(inn, status="active", liquidation_date="") for inn in INNS[:9]}
        first[INNS[0]]["company"] |= {"name": EVIL, "short_name": EVIL}
        first[INNS[8]]["arbitration"] = {"error": "timeout", "total_cases": 0, "raw": {"all_sources_dead": True}}
        first[INNS[8]]["_verified_empty_blocks"] = [
            name for name in first[INNS[8]]["_verified_empty_blocks"] if name != "arbitration"
        ]
        past.run("one", "p", DAY, first)
        second = {inn: json.loads(json.dumps(told)) for inn, told in first.items()}
        second[INNS[0]]["company"] |= {"status": "liquidating", "director": QUOTED}
        past.run("two", "p", DAY + timedelta(days=7), second)
        past.members("other", INNS[:2])
        past.warehouse.connection.execute(
            "UPDATE lineage.portfolio_members SET tags = 'ключевой,склад', extra = $extra WHERE portfolio = 'p' AND inn = $inn",
            {"inn": INNS[1], "extra": json.dumps({"Менеджер": "Иванова", "a/b": EVIL})},
        )
        yield past


@pytest.fixture(scope="module", params=["ru", "en"])
def language(request):
    return request.param


@pytest.fixture(scope="module")
def page(history, language):
    return history.page(language=language)


def queries(page):
    return {
        int(n): html.unescape(sql) for n, sql in re.findall(r'<li id="q(\d+)">.*?<pre>(.*?)</pre>', page, re.DOTALL)
    }


def figures(page):
    pattern = r'<data class="figure" data-query="(\d+)" data-column="(\w+)" value="([^"]*)">(.*?)</data>'
    return [(int(n), column, html.unescape(v), html.unescape(text)) for n, column, v, text in re.findall(pattern, page)]


def section(page, name):
    return page.partition(f'id="{name}"')[2].partition("<h2>")[2].partition("<h2>")[0]


def rules(page, element):
    """The texts that the style of the page holds for cells (`td`) or sentences (`p`), by class."""
    found = re.findall(rf'^\.all {element}\.([A-Z]\w*)::\w+{{content:"(.*)"}}$', page, re.MULTILINE)
    return {name: re.sub(r"\\([0-9a-f]+) ", lambda found: chr(int(found[1], 16)), text) for name, text in found}


def table_rows(page):
    """The rows of the table of members: lists of cells as text, by INN."""
    cells, words = rules(page, "td"), rules(page, "p")
    body = page.partition('<table class="all">')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    said = re.sub(r"<p class=(\w+)>", lambda found: f"<p>{html.escape(words[found[1]])}", body)
    said = re.sub(r'<td class="?(?:c\d )?([A-Z]\w*)"?>', lambda found: f"<td>{html.escape(cells[found[1]])}", said)
    rows = [re.split(r"<td[^>]*>", row) for row in said.split("<tr id=inn-")[1:]]
    return {
        row[0].rstrip(">"): [html.unescape(re.sub("<[^>]+>", "\n", cell)).strip() for cell in row[1:]] for row in rows
    }


def visible_texts(page):
    """What a reader sees without opening the queries, tooltips and labels for screen readers included."""
    body = page.partition("<body>")[2].partition('<section id="queries">')[0]
    attributes = re.findall(r'(?:title|aria-label|placeholder|data-found|data-name)="([^"]*)"', body)
    content = re.findall(r'content:"((?:[^"\\]|\\.)*)"', page)
    return html.unescape("\n".join([re.sub("<[^>]+>", "\n", body), *attributes, *content]))


def titles(text):
    return [html.unescape(title) for title in re.findall(r"<title>(.*?)</title>", text)]


@pytest.mark.long
def test_every_figure_is_what_its_query_gives(history, page):
    asked, found = queries(page), figures(page)
    assert len({(number, column) for number, column, *_ in found}) >= 15
    for number, column, value, text in found:
        (row,) = history.warehouse.query(asked[number]).to_dicts()
        assert str(row[column]) == value, (asked[number], column)
        assert re.sub(r"\D", "", text) == re.sub(r"\D", "", value), (text, value)
    by_column = {column: value for _, column, value, _ in found}
    assert by_column["members"] == "10"
    # One company was asked nothing; contacts, which no full check brings, were asked of nobody.
    assert by_column["never_asked"] == str(len(BLOCKS) + 9)
    assert by_column["charged_rub"] in ("162.00", "324.00")


@pytest.mark.long
def test_only_a_statement_that_exceeds_the_limit_of_memory_is_repeated(history, page, language, monkeypatch, caplog):
    statements: list[str] = []
    query, create = Warehouse.query, Warehouse.create_temp_table

    def count_query(self, sql, parameters=None):
        statements.append(sql)
        return query(self, sql, parameters)

    def count_table(self, name, sql):
        statements.append(name)
        create(self, name, sql)

    monkeypatch.setattr(Warehouse, "query", count_query)
    monkeypatch.setattr(Warehouse, "create_temp_table", count_table)
    # What is not in the tables yet would be more than the limit.
    history.warehouse.connection.execute("CHECKPOINT")
    monkeypatch.setattr(history.warehouse, "_reading_limit", "20MB")
    with caplog.at_level(logging.WARNING, "innspect"):
        assert history.page(language=language) == page
    lifted = [record for record in caplog.records if record.getMessage() == "memory_limit.lifted"]
    times = Counter(statements)
    assert 0 < len(lifted) == sum(count - 1 for count in times.values()) < len(times)
    assert set(times.values()) == {1, 2}


@pytest.mark.long
def test_profiles_of_members_are_the_same_in_parts(history, page, language, monkeypatch):
    tables: dict[str, int] = {}
    create_table = queries_module._create_table

    def count_queries(source, table, queries):
        tables[table] = len(queries)
        create_table(source, table, queries)

    monkeypatch.setattr(queries_module, "_create_table", count_queries)
    monkeypatch.setattr(queries_module, "MEMBERS_OF_PART", 3)
    assert history.page(language=language) == page
    assert tables["report_company_profile"] == 4


def test_every_footnote_leads_to_a_query(page):
    notes = set(map(int, re.findall(r'href="#q(\d+)"', page)))
    assert notes <= set(queries(page))
    assert len(notes) > 12


def test_bars_of_risk_are_the_levels_of_the_mart(history, page, language):
    counted = dict(
        history.warehouse.query(
            "SELECT level, count(*) FROM mart.risk_score WHERE inn IN (SELECT inn FROM lineage.portfolio_members "
            "WHERE portfolio = 'p') GROUP BY level"
        ).rows()
    )
    say = translations(language, MOSCOW)
    shown_bars = titles(section(page, "risk"))
    for level in ("critical", "high", "medium", "low", "unknown"):
        assert f"{say.label('level', level)}: {say.count(counted.get(level, 0), 'member')}" in shown_bars
    assert sum(counted.values()) == 10


def test_coverage_keeps_clean_silent_and_never_asked_apart(history, page, language):
    say = translations(language, MOSCOW)
    expected = Counter()
    for block, state, count in history.warehouse.query(
        "SELECT block, CASE WHEN stale AND state IN ('found', 'clean', 'partial') THEN 'stale' ELSE state END AS shown, "
        "count(*) FROM mart.coverage WHERE portfolio = 'p' GROUP BY ALL"
    ).rows():
        expected[block, "not confirmed" if state in NO_EVIDENCE else state] += count
    shown_bars = titles(section(page, "coverage"))
    told_bars = {
        f"{say.label('block', block)}, {say.label('state', name)}: {count} / 10"
        for (block, name), count in expected.items()
    }
    assert set(shown_bars) == told_bars
    assert ("arbitration", "not confirmed") in expected
    assert {say.label("state", "never asked"), say.label("state", "not confirmed")} <= set(
        re.findall(r"[^<>]+", section(page, "coverage"))
    )
    fills = set(re.findall(r'fill="([^"]+)"><title>', section(page, "coverage")))
    assert {"url(#hatched)", "url(#dotted)"} <= fills
    # Answers of the history become stale with time.
    for name in ("clean", "found"):
        assert (f"var(--{name})" in fills) == any(state == name for _, state in expected), name


def test_changes_are_told_by_company_the_gravest_first(history, page, language):
    told_changes = section(page, "changes")
    said = "Изменился статус: действует →" if language == "ru" else "The status changed: active →"
    assert told_changes.index(said) < told_changes.index('class="severity notice"')
    alerts = history.warehouse.query("SELECT count(*) FROM mart.news WHERE severity = 'alert'").item()
    assert f"{translations(language, MOSCOW).label('severity', 'alert').capitalize()}: {alerts}" in told_changes
    assert "__" not in told_changes


def test_every_member_has_a_row(history, page, language):
    t, rows = translations(language, MOSCOW), table_rows(page)
    assert sorted(rows) == sorted(INNS)
    levels = dict(history.warehouse.query("SELECT inn, level FROM mart.risk_score").rows())
    order = [("critical", "high", "unknown", "medium", "low").index(levels[inn]) for inn in rows]
    assert order == sorted(order)
    signals = history.warehouse.query("SELECT inn, title, title_ru FROM mart.risk_signals WHERE state = 'present'")
    for inn in INNS[:9]:
        _, _, score, unknown, reasons, change, *_ = rows[inn]
        present = signals.filter(pl.col("inn") == inn)["title_ru" if language == "ru" else "title"].to_list()
        assert [title for title in present if title not in reasons] == []
        assert score.isdigit()
        # Contacts are not part of a full check, so nothing here is known as a whole.
        assert t.label("state", "unknown") in unknown
        assert change
    name, *_ = rows[INNS[0]]
    assert EVIL in name
    assert f"Имя {INNS[0]}" in name
    # Whom nobody has asked is neither calm nor unchanged.
    assert rows[INNS[9]][5] == t("members_table.not_requested")
    assert rows[INNS[9]][4] == t("members_table.no_reasons_known")
    alerts = history.warehouse.query(
        f"SELECT count(*) FROM mart.news WHERE inn = '{INNS[0]}' AND severity = 'alert'"
    ).item()
    assert t("members_table.alerts", alerts=alerts) in rows[INNS[0]][5]
    assert rows[INNS[1]][6:] == ["ключевой, склад", "Иванова", EVIL]
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)
    assert heads[6:] == [t("tags"), "Менеджер", "a/b"]


CODES = re.compile(
    r"\w+__\w+|\b(?:mart|lineage|core|current)\.\w+|\b[a-z]+(?:_[a-z]+)+\b|\bSELECT\b|\bfull-check\b|\bperson-"
)


def test_a_manager_reads_words(page, language):
    text = visible_texts(page)
    assert CODES.findall(text) == []
    # Names of blocks and states that are no words of the language.
    codes = {name for name in BLOCKS if name not in ("company", "contacts")} if language == "en" else {
        *BLOCKS, *SHOWN_STATES, *LEVELS, *SEVERITIES, *(str(state) for state in SignalState), "full"}  # fmt: skip
    english = {"bankruptcy", "arbitration", "sanctions", "contracts", "pledges", "inspections", "licenses", "timeline",
               "trademarks", "leasing", "employees", "freezes", "financial"}  # fmt: skip
    words = set(re.findall(r"[a-z]+", re.sub(r"\{\w+\}", "", text.replace(EVIL, "").replace(QUOTED, ""))))
    assert words & codes - (english if language == "en" else set()) == set()
    assert page.index("<details>") < page.index("<pre>")
    assert re.search(r"@media print \{.*#queries, .note \{ display: none; \}", page, re.DOTALL)


def test_texts_are_readable_on_their_background():
    css = (TEMPLATES / "page.css").read_text("utf-8")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part + css_variables(dark=is_dark)))
        for part, is_dark in ((css.partition("@media")[0], False), (css.partition("@media")[2].partition("*")[0], True))
    )
    used = set(re.findall(r"(?<!-)color: var\(--([\w-]+)\)", css)) | {f"text-{level}" for level in LEVELS}
    assert {"ink", "soft", "accent", "text-stale", "text-not-confirmed"} <= used
    for colours in (light, dark):
        assert {name: colours[name] for name in used
                if min(contrast(colours[name], colours[paper]) for paper in ("paper", "panel")) < 4.5} == {}  # fmt: skip
    assert (light["paper"], light["panel"], dark["paper"], dark["panel"]) == (*LIGHT_PAPERS, *DARK_PAPERS)
    assert contrast("#000000", "#ffffff") == 21
    assert [code for code, style in STYLES.items() if contrast(style.text_colour, style.light) < 4.0] == []


def test_data_is_never_markup(page):
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert script == (TEMPLATES / "member_table.js").read_text("utf-8")
    # The policy runs this script and no other.
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}';" in page
    assert page.count("<script") == 1
    assert "<img" not in page
    assert html.escape(EVIL, quote=False).replace('"', "&#34;") in page
    assert "&lt;img src=x onerror=" in page
    assert "default-src 'none'" in page


@pytest.mark.long
def test_a_portfolio_may_be_called_anything(past):
    name = "o'hara <b>\\u0041</b>"
    past.members(name, INNS[:1])
    made = past.page(name)
    assert "<b>\\u" not in made
    assert "o&#39;hara &lt;b&gt;" in made
    for sql in queries(made).values():
        past.warehouse.query(sql)


@pytest.mark.long
def test_a_page_needs_no_place_for_its_compiled_template(past, tmp_path, monkeypatch):
    past.members("p", INNS[:1])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # Every page shows the same figures: they are read once.
    read = data.read_report_data(past.warehouse, "p", None)
    monkeypatch.setattr(data, "read_report_data", lambda *_: read)
    first, folder = past.page(), tmp_path / f"_jinja2-cache-{os.getuid()}"
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    for spoiled in (b"spoiled", whole[:20], whole[:-20]):
        kept.write_bytes(spoiled)
        assert past.page() == first, spoiled
    kept.unlink()
    folder.rmdir()
    folder.write_text("no folder")
    assert past.page() == first


@pytest.mark.long
def test_first_check_compares_with_nothing(past):
    past.members("p", INNS[:2])
    assert RU("changes.unasked") in past.page()
    past.run("one", "p", DAY, {inn: body(inn) for inn in INNS[:2]})
    assert RU("changes.first") in past.page()
    since = past.page(since=DAY - timedelta(days=30))
    assert RU("changes.first") in since
    assert RU("movements.none") not in since
    past.run("two", "p", DAY + timedelta(days=1), {inn: body(inn) for inn in INNS[:2]})
    assert RU("changes.first") not in past.page()
    assert RU("changes.none", since="02.11.2026 13:00") in past.page()


@pytest.mark.long
def test_since_the_check_before_or_a_day(history):
    assert "09.11.2026" in section(history.page(), "changes")
    later = history.page(since=DAY + timedelta(days=8))
    # Nobody was requested after that day: silence is no calm.
    assert RU("changes.unknown", since="10.11.2026 12:00") in later
    assert RU("alerts.unknown") in later
    assert RU("changes.none", since="10.11.2026 12:00") not in later
    assert figures(later)[0][1] == "members"


def test_what_was_never_asked_is_no_zero(past):
    past.members("p", INNS)
    made = past.page()
    assert made.count("<figure>") == 2  # levels, all of them unknown, and coverage, all of it never asked
    assert set(titles(section(made, "coverage"))) == {
        f"{RU.label('block', block)}, не запрашивалось: 10 / 10" for block in BLOCKS
    }
    assert "не определён: 10\N{NO-BREAK SPACE}контрагентов" in titles(section(made, "risk"))
    for said in ("freshness.none", "spend.none", "courts.none", "enforcement.none", "debt.none", "changes.unasked"):
        assert RU(said) in made
    assert "не запрашивалось у 10" in re.sub("<[^>]+>", "", section(made, "courts"))
    (unknown,) = [value for _, column, value, _ in figures(made) if column == "debt_unknown"]
    assert unknown == "10"


def test_a_debt_without_an_amount_is_not_known(past):
    """An active proceeding without an amount, for which the service gives 0, is not counted as no debt."""
    past.members("p", INNS[:3])
    proceeding = {"exe_production": "1/26", "process_date": "05.02.2026", "sum": 0, "is_active": True}
    ended = {**proceeding, "is_active": False}
    counts = {"total_proceedings": 1, "active_debt_rub": 0}
    bodies = {
        INNS[0]: {**counts, "proceedings": [proceeding], "active_proceedings": 1},
        INNS[1]: {**counts, "proceedings": [ended], "active_proceedings": 0},
        INNS[2]: {"total_proceedings": 0, "active_debt_rub": 0, "proceedings": [], "active_proceedings": 0},
    }
    past.run("one", "p", DAY, bodies, "fssp", "4.00")
    found = {column: value for _, column, value, _ in figures(past.page()) if column in ("no_debt", "debt_unknown")}
    assert found == {"no_debt": "2", "debt_unknown": "1"}


def test_a_silent_source_makes_words_and_no_bars(past):
    past.members("p", INNS[:3])
    silent = {"proceedings": [], "total_proceedings": 0, "sources_failed": ["fssp"], "error": "timeout"}
    past.run("one", "p", DAY, dict.fromkeys(INNS[:3], silent), "fssp", "4.00")
    made = past.page()
    told_enforcement = section(made, "enforcement")
    assert "<figure>" not in told_enforcement
    assert "не подтверждено у 3 из 3" in re.sub("<[^>]+>", "", told_enforcement)
    assert "Приставы, не подтверждено: 3 / 3" in titles(section(made, "coverage"))
    assert RU("debt.none") in made


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "least", "incomplete"),
    [("ru", "не менее", "Приставы: список неполон у 1"), ("en", "at least", "Bailiffs: list incomplete for 1")],
)
def test_figures_over_a_partial_list_are_at_least(past, language, least, incomplete):
    partial, whole = INNS[:2]
    debt = {"total_proceedings": 1, "active_proceedings": 1, "total_debt_rub": 5_000, "active_debt_rub": 5_000}
    debt |= {"proceedings": [{"exe_production": "1/24", "is_active": True, "sum": 5_000}]}
    bodies = {inn: body(inn) | {"fssp": dict(debt)} for inn in (partial, whole)}
    for made in bodies.values():
        made["revexp_bulk"] = {"record": {"revenue": 90_000, "expense": 1, "period": "2025"}, "status": "loaded"}
    bodies[partial]["fssp"]["sources_failed"] = ["site_inn"]
    past.members("p", [partial, whole])
    past.run("r1", "p", DAY, bodies)
    made = past.page(language=language)
    cells = re.findall(r"<tr><td>.*?</tr>", section(made, "debt"))
    marked = {inn: least in next(cell for cell in cells if inn in cell) for inn in (partial, whole)}
    assert marked == {partial: True, whole: False}
    assert incomplete in re.sub("<[^>]*>", "", section(made, "enforcement")).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.long
@pytest.mark.parametrize(("language", "words"), [("ru", "сервис не предоставляет"), ("en", "has no method")])
def test_blocks_without_a_method_for_persons_are_named(past, language, words):
    person = sample_inns(1, 6, persons=1.0)[0]
    past.members("p", INNS[:1])
    assert words not in section(past.page(language=language), "coverage")
    past.members("p", [person])
    told = section(past.page(language=language), "coverage")
    named = told[told.index(words) :]
    t = translations(language, MOSCOW)
    assert t.label("block", "contracts") in named
    assert t.label("block", "bankruptcy") not in named.partition("<sup")[0]


@pytest.mark.long
def test_of_many_a_few_are_named_and_the_others_counted(past):
    inns = list(sample_inns(60, 8, persons=0.0))[:50]
    past.members("p", inns)
    brief = {inn: {"inn": inn, "ogrn": "1", "name": f"Имя {inn}", "status": "active"} for inn in inns}
    past.run("one", "p", DAY, brief, "brief", "2.00")
    gone = {inn: {**told, "status": "liquidated"} for inn, told in brief.items()}
    past.run("two", "p", DAY + timedelta(days=1), gone, "brief", "2.00")
    told_changes = section(past.page(), "changes")
    assert told_changes.count('class="member"') == 40
    assert "и ещё 10\N{NO-BREAK SPACE}контрагентов" in told_changes


def test_evidence_of_the_marts_leaves_no_english(history):
    told_words = history.warehouse.query(
        "SELECT DISTINCT evidence FROM mart.risk_signals WHERE evidence IS NOT NULL AND signal NOT LIKE 'sanctions%'"
    )["evidence"].to_list()
    assert len(told_words) > 10
    left = [RU.signal_evidence(one) for one in told_words if re.search(r"\b[a-z]{3,}\b", RU.signal_evidence(one))]
    assert not left


def test_groups_hang_together_by_sure_links():
    rows = [
        ("1", "2", "director", "Иванов: director of 1234567890, founder of 1234567891", "inn", True),
        ("1", "2", "phone", "4951234567", "value", True),
        ("1", "3", "director", "Ким: director of 1234567890, director of 1234567892", "name", True),
        ("2", "3", "address", "г. Москва, д. 1", "value", True),
        ("3", "8", "director", "Ким: director of 1234567892, director of 1234567898", "name", True),
        ("8", "9", "founder", "Ли is founder of 1234567898", "inn", True),
        ("9", "7", "director", "Ким: director of 1234567899, director of 1234567897", "name", True),
        ("5", "6", "address", None, "value", True),
        # The latest responses do not confirm these.
        ("6", "7", "director", "Цой: director of 1234567896, director of 1234567897", "inn", False),
        ("5", "6", "phone", "4957654321", "value", False),
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA mart")
        connection.execute(
            "CREATE TABLE mart.links (inn TEXT, other_inn TEXT, kind TEXT, via TEXT, matched_by TEXT, confirmed BOOLEAN)"
        )
        connection.executemany("INSERT INTO mart.links VALUES (?, ?, ?, ?, ?, ?)", rows)
        queries = LinkQueries("SELECT unnest(range(10))::TEXT")

        def read(sql):
            return connection.sql(sql).pl().to_dicts()

        assert read(queries.figures()) == [
            {"groups": 3, "pairs": 4, "largest": 3, "pairs_former": 1, "pairs_by_name": 3}
        ]
        groups = read_groups(
            read(queries.members(12, 2)), read(queries.drawn_pairs(12, 2)), read(queries.shared_objects(12, 3))
        )
    assert [(group.members, group.inns) for group in groups] == [(3, ["2", "1"]), (2, ["5", "6"]), (2, ["8", "9"])]
    assert groups[0].pairs == {("1", "2"): ["director", "phone"]}
    shared = {thing.name: thing.kinds for group in groups for thing in group.shared}
    assert shared == {"Иванов": ("director", "founder"), "4951234567": ("phone",), "г. Москва, д. 1": ("address",),
                      "Ли": ("founder",), "": ("address",)}  # fmt: skip
    assert [group.objects for group in groups] == [3, 1, 1]
    assert len(set(circle_positions(12, 3, 6))) == 12


def test_a_report_replaces_the_old_one_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "reports" / "p.html"
    write_report(path, "old")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    def full(_):
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(DiskFull, match="No space"):
            write_report(path, "new")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(StoreError, match="--out"):
        write_report(path / "below.html", "new")


def test_two_portfolios_never_share_a_file():
    names = ["a b", "a_b", "a/b", "../a", "б", "x" * 80, "x" * 81]
    files = [report_file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert all(re.fullmatch(r"[\w-]+\.html", name) for name in files)


@pytest.mark.long
def test_the_copy_tells_what_the_warehouse_tells(history, language, tmp_path):
    wanted, now = ReportOptions("p", language), datetime(2026, 11, 21)
    stamp = CopyInfo(now, "1.0")
    assert build_copy(history.warehouse, tmp_path / "copy.duckdb", Exclusion(), stamp).left_out == []
    with PublishedCopy(tmp_path / "copy.duckdb") as copy:
        told = build_report(copy, wanted, MOSCOW, now)
    age = re.compile(r'data-column="oldest_days" value="[^"]*"')
    assert age.sub("", told) == age.sub("", build_report(history.warehouse, wanted, MOSCOW, now))


@pytest.mark.long
def test_a_report_that_fails_is_not_the_runs_fault(past, tmp_path, capsys):
    from innspect.cli._console import make_console
    from innspect.schemas.settings import load_settings

    past.members("p", INNS[:1])
    settings = load_settings(None, {}, {"home": tmp_path / "home"})
    assert write_report_after_run(settings, past.warehouse, "p", make_console()) == str(
        tmp_path / "home/reports/p.html"
    )
    (tmp_path / "home/reports/p.html").unlink()
    (tmp_path / "home/reports").rmdir()
    (tmp_path / "home/reports").write_text("in the way")
    assert write_report_after_run(settings, past.warehouse, "p", make_console()) is None
    assert "No report: " in capsys.readouterr().out
    assert write_report_after_run(settings, past.warehouse, "p", make_console(), build=lambda *_: 1 / 0) is None
    assert "Write it with `innspect report`." in capsys.readouterr().out


@pytest.mark.long
def test_command_and_run(cli, small_portfolio):
    done = cli.run(small_portfolio, "--budget", 200, INNSPECT_REPORT__AFTER_RUN="true", INNSPECT_REPORT__LANGUAGE="en")
    path = cli.home / "reports" / "few.html"
    assert done.code == 0, done
    assert Path(done.json["report"]) == path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert '<html lang="en">' in path.read_text()
    charged = cli.value("SELECT charged_rub FROM lineage.runs")
    assert ("charged_rub", str(charged)) in {(column, value) for _, column, value, _ in figures(path.read_text())}
    told_report = cli("report", "--json", "--out", cli.home / "mine.html").json
    assert told_report["portfolio"] == "few"
    assert told_report["language"] == "ru"
    assert Path(told_report["report"]).stat().st_size == told_report["bytes"]
    said = cli("report", "--lang", "en", "--since", "2026-01-01")
    assert said.out.strip() == f"The report of few is {path}."
    for wrong, word in (("--portfolio", "none"), ("--lang", "de"), ("--since", "never")):
        assert_fails(cli("report", wrong, word), 2, word)


def test_there_is_nothing_to_report_of(cli, past):
    assert_fails(cli("report"), 2, "innspect run")
    assert_fails(cli("report", "--out", "x.pdf"), 2, "name a file *.html instead of x.pdf")
    with pytest.raises(UsageError, match="innspect run"):
        latest_portfolio(past.warehouse)


BROKEN_WORDS = """[...document.querySelectorAll('td, th, h2, h3, li, .figures span')].flatMap(cell =>
  [...cell.childNodes].filter(node => node.nodeType === 3).flatMap(node =>
    [...node.textContent.matchAll(/[а-яёa-z]{2,}/gi)].filter(word => {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1;
    }).map(word => word[0])))"""
"""The words that are broken inside."""


def _use_table(shown_page, language):
    """Search, sort and open the table of members in the page."""
    shown = shown_page.locator("table.all tbody tr:visible")
    assert shown.count() == len(INNS)
    search = shown_page.locator(".search input")
    search.fill("иванова ключевой")
    assert [row.get_attribute("id") for row in shown.all()] == [f"inn-{INNS[1]}"]
    search.fill(translations(language, MOSCOW)("members_table.not_requested"))
    assert [row.get_attribute("id") for row in shown.all()] == [f"inn-{INNS[9]}"]
    shown_page.evaluate(f"location.hash = 'inn-{INNS[1]}'")
    shown_page.wait_for_function(f"document.getElementById('inn-{INNS[1]}').matches('.on:target')")
    assert shown.count() == len(INNS)
    if shown_page.locator("table.all thead").is_visible():
        shown_page.locator("table.all th button").nth(2).click()
        scores = [row.locator("td").nth(2).inner_text() for row in shown.all()]
        assert scores == sorted(scores, key=lambda score: -int(score) if score.isdigit() else 1)
        shown_page.locator("table.all th button").nth(2).click()
        assert [row.locator("td").nth(2).inner_text() for row in shown.all()] == scores[::-1]


@pytest.mark.long
def test_page_in_a_browser(page, tmp_path, language):
    looked = pytest.importorskip("playwright.sync_api")
    chromium = Path("/usr/bin/chromium")
    if not chromium.exists():
        pytest.skip("there is no Chromium")
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    heard: list[str] = []
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
    with (
        looked.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=str(chromium), args=flags) as browser,
    ):
        for width in (1280, 390):
            shown_page = browser.new_page(viewport={"width": width, "height": 900}, offline=True)
            shown_page.on("console", lambda message: heard.append(message.text))
            shown_page.on("pageerror", lambda error: heard.append(str(error)))
            shown_page.on("dialog", lambda dialog: heard.append(dialog.message))
            shown_page.on("request", lambda request: heard.append(request.url))
            shown_page.goto(path.as_uri())
            assert shown_page.evaluate("document.documentElement.scrollWidth") == width
            assert shown_page.evaluate("document.scripts.length + document.images.length") == 1
            assert shown_page.locator("figure svg").count() >= 4
            assert shown_page.locator("h1").inner_text() == "p"
            assert shown_page.evaluate("document.documentElement.lang") == language
            cut = shown_page.evaluate(
                "[...document.querySelectorAll('figure svg')].flatMap(svg => [...svg.querySelectorAll('text')]"
                ".filter(text => text.getBoundingClientRect().left < svg.getBoundingClientRect().left - 1"
                " || text.getBoundingClientRect().right > svg.getBoundingClientRect().right + 1)"
                ".map(text => text.textContent))"
            )
            assert cut == []
            assert shown_page.evaluate(BROKEN_WORDS) == []
            _use_table(shown_page, language)
            shown_page.close()
        plain = browser.new_context(java_script_enabled=False, offline=True).new_page()
        plain.goto(path.as_uri())
        # Without scripts all rows are there, with their sentences.
        assert plain.locator("table.all tbody tr").count() == len(INNS)
        assert all(row.is_visible() for row in plain.locator("table.all tbody tr").all())
        assert not plain.locator(".search").is_visible()
    assert set(heard) == {path.as_uri()}


@pytest.mark.vast
def test_ten_thousand_fit_into_three_megabytes(past):
    inns = list(sample_inns(10_000, 0, persons=0.15))
    past.members("p", inns)
    bodies = ResponseCache(0, DAY.date().toordinal(), 1 << 20)
    later = ResponseCache(0, DAY.date().toordinal() + 40, 1 << 20)
    companies = [inn for inn in inns if len(inn) == 10]
    for number in range(0, len(companies), 1000):
        part = companies[number : number + 1000]
        made = {inn: json.loads(bodies.body(inn, "full-check").payload) for inn in part}
        past.run(f"one-{number}", "p", DAY, made)
    changed = companies[:2000]
    past.run(
        "two", "p", DAY + timedelta(days=40), {i: json.loads(later.body(i, "full-check").payload) for i in changed}
    )
    made = past.page()
    assert len(made.encode()) < 3_000_000
    for number, column, value, _ in figures(made):
        assert str(past.warehouse.query(queries(made)[number]).to_dicts()[0][column]) == value
    assert "и ещё" in made
    assert len(table_rows(made)) == 10_000
