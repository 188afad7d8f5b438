"""The command line. Heavy libraries are imported where they are used: `innspect --help` answers at once."""

import gc
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from innspect.cli._options import Given, run_command
from innspect.schemas.errors import Exit, InnspectError, UsageError
from innspect.warehouse.interrupts import is_interruption

# Typer carries a Click of its own and exports of its errors only this one; its base is what every wrong flag raises.
_WRONG_USE = cast("type[Exception]", typer.BadParameter.__bases__[0])

INTERRUPTED = "innspect: Interrupted; what was received is kept, start again to go on."

app = typer.Typer(
    name="innspect",
    help="Check counterparties by INN within a budget, and keep every answer in a warehouse.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Portfolio = Annotated[str, typer.Argument(metavar="PORTFOLIO", help="File of INNs, or - for standard input.")]
ProfileName = Annotated[str | None, typer.Option("--profile", metavar="NAME", help="What is wanted; see the settings.")]
Budget = Annotated[str | None, typer.Option("--budget", metavar="RUB", help="What this run may spend.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Take everything for stale.")]
UseSandbox = Annotated[bool, typer.Option("--sandbox", help="Ask the embedded sandbox; its home is data/sandbox.")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings; else configs/innspect.toml.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="Address of the service.")]
Home = Annotated[Path | None, typer.Option("--home", metavar="DIR", help="Folder of the stores; else data/.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output and nothing else there.")]
NoRepair = Annotated[bool, typer.Option("--no-repair", help="Do not ask silent blocks a second time.")]
Direct = Annotated[bool, typer.Option("--direct", help="Without Prefect: quicker to start, the same result.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and stop; the same as `plan`.")]


@app.command(epilog="Example: innspect run configs/portfolios/sample.csv --sandbox --budget 500")
def run(
    portfolio: Portfolio,
    profile: ProfileName = None,
    budget: Budget = None,
    refresh: Refresh = False,
    dry_run: DryRun = False,
    sandbox: UseSandbox = False,
    config: Config = None,
    base_url: BaseUrl = None,
    home: Home = None,
    json: Json = False,
    no_repair: NoRepair = False,
    direct: Direct = False,
) -> None:
    """Plan, check and load a portfolio."""
    given = Given(config, home, base_url, budget, profile, sandbox=sandbox, json=json)
    run_command(
        "innspect.cli.run",
        "plan" if dry_run else "run",
        given=given,
        portfolio=portfolio,
        refresh=refresh,
        repair=not no_repair,
        direct=direct,
    )


@app.command(epilog="Example: innspect plan configs/portfolios/sample.csv --profile light")
def plan(
    portfolio: Portfolio,
    profile: ProfileName = None,
    budget: Budget = None,
    refresh: Refresh = False,
    sandbox: UseSandbox = False,
    config: Config = None,
    base_url: BaseUrl = None,
    home: Home = None,
    json: Json = False,
    no_repair: NoRepair = False,
    direct: Direct = False,
) -> None:
    """Show what would be asked and what it would cost; costs nothing."""
    given = Given(config, home, base_url, budget, profile, sandbox=sandbox, json=json)
    run_command(
        "innspect.cli.run",
        "plan",
        given=given,
        portfolio=portfolio,
        refresh=refresh,
        repair=not no_repair,
        direct=direct,
    )


@app.command(epilog="Example: innspect rebuild --home data/sandbox")
def rebuild(sandbox: UseSandbox = False, config: Config = None, home: Home = None, json: Json = False) -> None:
    """Make a new warehouse from the archive, offline; it replaces the old one when it is complete."""
    run_command("innspect.flows.rebuild", "rebuild", given=Given(config, home, sandbox=sandbox, json=json))


@app.command(epilog="Example: innspect status --json")
def status(sandbox: UseSandbox = False, config: Config = None, home: Home = None, json: Json = False) -> None:
    """Show runs, money, unknown calls and what waits; works while a run goes on."""
    run_command("innspect.cli.status", "status", given=Given(config, home, sandbox=sandbox, json=json))


@app.command(epilog="Example: innspect coverage sample --sandbox")
def coverage(
    portfolio: Annotated[
        str, typer.Argument(metavar="PORTFOLIO", help="Name of the portfolio: its file without ending.")
    ],
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Show what is known of a portfolio, how old it is, and how sure."""
    given = Given(config, home, sandbox=sandbox, json=json)
    run_command("innspect.cli.sql", "coverage", given=given, portfolio=portfolio)


@app.command(epilog="Example: innspect changes --since 7 --severity notice --portfolio sample")
def changes(
    since: Annotated[
        str, typer.Option("--since", metavar="DATE|DAYS", help="A day such as 2026-11-01, or so many days back.")
    ] = "7",
    severity: Annotated[
        str, typer.Option("--severity", metavar="LEVEL", help="Least severity: info, notice or alert.")
    ] = "info",
    portfolio: Annotated[str | None, typer.Option("--portfolio", metavar="NAME", help="Only its members.")] = None,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Show what changed, alerts first."""
    given = Given(config, home, sandbox=sandbox, json=json)
    run_command(
        "innspect.reports.change_query", "changes", given=given, since=since, severity=severity, portfolio=portfolio
    )


@app.command(epilog="Example: innspect company 7707083893")
def company(
    inn: Annotated[str, typer.Argument(metavar="INN", help="10 or 12 digits.")],
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Show one counterparty: card, signals, changes, and how sure each of them is."""
    run_command("innspect.cli.company", "company", given=Given(config, home, sandbox=sandbox, json=json), inn=inn)


@app.command(epilog='Example: innspect sql "SELECT inn, name FROM current.company" --format csv')
def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT.")],
    layout: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="table, csv, json, parquet or xlsx.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="File to write; its ending tells the format.")
    ] = None,
    raw_text: Annotated[
        bool, typer.Option("--raw-text", help="CSV: no apostrophe before text that a spreadsheet would execute.")
    ] = False,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
) -> None:
    """Run one reading query over the warehouse."""
    given = Given(config, home, sandbox=sandbox)
    run_command("innspect.cli.sql", "sql", given=given, query=query, layout=layout, out=out, raw_text=raw_text)


@app.command(epilog="Example: innspect serve --config configs/innspect.toml")
def serve(sandbox: UseSandbox = False, config: Config = None, home: Home = None) -> None:
    """Serve the schedules of the settings as Prefect deployments; needs a Prefect server."""
    run_command("innspect.flows.prefect.deployments", "serve", given=Given(config, home, sandbox=sandbox))


@app.command(epilog="Example: innspect dashboard --sandbox --port 8600")
def dashboard(
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65535, help="Port to listen at.")] = 8501,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
) -> None:
    """Serve the live dashboard over the published copy (extra `dashboard`)."""
    run_command("innspect.cli.dashboard", "dashboard", given=Given(config, home, sandbox=sandbox), host=host, port=port)


@app.command(epilog="Example: innspect report --portfolio sample --since 7 --sandbox")
def report(
    portfolio: Annotated[
        str | None, typer.Option("--portfolio", metavar="NAME", help="Which; else the one that was checked last.")
    ] = None,
    language: Annotated[str | None, typer.Option("--lang", metavar="ru|en", help="Else that of the settings.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Else reports/ in the home folder.")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE|DAYS", help="Changes since then; else since the check before."),
    ] = None,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Write the report of a portfolio: one HTML page that needs no network."""
    given = Given(config, home, sandbox=sandbox, json=json)
    run_command(
        "innspect.reports.portfolio_report.write",
        "report",
        given=given,
        portfolio=portfolio,
        language=language,
        out=out,
        since=since,
    )


@app.command(epilog="Example: innspect publish --xlsx")
def publish(
    xlsx: Annotated[bool, typer.Option("--xlsx", help="Also the marts as one workbook.")] = False,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Make the read-only copy for BI, and Parquet of every table; each run ends with it too."""
    run_command("innspect.flows.publish", "publish", given=Given(config, home, sandbox=sandbox, json=json), xlsx=xlsx)


@app.command(epilog="Example: innspect doctor")
def doctor(
    sandbox: UseSandbox = False,
    config: Config = None,
    base_url: BaseUrl = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Check key, credit, paths, disk, versions and the stores; say what to do about what is wrong."""
    run_command("innspect.cli.doctor", "doctor", given=Given(config, home, base_url, sandbox=sandbox, json=json))


archive_app = typer.Typer(
    help="Keep the archive in order: `compact`, `retain`.",
    epilog="Example: innspect archive compact",
    rich_markup_mode=None,
)
app.add_typer(archive_app, name="archive")


@archive_app.command(epilog="Example: innspect archive compact")
def compact(sandbox: UseSandbox = False, config: Config = None, home: Home = None, json: Json = False) -> None:
    """Put small files of the archive together; no answer changes by a byte."""
    run_command("innspect.cli.archive", "compact_archive", given=Given(config, home, sandbox=sandbox, json=json))


@archive_app.command(epilog="Example: innspect archive retain --days 1825 --dry-run")
def retain(
    days: Annotated[int, typer.Option("--days", metavar="DAYS", min=1, help="How old an answer may be.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Remove older answers for good, from the archive and all that is made of it; nothing does so by itself."""
    given = Given(config, home, sandbox=sandbox, json=json)
    run_command("innspect.cli.archive", "retain", given=given, days=days, dry_run=dry_run)


@app.command(epilog="Example: innspect forget 500100732259")
def forget(
    inns: Annotated[
        list[str] | None, typer.Argument(metavar="[INN]...", help="Whom; without any, finish what was cut short.")
    ] = None,
    sandbox: UseSandbox = False,
    config: Config = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Remove all that is known of an INN, keep the money, and never ask about it again."""
    given = Given(config, home, sandbox=sandbox, json=json)
    run_command("innspect.cli.forget", "forget", given=given, inns=inns or [])


@app.command(
    "sandbox",
    epilog="Example: innspect sandbox --port 8808",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
def sandbox_command(context: typer.Context) -> None:
    """Serve the stand-in for the service on a port; `innspect sandbox --help` lists its options."""
    run_command("innspect.flows.sandbox_process", "serve", arguments=context.args)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code; an error is one sentence, a traceback only with `--debug`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"] or ["--help"]
    code = _exit_code(words, debug=debug)
    # The process ends here: looking through all that is left for cycles would take it a quarter of a second.
    gc.freeze()
    sys.exit(code)


def _exit_code(words: list[str], *, debug: bool) -> int:
    try:
        outcome: Any = app(words, prog_name="innspect", standalone_mode=False)
    except InnspectError as error:
        if debug:
            traceback.print_exc()
        typer.echo(f"innspect: {error.message}", err=True)
        return int(error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        typer.echo(INTERRUPTED, err=True)
        return int(Exit.INTERRUPTED)
    except _WRONG_USE as error:
        message = str(error).rstrip(".")
        typer.echo(f"innspect: {message}; `innspect --help` lists commands and options.", err=True)
        return int(UsageError.exit_code)
    except Exception as error:  # noqa: BLE001 (whatever it is, the user gets a sentence and an exit code)
        if debug:
            traceback.print_exc()
        if is_interruption(error):
            typer.echo(INTERRUPTED, err=True)
            return int(Exit.INTERRUPTED)
        kind = type(error).__name__
        typer.echo(
            f"innspect: A fault of innspect's own ({kind}: {error}); run again with --debug to see where.", err=True
        )
        return int(Exit.FAULT)
    if outcome == Exit.INTERRUPTED:
        # Typer makes an exit code of Ctrl-C by itself.
        typer.echo(INTERRUPTED, err=True)
    return outcome if isinstance(outcome, int) else int(Exit.OK)


if __name__ == "__main__":
    main()
