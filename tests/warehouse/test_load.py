"""Answers into the tables: all of a batch or nothing, and what is current, what was, and what is fresh."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from threading import Event

import duckdb
import polars as pl
import pytest

from innspect.flows.load import load_batch
from innspect.flows.load import load_responses as load_sealed
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.schemas.errors import WarehouseError
from innspect.schemas.frames import LATEST_SNAPSHOTS
from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import tables
from innspect.transforms.pipeline import transform
from innspect.transforms.split import split_responses
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.latest_responses import latest_rows
from innspect.warehouse.load.load import insert_batch as load_part
from innspect.warehouse.load.load import loaded_response_files
from innspect.warehouse.load.lookups import latest_snapshots
from tests.support.builders import (
    CONVENTIONS,
    FULL_CHECK_KEYS,
    INN,
    MOSCOW,
    SORTS,
    Response,
    full_check_body,
    load_responses,
    response_frame,
    version_responses,
)
from tests.support.golden import golden_response

ITEM = {
    "decision_date": "09.10.2026",
    "decision_num": "17",
    "bik": "044500017",
    "bank": "Б",
    "authority": "",
    "code": "01",
}
FROZEN = {"available": True, "found": True, "count": 1, "items": [ITEM]}
FREE = {"available": True, "found": False, "count": 0, "items": []}
SILENT = {"available": False, "items": []}


def counts(warehouse: Warehouse) -> dict[str, int]:
    names = [f"core.{name}" for name in tables()] + [f"lineage.{name}" for name in LINEAGE]
    return {name: int(warehouse.query(f"SELECT count(*) n FROM {name}")["n"][0]) for name in names}


def test_every_row_of_every_body_is_loaded(warehouse: Warehouse) -> None:
    inns = [f"77{number:08}" for number in range(3)]
    expected: dict[str, int] = {}
    answers: list[Response] = []
    for inn, sort in zip(inns, SORTS, strict=True):
        for block in BLOCKS:
            one = golden_response(block, sort)
            body = one.body.replace(INN.encode(), inn.encode())
            answers.append(replace(one, body=body, inn=inn))
            batch = version_responses(answers[-1])
            for name, rows in batch.rows.items():
                if name.split("__")[0] == block:
                    expected[f"core.{name}"] = expected.get(f"core.{name}", 0) + rows.height
    outcome = load_responses(warehouse, *answers)
    there = counts(warehouse)
    assert {name: number for name, number in there.items() if name.startswith("core.") and number} == {
        name: number for name, number in expected.items() if number
    }
    assert there["lineage.responses"] == len(answers)
    assert there["lineage.snapshots"] == outcome.loaded.snapshots == outcome.snapshots.height
    assert there["lineage.versions"] == outcome.loaded.new_versions
    assert outcome.loaded.core_rows == sum(expected.values())
    assert outcome.loaded.changes == 0
    full = {name for name, number in expected.items() if number}
    assert len(full) == len(tables())


def test_values_are_loaded_unchanged(warehouse: Warehouse) -> None:
    record = b'{"revenue":999999999999999.99,"expense":123456789012345.67,"period":"31.12.2024"}'
    name = "a\x00b\U0001f600 'x' \"y\""
    card = {"name": name, "ogrn": "1230000000017", "connections_graph": {"b": [1.5], "a": None}}
    load_responses(warehouse, Response("revexp", b'{"record":%s,"status":"idle"}' % record), Response("brief", card))
    row = warehouse.connection.execute("SELECT revenue, expense, period FROM current.revexp").fetchone()
    assert row is not None
    assert [str(cell) for cell in row] == ["999999999999999.99", "123456789012345.67", "2024-12-31"]
    kept = warehouse.connection.execute("SELECT name, connections_graph FROM current.company").fetchone()
    assert kept == (name, '{"a":null,"b":[1.5]}')


@pytest.mark.parametrize("depth", [50, 600])
def test_deeply_nested_json_loads(warehouse: Warehouse, depth: int) -> None:
    deep = b"[" * depth + b"1" + b"]" * depth
    load_responses(
        warehouse,
        Response("brief", b'{"ogrn":"1230000000017","connections_graph":%s}' % deep),
        Response("contacts", b'{"a":%s}' % deep),
        Response(
            "fssp", b'{"total_proceedings":1,"proceedings":[{"exe_production":"","subject":%s},%s]}' % (deep, deep)
        ),
    )
    states = warehouse.query("SELECT block, state FROM lineage.snapshots ORDER BY block").rows()
    assert states == [("company", "found"), ("contacts", "found"), ("fssp", "partial")]


def test_batch_with_a_lost_row_is_not_loaded(warehouse: Warehouse) -> None:
    before = counts(warehouse)
    batch = transform(
        split_responses(response_frame([Response("freezes", FROZEN), Response("freezes", FREE, inn="7700000017")])),
        MOSCOW,
    )
    batch.rows["freezes__items"] = batch.rows["freezes__items"].clear()
    with pytest.raises(WarehouseError) as refused, warehouse.transaction():
        load_batch(warehouse, batch)
    assert refused.value.facts["table_name"] == "freezes__items"
    assert counts(warehouse) == before


def test_failed_load_is_rolled_back(warehouse: Warehouse) -> None:
    before = counts(warehouse)
    batch = version_responses(Response("freezes", FROZEN))
    wrong = pl.DataFrame({name: ["x"] for name in LINEAGE["changes"].schema() if name != "severity"})
    with pytest.raises(pl.exceptions.PolarsError), warehouse.transaction():
        load_part(warehouse, batch, latest_rows(warehouse, batch.snapshots), wrong)
    assert counts(warehouse) == before


def test_unchanged_recheck_adds_only_a_snapshot(warehouse: Warehouse) -> None:
    load_responses(warehouse, Response("freezes", FROZEN))
    before = counts(warehouse)
    again = load_responses(warehouse, Response("freezes", FROZEN), start=1)
    grown = {name: number - before[name] for name, number in counts(warehouse).items() if number != before[name]}
    assert grown == {"lineage.responses": 1, "lineage.snapshots": 1}
    assert (again.loaded.new_versions, again.loaded.unchanged, again.loaded.core_rows) == (0, 1, 0)
    seen = warehouse.query("SELECT first_seen_at, last_seen_at FROM lineage.versions").row(0)
    assert seen == (datetime(2026, 11, 20, 10), datetime(2026, 11, 20, 11))


def test_version_that_occurs_twice_in_a_batch_is_written_once(warehouse: Warehouse) -> None:
    outcome = load_responses(warehouse, Response("freezes", FROZEN), Response("freezes", FROZEN))
    assert (outcome.loaded.new_versions, outcome.loaded.unchanged) == (1, 1)
    assert counts(warehouse)["core.freezes__items"] == 1


@pytest.mark.parametrize("silence", [SILENT, b"<html>", {"available": True, "items": "x", "count": 0}])
def test_response_without_evidence_keeps_the_known_version(warehouse: Warehouse, silence: object) -> None:
    load_responses(warehouse, Response("freezes", FROZEN))
    load_responses(warehouse, Response("freezes", silence), start=1)
    row = warehouse.query("SELECT found, count, checked_at FROM current.freezes").row(0)
    assert row == (True, 1, datetime(2026, 11, 20, 10))
    assert warehouse.query("SELECT count(*) n FROM current.freezes__items")["n"][0] == 1
    assert warehouse.query("SELECT count(*) n FROM lineage.changes")["n"][0] == 0


def test_as_of_returns_what_was_known_then(warehouse: Warehouse) -> None:
    for start, body in enumerate((FROZEN, SILENT, FREE, FROZEN)):
        load_responses(warehouse, Response("freezes", body), start=start)
    at = {
        "09:59": [],
        "10:00": [(True, "10:00")],
        "11:30": [(True, "10:00")],
        "12:00": [(False, "12:00")],
        "12:59": [(False, "12:00")],
        "14:00": [(True, "13:00")],
    }
    for clock, expected in at.items():
        got = warehouse.query(
            f"SELECT found, strftime(checked_at, '%H:%M') FROM as_of.freezes(TIMESTAMP '2026-11-20 {clock}:00')"
        ).rows()
        assert got == expected, clock
    items = "SELECT count(*) n FROM as_of.freezes__items(TIMESTAMP '2026-11-20 {}:00')"
    assert [warehouse.query(items.format(clock))["n"][0] for clock in ("10:30", "12:30", "13:30")] == [1, 0, 1]
    now = warehouse.query("SELECT found, strftime(checked_at, '%H:%M') FROM current.freezes").rows()
    assert now == [(True, "13:00")]
    assert warehouse.query("SELECT count(*) n FROM lineage.versions")["n"][0] == 2


def test_every_view_and_macro_can_be_queried(warehouse: Warehouse) -> None:
    for name in tables():
        warehouse.query(f'SELECT * FROM current."{name}"')
        warehouse.query(f"SELECT * FROM as_of.\"{name}\"(TIMESTAMP '2026-11-20')")


def test_queries_of_the_planner(warehouse: Warehouse) -> None:
    load_responses(
        warehouse, Response("freezes", FROZEN), Response("rnp", b"x", status=500), Response("freezes", SILENT)
    )
    load_responses(warehouse, Response("freezes", FROZEN, inn="7700000017"), start=3)
    known = latest_snapshots(warehouse, pl.DataFrame({"inn": [INN]})).sort("block")
    assert known.schema == pl.Schema(LATEST_SNAPSHOTS)
    assert known.select("block", "state", "reason").rows() == [
        ("freezes", "unconfirmed", "not_available"),
        ("rnp", "failed", "http_500"),
    ]
    assert known["asked_at"].to_list() == [datetime(2026, 11, 20, 12), datetime(2026, 11, 20, 11)]


def test_loaded_files_are_listed(warehouse: Warehouse) -> None:
    assert loaded_response_files(warehouse) == set()
    load_responses(warehouse, Response("freezes", FROZEN))
    assert loaded_response_files(warehouse) == {"answers/test.parquet"}


def test_drift_counts_are_summed_over_loads(warehouse: Warehouse) -> None:
    load_responses(warehouse, Response("freezes", {**FROZEN, "new": "b"}), start=5)
    load_responses(warehouse, Response("freezes", {**FROZEN, "new": "a"}), Response("freezes", {**FROZEN, "new": "c"}))
    row = warehouse.query(
        "SELECT sample, occurrences, hour(first_seen_at), hour(last_seen_at) FROM lineage.drift"
    ).rows()
    assert row == [("a", 3, 10, 15)]


def test_issues_have_their_snapshot(warehouse: Warehouse) -> None:
    load_responses(
        warehouse, Response("freezes", {**FROZEN, "items": [ITEM, {**ITEM, "decision_num": "18", "bik": "1"}, "x"]})
    )
    found = warehouse.query(
        "SELECT s.block, v.table_name, v.row_path, v.column_name, v.rule, v.value "
        "FROM lineage.violations v JOIN lineage.snapshots s USING (snapshot_id)"
    ).rows()
    assert found == [("freezes", "freezes__items", "$.items[1]", "bik", "pattern", "1")]
    apart = warehouse.query(
        "SELECT q.table_name, q.row_path, q.rule, q.row FROM lineage.quarantine q "
        "JOIN lineage.snapshots s USING (snapshot_id)"
    ).rows()
    assert apart == [("freezes__items", "$.items[2]", "not_an_object", '"x"')]


def test_full_check_gives_one_snapshot_per_block(warehouse: Warehouse) -> None:
    load_responses(warehouse, Response(FULL_CHECK, full_check_body({"freezes": FROZEN}, ["rnp"])))
    states = dict(warehouse.query("SELECT block, state FROM lineage.snapshots").rows())
    assert len(states) == len(FULL_CHECK_KEYS)
    assert (states["freezes"], states["rnp"], states["company"]) == ("found", "clean", "missing")


def test_file_can_be_reopened(warehouse: Warehouse, tmp_path: Path) -> None:
    load_responses(warehouse, Response("freezes", FROZEN))
    before = counts(warehouse)
    warehouse.close()
    with Warehouse(tmp_path / "warehouse.duckdb", read_only=True) as opened:
        assert counts(opened) == before


def everything(warehouse: Warehouse) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, in an order of their own."""
    names = [f"core.{name}" for name in tables()] + [f"lineage.{name}" for name in LINEAGE]
    return {name: sorted(warehouse.query(f"SELECT * FROM {name}").rows(), key=repr) for name in names}


@pytest.mark.long
def test_batching_makes_no_difference(warehouse: Warehouse, tmp_path: Path) -> None:
    reserved = {"exe_production": "1", "document_type": "Акт", "doc_type": "Лист"}
    answers = [
        Response("freezes", FROZEN),
        Response("freezes", {**FREE, "new": 1}),
        Response("fssp", {"total_proceedings": 1, "proceedings": [reserved], "sources_failed": ["a"]}),
        Response(
            FULL_CHECK,
            full_check_body({"freezes": FROZEN, "fssp": {"proceedings": [{**reserved, "sum": 5}, {}]}}, ["rnp"]),
        ),
        Response("freezes", {**FROZEN, "new": 2, "items": [{**ITEM, "bik": "x"}, 5], "count": 30}),
        Response("brief", {"name": "x", "status": "odd"}),
        Response("brief", {"name": "x", "status": "even", "kpp": 5}),
        Response("rnp", SILENT),
    ]
    load_responses(warehouse, *answers)
    with Warehouse(tmp_path / "other.duckdb") as other:
        for start, one in enumerate(answers):
            load_responses(other, one, start=start)
        assert everything(other) == everything(warehouse)


def test_spill_files_of_a_killed_process_are_removed_at_opening(create_empty_warehouse, tmp_path):
    path = create_empty_warehouse(tmp_path / "warehouse.duckdb")
    with Warehouse(path) as warehouse:
        (folder,) = warehouse.connection.execute("SELECT current_setting('temp_directory')").fetchall()[0]
    left = Path(folder) / "duckdb_temp_storage_DEFAULT-0.tmp"
    left.parent.mkdir()
    left.write_bytes(b"rows")
    with Warehouse(path, read_only=True):
        assert left.exists()
    with Warehouse(path):
        assert not left.parent.exists()


def test_interruption_between_any_two_steps_leaves_nothing_of_the_load(warehouse: Warehouse) -> None:
    frame = response_frame([Response("freezes", FROZEN)])
    steps = count(1)

    def interrupt_at(number: int) -> Callable[[], None]:
        """A check that raises KeyError when it is called for the nth time."""
        checks = count(1)

        def check() -> None:
            next(steps)
            if next(checks) == number:
                raise KeyError

        return check

    load_sealed(warehouse, frame.clear(), CONVENTIONS, check_interruption=interrupt_at(0))
    without_block = next(steps) - 1
    for number in range(1, without_block + 4):
        with pytest.raises(KeyError):
            load_sealed(warehouse, frame, CONVENTIONS, check_interruption=interrupt_at(number))
        assert sum(counts(warehouse)[f"lineage.{name}"] for name in ("responses", "snapshots", "versions")) == 0
    assert load_sealed(warehouse, frame, CONVENTIONS).loaded.core_rows == 2


def test_interruption_leaves_no_registered_name(warehouse: Warehouse) -> None:
    has_ended = Event()

    def interrupt_all_the_time() -> None:
        while not has_ended.wait(0.0001):
            warehouse.interrupt()

    frame = pl.DataFrame({"number": [1]})
    with ThreadPoolExecutor() as threads:
        interrupting = threads.submit(interrupt_all_the_time)
        try:
            for _ in range(500):
                with suppress(duckdb.InterruptException), warehouse.register(first=frame, second=frame):
                    assert warehouse.query("FROM first POSITIONAL JOIN second").height == 1
        finally:
            has_ended.set()
        interrupting.result()
    assert warehouse.query("SELECT view_name FROM duckdb_views() WHERE view_name IN ('first', 'second')").is_empty()
