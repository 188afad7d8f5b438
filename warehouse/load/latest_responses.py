"""The table of the latest responses: looked up before a load, and updated by it."""

import polars as pl

from innspect.schemas.states import COMPLETE, SnapshotState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import LATEST_COLUMNS
from innspect.warehouse.latest import EVIDENCE_COLUMNS, LATEST_TABLE, latest_of_pairs
from innspect.warehouse.news.refresh_news import note_unstored_news
from innspect.warehouse.risk.stored_risk import SCORES_TABLE

POLARS_TYPES = {"VARCHAR": pl.String(), "TIMESTAMP": pl.Datetime("us"), "DATE": pl.Date(), "BOOLEAN": pl.Boolean()}
LATEST_SCHEMA = pl.Schema({column.name: POLARS_TYPES[column.sql] for column in LATEST_COLUMNS})
RESPONSE_ORDER, EVIDENCE_ORDER = ("asked_at", "snapshot_id"), ("checked_at", "evidence_id")
"""Columns by which a response, and evidence, is later than another."""


def latest_rows(warehouse: Warehouse, pairs: pl.DataFrame) -> pl.DataFrame:
    """The rows of these (inn, block) pairs in the table of latest responses; a lake computes them."""
    if pairs.is_empty():
        return pl.DataFrame(schema=LATEST_SCHEMA)
    with warehouse.register(pairs=pairs.select("inn", "block").unique()):
        return warehouse.query(latest_of_pairs("pairs", is_shared=warehouse.is_shared)).cast(LATEST_SCHEMA)


def latest_versions(latest: pl.DataFrame) -> pl.DataFrame:
    """The latest version of each (inn, block) pair that has one: `inn`, `block`, `version_id`, `whole`.

    `latest`: rows of `latest_rows`. `whole`: whether any response so far was complete (found or clean); otherwise all
    evidence is partial.
    """
    versions = latest.filter(pl.col("version_id").is_not_null())
    return versions.select("inn", "block", "version_id", pl.col("is_whole").alias("whole"))


def update_latest(warehouse: Warehouse, snapshots: pl.DataFrame, stored: pl.DataFrame) -> None:
    """Update the table of latest responses with new snapshots, in the caller's transaction; a lake has no such table.

    `stored`: the rows of `latest_rows` for their (inn, block) pairs.
    """
    if warehouse.is_shared or snapshots.is_empty():
        return
    incoming = _latest_of_rows(_latest_rows(snapshots))
    pair = ["inn", "block"]
    news = _select_news(snapshots, stored)
    # Sentences are made of versions, and of what an earlier response confirmed.
    is_of_version = pl.col("version_id").is_not_null()
    is_other = pl.col("version_id").ne_missing(pl.col("stored_version_id"))
    is_late = pl.col("asked_at") < pl.col("stored_asked_at")
    note_unstored_news(warehouse, news.filter(is_of_version & (is_other | is_late)))
    if stored.is_empty():
        warehouse.insert(LATEST_TABLE, incoming)
        return
    with warehouse.register(news=news):
        # The validity of stored risk looks only at the latest responses: not at a late one, nor at two of which the
        # second is again as it was before.
        warehouse.connection.execute(f"UPDATE {SCORES_TABLE} SET basis = NULL WHERE inn IN (SELECT inn FROM news)")
    warehouse.insert(LATEST_TABLE, incoming.join(stored, on=pair, how="anti", maintain_order="left"))
    cells = ", ".join(f"{name} = u.{name}" for name in LATEST_SCHEMA if name not in pair)
    with warehouse.register(updates=_later_rows(stored, incoming)):
        warehouse.connection.execute(
            f"UPDATE {LATEST_TABLE} l SET {cells} FROM updates u WHERE l.inn = u.inn AND l.block = u.block"
        )


def _select_news(snapshots: pl.DataFrame, latest: pl.DataFrame) -> pl.DataFrame:
    """The snapshots that do not repeat the latest response known before; the first ones too."""
    same = ("method", "state", "reason")
    names = ("asked_at", "version_id", *same)
    stored = latest.select("inn", "block", *(pl.col(name).alias(f"stored_{name}") for name in names))
    repeats = pl.all_horizontal(
        pl.col("asked_at") >= pl.col("stored_asked_at"),
        pl.col("state") != SnapshotState.PARTIAL,
        pl.col("version_id").is_null() | (pl.col("version_id") == pl.col("stored_version_id")),
        *(pl.col(name).eq_missing(pl.col(f"stored_{name}")) for name in same),
    )
    return snapshots.join(stored, on=["inn", "block"], how="left").filter(~repeats.fill_null(value=False))


def _latest_rows(snapshots: pl.DataFrame) -> pl.DataFrame:
    """Each snapshot as a row of the table of latest responses, as if it were the only one of its INN and block."""
    is_evidence = pl.col("version_id").is_not_null()
    return snapshots.select(
        *("inn", "block", "asked_at", "snapshot_id", "state", "reason", "method", "version_id"),
        pl.when(is_evidence).then("snapshot_id").alias("evidence_id"),
        pl.when(is_evidence).then("state").alias("evidence_state"),
        pl.when(is_evidence).then("reason").alias("evidence_reason"),
        pl.when(is_evidence).then("asked_at").alias("checked_at"),
        *(pl.when(is_evidence).then(name).alias(name) for name in ("collected_at", "source_date")),
        (is_evidence & pl.col("state").is_in(COMPLETE)).alias("is_whole"),
    ).cast(LATEST_SCHEMA)


def _later_rows(stored: pl.DataFrame, incoming: pl.DataFrame) -> pl.DataFrame:
    """Of each INN and block that both frames have once, the later response and the later evidence."""
    joined = stored.join(incoming, on=["inn", "block"], suffix="_in")

    def is_later(time: str, id_: str) -> pl.Expr:
        is_same_time = (pl.col(f"{time}_in") == pl.col(time)) & (pl.col(f"{id_}_in") > pl.col(id_))
        return pl.col(f"{time}_in").is_not_null() & (
            pl.col(time).is_null() | (pl.col(f"{time}_in") > pl.col(time)) | is_same_time
        )

    def choose(name: str) -> pl.Expr:
        is_new = "is_evidence_new" if name in EVIDENCE_COLUMNS else "is_response_new"
        return pl.when(is_new).then(f"{name}_in").otherwise(name).alias(name)

    others = [name for name in LATEST_SCHEMA if name not in ("inn", "block", "is_whole")]
    return joined.with_columns(
        is_later(*RESPONSE_ORDER).alias("is_response_new"),
        is_later(*EVIDENCE_ORDER).alias("is_evidence_new"),
    ).select("inn", "block", *map(choose, others), pl.col("is_whole") | pl.col("is_whole_in"))


def _latest_of_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per INN and block: the latest response and the latest evidence."""
    if not rows.select("inn", "block").is_duplicated().any():
        return rows
    pair = ("inn", "block")
    responses = rows.sort(RESPONSE_ORDER).drop(*EVIDENCE_COLUMNS, "is_whole")
    evidence = rows.sort(EVIDENCE_ORDER, nulls_last=False).select(*pair, *EVIDENCE_COLUMNS, "is_whole")
    last_response = responses.group_by(pair, maintain_order=True).last()
    last_evidence = evidence.group_by(pair, maintain_order=True).agg(
        pl.col(EVIDENCE_COLUMNS).last(), pl.col("is_whole").any()
    )
    latest = last_response.join(last_evidence, on=pair, how="left", maintain_order="left")
    return latest.select(LATEST_SCHEMA.names())
