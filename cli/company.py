"""The command `company`: show one counterparty as the marts describe it."""

import json
from collections.abc import Iterable, Mapping
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
from innspect.extract.portfolio.inn import require_inns
from innspect.flows.open_home import utc_now
from innspect.reports.card_text import can_have, card_code, clean_text, ogrn_label
from innspect.reports.change_query import ChangeFilter, changes_as_json, find_changes
from innspect.reports.coverage_text import (
    blocks_without_method,
    figure_blocks,
    is_lower_bound,
)
from innspect.reports.dossier.block_text import short_state
from innspect.reports.dossier.history import code_text
from innspect.reports.dossier.queries import BLOCKS
from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import ENGLISH, Translations, translations
from innspect.reports.level_history import KNOWN_PART_THEN, level_line
from innspect.reports.level_text import level_text, since_text, stale_text
from innspect.reports.news_query import NewsFilter, find_news, news_as_json, news_line
from innspect.reports.portfolio_members import list_own_columns, own_text
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.errors import UsageError
from innspect.schemas.states import COMPLETE, NO_EVIDENCE, STALE, SignalState, SnapshotState
from innspect.warehouse.database import Warehouse

CHANGE_DAYS = 90
COMPLETE_COLUMN = "_complete"
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
    "never_requested_blocks",
    "stale_blocks",
)

CODES = ("status", "bankruptcy_stage")
"""Columns whose value is a code."""
NO_NAMES: Mapping[str, str] = {}
"""Columns have their titles."""

PROFILE = """
SELECT p.*, c.ogrn, c.inn IS NOT NULL AS is_card_known
FROM mart.company_profile p LEFT JOIN current.company c ON c.inn = p.inn
WHERE p.inn = $inn
"""
SIGNALS = f"""
SELECT signal, title, title_ru, severity, weight, state, confirmed, since, since_seen, evidence, block, reason,
       checked_at, collected_at, source_date, round(age_days, 1) AS age_days, snapshot_id
FROM mart.risk_signals WHERE inn = $inn
ORDER BY CASE state WHEN '{SignalState.PRESENT}' THEN 0 WHEN '{SignalState.UNKNOWN}' THEN 1
              WHEN '{SignalState.NEVER_REQUESTED}' THEN 2 ELSE 3 END,
         weight DESC, signal
"""  # noqa: S608 (words of an enumeration)
LEVEL_HISTORY = f"""
SELECT assessed_at, change, level_before, level, level_known, level_at_most, {KNOWN_PART_THEN} AS known_part,
       score_before, score, appeared, disappeared, unknown_blocks, run_id
FROM mart.risk_history h WHERE inn = $inn ORDER BY assessed_at DESC, run_id DESC
"""  # noqa: S608 (an expression)
COMPARED = """
SELECT block, max(asked_at) >= $since AS is_recent FROM lineage.snapshots
WHERE inn = $inn AND version_id IS NOT NULL GROUP BY block HAVING count(DISTINCT response_id) > 1
"""
COVERAGE = """
SELECT DISTINCT ON (block) block, state, reason, asked_at, known_since, checked_at, collected_at, source_date,
       round(age_days, 1) AS age_days, stale, complete
FROM mart.coverage WHERE inn = $inn ORDER BY block
"""


@dataclass(frozen=True, slots=True)
class CompanyData:
    """What the marts hold about one INN; `profile` also has `ogrn`, `is_card_known`, and blocks that gave figures.

    `blocks` is the state of each block by name, also of an INN that is in no portfolio and has no `coverage`;
    `compared` are the blocks with at least two answers, and whether the last of them is one of the last `CHANGE_DAYS`;
    `not_offered` are the blocks for which the service has no method for this kind of INN; `level_history` is from
    mart.risk_history, latest first. `own`: name and columns in the portfolio files that list it.
    """

    inn: str
    profile: Mapping[str, Any]
    signals: list[dict[str, Any]]
    changes: pl.DataFrame
    news: pl.DataFrame
    coverage: list[dict[str, Any]]
    blocks: Mapping[str, Mapping[str, Any]]
    compared: Mapping[str, bool]
    not_offered: list[str]
    level_history: list[dict[str, Any]]
    own: tuple[str | None, dict[str, str]]

    @property
    def was_checked(self) -> bool:
        """Whether any block was ever requested."""
        return self.profile["blocks_confirmed"] + self.profile["blocks_unconfirmed"] > 0


def company(options: CliOptions, inn: str, now: Clock = utc_now) -> int:
    """Show one counterparty. Raises UsageError for an invalid INN and for one that is not in the warehouse."""
    valid_inn = require_inns([inn])["inn"][0]
    settings = options.settings()
    # No other INN is judged: those without valid risk, however many, need not be judged first.
    with open_source(settings, reads_risk=False) as source, source.warehouse.judge_only(valid_inn):
        warehouse = source.warehouse
        data = read_company(warehouse, valid_inn, now(), settings.service.person_methods)
    if options.json:
        typer.echo(json.dumps({**company_as_json(data), "published_at": source.published_at_text}, ensure_ascii=False))
    else:
        print_company(data, make_console(), translations(settings.report.language, settings.source_timezone))
    return 0


def read_company(warehouse: Warehouse, inn: str, now: datetime, person_methods: tuple[str, ...] = ()) -> CompanyData:
    """Read one INN from the marts. Raises UsageError if it is not in the warehouse."""
    profile = warehouse.query(PROFILE, {"inn": inn})
    if profile.is_empty():
        raise UsageError(
            f"{inn} is not in this warehouse; request it with `innspect check {inn}`, or name its home with --home.",
            inn=inn,
        )
    coverage = warehouse.query(COVERAGE, {"inn": inn}).to_dicts()
    since = now - timedelta(days=CHANGE_DAYS)
    return CompanyData(
        inn,
        profile.row(0, named=True),
        warehouse.query(SIGNALS, {"inn": inn}).to_dicts(),
        find_changes(warehouse, ChangeFilter(since, inn=inn)),
        find_news(warehouse, NewsFilter(since, inn=inn)),
        coverage,
        {row["block"]: row for row in warehouse.query(BLOCKS, {"inn": inn}).to_dicts()},
        dict(warehouse.query(COMPARED, {"inn": inn, "since": since}).iter_rows()),
        blocks_without_method(len(inn), (row["block"] for row in coverage), person_methods),
        warehouse.query(LEVEL_HISTORY, {"inn": inn}).to_dicts(),
        list_own_columns(warehouse).find([inn]).get(inn, (None, {})),
    )


def company_as_json(data: CompanyData) -> dict[str, Any]:
    """The data for JSON: amounts as text with two decimals, instants in UTC, null for what is not known."""
    profile = data.profile
    return {
        "inn": data.inn,
        "name": profile["name"],
        "portfolio_name": profile["portfolio_name"],
        "own_columns": data.own[1],
        "portfolios": profile["portfolios"],
        "checked": data.was_checked,
        "card": _json_cells(profile, CARD) if profile["is_card_known"] else None,
        "figures": _json_cells(profile, FIGURES),
        "complete": {
            name.removesuffix(COMPLETE_COLUMN): profile[name] for name in profile if name.endswith(COMPLETE_COLUMN)
        },
        "risk": _json_cells(profile, RISK),
        "signals": [_json_cells(signal, signal) for signal in data.signals],
        "news": news_as_json(data.news),
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


def print_company(data: CompanyData, screen: Console, t: Translations = ENGLISH) -> None:
    """Print one counterparty."""
    profile = data.profile
    screen.print(f"{data.inn} {profile['name'] or t('no_name')}", style="bold", soft_wrap=True)
    names = ", ".join(profile["portfolios"])
    screen.print(t("command.portfolios", names=names) if names else t("command.portfolios.none"), soft_wrap=True)
    if own := own_text(profile["name"], *data.own):
        screen.print(t("command.own", own=own), markup=False, soft_wrap=True)
    if not data.was_checked:
        screen.print(t("command.never_checked"), soft_wrap=True)
        return
    screen.print(t("command.risk", level=level_text(profile, t)), soft_wrap=True)
    at_most = t.label("level", profile["level_at_most"])
    most = t("command.score.most", score=profile["score"], most=profile["score_at_most"], level=at_most)
    screen.print(most, soft_wrap=True)
    if profile["is_card_known"]:
        _print_card(screen, profile, data, t)
    else:
        found = (t.label("state", row["state"]) for row in data.coverage if row["block"] == "company")
        state = next(found, t("command.card.no_portfolio"))
        screen.print(f"\n{t('command.card.unknown', state=state)}", soft_wrap=True)
    _print_figures(screen, profile, data, t)
    _print_signals(screen, data, t)
    _print_level_history(screen, data, t)
    recent = t("command.recent", days=t.count(CHANGE_DAYS, "day"), changes=data.news.height or _no_news_text(data, t))
    screen.print(f"\n{recent}", style="bold", soft_wrap=True)
    for row in data.news.head(MAX_LISTED_CHANGES).iter_rows(named=True):
        screen.print(f"  {t.label('severity', row['severity']):<6} {news_line(row, t)}", markup=False, soft_wrap=True)
    if data.news.height > MAX_LISTED_CHANGES:
        screen.print(f"  {t('command.more', rest=data.news.height - MAX_LISTED_CHANGES)}")
    _print_coverage(screen, data.coverage, t)
    if data.not_offered:
        screen.print(t("command.not_offered", blocks=", ".join(_block_names(data.not_offered, t))), soft_wrap=True)


def _no_news_text(data: CompanyData, t: Translations) -> str:
    """Why no change is known: only two answers of a block can show that nothing changed."""
    if not data.compared:
        return t("command.recent.first")
    compared = [
        name
        for name, block in data.blocks.items()
        if data.compared.get(name) and block["state"] in COMPLETE and not block["stale"]
    ]
    if not compared:
        return t("command.recent.unknown")
    if len(compared) < len(data.blocks):
        return t("command.recent.part", compared=len(compared), blocks=len(data.blocks))
    return t("command.none")


def _block_names(blocks: Iterable[str], t: Translations) -> list[str]:
    """Blocks as they are named in SQL and in the settings, or their Russian titles."""
    return [block if t.language == "en" else t.label("block", block) for block in blocks]


def _print_coverage(screen: Console, coverage: Iterable[Mapping[str, Any]], t: Translations) -> None:
    columns = ("block", "state", "stale", "reason", "asked_at", "checked_at", "collected_at", "age_days")
    words = (
        {
            **row,
            "block": _block_names([row["block"]], t)[0],
            "state": row["state"] if t.language == "en" else t.label("state", row["state"]),
            "reason": t.reason(row["reason"]),
            "stale": t.label("state", STALE) if row["stale"] else None,
        }
        for row in coverage
    )
    names = ["" if name == "stale" else t(f"command.column.{name}") for name in columns]
    cells = ([_cell_text(row[name], "", t) for name in columns] for row in words)
    screen.print(make_table([f"\n{name}" for name in names], cells))


def _print_card(screen: Console, profile: Mapping[str, Any], data: CompanyData, t: Translations) -> None:
    names = [name for name in CARD if name != "name" and can_have(data.inn, name)]
    if profile["status"] == "active" and profile["liquidation_date"] is None:
        # An active company has no day on which it ceased to exist: it is not missing.
        names.remove("liquidation_date")
    cells = {
        name: _gap_text(profile, name, data, t)
        if profile[name] is None
        else _figure_text(profile, name, profile[name], data, t)
        for name in names
    }
    person = {"ogrn": "ogrnip" if t.language == "en" else ogrn_label(data.inn, t)}
    _print_cells(screen, t("command.card"), cells, t, person if len(data.inn) == PERSON_DIGITS else NO_NAMES)


def _print_cells(
    screen: Console, title: str, cells: Mapping[str, str], t: Translations, names: Mapping[str, str] = NO_NAMES
) -> None:
    """Print cells by column; `names` are titles that columns have of this INN."""
    screen.print(
        make_table([f"\n{title}", ""], ((names.get(name) or _label(name, t), text) for name, text in cells.items()))
    )


def _print_figures(screen: Console, profile: Mapping[str, Any], data: CompanyData, t: Translations) -> None:
    """Print known figures as a table and list the others: a figure that is not known is never shown as nothing."""
    figures = {name: profile[name] for name in FIGURES if name != "bankruptcy_known"}
    if profile["bankruptcy_known"]:
        figures["bankruptcy_stage"] = profile["bankruptcy_stage"] or t("command.none")
    known: dict[str, str] = {}
    unknown: list[str] = []
    for name, value in figures.items():
        if value is not None:
            known[name] = _figure_text(profile, name, value, data, t)
        elif offered := _offered_blocks(profile, name, data):
            if all(_is_clean(block) for block in offered):
                known[name] = clean_text(offered[0]["block"], t)
            else:
                unknown.append(_label(name, t))
    _print_cells(screen, t("command.figures"), known, t)
    if unknown:
        screen.print(t("command.not_known", names=", ".join(unknown)), soft_wrap=True)


def _figure_text(profile: Mapping[str, Any], column: str, value: Any, data: CompanyData, t: Translations) -> str:
    """A value of the profile; marked if it is a lower bound, and if its block has no fresh answer that confirms it."""
    text = _cell_text(value, "", t)
    if column in CODES and t.language != "en":
        text = card_code(data.inn, value, t) if column == "status" else code_text(value, t)
    text = t.at_least(text, value) if is_lower_bound(profile, column) else text
    doubt = next((_doubt(block, t) for block in _offered_blocks(profile, column, data)), "")
    return f"{text} ({doubt})" if doubt else text


def _gap_text(profile: Mapping[str, Any], column: str, data: CompanyData, t: Translations) -> str:
    """Why the card lacks a value: the answers do not give it, or there is none that could."""
    blocks = _offered_blocks(profile, column, data)
    if not blocks:
        return t.label("state", SignalState.NOT_OFFERED)
    if all(_is_clean(block) for block in blocks):
        return clean_text(blocks[0]["block"], t)
    is_answered = (SnapshotState.FOUND, SnapshotState.CLEAN)
    gaps = (short_state(block, t) for block in blocks if block["stale"] or block["state"] not in is_answered)
    return next(gaps, t("command.not_given"))


def _offered_blocks(profile: Mapping[str, Any], column: str, data: CompanyData) -> list[Mapping[str, Any]]:
    """The states of the blocks that gave a column, or could; without those that the service does not offer."""
    return [data.blocks[block] for block in figure_blocks(profile, column) if block in data.blocks]


def _is_clean(block: Mapping[str, Any]) -> bool:
    return block["state"] == SnapshotState.CLEAN and not block["stale"]


def _doubt(block: Mapping[str, Any], t: Translations) -> str:
    """Why what is known of a block may no longer be so; empty if the latest response confirms it."""
    if block["stale"]:
        return stale_text(block, t)
    return t("not_confirmed_since") if block["state"] in NO_EVIDENCE else ""


def _label(column: str, t: Translations) -> str:
    """The title of a column: in English its name in SQL with spaces."""
    if t.language == "en":
        return column.removesuffix("_rub").replace("_", " ") + (" (RUB)" if column.endswith("_rub") else "")
    return t.texts.get(f"card.{column}") or t.label("column", column)


def _print_signals(screen: Console, data: CompanyData, t: Translations) -> None:
    """Print present signals as a table and the others as one line per state and reason."""
    present: list[list[str]] = []
    others: dict[str, list[str]] = {}
    for signal in data.signals:
        title = _signal_title(signal, t)
        if signal["state"] == SignalState.PRESENT:
            severity = t.label("severity", signal["severity"])
            evidence = signal["evidence"] if t.language == "en" else t.signal_evidence(signal["evidence"])
            since = since_text(signal, _cell_text(signal["since"], "", t), t)
            present.append([title, severity, since, evidence or "", describe_certainty(signal, t)])
        else:
            state = signal["state"] if t.language == "en" else t.label("state", signal["state"])
            group = state + (f" ({t.reason(signal['reason'])})" if signal["reason"] else "")
            others.setdefault(group, []).append(title)
    if present:
        names = ("signal", "severity", "since", "evidence", "certainty")
        screen.print(make_table([f"\n{t(f'command.column.{name}')}" for name in names], present))
    else:
        gaps = (SignalState.UNKNOWN, SignalState.NEVER_REQUESTED)
        silent = ("unknown_blocks", "blocks_unconfirmed", "blocks_stale")
        is_known = not any(data.profile[name] for name in silent) and all(
            signal["state"] not in gaps for signal in data.signals
        )
        none = t("command.signals.none" if is_known else "dossier.reasons.none_unknown")
        screen.print(f"\n{none}", style="bold", soft_wrap=True)
    for group, titles in others.items():
        screen.print(t("command.signals", state=group, titles=", ".join(titles)), soft_wrap=True)


def _signal_title(signal: Mapping[str, Any], t: Translations) -> str:
    return str(signal["title_ru" if t.language == "ru" else "title"])


def _print_level_history(screen: Console, data: CompanyData, t: Translations) -> None:
    history = data.level_history
    screen.print(f"\n{t('level_history' if history else 'command.history.none')}", style="bold")
    russian = {} if t.language == "en" else {signal["signal"]: _signal_title(signal, t) for signal in data.signals}
    for row in history[:MAX_LISTED_LEVELS]:
        screen.print(f"  {level_line(row, t, russian)}", soft_wrap=True)
    if len(history) > MAX_LISTED_LEVELS:
        screen.print(f"  {t('command.more', rest=len(history) - MAX_LISTED_LEVELS)}")


def describe_certainty(signal: Mapping[str, Any], t: Translations = ENGLISH) -> str:
    """When the evidence of a signal that is present was collected, and whether the latest response confirms it."""
    if signal["reason"] == STALE:
        return stale_text(signal, t)
    # What stale_text says of days, without the word that it is stale.
    days = stale_text(signal, t).partition(": ")[2]
    if signal["confirmed"]:
        return days
    reason = t.reason(signal["reason"])
    return f"{days}; {t('not_confirmed_since')}" + (f" ({reason})" if reason else "")


def _cell_text(value: Any, null: str, t: Translations) -> str:
    if value is None:
        return null
    if isinstance(value, bool):
        return t("true" if value else "false")
    if isinstance(value, Decimal):
        return f"{value:,.2f}".replace(",", " ") if t.language == "en" else t.number(value, 2)
    return t.date(value) if isinstance(value, date) else str(value)
