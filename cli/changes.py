"""The command `changes`: show whose level moved, and differences between consecutive versions."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_source
from innspect.extract.clock import Clock
from innspect.flows.open_home import utc_now
from innspect.reports.change_query import (
    ChangeFilter,
    changes_as_json,
    count_compared,
    find_changes,
    find_scores,
    parse_since,
    resolve_portfolio,
)
from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import ENGLISH, Translations, translations
from innspect.reports.level_history import MOVEMENTS, find_movements, level_line
from innspect.reports.level_text import level_text
from innspect.reports.news_query import NewsFilter, find_news, news_as_json, news_line
from innspect.reports.portfolio_members import list_own_columns, own_text
from innspect.schemas.change_severity import INFO, SEVERITY_RANKS
from innspect.schemas.errors import UsageError

Own = Mapping[str, tuple[str | None, Mapping[str, str]]]
"""By INN: name in the user's own file, and own columns."""
NO_OWN: Own = {}
MAX_LISTED_CHANGES = 100
"""Changes listed on the screen per severity; JSON lists all."""


def changes(options: CliOptions, since: str, severity: str, portfolio: str | None, now: Clock = utc_now) -> int:
    """Show changes. Raises UsageError for an invalid date or an unknown severity or portfolio."""
    if severity not in SEVERITY_RANKS:
        raise UsageError(f"There is no severity {severity}; choose {', '.join(SEVERITY_RANKS)}.", severity=severity)
    settings = options.settings()
    moment = parse_since(since, settings.source_timezone, now())
    with open_source(settings) as source:
        warehouse = source.warehouse
        name = None if portfolio is None else resolve_portfolio(warehouse, portfolio)
        rows = find_changes(warehouse, ChangeFilter(moment, severity, name)) if options.json else None
        news = find_news(warehouse, NewsFilter(moment, severity=severity, portfolio=name))
        counts, movements = find_movements(warehouse, moment, name)
        scores = find_scores(warehouse, news["inn"] if rows is None else rows["inn"])
        own = list_own_columns(warehouse, name).find({*news["inn"], *(row["inn"] for row in movements)})
        compared = count_compared(warehouse, moment, name) if news.is_empty() else None
    if rows is not None:
        result = {
            "since": utc_text(moment),
            "severity": severity,
            "portfolio": name,
            "published_at": source.published_at_text,
            "news": news_as_json(news),
            "changes": changes_as_json(rows),
            "scores": {inn: {"level": row["level"], "score": row["score"]} for inn, row in scores.items()},
            "own": {inn: {"name": own_name, "columns": cells} for inn, (own_name, cells) in own.items()},
            "levels": {**counts, "members": [_movement_as_json(row) for row in movements]},
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        screen, t = make_console(), translations(settings.report.language, settings.source_timezone)
        print_movements(counts, movements, screen, t, own)
        if news.is_empty():
            key = "command.changes.none" if compared else "command.changes.uncompared"
            screen.print(t(key, **describe_filter(moment, name, severity, t), compared=compared), soft_wrap=True)
        else:
            print_news(news, describe_filter(moment, name, severity, t), screen, scores, t, own)
    return 0


def _movement_as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    titles = {name: [signal["title"] for signal in row[name]] for name in ("appeared", "disappeared")}
    return {name: row[name] for name in row if name != "place"} | titles | {"assessed_at": utc_text(row["assessed_at"])}


def print_movements(
    counts: Mapping[str, int],
    movements: Sequence[Mapping[str, Any]],
    screen: Console,
    t: Translations = ENGLISH,
    own: Own = NO_OWN,
) -> None:
    """Print whose level moved, worse first, or that nobody was checked again."""
    if not counts["requested"] and not movements:
        screen.print(t("command.levels.none"), soft_wrap=True)
        return
    requested = counts["requested"]
    screen.print(t("command.levels", **counts, members=f"{requested} {t.plural(requested, 'member')}"), soft_wrap=True)
    for movement in MOVEMENTS:
        rows = [row for row in movements if row["movement"] == movement]
        if rows:
            screen.print(f"\n{t(f'command.movement.{movement}')} ({len(rows)})", style="bold")
        for row in rows[:MAX_LISTED_CHANGES]:
            screen.print(f"{row['inn']} {row['name'] or t('no_name')}", markup=False, soft_wrap=True)
            _print_own(screen, t, own, row["inn"], row["name"])
            screen.print(f"  {level_line(row, t)}", markup=False, soft_wrap=True)
        if len(rows) > MAX_LISTED_CHANGES:
            screen.print(f"  {t('command.more', rest=len(rows) - MAX_LISTED_CHANGES)}")
    screen.print()


def describe_filter(since: datetime, portfolio: str | None, severity: str, t: Translations) -> dict[str, str]:
    """The words for what was selected: `since`, and `scope`, which is empty for everything."""
    scope = "" if portfolio is None else t("command.scope", portfolio=portfolio)
    if severity != INFO:
        scope += t("command.scope.severity", severity=t.label("severity", severity))
    return {"since": f"{t.date_time(since)}{' UTC' if t.zone == 'UTC' else ''}", "scope": scope}


def print_news(
    news: pl.DataFrame,
    selection: Mapping[str, str],
    screen: Console,
    scores: Mapping[str, Mapping[str, Any]] | None = None,
    t: Translations = ENGLISH,
    own: Own = NO_OWN,
) -> None:
    """Print news by severity and counterparty, one sentence per fact, with the present level and score of each.

    `selection` are the words of `describe_filter`.
    """
    counts = {"changes": news.height, "members": news["inn"].n_unique()}
    screen.print(t("command.changes", **selection, **counts), soft_wrap=True)
    for (severity,), of_severity in news.group_by("severity", maintain_order=True):
        title = t.label("severity", str(severity)).upper()
        screen.print(f"\n{title} ({of_severity.height})", style="bold")
        for (inn,), of_company in of_severity.head(MAX_LISTED_CHANGES).group_by("inn", maintain_order=True):
            name = of_company["name"][0] or t("no_name")
            screen.print(f"{inn} {name}{_risk_text((scores or {}).get(str(inn)), t)}", markup=False, soft_wrap=True)
            _print_own(screen, t, own, str(inn), of_company["name"][0])
            for row in of_company.iter_rows(named=True):
                screen.print(f"  {news_line(row, t)}", markup=False, soft_wrap=True)
        if of_severity.height > MAX_LISTED_CHANGES:
            screen.print(f"  {t('command.more', rest=of_severity.height - MAX_LISTED_CHANGES)}")


def _print_own(screen: Console, t: Translations, own: Own, inn: str, official_name: str | None) -> None:
    """Print what the user's own file says of a counterparty, if it says anything."""
    own_name, cells = own.get(inn, (None, {}))
    if text := own_text(official_name, own_name, cells):
        screen.print(f"  {t('command.own', own=text)}", markup=False, soft_wrap=True)


def _risk_text(score: Mapping[str, Any] | None, t: Translations) -> str:
    if score is None:
        return ""
    return f": {level_text(score, t)}; {t('command.score', score=score['score'])}"
