"""What the published copy leaves out: `publish.exclude` as tables and columns, and the lineage without their values."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from innspect.schemas.errors import SettingsError
from innspect.schemas.tables import Table, tables, tables_of
from innspect.warehouse.ddl import base_tables, quoted, text
from innspect.warehouse.marts.registry import mart_comments

ALWAYS = "raw"
"""The archive's bytes are never published."""
WILD = frozenset("*?[")
STRUCTURE = frozenset({"version_id", "inn"})
NEEDED = {"snapshots": frozenset({"snapshot_id", "inn", "block", "version_id", "asked_at", "collected_at"})}
"""Columns of the lineage that `current` and `as_of` rest on."""
FREE_TEXT = {"violations": "value", "quarantine": "row", "drift": "sample"}
"""Lineage columns that show pieces of an answer, whatever field they are of."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Tables (schema, table) and columns (schema, table, column) that are left out, of core, lineage and mart.

    What is out of `core` is out of `current` and `as_of` too.
    """

    tables: frozenset[tuple[str, str]] = frozenset()
    columns: frozenset[tuple[str, str, str]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    def whole(self, schema: str, table: str) -> bool:
        """Whether the table is out."""
        return (schema, table) in self.tables

    def of(self, schema: str, table: str) -> list[str]:
        """The columns of a table that are out."""
        return sorted(column for s, t, column in self.columns if (s, t) == (schema, table))

    def touches(self) -> bool:
        """Whether marts may rest on something that is out: whether stored tables are concerned."""
        return any(schema != "mart" for schema, *_ in (*self.tables, *self.columns))

    def blocks(self) -> list[str]:
        """The blocks of which something is out."""
        named = {table for schema, table, *_ in (*self.tables, *self.columns) if schema == "core"}
        return sorted({tables()[name].block for name in named})


def exclusion(patterns: Iterable[str]) -> Exclusion:
    """What the patterns name: `schema.table` or `schema.table.column`, `*` standing for any text.

    `core`, `current` and `as_of` are one: what is named in one of them is out of all three. Raises SettingsError for a
    pattern that names nothing, and for one that takes what every view rests on.
    """
    whole: set[tuple[str, str]] = set()
    columns: set[tuple[str, str, str]] = set()
    everything = [
        *((key, [column.name for column in specs]) for key, (_, specs) in base_tables().items()),
        *((("mart", mart), list(names)) for mart, (_, names) in mart_comments().items()),
    ]
    for pattern in patterns:
        found = pattern.split(".")[0] == ALWAYS
        for (schema, table), names in everything:
            spellings = [f"{one}.{table}" for one in (("core", "current", "as_of") if schema == "core" else (schema,))]
            if any(fnmatchcase(one, pattern) for one in spellings):
                _refuse_needed(pattern, schema, table, None)
                whole.add((schema, table))
                found = True
                continue
            for column in names:
                if any(fnmatchcase(f"{one}.{column}", pattern) for one in spellings):
                    found = True
                    if not _structure(pattern, schema, table, column):
                        columns.add((schema, table, column))
        if not found:
            raise SettingsError(
                f"publish.exclude names {pattern}, which is no table or column of the warehouse; "
                "docs/data-dictionary.md lists them.",
                key="publish.exclude",
            )
    return Exclusion(frozenset(whole), frozenset(one for one in columns if one[:2] not in whole))


def _structure(pattern: str, schema: str, table: str, column: str) -> bool:
    """Whether the column holds a table together and so stays; named outright, it is refused."""
    if schema == "core" and (column in STRUCTURE or column in tables()[table].ordinals):
        if not WILD & set(pattern):
            raise SettingsError(
                f"publish.exclude names {pattern}, which holds its table together; leave out the table instead.",
                key="publish.exclude",
            )
        return True
    _refuse_needed(pattern, schema, table, column)
    return False


def _refuse_needed(pattern: str, schema: str, table: str, column: str | None) -> None:
    needed = NEEDED.get(table) if schema == "lineage" else None
    if needed and (column is None or column in needed):
        raise SettingsError(
            f"publish.exclude names {pattern}, which takes lineage.{table}{'.' + column if column else ''}: every view "
            "of today rests on it; name the other tables one by one.",
            key="publish.exclude",
        )


def lineage_cells(name: str, out: Exclusion) -> dict[str, str]:
    """For a lineage table whose cells may show what is out: column and the expression that is published instead."""
    blocks = out.blocks()
    if not blocks:
        return {}
    if name in FREE_TEXT:
        column = quoted(FREE_TEXT[name])
        listed = ", ".join(map(text, blocks))
        return {FREE_TEXT[name]: f"CASE WHEN block NOT IN ({listed}) THEN {column} END"}
    return _change_cells(out, blocks) if name == "changes" else {}


def _change_cells(out: Exclusion, blocks: list[str]) -> dict[str, str]:
    """A change stays, for it happened; what it would show of something that is out does not."""
    hidden, keys, stripped = ["false"], ["false"], ""
    for block in blocks:
        by_name = {table.name: table for table in tables_of(block)}
        for table in by_name.values():
            this = f"table_name = {text(table.name)}"
            if any(_in_key(one, out) for one in _above(table, by_name)):
                keys.append(this)
            names = out.of("core", table.name)
            if out.whole("core", table.name):
                hidden.append(this)
            elif names:
                hidden.append(f"({this} AND column_name IN ({', '.join(map(text, names))}))")
                patch = "{" + ", ".join(f'"{name}": null' for name in names) + "}"
                stripped += f" WHEN {this} AND column_name IS NULL THEN json_merge_patch({{0}}, {text(patch)})::VARCHAR"
    hide, key = " OR ".join(hidden), " OR ".join(keys)
    # coalesce: a whole row has no column_name, and an unknown condition would not be a false one.
    cells = {
        name: f"CASE WHEN coalesce({hide}, false) THEN NULL{stripped.replace('{0}', name)} ELSE {name} END"
        for name in ("old_value", "new_value")
    }
    return {"row_key": f"CASE WHEN {key} THEN NULL ELSE row_key END", **cells}


def _above(table: Table, by_name: dict[str, Table]) -> list[Table]:
    """The table and those around it: a row's key begins with theirs."""
    found = [table]
    while (parent := by_name.get(found[-1].parent)) is not None:
        found.append(parent)
    return found


def _in_key(table: Table, out: Exclusion) -> bool:
    names = set(out.of("core", table.name))
    return bool(table.key) and (out.whole("core", table.name) or any(names & set(entry) for entry in table.key))
