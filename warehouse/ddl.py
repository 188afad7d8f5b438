"""The DDL of the warehouse, derived from the declarations: tables, comments, `current` views and `as_of` macros."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from innspect.schemas.lineage import CALLS, FINDINGS, LINEAGE
from innspect.schemas.states import COMPLETE, EVIDENCE
from innspect.schemas.tables import Table, tables

SCHEMAS = {
    "core": "Every version of every block.",
    "current": "The latest confirmed version of each INN and block.",
    "as_of": "Table macros: what was known at a given time, by the time of the request.",
    "lineage": "Origin of every row: runs, calls, responses, snapshots, versions, and data quality findings.",
    "mart": "Views for users and BI.",
    "portfolio": "A view for each portfolio: its members with their level, and your own columns, named as in the file.",
    "raw": "The archive.",
}
RECORD_FILES = "_record_files"
"""Internal lineage table: loaded archive files of runs, calls, members and rejected lines."""
BLOCK_DIGESTS = "_bodies"
"""Internal lineage table: digest of the bytes of each block of each response, see `load.block_digests`."""
STORED_LIMITS = "_finding_limits"
"""Internal lineage table: the `limits_version` for which `lineage.findings` has all versions."""
LOADS = "_loads"
"""Internal lineage table: number and random token of each transaction that wrote, see `Warehouse.transaction`."""
LOADS_TABLE = f'lineage."{LOADS}"'
MIRROR_MARK = "_mirror"
"""Internal lineage table of a mirror: what it has of its lake, see `innspect.warehouse.publish.lake_mirror`."""
RISK_SIGNALS, RISK_SCORES = "_risk_signals", "_risk_scores"
"""Internal lineage tables: the stored risk of each INN, see `innspect.warehouse.risk.stored_risk`."""
RISK_NEWS, RISK_CHECKS = "_risk_news", "_risk_checks"
"""Internal lineage tables: INNs whose stored risk is to be checked, and its last check, see
`innspect.warehouse.assessments.risk_news`."""
LATEST = "_latest"
"""Internal lineage table: latest response of each INN and block, see `innspect.warehouse.latest`."""
UNANSWERED = "_unanswered_calls"
"""Internal lineage table: calls of unknown outcome without an archived response, see `innspect.warehouse.latest`."""
ASSESSED_RUNS = "_assessed_runs"
"""Internal lineage table: what each run was assessed from, see `innspect.warehouse.assessments.assess_runs`."""
RISK_SCORE_TYPES: Mapping[str, str] = {
    "inn": "VARCHAR", "load_no": "BIGINT", "judged_at": "TIMESTAMP", "valid_until": "DATE",
    "basis_until": "TIMESTAMP", "basis": "UBIGINT", "card": "UBIGINT", "own_high": "BOOLEAN",
    "level": "VARCHAR", "level_known": "VARCHAR", "level_at_most": "VARCHAR",
    "score": "INTEGER", "score_confirmed": "INTEGER", "score_at_most": "INTEGER", "unknown_blocks": "VARCHAR[]",
    "unknown_since": "TIMESTAMP[]", "never_requested_blocks": "VARCHAR[]", "stale_blocks": "VARCHAR[]",
    "known_part": "VARCHAR", "reasons": "VARCHAR[]", "reasons_ru": "VARCHAR[]",
    "unknown_signals": "VARCHAR[]", "present": "BIGINT", "absent": "BIGINT", "unknown": "BIGINT",
    "never_requested": "BIGINT", "not_offered": "BIGINT", "policy": "VARCHAR", "policy_version": "VARCHAR",
}  # fmt: skip
"""Columns of `RISK_SCORES`, and their types."""
RISK_SIGNAL_TYPES: Mapping[str, str] = {
    "inn": "VARCHAR", "signal": "VARCHAR", "title": "VARCHAR", "title_ru": "VARCHAR", "severity": "VARCHAR",
    "weight": "INTEGER", "group_name": "VARCHAR", "state": "VARCHAR", "confirmed": "BOOLEAN", "reason": "VARCHAR",
    "since": "TIMESTAMP", "since_seen": "BOOLEAN", "evidence": "VARCHAR", "block": "VARCHAR",
    "version_id": "VARCHAR", "policy_version": "VARCHAR",
}  # fmt: skip
"""Columns of `RISK_SIGNALS`, and their types."""
LINKS, LINK_NAMES, LINK_PERSONS = "_links", "_link_names", "_link_persons"
LINK_VALUES, LINK_COMPANIES = "_link_values", "_link_companies"
LINKS_STATE, LINK_ENDS = "_links_state", "_link_ends"
"""Internal lineage tables: the stored links and what they rest on, see `innspect.warehouse.links.stored_links`."""
_CONFIRMATION = {
    "block": "VARCHAR", "version_id": "VARCHAR", "checked_at": "TIMESTAMP", "collected_at": "TIMESTAMP",
    "confirmed": "BOOLEAN", "complete": "BOOLEAN",
}  # fmt: skip
LINK_TYPES: Mapping[str, Mapping[str, str]] = {
    LINKS: {
        "inn": "VARCHAR", "other_inn": "VARCHAR", "kind": "VARCHAR", "via": "VARCHAR", "via_inn": "VARCHAR",
        "name": "VARCHAR", "other_name": "VARCHAR", "other_is_member": "BOOLEAN", "shared": "BOOLEAN",
        "matched_by": "VARCHAR", "status": "VARCHAR", "other_status": "VARCHAR", "historic": "BOOLEAN",
        **_CONFIRMATION, "other_version_id": "VARCHAR",
    },
    LINK_NAMES: {
        "inn": "VARCHAR", "name": "VARCHAR", "is_member": "BOOLEAN", "status": "VARCHAR", "basis": "UBIGINT",
    },
    LINK_PERSONS: {
        "inn": "VARCHAR", "item_inn": "VARCHAR", "name": "VARCHAR", "kinds": "VARCHAR[]", "name_key": "VARCHAR",
        **_CONFIRMATION,
    },
    LINK_VALUES: {"inn": "VARCHAR", "kind": "VARCHAR", "key": "VARCHAR", "value": "VARCHAR", **_CONFIRMATION},
    LINK_COMPANIES: {
        "inn": "VARCHAR", "other_inn": "VARCHAR", "kind": "VARCHAR", "via": "VARCHAR", "via_inn": "VARCHAR",
        "other_name": "VARCHAR", "status": "VARCHAR", "historic": "BOOLEAN", **_CONFIRMATION,
    },
    LINKS_STATE: {"content": "VARCHAR", "snapshots": "BIGINT"},
    LINK_ENDS: {"inn": "VARCHAR", "load_no": "BIGINT"},
}  # fmt: skip
"""Columns of the internal tables of links, and their types."""
NEWS, NEWS_NOTES, NEWS_STATE = "_news", "_news_notes", "_news_state"
"""Internal lineage tables: the stored news, see `innspect.warehouse.news.stored_news`."""
NEWS_TYPES: Mapping[str, Mapping[str, str]] = {
    NEWS: {
        "news_id": "VARCHAR", "seen_at": "TIMESTAMP", "severity": "VARCHAR", "inn": "VARCHAR", "block": "VARCHAR",
        "topic": "VARCHAR", "fact_key": "VARCHAR", "sentence_ru": "VARCHAR", "sentence_en": "VARCHAR",
        "changes": "BIGINT", "known_until": "TIMESTAMP", "run_id": "VARCHAR", "snapshot_id": "VARCHAR",
    },
    NEWS_NOTES: {"inn": "VARCHAR", "block": "VARCHAR", "since": "TIMESTAMP"},
    NEWS_STATE: {"is_stored": "BOOLEAN"},
}  # fmt: skip
"""Columns of the internal tables of news, and their types."""
RISK_NEWS_TYPES: Mapping[str, str] = {"inn": "VARCHAR", "kind": "VARCHAR"}
"""Columns of `RISK_NEWS`, and their types."""
RISK_CHECK_TYPES: Mapping[str, str] = {
    "checked_at": "TIMESTAMP", "policies": "VARCHAR", "answers": "BIGINT", "calls": "BIGINT", "members": "BIGINT",
}  # fmt: skip
"""Columns of `RISK_CHECKS`, and their types."""
COMPUTED_TYPES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "risk": {
        RISK_SIGNALS: RISK_SIGNAL_TYPES,
        RISK_SCORES: RISK_SCORE_TYPES,
        RISK_NEWS: RISK_NEWS_TYPES,
        RISK_CHECKS: RISK_CHECK_TYPES,
    },
    "links": LINK_TYPES,
    "news": NEWS_TYPES,
}
"""Internal lineage tables with rows that the warehouse computes again where they are missing, by kind of rows."""
VERSION_ID = ("version_id", "VARCHAR", "Version that the row belongs to.")
INN = ("inn", "VARCHAR", "INN that was checked.")
CHECKED_AT = ("checked_at", "TIMESTAMP", "Time of the latest request that confirmed this, UTC.")
COLLECTED_AT = ("collected_at", "TIMESTAMP", "When the service collected the data of that response, UTC.")


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column of the warehouse: name, type, comment."""

    name: str
    sql: str
    comment: str


def identifier(name: str) -> str:
    """An SQL identifier in quotes: a name may be a keyword (`date`, `type`), or come from the user's own file."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """An SQL string literal."""
    return "'" + value.replace("'", "''") + "'"


def moscow_day(instant: str) -> str:
    """An SQL expression: the day in Moscow of an instant in UTC, on which registers publish a message.

    It needs neither an extension nor the reader's time zone. Moscow is UTC+3, and was UTC+4 from 27 March 2011 to
    25 October 2014; the registers with instants began in that time.
    """
    is_later = f"{instant} >= TIMESTAMP '2011-03-26 23:00' AND {instant} < TIMESTAMP '2014-10-25 22:00'"
    return f"({instant} + to_hours(CASE WHEN {is_later} THEN 4 ELSE 3 END))::DATE"


def core_columns(table: Table) -> list[ColumnSpec]:
    """The columns of a core table: version, INN, ordinals, fields."""
    columns = [ColumnSpec(*VERSION_ID), ColumnSpec(*INN)]
    columns += [
        ColumnSpec(name, "INTEGER", f"Position in {name.removesuffix('_no')}, counted from 1.")
        for name in table.ordinals
    ]
    for column in table.columns:
        unit = f" [{column.kind.unit}]" if column.kind.unit else ""
        columns.append(ColumnSpec(column.name, column.kind.sql, column.field.description + unit))
    return columns


@cache
def stored_tables() -> dict[tuple[str, str], tuple[str, list[ColumnSpec]]]:
    """(schema, table) of every stored table, with its comment and columns."""
    result: dict[tuple[str, str], tuple[str, list[ColumnSpec]]] = {}
    for table in tables().values():
        result["core", table.name] = (table.description, core_columns(table))
    for lineage in LINEAGE.values():
        columns = [ColumnSpec(c.name, c.sql, c.description) for c in lineage.columns]
        result["lineage", lineage.name] = (lineage.description, columns)
    return result


UNPUBLISHED = frozenset({("lineage", FINDINGS.name)})
"""Stored tables that are not in a published copy: texts made of columns that it may exclude."""


def published_tables() -> dict[tuple[str, str], tuple[str, list[ColumnSpec]]]:
    """The `stored_tables` of a published copy."""
    return {name: table for name, table in stored_tables().items() if name not in UNPUBLISHED}


LATEST_COLUMNS = (
    ColumnSpec(*INN),
    ColumnSpec("block", "VARCHAR", "Block."),
    ColumnSpec("asked_at", "TIMESTAMP", "Time of the latest request, UTC."),
    ColumnSpec("snapshot_id", "VARCHAR", "The latest response."),
    ColumnSpec("state", "VARCHAR", "State of the latest response."),
    ColumnSpec("reason", "VARCHAR", "Why the latest response is not found or clean without reservation."),
    ColumnSpec("method", "VARCHAR", "Method of the latest response."),
    ColumnSpec("version_id", "VARCHAR", "Known version; NULL if no response was evidence."),
    ColumnSpec("evidence_id", "VARCHAR", "The latest response that is evidence."),
    ColumnSpec("evidence_state", "VARCHAR", f"State of that response: {', '.join(EVIDENCE[:-1])} or {EVIDENCE[-1]}."),
    ColumnSpec("evidence_reason", "VARCHAR", "Why that response is not complete; NULL if it is."),
    ColumnSpec(*CHECKED_AT),
    ColumnSpec(*COLLECTED_AT),
    ColumnSpec("source_date", "DATE", "Date of the source's data set in that response; NULL if it has none."),
    ColumnSpec("is_whole", "BOOLEAN", f"Whether any response so far was complete: {' or '.join(COMPLETE)}."),
)


UNANSWERED_COLUMNS = tuple(
    ColumnSpec(column.name, column.sql, column.description)
    for column in CALLS.columns
    if column.name in ("call_id", "run_id", "inn", "method", "reserved_at", "reason")
)


def create_table(schema: str, name: str) -> Iterator[str]:
    """The statements that create one stored table with its comments."""
    comment, columns = stored_tables()[schema, name]
    yield from _create_table_statements(f"{schema}.{identifier(name)}", comment, columns)


def create_latest() -> Iterator[str]:
    """The statements that create the table `LATEST`."""
    comment = "The latest response and the latest evidence, one row per INN and block: computed from lineage.snapshots."
    yield from _create_table_statements(f"lineage.{identifier(LATEST)}", comment, LATEST_COLUMNS)


def create_unanswered_calls() -> Iterator[str]:
    """The statements that create the table `UNANSWERED`."""
    comment = "Calls of unknown outcome without an archived response: computed from lineage.calls."
    yield from _create_table_statements(f"lineage.{identifier(UNANSWERED)}", comment, UNANSWERED_COLUMNS)


def _create_table_statements(table: str, comment: str, columns: Iterable[ColumnSpec]) -> Iterator[str]:
    columns = list(columns)
    body = ", ".join(f"{identifier(column.name)} {column.sql}" for column in columns)
    yield f"CREATE TABLE IF NOT EXISTS {table} ({body})"
    yield f"COMMENT ON TABLE {table} IS {literal(comment)}"
    for column in columns:
        yield f"COMMENT ON COLUMN {table}.{identifier(column.name)} IS {literal(column.comment)}"


def create_views(table: Table) -> Iterator[str]:
    """The `current` view and the `as_of` macro of a table."""
    name = identifier(table.name)
    select = f"SELECT t.*, l.checked_at, l.collected_at FROM core.{name} t"
    of_block = f"block = {literal(table.block)}"
    versions = (
        "SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, "
        "arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots "
        f"WHERE version_id IS NOT NULL AND {of_block} AND asked_at <= moment GROUP BY inn, block"
    )
    yield (
        f"CREATE OR REPLACE VIEW current.{name} AS {select} "
        f"JOIN lineage.{identifier(LATEST)} l ON l.version_id = t.version_id AND l.{of_block}"
    )
    yield f"COMMENT ON VIEW current.{name} IS {literal('Latest confirmed: ' + table.description)}"
    for column in [*core_columns(table), ColumnSpec(*CHECKED_AT), ColumnSpec(*COLLECTED_AT)]:
        yield f"COMMENT ON COLUMN current.{name}.{identifier(column.name)} IS {literal(column.comment)}"
    yield (
        f"CREATE OR REPLACE MACRO as_of.{name}(moment) AS TABLE {select} "
        f"JOIN ({versions}) l ON l.version_id = t.version_id"
    )


def ddl_statements() -> Iterator[str]:
    """The whole DDL, in order. Idempotent."""
    for schema in SCHEMAS:
        yield f"CREATE SCHEMA IF NOT EXISTS {schema}"
    for schema, name in stored_tables():
        yield from create_table(schema, name)
    yield f"CREATE TABLE IF NOT EXISTS lineage.{identifier(RECORD_FILES)} (archive_file VARCHAR)"
    digests = f"lineage.{identifier(BLOCK_DIGESTS)}"
    yield f"CREATE TABLE IF NOT EXISTS {digests} (response_id VARCHAR, block VARCHAR, digest UBIGINT)"
    yield f"CREATE TABLE IF NOT EXISTS lineage.{identifier(STORED_LIMITS)} (limits_version VARCHAR)"
    yield (
        f"CREATE TABLE IF NOT EXISTS lineage.{identifier(ASSESSED_RUNS)} "
        "(run_id VARCHAR, assessed_at TIMESTAMP, attempts BIGINT, members BIGINT)"
    )
    yield f"CREATE TABLE IF NOT EXISTS {LOADS_TABLE} (load_no BIGINT, token VARCHAR)"
    for kind in COMPUTED_TYPES.values():
        for name, types in kind.items():
            columns = ", ".join(f"{identifier(column)} {sql}" for column, sql in types.items())
            yield f"CREATE TABLE IF NOT EXISTS lineage.{identifier(name)} ({columns})"
    yield from create_latest()
    yield from create_unanswered_calls()
    for table in tables().values():
        yield from create_views(table)


@cache
def fingerprint() -> str:
    """Version of the declarations: a hash of their DDL."""
    return sha256("\n".join(ddl_statements()).encode()).hexdigest()[:12]
