"""A dossier as XLSX: every row of every table, the signals, the blocks, the history and the proof."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

from xlsxwriter import Workbook

from innspect.reports.card_text import ogrn_label
from innspect.reports.dossier.block_text import evidence_state
from innspect.reports.dossier.dossier_data import DossierData, Row
from innspect.reports.dossier.dossier_page import column_label, display_name
from innspect.reports.dossier.history import code_text, event_text, history_lines, source_text
from innspect.reports.dossier.subjects import SUBJECTS, Kind
from innspect.reports.i18n.catalog import Translations
from innspect.reports.workbook_sheets import WORKBOOK_OPTIONS, WorkbookSheets


def write_workbook(data: DossierData, t: Translations) -> bytes:
    """The bytes of the workbook, the same for the same data: text is no formula, instants are in the zone of `t`."""
    out = BytesIO()
    book = Workbook(out, WORKBOOK_OPTIONS)
    book.set_properties({"title": t("dossier.title", name=display_name(data, t), inn=data.inn), "created": data.moment})
    sheets = WorkbookSheets(book, t)
    sheets.add(t("dossier.sheet.summary"), None, _summary(data, t))
    sheets.add(t("signals"), [t(key) for key in SIGNAL_HEADS], _signals(data, t))
    sheets.add(t("blocks"), [t(key) for key in BLOCK_HEADS], _localize(_blocks(data, t), t))
    for subject in SUBJECTS:
        for table in subject.tables:
            rows = data.tables[table.name]
            heads = [*(column_label(name, t) for name in table.columns), t("confirmed")]
            cells = ([*_cells(row, table.columns, t), row["confirmed"]] for row in rows)
            sheets.add(t.label("table", table.name), heads, _localize(cells, t))
    history = (
        [_moment(row, t), line.kind_text, line.text, line.detail]
        for row, line in zip(data.history, history_lines(data.history, data.signals, t), strict=True)
    )
    sheets.add(t("timeline"), [t("column.date"), t("column.kind"), t("column.what"), t("where")], history)
    columns = EVIDENCE_COLUMNS
    proof = (
        [[t.label("block", block) for block in row[name]] if name == "used_blocks" else row[name] for name in columns]
        for row in data.evidence
    )
    sheets.add(t("dossier.evidence"), [column_label(name, t) for name in columns], _localize(proof, t))
    book.close()
    return out.getvalue()


SIGNAL_HEADS = (
    "signal",
    "state",
    "reason",
    "severity",
    "evidence",
    "since",
    "since_seen",
    "block",
    "collected_at",
    "source_date",
)
BLOCK_HEADS = ("block", "state", "asked_at", "collected_at", "source_date")
EVIDENCE_COLUMNS = (
    "method", "asked_at", "collected_at", "charged_rub", "http_status", "bytes", "sha256", "response_id",
    "archive_file", "run_id", "used_blocks",
)  # fmt: skip


def _summary(data: DossierData, t: Translations) -> list[list[Any]]:
    card = data.card or {}
    return [
        [t("name"), data.profile["name"]],
        [t("inn"), data.inn],
        [ogrn_label(data.inn, t), card.get("ogrn")],
        [t("column.kpp"), card.get("kpp")],
        [t("card.director"), data.profile["director"]],
        [t("card.address"), data.profile["address"]],
        [t("dossier.level"), t.label("level", data.score["level"])],
        [t("score"), data.score["score"]],
        [t("score_most"), data.score["score_at_most"]],
        [
            t("dossier.judged", at=t.date_time(data.score["assessed_at"]), policy=data.policy.name,
              version=data.policy.version, software=data.software_version),
        ],
        [t("dossier.as_of", at=t.date_time(data.moment, seconds=True), zone=t.zone)],
        [t("dossier.zone", zone=t.zone)],
        [t("dossier.hash"), data.sha256],
    ]  # fmt: skip


def _signals(data: DossierData, t: Translations) -> Iterable[list[Any]]:
    title = "title_ru" if t.language == "ru" else "title"
    for row in data.signals:
        yield [
            row[title], t.label("state", row["state"]), t.reason(row["reason"]), t.label("severity", row["severity"]),
            t.signal_evidence(row["evidence"]), _local(row["since"], t) if row["since_seen"] else row["since"],
            row["since_seen"], t.label("block", row["block"]), _local(row["collected_at"], t), row["source_date"],
        ]  # fmt: skip


def _blocks(data: DossierData, t: Translations) -> Iterable[list[Any]]:
    for name, row in data.blocks.items():
        yield [
            t.label("block", name), evidence_state(row, t), row["asked_at"], row["collected_at"], row["source_date"]
        ]  # fmt: skip


def _localize(rows: Iterable[list[Any]], t: Translations) -> Iterable[list[Any]]:
    return ([_local(value, t) for value in row] for row in rows)


def _local(value: Any, t: Translations) -> Any:
    """An instant, which is UTC, in the zone of the document as on its page; any other value as it is."""
    if not isinstance(value, datetime):
        return value
    return value.replace(tzinfo=UTC).astimezone(ZoneInfo(t.zone)).replace(tzinfo=None)


def _moment(row: Row, t: Translations) -> Any:
    """When something of the history happened; of an event, of which only the day may be known, the day."""
    moment = _local(row["happened_at"], t)
    return moment.date() if row["kind"] == "event" and moment is not None else moment


def _cells(row: Mapping[str, Any], columns: Mapping[str, Kind], t: Translations) -> list[Any]:
    words = {Kind.CODE: code_text, Kind.EVENT: event_text, Kind.SOURCE: source_text}
    return [
        words[kind](row[name], t) if kind in words and isinstance(row[name], str) else row[name]
        for name, kind in columns.items()
    ]
