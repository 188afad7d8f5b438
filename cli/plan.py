"""The command `plan`: show what a run would request and cost."""

import json
import sys

import typer

from innspect.cli._console import make_console, show_status, tell
from innspect.cli._options import CliOptions
from innspect.extract.portfolio.reader import read_portfolio
from innspect.flows.erase import finish_erasure
from innspect.flows.expand import plan_expansion
from innspect.flows.open_home import open_home, utc_now
from innspect.flows.plan_portfolio import recover_and_plan
from innspect.flows.plan_summary import plan_as_json, print_plan
from innspect.schemas.errors import Exit


def plan(
    options: CliOptions,
    portfolio: str,
    *,
    refresh: bool,
    repair: bool,
    name: str | None = None,
    sheet: str | None = None,
) -> int:
    """Show the plan of a run, without any call."""
    settings = options.settings()
    settings.profile()
    stdin = sys.stdin.buffer.read() if portfolio == "-" else None
    with show_status("Reading the portfolio"):
        members = read_portfolio(portfolio, stdin, name=name, sheet=sheet)
    finish_erasure(settings, tell)
    with open_home(settings, tell) as stores:
        now, screen = utc_now(), make_console(to_stderr=True)
        members, planned = recover_and_plan(stores, settings, members, now, screen, refresh=refresh)
        expansion = plan_expansion(stores, settings, members, planned, now)
    if options.json:
        facts = plan_as_json(planned, members, settings, repair=repair)
        facts["expansion"] = None if expansion is None else expansion.as_json(repair=repair)
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_plan(planned, members, settings, make_console(), repair=repair)
        if expansion is not None:
            expansion.print(make_console(), repair=repair)
    return int(Exit.OK)
