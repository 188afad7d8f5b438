"""Validated rows: cells out of their domain are reported, rows without what identifies them are set apart."""

import polars as pl

from innspect.schemas.tables import Table
from innspect.schemas.validation import failures, is_sound, keyless
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.issues import Drift, Findings, Violation
from innspect.transforms.normalise import row_path


def report(table: Table, frame: pl.DataFrame, answers: dict[int, int], findings: Findings) -> bool:
    """Violations, and drift for new words, of a normalised frame; `answers` leads from snapshot to answer.

    Whether there is nothing to say of any row, nor of its key.
    """
    if is_sound(table, frame):
        return True
    found = failures(table, frame)
    if found.is_empty():
        return False
    rows = frame.with_row_index("index").select(pl.col("index").cast(pl.Int32), SNAP, row_path(table).alias("row_path"))
    joined = found.join(rows, on="index", how="left", maintain_order="left").with_columns(table_name=pl.lit(table.name))
    findings.violation_frames.append(joined)
    sources = {column.name: column.source for column in table.columns}
    new = joined.filter(pl.col("rule") == "one_of")
    for (column, snap), group in new.group_by("column_name", SNAP, maintain_order=True):
        path, sample = sources[str(column)], str(group["value"][0])
        findings.drift.append(Drift(table.block, path, "new_value", sample, answers[int(str(snap))], group.height))
    return False


def report_marks(table: Table, raw: pl.DataFrame, answers: dict[int, int], findings: Findings) -> None:
    """Violations and drift for words in the marks of the block's raw root frame that no list of theirs has."""
    for name, mark, getter in table.marks:
        if not mark.kind.values:
            continue
        words = raw.select(SNAP, pl.col(name).alias("value"))
        words = words.explode("value", empty_as_null=False, keep_nulls=False) if mark.many else words
        new = words.filter((pl.col("value") != "") & ~pl.col("value").is_in(mark.kind.values))
        for snap, value in new.iter_rows():
            findings.violations.append(Violation(snap, table.name, "$", name, "one_of", value))
            findings.drift.append(Drift(table.block, ".".join(getter), "new_value", value, answers[snap]))


def set_apart(tables: tuple[Table, ...], frames: dict[str, pl.DataFrame], sound: set[str], findings: Findings) -> None:
    """Move rows whose declared key is empty to quarantine, with everything inside them; `sound` tables have none."""
    for table in tables:
        missing = keyless(table)
        if missing is None or table.name in sound or table.name not in frames:
            continue
        frame = frames[table.name]
        gone = frame.filter(missing)
        if gone.height:
            frames[table.name] = frame.filter(~missing)
            _quarantine(table, gone, "no_key", findings)
            _children(table, gone, tables, frames, findings)


def _children(
    parent: Table, gone: pl.DataFrame, tables: tuple[Table, ...], frames: dict[str, pl.DataFrame], findings: Findings
) -> None:
    on = [SNAP, *parent.ordinals]
    for table in tables:
        if table.parent == parent.name and parent.ordinals:
            inside = frames[table.name].join(gone.select(on), on=on, how="semi", maintain_order="left")
            if inside.height:
                frames[table.name] = frames[table.name].join(gone.select(on), on=on, how="anti", maintain_order="left")
                _quarantine(table, inside, "parent_quarantined", findings)
                _children(table, inside, tables, frames, findings)


def _quarantine(table: Table, rows: pl.DataFrame, rule: str, findings: Findings) -> None:
    columns = [pl.col(column.name) for column in table.columns]
    findings.quarantine_frames.append(
        rows.select(
            SNAP,
            pl.lit(table.name).alias("table_name"),
            row_path(table).alias("row_path"),
            pl.lit(rule).alias("rule"),
            pl.struct(columns).struct.json_encode().alias("row"),
        )
    )
