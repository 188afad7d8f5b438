"""Payloads received before with the same bytes are not transformed again; the tables are the same."""

import json
from datetime import date, datetime, timedelta

import polars as pl
import pytest

from innspect.flows import executors
from innspect.flows.load import load_responses, transform_new_payloads
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.decoders import Conventions
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import BLOCK_DIGESTS, LOADS
from tests.support.builders import CONVENTIONS, INN, MOSCOW, Response, full_check_body, response_frame

INNS = sample_inns(8, 5)
LOADED_DAYS = [[0], [0], [30], [0, 30, 30], [30, 0], [0], [60], [60, 0], [60]]
"""For each load the sandbox days of its responses: unchanged ones, changes, and changes back."""
TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name IN ('core', 'lineage') "
    f"AND table_name NOT IN ('{BLOCK_DIGESTS}', '{LOADS}') ORDER BY ALL"
)


def of_day(number: int, offset: int) -> pl.DataFrame:
    """The responses of a day, requested as the number-th of all."""
    bodies = ResponseCache(0, (DEFAULT_DAY + timedelta(days=offset)).toordinal(), 1 << 20)
    asked = datetime.combine(date(2026, 11, 1), datetime.min.time()) + timedelta(days=number)
    answers = [
        Response(method, bodies.body(inn, method).payload, inn, asked_at=asked + timedelta(minutes=place))
        for inn in INNS
        for place, method in enumerate(("full-check", "fssp", "risk-flags"))
    ]
    named = [
        Response(a.method, a.body, a.inn, asked_at=a.asked_at, name=f"{number}-{a.inn}-{a.method}") for a in answers
    ]
    return response_frame(named, file=f"answers/{number}")


def loads() -> list[pl.DataFrame]:
    numbers = iter(range(100))
    return [pl.concat([of_day(next(numbers), offset) for offset in offsets]) for offsets in LOADED_DAYS]


def tables(warehouse: Warehouse) -> dict[str, pl.DataFrame]:
    names = warehouse.query(TABLES).rows()
    return {
        f"{schema}.{name}": warehouse.query(f'SELECT * FROM {schema}."{name}" ORDER BY ALL') for schema, name in names
    }


def stored_digests(warehouse: Warehouse) -> int:
    return int(warehouse.query(f"SELECT count(*) FROM lineage.{BLOCK_DIGESTS}").item())


def find_known_blocks(
    warehouse: Warehouse, answers: pl.DataFrame, conventions: Conventions = CONVENTIONS
) -> dict[str, bool]:
    """By block, whether the payload is known before it is decoded."""
    batch = transform_new_payloads(warehouse, answers, conventions)
    states = batch.snapshots.select("block", "snap", "known_version_id").to_dicts()
    snaps_with_rows = {snap for rows in batch.rows.values() for snap in rows["snap"].to_list()}
    assert not [one for one in states if one["known_version_id"] and one["snap"] in snaps_with_rows]
    return {one["block"]: one["known_version_id"] is not None for one in states}


@pytest.mark.long
def test_reuse_of_unchanged_blocks_gives_the_same_tables(tmp_path, create_empty_warehouse, monkeypatch):
    with Warehouse(create_empty_warehouse(tmp_path / "one.duckdb")) as one:
        results = [load_responses(one, answers, CONVENTIONS) for answers in loads()]
        reused = tables(one)
        assert 0 < stored_digests(one) < reused["lineage.snapshots"].height / 2
    monkeypatch.setattr(executors, "digest_key", lambda _: None)
    with Warehouse(create_empty_warehouse(tmp_path / "two.duckdb")) as two:
        expected = [load_responses(two, answers, CONVENTIONS) for answers in loads()]
        reads = tables(two)
        assert stored_digests(two) == 0
    assert [name for name in reads if not reads[name].equals(reused[name])] == []
    assert [one.loaded for one in results] == [two.loaded for two in expected]
    assert [one.drift for one in results] == [two.drift for two in expected]
    assert reads["lineage.changes"].height > 0
    assert reads["lineage.kept_rows"].height > 0


def brief(**changed: object) -> dict[str, object]:
    """The sandbox's short card of a company, in which nothing is to be reported, with these fields changed."""
    bodies = ResponseCache(0, DEFAULT_DAY.toordinal(), 1 << 20)
    return {**json.loads(bodies.body(INN, "brief").payload), **changed}


def test_unchanged_block_is_reused_and_a_changed_one_transformed(warehouse):
    load_responses(warehouse, first := of_day(0, 0), CONVENTIONS)
    check = first.filter(pl.col("method") == "full-check").head(1)
    again = check.with_columns(pl.lit("again").alias("response_id"))
    is_known = find_known_blocks(warehouse, again)
    assert is_known["company"]
    assert is_known["fssp"]
    other = check["body"][0].replace(b'"short_name":"', b'"short_name":"X')
    changed = again.with_columns(pl.lit(other).alias("body"))
    assert find_known_blocks(warehouse, changed) == {**is_known, "company": False}


def test_block_changed_in_between_is_compared_again(warehouse):
    was, then = brief(name="A"), brief(name="B")
    for number, body in enumerate((was, then)):
        load_responses(
            warehouse, response_frame([Response("brief", body)], file=f"{number}", start=number), CONVENTIONS
        )
    back = response_frame([Response("brief", was)], file="2", start=2)
    assert find_known_blocks(warehouse, back) == {"company": False}
    assert load_responses(warehouse, back, CONVENTIONS).loaded.changes == 1
    once_more = response_frame([Response("brief", was)], file="3", start=3)
    assert find_known_blocks(warehouse, once_more) == {"company": True}
    assert load_responses(warehouse, once_more, CONVENTIONS).loaded.changes == 0
    names = warehouse.query("SELECT old_value, new_value FROM lineage.changes ORDER BY seen_at").rows()
    assert names == [("A", "B"), ("B", "A")]


@pytest.mark.parametrize(
    ("changed", "counted"),
    [
        ({"never_heard_of": 1}, "SELECT sum(occurrences) FROM lineage.drift"),
        ({"registration_date": "31.02.2020"}, "SELECT count(*) FROM lineage.violations"),
    ],
    ids=["drift", "violation"],
)
def test_issues_are_reported_for_every_response(warehouse, changed, counted):
    for number in range(3):
        answers = response_frame([Response("brief", brief(**changed))], file=f"{number}", start=number)
        assert find_known_blocks(warehouse, answers) == {"company": False}
        load_responses(warehouse, answers, CONVENTIONS)
    assert warehouse.query(counted).item() == 3


def test_other_conventions_or_method_reuse_nothing(warehouse):
    load_responses(warehouse, response_frame([Response("brief", brief())]), CONVENTIONS)
    again = response_frame([Response("brief", brief())], file="again", start=1)
    assert find_known_blocks(warehouse, again) == {"company": True}
    assert find_known_blocks(warehouse, again, Conventions("Asia/Yekaterinburg")) == {"company": False}
    assert find_known_blocks(warehouse, again, Conventions(MOSCOW, ("ok", "success"))) == {"company": False}
    assert not find_known_blocks(
        warehouse, response_frame([Response("full-check", full_check_body({"company": brief()}))], start=1)
    )["company"]
    assert find_known_blocks(warehouse, response_frame([Response("brief", brief(), inn="7700000017")], start=1)) == {
        "company": False
    }


def test_other_software_version_reuses_nothing(warehouse, monkeypatch):
    answers = response_frame([Response("brief", brief())])
    load_responses(warehouse, answers, CONVENTIONS)
    assert find_known_blocks(warehouse, answers) == {"company": True}
    executors.digest_key.cache_clear()
    monkeypatch.setattr(executors, "version", lambda _: "999")
    try:
        assert find_known_blocks(warehouse, answers) == {"company": False}
    finally:
        executors.digest_key.cache_clear()
