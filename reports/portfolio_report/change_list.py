"""The list of changes in the report: by counterparty, a few lines each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from innspect.reports.change_query import shorten, summarise_row
from innspect.reports.i18n.catalog import Translations
from innspect.reports.portfolio_report.queries import QueryResult

Row = Mapping[str, Any]
ISO_DATE = re.compile(r"[12]\d{3}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change in words. `old` and `new` are None where a whole row was added or removed."""

    day: str
    meaning: str
    where: str
    row: str
    old: str | None
    new: str | None
    unchanged_until: str


@dataclass(frozen=True, slots=True)
class MemberChanges:
    """A counterparty with its changes; `rest` is the number of changes that are not listed."""

    inn: str
    name: str | None
    lines: list[ChangeLine]
    rest: int


def group_changes(result: QueryResult, t: Translations) -> list[MemberChanges]:
    """The changes of a query by counterparty, in the order of the query."""
    members: list[MemberChanges] = []
    for inn, grouped in groupby(result.rows, key=lambda row: str(row["inn"])):
        rows = list(grouped)
        lines = [_change_line(row, t) for row in rows]
        members.append(MemberChanges(inn, rows[0]["name"], lines, rows[0]["member_changes"] - len(rows)))
    return members


def _change_line(row: Row, t: Translations) -> ChangeLine:
    column = row["column_name"]
    where = row["table_name"] if column is None else f"{row['table_name']}.{column}"
    if row["change"] == "changed":
        old, new, which = _cell(row["old_value"], t), _cell(row["new_value"], t), row["row_key"] or ""
    else:
        old = new = None
        summary = summarise_row(row["table_name"], row["new_value"] or row["old_value"])
        which = f"{t('changes.' + row['change'])}: {summary}"
    known_until = row["known_until"]
    until = ""
    if known_until is not None and known_until.date() != row["seen_at"].date():
        until = t("changes.until", at=t.date(known_until))
    return ChangeLine(t.date(row["seen_at"]), t.change_meaning(row["meaning"], where), where, which, old, new, until)


def _cell(value: str | None, t: Translations) -> str:
    """A cell in words; NULL is "empty", never zero."""
    if value is None:
        return t("empty")
    if value in ("true", "false"):
        return t(value)
    return t.date(date.fromisoformat(value)) if ISO_DATE.fullmatch(value) else t.label("code", shorten(value))
