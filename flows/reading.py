"""Commands that read the warehouse: `sql` and `coverage`."""

import csv
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import typer

from flows.command import Given
from flows.screen import console, table
from schemas.errors import UsageError
from warehouse.query import FORMATS, Query
from warehouse.store import Warehouse

SHOWN_ROWS = 200
ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".xlsx": "xlsx"}


def opened(given: Given) -> Warehouse:
    """The warehouse, read-only. Raises UsageError where there is none yet."""
    path = Path(str(given.settings().warehouse))
    if not path.exists():
        raise UsageError(
            f"There is no warehouse at {path}; `innspect run` makes one, or name its folder with --home.",
            path=str(path),
        )
    return Warehouse(path, read_only=True)


def sql(given: Given, query: str, layout: str | None, out: Path | None) -> int:
    """One SELECT, shown or written."""
    if out is not None and layout is None:
        layout = ENDINGS.get(out.suffix.lower())
        if layout is None:
            raise UsageError(f"The ending of {out} tells no format; add --format {' or '.join(FORMATS)}.")
    if layout not in (None, "table", *FORMATS):
        raise UsageError(f"There is no format {layout}; choose table, {', '.join(FORMATS)}.")
    if layout in ("parquet", "xlsx") and out is None:
        raise UsageError(f"The format {layout} is for files; add --out FILE.")
    with opened(given) as warehouse:
        asked = Query(warehouse, query)
        if out is not None and layout != "table":
            written = asked.write(out, layout or "csv")
            typer.echo(f"{written} rows written to {out}", err=True)
        else:
            _show(asked, layout or ("table" if sys.stdout.isatty() else "csv"))
    return 0


def _show(asked: Query, layout: str) -> None:
    names, rows = asked.rows()
    if layout == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    elif layout == "json":
        encoder = msgspec.json.Encoder(decimal_format="string")
        sys.stdout.write("[")
        for number, row in enumerate(rows):
            sys.stdout.write(",\n" if number else "\n")
            sys.stdout.write(encoder.encode(dict(zip(names, row, strict=True))).decode())
        sys.stdout.write("\n]\n")
    else:
        shown = list(islice(rows, SHOWN_ROWS))
        console().print(table(names, shown, null="NULL"))
        if next(rows, None) is not None:
            typer.echo(f"The first {SHOWN_ROWS} rows; add --out FILE for all of them.", err=True)


def coverage(given: Given, portfolio: str) -> int:
    """Blocks and states of one portfolio."""
    with opened(given) as warehouse:
        name = Path(portfolio).stem
        frame = warehouse.frame(
            "SELECT block, state, count(*) AS inns, round(avg(age_days), 1) AS age_days_average, "
            "round(max(age_days), 1) AS age_days_most FROM mart.coverage WHERE portfolio = $name "
            "GROUP BY block, state ORDER BY block, state",
            {"name": name},
        )
        if frame.is_empty():
            known = warehouse.frame("SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY 1")
            names = ", ".join(known["portfolio"].to_list()) or "none yet"
            raise UsageError(f"There is no portfolio {name} in this warehouse; known are: {names}.", portfolio=name)
    rows: list[dict[str, Any]] = frame.to_dicts()
    if given.json:
        typer.echo(json.dumps({"portfolio": name, "coverage": rows}, ensure_ascii=False))
    else:
        console().print(table(frame.columns, frame.rows()))
    return 0
