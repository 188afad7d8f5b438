"""The rows of the table of members in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_history import Movement
from innspect.reports.level_text import level_remarks
from innspect.schemas.states import STALE, Level

Row = Mapping[str, Any]
CHANGE_RANKS = (
    Movement.WORSE,
    Movement.UNKNOWN,
    "alerts",
    "silent",
    "not requested",
    "news",
    Movement.KNOWN,
    Movement.BETTER,
    Movement.FIRST,
    "none",
)
"""What the period brought, in the order in which it asks for attention."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member in words. `change_rank` is the place of its change in CHANGE_RANKS; `own` the cells of own columns."""

    inn: str
    name: str
    own_name: str
    level: str
    score: str
    unknown: Sequence[str]
    reasons: Sequence[str]
    change_rank: int
    change: Sequence[str]
    own: Sequence[str]


def member_rows(
    rows: Sequence[Row], titles: Mapping[str, str], t: Translations, *, has_period: bool, has_tags: bool
) -> Iterator[MemberRow]:
    """The rows of `members_table`. `titles` are those of signals; `has_period`: there is a check to compare with."""
    # Babel takes most of the time of a large table.
    count_of, number = cache(t.count), cache(t.number)
    for row in rows:
        name, own_name = row["name"] or "", row["own_name"] or ""
        rank, change = _describe_change(row, t, count_of) if has_period else ("none", [_first_check_sentence(row, t)])
        yield MemberRow(
            inn=row["inn"],
            name=name or own_name or t("no_name"),
            own_name=own_name if name and own_name != name else "",
            level=row["level"],
            score=number(row["score"]),
            unknown=_gap_sentences(row, t, count_of),
            reasons=_reason_sentences(row, titles, t),
            change_rank=CHANGE_RANKS.index(rank),
            change=change,
            own=[t.keep_together(" ".join((cell or "").split())) for cell in ([row["tags"]] * has_tags + row["own"])],
        )


def _gap_sentences(row: Row, t: Translations, count_of: Callable[[int, str], str]) -> list[str]:
    parts = level_remarks(row, t) if row["level_at_most"] is not None else [t("members_table.never")]
    parts += [t("members_table.unknown", count=count_of(row["unknown"], "signal"))] if row["unknown"] else []
    never = row["never_requested"]
    return parts + ([t("members_table.never_requested", count=count_of(never, "signal"))] if never else [])


def _reason_sentences(row: Row, titles: Mapping[str, str], t: Translations) -> list[str]:
    if not row["signals"]:
        return [t("members_table.no_reasons_known" if row["level"] == Level.UNKNOWN else "members_table.no_reasons")]
    words = {"": "", STALE: f" ({t.label('state', STALE)})", "unconfirmed": f" ({t('not_confirmed_since')})"}
    return [
        titles.get(signal, signal) + words[doubt] for signal, doubt in zip(row["signals"], row["doubts"], strict=True)
    ]


def _first_check_sentence(row: Row, t: Translations) -> str:
    if row["asked"] is None:
        return t("members_table.unanswered" if row["is_requested"] else "members_table.never")
    return t("members_table.first_check")


def _describe_change(row: Row, t: Translations, count_of: Callable[[int, str], str]) -> tuple[str, list[str]]:
    """What the period brought, and its rank: a source that did not answer is never 'nothing'."""
    movement, asked, silent = row["movement"], row["asked"] or 0, row["silent"] or 0
    parts: list[str] = []
    rank = "none"
    if movement in (Movement.WORSE, Movement.UNKNOWN, Movement.KNOWN, Movement.BETTER):
        rank = movement
        before, level = t.label("level", row["level_before"]), t.label("level", row["level_after"])
        parts.append(t("members_table.moved", before=before, level=level, date=t.date(row["assessed_at"])))
    elif movement == Movement.FIRST:
        rank = Movement.FIRST
        parts.append(t("members_table.assessed_first"))
    if not asked:
        rank = rank if parts else "silent" if row["is_requested"] else "not requested"
        parts.append(t("members_table.unanswered" if row["is_requested"] else "members_table.not_requested"))
    elif silent == asked:
        rank = rank if parts else "silent"
        parts.append(t("members_table.silent"))
    if row["changes"]:
        rank = rank if rank in (Movement.WORSE, Movement.UNKNOWN) else "alerts" if row["alerts"] else rank
        rank = "news" if rank == "none" else rank
        parts.append(count_of(row["changes"], "change"))
        parts += [t("members_table.alerts", alerts=t.number(row["alerts"]))] if row["alerts"] else []
    if 0 < silent < asked:
        parts.append(t("members_table.part_silent", silent=t.number(silent), asked=t.number(asked)))
    return rank, parts or [t("members_table.none")]
