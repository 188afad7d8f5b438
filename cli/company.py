"""The command `company`: one counterparty on one screen, and how sure each word of it is."""

import json as json_text
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import console, table
from innspect.cli._options import Given
from innspect.cli.sql import opened
from innspect.extract.portfolio.inn import read_inns
from innspect.flows.open_home import Clock, utc_now
from innspect.reports.change_query import Wanted, as_json, find, instant, line
from innspect.schemas.catalogue import askable
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse

LATELY_DAYS = 90
SHOWN_CHANGES = 10
CONFIRMED, NOT_CONFIRMED, NEVER_ASKED = "confirmed", "not confirmed", "never asked"
DAY_SECONDS = 86_400

ASKED = """
SELECT block, max(asked_at) AS asked_at, arg_max(state, (asked_at, snapshot_id)) AS state,
       nullif(arg_max(coalesce(reason, ''), (asked_at, snapshot_id)), '') AS reason,
       max(asked_at) FILTER (version_id IS NOT NULL) AS checked_at,
       arg_max(state, (asked_at, snapshot_id)) FILTER (version_id IS NOT NULL) AS known_state,
       max(asked_at) FILTER (state IN ('found', 'clean')) AS whole_at,
       arg_max(collected_at, (asked_at, snapshot_id)) FILTER (version_id IS NOT NULL) AS collected_at
FROM lineage.snapshots WHERE inn = $inn GROUP BY block
"""
MEMBER = "SELECT portfolio, name FROM lineage.portfolio_members WHERE inn = $inn ORDER BY last_seen_at DESC, portfolio"
ROWS = {
    "company": "SELECT * FROM current.company WHERE inn = $inn",
    "msp": "SELECT * FROM current.msp WHERE inn = $inn",
    "employees": "SELECT * FROM current.employees WHERE inn = $inn",
    "bankruptcy": "SELECT * FROM current.bankruptcy WHERE inn = $inn",
    "freezes": "SELECT * FROM current.freezes WHERE inn = $inn",
    "sanctions": "SELECT s.*, (SELECT count(*) FROM current.sanctions__hits h WHERE h.inn = $inn) AS hits "
    "FROM current.sanctions s WHERE s.inn = $inn",
    "rnp": "SELECT * FROM current.rnp WHERE inn = $inn",
    "risk_flags": "SELECT * FROM current.risk_flags WHERE inn = $inn",
    "fssp": "SELECT * FROM current.fssp WHERE inn = $inn",
    "arbitration": "SELECT * FROM current.arbitration WHERE inn = $inn",
    "general_courts": "SELECT * FROM current.general_courts WHERE inn = $inn",
    "tax_debts": "SELECT * FROM current.tax_debts WHERE inn = $inn",
    "tax_offences": "SELECT * FROM current.tax_offences WHERE inn = $inn",
}
Known = Mapping[str, Mapping[str, Any]]


def _cell(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda row: row[name]


def _stage(row: Mapping[str, Any]) -> Any:
    return (row["status"] or True) if row["has_bankruptcy"] else row["has_bankruptcy"]


@dataclass(frozen=True, slots=True)
class Signal:
    """A thing to know of a counterparty: its words, the block that tells, and where in its row.

    The value is None where it is not known; false and 0 say that there is nothing.
    """

    name: str
    block: str
    value: Callable[[Mapping[str, Any]], Any]


SIGNALS = (
    Signal("bankruptcy stage", "bankruptcy", _stage),
    Signal("intention of bankruptcy", "bankruptcy", _cell("has_intention")),
    Signal("suspended accounts, decisions", "freezes", _cell("count")),
    Signal("matches in sanctions lists", "sanctions", _cell("hits")),
    Signal("entries as unfair supplier, in force", "rnp", _cell("active")),
    Signal("disqualified person in charge", "risk_flags", _cell("disqualified_persons")),
    Signal("mass director", "risk_flags", _cell("mass_director")),
    Signal("mass founder", "risk_flags", _cell("mass_founder")),
    Signal("mass address", "risk_flags", _cell("mass_address")),
    Signal("unreliable data in the register", "company", _cell("invalid_data")),
    Signal("enforcement, active debt, RUB", "fssp", _cell("active_debt_rub")),
    Signal("enforcement, active proceedings", "fssp", _cell("active_proceedings")),
    Signal("enforcement, ended for want of assets", "fssp", _cell("completed_no_assets")),
    Signal("arbitration, cases", "arbitration", _cell("total_cases")),
    Signal("arbitration, cases as respondent", "arbitration", _cell("as_respondent")),
    Signal("general courts, cases", "general_courts", _cell("total_cases")),
    Signal("tax debts, RUB", "tax_debts", _cell("total_sum")),
    Signal("tax fines, RUB", "tax_offences", _cell("total_sum")),
)
CARD = (
    "name", "short_name", "status", "status_description", "registration_date", "liquidation_date", "ogrn", "director",
    "address", "okved_main", "okved_name", "authorized_capital", "sme_category", "employee_count",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Screen:
    """All that the screen shows of one INN."""

    inn: str
    names: list[str]
    portfolios: list[str]
    card: dict[str, Any] | None
    signals: list[dict[str, Any]]
    changes: pl.DataFrame
    coverage: list[dict[str, Any]]


def company(given: Given, inn: str, now: Clock = utc_now) -> int:
    """Show one counterparty. Raises UsageError for what is no INN, or one that the warehouse has never heard of."""
    asked = read_inns(pl.Series([inn]))["inn"][0]
    if asked is None:
        raise UsageError(f"{inn} is no valid INN; write 10 or 12 digits whose check digits hold.", inn=inn)
    with opened(given) as warehouse:
        screen = look(warehouse, asked, now())
    if given.json:
        typer.echo(json_text.dumps(facts(screen), ensure_ascii=False, default=str))
    else:
        show(screen, console())
    return 0


def look(warehouse: Warehouse, inn: str, now: datetime) -> Screen:
    """What the warehouse knows of an INN. Raises UsageError where it has never heard of it."""
    asked = {str(row["block"]): row for row in warehouse.frame(ASKED, {"inn": inn}).to_dicts()}
    members = warehouse.frame(MEMBER, {"inn": inn})
    if not asked and members.is_empty():
        raise UsageError(
            f"Nothing is known of {inn}; put it into a portfolio file and check it with `innspect run`.", inn=inn
        )
    known: dict[str, dict[str, Any]] = {}
    for block, query in ROWS.items():
        for row in warehouse.frame(query, {"inn": inn}).iter_rows(named=True):
            known[block] = row
    since = now - timedelta(days=LATELY_DAYS)
    signals = [_judged(signal, known, asked) for signal in SIGNALS if signal.block in askable(len(inn))]
    coverage = [_covered(block, asked.get(block), now) for block in askable(len(inn))]
    names = [str(name) for name in members["name"].drop_nulls().unique(maintain_order=True)]
    found = find(warehouse, Wanted(since, inn=inn))
    return Screen(inn, names, members["portfolio"].to_list(), _card(known), signals, found, coverage)


def _card(known: Known) -> dict[str, Any] | None:
    row = known.get("company")
    if row is None:
        return None
    card = {name: row[name] for name in CARD}
    # The card often lacks what a register of its own knows.
    if card["sme_category"] is None:
        card["sme_category"] = known.get("msp", {}).get("category")
    if card["employee_count"] is None:
        card["employee_count"] = known.get("employees", {}).get("headcount")
    return card


def _judged(signal: Signal, known: Known, asked: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A signal with its confidence.

    Something is confirmed by any answer that is evidence, nothing only by a whole one: what a partial answer does not
    bring may be there all the same.
    """
    answers, row = asked.get(signal.block), known.get(signal.block)
    told = {"signal": signal.name, "block": signal.block, "value": None, "confidence": NEVER_ASKED}
    if answers is None:
        return {**told, "confirmed_at": None, "partial": False, "latest_state": None, "latest_asked_at": None}
    value = None if row is None else signal.value(row)
    confirmed_at = None if value is None else answers["checked_at" if value else "whole_at"]
    return {
        **told,
        "value": value if confirmed_at is not None else None,
        "confidence": NOT_CONFIRMED if confirmed_at is None else CONFIRMED,
        "confirmed_at": confirmed_at,
        "partial": bool(value) and answers["known_state"] == "partial",
        "latest_state": answers["state"],
        "latest_asked_at": answers["asked_at"],
    }


def _covered(block: str, answers: Mapping[str, Any] | None, now: datetime) -> dict[str, Any]:
    if answers is None:
        return {"block": block, "state": NEVER_ASKED, "reason": None, "asked_at": None, "checked_at": None,
                "collected_at": None, "age_days": None}  # fmt: skip
    checked = answers["checked_at"]
    age = None if checked is None else round((now - checked).total_seconds() / DAY_SECONDS, 1)
    kept = {name: answers[name] for name in ("state", "reason", "asked_at", "checked_at", "collected_at")}
    return {"block": block, **kept, "age_days": age}


def facts(screen: Screen) -> dict[str, Any]:
    """The screen as JSON: money as text with two decimals, instants in UTC, null for what is not known."""
    checked = any(row["asked_at"] for row in screen.coverage)
    return {
        "inn": screen.inn,
        "checked": checked,
        "names": screen.names,
        "portfolios": screen.portfolios,
        "card": None if screen.card is None else {name: _plain(value) for name, value in screen.card.items()},
        "signals": [{name: _plain(value) for name, value in signal.items()} for signal in screen.signals],
        "changes": as_json(screen.changes),
        "coverage": [{name: _plain(value) for name, value in row.items()} for row in screen.coverage],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return instant(value) if isinstance(value, datetime) else value


def show(screen: Screen, on: Console) -> None:
    """One counterparty, for a person."""
    named = (screen.card or {}).get("name") or ", ".join(screen.names) or "name not known"
    on.print(f"{screen.inn} {named}", style="bold", markup=False, soft_wrap=True)
    on.print(f"Portfolios: {', '.join(screen.portfolios) or 'none'}", markup=False, soft_wrap=True)
    if not any(row["asked_at"] for row in screen.coverage):
        on.print("It has never been checked; `innspect run` with its portfolio checks it.", soft_wrap=True)
        return
    if screen.card is None:
        state = next(row["state"] for row in screen.coverage if row["block"] == "company")
        on.print(f"The card is not known (block company: {state}).")
    else:
        cells = [(name.replace("_", " "), value) for name, value in screen.card.items() if name != "name"]
        on.print(table(["card", ""], [(name, "not given" if v is None else _worded(v)) for name, v in cells]))
    signals = ((signal["signal"], _worded(signal["value"]), certainty(signal)) for signal in screen.signals)
    on.print(table(["\nsignal", "\nvalue", "\nhow sure"], signals))
    unasked = sorted({signal.block for signal in SIGNALS} - {row["block"] for row in screen.coverage})
    if unasked:
        on.print(f"No method tells of an INN of this length: {', '.join(unasked)}.")
    on.print(f"\nChanges of the last {LATELY_DAYS} days: {screen.changes.height or 'none'}", style="bold")
    for row in screen.changes.head(SHOWN_CHANGES).iter_rows(named=True):
        on.print(f"  {row['severity']:<6} {line(row)}", markup=False, soft_wrap=True)
    if screen.changes.height > SHOWN_CHANGES:
        on.print(f"  … and {screen.changes.height - SHOWN_CHANGES} more; --json has all of them.")
    columns = ("block", "state", "reason", "asked_at", "age_days")
    rows = ([_worded(row[name]) if row[name] is not None else "" for name in columns] for row in screen.coverage)
    on.print(table(["\nblock", "\nlatest answer", "\nreason", "\nasked", "\nage of what is known, days"], rows))


def certainty(signal: Mapping[str, Any]) -> str:
    """How sure a signal is, in words."""
    if signal["confidence"] == NEVER_ASKED:
        return NEVER_ASKED
    latest, asked = signal["latest_state"], signal["latest_asked_at"]
    if signal["confidence"] == NOT_CONFIRMED:
        return f"{NOT_CONFIRMED} ({latest} {asked:%Y-%m-%d})"
    at = signal["confirmed_at"]
    words = f"{CONFIRMED} {at:%Y-%m-%d}" + (", there may be more" if signal["partial"] else "")
    return words if at == asked else f"{words}; not confirmed since ({latest} {asked:%Y-%m-%d})"


def _worded(value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value:,.2f}".replace(",", " ")
    return f"{value:%Y-%m-%d}" if isinstance(value, datetime) else str(value)
