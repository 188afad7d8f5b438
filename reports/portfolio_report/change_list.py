"""The list of news in the report: by counterparty, a few sentences each."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from innspect.reports.i18n.catalog import Translations
from innspect.reports.news_query import news_sentence
from innspect.reports.portfolio_report.queries import QueryResult

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One news: the day, the sentence, and until when the opposite was confirmed."""

    day: str
    sentence: str
    unchanged_until: str


@dataclass(frozen=True, slots=True)
class MemberChanges:
    """A counterparty with its news; `rest` is the number of news that are not listed."""

    inn: str
    name: str | None
    lines: list[ChangeLine]
    rest: int


def group_changes(result: QueryResult, t: Translations) -> list[MemberChanges]:
    """The news of a query by counterparty, in the order of the query."""
    members: list[MemberChanges] = []
    for inn, grouped in groupby(result.rows, key=lambda row: str(row["inn"])):
        rows = list(grouped)
        lines = [_change_line(row, t) for row in rows]
        members.append(MemberChanges(inn, rows[0]["name"], lines, rows[0]["member_changes"] - len(rows)))
    return members


def _change_line(row: Row, t: Translations) -> ChangeLine:
    known_until, until = row["known_until"], ""
    if known_until is not None and known_until.date() != row["seen_at"].date():
        until = t("changes.until", at=t.date(known_until))
    return ChangeLine(t.date(row["seen_at"]), t.keep_together(row[news_sentence(t.language)]), until)
