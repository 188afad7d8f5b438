"""The history of a dossier in words: changes, levels and events of registers in one line of time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from innspect.reports.dossier.dossier_data import Row
from innspect.reports.i18n.catalog import DASH, Translations
from innspect.reports.news_query import news_sentence
from innspect.schemas.blocks.company import TERMINATION
from innspect.schemas.catalogue import BLOCKS

TERMINATIONS: Mapping[str, Mapping[str, str]] = {
    language: {code: words[number] for code, words in zip(TERMINATION.values, TERMINATION.words, strict=True)}
    for number, language in enumerate(("ru", "en"))
}
"""By language: the words of the kinds of termination, as in the news."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A day with its kind (`change`, `level`, `event`), and what happened; `severity` only of changes."""

    day: str
    kind: str
    kind_text: str
    severity: str
    text: str
    detail: str


def history_lines(rows: Sequence[Row], signals: Sequence[Row], t: Translations) -> list[HistoryLine]:
    """One line per row, latest first."""
    column = "title_ru" if t.language == "ru" else "title"
    titles = {str(row["signal"]): str(row[column]) for row in signals}
    return [_line(row, titles, t) for row in rows]


def _line(row: Row, titles: Mapping[str, str], t: Translations) -> HistoryLine:
    day = t("dossier.undated") if row["happened_at"] is None else t.date(row["happened_at"])
    kind = str(row["kind"])
    words = {"change": _change, "level": _level, "event": _event}[kind]
    text, detail = words(row, titles, t)
    return HistoryLine(day, kind, t.label("dossier.kind", kind), row["severity"] or "", text, detail)


def _change(row: Row, _titles: Mapping[str, str], t: Translations) -> tuple[str, str]:
    known_until = row["known_until"]
    until = t("command.until", date=t.date(known_until)) if known_until is not None else ""
    return str(row[news_sentence(t.language)]), until


def _level(row: Row, titles: Mapping[str, str], t: Translations) -> tuple[str, str]:
    level = t.label("level", row["level"])
    if row["level_before"] in (None, row["level"]):
        text = t("dossier.history.level", level=level)
    else:
        text = t("dossier.history.moved", before=t.label("level", row["level_before"]), level=level)
    parts: list[str] = []
    for column, key in (("appeared", "dossier.history.appeared"), ("disappeared", "dossier.history.disappeared")):
        if row[column]:
            parts.append(t(key, signals=", ".join(titles.get(str(signal), str(signal)) for signal in row[column])))
    if row["unknown_blocks"]:
        blocks = ", ".join(t.label("block", block) for block in row["unknown_blocks"])
        parts.append(t("dossier.history.unknown", blocks=blocks))
    return text, "; ".join(parts)


def _event(row: Row, _titles: Mapping[str, str], t: Translations) -> tuple[str, str]:
    return event_text(row["text"] or DASH, t), code_text(row["source"], t)


def event_text(event: str, t: Translations) -> str:
    """An event of mart.events: the source's words as they are, a kind of termination in words."""
    return TERMINATIONS[t.language].get(event, event)


def source_text(source: str, t: Translations) -> str:
    """The source of a row on taxes or licences: the card, a register, or a data set of the tax service."""
    if source in ("company", "card"):
        return t("command.card")
    return t("source.tax_service") if source in BLOCKS else t.label("register", source)


def code_text(code: str | None, t: Translations) -> str:
    """The words of a code of a mart; the code itself where the catalogue has none."""
    if code is None:
        return ""
    keys = (f"{group}.{code}" for group in ("code", "kind", "role"))
    return next((t(key) for key in keys if key in t.texts), code.replace("_", " "))
