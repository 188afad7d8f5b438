"""What `publish.exclude` leaves out of the published copy: tables, columns, and their values in the lineage.

A mart may depend on that if its SQL names an excluded column and its table: the SQL of marts names each column that it
reads. Which of its columns do depend is found by computing it with and without, see `innspect.warehouse.publish.marts`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from innspect.schemas.errors import SettingsError
from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import Table, tables, tables_of
from innspect.warehouse.ddl import (
    LATEST,
    LATEST_COLUMNS,
    UNANSWERED,
    UNANSWERED_COLUMNS,
    identifier,
    literal,
    published_tables,
)
from innspect.warehouse.marts.registry import (
    STORED_MARTS,
    STORED_RISK_MARTS,
    USED_TABLE,
    mart_comments,
    mart_dependencies,
    queries_over_stored_marts,
    queries_without_findings,
)

NEVER_PUBLISHED = "raw"
"""Schema of the archive's bytes."""
WILDCARDS = frozenset("*?[")
STRUCTURAL_COLUMNS = frozenset({"version_id", "inn"})
REQUIRED_COLUMNS = {"snapshots": frozenset({"snapshot_id", "inn", "block", "version_id", "asked_at", "collected_at"})}
"""Lineage columns that `current` and `as_of` use."""
VALUE_COLUMNS = {"violations": "value", "quarantine": "row", "drift": "sample"}
"""Lineage columns that contain values of any field of a response."""
JUDGEMENTS = ("assessments", "signal_changes")
"""Lineage tables that contain what risk rules read."""
COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Excluded tables (schema, table) and columns (schema, table, column) of core, lineage and mart.

    An exclusion in `core` applies to `current` and `as_of` too.
    """

    tables: frozenset[tuple[str, str]] = frozenset()
    columns: frozenset[tuple[str, str, str]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    def excludes_table(self, schema: str, table: str) -> bool:
        """Whether the whole table is excluded."""
        return (schema, table) in self.tables

    def excluded_columns(self, schema: str, table: str) -> list[str]:
        """The excluded columns of a table, sorted."""
        return sorted(column for s, t, column in self.columns if (s, t) == (schema, table))

    def affects_stored_tables(self) -> bool:
        """Whether a stored table is concerned, so that marts may depend on excluded data."""
        return any(schema != "mart" for schema, *_ in (*self.tables, *self.columns))

    def affected_blocks(self) -> list[str]:
        """The blocks with an excluded table or column, sorted."""
        names = {table for schema, table, *_ in (*self.tables, *self.columns) if schema == "core"}
        return sorted({tables()[name].block for name in names})


def parse_exclusion(patterns: Iterable[str]) -> Exclusion:
    """Resolve patterns `schema.table` or `schema.table.column` with the wildcard `*`.

    A pattern of `core`, `current` or `as_of` excludes from all three, and what risk rules read also from the stored
    judgements. Raises SettingsError for a pattern that matches
    nothing, and for one that excludes what every view needs.
    """
    excluded: set[tuple[str, str]] = set()
    columns: set[tuple[str, str, str]] = set()
    candidates = [
        *((key, [column.name for column in specs]) for key, (_, specs) in published_tables().items()),
        *((("mart", mart), list(names)) for mart, (_, names) in mart_comments().items()),
    ]
    for pattern in patterns:
        is_matched = pattern.split(".")[0] == NEVER_PUBLISHED
        for (schema, table), names in candidates:
            full_names = [f"{s}.{table}" for s in (("core", "current", "as_of") if schema == "core" else (schema,))]
            if any(fnmatchcase(name, pattern) for name in full_names):
                _check_not_required(pattern, schema, table, None)
                excluded.add((schema, table))
                is_matched = True
                continue
            for column in names:
                if any(fnmatchcase(f"{name}.{column}", pattern) for name in full_names):
                    is_matched = True
                    if not _is_structural(pattern, schema, table, column):
                        columns.add((schema, table, column))
        if not is_matched:
            raise SettingsError(
                f"publish.exclude names {pattern}, which is no table or column of the warehouse; "
                "docs/data-dictionary.md lists them.",
                key="publish.exclude",
            )
    of_core = Exclusion(
        frozenset(key for key in excluded if key[0] == "core"), frozenset(key for key in columns if key[0] == "core")
    )
    if not find_affected_marts(of_core).isdisjoint(STORED_RISK_MARTS):
        excluded |= {("lineage", table) for table in JUDGEMENTS}
    return Exclusion(frozenset(excluded), frozenset(column for column in columns if column[:2] not in excluded))


def _is_structural(pattern: str, schema: str, table: str, column: str) -> bool:
    """Whether the column is kept as a join key. Raises SettingsError if it is named without wildcards."""
    if schema == "core" and (column in STRUCTURAL_COLUMNS or column in tables()[table].ordinals):
        if not WILDCARDS & set(pattern):
            raise SettingsError(
                f"publish.exclude names {pattern}, by which rows are joined; exclude the whole table instead.",
                key="publish.exclude",
            )
        return True
    _check_not_required(pattern, schema, table, column)
    return False


def _check_not_required(pattern: str, schema: str, table: str, column: str | None) -> None:
    required = REQUIRED_COLUMNS.get(table) if schema == "lineage" else None
    if required and (column is None or column in required):
        raise SettingsError(
            f"publish.exclude names {pattern}, which includes lineage.{table}{'.' + column if column else ''}: every "
            "`current` view needs it; name the other tables one by one.",
            key="publish.exclude",
        )


def excluded_of_latest(exclusion: Exclusion) -> list[str]:
    """The columns of `LATEST` that show an excluded column of the snapshots."""
    excluded = set(exclusion.excluded_columns("lineage", "snapshots"))
    names = [column.name for column in LATEST_COLUMNS]
    shown = {name: {name.removeprefix("evidence_")} for name in names} | {"is_whole": {"state"}}
    return [name for name in names if shown[name] & excluded]


def lineage_expressions(name: str, exclusion: Exclusion) -> dict[str, str]:
    """Expressions that replace columns of a lineage table whose cells may contain excluded values."""
    blocks = exclusion.affected_blocks()
    if not blocks:
        return {}
    if name in VALUE_COLUMNS:
        column = identifier(VALUE_COLUMNS[name])
        excluded = ", ".join(map(literal, blocks))
        return {VALUE_COLUMNS[name]: f"CASE WHEN block NOT IN ({excluded}) THEN {column} END"}
    return _change_expressions(exclusion, blocks) if name == "changes" else {}


def _change_expressions(exclusion: Exclusion, blocks: list[str]) -> dict[str, str]:
    """Changes are published, but excluded values in them are not."""
    hidden, keys, stripped = ["false"], ["false"], ""
    for block in blocks:
        by_name = {table.name: table for table in tables_of(block)}
        for table in by_name.values():
            is_table = f"table_name = {literal(table.name)}"
            if any(_is_in_key(parent, exclusion) for parent in _with_parents(table, by_name)):
                keys.append(is_table)
            names = exclusion.excluded_columns("core", table.name)
            if exclusion.excludes_table("core", table.name):
                hidden.append(is_table)
            elif names:
                hidden.append(f"({is_table} AND column_name IN ({', '.join(map(literal, names))}))")
                patch = "{" + ", ".join(f'"{name}": null' for name in names) + "}"
                stripped += (
                    f" WHEN {is_table} AND column_name IS NULL THEN json_merge_patch({{0}}, {literal(patch)})::VARCHAR"
                )
    is_hidden, is_key = " OR ".join(hidden), " OR ".join(keys)
    # coalesce: column_name is NULL for a whole row, and the condition would be NULL instead of false.
    cells = {
        name: f"CASE WHEN coalesce({is_hidden}, false) THEN NULL{stripped.replace('{0}', name)} ELSE {name} END"
        for name in ("old_value", "new_value")
    }
    return {"row_key": f"CASE WHEN {is_key} THEN NULL ELSE row_key END", **cells}


def _with_parents(table: Table, by_name: dict[str, Table]) -> list[Table]:
    """The table and its parents: the key of a row begins with theirs."""
    chain = [table]
    while (parent := by_name.get(chain[-1].parent)) is not None:
        chain.append(parent)
    return chain


def _is_in_key(table: Table, exclusion: Exclusion) -> bool:
    names = set(exclusion.excluded_columns("core", table.name))
    return bool(table.key) and (
        exclusion.excludes_table("core", table.name) or any(names & set(entry) for entry in table.key)
    )


@cache
def find_affected_marts(exclusion: Exclusion) -> frozenset[str]:
    """The marts that may depend on excluded data of the stored tables."""
    if not exclusion.affects_stored_tables():
        return frozenset()
    columns = list(_excluded_columns(exclusion))
    affected: set[str] = set()
    for name, words in _words_of_marts().items():
        of_stored = {mart for mart in STORED_MARTS.values() if mart in words} & affected
        if of_stored or any(words.issuperset(pair) for pair in columns):
            affected.add(name)
    return frozenset(affected)


def find_left_out(exclusion: Exclusion) -> frozenset[str]:
    """The affected marts that are left out as a whole, because they cannot be computed INN by INN.

    A level of risk that was judged without some of the data is no level of risk.
    """
    affected = find_affected_marts(exclusion)
    return frozenset(
        name for name in affected if name in STORED_RISK_MARTS or not mart_dependencies()[name].is_of_one_inn
    )


def find_unfollowed(exclusion: Exclusion) -> frozenset[str]:
    """The affected marts that excluded data may change without a new response about the INN, as that of members does.

    The copy cannot tell which INNs these are.
    """
    replaced = {("lineage", name) for name, table in LINEAGE.items() if not table.is_append_only}
    columns = frozenset(column for column in exclusion.columns if column[:2] in replaced)
    return find_affected_marts(Exclusion(exclusion.tables & replaced, columns))


def _excluded_columns(exclusion: Exclusion) -> Iterator[tuple[str, ...]]:
    """Tables and columns that the copy lacks, or has with other values; tables alone that it lacks."""
    for schema, name in published_tables():
        excluded = set(exclusion.excluded_columns(schema, name))
        if exclusion.excludes_table(schema, name):
            yield (f"{schema}.{name}",)
        elif schema == "lineage":
            excluded |= lineage_expressions(name, exclusion).keys()
        yield from ((f"{schema}.{name}", column) for column in excluded)
    yield from ((f"lineage.{LATEST}", column) for column in excluded_of_latest(exclusion))
    # That a call has no response is said of each block, whatever is published of the calls.
    of_calls = set(exclusion.excluded_columns("lineage", "calls"))
    yield from ((f"lineage.{UNANSWERED}", column.name) for column in UNANSWERED_COLUMNS if column.name in of_calls)


@cache
def _words_of_marts() -> dict[str, frozenset[str]]:
    """The words of the SQL of each mart, without comments, and the tables as `schema.name`, in the order of creation.

    A view of `current` has the columns of the table of `core`.
    """
    words: dict[str, frozenset[str]] = {}
    for name, query in queries_over_stored_marts().items():
        sql = COMMENT.sub("", queries_without_findings()[name] if name in STORED_RISK_MARTS else query)
        used = {f"{schema.replace('current', 'core')}.{table}" for schema, table in USED_TABLE.findall(sql)}
        words[name] = frozenset({*WORD.findall(sql), *used})
    return words
