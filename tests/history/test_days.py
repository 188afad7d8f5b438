"""Sixty days of a portfolio: every change is found once, on its day, and nothing else is."""

from collections import Counter
from datetime import timedelta

import pytest

from tests.history.conftest import DAYS, WATCHED, asked_on
from tests.history.facts import BLOCKS, CELLS, LISTS, SCALARS
from tests.sandbox.samples import DAY

pytestmark = pytest.mark.long
KINDS = [
    ("company", "changed", "director"),
    ("company", "changed", "address"),
    ("company", "changed", "status"),
    ("company", "changed", "liquidation_date"),
    ("fssp__proceedings", "added", ""),
    ("fssp__proceedings", "changed", "is_active"),
    ("arbitration__cases", "added", ""),
    ("arbitration__cases", "changed", "result"),
    ("freezes__items", "added", ""),
    ("freezes__items", "removed", ""),
    ("bankruptcy", "changed", "has_intention"),
    ("bankruptcy", "changed", "has_bankruptcy"),
    ("sanctions__hits", "added", ""),
    ("rnp__records", "added", ""),
    ("contracts__contracts", "added", ""),
]


def watched(table: str, column: str | None) -> bool:
    """Whether the facts of the JSON tell of it."""
    if table in BLOCKS:
        return column in SCALARS.get(table, ())
    block = table.split("__", maxsplit=1)[0]
    if block not in LISTS or table != f"{block}__{LISTS[block][0]}":
        return False
    return column is None or column in CELLS.get(block, ())


def found(past, day: int) -> Counter:
    rows = past.warehouse.query(
        "SELECT inn, table_name, change, column_name FROM lineage.changes WHERE seen_at = $at", {"at": asked_on(day)}
    ).rows()
    return Counter((inn, table, change, column or "") for inn, table, change, column in rows if watched(table, column))


def test_changes_are_found_on_their_day_and_no_others(past):
    for day, facts in past.expected.items():
        expected = Counter()
        for (inn, table, change, column, _), times in facts.items():
            expected[inn, table, change, column] += times
        assert found(past, day) == expected, day


def test_every_kind_of_change_occurs(past):
    seen = {fact[1:4] for day in past.expected.values() for fact in day}
    assert not [kind for kind in KINDS if kind not in seen]


def test_no_change_is_recorded_twice(past):
    rows = past.warehouse.query(
        "SELECT count(*), count(DISTINCT (snapshot_id, table_name, row_key, change, column_name)) FROM lineage.changes"
    ).row(0)
    assert rows[0] == rows[1] > 0
    again = past.warehouse.query(
        "SELECT inn, table_name, row_key FROM lineage.changes WHERE change = 'added' AND table_name IN "
        "('fssp__proceedings', 'arbitration__cases', 'contracts__contracts') GROUP BY ALL HAVING count(*) > 1"
    )
    assert again.is_empty()


def test_as_of_a_past_day_equals_current_of_that_day(past):
    for (day, table), then in past.current.items():
        moment = asked_on(day) + timedelta(hours=5)
        assert past.warehouse.query(f"SELECT * FROM as_of.{table}($moment) ORDER BY ALL", {"moment": moment}).equals(
            then
        ), (day, table)
    before = past.warehouse.query(f"SELECT * FROM as_of.{WATCHED[0]}(TIMESTAMP '2020-01-01')")
    assert before.is_empty()


def test_unchanged_recheck_adds_only_snapshots_and_the_number_of_the_load(past):
    tables = past.warehouse.query(
        "SELECT schema_name || '.\"' || table_name || '\"' AS name FROM duckdb_tables() "
        "WHERE schema_name IN ('core', 'lineage') AND NOT internal ORDER BY 1"
    )["name"].to_list()

    def counts() -> dict[str, int]:
        query = " UNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS n FROM {name}" for name in tables)
        return dict(past.warehouse.query(query).rows())

    before = counts()
    last = DAY + DAYS
    loaded = past.check(last, asked_on(last) + timedelta(hours=12)).loaded
    after = counts()
    assert (loaded.new_versions, loaded.core_rows, loaded.changes) == (0, 0, 0)
    assert {name for name in tables if after[name] != before[name]} == {
        'lineage."_loads"',
        'lineage."kept_rows"',
        'lineage."responses"',
        'lineage."snapshots"',
    }
