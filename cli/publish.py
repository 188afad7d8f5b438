"""The command `publish`: publish the warehouse for BI."""

import json

import typer

from innspect.cli._console import make_console, tell
from innspect.cli._options import CliOptions
from innspect.flows.open_home import hold_home, open_warehouse_to_write, require_warehouse
from innspect.flows.publish import publish_copy
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import Exit


def publish(options: CliOptions, *, xlsx: bool) -> int:
    """Publish the warehouse. Raises UsageError if there is none, StoresHeld while another process holds the home."""
    settings = options.settings()
    require_warehouse(settings)
    with hold_home(settings), open_warehouse_to_write(settings, tell) as warehouse:
        published = publish_copy(settings, warehouse, xlsx=xlsx)
    manifest, seconds = published.manifest, round(published.seconds, 2)
    relations, rows = manifest["copy"]["relations"], manifest["copy"]["rows"]
    if options.json:
        facts = {
            "copy": str(published.copy),
            "parquet": None if published.parquet is None else str(published.parquet),
            "manifest": None if published.parquet is None else str(published.parquet / "manifest.json"),
            "xlsx": None if published.workbook is None else str(published.workbook),
            "published_at": manifest["published_at"],
            "run_id": manifest["run_id"],
            "tables": relations,
            "rows": rows,
            "exclude": manifest["exclude"],
            "left_out": manifest["left_out"],
            "delta": published.is_delta,
            "seconds": seconds,
        }
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return int(Exit.OK)
    lines = [
        f"Published {relations} tables and views, {count_of(rows, 'row')} in the tables, in {seconds} s.",
        f"Database: {published.copy} (open it read-only; docs/bi.md lists the connections)",
    ]
    if published.parquet is not None:
        lines.append(f"Parquet:  {published.parquet}, described by its manifest.json")
    if published.workbook is not None:
        lines.append(f"Workbook: {published.workbook}, one sheet per mart")
    if published.shortened_texts:
        lines.append(
            f"{count_of(published.shortened_texts, 'text', 'was', 'were')} too long for a cell of the workbook "
            "and shortened, with … at the end; the database has all of it."
        )
    if manifest["exclude"]:
        lines.append(f"Excluded: {', '.join(manifest['exclude'])}.")
    screen = make_console()
    for line in (*lines, *manifest["left_out"]):
        screen.print(line, soft_wrap=True)
    return int(Exit.OK)
