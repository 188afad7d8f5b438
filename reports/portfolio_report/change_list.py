"""Changes as the page tells them: by counterparty, a few lines each, with how many more there are."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from innspect.reports.change_query import in_short, shortened
from innspect.reports.i18n.catalog import Words
from innspect.reports.i18n.change_meanings_ru import MEANINGS
from innspect.reports.portfolio_report.queries import Answer
from innspect.schemas.change_severity import RULES

Row = Mapping[str, Any]
DAY = re.compile(r"[12]\d{3}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Line:
    """One change: its day, what it means, where in the warehouse, and from what to what (None for a whole row)."""

    day: str
    meaning: str
    where: str
    which: str
    old: str | None
    new: str | None
    until: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A counterparty with its changes; `rest` is how many are not shown."""

    inn: str
    name: str | None
    lines: list[Line]
    rest: int


def changed(answer: Answer, words: Words) -> list[Changed]:
    """The changes of an answer by counterparty, in its order."""
    found: list[Changed] = []
    for inn, grouped in groupby(answer.rows, key=lambda row: str(row["inn"])):
        rows = list(grouped)
        lines = [line(row, words) for row in rows]
        found.append(Changed(inn, rows[0]["name"], lines, rows[0]["of_member"] - len(rows)))
    return found


def line(row: Row, words: Words) -> Line:
    """A change in words. A NULL cell is called empty, never zero."""
    column = row["column_name"]
    where = row["table_name"] if column is None else f"{row['table_name']}.{column}"
    if row["change"] == "changed":
        old, new, which = _cell(row["old_value"], words), _cell(row["new_value"], words), row["row_key"] or ""
    else:
        old = new = None
        which = (
            f"{words('changes.' + row['change'])}: {in_short(row['table_name'], row['new_value'] or row['old_value'])}"
        )
    until = row["known_until"]
    told = "" if until is None or until.date() == row["seen_at"].date() else words("changes.until", at=words.day(until))
    return Line(words.day(row["seen_at"]), _meaning(row, where, words), where, which, old, new, told)


def _meaning(row: Row, where: str, words: Words) -> str:
    said = row["meaning"]
    if said == RULES[-1].meaning:
        return where
    return MEANINGS.get(said, said) if words.language == "ru" else said.rstrip(".")


def _cell(value: str | None, words: Words) -> str:
    if value is None:
        return words("changes.empty")
    if value in ("true", "false"):
        return words(f"changes.{value}")
    return words.day(date.fromisoformat(value)) if DAY.fullmatch(value) else words.named("code", shortened(value))
