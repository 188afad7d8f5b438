"""The command `sql`: run one read-only query and show or write its result."""

import re
import sys
from itertools import islice
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from innspect.cli._console import PLAIN_WIDTH, make_console, make_table
from innspect.cli._options import CliOptions, format_of_file
from innspect.cli._reading import open_source
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import UsageError
from innspect.warehouse.export.query import FORMATS, Query
from innspect.warehouse.marts.portfolio_views import SCHEMA as PORTFOLIO_SCHEMA
from innspect.warehouse.marts.registry import marts_with_risk_or_links

MAX_LISTED_ROWS = 200


def read_query(query: str | None, file: Path | None) -> str:
    """The query: an argument, a file, or standard input. Raises UsageError."""
    if query not in (None, "-") and file is not None:
        raise UsageError(f"There are two queries, one in -f {file}; give one of them.")
    if query not in (None, "-"):
        return str(query)
    if file is not None:
        try:
            return file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"-f {file} cannot be read ({error}); name a text file in UTF-8.") from error
    if query is None and sys.stdin.isatty():
        raise UsageError("There is no query; write it in quotes, name a file with -f, or pipe it in.")
    return sys.stdin.read()


def sql(
    options: CliOptions, sql_text: str, output_format: str | None, out: Path | None, *, published: bool, raw_text: bool
) -> int:
    """Run one SELECT, on the published copy if that is wanted.

    Raises UsageError for an invalid query or format, and for a warehouse or copy that does not exist.
    """
    output_format = _resolve_format(output_format, out)
    with open_source(options.settings(), published=published, reads_risk=_reads_risk(sql_text)) as source:
        query = Query(source.warehouse, sql_text, raw_text=raw_text)
        if query.is_explain:
            _print_explanation(query, out)
        elif out is not None:
            rows = query.write(out, output_format)
            typer.echo(f"{count_of(rows, 'row')} written to {out}", err=True)
            if query.truncated_texts:
                words = (
                    "was too long for a cell and ends"
                    if query.truncated_texts == 1
                    else "were too long for a cell and end"
                )
                typer.echo(f"{count_of(query.truncated_texts, 'text')} {words} with …", err=True)
        else:
            _print_result(query, output_format)
    return 0


def _reads_risk(sql: str) -> bool:
    """Whether a query names a mart with signals, levels or links, or the view of a portfolio, which shows levels."""
    marts = "|".join(marts_with_risk_or_links())
    return re.search(rf'\b({marts})\b|\b{PORTFOLIO_SCHEMA}"?\s*\.', sql, re.IGNORECASE) is not None


def _resolve_format(name: str | None, out: Path | None) -> str:
    """The format of the output. Raises UsageError."""
    if name not in (None, "table", *FORMATS):
        raise UsageError(f"There is no format {name}; choose table, {', '.join(FORMATS)}.")
    if out is None:
        if name in ("parquet", "xlsx"):
            raise UsageError(f"The format {name} needs a file; add --out FILE.")
        return name or ("table" if sys.stdout.isatty() else "csv")
    if name == "table":
        raise UsageError(f"The format table is for the screen; omit --out, or choose {', '.join(FORMATS)}.")
    return format_of_file(name, out, FORMATS)


def _print_explanation(query: Query, out: Path | None) -> None:
    if out is not None:
        raise UsageError("The result of EXPLAIN is for the screen; omit --out.")
    for row in query.rows()[1]:
        typer.echo(row[-1])


def _print_result(query: Query, output_format: str) -> None:
    if output_format == "table":
        names, rows = query.rows()
        screen, listed = make_console(), list(islice(rows, MAX_LISTED_ROWS))
        table = make_table(names, listed, null="NULL")
        if sys.stdout.isatty() and listed and _width(table, screen) > screen.width:
            for number, row in enumerate(listed, 1):
                cells = zip(names, ("NULL" if cell is None else str(cell) for cell in row), strict=True)
                screen.print(make_table([f"row {number}", ""], cells))
        else:
            screen.print(table)
        if next(rows, None) is not None:
            typer.echo(f"Only the first {MAX_LISTED_ROWS} rows are shown; add --out FILE for all of them.", err=True)
        return
    query.stream(sys.stdout.buffer, output_format)
    sys.stdout.buffer.flush()


def _width(table: Table, screen: Console) -> int:
    """The width of a table whose cells are not folded."""
    return screen.measure(table, options=screen.options.update(max_width=PLAIN_WIDTH)).maximum
