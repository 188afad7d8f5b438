"""The commands `portfolio list`, `show`, `rename` and `drop`."""

import json
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import typer

from innspect.cli._console import make_console, make_table, tell
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_warehouse_to_read
from innspect.flows.erase import finish_erasure
from innspect.flows.open_home import Stores, open_existing_warehouse, open_home, require_warehouse, utc_now
from innspect.flows.portfolios import drop_portfolio, rename_portfolio
from innspect.flows.publish import publish_after_run
from innspect.flows.recovery import recover
from innspect.reports.change_query import resolve_portfolio
from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import Translations, count_of, translations
from innspect.reports.level_text import level_remark
from innspect.reports.portfolio_members import describe_members, list_members, list_own_columns
from innspect.reports.portfolio_members import list_portfolios as query_portfolios
from innspect.schemas.errors import Exit, UsageError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.relations import EXPANDED_SUFFIX

MEMBER_COLUMNS = ("inn", "name", "portfolio_name", "level", "not_known", "priority", "tags")
"""Columns of `portfolio show`; one for the day of leaving and the user's own follow."""
NEVER = "never"


def list_portfolios(options: CliOptions) -> int:
    """List the portfolios."""
    with open_existing_warehouse(options.settings()) as warehouse:
        rows = query_portfolios(warehouse)
    if options.json:
        typer.echo(json.dumps({"portfolios": [_as_json(row) for row in rows]}, ensure_ascii=False))
        return 0
    names = ("portfolio", "members", "companies", "persons", "former", "listed_at", "checked_at")
    titles = (
        "portfolio",
        "members",
        "companies",
        "persons",
        "former members",
        "file last read (UTC)",
        "last requests (UTC)",
    )
    make_console().print(make_table(titles, [[_cell(row[name]) for name in names] for row in rows], null=NEVER))
    return 0


def show_portfolio(options: CliOptions, portfolio: str, *, former: bool) -> int:
    """Show the members. Raises UsageError for an unknown portfolio."""
    settings = options.settings()
    with open_warehouse_to_read(settings) as warehouse:
        name = resolve_portfolio(warehouse, portfolio, with_former=former)
        rows = describe_members(warehouse, name, with_former=former)
        own = list_own_columns(warehouse, name)
    if options.json:
        typer.echo(json.dumps({"portfolio": name, "members": [_as_json(row) for row in rows]}, ensure_ascii=False))
        return 0
    t = translations(settings.report.language, settings.source_timezone)
    columns = [*MEMBER_COLUMNS, *(["left_at"] if former else [])]
    rows = [_describe_level(row, t) for row in rows]
    cells = dict(own.members.select("inn", "cells").iter_rows())
    no_cells = [None] * len(own.names)
    table = [[*(_cell(row[name]) for name in columns), *cells.get(row["inn"], no_cells)] for row in rows]
    titles = [t("inn"), *(t(f"command.member.{name}") for name in columns[1:])]
    make_console().print(make_table([*titles, *own.names], table))
    return 0


def rename(options: CliOptions, portfolio: str, new_name: str) -> int:
    """Rename a portfolio. Raises UsageError for an unknown portfolio or a name in use, StoresHeld during a run."""
    new_name = new_name.strip()
    if not new_name:
        raise UsageError("The new name is empty; give a name.", portfolio=portfolio)
    settings = options.settings()
    require_warehouse(settings)
    with _open_recovered(settings) as (stores, at):
        old = resolve_portfolio(stores.warehouse, portfolio)
        members, found = rename_portfolio(stores, old, new_name, at)
        is_published = publish_after_run(settings, stores.warehouse, make_console(to_stderr=options.json))
    message = f"The portfolio {old} is now {new_name}: {count_of(members, 'INN')}. Earlier runs keep the old name."
    facts = {"portfolio": new_name, "renamed_from": old, "members": members, "expanded_members": found}
    if found:
        derived = f"{new_name}{EXPANDED_SUFFIX}"
        message += f" {old}{EXPANDED_SUFFIX}, whom its answers name, is now {derived}: {count_of(found, 'INN')}."
    _print_result(options, facts, message)
    return int(Exit.OK if is_published else Exit.FAULT)


def drop(options: CliOptions, portfolio: str, *, yes: bool) -> int:
    """Drop a portfolio. Raises UsageError for an unknown portfolio or without consent, StoresHeld during a run."""
    settings = options.settings()
    with open_existing_warehouse(settings) as warehouse:
        name = resolve_portfolio(warehouse, portfolio)
        members = list_members(warehouse, name).height
    question = f"Let {count_of(members, 'INN')} leave the portfolio {name}? What is known of them stays."
    if not yes and not (sys.stdin.isatty() and typer.confirm(question)):
        raise UsageError(f"The portfolio {name} was not dropped; confirm with --yes.", portfolio=name)
    with _open_recovered(settings) as (stores, at):
        members = drop_portfolio(stores, name, at)
        found = list_members(stores.warehouse, f"{name}{EXPANDED_SUFFIX}").height
        is_published = publish_after_run(settings, stores.warehouse, make_console(to_stderr=options.json))
    message = f"{count_of(members, 'INN')} left the portfolio {name}."
    if found:
        message += f" {name}{EXPANDED_SUFFIX} keeps {count_of(found, 'INN')}; drop it by this name."
    _print_result(options, {"portfolio": name, "dropped": members}, message)
    return int(Exit.OK if is_published else Exit.FAULT)


@contextmanager
def _open_recovered(settings: Settings) -> Generator[tuple[Stores, datetime]]:
    """The stores, after what a killed process left was loaded, and the time."""
    finish_erasure(settings, tell)
    with open_home(settings, tell) as stores:
        at = utc_now()
        recover(stores, settings.conventions, at)
        yield stores, at


def _print_result(options: CliOptions, facts: Mapping[str, Any], message: str) -> None:
    if options.json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        make_console().print(message, soft_wrap=True)


def _describe_level(row: Mapping[str, Any], t: Translations) -> dict[str, Any]:
    """The row of a member with its level in words, and what is not known of it; both empty if it was never checked."""
    level = None if row["level"] is None else t.label("level", row["level"])
    return {**row, "level": level, "not_known": level_remark(row, t)}


def _as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [_json_value(item) for item in value] if isinstance(value, list) else _json_value(value)
        for name, value in row.items()
    }


def _json_value(value: Any) -> Any:
    return utc_text(value) if isinstance(value, datetime) else value


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value:g}" if isinstance(value, float) else value
