"""A dossier as XLSX: every row of every table, the signals, the blocks, the history and the proof."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from io import BytesIO
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from innspect.reports.dossier.block_text import evidence_state
from innspect.reports.dossier.dossier_data import DossierData
from innspect.reports.dossier.dossier_page import column_label, display_name
from innspect.reports.dossier.history import code_text, history_lines
from innspect.reports.dossier.subjects import SUBJECTS, Kind
from innspect.reports.i18n.catalog import Translations
from innspect.warehouse.export.xlsx import FIRST_DATE, FORBIDDEN_IN_SHEET_NAME, MAX_CELL_CHARS, MAX_SHEET_NAME_CHARS

MIN_WIDTH, MAX_WIDTH = 9, 60


def write_workbook(data: DossierData, t: Translations) -> bytes:
    """The bytes of the workbook: the same for the same data. Text is never a formula."""
    out = BytesIO()
    book = Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"title": t("dossier.title", name=display_name(data, t), inn=data.inn), "created": data.moment})
    sheets = _Sheets(book)
    sheets.add(t("dossier.sheet.summary"), None, _summary(data, t))
    sheets.add(t("signals"), [t(key) for key in SIGNAL_HEADS], _signals(data, t))
    sheets.add(t("blocks"), [t(key) for key in BLOCK_HEADS], _blocks(data, t))
    for subject in SUBJECTS:
        for table in subject.tables:
            rows = data.tables[table.name]
            heads = [*(column_label(name, t) for name in table.columns), t("confirmed")]
            cells = ([*_cells(row, table.columns, t), row["confirmed"]] for row in rows)
            sheets.add(t.label("table", table.name), heads, cells)
    history = (
        [row["happened_at"], line.kind_text, line.text, line.detail]
        for row, line in zip(data.history, history_lines(data.history, data.signals, t), strict=True)
    )
    sheets.add(t("timeline"), [t("column.date"), t("column.kind"), t("column.what"), t("where")], history)
    columns = EVIDENCE_COLUMNS
    proof = ([row[name] for name in columns] for row in data.evidence)
    sheets.add(t("dossier.evidence"), [column_label(name, t) for name in columns], proof)
    book.close()
    return out.getvalue()


SIGNAL_HEADS = ("signal", "state", "reason", "severity", "evidence", "since", "block", "collected_at", "source_date")
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
        [t("column.ogrn"), card.get("ogrn")],
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
        [t("dossier.hash"), data.sha256],
    ]  # fmt: skip


def _signals(data: DossierData, t: Translations) -> Iterable[list[Any]]:
    title = "title_ru" if t.language == "ru" else "title"
    for row in data.signals:
        yield [
            row[title], t.label("state", row["state"]), t.reason(row["reason"]), t.label("severity", row["severity"]),
            t.signal_evidence(row["evidence"]), row["since"], t.label("block", row["block"]), row["collected_at"],
            row["source_date"],
        ]  # fmt: skip


def _blocks(data: DossierData, t: Translations) -> Iterable[list[Any]]:
    for name, row in data.blocks.items():
        yield [
            t.label("block", name), evidence_state(row, t), row["asked_at"], row["collected_at"], row["source_date"]
        ]  # fmt: skip


def _cells(row: Mapping[str, Any], columns: Mapping[str, Kind], t: Translations) -> list[Any]:
    return [
        code_text(row[name], t) if kind == Kind.CODE and isinstance(row[name], str) else row[name]
        for name, kind in columns.items()
    ]


class _Sheets:
    """The sheets of a workbook; names are made valid and unique."""

    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.day = book.add_format({"num_format": "yyyy-mm-dd"})
        self.moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.money = book.add_format({"num_format": "#,##0.00"})
        self.names = set[str]()

    def add(self, title: str, heads: Sequence[str] | None, rows: Iterable[Sequence[Any]]) -> None:
        sheet: Worksheet = self.book.add_worksheet(self._name(title))
        widths: dict[int, int] = {}
        start = 0
        if heads is not None:
            for column, head in enumerate(heads):
                sheet.write_string(0, column, head, self.head)
                widths[column] = len(head)
            sheet.freeze_panes(1, 0)
            start = 1
        for number, row in enumerate(rows, start):
            for column, value in enumerate(row):
                widths[column] = max(widths.get(column, 0), self._write(sheet, number, column, value))
        for column, width in widths.items():
            sheet.set_column(column, column, min(MAX_WIDTH, max(MIN_WIDTH, width + 2)))

    def _name(self, title: str) -> str:
        clean = FORBIDDEN_IN_SHEET_NAME.sub(" ", title)[:MAX_SHEET_NAME_CHARS]
        name, number = clean, 2
        while name.lower() in self.names:
            name, number = f"{clean[: MAX_SHEET_NAME_CHARS - 3]} {number}", number + 1
        self.names.add(name.lower())
        return name

    def _write(self, sheet: Worksheet, row: int, column: int, value: Any) -> int:
        """Write a value and return the width of its text."""
        match value:
            case None:
                return 0
            case bool():
                sheet.write_boolean(row, column, value)
                return 6
            case int() | float():
                sheet.write_number(row, column, value)
            case Decimal():
                sheet.write_number(row, column, float(value), self.money)
            case datetime() if value.date() >= FIRST_DATE:
                sheet.write_datetime(row, column, value, self.moment)
            case date() if not isinstance(value, datetime) and value >= FIRST_DATE:
                sheet.write_datetime(row, column, datetime.combine(value, time()), self.day)
            case list():
                return self._write(sheet, row, column, ", ".join(map(str, value)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            case _:
                sheet.write_string(row, column, str(value)[:MAX_CELL_CHARS])
        return len(str(value))
