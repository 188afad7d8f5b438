"""The command `check`: check INNs without a file, and say what is known of each."""

import webbrowser
from dataclasses import dataclass

from innspect.cli._calls import exit_with, open_caller
from innspect.cli._console import make_console, print_json
from innspect.cli._options import CliOptions
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.portfolio.reader import portfolio_of_inns
from innspect.flows.check import CheckedInn, find_checked_inns, settings_of_check
from innspect.flows.notify.failures import watch_run
from innspect.flows.open_home import Stores
from innspect.flows.run_portfolio import run_portfolio, stop_on_signals
from innspect.flows.run_result import RunResult
from innspect.flows.write_dossier import read_format
from innspect.reports.i18n.catalog import translations
from innspect.schemas.errors import UsageError


@dataclass(frozen=True, slots=True)
class CheckArguments:
    """The options of the command as typed."""

    inns: list[str]
    portfolio: str
    output_format: str
    refresh: bool
    repair: bool
    prefect: bool | None
    must_open: bool


def check(options: CliOptions, arguments: CheckArguments) -> int:
    """Check INNs as members of a portfolio; the exit code of the run.

    Raises UsageError for an INN that is invalid or was erased.
    """
    stop_on_signals()
    output_format = read_format(arguments.output_format)
    # A typing error is not reported to anybody: who typed it reads it at once.
    members = portfolio_of_inns(arguments.portfolio, arguments.inns)
    settings = options.settings()
    settings.profile()
    if forgotten := Tombstones(settings.home).find_forgotten(members.members["inn"].to_list()):
        raise UsageError(f"Erased by `innspect forget`, and refused: {', '.join(forgotten)}; leave these INNs out.")
    screen = make_console(to_stderr=options.json)
    checked: list[CheckedInn] = []
    with watch_run(settings, members.name, screen) as watch:
        settings = settings_of_check(settings, members.members.height, is_budget_given=options.budget is not None)

        words = translations(settings.report.language, settings.source_timezone)

        def show_result(stores: Stores, result: RunResult) -> None:
            for inn in find_checked_inns(stores.warehouse, members.members["inn"].to_list()):
                inn.print_assessment(screen, words)
                checked.append(inn.with_dossier(settings, stores.warehouse, output_format, screen))
            result.print_summary(screen)
            if arguments.must_open:
                for inn in checked:
                    if inn.dossier is not None:
                        webbrowser.open(inn.dossier.resolve().as_uri())

        with open_caller(settings, sandbox=options.sandbox, prefect=arguments.prefect) as caller:
            result = watch.result = run_portfolio(
                caller.settings,
                members,
                screen,
                caller.call_maker,
                refresh=arguments.refresh,
                repair=arguments.repair,
                emit_events=caller.emit_events,
                show_result=show_result,
            )
    if options.json:
        print_json({**result.as_json(), "checked": [inn.as_json() for inn in checked]})
    return exit_with(result)
