"""Load runs, calls, members and rejected lines from archive files into the lineage tables."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import polars as pl

from innspect.schemas.lineage import CALLS, PORTFOLIO_LISTINGS, PORTFOLIO_MEMBERS, REJECTED_INPUTS, RUNS
from innspect.schemas.states import CallState, MemberEntry
from innspect.warehouse.assessments.risk_news import note_news
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import RECORD_FILES, identifier, literal
from innspect.warehouse.latest import UNANSWERED_TABLE, fill_unanswered
from innspect.warehouse.load.load import append_rows
from innspect.warehouse.marts.portfolio_views import refresh_portfolio_views
from innspect.warehouse.risk.policy_store import add_used_policies
from innspect.warehouse.risk.stored_risk import CALLS as CALL_NEWS
from innspect.warehouse.risk.stored_risk import MEMBERS as MEMBER_NEWS

TABLES = {"runs": RUNS, "calls": CALLS, "rejected": REJECTED_INPUTS}
ROWS_AT_ONCE = 50_000
"""Records that are loaded by one statement: memory grows with them."""
RECORD_FILES_TABLE = f"lineage.{identifier(RECORD_FILES)}"


def loaded_record_files(warehouse: Warehouse) -> set[str]:
    """Archive files of the loaded records."""
    return set(warehouse.query(f"SELECT archive_file FROM {RECORD_FILES_TABLE}")["archive_file"].to_list())


def register_record_file(warehouse: Warehouse, archive_file: str, replaced: Sequence[str] = ()) -> None:
    """Register a loaded file of records in place of the files that it replaces, inside the caller's transaction."""
    warehouse.connection.execute(
        f"DELETE FROM {RECORD_FILES_TABLE} WHERE archive_file IN (SELECT unnest($files))",
        {"files": [archive_file, *replaced]},
    )
    warehouse.connection.execute(f"INSERT INTO {RECORD_FILES_TABLE} VALUES ($file)", {"file": archive_file})


def load_records(
    warehouse: Warehouse, kind: str, frame: pl.DataFrame, archive_file: str, replaced: Sequence[str] = ()
) -> None:
    """Load one archive file of records, inside the caller's transaction; rows replace earlier rows of the same key.

    Loading is idempotent if all later files of the kind are loaded again too.
    """
    register_record_file(warehouse, archive_file, replaced)
    if frame.is_empty():
        return
    if kind == "members":
        _load_members(warehouse, frame)
        return
    if kind == "policies":
        add_used_policies(warehouse.connection, frame)
        return
    table = TABLES[kind]
    if kind in ("runs", "calls") and frame.select(table.key).is_duplicated().any():
        # A compacted file has several records of the same key.
        frame = frame.unique(table.key, keep="last", maintain_order=True)
    same = " AND ".join(f"t.{identifier(name)} IS NOT DISTINCT FROM i.{identifier(name)}" for name in table.key)
    for rows in frame.iter_slices(ROWS_AT_ONCE):
        with warehouse.register(incoming=rows.select(table.key)):
            if kind == "calls":
                _note_unknown_calls(warehouse, rows, same)
            warehouse.connection.execute(f"DELETE FROM lineage.{table.name} t USING incoming i WHERE {same}")
    for rows in frame.iter_slices(ROWS_AT_ONCE):
        append_rows(warehouse, table, rows)
    if kind == "calls" and not warehouse.is_shared:
        _store_unanswered(warehouse, frame)


def _store_unanswered(warehouse: Warehouse, calls: pl.DataFrame) -> None:
    """Store which of the loaded calls have no response; few are of unknown outcome."""
    stored = warehouse.query(f"SELECT call_id FROM {UNANSWERED_TABLE}")["call_id"]
    is_candidate = (pl.col("state") == CallState.UNKNOWN) | pl.col("call_id").is_in(stored.implode())
    candidates = calls.filter(is_candidate).select("call_id")
    if candidates.is_empty():
        return
    with warehouse.register(incoming=candidates):
        of_incoming = "call_id IN (SELECT call_id FROM incoming)"
        warehouse.connection.execute(f"DELETE FROM {UNANSWERED_TABLE} WHERE {of_incoming}")
        warehouse.connection.execute(f"{fill_unanswered()} AND c.{of_incoming}")


def _note_unknown_calls(warehouse: Warehouse, incoming: pl.DataFrame, same: str) -> None:
    """Note the INNs of calls whose outcome is not known, or was not; `same`: a condition over `t` and `incoming`."""
    unknown = literal(CallState.UNKNOWN)
    known = f"SELECT DISTINCT t.inn FROM lineage.calls t JOIN incoming i ON {same} WHERE t.state = {unknown}"
    inns = warehouse.query(known)["inn"], incoming.filter(pl.col("state") == CallState.UNKNOWN)["inn"]
    note_news(warehouse, CALL_NEWS, pl.concat(inns))


def _load_members(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Load records of portfolio members, in any order: the newest decides the cells, and who has left."""
    with _note_members(warehouse, frame["portfolio"].unique()):
        _load_member_records(warehouse, frame)
    if not warehouse.is_shared:
        # In a lake homes would replace the same views at the same time; its published copies have them.
        refresh_portfolio_views(warehouse.connection)


@contextmanager
def _note_members(warehouse: Warehouse, portfolios: pl.Series) -> Generator[None]:
    """Note the INNs whose membership in one of the portfolios, or the policy that follows from it, may have changed."""
    query = (
        "SELECT portfolio, inn, tags, first_seen_at, left_at FROM lineage.portfolio_members "
        "WHERE list_contains($portfolios, portfolio)"
    )
    known = {"portfolios": portfolios.to_list()}
    before = warehouse.query(query, known)
    yield
    now = warehouse.query(query, known)
    keys = before.columns
    changed = (
        now.join(before, on=keys, how="anti", nulls_equal=True),
        before.join(now, on=keys, how="anti", nulls_equal=True),
    )
    note_news(warehouse, MEMBER_NEWS, pl.concat(frame["inn"] for frame in changed))


def _load_member_records(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    removals = frame.filter(pl.col("entry") == MemberEntry.REMOVAL)
    _load_listings(warehouse, frame.filter(pl.col("entry") == MemberEntry.FILE))
    _load_sights(warehouse, frame.filter(pl.col("entry") != MemberEntry.REMOVAL))
    with warehouse.register(removals=removals.select("portfolio", "inn", "seen_at")):
        warehouse.connection.execute(
            "UPDATE lineage.portfolio_members m SET left_at = r.left_at FROM (SELECT portfolio, inn, min(seen_at) AS "
            "left_at FROM removals GROUP BY ALL) r WHERE r.portfolio = m.portfolio AND r.inn = m.inn "
            "AND r.left_at > m.last_seen_at AND coalesce(m.left_at <= m.last_seen_at OR m.left_at > r.left_at, true)"
        )
    # The first event after a member was last seen is its departure, whatever was loaded first.
    portfolios = frame["portfolio"].unique().to_list()
    warehouse.connection.execute(
        """
        UPDATE lineage.portfolio_members m SET left_at = d.left_at
        FROM (
            SELECT p.portfolio, p.inn,
                   least(l.listed_at, CASE WHEN p.left_at > p.last_seen_at THEN p.left_at END) AS left_at
            FROM (FROM lineage.portfolio_members WHERE list_contains($portfolios, portfolio)) p
            ASOF LEFT JOIN lineage.portfolio_listings l ON l.portfolio = p.portfolio AND p.last_seen_at < l.listed_at
        ) d
        WHERE d.portfolio = m.portfolio AND d.inn = m.inn AND d.left_at IS DISTINCT FROM m.left_at
        """,
        {"portfolios": portfolios},
    )


def _load_listings(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    listings = frame.group_by("portfolio", listed_at="seen_at").agg(
        pl.col("run_id").min(), members=pl.col("inn").n_unique().cast(pl.Int64)
    )
    with warehouse.register(incoming=listings):
        warehouse.connection.execute(
            "DELETE FROM lineage.portfolio_listings l USING incoming i "
            "WHERE l.portfolio = i.portfolio AND l.listed_at = i.listed_at"
        )
    append_rows(warehouse, PORTFOLIO_LISTINGS, listings)


def _load_sights(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Load members as they were named: the newest record decides the cells, first and last sight are kept."""
    cells = ("name", "priority", "tags", "extra")
    frame = (
        frame.sort("seen_at", maintain_order=True)
        .group_by("portfolio", "inn", maintain_order=True)
        .agg(
            pl.col(cells).last(),
            pl.col("seen_at").min().alias("first_seen_at"),
            pl.col("seen_at").max().alias("last_seen_at"),
            pl.lit(None, dtype=pl.Datetime("us")).alias("left_at"),
        )
    )
    newer = "i.last_seen_at >= m.last_seen_at"
    updates = [f"{cell} = CASE WHEN {newer} THEN i.{cell} ELSE m.{cell} END" for cell in cells]
    with warehouse.register(incoming=frame):
        warehouse.connection.execute(
            f"UPDATE lineage.portfolio_members m SET {', '.join(updates)}, "
            "first_seen_at = least(m.first_seen_at, i.first_seen_at), "
            "last_seen_at = greatest(m.last_seen_at, i.last_seen_at) "
            "FROM incoming i WHERE m.portfolio = i.portfolio AND m.inn = i.inn"
        )
        known = warehouse.query(
            "SELECT m.portfolio, m.inn FROM lineage.portfolio_members m SEMI JOIN incoming i USING (portfolio, inn)"
        )
    new = frame.join(known, on=["portfolio", "inn"], how="anti", maintain_order="left")
    append_rows(warehouse, PORTFOLIO_MEMBERS, new)
