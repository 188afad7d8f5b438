"""The table of the latest is, whatever is loaded in whatever order, what the snapshots say."""

from datetime import datetime, timedelta

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from innspect.schemas.lineage import SNAPSHOTS
from innspect.warehouse import latest
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import LATEST
from innspect.warehouse.latest import UNANSWERED_TABLE, latest_attempts, latest_query, unanswered_query
from innspect.warehouse.load.latest_responses import latest_rows, update_latest
from innspect.warehouse.load.load import append_rows
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy
from innspect.warehouse.publish.exclude import Exclusion, parse_exclusion
from tests.support.builders import INN, Response, load_record, load_responses, lose_call

DAY = datetime(2026, 11, 1)
BROUGHT = st.tuples(
    st.sampled_from(["7700000017", "7700000024"]),
    st.sampled_from(["company", "fssp"]),
    st.integers(0, 3),
    st.sampled_from(["found", "clean", "partial", "unconfirmed", "failed"]),
    st.sampled_from(["v1", "v2"]),
)
"""INN, block, hour, state, and the version where the state has one: hours are the same often, and go back and forth."""


def snapshots(rows: list[tuple[str, str, int, str, str]], start: int) -> pl.DataFrame:
    made = [
        {
            "snapshot_id": f"{(7 * number) % 100:03}",
            "inn": inn,
            "block": block,
            "method": f"by {number}",
            "asked_at": DAY + timedelta(hours=hour),
            "collected_at": DAY + timedelta(hours=hour, minutes=number),
            "state": state,
            "reason": None if state in ("found", "clean") else f"why {number}",
            "version_id": f"{inn}-{block}-{version}" if state in ("found", "clean", "partial") else None,
        }
        for number, (inn, block, hour, state, version) in enumerate(rows, start)
    ]
    kinds = SNAPSHOTS.schema()
    return pl.DataFrame(made, schema={name: kinds[name] for name in made[0]}).select(
        *(pl.col(name) if name in made[0] else pl.lit(None, kind).alias(name) for name, kind in kinds.items())
    )


def differing(warehouse: Warehouse) -> list[tuple[object, ...]]:
    names = ", ".join(warehouse.query(f"SELECT * FROM lineage.{LATEST} LIMIT 0").columns)
    kept, told = f"SELECT {names} FROM lineage.{LATEST}", f"SELECT {names} FROM ({latest_query()})"
    return warehouse.query(f"({kept} EXCEPT ALL {told}) UNION ALL ({told} EXCEPT ALL {kept})").rows()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(loads=st.lists(st.lists(BROUGHT, min_size=1, max_size=6), min_size=1, max_size=5))
@pytest.mark.long
def test_latest_table_matches_the_snapshots_after_every_load(warehouse, loads):
    for table in ("snapshots", LATEST):
        warehouse.connection.execute(f"DELETE FROM lineage.{table}")
    start = 0
    for rows in loads:
        frame = snapshots(rows, start)
        start += len(rows)
        with warehouse.transaction():
            append_rows(warehouse, SNAPSHOTS, frame)
            update_latest(warehouse, frame, latest_rows(warehouse, frame))
        assert differing(warehouse) == []
    pairs = {(inn, block) for rows in loads for inn, block, *_ in rows}
    assert warehouse.query(f"SELECT count(*) FROM lineage.{LATEST}").item() == len(pairs)


@pytest.mark.long
@pytest.mark.parametrize("max_snapshots", [latest.MAX_SNAPSHOTS, 1])
def test_latest_table_is_refilled_after_a_load_by_another_version(warehouse, monkeypatch, max_snapshots):
    monkeypatch.setattr(latest, "MAX_SNAPSHOTS", max_snapshots)
    load_responses(warehouse, Response("brief", {"inn": INN, "name": "A"}))
    lose_call(warehouse, INN, "rnp", DAY)
    with warehouse.transaction() as connection:
        append_rows(warehouse, SNAPSHOTS, snapshots([("7700000017", "fssp", 1, "found", "v1")], 50))
        connection.execute(f"DELETE FROM {UNANSWERED_TABLE}")
        connection.execute(f"UPDATE lineage.{FINGERPRINT_TABLE} SET fingerprint = 'of other software'")
    assert differing(warehouse)
    warehouse.close()
    with Warehouse(warehouse.path) as opened:
        assert differing(opened) == []
        assert opened.query(f"SELECT count(*) FROM lineage.{LATEST}").item() == 2
        assert opened.query(f"SELECT call_id FROM {UNANSWERED_TABLE}")["call_id"].to_list() == ["lost"]
        # What is kept goes on being kept.
        load_responses(opened, Response("brief", {"inn": INN, "name": "B"}, asked_at=DAY + timedelta(days=300)))
        assert differing(opened) == []


@pytest.mark.long
def test_published_copy_has_the_latest_table_without_excluded_blocks(warehouse, tmp_path):
    load_responses(warehouse, Response("brief", {"inn": INN, "name": "A"}), Response("fssp", b"no JSON"))
    stamp = CopyInfo(DAY, "1.0+abc")
    for name, out in (("whole", Exclusion()), ("less", parse_exclusion(["lineage.snapshots.reason", "mart.spend"]))):
        build_copy(warehouse, tmp_path / f"{name}.duckdb", out, stamp)
    here = warehouse.query(f"SELECT * FROM lineage.{LATEST} ORDER BY ALL")
    assert here["reason"].null_count() < here.height == 2
    found: dict[str, pl.DataFrame] = {}
    for name in ("whole", "less"):
        with duckdb.connect(tmp_path / f"{name}.duckdb", read_only=True) as copy:
            found[name] = copy.sql(f"SELECT * FROM lineage.{LATEST} ORDER BY ALL").pl()
            assert copy.sql("SELECT name FROM current.company").fetchall() == [("A",)]
    assert found["whole"].equals(here)
    assert found["less"]["reason"].null_count() == 2
    assert found["less"].drop("reason").equals(here.drop("reason"))


def test_unanswered_calls_are_those_of_unknown_outcome_without_a_response(warehouse):
    def unanswered() -> list[str]:
        stored = warehouse.query(f"SELECT * FROM {UNANSWERED_TABLE} ORDER BY call_id")
        assert stored.equals(warehouse.query(f"{unanswered_query()} ORDER BY call_id"))
        return stored["call_id"].to_list()

    load_responses(warehouse, Response("brief", {"inn": INN, "name": "A"}))
    (answered,) = warehouse.query("SELECT call_id FROM lineage.responses")["call_id"]
    lose_call(warehouse, INN, "brief", DAY, call_id=answered)
    assert unanswered() == []
    lose_call(warehouse, INN, "fssp", DAY, call_id="call-b", reason="cut")
    lose_call(warehouse, INN, "fssp", DAY, call_id="call-c")
    assert unanswered() == ["call-b", "call-c"]
    lose_call(warehouse, INN, "fssp", DAY + timedelta(hours=1), call_id="call-b")
    assert unanswered() == ["call-b", "call-c"]
    settled = {"call_id": "call-b", "run_id": "r", "inn": INN, "method": "fssp", "state": "settled"}
    load_record(warehouse, "calls", settled)
    assert unanswered() == ["call-c"]
    load_responses(warehouse, Response("fssp", {"inn": INN}, name="c"))
    assert unanswered() == [], "its response was found later"


def test_call_without_response_is_latest_only_if_it_is_newer(warehouse):
    load_responses(warehouse, Response("brief", {"inn": INN, "name": "A"}, asked_at=DAY))
    before, after = DAY - timedelta(hours=1), DAY + timedelta(hours=1)
    for name, method in (("c1", "brief"), ("c2", "fssp")):
        lose_call(warehouse, INN, method, before, call_id=name, reason="cut")
    query = f"SELECT block, state, reason, asked_at, snapshot_id IS NULL, version_id IS NULL FROM ({latest_attempts()})"
    silent = ("fssp", "failed", "cut", before, True, True)
    assert warehouse.query(f"{query} ORDER BY ALL").rows() == [("company", "found", None, DAY, False, False), silent]
    lose_call(warehouse, INN, "brief", after, call_id="c1", reason="cut")
    later = ("company", "failed", "cut", after, True, False)
    assert warehouse.query(f"{query} ORDER BY ALL").rows() == [later, silent]
