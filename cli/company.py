"""The command `company`: show one counterparty as the marts describe it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_source
from innspect.extract.clock import Clock
from innspect.extract.portfolio.inn import read_inns
from innspect.flows.open_home import utc_now
from innspect.reports.change_query import ChangeFilter, change_line, changes_as_json, find_changes
from innspect.reports.coverage_text import (
    FIGURE_BLOCKS,
    blocks_without_method,
    describe_reason,
    is_lower_bound,
    mark_lower_bound,
)
from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import translations
from innspect.reports.i18n.en import TEXTS
from innspect.reports.level_history import level_line
from innspect.reports.level_text import level_text, stale_text
from innspect.schemas.errors import UsageError
from innspect.schemas.states import STALE, SignalState
from innspect.warehouse.database import Warehouse

CHANGE_DAYS = 90
COMPLETE = "_complete"
"""End of the columns that say whether the list behind figures is complete."""
MAX_LISTED_CHANGES = 10
MAX_LISTED_LEVELS = 6

CARD = (
    "name", "short_name", "status", "status_description", "registration_date", "liquidation_date", "ogrn", "director",
    "address", "okved_main", "okved_name", "authorized_capital_rub", "sme_category", "headcount", "headcount_date",
)  # fmt: skip
FIGURES = (
    "bankruptcy_known", "bankruptcy_stage", "bankruptcy_intention", "freezes", "sanction_hits", "rnp_active",
    "active_debt_rub", "active_proceedings", "cases", "cases_as_respondent", "claims_rub", "general_court_cases",
    "tax_debt_rub", "tax_fines_rub", "revenue_rub", "expense_rub", "revenue_period", "net_profit_rub",
    "statements_year", "contracts", "contracts_rub", "contracts_as_supplier_rub", "contracts_as_customer_rub",
    "pledges", "inspections_with_violations", "licenses", "trademarks",
)  # fmt: skip
RISK = (
    "level",
    "level_known",
    "level_at_most",
    "score",
    "score_at_most",
    "unknown_blocks",
    "unknown_since",
    "stale_blocks",
)

PROFILE = """
SELECT p.*, c.ogrn, c.inn IS NOT NULL AS is_card_known
FROM mart.company_profile p LEFT JOIN current.company c ON c.inn = p.inn WHERE p.inn = $inn
"""
SIGNALS = f"""
SELECT signal, title, severity, weight, state, confirmed, since, evidence, block, reason, checked_at,
       collected_at, source_date, round(age_days, 1) AS age_days, snapshot_id
FROM mart.risk_signals WHERE inn = $inn
ORDER BY CASE state WHEN '{SignalState.PRESENT}' THEN 0 WHEN '{SignalState.UNKNOWN}' THEN 1
              WHEN '{SignalState.NEVER_REQUESTED}' THEN 2 ELSE 3 END,
         weight DESC, signal
"""  # noqa: S608 (words of an enumeration)
LEVEL_HISTORY = """
SELECT assessed_at, change, level_before, level, level_known, level_at_most, score_before, score, appeared, disappeared,
       unknown_blocks, run_id
FROM mart.risk_history WHERE inn = $inn ORDER BY assessed_at DESC, run_id DESC
"""
COVERAGE = """
SELECT DISTINCT ON (block) block, state, reason, asked_at, known_since, checked_at, collected_at, source_date,
       round(age_days, 1) AS age_days, stale, complete
FROM mart.coverage WHERE inn = $inn ORDER BY block
"""


@dataclass(frozen=True, slots=True)
class CompanyData:
    """What the marts hold about one INN; `profile` also has `ogrn` and `is_card_known`.

    `not_offered` are the blocks for which the service has no method for this kind of INN; `level_history` is from
    mart.risk_history, latest first.
    """

    inn: str
    profile: Mapping[str, Any]
    signals: list[dict[str, Any]]
    changes: pl.DataFrame
    coverage: list[dict[str, Any]]
    not_offered: list[str]
    level_history: list[dict[str, Any]]

    @property
    def was_checked(self) -> bool:
        """Whether any block was ever requested."""
        return self.profile["blocks_confirmed"] + self.profile["blocks_unconfirmed"] > 0


def company(options: CliOptions, inn: str, now: Clock = utc_now) -> int:
    """Show one counterparty. Raises UsageError for an invalid INN and for one that is not in the warehouse."""
    valid_inn = read_inns(pl.Series([inn]))["inn"][0]
    if valid_inn is None:
        raise UsageError(f"{inn} is not a valid INN; give 10 or 12 digits with valid check digits.", inn=inn)
    settings = options.settings()
    with open_source(settings) as source:
        warehouse = source.warehouse
        data = read_company(warehouse, valid_inn, now(), settings.service.person_methods)
    if options.json:
        typer.echo(json.dumps({**company_as_json(data), "published_at": source.published_at_text}, ensure_ascii=False))
    else:
        print_company(data, make_console())
    return 0


def read_company(warehouse: Warehouse, inn: str, now: datetime, person_methods: tuple[str, ...] = ()) -> CompanyData:
    """Read one INN from the marts. Raises UsageError if it is not in the warehouse."""
    profile = warehouse.query(PROFILE, {"inn": inn})
    if profile.is_empty():
        raise UsageError(
            f"{inn} is not in this warehouse; add it to a portfolio file and check it with `innspect run`.", inn=inn
        )
    coverage = warehouse.query(COVERAGE, {"inn": inn}).to_dicts()
    return CompanyData(
        inn,
        profile.row(0, named=True),
        warehouse.query(SIGNALS, {"inn": inn}).to_dicts(),
        find_changes(warehouse, ChangeFilter(now - timedelta(days=CHANGE_DAYS), inn=inn)),
        coverage,
        blocks_without_method(len(inn), (row["block"] for row in coverage), person_methods),
        warehouse.query(LEVEL_HISTORY, {"inn": inn}).to_dicts(),
    )


def company_as_json(data: CompanyData) -> dict[str, Any]:
    """The data for JSON: amounts as text with two decimals, instants in UTC, null for what is not known."""
    profile = data.profile
    return {
        "inn": data.inn,
        "name": profile["name"],
        "portfolio_name": profile["portfolio_name"],
        "portfolios": profile["portfolios"],
        "checked": data.was_checked,
        "card": _json_cells(profile, CARD) if profile["is_card_known"] else None,
        "figures": _json_cells(profile, FIGURES),
        "complete": {name.removesuffix(COMPLETE): profile[name] for name in profile if name.endswith(COMPLETE)},
        "risk": _json_cells(profile, RISK),
        "signals": [_json_cells(signal, signal) for signal in data.signals],
        "changes": changes_as_json(data.changes),
        "coverage": [_json_cells(row, row) for row in data.coverage],
        "not_offered": data.not_offered,
        "level_history": [_json_cells(row, row) for row in data.level_history],
    }


def _json_cells(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: _json_value(row[name]) for name in names}


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, list):
        return [_json_value(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def print_company(data: CompanyData, screen: Console) -> None:
    """Print one counterparty."""
    profile = data.profile
    screen.print(f"{data.inn} {profile['name'] or 'name not known'}", style="bold", soft_wrap=True)
    screen.print(f"Portfolios: {', '.join(profile['portfolios']) or 'none'}", soft_wrap=True)
    if not data.was_checked:
        screen.print("Never checked; check it with `innspect run` and its portfolio.", soft_wrap=True)
        return
    screen.print(f"Risk: {level_text(profile, translations('en', 'UTC'))}.", soft_wrap=True)
    screen.print(
        f"Score {profile['score']}; at most {profile['score_at_most']}, {profile['level_at_most']}, if everything "
        "unknown were present.",
        soft_wrap=True,
    )
    if profile["is_card_known"]:
        _print_cells(screen, "card", {name: profile[name] for name in CARD if name != "name"})
    else:
        state = next((row["state"] for row in data.coverage if row["block"] == "company"), "not in a portfolio")
        screen.print(f"\nThe card is not known (block company: {state}).")
    _print_figures(screen, profile, data)
    _print_signals(screen, data.signals)
    _print_level_history(screen, data.level_history)
    screen.print(f"\nChanges of the last {CHANGE_DAYS} days: {data.changes.height or 'none'}", style="bold")
    for row in data.changes.head(MAX_LISTED_CHANGES).iter_rows(named=True):
        screen.print(f"  {row['severity']:<6} {change_line(row)}", soft_wrap=True)
    if data.changes.height > MAX_LISTED_CHANGES:
        screen.print(f"  … and {data.changes.height - MAX_LISTED_CHANGES} more; --json lists all.")
    _print_coverage(screen, data.coverage)
    if data.not_offered:
        blocks = ", ".join(data.not_offered)
        screen.print(
            f"{SignalState.NOT_OFFERED.capitalize()}, the service has no method for persons: {blocks}", soft_wrap=True
        )


def _print_coverage(screen: Console, coverage: Iterable[Mapping[str, Any]]) -> None:
    columns = ("block", "state", "stale", "reason", "asked_at", "checked_at", "collected_at", "age_days")
    words = (
        {**row, "reason": describe_reason(TEXTS, row["reason"]), "stale": STALE if row["stale"] else None}
        for row in coverage
    )
    names = ["block", "latest response", "", "reason", "requested", "last confirmed", "collected", "age, days"]
    cells = ([_cell_text(row[name], "") for name in columns] for row in words)
    screen.print(make_table([f"\n{name}" for name in names], cells))


def _print_cells(screen: Console, title: str, cells: Mapping[str, Any]) -> None:
    rows = ((_label(name), _cell_text(value, "not given")) for name, value in cells.items())
    screen.print(make_table([f"\n{title}", ""], rows))


def _print_figures(screen: Console, profile: Mapping[str, Any], data: CompanyData) -> None:
    """Print known figures as a table and list the others: a figure that is not known is never shown as nothing."""
    figures = {name: profile[name] for name in FIGURES if name != "bankruptcy_known"}
    if profile["bankruptcy_known"]:
        figures["bankruptcy_stage"] = profile["bankruptcy_stage"] or "none"
    stale = {row["block"]: stale_text(row, translations("en", "UTC")) for row in data.coverage if row["stale"]}
    known = {
        name: _figure_text(profile, name, value, stale.get(FIGURE_BLOCKS.get(name, "")))
        for name, value in figures.items()
        if value is not None
    }
    _print_cells(screen, "figures", known)
    unknown = [
        _label(name)
        for name, value in figures.items()
        if value is None and FIGURE_BLOCKS.get(name) not in data.not_offered
    ]
    if unknown:
        screen.print(f"Not known: {', '.join(unknown)}", soft_wrap=True)


def _figure_text(profile: Mapping[str, Any], column: str, value: Any, doubt: str | None) -> str:
    """A figure; marked if its list is partial or capped, so that it is a lower bound, and if its evidence is stale."""
    text = _cell_text(value, "")
    text = mark_lower_bound(TEXTS, text, value) if is_lower_bound(profile, column) else text
    return f"{text} ({doubt})" if doubt else text


def _label(column: str) -> str:
    return column.removesuffix("_rub").replace("_", " ") + (" (RUB)" if column.endswith("_rub") else "")


def _print_signals(screen: Console, signals: Iterable[Mapping[str, Any]]) -> None:
    """Print present signals as a table and the others as one line per state and reason."""
    present: list[list[str]] = []
    others: dict[str, list[str]] = {}
    for signal in signals:
        if signal["state"] == SignalState.PRESENT:
            names = ("title", "severity", "since", "evidence")
            present.append([*(_cell_text(signal[name], "") for name in names), describe_certainty(signal)])
        else:
            group = signal["state"] + (f" ({describe_reason(TEXTS, signal['reason'])})" if signal["reason"] else "")
            others.setdefault(group, []).append(signal["title"])
    if present:
        screen.print(make_table(["\nsignal", "\nseverity", "\nsince", "\nevidence", "\ncertainty"], present))
    else:
        screen.print("\nSignals present: none", style="bold")
    for group, titles in others.items():
        screen.print(f"Signals {group}: {', '.join(titles)}", soft_wrap=True)


def _print_level_history(screen: Console, history: Sequence[Mapping[str, Any]]) -> None:
    screen.print("\nHistory of the level" + ("" if history else ": none yet"), style="bold")
    for row in history[:MAX_LISTED_LEVELS]:
        screen.print(f"  {level_line(row)}", soft_wrap=True)
    if len(history) > MAX_LISTED_LEVELS:
        screen.print(f"  … and {len(history) - MAX_LISTED_LEVELS} more; --json lists all.")


def describe_certainty(signal: Mapping[str, Any]) -> str:
    """Whether the latest response confirms a signal that is present, and the date of its evidence."""
    if signal["reason"] == STALE:
        return stale_text(signal, translations("en", "UTC"))
    day = f"{signal['checked_at']:%Y-%m-%d}"
    reason = describe_reason(TEXTS, signal["reason"])
    return f"confirmed {day}" if signal["confirmed"] else f"confirmed {day}, not since ({reason})"


def _cell_text(value: Any, null: str) -> str:
    if value is None:
        return null
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value:,.2f}".replace(",", " ")
    return f"{value:%Y-%m-%d}" if isinstance(value, datetime) else str(value)
