"""What changed, in the words of the rules; what it cost, to the kopeck."""

from datetime import datetime
from decimal import Decimal

import polars as pl
import pytest

from innspect.schemas.change_severity import NOT_NULL, SEVERITY_RULES, meaning
from innspect.schemas.lineage import LINEAGE
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import add_members, blocks, full_check_response, load, rows, single_row

COMPANY, OTHER = "7707083893", "7736050003"


def examples() -> pl.DataFrame:
    """A change that fits each rule, and some that miss it narrowly."""
    found = []
    for number, rule in enumerate(SEVERITY_RULES):
        old = rule.old[0] if rule.old and rule.old != NOT_NULL else "1"
        new = rule.new[0] if rule.new and rule.new != NOT_NULL else "2"
        new = '{{"{}":"{}"}}'.format(*rule.added_cell) if all(rule.added_cell) else new
        for other in ({}, {"new_value": None}, {"old_value": None}, {"new_value": "0"}, {"change": "removed"}):
            change = {"change": "changed" if rule.change == "*" else rule.change, "old_value": old, "new_value": new}
            found.append(
                {
                    "inn": f"{number:010}",
                    "table_name": "x" if rule.table == "*" else rule.table,
                    "column_name": "x" if rule.column == "*" else rule.column,
                    **change,
                    **other,
                }
            )
    return pl.DataFrame(found, infer_schema_length=None).with_row_index("row_key").cast({"row_key": pl.String})


def test_change_meanings_follow_the_rules(warehouse: Warehouse) -> None:
    changes = examples()
    with warehouse.register(examples=changes):
        warehouse.connection.execute("INSERT INTO lineage.changes BY NAME FROM examples")
    told = dict(rows(warehouse, "SELECT row_key, meaning FROM mart.changes"))
    expected = changes.with_columns(meaning().alias("meaning"))
    assert told == dict(expected.select("row_key", "meaning").iter_rows())
    assert set(told.values()) == {*(rule.meaning for rule in SEVERITY_RULES), None}


def test_change_has_inn_and_period(warehouse: Warehouse) -> None:
    for portfolio in ("p", "q"):
        add_members(warehouse, COMPANY, portfolio=portfolio, name="Имя в портфеле")
    for day, status in ((1, "active"), (2, "active"), (3, "liquidating")):
        content = blocks(company={"status": status, "short_name": "ООО"})
        load(warehouse, full_check_response(COMPANY, content, at=datetime(2026, 11, day), name=f"d{day}"))
    row = single_row(warehouse, "FROM mart.changes")
    assert (row["name"], row["portfolios"], row["severity"]) == ("ООО", ["p", "q"], "alert")
    assert (row["column_name"], row["old_value"], row["new_value"]) == ("status", "active", "liquidating")
    assert (row["meaning"], row["known_until"]) == ("The company is no longer active.", datetime(2026, 11, 2))


def call(
    warehouse: Warehouse, call_id: str, method: str, state: str, charged: str | None, expected: str = "18"
) -> None:
    warehouse.connection.execute(
        "INSERT INTO lineage.calls (call_id, run_id, inn, method, expected_rub, charged_rub, state, reserved_at) "
        "VALUES (?, 'run', ?, ?, ?, ?, ?, '2026-11-20')",
        [call_id, COMPANY, method, expected, charged, state],
    )


def test_price_is_split_to_the_kopeck(warehouse: Warehouse) -> None:
    load(
        warehouse,
        full_check_response(COMPANY, blocks(company={}, rnp={}, freezes={})),
        full_check_response(COMPANY, blocks(company={"status": "liquidating"})),
        full_check_response(OTHER, {}),
    )
    warehouse.connection.execute(
        "INSERT INTO lineage.runs (run_id, started_at, portfolio, profile) VALUES ('run', '2026-11-20', 'p', 'full')"
    )
    call(warehouse, "c0", "full-check", "settled", "18.01")
    call(warehouse, "c1", "full-check", "settled", "18")
    call(warehouse, "c2", "full-check", "settled", "18")
    call(warehouse, "lost", "rnp", "unknown", None, "5")
    call(warehouse, "unsent", "rnp", "released", None, "5")
    call(warehouse, "silent", "arbitration", "free", "0", "12")
    spent = rows(
        warehouse,
        "SELECT method, block, calls, charged_rub, unknown_rub, snapshots, new_versions, changes, rub_per_change "
        "FROM mart.spend ORDER BY ALL",
    )
    zero = Decimal("0.00")
    assert spent == [
        ("arbitration", None, 1, zero, zero, 0, 0, 0, None),
        ("full-check", "company", 2, Decimal("24.01"), zero, 2, 2, 1, Decimal("24.01")),
        ("full-check", "freezes", 1, Decimal("6.00"), zero, 1, 1, 0, None),
        ("full-check", "rnp", 1, Decimal("6.00"), zero, 1, 1, 0, None),
        ("full-check", None, 1, Decimal("18.00"), zero, 0, 0, 0, None),
        ("rnp", None, 1, zero, Decimal("5.00"), 0, 0, 0, None),
    ]
    ((portfolio, profile),) = set(rows(warehouse, "SELECT portfolio, profile FROM mart.spend"))
    assert (portfolio, profile) == ("p", "full")


@pytest.mark.parametrize("kopecks", [0, 1, 2, 1799, 1801])
def test_no_kopeck_is_lost(warehouse: Warehouse, kopecks: int) -> None:
    load(
        warehouse,
        full_check_response(COMPANY, blocks(company={}, rnp={}, freezes={}, pledges={}, fssp={}, leasing={}, msp={})),
    )
    call(warehouse, "c0", "full-check", "settled", str(Decimal(kopecks) / 100))
    spent = [row[0] for row in rows(warehouse, "SELECT charged_rub FROM mart.spend")]
    assert len(spent) == 7
    assert sum(spent) == Decimal(kopecks) / 100
    assert max(spent) - min(spent) <= Decimal("0.01")


def test_changes_mart_has_the_columns_of_lineage(warehouse: Warehouse) -> None:
    columns = {name for (name,) in rows(warehouse, "SELECT column_name FROM (DESCRIBE mart.changes)")}
    assert {column.name for column in LINEAGE["changes"].columns} <= columns
