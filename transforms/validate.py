"""Validation of normalised rows: cells out of their domain are reported, rows without a key are quarantined."""

import polars as pl

from innspect.schemas.column_names import ROW_INDEX
from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Table
from innspect.schemas.validation import domain_checks, find_failures, is_keyless, is_valid
from innspect.transforms.issues import Drift, Issues, Violation
from innspect.transforms.normalise import row_path


def report_violations(table: Table, frame: pl.DataFrame, responses: dict[int, int], issues: Issues) -> bool:
    """Report cells out of their domain, and unknown values of an enumeration as drift too.

    `responses`: number of the response by snapshot. Returns whether no row has a violation or lacks its key.
    """
    if is_valid(table, frame):
        return True
    failures = find_failures(table, frame)
    if failures.is_empty():
        return False
    rows = frame.with_row_index(ROW_INDEX).select(ROW_INDEX, SNAP, row_path(table).alias("row_path"))
    violations = failures.join(rows, on=ROW_INDEX, how="left", maintain_order="left")
    issues.violation_frames.append(violations.with_columns(pl.lit(table.name).alias("table_name")))
    sources = {column.name: column.source for column in table.columns}
    new_values = violations.filter(pl.col("rule") == "one_of")
    for (column, snap), group in new_values.group_by("column_name", SNAP, maintain_order=True):
        path, sample = sources[str(column)], str(group["value"][0])
        issues.drift.append(Drift(table.block, path, "new_value", sample, responses[int(str(snap))], group.height))
    return False


def report_unknown_marks(table: Table, raw: pl.DataFrame, responses: dict[int, int], issues: Issues) -> None:
    """Report values in the marks of the block's raw root frame that their enumerations do not have."""
    for name, mark, getter in table.marks:
        if not mark.kind.values:
            continue
        values = raw.select(SNAP, pl.col(name).alias("value"))
        values = values.explode("value", empty_as_null=False, keep_nulls=False) if mark.many else values
        _, is_within_domain = next(domain_checks(mark.kind))
        unknown = values.filter((pl.col("value") != "") & ~is_within_domain(pl.col("value")))
        for snap, value in unknown.iter_rows():
            issues.violations.append(Violation(snap, table.name, "$", name, "one_of", value))
            issues.drift.append(Drift(table.block, ".".join(getter), "new_value", value, responses[snap]))


def quarantine_keyless(
    tables: tuple[Table, ...], frames: dict[str, pl.DataFrame], valid: set[str], issues: Issues
) -> None:
    """Move rows whose declared key is empty from `frames` to quarantine, with their child rows.

    Tables in `valid` have no such rows.
    """
    for table in tables:
        keyless = is_keyless(table)
        if keyless is None or table.name in valid or table.name not in frames:
            continue
        frame = frames[table.name]
        rows = frame.filter(keyless)
        if rows.height:
            frames[table.name] = frame.filter(~keyless)
            _quarantine(table, rows, "no_key", issues)
            _quarantine_children(table, rows, tables, frames, issues)


def _quarantine_children(
    parent: Table, rows: pl.DataFrame, tables: tuple[Table, ...], frames: dict[str, pl.DataFrame], issues: Issues
) -> None:
    on = [SNAP, *parent.ordinals]
    for table in tables:
        if table.parent == parent.name and parent.ordinals:
            children = frames[table.name].join(rows.select(on), on=on, how="semi", maintain_order="left")
            if children.height:
                frames[table.name] = frames[table.name].join(rows.select(on), on=on, how="anti", maintain_order="left")
                _quarantine(table, children, "parent_quarantined", issues)
                _quarantine_children(table, children, tables, frames, issues)


def _quarantine(table: Table, rows: pl.DataFrame, rule: str, issues: Issues) -> None:
    columns = [pl.col(column.name) for column in table.columns]
    issues.quarantine_frames.append(
        rows.select(
            SNAP,
            pl.lit(table.name).alias("table_name"),
            row_path(table).alias("row_path"),
            pl.lit(rule).alias("rule"),
            pl.struct(columns).struct.json_encode().alias("row"),
        )
    )
