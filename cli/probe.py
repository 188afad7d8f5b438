"""The command `probe`: request each method once, and report how the service differs from its documents."""

import sys
from contextlib import ExitStack
from pathlib import Path

import typer
from rich.console import Console

from innspect.cli._console import make_console, make_table, print_json
from innspect.cli._options import CliOptions
from innspect.flows.probe.probe_plan import ProbePlan
from innspect.flows.probe.run_probe import ProbeResult, list_prices, run_probe, validate_inns
from innspect.flows.run_portfolio import stop_on_signals
from innspect.flows.sandbox_process import LazySandbox, sandbox_arguments, use_sandbox
from innspect.reports.format import format_roubles, roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import BudgetEnded, Exit, UsageError
from innspect.schemas.settings import Settings

MAX_LISTED_METHODS = 6
"""Methods of a finding that are listed on the screen; the report lists all."""
PLAN_COLUMNS = ("method", "INN of", "price", "purpose", "this probe")


def probe(
    options: CliOptions,
    inns: list[str],
    *,
    yes: bool,
    dry_run: bool,
    person_methods: bool,
    refresh: bool,
    out: Path | None,
) -> int:
    """Probe the service; OK if everything was answered as declared, INCOMPLETE with deviations."""
    stop_on_signals()
    settings = options.settings()
    screen = make_console(to_stderr=options.json)
    with ExitStack() as stack:
        sandbox = None
        if options.sandbox:
            sandbox = stack.enter_context(LazySandbox(sandbox_arguments(settings)))
            settings = use_sandbox(settings, sandbox.url)

        def confirm(plan: ProbePlan) -> bool:
            _print_plan(plan, settings, screen)
            if dry_run:
                if options.json:
                    print_json(_plan_as_json(plan, settings))
                return False
            if not plan.calls and not plan.stored:
                raise BudgetEnded(
                    f"The budget of {format_roubles(settings.budget.run_kopecks)} covers none of "
                    f"{count_of(len(plan.above_budget), 'call')}; raise --budget, or the other limits in "
                    "`budget` of the settings."
                )
            return yes or not plan.calls or _ask(plan, screen)

        result = run_probe(
            settings,
            validate_inns(inns),
            screen,
            confirm=confirm,
            before_calls=sandbox.start if sandbox is not None else lambda: None,
            person_methods=person_methods,
            refresh=refresh,
            page=out,
        )
    if result is None:
        if not dry_run:
            screen.print("Nothing was requested.")
        return int(Exit.OK)
    _print_result(result, screen)
    if options.json:
        print_json(result.report)
    if result.stop is not None and result.stop.exit_code is result.exit_code:
        raise result.stop
    return int(result.exit_code)


def _ask(plan: ProbePlan, screen: Console) -> bool:
    """Ask for confirmation on a terminal. Raises UsageError elsewhere."""
    if not sys.stdin.isatty() or not screen.is_terminal:
        raise UsageError("Nothing was requested; confirm the calls above with --yes.")
    return typer.confirm(f"Request {count_of(len(plan.calls), 'call')} for {format_roubles(plan.cost)}?", err=True)


def _print_plan(plan: ProbePlan, settings: Settings, screen: Console) -> None:
    screen.print(make_table(PLAN_COLUMNS, list_prices(plan)))
    budget = format_roubles(settings.budget.run_kopecks)
    lines = [f"Cost: {format_roubles(plan.cost)} for {count_of(len(plan.calls), 'call')}; budget: {budget}."]
    if plan.stored:
        lines.append(
            f"{count_of(len(plan.stored), 'call', 'was', 'were')} answered in an earlier probe and not requested "
            "again (--refresh does)."
        )
    if plan.above_budget:
        listed = ", ".join(f"{call.method} ({call.inn_kind})" for call in plan.above_budget)
        lines.append(f"Above the budget, never requested: {listed}.")
        lines.append(f"All together would cost {format_roubles(plan.cost + plan.missing_cost)}.")
    for line in lines:
        screen.print(line, soft_wrap=True)


def _plan_as_json(plan: ProbePlan, settings: Settings) -> dict[str, object]:
    return {
        "planned_calls": len(plan.calls),
        "expected_rub": roubles_text(plan.cost),
        "budget_rub": roubles_text(settings.budget.run_kopecks),
        "missing_rub": roubles_text(plan.missing_cost),
        "calls": [
            {"method": method, "inn_of": kind, "price_rub": price, "purpose": purpose, "plan": happens}
            for method, kind, price, purpose, happens in list_prices(plan)
        ],
    }


def _print_result(result: ProbeResult, screen: Console) -> None:
    """Print the findings and the proposed settings."""
    report = result.report
    money = f"{report['charged_rub']} RUB charged, {report['unknown_rub']} RUB unknown"
    lines = [f"Probe {report['run_id']}: {count_of(report['calls_made'], 'call')}, {money}."]
    deviations = result.findings.deviations
    lines.append(f"Deviations from the declarations: {len(deviations) or 'none'}.")
    for finding in deviations:
        more = len(finding.methods) - MAX_LISTED_METHODS
        others = f" and {more} more" if more > 0 else ""
        where = f" ({', '.join(finding.methods[:MAX_LISTED_METHODS])}{others})" if finding.methods else ""
        lines.append(f"- {finding.area}: {finding.text}{where}")
    if never := report["never_requested"]:
        listed = ", ".join(f"{row['method']} ({row['inn_of']})" for row in never)
        lines.append(
            f"Never requested: {listed}. A repeated probe requests only these; raise --budget if it was used up."
        )
    if report["settings"]:
        lines += ["Proposed for configs/innspect.toml:", "", *report["settings"].splitlines(), ""]
    lines.append(f"The report is {result.page}; the same as JSON is {result.page.with_suffix('.json')}.")
    for line in lines:
        screen.print(line, soft_wrap=True)
