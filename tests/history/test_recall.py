"""Blocks that came before with the same bytes are not read again, and nobody can tell from the tables."""

import json
from datetime import date, datetime, timedelta

import polars as pl
import pytest

from innspect.flows import known_bodies as memory
from innspect.flows import load as loading
from innspect.flows.known_bodies import memory_of
from innspect.flows.load import load_answers
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.response_cache import Bodies
from innspect.sandbox.world.inn_samples import sample
from innspect.transforms.pipeline import transform
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import BODIES
from tests.support.builders import INN, MOSCOW, Response, response_frame, full_check_body

INNS = sample(8, 5)
TOLD = [[0], [0], [30], [0, 30, 30], [30, 0], [0], [60], [60, 0], [60]]
"""Loads, and the days of the sandbox whose answers each brings: unchanged ones, changes, and back again."""
TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name IN ('core', 'lineage') "
    f"AND table_name <> '{BODIES}' ORDER BY ALL"
)


def of_day(number: int, offset: int) -> pl.DataFrame:
    """The answers of a day, asked as the number-th of all."""
    bodies = Bodies(0, (DEFAULT_DAY + timedelta(days=offset)).toordinal(), 1 << 20)
    asked = datetime.combine(date(2026, 11, 1), datetime.min.time()) + timedelta(days=number)
    answers = [
        Response(method, bodies.body(inn, method).payload, inn, asked_at=asked + timedelta(minutes=place))
        for inn in INNS
        for place, method in enumerate(("full-check", "fssp", "risk-flags"))
    ]
    named = [Response(a.method, a.body, a.inn, asked_at=a.asked_at, name=f"{number}-{a.inn}-{a.method}") for a in answers]
    return response_frame(named, file=f"answers/{number}")


def loads() -> list[pl.DataFrame]:
    numbers = iter(range(100))
    return [pl.concat([of_day(next(numbers), offset) for offset in offsets]) for offsets in TOLD]


def tables(warehouse: Warehouse) -> dict[str, pl.DataFrame]:
    names = warehouse.frame(TABLES).rows()
    return {
        f"{schema}.{name}": warehouse.frame(f'SELECT * FROM {schema}."{name}" ORDER BY ALL') for schema, name in names
    }


def remembered(warehouse: Warehouse) -> int:
    return int(warehouse.frame(f"SELECT count(*) FROM lineage.{BODIES}").item())


def known(warehouse: Warehouse, answers: pl.DataFrame, zone: str = MOSCOW) -> dict[str, bool]:
    """By block, whether what these answers say is known before they are read."""
    batch = transform(answers, zone, memory_of(warehouse, zone))
    states = batch.snapshots.select("block", "snap", "recalled").to_dicts()
    brought = {snap for rows in batch.rows.values() for snap in rows["snap"].to_list()}
    assert not [one for one in states if one["recalled"] and one["snap"] in brought]
    return {one["block"]: one["recalled"] is not None for one in states}


def test_the_tables_are_those_of_reading_everything_again(tmp_path, laid_out, monkeypatch):
    with Warehouse(laid_out(tmp_path / "one.duckdb")) as one:
        results = [load_answers(one, answers, MOSCOW) for answers in loads()]
        recalls = tables(one)
        assert 0 < remembered(one) < recalls["lineage.snapshots"].height / 2
    monkeypatch.setattr(loading, "memory_of", lambda *_: None)
    with Warehouse(laid_out(tmp_path / "two.duckdb")) as two:
        expected = [load_answers(two, answers, MOSCOW) for answers in loads()]
        reads = tables(two)
        assert remembered(two) == 0
    assert [name for name in reads if not reads[name].equals(recalls[name])] == []
    assert [one.loaded for one in results] == [two.loaded for two in expected]
    assert [one.drift for one in results] == [two.drift for two in expected]
    assert reads["lineage.changes"].height > 0


def brief(**changed: object) -> dict[str, object]:
    """The sandbox's short card of a company, in which nothing is to be reported, with these fields changed."""
    bodies = Bodies(0, DEFAULT_DAY.toordinal(), 1 << 20)
    return {**json.loads(bodies.body(INN, "brief").payload), **changed}


def test_an_unchanged_block_is_known_and_a_changed_one_is_read(warehouse):
    load_answers(warehouse, first := of_day(0, 0), MOSCOW)
    check = first.filter(pl.col("method") == "full-check").head(1)
    again = check.with_columns(pl.lit("again").alias("response_id"))
    is_known = known(warehouse, again)
    assert is_known["company"]
    assert is_known["fssp"]
    other = check["body"][0].replace(b'"short_name":"', b'"short_name":"X')
    changed = again.with_columns(pl.lit(other).alias("body"))
    assert known(warehouse, changed) == {**is_known, "company": False}


def test_what_was_believed_in_between_is_compared_anew(warehouse):
    was, then = brief(name="A"), brief(name="B")
    for number, body in enumerate((was, then)):
        load_answers(warehouse, response_frame([Response("brief", body)], file=f"{number}", start=number), MOSCOW)
    back = response_frame([Response("brief", was)], file="2", start=2)
    assert known(warehouse, back) == {"company": False}
    assert load_answers(warehouse, back, MOSCOW).loaded.changes == 1
    once_more = response_frame([Response("brief", was)], file="3", start=3)
    assert known(warehouse, once_more) == {"company": True}
    assert load_answers(warehouse, once_more, MOSCOW).loaded.changes == 0
    names = warehouse.frame("SELECT old_value, new_value FROM lineage.changes ORDER BY seen_at").rows()
    assert names == [("A", "B"), ("B", "A")]


@pytest.mark.parametrize(
    ("changed", "counted"),
    [
        ({"never_heard_of": 1}, "SELECT sum(occurrences) FROM lineage.drift"),
        ({"registration_date": "31.02.2020"}, "SELECT count(*) FROM lineage.violations"),
    ],
    ids=["drift", "violation"],
)
def test_what_there_is_to_report_is_reported_of_every_answer(warehouse, changed, counted):
    for number in range(3):
        answers = response_frame([Response("brief", brief(**changed))], file=f"{number}", start=number)
        assert known(warehouse, answers) == {"company": False}
        load_answers(warehouse, answers, MOSCOW)
    assert warehouse.frame(counted).item() == 3


def test_another_zone_or_another_way_of_asking_recalls_nothing(warehouse):
    load_answers(warehouse, response_frame([Response("brief", brief())]), MOSCOW)
    again = response_frame([Response("brief", brief())], file="again", start=1)
    assert known(warehouse, again) == {"company": True}
    assert known(warehouse, again, "Asia/Yekaterinburg") == {"company": False}
    assert not known(warehouse, response_frame([Response("full-check", full_check_body({"company": brief()}))], start=1))["company"]
    assert known(warehouse, response_frame([Response("brief", brief(), inn="7700000017")], start=1)) == {"company": False}


def test_other_software_reads_the_bytes_again(warehouse, monkeypatch):
    answers = response_frame([Response("brief", brief())])
    load_answers(warehouse, answers, MOSCOW)
    assert known(warehouse, answers) == {"company": True}
    memory._seed.cache_clear()
    monkeypatch.setattr(memory, "version", lambda _: "999")
    try:
        assert known(warehouse, answers) == {"company": False}
    finally:
        memory._seed.cache_clear()
