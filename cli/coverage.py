"""The command `coverage`: show what is known about the members of a portfolio."""

import json

import typer

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_source
from innspect.reports.change_query import resolve_portfolio
from innspect.reports.i18n.catalog import count_of

COVERAGE = """
SELECT block, state, count(*) AS inns, count(*) FILTER (stale) AS stale, round(avg(age_days), 1) AS age_days_average,
       round(max(age_days), 1) AS age_days_most
FROM mart.coverage WHERE portfolio = $portfolio GROUP BY block, state ORDER BY block, state
"""


def coverage(options: CliOptions, portfolio: str) -> int:
    """Show members and age of the evidence per block and coverage state, and of how many it is stale.

    Raises UsageError for an unknown portfolio.
    """
    with open_source(options.settings(), reads_risk=False) as source:
        warehouse = source.warehouse
        name = resolve_portfolio(warehouse, portfolio)
        rows = warehouse.query(COVERAGE, {"portfolio": name})
    if options.json:
        typer.echo(
            json.dumps(
                {"portfolio": name, "published_at": source.published_at_text, "coverage": rows.to_dicts()},
                ensure_ascii=False,
            )
        )
        return 0
    screen = make_console()
    screen.print(make_table(rows.columns, rows.rows()))
    stale = int(rows["stale"].sum())
    if stale:
        screen.print(
            f"Stale: {count_of(stale, 'answer')}, older than the risk policy allows; they count as unknown.",
            soft_wrap=True,
        )
    return 0
