"""What is known of a block in words: an answer, a gap of any kind, and what an empty table means."""

from collections.abc import Mapping
from typing import Any

from innspect.reports.dossier.dossier_data import DossierData, Row
from innspect.reports.dossier.subjects import SubjectTable
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import collected_text, stale_text
from innspect.reports.style import NOT_CONFIRMED, STYLES, css_name
from innspect.schemas.states import EVIDENCE, NEVER_ASKED, NO_EVIDENCE, STALE, SignalState, SnapshotState


def block_state(block: Row) -> str:
    """The state of a block as it is shown: stale evidence is a state of its own, silence is one."""
    state = str(block["state"])
    if block["stale"] and state in EVIDENCE:
        return STALE
    return NOT_CONFIRMED if state in NO_EVIDENCE else state


def evidence_state(block: Row, t: Translations) -> str:
    """The state with its reason and day: `проверено, ничего нет`, `не подтверждено: источник не ответил`."""
    shown, state = block_state(block), str(block["state"])
    if shown == STALE:
        return stale_text(block, t)
    words = t.label("state", shown)
    if shown == NOT_CONFIRMED:
        words += f": {t.label('state', state)}"
    reason = t.reason(block["reason"])
    return f"{words} ({reason})" if reason else words


def short_state(block: Row, t: Translations) -> str:
    """The state without its reason, for figures: the section says the reason once."""
    return stale_text(block, t) if block_state(block) == STALE else t.label("state", block_state(block))


def block_line(block: Row, t: Translations) -> tuple[str, str, str]:
    """Style, sign and words of a block: title, state, days."""
    shown = block_state(block)
    days: list[str] = []
    if block["asked_at"] is not None:
        days.append(t("dossier.asked", date=t.date(block["asked_at"])))
    if shown != STALE and block["collected_at"] is not None:
        days.append(t("stale.collected", date=t.date(block["collected_at"])))
        if block["source_date"] is not None:
            days.append(t("stale.source", date=t.date(block["source_date"])))
    if block["state"] in EVIDENCE and block["complete"]:
        days.append(t("dossier.complete"))
    text = f"{t.label('block', block['block'])}: {evidence_state(block, t)}"
    return css_name(shown), STYLES[shown].sign, "; ".join([text, *days])


def unknown_blocks(data: DossierData, t: Translations) -> list[tuple[str, str, list[str]]]:
    """Blocks without a fresh and complete answer: style, words of the group, their titles with the reason."""
    groups: dict[str, list[str]] = {}
    for name, block in data.blocks.items():
        shown = block_state(block)
        if shown in (SnapshotState.FOUND, SnapshotState.CLEAN):
            continue
        title = t.label("block", name)
        reason = t.reason(block["reason"])
        if shown == STALE:
            title += f" ({stale_text(block, t).partition(': ')[2]})"
        elif shown == NOT_CONFIRMED:
            reason = reason or t.label("state", str(block["state"]))
            title += f" ({reason})" if block["checked_at"] is None else f" ({reason}; {collected_text(block, t)})"
        elif reason:
            title += f" ({reason})"
        groups.setdefault(shown, []).append(title)
    order = (NOT_CONFIRMED, STALE, NEVER_ASKED, str(SnapshotState.PARTIAL), str(SignalState.NOT_OFFERED))
    return [(css_name(name), t.label("state", name), groups[name]) for name in order if name in groups]


def untold_signals(data: DossierData, t: Translations) -> list[tuple[str, str, list[str]]]:
    """Signals that a fresh and complete answer does not tell, in the form of `unknown_blocks`: no block is to blame."""
    answered = {
        name for name, block in data.blocks.items() if block_state(block) in (SnapshotState.FOUND, SnapshotState.CLEAN)
    }
    title = "title_ru" if t.language == "ru" else "title"
    titles = [
        str(signal[title])
        for signal in data.signals
        if signal["state"] == SignalState.UNKNOWN and signal["block"] in answered
    ]
    return [(css_name(SignalState.UNKNOWN), t.label("state", "not told"), titles)] if titles else []


def empty_text(known: Mapping[str, Row], table: SubjectTable, t: Translations) -> str:
    """Why a table has no rows, by the coverage of its blocks; silence is never worded as an answer."""
    blocks = [known[name] for name in table.blocks if name in known]
    texts = dict.fromkeys(_empty(block, t, name_block=len(blocks) > 1) for block in blocks)
    return " ".join(texts)


def _empty(block: Row, t: Translations, *, name_block: bool) -> str:
    shown = block_state(block)
    days: Mapping[str, Any] = {
        "date": "" if block["checked_at"] is None else t.date(block["checked_at"]),
        "collected": collected_text(block, t),
        "reason": t.reason(block["reason"]) or t.label("state", str(block["state"])),
    }
    if shown == NOT_CONFIRMED:
        key = "unconfirmed" if block["checked_at"] is None else "earlier"
    elif shown == NEVER_ASKED:
        key = "never"
    elif shown == SignalState.NOT_OFFERED:
        key = "not_offered"
    elif shown == STALE:
        key = "stale"
    elif shown == SnapshotState.PARTIAL or block["complete"] is False:
        key = "partial"
    else:
        key = "clean"
    text = t(EMPTY_TEXTS[key], **days)
    return f"{t.label('block', block['block'])}: {text}" if name_block else text


EMPTY_TEXTS: Mapping[str, str] = {
    "clean": "dossier.empty.clean",
    "partial": "dossier.empty.partial",
    "stale": "dossier.empty.stale",
    "unconfirmed": "dossier.empty.unconfirmed",
    "earlier": "dossier.empty.earlier",
    "never": "dossier.empty.never",
    "not_offered": "dossier.empty.not_offered",
}
