"""Levels and signals in words, with what is not known: the same in the terminal, the report and the dashboard."""

from collections.abc import Mapping
from typing import Any

from innspect.reports.i18n.catalog import Translations
from innspect.schemas.states import STALE, Level


def level_text(score: Mapping[str, Any], t: Translations) -> str:
    """`unknown; account freezes not confirmed since 01.11.2026; everything else: low`, from a row of mart.risk_score.

    Reads `level`, `level_known`, `level_at_most`, `known_part`, `unknown_blocks`, `unknown_since`,
    `never_requested_blocks` and `stale_blocks`.
    """
    return "; ".join(filter(None, (t.label("level", score["level"] or Level.UNKNOWN), level_remark(score, t))))


def level_remark(score: Mapping[str, Any], t: Translations) -> str:
    """What `level_text` says after the level; empty if all is known."""
    return "; ".join([*_unknown_blocks(score, t), *possible_levels(score, t)])


def level_remarks(score: Mapping[str, Any], t: Translations) -> list[str]:
    """What `level_remark` says, with a sentence for each block."""
    blocks, since = score["unknown_blocks"] or [], score["unknown_since"] or []
    each = (
        {**score, "unknown_blocks": [block], "unknown_since": [day]} for block, day in zip(blocks, since, strict=True)
    )
    return [*(part for one in each for part in _unknown_blocks(one, t)), *possible_levels(score, t)]


def possible_levels(score: Mapping[str, Any], t: Translations) -> list[str]:
    """What the level is by the other blocks, or at most."""
    if (score["level"] or Level.UNKNOWN) == Level.UNKNOWN:
        return known_level(score, t)
    if score["level_at_most"] in (None, score["level"]):
        return []
    return [t("unknown.at_most", level=t.label("level", score["level_at_most"]))]


def known_level(score: Mapping[str, Any], t: Translations) -> list[str]:
    """The level by the other blocks, of a level that is not known; nothing where no block answered."""
    if score["level"] not in (None, Level.UNKNOWN) or score["known_part"] in (None, "none"):
        return []
    key = "unknown.rest" if score["known_part"] == "all" else "unknown.answered"
    return [t(key, level=t.label("level", score["level_known"]))]


def unknown_text(score: Mapping[str, Any], t: Translations) -> str:
    """The part of `level_text` about required blocks; empty if all are answered."""
    return "; ".join(_unknown_blocks(score, t))


def stale_text(evidence: Mapping[str, Any], t: Translations) -> str:
    """`stale: collected on 26.08.2026`, of a row with `collected_at` and `source_date`."""
    source = evidence["source_date"]
    days = [collected_text(evidence, t)]
    days += [t("stale.source", date=t.date(source))] if source is not None else []
    return f"{t.label('state', STALE)}: {', '.join(days)}"


def collected_text(evidence: Mapping[str, Any], t: Translations) -> str:
    """`collected on 26.08.2026`, of a row of evidence with `collected_at`; only the service's own store may not say."""
    collected = evidence["collected_at"]
    return t("stale.undated") if collected is None else t("stale.collected", date=t.date(collected))


def doubt_text(signal: Mapping[str, Any], t: Translations) -> str:
    """Why a signal that is present is not confirmed, from a row of mart.risk_signals; empty if it is confirmed."""
    if signal["confirmed"]:
        return ""
    return stale_text(signal, t) if signal["reason"] == STALE else t("not_confirmed_since")


def since_text(signal: Mapping[str, Any], day: str, t: Translations) -> str:
    """`day`, the text of `since` of a row of mart.risk_signals, marked if it is not a start by the data."""
    return t("since.seen", day=day) if signal["since_seen"] else day


def _unknown_blocks(score: Mapping[str, Any], t: Translations) -> list[str]:
    """One part per reason and day, with all its blocks."""
    blocks, stale = score["unknown_blocks"] or [], score["stale_blocks"] or []
    never_requested = score["never_requested_blocks"] or []
    titles: dict[tuple[str, str], list[str]] = {}
    for block, since in zip(blocks, score["unknown_since"] or [], strict=True):
        if block in never_requested:
            reason = "unknown.never_requested"
        elif block in stale:
            reason = "unknown.undated" if since is None else "unknown.stale"
        else:
            reason = "unknown.block" if since is None else "unknown.since"
        titles.setdefault((reason, "" if since is None else t.date(since)), []).append(t.label("block", block))
    return [t(reason, block=", ".join(names), date=day) for (reason, day), names in titles.items()]
