"""News: what happened to counterparties, one row per fact with a sentence in each language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import ENGLISH, Translations
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.settings.sections import Language
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import literal
from innspect.warehouse.marts.registry import news_query
from innspect.warehouse.publish.reader import PublishedCopy

SEVERITY_ORDER = f"list_position({sorted(SEVERITY_RANKS, key=SEVERITY_RANKS.__getitem__, reverse=True)}, severity)"
"""Most severe first."""


@dataclass(frozen=True, slots=True)
class NewsFilter:
    """Selects news seen since a moment (UTC; None: ever) and before another one, of a minimum severity.

    Of one portfolio, INN or run, or of all.
    """

    since: datetime | None
    until: datetime | None = None
    severity: str = "info"
    portfolio: str | None = None
    inn: str | None = None
    run_id: str | None = None

    @property
    def condition(self) -> str:
        """The condition on `seen_at`, `inn` and `run_id` as SQL, for `mart.news` and `lineage.changes` alike."""
        terms = ["true"]
        if self.since is not None:
            terms.append(f"seen_at >= {_moment(self.since)}")
        if self.until is not None:
            terms.append(f"seen_at < {_moment(self.until)}")
        if self.inn is not None:
            terms.append(f"inn = {literal(self.inn)}")
        if self.run_id is not None:
            terms.append(f"run_id = {literal(self.run_id)}")
        if self.portfolio is not None:
            is_member = f"portfolio = {literal(self.portfolio)} AND left_at IS NULL"
            members = f"SELECT inn FROM lineage.portfolio_members WHERE {is_member}"
            terms.append(f"inn IN ({members})")
        return " AND ".join(terms)


def find_news(source: Warehouse | PublishedCopy, selection: NewsFilter) -> pl.DataFrame:
    """The selected news as rows of `mart.news`, most severe and then latest first. Instants are UTC."""
    severities = [name for name, rank in SEVERITY_RANKS.items() if rank >= SEVERITY_RANKS[selection.severity]]
    return source.query(
        f"FROM ({_select_news(source, selection.condition)}) WHERE list_contains({severities}, severity) "
        f"ORDER BY {SEVERITY_ORDER}, seen_at DESC, name, inn, topic, fact_key"
    )


def news_sentence(language: Language) -> str:
    """The column of `mart.news` with the sentence in a language."""
    return f"sentence_{language}"


def news_as_json(news: pl.DataFrame) -> list[dict[str, Any]]:
    """News for JSON: instants in UTC; both languages."""
    return [
        {
            "news_id": row["news_id"],
            "severity": row["severity"],
            "inn": row["inn"],
            "name": row["name"],
            "sentence": row["sentence_en"],
            "sentence_ru": row["sentence_ru"],
            "block": row["block"],
            "topic": row["topic"],
            "changes": row["changes"],
            "seen_at": utc_text(row["seen_at"]),
            "known_until": utc_text(row["known_until"]),
            "run_id": row["run_id"],
            "snapshot_id": row["snapshot_id"],
        }
        for row in news.iter_rows(named=True)
    ]


def news_line(row: Mapping[str, Any], t: Translations = ENGLISH) -> str:
    """One news as a line: day and sentence, and when the opposite was last confirmed, if on another day."""
    text = f"{t.date(row['seen_at'])} {row[news_sentence(t.language)]}"
    known_until = row["known_until"]
    if known_until is None or known_until.date() == row["seen_at"].date():
        return text
    return f"{text}; {t('command.until', date=t.date(known_until))}"


def news_of_snapshots(source: Warehouse | PublishedCopy, snapshots: Sequence[str]) -> pl.DataFrame:
    """The news of some snapshots as rows of `mart.news`, in order of their severity."""
    condition = f"snapshot_id IN ({', '.join(map(literal, snapshots)) or 'NULL'})"
    return source.query(f"{_select_news(source, condition)} ORDER BY {SEVERITY_ORDER}, inn, topic, fact_key")


def _select_news(source: Warehouse | PublishedCopy, condition: str) -> str:
    return news_query(condition, is_shared=isinstance(source, Warehouse) and source.is_shared)


def _moment(moment: datetime) -> str:
    return f"TIMESTAMP {literal(f'{moment:%Y-%m-%d %H:%M:%S.%f}')}"
