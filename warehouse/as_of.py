"""The warehouse as it was: one INN, and those that it is linked to, with what was known of them at a moment.

It is a warehouse of its own in a temporary folder, with the same tables, views and marts. So everything that can be
asked about now can be asked about then, in the same words, and no query needs a moment of its own.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import polars as pl

from innspect.schemas.lineage import POLICIES
from innspect.schemas.tables import tables_of
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import core_columns, identifier
from innspect.warehouse.latest import fill_latest, fill_unanswered
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE
from innspect.warehouse.risk.signals import list_persons
from innspect.warehouse.risk.version_findings import refresh_findings

UNTIL = {
    "runs": "run_id IN (SELECT run_id FROM lineage.responses WHERE list_contains($inns, inn) AND asked_at <= $moment)",
    "calls": "list_contains($inns, inn) AND reserved_at <= $moment",
    "responses": "list_contains($inns, inn) AND asked_at <= $moment",
    "snapshots": "list_contains($inns, inn) AND asked_at <= $moment",
    "changes": "list_contains($inns, inn) AND seen_at <= $moment",
    "portfolio_members": "list_contains($inns, inn) AND first_seen_at <= $moment",
    **dict.fromkeys(
        ("kept_rows", "violations", "quarantine"),
        "list_contains($inns, inn) AND snapshot_id IN "
        "(SELECT snapshot_id FROM lineage.snapshots WHERE list_contains($inns, inn) AND asked_at <= $moment)",
    ),
}
"""Tables of `lineage` that are copied, and the condition of their rows."""
VERSIONS = """
SELECT v.version_id, v.inn, v.block, v.content_hash, min(s.asked_at) AS first_seen_at, max(s.asked_at) AS last_seen_at
FROM lineage.versions v JOIN lineage.snapshots s ON s.version_id = v.version_id
WHERE list_contains($inns, s.inn) AND s.asked_at <= $moment GROUP BY ALL ORDER BY v.version_id
"""
"""Versions with the times that were known at the moment."""
PEOPLE_OF = f"""
SELECT DISTINCT n.item_inn FROM ({list_persons("version_id, inn, item_inn")}) n
WHERE list_contains($inns, n.inn) AND n.item_inn IS NOT NULL
"""
NAMED = """
SELECT item_inn FROM core.founded_companies__items WHERE list_contains($inns, inn)
UNION SELECT item_inn FROM core.risk_flags__linked_companies WHERE list_contains($inns, inn)
UNION SELECT item_inn FROM core.company__beneficiaries WHERE list_contains($inns, inn)
"""
SHARING = f"""
SELECT DISTINCT n.inn FROM ({list_persons("version_id, inn, item_inn")}) n WHERE list_contains($people, n.item_inn)
"""


class Source(Protocol):
    """A warehouse or a published copy."""

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query."""
        ...


@dataclass(frozen=True, slots=True)
class PolicyOfThen:
    """Which policies judged at the moment; `is_known`: false if none of then is known and the oldest one is used."""

    is_current: bool
    is_known: bool


@contextmanager
def open_as_of(source: Source, inn: str, moment: datetime) -> Generator[tuple[Warehouse, PolicyOfThen]]:
    """The warehouse as it was at the moment (UTC) for one INN, judged by the policies of then; its marts are `mart.*`.

    It has the INN, those that share a director or founder with it or that it names, and those that these are linked to,
    so that levels and links are those of the whole warehouse. Raises WarehouseError if the source lacks a table.
    """
    with TemporaryDirectory(prefix="innspect-as-of-") as folder, Warehouse(Path(folder) / "as_of.duckdb") as past:
        past.connection.execute("SET enable_progress_bar = false")
        inns = _find_linked(source, inn)
        policy = _fill(past, source, inns, moment)
        past.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{moment.isoformat(' ')}'")
        yield past, policy


def _find_linked(source: Source, inn: str) -> list[str]:
    near = {inn, *_sharing(source, [inn])}
    named = source.query(f"{PEOPLE_OF} UNION {NAMED}", {"inns": [inn]}).to_series().drop_nulls()
    return sorted({*near, *_sharing(source, sorted(near | set(named)))} | set(named))


def _sharing(source: Source, inns: Sequence[str]) -> list[str]:
    """The INNs that have or had a director or founder in common with these, or are founded by these."""
    people = source.query(PEOPLE_OF, {"inns": list(inns)}).to_series().to_list()
    return source.query(SHARING, {"people": sorted({*people, *inns})}).to_series().to_list()


def _fill(past: Warehouse, source: Source, inns: list[str], moment: datetime) -> PolicyOfThen:
    known = {"inns": inns, "moment": moment}
    versions = source.query(VERSIONS, known)
    with past.transaction():
        policy = _insert_policies(past, source, moment)
        for table, condition in UNTIL.items():
            rows = source.query(f"SELECT * FROM lineage.{table} WHERE {condition}", known)
            if "left_at" in rows.columns:
                # Who left later was a member.
                rows = rows.with_columns(left_at=pl.when(pl.col("left_at") <= moment).then("left_at"))
            if not rows.is_empty():
                past.insert(f"lineage.{table}", rows)
        past.insert("lineage.versions", versions)
        for (block,), of_block in versions.group_by("block", maintain_order=True):
            _copy_block(past, source, str(block), of_block, inns)
        fill_latest(past.connection)
        past.connection.execute(fill_unanswered())
        refresh_findings(past.connection, recompute=True)
    with past.transaction():
        assess_runs(past)
    return policy


def _copy_block(past: Warehouse, source: Source, block: str, versions: pl.DataFrame, inns: list[str]) -> None:
    wanted = {"inns": inns, "versions": versions["version_id"].to_list()}
    for table in tables_of(block):
        name = f"core.{identifier(table.name)}"
        columns = ", ".join(identifier(column.name) for column in core_columns(table))
        rows = source.query(
            f"SELECT {columns} FROM {name} WHERE list_contains($inns, inn) AND list_contains($versions, version_id)",
            wanted,
        )
        if not rows.is_empty():
            past.insert(name, rows)


def _insert_policies(past: Warehouse, source: Source, moment: datetime) -> PolicyOfThen:
    """Replace the built-in policies by those of the moment.

    Of each name the latest policy that was first used by then, or the oldest one where all are later. A policy that was
    replaced and then restored has only its first date: where nothing was first used later, the current ones judged.
    """
    stored = source.query(f"SELECT {', '.join(POLICIES.schema())} FROM {POLICIES_TABLE}")
    used = pl.col("first_used_at").fill_null(moment)
    is_current = stored.filter(used > moment).is_empty()
    known = stored.filter(used <= moment)
    if is_current:
        chosen = stored.filter(pl.col("position").is_not_null())
    else:
        candidates = known if not known.is_empty() else stored.filter(used == used.min())
        latest = candidates.sort(used, "policy_version").unique("name", keep="last", maintain_order=True)
        # The policy of everyone else is the last one, whatever its former place in the file was.
        chosen = latest.sort(pl.col("name") == "default", "position", "name", nulls_last=True).with_columns(
            position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
        )
    past.connection.execute(f"DELETE FROM {POLICIES_TABLE}")
    past.insert(POLICIES_TABLE, chosen)
    return PolicyOfThen(is_current, not known.is_empty())
