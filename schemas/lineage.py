"""The tables of the schema `lineage`, and the files of the archive: one declaration for DDL, frames and dictionary.

The archive holds everything that the warehouse is rebuilt from, so its files have the columns of the lineage tables
that they feed (`answers` those of `responses`, and the body).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import polars as pl

from innspect.schemas.kinds import MONEY

TEXT, INT, TIME, DAY = pl.String(), pl.Int64(), pl.Datetime("us"), pl.Date()
FLAG, BYTES = pl.Boolean(), pl.Binary()

SQL: Mapping[pl.DataType, str] = {
    TEXT: "VARCHAR",
    INT: "BIGINT",
    TIME: "TIMESTAMP",
    DAY: "DATE",
    FLAG: "BOOLEAN",
    MONEY: "DECIMAL(18,2)",
    BYTES: "BLOB",
    pl.Float64(): "DOUBLE",
}


@dataclass(frozen=True, slots=True)
class LineageColumn:
    """A column of a lineage table; `json` is text that is stored as JSON."""

    name: str
    frame: pl.DataType
    description: str
    json: bool = False

    @property
    def sql(self) -> str:
        """The column type of the warehouse."""
        return "JSON" if self.json else SQL[self.frame]


@dataclass(frozen=True, slots=True)
class LineageTable:
    """A table of the schema `lineage`; `key` are the columns by which a row is known."""

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[LineageColumn, ...]

    def schema(self) -> dict[str, pl.DataType]:
        """The polars schema of its rows."""
        return {column.name: column.frame for column in self.columns}


def _table(
    name: str, description: str, key: str, *columns: tuple[str, pl.DataType, str] | LineageColumn
) -> LineageTable:
    cells = tuple(cell if isinstance(cell, LineageColumn) else LineageColumn(*cell) for cell in columns)
    return LineageTable(name, description, tuple(key.split()), cells)


RUN_ID = ("run_id", TEXT, "Run.")
INN_ASKED = ("inn", TEXT, "INN that was asked about.")
METHOD = ("method", TEXT, "Method that was called.")
BLOCK = ("block", TEXT, "Block.")

RUNS = _table(
    "runs",
    "Runs, one row each.",
    "run_id",
    RUN_ID,
    ("started_at", TIME, "When it started, UTC."),
    ("finished_at", TIME, "When it ended, UTC; NULL where it was killed."),
    ("portfolio", TEXT, "Portfolio that it checked."),
    ("profile", TEXT, "Profile that it used."),
    ("budget_rub", MONEY, "Its budget, RUB."),
    ("charged_rub", MONEY, "What its calls were charged, RUB."),
    ("unknown_rub", MONEY, "What calls of unknown outcome may have been charged, RUB."),
    ("exit_code", INT, "Its exit code; NULL where it was killed."),
    ("software_version", TEXT, "Version of innspect and of the declarations that it ran with."),
)
CALLS = _table(
    "calls",
    "Calls that were reserved, one row each, whatever became of them.",
    "call_id",
    ("call_id", TEXT, "Call."),
    RUN_ID,
    INN_ASKED,
    METHOD,
    ("expected_rub", MONEY, "Price that was reserved, RUB."),
    ("charged_rub", MONEY, "Price that was charged, RUB; NULL while it is unknown."),
    ("state", TEXT, "settled, free, unknown or released."),
    ("reserved_at", TIME, "When it was reserved, UTC."),
    ("resolved_at", TIME, "When its outcome was known, UTC."),
    ("http_status", INT, "Status of the answer; NULL without one."),
    ("reason", TEXT, "Why it has no usable answer; NULL where it has one."),
)
RESPONSES = _table(
    "responses",
    "Answers, one row each; the bytes are in raw.responses.",
    "response_id",
    ("response_id", TEXT, "Answer; derived from its call."),
    ("call_id", TEXT, "Call that it answers."),
    RUN_ID,
    INN_ASKED,
    METHOD,
    ("asked_at", TIME, "When the call was sent, UTC."),
    ("received_at", TIME, "When its last byte came, UTC."),
    ("http_status", INT, "Status."),
    ("charged_rub", MONEY, "Price charged, RUB; NULL while unknown."),
    ("balance_rub", MONEY, "Balance that the answer named, RUB."),
    ("bytes", INT, "Length of the body."),
    ("sha256", TEXT, "SHA-256 of the body, hexadecimal."),
    ("archive_file", TEXT, "File of the archive that holds the body."),
)
SNAPSHOTS = _table(
    "snapshots",
    "What each answer was worth for each block: one row per answer and block.",
    "snapshot_id",
    ("snapshot_id", TEXT, "Snapshot; derived from answer and block."),
    ("response_id", TEXT, "Answer."),
    RUN_ID,
    INN_ASKED,
    BLOCK,
    METHOD,
    ("asked_at", TIME, "When it was asked, UTC: the axis of time."),
    ("collected_at", TIME, "When the service had collected it, UTC: the honest freshness."),
    ("from_local", FLAG, "Whether it came from the service's own store."),
    ("state", TEXT, "found, clean, partial, unconfirmed, unavailable, missing or failed."),
    ("reason", TEXT, "Why it is not plainly found or clean."),
    ("version_id", TEXT, "What was known after it; NULL where the answer is no evidence."),
    ("source_date", DAY, "Day of the source's own data set."),
    LineageColumn("marks", TEXT, "What describes the answer and not the company.", json=True),
)
VERSIONS = _table(
    "versions",
    "What was known of an INN and a block: one row per distinct content.",
    "version_id",
    ("version_id", TEXT, "Version; derived from INN, block and content."),
    INN_ASKED,
    BLOCK,
    ("content_hash", TEXT, "Hash of the normalised content."),
    ("first_seen_at", TIME, "When it was first asked and found so, UTC."),
    ("last_seen_at", TIME, "When it was last asked and found so, UTC."),
)
CHANGES = _table(
    "changes",
    "What a re-check found changed: one row per added or removed row and per changed cell.",
    "snapshot_id table_name row_key change column_name",
    RUN_ID,
    ("snapshot_id", TEXT, "Snapshot that showed it."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_key", TEXT, "Key of the row within the company; empty for the block's own row."),
    ("change", TEXT, "added, removed or changed."),
    ("column_name", TEXT, "Column that changed; NULL for a whole row."),
    ("old_value", TEXT, "What was known before."),
    ("new_value", TEXT, "What is known now."),
    ("seen_at", TIME, "When the answer that showed it was asked, UTC."),
    ("severity", TEXT, "info, notice or alert."),
)
VIOLATIONS = _table(
    "violations",
    "Cells that could not be read, or are out of their domain.",
    "snapshot_id table_name row_path column_name rule",
    ("snapshot_id", TEXT, "Snapshot."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_path", TEXT, "Row, as a JSONPath into the block."),
    ("column_name", TEXT, "Column; NULL where the whole row is meant."),
    ("rule", TEXT, "Rule that was broken."),
    ("value", TEXT, "The value as it came."),
)
QUARANTINE = _table(
    "quarantine",
    "Rows that came but cannot stand in core.",
    "snapshot_id table_name row_path",
    ("snapshot_id", TEXT, "Snapshot."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_path", TEXT, "Row, as a JSONPath into the block."),
    ("rule", TEXT, "Rule that was broken."),
    LineageColumn("row", TEXT, "The row, as it was read.", json=True),
)
DRIFT = _table(
    "drift",
    "Ways in which answers differ from what is declared, once per block, path and kind.",
    "block path kind",
    BLOCK,
    ("path", TEXT, "Where: the field's path within the block."),
    (
        "kind",
        TEXT,
        "unknown_field, reserved_filled, duplicate_differs, type_changed, new_value or missing_field.",
    ),
    ("sample", TEXT, "An example, as it came."),
    ("occurrences", INT, "How often."),
    ("first_seen_at", TIME, "When it was first asked and seen, UTC."),
    ("last_seen_at", TIME, "When it was last asked and seen, UTC."),
)
PORTFOLIO_MEMBERS = _table(
    "portfolio_members",
    "Who is watched, and since when.",
    "portfolio inn",
    ("portfolio", TEXT, "Portfolio."),
    ("inn", TEXT, "Member."),
    ("name", TEXT, "Name that the file gives."),
    ("priority", pl.Float64(), "Priority that the file gives; higher goes first."),
    ("tags", TEXT, "Tags that the file gives."),
    LineageColumn("extra", TEXT, "The file's other columns.", json=True),
    ("first_seen_at", TIME, "Start of the first run that saw it, UTC."),
    ("last_seen_at", TIME, "Start of the last run that saw it, UTC."),
)
REJECTED_INPUTS = _table(
    "rejected_inputs",
    "Lines of portfolio files that name no INN to check.",
    "run_id line",
    RUN_ID,
    ("portfolio", TEXT, "Portfolio."),
    ("line", INT, "Line of the file, counted from 1."),
    ("value", TEXT, "What stood there."),
    ("reason", TEXT, "Why it was left out."),
)

LINEAGE: Mapping[str, LineageTable] = MappingProxyType(
    {
        table.name: table
        for table in (
            RUNS,
            CALLS,
            RESPONSES,
            SNAPSHOTS,
            VERSIONS,
            CHANGES,
            VIOLATIONS,
            QUARANTINE,
            DRIFT,
            PORTFOLIO_MEMBERS,
            REJECTED_INPUTS,
        )
    }
)

ARCHIVE: Mapping[str, Mapping[str, pl.DataType]] = MappingProxyType(
    {
        "answers": {
            **{name: frame for name, frame in RESPONSES.schema().items() if name != "archive_file"},
            "masked": FLAG,
            "body": BYTES,
        },
        "calls": CALLS.schema(),
        "runs": RUNS.schema(),
        "members": {
            "run_id": TEXT,
            **{
                name: frame
                for name, frame in PORTFOLIO_MEMBERS.schema().items()
                if name not in {"first_seen_at", "last_seen_at"}
            },
            "seen_at": TIME,
        },
        "rejected": REJECTED_INPUTS.schema(),
    }
)
"""Kinds of archive file and their columns. `masked` says that an echoed API key was blotted out of the body."""

KNOWN: Mapping[str, pl.DataType] = MappingProxyType(
    {name: SNAPSHOTS.schema()[name] for name in ("inn", "block", "asked_at", "state", "reason")}
)
"""What the planner looks at: the latest snapshot of each INN and block, one row each."""
