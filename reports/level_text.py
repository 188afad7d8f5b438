"""A level in words, with what is not known: the same sentence in the terminal, the report and the dashboard."""

from collections.abc import Mapping
from typing import Any

from innspect.reports.i18n.catalog import Translations
from innspect.schemas.states import Level


def level_text(score: Mapping[str, Any], t: Translations) -> str:
    """`unknown; account freezes not confirmed since 01.11.2026; everything else: low`, from a row of mart.risk_score.

    Reads `level`, `level_known`, `level_at_most`, `unknown_blocks` and `unknown_since`.
    """
    level = score["level"] or Level.UNKNOWN
    parts = [t.label("level", level), *_unknown_blocks(score, t)]
    if level == Level.UNKNOWN and score["level_known"]:
        parts.append(t("unknown.rest", level=t.label("level", score["level_known"])))
    elif score["level_at_most"] not in (None, level):
        parts.append(t("unknown.at_most", level=t.label("level", score["level_at_most"])))
    return "; ".join(parts)


def unknown_text(score: Mapping[str, Any], t: Translations) -> str:
    """The part of `level_text` about required blocks; empty if all are answered."""
    return "; ".join(_unknown_blocks(score, t))


def _unknown_blocks(score: Mapping[str, Any], t: Translations) -> list[str]:
    return [
        t("unknown.block", block=t.label("block", block))
        if since is None
        else t("unknown.since", block=t.label("block", block), date=t.date(since))
        for block, since in zip(score["unknown_blocks"] or [], score["unknown_since"] or [], strict=True)
    ]
