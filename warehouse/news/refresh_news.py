"""Store the news again of the INNs of which something is new."""

from collections.abc import Callable
from contextlib import nullcontext

import polars as pl

from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.replace import assessment_limit
from innspect.warehouse.marts.registry import computed_news
from innspect.warehouse.news.stored_news import INNS_TABLE, NEWS_COLUMNS, NEWS_TABLE, STATE_TABLE, UNSTORED

CHUNK_CHANGES = 25_000
"""Changes whose news are stored by one statement: memory grows with them."""
REFRESHED, OWN = "temp.news_refreshed", "temp.news_own"
"""INNs whose news are stored again: `inn`, `chunk`; a view of the INNs of one chunk."""


def note_unstored_news(warehouse: Warehouse, inns: pl.Series) -> None:
    """Note that the stored news of INNs may no longer be valid, inside the caller's transaction; a lake stores none."""
    if not inns.is_empty() and warehouse.connection.execute(f"FROM {STATE_TABLE}").fetchone() is not None:
        warehouse.insert(INNS_TABLE, inns.unique().sort().to_frame("inn"))


def refresh_news(
    warehouse: Warehouse, commit: Callable[[], None] | None = None, chunk_changes: int = CHUNK_CHANGES
) -> None:
    """Store the news of all INNs whose stored news are not valid, unless the warehouse is a lake.

    With `commit` in the transaction of the caller, which it ends to begin another one. If the process is killed between
    two transactions, the next refresh stores all news again.
    """
    execute = warehouse.connection.execute
    is_stored = execute(f"FROM {STATE_TABLE}").fetchone() is not None
    if warehouse.is_shared or (is_stored and execute(f"FROM {INNS_TABLE} LIMIT 1").fetchone() is None):
        return
    with (
        warehouse.limited_memory(assessment_limit(warehouse)),
        warehouse.single_thread(),
        nullcontext() if commit is not None else warehouse.transaction(),
    ):
        execute(
            f"""
            CREATE OR REPLACE TEMP TABLE {REFRESHED.removeprefix("temp.")} AS
            SELECT inn, (sum(count(*)) OVER (ORDER BY inn) - 1) // {chunk_changes} AS chunk
            FROM lineage.changes SEMI JOIN ({UNSTORED}) USING (inn) GROUP BY inn
            """
        )
        # Until the last step no stored news are valid, whatever is committed meanwhile.
        execute(f"DELETE FROM {STATE_TABLE}")
        if is_stored:
            execute(f"DELETE FROM {NEWS_TABLE} WHERE inn IN (SELECT inn FROM {REFRESHED})")
        else:
            execute(f"DELETE FROM {NEWS_TABLE}")
        chunks = execute(f"SELECT DISTINCT chunk FROM {REFRESHED} ORDER BY chunk").fetchall()
        for position, (chunk,) in enumerate(chunks):
            if position:
                (commit or (lambda: execute("COMMIT; BEGIN")))()
            execute(
                f"CREATE OR REPLACE TEMP VIEW {OWN.removeprefix('temp.')} AS "
                f"SELECT inn FROM {REFRESHED} WHERE chunk = {chunk}"
            )
            execute(f"INSERT INTO {NEWS_TABLE} ({NEWS_COLUMNS}) {computed_news(OWN)}")
        execute(f"DELETE FROM {INNS_TABLE}")
        execute(f"INSERT INTO {STATE_TABLE} VALUES (true)")
        execute(f"DROP VIEW IF EXISTS {OWN}")
        execute(f"DROP TABLE {REFRESHED}")
