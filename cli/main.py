"""The command line. Each command imports its module when it runs: `innspect --help` imports Typer only."""

import gc
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from innspect.cli._console import has_printed_json, print_json, reset_json
from innspect.cli._errors import run_app
from innspect.cli._logging import end_log, start_log
from innspect.cli._options import (
    CALLING,
    CHECKING,
    READING,
    WITHOUT_JSON,
    CliOptions,
    LogFile,
    Verbose,
    add_options,
)
from innspect.extract.log_events import log_event

app = typer.Typer(
    name="innspect",
    help="Check counterparties by INN within a budget, and store every response in a warehouse.",
    epilog="Example: innspect run configs/portfolios/sample.csv --sandbox --budget 1500",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import version

        typer.echo(f"innspect {version('innspect')}")
        raise typer.Exit


@app.callback()
def apply_global_options(
    version: Annotated[  # noqa: ARG001 (its callback acts)
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    verbose: Verbose = False,
    log_file: LogFile = None,
    debug: Annotated[  # noqa: ARG001 (`main` takes it out of the arguments)
        bool, typer.Option("--debug", help="Show the traceback of an error; accepted anywhere on the command line.")
    ] = False,
) -> None:
    """Check counterparties by INN within a budget, and store every response in a warehouse."""
    start_log(is_verbose=verbose, file=log_file)


PortfolioFile = Annotated[str, typer.Argument(metavar="PORTFOLIO", help="File of INNs, or - for standard input.")]
PortfolioName = Annotated[
    str | None, typer.Option("--portfolio", metavar="NAME", help="Only the members of this portfolio.")
]
NamedAs = Annotated[
    str | None,
    typer.Option("--portfolio", metavar="NAME", help="Name of the portfolio; default: the file's, without extension."),
]
SheetName = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Sheet of a workbook; default: the first with INNs.")
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ignore cached evidence and request every block again.")]
NoRepair = Annotated[
    bool, typer.Option("--no-repair", help="Do not request blocks without evidence again by their own methods.")
]
WithPrefect = Annotated[
    bool | None,
    typer.Option(
        "--prefect/--direct",
        show_default=False,
        help="With Prefect or without; the result is the same. Default: with it if PREFECT_API_URL names a server.",
    ),
]


@app.command(epilog="Example: innspect run configs/portfolios/sample.csv --sandbox --budget 500")
@add_options(*CALLING)
def run(
    options: CliOptions,
    portfolio: PortfolioFile,
    refresh: Refresh = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and stop, as `plan` does.")] = False,
    no_repair: NoRepair = False,
    prefect: WithPrefect = None,
    name: NamedAs = None,
    sheet: SheetName = None,
) -> int:
    """Plan, check and load a portfolio."""
    if dry_run:
        from innspect.cli.plan import plan as execute_plan

        return execute_plan(options, portfolio, refresh=refresh, repair=not no_repair, name=name, sheet=sheet)
    from innspect.cli.run import run as execute

    return execute(options, portfolio, refresh=refresh, repair=not no_repair, prefect=prefect, name=name, sheet=sheet)


@app.command(epilog="Example: innspect plan configs/portfolios/sample.csv --profile light")
@add_options(*CALLING)
def plan(
    options: CliOptions,
    portfolio: PortfolioFile,
    refresh: Refresh = False,
    no_repair: NoRepair = False,
    name: NamedAs = None,
    sheet: SheetName = None,
) -> int:
    """Show what a run would request and cost; free."""
    from innspect.cli.plan import plan as execute

    return execute(options, portfolio, refresh=refresh, repair=not no_repair, name=name, sheet=sheet)


@app.command(epilog="Example: innspect check 7707083893 --sandbox")
@add_options(*CHECKING)
def check(
    options: CliOptions,
    inns: Annotated[list[str], typer.Argument(metavar="INN", help="INNs of 10 or 12 digits.")],
    portfolio: Annotated[
        str, typer.Option("--portfolio", metavar="NAME", help="Portfolio to add the INNs to.")
    ] = "adhoc",
    refresh: Refresh = False,
    no_repair: NoRepair = False,
    prefect: WithPrefect = None,
    output_format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="Format of the dossier, as of `dossier`.")
    ] = "pdf",
    open_dossier: Annotated[bool, typer.Option("--open", help="Show the dossier when it is written.")] = False,
) -> int:
    """Check INNs without a file, and write the dossier of each.

    Shows level, reasons and what is unknown. The budget is `budget.check_rub` per INN unless --budget is given.
    """
    from innspect.cli.check import CheckArguments
    from innspect.cli.check import check as execute

    return execute(
        options, CheckArguments(inns, portfolio, output_format, refresh, not no_repair, prefect, open_dossier)
    )


@app.command(epilog="Example: innspect probe 7707083893 500100732259 --budget 230")
@add_options("budget", "sandbox", "config", "base_url", "home", "json")
def probe(
    options: CliOptions,
    inns: Annotated[list[str], typer.Argument(metavar="INN", help="INN of a company, of a person, or both.")],
    yes: Annotated[bool, typer.Option("--yes", help="Request the calls without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the calls with their prices and stop.")] = False,
    person_methods: Annotated[
        bool, typer.Option("--person-methods", help="Request the methods of companies for the person too.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Request again what an earlier probe has received.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="HTML file; default probe/probe.html in the home."),
    ] = None,
) -> int:
    """Request each method once and report deviations.

    The calls and their prices are shown first. The report of how the service differs from its documents has no personal
    data.
    """
    from innspect.cli.probe import probe as execute

    return execute(options, inns, yes=yes, dry_run=dry_run, person_methods=person_methods, refresh=refresh, out=out)


@app.command(epilog="Example: innspect rebuild --home data/sandbox")
@add_options(*READING)
def rebuild(options: CliOptions) -> int:
    """Rebuild the warehouse from the archive, offline.

    The previous warehouse is replaced when the new one is complete.
    """
    from innspect.cli.rebuild import rebuild as execute

    return execute(options)


@app.command(epilog="Example: innspect status --json")
@add_options(*READING)
def status(options: CliOptions) -> int:
    """Show runs, money, unknown calls and the outbox.

    Works during a run.
    """
    from innspect.cli.status import status as execute

    return execute(options)


@app.command(epilog="Example: innspect coverage sample --sandbox")
@add_options(*READING)
def coverage(
    options: CliOptions,
    portfolio: Annotated[
        str, typer.Argument(metavar="PORTFOLIO", help="Name of the portfolio: its file name without extension.")
    ],
) -> int:
    """Show what is known about a portfolio, and its age."""
    from innspect.cli.coverage import coverage as execute

    return execute(options, portfolio)


@app.command(epilog="Example: innspect changes --since 7 --severity notice --portfolio sample")
@add_options(*READING)
def changes(
    options: CliOptions,
    since: Annotated[
        str, typer.Option("--since", metavar="DATE|DAYS", help="A date such as 2026-11-01, or a number of days.")
    ] = "7",
    severity: Annotated[
        str, typer.Option("--severity", metavar="LEVEL", help="Minimum severity: info, notice or alert.")
    ] = "info",
    portfolio: PortfolioName = None,
) -> int:
    """Show whose level got worse or better, and what changed.

    The most severe changes come first.
    """
    from innspect.cli.changes import changes as execute

    return execute(options, since, severity, portfolio)


@app.command(epilog="Example: innspect company 7707083893")
@add_options(*READING)
def company(
    options: CliOptions, inn: Annotated[str, typer.Argument(metavar="INN", help="INN of 10 or 12 digits.")]
) -> int:
    """Show one counterparty: card, signals, changes, coverage."""
    from innspect.cli.company import company as execute

    return execute(options, inn)


@app.command(epilog="Example: innspect dossier 7707083893 --format pdf --as-of 2026-11-01")
@add_options(*READING)
def dossier(
    options: CliOptions,
    inn: Annotated[str | None, typer.Argument(metavar="[INN]", help="INN of 10 or 12 digits.")] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="What was known at the end of that day; default now."),
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="html, pdf, xlsx or json; default that of --out, or html."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--lang", metavar="ru|en", help="Language; default as in the settings.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="File, or folder with --portfolio; default reports/dossiers."),
    ] = None,
    portfolio: Annotated[
        str | None, typer.Option("--portfolio", metavar="NAME", help="One dossier for each member, instead of an INN.")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="Only members of this level now or of one listed before it: critical, high, unknown, medium, low.",
        ),
    ] = None,
) -> int:
    """Write the document about one counterparty, with its proof.

    It says who was checked, when, against which sources and with which result.
    """
    from innspect.cli.dossier import DossierArguments
    from innspect.cli.dossier import dossier as execute

    return execute(options, DossierArguments(inn, as_of, output_format, language, out, portfolio, level))


@app.command(epilog="Example: innspect evidence 785eb3a96c5d8ee3ef801888a6ce70c7 --out body.json")
@add_options(*READING)
def evidence(
    options: CliOptions,
    response_id: Annotated[
        str, typer.Argument(metavar="RESPONSE_ID", help="As a dossier or lineage.responses has it.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="File to write, or -; default RESPONSE_ID.json in this folder."),
    ] = None,
) -> int:
    """Write the exact bytes of one response.

    They come from the archive; their SHA-256 is compared with the recorded one.
    """
    from innspect.cli.evidence import evidence as execute

    return execute(options, response_id, out)


@app.command(epilog='Example: innspect sql "SELECT inn, name FROM current.company" --format csv')
@add_options(*WITHOUT_JSON)
def sql(
    options: CliOptions,
    query: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="One SELECT; without it, or with -, standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", metavar="FILE", help="File with one SELECT.")] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="table, csv, json, parquet or xlsx; default table on a terminal, else csv.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="File to write; its extension selects the format.")
    ] = None,
    raw_text: Annotated[
        bool, typer.Option("--raw-text", help="CSV: no apostrophe before text that a spreadsheet would execute.")
    ] = False,
    published: Annotated[
        bool, typer.Option("--published", help="Read the published copy, where marts are tables: faster for many INNs.")
    ] = False,
) -> int:
    """Run one read-only query on the warehouse.

    On a terminal a result that is wider than the screen is shown with one column per line.
    """
    from innspect.cli.sql import read_query
    from innspect.cli.sql import sql as execute

    return execute(options, read_query(query, file), output_format, out, published=published, raw_text=raw_text)


@app.command(epilog="Example: innspect notify --test manager")
@add_options(*READING)
def notify(
    options: CliOptions,
    test: Annotated[
        str | None, typer.Option("--test", metavar="NAME", help="Send one test message to this receiver.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent to whom, and send nothing.")
    ] = False,
) -> int:
    """Send the messages that are due or pending.

    Each run does this at its end, and `innspect serve` at their times.
    """
    from innspect.cli.notify import notify as execute

    return execute(options, test, dry_run=dry_run)


@app.command(epilog="Example: innspect serve --config configs/innspect.toml")
@add_options(*WITHOUT_JSON)
def serve(options: CliOptions) -> int:
    """Serve the schedules of the settings through Prefect.

    Needs a Prefect server.
    """
    from innspect.cli.serve import serve as execute

    return execute(options)


@app.command(epilog="Example: innspect dashboard --sandbox --port 8600")
@add_options(*WITHOUT_JSON)
def dashboard(
    options: CliOptions,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65535, help="Port to listen on.")] = 8501,
) -> int:
    """Serve the live dashboard over the published copy.

    Needs the extra `dashboard`.
    """
    from innspect.cli.dashboard import dashboard as execute

    return execute(options, host, port)


@app.command(epilog="Example: innspect policy --diff stricter.toml --portfolio sample")
@add_options(*READING)
def policy(
    options: CliOptions,
    name: Annotated[str | None, typer.Option("--policy", metavar="NAME", help="Show the policy of that name.")] = None,
    portfolio: PortfolioName = None,
    diff: Annotated[
        Path | None, typer.Option("--diff", metavar="FILE", help="Show whose level this policy file would change.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Judge by the policy of the file now.")] = False,
) -> int:
    """Show the risk policy, and what another would change; free."""
    from innspect.cli.policy import policy as execute

    return execute(options, name, portfolio, diff, apply=apply)


@app.command(epilog="Example: innspect report --portfolio sample --since 7 --sandbox")
@add_options(*READING)
def report(
    options: CliOptions,
    portfolio: Annotated[
        str | None, typer.Option("--portfolio", metavar="NAME", help="Portfolio; default the one checked last.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--lang", metavar="ru|en", help="Language; default that of the settings.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="HTML file; default in reports/ of the home folder.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE|DAYS", help="Changes since then; default since the previous check."),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="Of the published copy, as of its moment: faster for many INNs.")
    ] = False,
) -> int:
    """Write the report of a portfolio: one HTML page."""
    from innspect.cli.report import report as execute

    return execute(options, portfolio, language, out, since, published=published)


@app.command(epilog="Example: innspect publish --xlsx")
@add_options(*READING)
def publish(
    options: CliOptions,
    xlsx: Annotated[bool, typer.Option("--xlsx", help="Write the marts as one workbook too.")] = False,
) -> int:
    """Publish the read-only copy for BI, and Parquet.

    Each run does this too.
    """
    from innspect.cli.publish import publish as execute

    return execute(options, xlsx=xlsx)


@app.command(epilog="Example: innspect doctor")
@add_options("sandbox", "config", "base_url", "home", "json")
def doctor(options: CliOptions) -> int:
    """Check key, credit, paths, disk, versions and stores.

    Each line says ok, or FAIL and what to do.
    """
    from innspect.cli.doctor import doctor as execute

    return execute(options)


@app.command(epilog="Example: innspect init")
def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder; default the current one.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object to standard output.")] = False,
) -> int:
    """Write settings, a risk policy and a sample portfolio here.

    Each setting and each rule is explained in its place. Files that exist are kept.
    """
    from innspect.cli.init import init as execute

    return execute(folder, json=json)


archive_app = typer.Typer(
    help="Maintain the archive: `compact`, `retain`.",
    epilog="Example: innspect archive compact",
    rich_markup_mode=None,
)
app.add_typer(archive_app, name="archive")


@archive_app.command(epilog="Example: innspect archive compact")
@add_options(*READING)
def compact(options: CliOptions) -> int:
    """Merge small archive files; no response changes."""
    from innspect.cli.archive import compact_archive as execute

    return execute(options)


@archive_app.command(epilog="Example: innspect archive retain --days 1825 --dry-run")
@add_options(*READING)
def retain(
    options: CliOptions,
    days: Annotated[int, typer.Option("--days", metavar="DAYS", min=1, help="Maximum age of a response in days.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
) -> int:
    """Remove old responses permanently.

    They are removed from the archive and from everything derived from it. Nothing else removes responses because
    of their age.
    """
    from innspect.cli.archive import retain as execute

    return execute(options, days, dry_run=dry_run, yes=yes)


portfolio_app = typer.Typer(
    help="List, show, rename and drop portfolios.",
    epilog="Example: innspect portfolio list",
    rich_markup_mode=None,
)
app.add_typer(portfolio_app, name="portfolio")
KnownPortfolio = Annotated[str, typer.Argument(metavar="PORTFOLIO", help="Name of the portfolio.")]


@portfolio_app.command("list", epilog="Example: innspect portfolio list --json")
@add_options(*READING)
def list_portfolios(options: CliOptions) -> int:
    """List the portfolios with their members, and when each was checked."""
    from innspect.cli.portfolio import list_portfolios as execute

    return execute(options)


@portfolio_app.command("show", epilog="Example: innspect portfolio show sample --former")
@add_options(*READING)
def show_portfolio(
    options: CliOptions,
    portfolio: KnownPortfolio,
    former: Annotated[bool, typer.Option("--former", help="Also INNs that the latest file does not list.")] = False,
) -> int:
    """Show the members of a portfolio: names, level, tags."""
    from innspect.cli.portfolio import show_portfolio as execute

    return execute(options, portfolio, former=former)


@portfolio_app.command("rename", epilog="Example: innspect portfolio rename sample suppliers")
@add_options(*READING)
def rename_portfolio(
    options: CliOptions,
    portfolio: KnownPortfolio,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="Its new name.")],
) -> int:
    """Give a portfolio another name.

    Earlier runs and their money keep the old name.
    """
    from innspect.cli.portfolio import rename as execute

    return execute(options, portfolio, new_name)


@portfolio_app.command("drop", epilog="Example: innspect portfolio drop sample --yes")
@add_options(*READING)
def drop_portfolio(
    options: CliOptions,
    portfolio: KnownPortfolio,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Let all members leave a portfolio; what is known of them stays.

    `forget` erases what is known of an INN.
    """
    from innspect.cli.portfolio import drop as execute

    return execute(options, portfolio, yes=yes)


@app.command(epilog="Example: innspect forget 500100732259")
@add_options(*READING)
def forget(
    options: CliOptions,
    inns: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INN]...", help="INNs to erase; without any, finish an interrupted erasure."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
) -> int:
    """Erase an INN from all stores and refuse it in future.

    The ledger keeps its amounts of money under a pseudonym.
    """
    from innspect.cli.forget import forget as execute

    return execute(options, inns or [], yes=yes)


@app.command(
    "sandbox",
    epilog="Example: innspect sandbox --port 8808",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
def sandbox_command(context: typer.Context) -> int:
    """Serve the emulated service on a port."""
    from innspect.cli.sandbox import sandbox as execute

    return execute(context.args)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code.

    An error is one sentence on standard error, with a traceback only after `--debug`. With `--json` it is also the one
    JSON object on standard output, unless the command has written its own before.
    """
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if os.name != "posix":
        typer.echo("innspect: innspect runs on Linux and macOS; on Windows run it in WSL.", err=True)
        sys.exit(2)
    is_debug = "--debug" in argv
    argv = [argument for argument in argv if argument != "--debug"] or ["--help"]
    reset_json()
    started = monotonic()
    code, message = run_app(app, argv, is_debug=is_debug)
    log_event("command.finished", exit_code=code, error=message or None, seconds=round(monotonic() - started, 3))
    end_log()
    if message:
        typer.echo(f"innspect: {message}", err=True)
        if "--json" in argv and not has_printed_json():
            print_json({"error": message, "exit_code": code})
    # Skips the last garbage collection of the interpreter: 0.2 s of CPU time after a command that loaded libraries.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
