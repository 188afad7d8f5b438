"""`lineage.findings`: what is stored when a version is loaded is what its rules find, and follows the policy."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.schemas.risk_policy.policy_model import Policies
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import block_states, fill_states
from innspect.warehouse.marts.registry import mart_queries, queries_without_findings
from innspect.warehouse.risk.policy_sql import VERSION_RULES
from innspect.warehouse.risk.policy_store import store_policies
from innspect.warehouse.risk.signals import signal_ctes
from innspect.warehouse.risk.version_findings import DAILY_RULES, STORED_RULES, looks_at_day, refresh_findings
from tests.marts.bodies import START, load
from tests.marts.test_risk_rules import first_answers
from tests.support.builders import sandbox_responses

COMPANIES = sample_inns(40, 51)
ROWS = "SELECT * FROM lineage.findings ORDER BY version_id, limits_version, signal"


@pytest.fixture(scope="module")
def known(opening: Callable[[], Warehouse]) -> Warehouse:
    """Every rule present, absent and not known, and companies of the sandbox on three days."""
    warehouse = opening()
    load(warehouse, *first_answers())
    for ago in (40, 20, 1):
        load(warehouse, *sandbox_responses(COMPANIES, (START - timedelta(days=ago)).date()))
    return warehouse


def policies(folder: Path, *replacements: tuple[str, str], addition: str = "") -> Policies:
    text = built_in_file().read_text("utf-8") + addition
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / "risk.toml"
    path.write_text(text, "utf-8")
    return load_policies(path)


def limits(warehouse: Warehouse) -> set[str]:
    return set(warehouse.query("SELECT DISTINCT limits_version FROM lineage.findings")["limits_version"])


def signals(warehouse: Warehouse, *, is_stored: bool) -> pl.DataFrame:
    """Every signal with its facts, without ages."""
    ctes = fill_states(f"WITH {block_states()}, {signal_ctes(is_stored=is_stored)}")
    return warehouse.query(f"{ctes} SELECT * EXCLUDE (age_days, moment) FROM signals ORDER BY inn, signal")


def assert_stored_is_evaluated(warehouse: Warehouse) -> None:
    stored, evaluated = (signals(warehouse, is_stored=is_stored) for is_stored in (True, False))
    assert stored.height > 1000
    assert stored.equals(evaluated)


def test_rules_that_look_at_the_day_are_found_by_their_sql() -> None:
    assert {rule.signal for rule in DAILY_RULES} == {
        "young", "disqualified_persons", "disqualification_expired", "arbitration_claims", "claims_lost_large",
        "litigation_growing", "writs_issued", "statements_missing",
    }  # fmt: skip
    assert {*STORED_RULES, *DAILY_RULES} == set(VERSION_RULES)
    assert not any(looks_at_day(rule) for rule in STORED_RULES)


@pytest.mark.long
@pytest.mark.parametrize("days", [-30, 0, 45, 400])
def test_stored_findings_are_those_evaluated(known: Warehouse, days: int) -> None:
    known.connection.execute("SET VARIABLE assessed_at = ?", [START + timedelta(days=days)])
    try:
        assert_stored_is_evaluated(known)
    finally:
        known.connection.execute("RESET VARIABLE assessed_at")


def test_stored_findings_are_those_computed_for_all_versions_at_once(known: Warehouse) -> None:
    loaded = known.query(ROWS)
    shown = loaded.filter(pl.col("present") | (pl.col("amount") > 0))["signal"].to_list()
    assert {rule.signal for rule in STORED_RULES} - set(shown) <= {"terminated_registrations", "court_accused"}
    with known.transaction():
        refresh_findings(known.connection, recompute=True)
    assert known.query(ROWS).equals(loaded)


def test_limits_without_stored_findings_show_nothing_as_absent(known: Warehouse) -> None:
    known.connection.execute("BEGIN")
    known.connection.execute("DELETE FROM lineage._finding_limits")
    known.connection.execute("DELETE FROM lineage.findings")
    stored = [rule.signal for rule in STORED_RULES]
    states = known.query("SELECT signal, state FROM mart.risk_signals").filter(pl.col("signal").is_in(stored))
    known.connection.execute("ROLLBACK")
    assert not set(states["state"]) & {"present", "absent"}


def test_weights_and_day_limits_keep_the_stored_findings(known: Warehouse, tmp_path: Path) -> None:
    before = known.query(ROWS)
    edited = policies(
        tmp_path,
        ("limits.days = 365\n\n[rules.tiny", "limits.days = 40\n\n[rules.tiny"),
        ("high = 30\n", "high = 35\n"),
    )
    with known.transaction():
        assert store_policies(known.connection, edited)
    assert known.query(ROWS).equals(before)
    assert_stored_is_evaluated(known)


@pytest.mark.long
def test_changed_limit_replaces_the_findings_by_those_of_the_new_limits(known: Warehouse, tmp_path: Path) -> None:
    with known.transaction():
        store_policies(known.connection, load_policies(None))
    before, old = known.query(ROWS), limits(known)
    more = '[policies.own]\ntags = ["key"]\nrules.tiny_capital.limits.amount_rub = 1000000\n'
    with known.transaction():
        store_policies(known.connection, policies(tmp_path, addition=more))
    assert len(limits(known)) == 2
    assert old < limits(known)
    assert_stored_is_evaluated(known)
    kept = known.query(ROWS).filter(pl.col("limits_version").is_in(list(old)))
    assert kept.equals(before)
    (new,) = limits(known) - old
    one = ["version_id", "signal", "present", "evidence"]
    added = known.query(ROWS).filter(pl.col("limits_version") == new).select(one)
    assert set(added.join(before.select(one), on=one, how="anti", nulls_equal=True)["signal"]) == {"tiny_capital"}
    with known.transaction():
        store_policies(known.connection, load_policies(None))
    assert known.query(ROWS).equals(before)


KILLED = """
import os, signal, sys
from pathlib import Path
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_store import store_policies
warehouse = Warehouse(Path(sys.argv[1]))
with warehouse.transaction():
    store_policies(warehouse.connection, load_policies(Path(sys.argv[2])))
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
def test_kill_during_a_policy_edit_keeps_the_old_findings(
    create_empty_warehouse: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = create_empty_warehouse(tmp_path / "warehouse.duckdb")
    with Warehouse(path) as warehouse:
        load(warehouse, *sandbox_responses(COMPANIES[:5], START.date()))
        before = warehouse.query(ROWS)
    edited = policies(tmp_path, addition='[policies.own]\ntags = ["a"]\nrules.tiny_capital.limits.amount_rub = 99\n')
    command = [sys.executable, "-c", KILLED, str(path), edited.file]
    assert subprocess.run(command, check=False).returncode == -9
    with Warehouse(path) as warehouse:
        assert warehouse.query(ROWS).equals(before)
        assert_scores_are_evaluated(warehouse)
        with warehouse.transaction():
            store_policies(warehouse.connection, edited)
        assert len(limits(warehouse)) == 2


def assert_scores_are_evaluated(warehouse: Warehouse) -> None:
    stored, evaluated = (
        warehouse.query(f"SELECT * EXCLUDE (assessed_at) FROM ({queries['risk_score']}) ORDER BY inn")
        for queries in (mart_queries(), queries_without_findings())
    )
    assert stored.equals(evaluated)
