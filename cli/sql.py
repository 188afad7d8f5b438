"""Commands that read the warehouse: `sql` and `coverage`."""

import json
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from innspect.cli._console import console, table
from innspect.cli._options import Given
from innspect.flows.open_home import warehouse_of, warehouse_there
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.query import FORMATS, Query

SHOWN_ROWS = 200
ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".xlsx": "xlsx"}


def opened(given: Given) -> Warehouse:
    """The warehouse, read-only. Raises UsageError where there is none yet."""
    settings = given.settings()
    warehouse_there(settings)
    return warehouse_of(settings, read_only=True)


def sql(given: Given, query: str, layout: str | None, out: Path | None, *, raw_text: bool = False) -> int:
    """One SELECT, shown or written."""
    layout = _layout(layout, out)
    with opened(given) as warehouse:
        asked = Query(warehouse, query, raw_text=raw_text)
        if asked.explains:
            _explain(asked, out)
        elif out is not None:
            written = asked.write(out, layout)
            cut = f"; {asked.cut} texts were too long for a cell and end with …" if asked.cut else ""
            typer.echo(f"{written} rows written to {out}{cut}", err=True)
        else:
            _show(asked, layout)
    return 0


def _layout(layout: str | None, out: Path | None) -> str:
    """The format that is meant. Raises UsageError."""
    if layout not in (None, "table", *FORMATS):
        raise UsageError(f"There is no format {layout}; choose table, {', '.join(FORMATS)}.")
    if out is None:
        if layout in ("parquet", "xlsx"):
            raise UsageError(f"The format {layout} is for files; add --out FILE.")
        return layout or ("table" if sys.stdout.isatty() else "csv")
    if layout == "table":
        raise UsageError(f"A table is for the screen; leave out --out, or choose {', '.join(FORMATS)}.")
    if layout is None and out.suffix.lower() not in ENDINGS:
        raise UsageError(f"The ending of {out} tells no format; add --format {' or '.join(FORMATS)}.")
    return layout or ENDINGS[out.suffix.lower()]


def _explain(asked: Query, out: Path | None) -> None:
    if out is not None:
        raise UsageError("An EXPLAIN is read on the screen; leave out --out.")
    for row in asked.rows()[1]:
        typer.echo(row[-1])


def _show(asked: Query, layout: str) -> None:
    if layout == "table":
        names, rows = asked.rows()
        shown = list(islice(rows, SHOWN_ROWS))
        console().print(table(names, shown, null="NULL"))
        if next(rows, None) is not None:
            typer.echo(f"The first {SHOWN_ROWS} rows; add --out FILE for all of them.", err=True)
        return
    try:
        asked.stream(sys.stdout.buffer, layout)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads has enough, as `head` does; what Python still holds back goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
