"""The command `coverage`: show what is known about the members of a portfolio."""

import json

import typer

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.flows.open_home import open_existing_warehouse
from innspect.reports.change_query import resolve_portfolio

COVERAGE = """
SELECT block, state, count(*) AS inns, round(avg(age_days), 1) AS age_days_average,
       round(max(age_days), 1) AS age_days_most
FROM mart.coverage WHERE portfolio = $portfolio GROUP BY block, state ORDER BY block, state
"""


def coverage(options: CliOptions, portfolio: str) -> int:
    """Show members and age of the evidence per block and coverage state. Raises UsageError for an unknown portfolio."""
    with open_existing_warehouse(options.settings()) as warehouse:
        name = resolve_portfolio(warehouse, portfolio)
        rows = warehouse.query(COVERAGE, {"portfolio": name})
    if options.json:
        typer.echo(json.dumps({"portfolio": name, "coverage": rows.to_dicts()}, ensure_ascii=False))
    else:
        make_console().print(make_table(rows.columns, rows.rows()))
    return 0
