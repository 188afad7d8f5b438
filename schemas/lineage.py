"""The tables of the schema `lineage`, and the files of the archive: one declaration for DDL, frames and dictionary.

The warehouse is rebuilt from the archive, so an archive file has the columns of the lineage table that it feeds
(`answers` those of `responses`, and the body).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import polars as pl

from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.kinds import MONEY
from innspect.schemas.states import CallState, Level, MemberEntry, SignalState, SnapshotState

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
    pl.List(TEXT): "VARCHAR[]",
}


@dataclass(frozen=True, slots=True)
class LineageColumn:
    """A column of a lineage table; `json`: text with the column type JSON."""

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
    """A table of the schema `lineage`; `key`: the columns that identify a row."""

    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[LineageColumn, ...]
    is_append_only: bool = False
    """Whether its rows are never updated or deleted, except that a rebuild replaces the warehouse."""

    def schema(self) -> dict[str, pl.DataType]:
        """The polars schema of its rows."""
        return {column.name: column.frame for column in self.columns}


def _table(
    name: str,
    description: str,
    key: str,
    *columns: tuple[str, pl.DataType, str] | LineageColumn,
    is_append_only: bool = False,
) -> LineageTable:
    cells = tuple(cell if isinstance(cell, LineageColumn) else LineageColumn(*cell) for cell in columns)
    return LineageTable(name, description, tuple(key.split()), cells, is_append_only)


def _one_of(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}."


RUN_ID = ("run_id", TEXT, "Run.")
INN_ASKED = ("inn", TEXT, "Requested INN.")
METHOD = ("method", TEXT, "Method that was called.")
BLOCK = ("block", TEXT, "Block.")

RUNS = _table(
    "runs",
    "Runs, one row each.",
    "run_id",
    RUN_ID,
    ("started_at", TIME, "When it started, UTC."),
    ("finished_at", TIME, "When it ended, UTC; NULL if it was killed."),
    ("portfolio", TEXT, "Portfolio that it checked."),
    ("profile", TEXT, "Profile that it used."),
    ("budget_rub", MONEY, "Its budget, RUB."),
    ("charged_rub", MONEY, "What its calls were charged, RUB."),
    ("unknown_rub", MONEY, "Price of calls whose charge is unknown, RUB."),
    ("exit_code", INT, "Its exit code; NULL if it was killed."),
    ("software_version", TEXT, "Version of innspect and of the declarations that it ran with."),
)
CALLS = _table(
    "calls",
    "Reserved calls with any outcome, one row each.",
    "call_id",
    ("call_id", TEXT, "Call."),
    RUN_ID,
    INN_ASKED,
    METHOD,
    ("expected_rub", MONEY, "Price that was reserved, RUB."),
    ("charged_rub", MONEY, "Price that was charged, RUB; NULL while it is unknown."),
    ("state", TEXT, _one_of(state for state in CallState if state != CallState.RESERVED)),
    ("reserved_at", TIME, "When it was reserved, UTC."),
    ("resolved_at", TIME, "When its outcome was recorded, UTC."),
    ("http_status", INT, "HTTP status of the response; NULL without one."),
    ("reason", TEXT, "Why it has no usable response; NULL if it has one."),
)
RESPONSES = _table(
    "responses",
    "Responses, one row each; the bytes are in raw.responses.",
    "response_id",
    ("response_id", TEXT, "Response; derived from its call."),
    ("call_id", TEXT, "Call of the response."),
    RUN_ID,
    INN_ASKED,
    METHOD,
    ("asked_at", TIME, "When the call was sent, UTC."),
    ("received_at", TIME, "When its last byte was received, UTC."),
    ("http_status", INT, "HTTP status."),
    (
        "charged_rub",
        MONEY,
        "Price when it was archived, RUB; NULL if unknown then. Settled prices are in lineage.calls.",
    ),
    ("balance_rub", MONEY, "Balance in the response, RUB."),
    ("bytes", INT, "Length of the body."),
    ("sha256", TEXT, "SHA-256 of the body, hexadecimal."),
    ("archive_file", TEXT, "File of the archive that holds the body."),
)
SNAPSHOTS = _table(
    "snapshots",
    "Coverage of each block in each response: one row per response and block.",
    "snapshot_id",
    ("snapshot_id", TEXT, "Snapshot; derived from response and block."),
    ("response_id", TEXT, "Response."),
    RUN_ID,
    INN_ASKED,
    BLOCK,
    METHOD,
    ("asked_at", TIME, "When it was requested, UTC: the time axis."),
    (
        "collected_at",
        TIME,
        "When the service collected it, UTC: the actual freshness; NULL if its own store does not say.",
    ),
    ("from_local", FLAG, "Whether it is from the service's own store."),
    ("state", TEXT, _one_of(SnapshotState)),
    ("reason", TEXT, "Why the state is not found or clean; of one that was found, that a list is full."),
    ("version_id", TEXT, "Version after it; NULL if the snapshot is no evidence."),
    ("source_date", DAY, "Day of the source's data set."),
    LineageColumn("marks", TEXT, "Values that describe the response and not the company.", json=True),
    (
        "base_version_id",
        TEXT,
        "Another version whose rows and values its version keeps where the response lacks them; NULL if there is none.",
    ),
    is_append_only=True,
)
VERSIONS = _table(
    "versions",
    "Content known of an INN and block: one row per distinct content.",
    "version_id",
    ("version_id", TEXT, "Version; derived from INN, block and content."),
    INN_ASKED,
    BLOCK,
    ("content_hash", TEXT, "Hash of the normalised content."),
    ("first_seen_at", TIME, "When it was first requested and had this content, UTC."),
    ("last_seen_at", TIME, "When it was last requested and had this content, UTC."),
)
CHANGES = _table(
    "changes",
    "Changes found by a repeated request: one row per added or removed row and per changed cell.",
    "snapshot_id table_name row_key change column_name",
    RUN_ID,
    ("snapshot_id", TEXT, "Snapshot with the change."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_key", TEXT, "Key of the row within the company; empty for the block's own row."),
    ("change", TEXT, "added, removed or changed."),
    ("column_name", TEXT, "Column that changed; NULL for a whole row."),
    ("old_value", TEXT, "Value before the change."),
    ("new_value", TEXT, "Value after the change."),
    ("seen_at", TIME, "When the response with the change was requested, UTC."),
    ("severity", TEXT, _one_of(SEVERITY_RANKS)),
    is_append_only=True,
)
KEPT_ROWS = _table(
    "kept_rows",
    "Rows of a merged version that its snapshot did not contain: of the block's own lists, one row each, and leaves.",
    "snapshot_id table_name row_no",
    ("snapshot_id", TEXT, "Snapshot that was merged into what was known before."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table of the list in core."),
    (
        "row_no",
        INT,
        "Ordinal of the row in the version; NULL: leaves, or all rows of a list that the method does not carry.",
    ),
    is_append_only=True,
)
VIOLATIONS = _table(
    "violations",
    "Cells that are unreadable or out of their domain.",
    "snapshot_id table_name row_path column_name rule",
    ("snapshot_id", TEXT, "Snapshot."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_path", TEXT, "Row, as a JSONPath into the block."),
    ("column_name", TEXT, "Column; NULL for the whole row."),
    ("rule", TEXT, "Rule that was broken."),
    ("value", TEXT, "The value as received."),
    is_append_only=True,
)
QUARANTINE = _table(
    "quarantine",
    "Rows that were received and cannot be stored in core.",
    "snapshot_id table_name row_path",
    ("snapshot_id", TEXT, "Snapshot."),
    INN_ASKED,
    BLOCK,
    ("table_name", TEXT, "Table."),
    ("row_path", TEXT, "Row, as a JSONPath into the block."),
    ("rule", TEXT, "Rule that was broken."),
    LineageColumn("row", TEXT, "The row as decoded.", json=True),
    is_append_only=True,
)
DRIFT = _table(
    "drift",
    "Differences between responses and declarations, one row per block, path and kind.",
    "block path kind",
    BLOCK,
    ("path", TEXT, "Path of the field in the block."),
    (
        "kind",
        TEXT,
        "unknown_field, reserved_filled, duplicate_differs, type_changed, new_value or missing_field.",
    ),
    ("sample", TEXT, "An example as received."),
    ("occurrences", INT, "Number of occurrences."),
    ("first_seen_at", TIME, "When the first response with it was requested, UTC."),
    ("last_seen_at", TIME, "When the last response with it was requested, UTC."),
)
PORTFOLIO_MEMBERS = _table(
    "portfolio_members",
    "Members of portfolios, one row per portfolio and INN.",
    "portfolio inn",
    ("portfolio", TEXT, "Portfolio."),
    ("inn", TEXT, "Member."),
    ("name", TEXT, "Name in the file."),
    ("priority", pl.Float64(), "Priority in the file; the highest is requested first."),
    ("tags", TEXT, "Tags in the file."),
    LineageColumn("extra", TEXT, "The file's other columns.", json=True),
    ("first_seen_at", TIME, "Start of the first run with it, UTC."),
    ("last_seen_at", TIME, "Start of the last run with it, UTC."),
    (
        "left_at",
        TIME,
        "When it left, UTC: at the first later reading of the file without it, or its removal; NULL for a member.",
    ),
)
PORTFOLIO_LISTINGS = _table(
    "portfolio_listings",
    "Readings of portfolio files, one row per portfolio and time: who is not in the latest one is no member any more.",
    "portfolio listed_at",
    ("portfolio", TEXT, "Portfolio."),
    ("listed_at", TIME, "Start of the run that read the file, UTC."),
    RUN_ID,
    ("members", INT, "Members in the file."),
)
REJECTED_INPUTS = _table(
    "rejected_inputs",
    "Lines of portfolio files without an INN to check.",
    "run_id line",
    RUN_ID,
    ("portfolio", TEXT, "Portfolio."),
    ("line", INT, "Line of the file, counted from 1."),
    ("value", TEXT, "Value in the line."),
    ("reason", TEXT, "Why it was skipped."),
)
POLICIES = _table(
    "policies",
    "Risk policies that this warehouse was judged by, one row per version and name.",
    "policy_version name",
    ("policy_version", TEXT, "Version: hash of everything that a level depends on."),
    ("name", TEXT, "Name in the policy file."),
    ("position", INT, "Precedence, counted from 1; the default is last; NULL if it is no longer in use."),
    LineageColumn("portfolios", TEXT, "Portfolios whose members it judges, a list.", json=True),
    LineageColumn("tags", TEXT, "Tags of the members that it judges, a list.", json=True),
    LineageColumn("policy", TEXT, "The effective policy.", json=True),
    ("first_used_at", TIME, "When it was first stored, UTC."),
)
FINDINGS = _table(
    "findings",
    "What risk rules find in a version, one row per version, limits and signal; not published. Without a row: absent, "
    "or the rule looks at the day.",
    "version_id limits_version signal",
    ("version_id", TEXT, "Version."),
    INN_ASKED,
    ("limits_version", TEXT, "Hash of the limits of the policy and of the rules that found it."),
    ("signal", TEXT, "Signal of mart.risk_rules."),
    ("present", FLAG, "Whether the version shows it; NULL if it does not say."),
    ("amount", pl.Float64(), "Sum that is judged against the company's size, RUB; NULL if unknown or not judged."),
    ("began", TIME, "First date of the facts; NULL if the version does not say."),
    ("evidence", TEXT, "What shows it, in short."),
    ("facts", pl.List(TEXT), "Keys of the single facts; NULL if the rule has none."),
)
POLICY_VERSION = ("policy_version", TEXT, "Version of the policy that judged.")
ASSESSED_AT = ("assessed_at", TIME, "Time of the judgement, UTC: that of the run's latest request.")
ASSESSMENTS = _table(
    "assessments",
    "Risk after each run: one row per run and INN that the run brought news of, or whose link to another one changed.",
    "run_id inn",
    RUN_ID,
    ("inn", TEXT, "INN that was judged."),
    ASSESSED_AT,
    ("level", TEXT, _one_of(Level)),
    ("level_known", TEXT, "Level of the signals that are present."),
    ("level_at_most", TEXT, "Level if every unknown or never requested signal were present."),
    ("score", INT, "Sum over groups of the largest weight of a signal that is present."),
    ("score_at_most", INT, "The same if every unknown or never requested signal were present."),
    LineageColumn("unknown_blocks", TEXT, "Required blocks without a fresh answer, a list.", json=True),
    LineageColumn("stale_blocks", TEXT, "Blocks whose evidence was older than the policy allows, a list.", json=True),
    LineageColumn("states", TEXT, "State of each signal that is not absent, an object.", json=True),
    LineageColumn("facts", TEXT, "Keys of the facts of each signal that is present, an object of lists.", json=True),
    ("own_high", FLAG, "Whether its signals without links to others reach high; NULL if unknown ones may."),
    POLICY_VERSION,
)
SIGNAL_CHANGES = _table(
    "signal_changes",
    "Changes of signals and levels: one row per run, INN and signal, or `level`.",
    "run_id inn signal",
    RUN_ID,
    ("inn", TEXT, "INN that was judged."),
    ("signal", TEXT, "Signal of mart.risk_rules, or `level`."),
    ("from_state", TEXT, "State or level before; NULL at the first assessment, which lists only what is present."),
    ("to_state", TEXT, f"State or level after: {_one_of(SignalState)} Present after present: a further fact."),
    ("severity", TEXT, _one_of(SEVERITY_RANKS)),
    ("evidence", TEXT, "What shows it; of a level the signals that appeared."),
    ("snapshot_id", TEXT, "Snapshot that decided; of a level that of the heaviest signal that appeared."),
    POLICY_VERSION,
    ASSESSED_AT,
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
            KEPT_ROWS,
            VIOLATIONS,
            QUARANTINE,
            DRIFT,
            PORTFOLIO_MEMBERS,
            PORTFOLIO_LISTINGS,
            REJECTED_INPUTS,
            POLICIES,
            FINDINGS,
            ASSESSMENTS,
            SIGNAL_CHANGES,
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
                if name not in {"first_seen_at", "last_seen_at", "left_at"}
            },
            "seen_at": TIME,
            "entry": TEXT,
        },
        "rejected": REJECTED_INPUTS.schema(),
        "policies": {
            "run_id": TEXT,
            **{name: frame for name, frame in POLICIES.schema().items() if name != "position"},
        },
    }
)
"""Kinds of archive file and their columns. `masked`: an API key that the service repeated is masked in the body.

`entry`: see `MemberEntry`.
"""
ADDED_ARCHIVE_COLUMNS: Mapping[str, Mapping[str, str]] = MappingProxyType({"members": {"entry": MemberEntry.FILE}})
"""Columns that archive files of earlier versions lack, by kind, and the value that stands for all of their rows."""
