"""`lineage.findings`: what the rules find in a version, stored once when the version is loaded.

Only rules that do not look at the day of judgement are stored, for each set of limits of the current policies; the
others are evaluated at each reading. Both use the one SQL of the rule.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

import duckdb
import polars as pl

from innspect.schemas.lineage import FINDINGS
from innspect.schemas.tables import Table, tables
from innspect.warehouse.ddl import STORED_LIMITS, identifier, literal
from innspect.warehouse.risk.policy_sql import (
    BLOCK_NUMBERS,
    NUMBERS,
    VERSION_RULES,
    evaluate_query,
    limit_columns,
)
from innspect.warehouse.risk.rule import Rule
from innspect.warehouse.risk.version_figures import block_figures

FINDINGS_TABLE = f"lineage.{FINDINGS.name}"
LIMITS_TABLE = f"lineage.{identifier(STORED_LIMITS)}"
MAX_VERSIONS = 20_000
"""Versions that one statement evaluates: memory grows with their lists."""
CORE_TABLE = re.compile(r'\bcore\."?(\w+)"?')
READ_LIMIT = re.compile(r"\bp\.([a-z_]+__[a-z_]+)")
ANY_DAY = "DATE '2000-01-01'"
"""Stored rules do not look at the day, but their SQL joins figures by it."""


def looks_at_day(rule: Rule) -> bool:
    """Whether the finding in a version may differ from day to day, by the SQL of the rule and of its figures."""
    return any("v.day" in text for text in rule_sql(rule))


def rule_sql(rule: Rule) -> tuple[str, ...]:
    """The expressions of a rule that reads one version, and of the figures that they read."""
    figures = {name: text for columns in block_figures(rule.block).values() for name, text in columns.items()}
    return (*rule.parts, *(figures[name] for name in sorted(rule.figures)))


STORED_RULES = tuple(rule for rule in VERSION_RULES if not looks_at_day(rule))
DAILY_RULES = tuple(rule for rule in VERSION_RULES if looks_at_day(rule))
READ_TABLES = frozenset(CORE_TABLE.findall(evaluate_query(STORED_RULES)))
"""The tables of `core` that stored rules read."""
BLOCKS = tuple(dict.fromkeys(rule.block for rule in STORED_RULES))


def limits_version_sql() -> str:
    """An expression over `policy`: hash of the limits that stored rules read, and of the SQL of those rules."""
    query = evaluate_query(STORED_RULES)
    software = sha256(query.encode()).hexdigest()[:12]
    limits = limit_columns()
    texts = ", ".join(f"coalesce(({limits[name]})::VARCHAR, 'none')" for name in sorted(set(READ_LIMIT.findall(query))))
    return f"left(md5(concat_ws(',', {literal(software)}, {texts})), 12)"


def _limits_query() -> str:
    """The limits of the current policies as rows of `policy_limits`, by `limits_version` in place of the policy's."""
    limits = ", ".join(f"{expression} AS {name}" for name, expression in limit_columns().items())
    return (
        f"SELECT DISTINCT ON (policy_version) {limits_version_sql()} AS policy_version, {limits} "
        "FROM (SELECT policy::JSON AS policy FROM lineage.policies WHERE position IS NOT NULL)"
    )


def stored_findings_query() -> str:
    """The rows of `evaluate_query` over all rules: those of stored rules from the table, the others evaluated.

    NULL in `present` also where the table lacks the policy's limits, so that nothing is taken for absent.
    """
    rules = ", ".join(
        f"({NUMBERS[rule.signal]}, {literal(rule.signal)}, {BLOCK_NUMBERS[rule.block]})" for rule in STORED_RULES
    )
    return f"""SELECT e.version_id, e.day, e.policy_version, r.number,
       CASE WHEN f.signal IS NOT NULL THEN f.present WHEN s.limits_version IS NOT NULL THEN false END AS present,
       CASE WHEN f.signal IS NOT NULL THEN f.amount WHEN s.limits_version IS NOT NULL THEN 0 END AS amount,
       CASE WHEN f.present OR f.amount > 0 THEN {{'began': f.began, 'evidence': f.evidence, 'facts': f.facts}} END
           AS shown
FROM evaluated e
JOIN policy_limits p ON p.policy_version = e.policy_version
JOIN (VALUES {rules}) r (number, signal, block_no) ON r.block_no = e.block_no
LEFT JOIN {LIMITS_TABLE} s ON s.limits_version = p.limits_version
LEFT JOIN {FINDINGS_TABLE} f ON f.version_id = e.version_id AND f.signal = r.signal
     AND f.limits_version = p.limits_version
UNION ALL
{evaluate_query(DAILY_RULES)}"""


def read_findings_from(query: str, database: str) -> str:
    """The query, reading the stored findings of an attached database."""
    for table in (FINDINGS_TABLE, LIMITS_TABLE):
        query = query.replace(table, f"{identifier(database)}.{table}")
    return query


def _rows_query(rules: tuple[Rule, ...]) -> str:
    """The rows of the table for the rules, over the CTEs `evaluated` and `policy_limits`.

    A finding of which nothing is to be shown has no row.
    """
    signals = ", ".join(f"({NUMBERS[rule.signal]}, {literal(rule.signal)})" for rule in rules)
    sized = [NUMBERS[rule.signal] for rule in rules if rule.amount]
    by_size = f" OR (f.number IN {sized} AND f.amount IS DISTINCT FROM 0)" if sized else ""
    return (
        "SELECT f.version_id, e.inn, f.policy_version AS limits_version, r.signal, f.present, f.amount, "
        "f.shown.began AS began, f.shown.evidence AS evidence, f.shown.facts AS facts\n"
        f"FROM ({evaluate_query(rules)}) f\n"
        "JOIN evaluated e ON e.version_id = f.version_id AND e.policy_version = f.policy_version\n"
        f"JOIN (VALUES {signals}) r (number, signal) ON r.number = f.number\n"
        f"WHERE f.present IS DISTINCT FROM false{by_size}"
    )


def find_in_rows(
    connection: duckdb.DuckDBPyConnection, new: pl.DataFrame, rows: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """What the rules find in new versions (`version_id`, `inn`, `block`), as rows of the table.

    `rows`: rows of those versions, by table of `core`. They are evaluated in a database of their own: the transaction
    of `connection`, which has the policies, would keep them in memory until it ends.
    """
    if new.is_empty():
        return pl.DataFrame(schema=FINDINGS.schema())
    limits = connection.execute(_limits_query()).pl()
    found = [pl.DataFrame(schema=FINDINGS.schema())]
    with duckdb.connect(":memory:", config={"threads": 1}) as evaluation:
        evaluation.execute("CREATE SCHEMA core")
        _create_table(evaluation, "policy_limits", limits)
        for block in BLOCKS:
            versions = new.filter(pl.col("block") == block).select("version_id", "inn")
            if versions.is_empty():
                continue
            query = _rows_query(_stored_rules(block))
            for name in sorted(set(CORE_TABLE.findall(query))):
                _create_core_table(evaluation, tables()[name], query, rows.get(name))
            _create_table(evaluation, "versions", versions)
            evaluated = (
                f"SELECT v.*, {ANY_DAY} AS day, p.policy_version, {BLOCK_NUMBERS[block]} AS block_no "
                "FROM versions v CROSS JOIN policy_limits p"
            )
            found.append(evaluation.execute(f"WITH evaluated AS MATERIALIZED ({evaluated})\n{query}").pl())
            evaluation.execute("DROP SCHEMA core CASCADE; CREATE SCHEMA core; DROP TABLE versions")
    # Sorting also moves the rows into buffers of polars: Arrow warns of those that DuckDB returned.
    stored = pl.concat([frame.cast(pl.Schema(FINDINGS.schema())) for frame in found], rechunk=True)
    return stored.sort("version_id", "limits_version", "signal")


def _stored_rules(block: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in STORED_RULES if rule.block == block)


def _create_core_table(
    evaluation: duckdb.DuckDBPyConnection, table: Table, query: str, rows: pl.DataFrame | None
) -> None:
    """Create a table of `core` with the columns that the query reads; None: it has no rows."""
    types = {"version_id": pl.String(), "inn": pl.String(), **dict.fromkeys(table.ordinals, pl.UInt32())}
    types |= {column.name: column.kind.frame for column in table.columns}
    words = set(re.findall(r"\w+", query))
    read = [name for name in types if name in words]
    frame = pl.DataFrame(schema=types) if rows is None else rows
    _create_table(evaluation, f"core.{identifier(table.name)}", frame.select(read))


def _create_table(evaluation: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    """Copy a frame, as a stream: Arrow's own scanner takes longer than the whole copy."""
    evaluation.register("incoming", frame.__arrow_c_stream__())
    evaluation.execute(f"CREATE TABLE {name} AS FROM incoming")
    evaluation.unregister("incoming")


def refresh_findings(connection: duckdb.DuckDBPyConnection, *, recompute: bool = False) -> None:
    """Store the findings of all versions for the limits of the current policies, inside the caller's transaction.

    Those of stored limits are kept, unless `recompute`; those of limits that no policy has are removed.
    """
    stored = {row[0] for row in connection.execute(f"SELECT limits_version FROM {LIMITS_TABLE}").fetchall()}
    wanted = {row[0] for row in connection.execute(f"SELECT policy_version FROM ({_limits_query()})").fetchall()}
    kept = set[str]() if recompute else stored & wanted
    if kept == stored == wanted:
        return
    for table in (FINDINGS_TABLE, LIMITS_TABLE):
        connection.execute(
            f"DELETE FROM {table} WHERE NOT list_contains($kept, limits_version)", {"kept": sorted(kept)}
        )
    added = sorted(wanted - kept)
    if not added:
        return
    connection.execute(f"INSERT INTO {LIMITS_TABLE} SELECT unnest($added)", {"added": added})
    for block in BLOCKS:
        _store_block(connection, block, added)


def _store_block(connection: duckdb.DuckDBPyConnection, block: str, added: list[str]) -> None:
    """Store the findings of all versions of a block for these limits."""
    count = connection.execute(
        "SELECT count(*) FROM lineage.versions WHERE block = $block", {"block": block}
    ).fetchall()
    chunks = -(-count[0][0] * len(added) // MAX_VERSIONS)
    columns = ", ".join(FINDINGS.schema())
    query = _rows_query(_stored_rules(block))
    for chunk in range(chunks):
        connection.execute(
            f"""INSERT INTO {FINDINGS_TABLE} ({columns})
WITH policy_limits AS MATERIALIZED (FROM ({_limits_query()}) WHERE list_contains($added, policy_version)),
evaluated AS MATERIALIZED (
    SELECT v.version_id, v.inn, {ANY_DAY} AS day, p.policy_version, {BLOCK_NUMBERS[block]} AS block_no
    FROM lineage.versions v CROSS JOIN policy_limits p
    WHERE v.block = {literal(block)} AND hash(v.version_id) % {chunks} = {chunk}
)
SELECT {columns} FROM ({query})""",
            {"added": added},
        )
