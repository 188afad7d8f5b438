"""Store the news again of which something is new."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import polars as pl

from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.replace import assess_in_bounds, commit_part
from innspect.warehouse.marts.registry import computed_news
from innspect.warehouse.news.news_sql import person_names
from innspect.warehouse.news.stored_news import (
    NEWS_COLUMNS,
    NEWS_TABLE,
    NOTES_TABLE,
    PERSON_BLOCKS,
    STATE_TABLE,
    UNSTORED,
    unstored_changes,
)

CHUNK_CHANGES = 25_000
"""Changes whose news are stored by one statement: memory grows with them."""
REFRESHED, OWN = "temp.news_refreshed", "temp.news_own"
"""What is stored again: `inn`, `block`, `since`, `chunk`; a view of one chunk."""


def note_unstored_news(warehouse: Warehouse, snapshots: pl.DataFrame) -> None:
    """Note that stored news may no longer be valid, inside the caller's transaction.

    `snapshots` are those of versions other than the known one, and late ones.
    """
    if snapshots.height and _are_stored(warehouse):
        notes = snapshots.select("inn", "block", pl.col("asked_at").alias("since"))
        warehouse.insert(NOTES_TABLE, notes.unique().sort("inn", "block"))


def note_other_names(warehouse: Warehouse, versions: pl.DataFrame) -> None:
    """Note the INNs of which new `versions` name persons otherwise, after their rows are inserted.

    Sentences of all times show a person under the same name, whichever version has it.
    """
    of_persons = versions.filter(pl.col("block").is_in(PERSON_BLOCKS)).select("version_id", "inn")
    if of_persons.is_empty() or not _are_stored(warehouse):
        return
    with warehouse.register(incoming=of_persons, blocks=pl.DataFrame({"block": PERSON_BLOCKS})):
        warehouse.connection.execute(
            f"""
            INSERT INTO {NOTES_TABLE} (inn, block, since)
            WITH names AS (
                SELECT inn, item_inn, name, version_id IN (SELECT version_id FROM incoming) AS is_new
                FROM ({person_names()}) WHERE inn IN (SELECT inn FROM incoming)
            ),
            renamed AS (
                FROM names SELECT inn GROUP BY inn, item_inn
                HAVING max(name) IS DISTINCT FROM max(name) FILTER (NOT is_new)
            )
            SELECT DISTINCT inn, block, '-infinity'::TIMESTAMP FROM renamed CROSS JOIN blocks
            """
        )


def _are_stored(warehouse: Warehouse) -> bool:
    return warehouse.connection.execute(f"FROM {STATE_TABLE}").fetchone() is not None


def refresh_news(
    warehouse: Warehouse, commit: Callable[[], None] | None = None, chunk_changes: int = CHUNK_CHANGES
) -> None:
    """Store all news that are not stored or no longer valid, unless the warehouse is a lake.

    With `commit` in the transaction of the caller, which it ends to begin another one. If the process is killed between
    two transactions, the next refresh stores all news again.
    """
    assess_in_bounds(warehouse, lambda: _refresh(warehouse, commit, chunk_changes), commit)


def _refresh(warehouse: Warehouse, commit: Callable[[], None] | None, chunk_changes: int) -> None:
    execute = warehouse.connection.execute
    is_stored = _are_stored(warehouse)
    if warehouse.is_shared or (is_stored and execute(f"FROM {NOTES_TABLE} LIMIT 1").fetchone() is None):
        return
    with nullcontext() if commit is not None else warehouse.transaction():
        changes = unstored_changes(f"({UNSTORED})").replace("SELECT c.*", "SELECT c.inn, c.block, u.since")
        execute(
            f"""
            CREATE OR REPLACE TEMP TABLE {REFRESHED.removeprefix("temp.")} AS
            SELECT inn, block, since, (sum(count(*)) OVER (ORDER BY inn, block) - 1) // {chunk_changes} AS chunk
            FROM ({changes}) GROUP BY inn, block, since
            """
        )
        # Until the last step no stored news are valid, whatever is committed meanwhile.
        execute(f"DELETE FROM {STATE_TABLE}")
        if is_stored:
            execute(
                f"DELETE FROM {NEWS_TABLE} n USING {REFRESHED} r "
                "WHERE r.inn = n.inn AND r.block = n.block AND n.seen_at >= r.since"
            )
        else:
            execute(f"DELETE FROM {NEWS_TABLE}")
        chunks = execute(f"SELECT DISTINCT chunk FROM {REFRESHED} ORDER BY chunk").fetchall()
        for position, (chunk,) in enumerate(chunks):
            if position:
                (commit or partial(commit_part, warehouse))()
            execute(
                f"CREATE OR REPLACE TEMP VIEW {OWN.removeprefix('temp.')} AS FROM {REFRESHED} WHERE chunk = {chunk}"
            )
            execute(f"INSERT INTO {NEWS_TABLE} ({NEWS_COLUMNS}) {computed_news(unstored_changes(OWN))}")
        execute(f"DELETE FROM {NOTES_TABLE}")
        execute(f"INSERT INTO {STATE_TABLE} VALUES (true)")
        execute(f"DROP VIEW IF EXISTS {OWN}")
        execute(f"DROP TABLE {REFRESHED}")
