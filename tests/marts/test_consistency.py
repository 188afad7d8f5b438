"""Every mart on a portfolio of the sandbox's: no row lost or doubled, every column commented, silence nowhere a zero."""

import re
from collections.abc import Callable

import pytest

from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, available_blocks
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.dictionary import data_dictionary
from innspect.warehouse.marts.registry import (
    Dependency,
    mart_blocks,
    mart_comments,
    mart_dependencies,
    mart_moving_columns,
    mart_queries,
)
from innspect.warehouse.risk.policy_sql import RULES
from tests.marts.bodies import add_members, full_check_response, load, rows
from tests.sandbox.samples import DAY
from tests.support.builders import BODIES, Response, block_response

INNS = sample_inns(40, 21)
SILENT = INNS[:10]
PERSONS = sample_inns(3, 22, persons=1.0)
NEVER = sample_inns(2, 23)
DOCUMENTED = "7707083893"
"""Responses with every documented field filled."""
EVERYONE = [*INNS, *PERSONS, *NEVER, DOCUMENTED]
KEYS = {
    "coverage": "portfolio, inn, block",
    "company_profile": "inn",
    "risk_rules": "policy, signal",
    "risk_signals": "inn, signal",
    "risk_score": "inn",
    "risk_history": "inn, run_id",
    "financials": "inn, year",
    "litigation": "inn, court_kind, case_number, court, url",
    "enforcement": "inn, proceeding",
    "state_contracts": "inn, reg_num",
    "account_freezes": "inn, decision_number, decided_on, bik",
    "sanctions_hits": "inn, list_code, coalesce(list_entry_id, listed_name)",
    "bankruptcy_cases": "inn, coalesce(case_number, debtor_ogrn, debtor_inn, debtor_name)",
    "unfair_supplier_entries": "inn, reg_number",
    "pledges": "inn, notice_number",
    "leasing_contracts": "inn, subject, lessor, signed_on, amount_rub",
    "inspections": "inn, number",
    "licences": "inn, kind, register, number, authority",
    "trademarks": "inn, number",
    "taxes": "inn, block, kind, year, period, tax, kbk, amount_rub",
    "court_acts": "inn, court_kind, case_number, court, act_number",
    "contacts": "inn, kind, value",
    "foreign_agents": "inn, details",
    "disqualifications": "inn, person_name, birth_date, started_on",
    "related_companies": "inn, block, coalesce(related_inn, related_ogrn, related_name), role",
    "headcounts": "inn, block, year, as_of",
    "people": "inn, role, coalesce(person_inn, upper(person_name))",
    "events": "inn, happened_on, kind, event, number",
    "news": "news_id",
    "links": "inn, other_inn, kind, shared, matched_by, coalesce(via_inn, via)",
    "cross_checks": "inn, check_name, period",
    "changes": "snapshot_id, table_name, row_key, change, column_name",
    "spend": "run_id, method, block",
}


@pytest.fixture(scope="module")
def loaded_warehouse(opening: Callable[[], Warehouse]) -> Warehouse:
    """Full checks on two days, of which ten INNs are silent on the second; people; members never asked."""
    warehouse = opening()
    for day in (0, 30):
        bodies = ResponseCache(0, DAY + day, 1 << 20)
        loud = [inn for inn in INNS if not day or inn not in SILENT]
        load(
            warehouse,
            *(Response("full-check", bodies.body(inn, "full-check").payload, inn) for inn in loud),
            start=10 * day,
        )
    bodies = ResponseCache(0, DAY, 1 << 20)
    methods = ("person-brief", "person-fssp", "person-arbitration", "person-bankruptcy")
    answers = [Response(method, bodies.body(inn, method).payload, inn) for inn in PERSONS for method in methods]
    load(warehouse, *answers, *(full_check_response(inn, {}) for inn in SILENT), start=1000)
    load(
        warehouse,
        *(block_response(block, (BODIES / f"{block}.full.json").read_bytes()) for block in BLOCKS),
        start=2000,
    )
    warehouse.connection.execute(
        "INSERT INTO lineage.calls (call_id, run_id, inn, method, expected_rub, charged_rub, state, reserved_at) "
        "SELECT call_id, run_id, inn, method, 18, 18, 'settled', asked_at FROM lineage.responses"
    )
    add_members(warehouse, *EVERYONE)
    add_members(warehouse, *EVERYONE[:5], portfolio="q")
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    return warehouse


def test_every_mart_has_keys() -> None:
    assert set(KEYS) == set(mart_comments())


@pytest.mark.parametrize("mart", KEYS)
def test_keys_are_unique(loaded_warehouse: Warehouse, mart: str) -> None:
    keys = KEYS[mart]
    total, distinct = rows(
        loaded_warehouse,
        f"SELECT count(*), (SELECT count(*) FROM (SELECT DISTINCT {keys} FROM mart.{mart})) FROM mart.{mart}",
    )[0]
    assert total == distinct
    assert total


@pytest.mark.parametrize("mart", KEYS)
def test_every_column_has_a_comment(loaded_warehouse: Warehouse, mart: str) -> None:
    comment, columns = mart_comments()[mart]
    there = rows(
        loaded_warehouse,
        "SELECT column_name, comment FROM duckdb_columns() WHERE schema_name = 'mart' AND table_name = ? "
        "ORDER BY column_index",
        mart,
    )
    assert there == list(columns.items())
    assert comment.endswith(".")
    assert all(text.endswith(".") for text in columns.values())


def test_marts_match_the_current_tables(loaded_warehouse: Warehouse) -> None:
    for mart, tables in {
        "enforcement": ["fssp__proceedings"],
        "state_contracts": ["contracts__contracts"],
        "litigation": ["arbitration__cases", "general_courts__cases"],
    }.items():
        expected = sum(rows(loaded_warehouse, f"SELECT count(*) FROM current.{table}")[0][0] for table in tables)
        assert rows(loaded_warehouse, f"SELECT count(*) FROM mart.{mart}") == [(expected,)], mart
        assert expected
    years = rows(loaded_warehouse, "SELECT DISTINCT inn, year FROM current.financial__indicators ORDER BY ALL")
    assert rows(loaded_warehouse, "SELECT inn, year FROM mart.financials ORDER BY ALL") == years


def test_profile_has_one_row_per_inn(loaded_warehouse: Warehouse) -> None:
    assert rows(loaded_warehouse, "SELECT inn FROM mart.company_profile ORDER BY inn") == [
        (inn,) for inn in sorted(EVERYONE)
    ]
    assert rows(loaded_warehouse, "SELECT inn FROM mart.risk_score ORDER BY inn") == [
        (inn,) for inn in sorted(EVERYONE)
    ]
    expected = sum(len(inn) in rule.digits for inn in EVERYONE for rule in RULES)
    assert rows(loaded_warehouse, "SELECT count(*) FROM mart.risk_signals") == [(expected,)]


def test_scores_add_up(loaded_warehouse: Warehouse) -> None:
    wrong = rows(
        loaded_warehouse,
        'SELECT inn FROM (SELECT inn, sum(known) AS score, sum(most) AS most, sum(n) AS n FROM (SELECT inn, "group", '
        "coalesce(max(weight) FILTER (state = 'present'), 0) AS known, count(*) AS n, "
        "coalesce(max(weight) FILTER (state IN ('present', 'unknown', 'never requested')), 0) AS most "
        'FROM mart.risk_signals GROUP BY inn, "group") GROUP BY inn) s JOIN mart.risk_score r USING (inn) '
        "WHERE s.score <> r.score OR s.most <> r.score_at_most OR r.score_confirmed > r.score "
        "OR s.n <> r.present + r.absent + r.unknown + r.never_requested + r.not_offered",
    )
    assert wrong == []


def test_money_adds_up(loaded_warehouse: Warehouse) -> None:
    query = "SELECT (SELECT sum(charged_rub) FROM mart.spend), (SELECT sum(charged_rub) FROM lineage.calls)"
    ((spent, charged),) = rows(loaded_warehouse, query)
    assert spent == charged > 0


def test_signal_state_follows_the_coverage_of_its_block(loaded_warehouse: Warehouse) -> None:
    found = rows(
        loaded_warehouse,
        "SELECT DISTINCT s.state, c.state FROM mart.risk_signals s JOIN mart.coverage c ON c.inn = s.inn "
        "AND c.block = s.block AND c.portfolio = 'p'",
    )
    for state, answer in found:
        if state == "absent":
            assert answer in ("found", "clean")
        assert (state == "never requested") == (answer == "never asked")
    silent = rows(
        loaded_warehouse,
        "SELECT DISTINCT state, confirmed FROM mart.risk_signals WHERE inn IN (SELECT unnest(?))",
        SILENT,
    )
    assert set(silent) == {("present", False), ("unknown", False)}


def test_block_counts_match_the_coverage(loaded_warehouse: Warehouse) -> None:
    counted = rows(
        loaded_warehouse,
        "SELECT inn, count(*), count(*) FILTER (state IN ('found', 'clean', 'partial')), "
        "count(*) FILTER (state = 'never asked') FROM mart.coverage WHERE portfolio = 'p' GROUP BY inn ORDER BY inn",
    )
    told = rows(
        loaded_warehouse,
        "SELECT inn, blocks_askable, blocks_confirmed, blocks_never_asked FROM mart.company_profile ORDER BY inn",
    )
    assert told == counted
    assert all(row[1] == len(available_blocks(len(row[0]))) for row in told)


@pytest.mark.long
def test_profile_matches_the_current_tables(loaded_warehouse: Warehouse) -> None:
    pairs = {"active_debt_rub": ("fssp", "t.active_debt_rub"), "tax_debt_rub": ("tax_debts", "t.total_sum"),
             "cases": ("arbitration", "t.total_cases"), "pledges": ("pledges", "t.total_pledges"),
             "status": ("company", "t.status")}  # fmt: skip
    for column, (table, value) in pairs.items():
        wrong = rows(
            loaded_warehouse,
            f"SELECT p.inn FROM mart.company_profile p LEFT JOIN current.{table} t USING (inn) "
            f"WHERE p.{column} IS DISTINCT FROM {value}",
        )
        assert wrong == [], column


def test_dictionary_has_every_column_and_rule(loaded_warehouse: Warehouse) -> None:
    text = data_dictionary()
    for mart in KEYS:
        section = text.partition(f"### mart.{mart}\n")[2].partition("\n#")[0]
        for column, kind in rows(
            loaded_warehouse,
            "SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = 'mart' AND table_name = ?",
            mart,
        ):
            assert f"| `{column}` | {kind} |" in section, (mart, column)
    for rule in RULES:
        policy = load_policies(None).default.rules[rule.signal]
        assert f"| `{rule.signal}` | {policy.title} | {rule.condition} | {policy.severity} | {policy.weight} |" in text


def test_blocks_of_a_mart_are_those_that_it_reads():
    blocks = mart_blocks()
    assert blocks["taxes"] == {"company", "tax_debts", "tax_offences"}
    assert not blocks.keys() & {"changes", "news", "coverage", "company_profile", "links", "spend"}
    for name, query in mart_queries().items():
        if name in blocks:
            conditions = re.findall(r"(?:(?:evidence|states)\s+WHERE |k\.)block (?:= '\w+'|IN \([^)]+)", query)
            named = set(re.findall(r"'(\w+)'", " ".join(conditions))) & BLOCKS.keys()
            assert named, name
            # The name of each INN is read from its card.
            assert named - {"company"} <= blocks[name], name
            assert blocks[name] <= named, name


def test_every_mart_declares_what_it_depends_on():
    dependencies = mart_dependencies()
    assert set(dependencies) == set(mart_comments())
    of_inn = {name for name, dependency in dependencies.items() if dependency is Dependency.INN}
    assert {"litigation", "financials", "changes"} <= of_inn
    for name in of_inn:
        assert "inn" in mart_comments()[name][1], name
        assert "now()" not in mart_queries()[name], name
        assert "lineage.policies" not in mart_queries()[name], name


def test_marts_declare_what_moves_with_requests():
    moving, comments = mart_moving_columns(), mart_comments()
    assert {name for name, query in mart_queries().items() if "-- moves with" in query} == moving.keys()
    assert {"taxes", "coverage", "risk_signals", "company_profile", "cross_checks", "people"} <= moving.keys()
    for name, declared in moving.items():
        columns = comments[name][1].keys()
        assert {*declared.columns, *declared.keys} <= columns, name
        times = {column for column in columns if column in {"checked_at", "collected_at", "source_date"}}
        assert times <= set(declared.columns), name
        assert not declared.are_together or mart_blocks()[name], name
        assert mart_dependencies()[name].is_of_one_inn or name == "risk_signals", name
