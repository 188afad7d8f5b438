"""Stale evidence: mart.coverage, mart.risk_score and mart.company_profile call the same blocks stale, on any day."""

from collections import defaultdict
from datetime import timedelta
from pathlib import Path

import pytest

from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.schemas.states import EVIDENCE, sql_list
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_store import store_policies
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import INN, Response

COMPANIES = sample_inns(12, 71)
STRICT = sample_inns(4, 72)
"""Members that a policy with a shorter limit judges."""
PERSONS = sample_inns(3, 73, persons=1.0)
(NEVER,) = sample_inns(1, 74)
DAYS_LATER = (0, 2, 8, 36, 91, 401, 1000)
POLICY = '[policies.strict]\ntags = ["strict"]\nage_days.fssp = 1\nsource_age_days.tax_debts = 1\n'


@pytest.fixture(scope="module")
def checked(opening, tmp_path_factory) -> Warehouse:
    """Members of two portfolios and two policies; a second answer is silent about the freezes of some."""
    warehouse = opening()
    path = Path(tmp_path_factory.mktemp("policy") / "risk.toml")
    path.write_text(built_in_file().read_text("utf-8") + POLICY, "utf-8")
    store_policies(warehouse.connection, load_policies(path))
    bodies = ResponseCache(0, START.toordinal(), 1 << 20)
    asked = [(inn, "full-check") for inn in (*COMPANIES, *STRICT)]
    asked += [(inn, method) for inn in PERSONS for method in ("person-fssp", "person-bankruptcy")]
    load(warehouse, *(Response(method, bodies.body(inn, method).payload, inn) for inn, method in asked))
    old = {"snapshot_date": f"{START - timedelta(days=500):%Y%m%d}"}
    silent = {key: value for key, value in all_blocks(tax_debts=old).items() if key != KEYS["freezes"]}
    load(warehouse, full_check_response(INN, all_blocks(tax_debts=old)), start=1)
    load(warehouse, full_check_response(INN, silent), start=2)
    add_members(warehouse, *COMPANIES, *PERSONS, INN, NEVER)
    add_members(warehouse, *STRICT, portfolio="strict", tags="STRICT; other")
    add_members(warehouse, *COMPANIES[:3], portfolio="strict")
    return warehouse


@pytest.fixture(params=DAYS_LATER)
def judged(checked, request):
    """The same warehouse judged some days later."""
    moment = f"{START + timedelta(days=request.param):%Y-%m-%d %H:%M:%S}"
    checked.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{moment}'")
    yield checked
    checked.connection.execute("RESET VARIABLE assessed_at")


def test_coverage_agrees_with_the_score(judged):
    stale, coverage = defaultdict(set), rows(judged, "SELECT portfolio, inn, block, stale FROM mart.coverage")
    for portfolio, inn, block, is_stale in coverage:
        if is_stale:
            stale[portfolio, inn].add(block)
    blocks = dict(rows(judged, "SELECT inn, stale_blocks FROM mart.risk_score"))
    members = {(portfolio, inn) for portfolio, inn, *_ in coverage}
    assert {member: stale[member] for member in members} == {member: set(blocks[member[1]]) for member in members}
    assert dict(rows(judged, "SELECT inn, stale_blocks FROM mart.company_profile")) == blocks


def test_nothing_known_is_never_stale(judged):
    assert rows(judged, "SELECT DISTINCT known_since IS NULL, stale IS NULL FROM mart.coverage ORDER BY ALL") == [
        (False, False),
        (True, True),
    ]


def test_blocks_stale_counts_the_latest_responses(judged):
    counted = (
        f"SELECT inn, count(*) FILTER (stale AND state IN {sql_list(EVIDENCE)}) FROM mart.coverage WHERE portfolio = 'p' "
        "GROUP BY inn ORDER BY inn"
    )
    profile = "SELECT inn, blocks_stale FROM mart.company_profile WHERE list_contains(portfolios, 'p') ORDER BY inn"
    assert rows(judged, profile) == rows(judged, counted)


@pytest.mark.long
def test_no_signal_of_a_stale_block_is_absent(judged):
    signals = "SELECT DISTINCT s.state FROM mart.risk_signals s JOIN mart.coverage c USING (inn, block) WHERE c.stale"
    assert {state for (state,) in rows(judged, signals)} <= {"present", "unknown"}
    reasons = (
        "SELECT count(*) FROM mart.risk_signals s JOIN mart.coverage c USING (inn, block) "
        "WHERE s.reason = 'stale' AND NOT c.stale"
    )
    assert rows(judged, reasons) == [(0,)]


def test_limits_are_those_of_the_block_and_the_policy(checked):
    def stale(inn, days):
        moment = f"{START + timedelta(days=days):%Y-%m-%d %H:%M:%S}"
        checked.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{moment}'")
        try:
            found = rows(checked, "SELECT DISTINCT block FROM mart.coverage WHERE inn = ? AND stale", inn)
        finally:
            checked.connection.execute("RESET VARIABLE assessed_at")
        return {block for (block,) in found}

    assert stale(INN, 1) == {"tax_debts"}
    # The latest response is silent about freezes; what an earlier one showed is stale all the same.
    assert stale(INN, 8) == {"tax_debts", "freezes"}
    assert {"fssp", "company"} & stale(INN, 36) == {"fssp"}
    assert "company" in stale(INN, 91)
    assert "fssp" in stale(STRICT[0], 2)
    assert stale(NEVER, 1000) == set()
