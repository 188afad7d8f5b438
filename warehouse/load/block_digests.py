"""Digests of the bytes of blocks: a block that was received with the same bytes before is not transformed again."""

import polars as pl

from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import BLOCK_DIGESTS, identifier
from innspect.warehouse.latest import LATEST_TABLE

DIGESTS_TABLE = f"lineage.{identifier(BLOCK_DIGESTS)}"


def find_unchanged_blocks(warehouse: Warehouse, digests: pl.DataFrame) -> pl.DataFrame:
    """Earlier snapshots (columns of `KNOWN_PAYLOADS`) of blocks with the same bytes; `digests`: `BLOCK_DIGESTS`.

    A snapshot with a version is returned only if that version is still the latest of its INN and block.
    """
    with warehouse.register(incoming=digests):
        return warehouse.query(
            "SELECT i.snap, s.state, s.reason, s.from_local, s.collected_at, s.source_date, "
            f"s.marks::VARCHAR AS marks, s.snapshot_id, s.version_id FROM incoming i JOIN {DIGESTS_TABLE} b "
            "ON b.digest = i.digest AND b.block = i.block JOIN lineage.snapshots s "
            "ON s.response_id = b.response_id AND s.block = b.block AND s.inn = i.inn "
            f"JOIN {LATEST_TABLE} l ON l.inn = i.inn AND l.block = i.block "
            "WHERE s.version_id IS NULL OR s.version_id = l.version_id"
        )


def store_block_digests(warehouse: Warehouse, digests: pl.DataFrame, snapshots: pl.DataFrame, *, is_new: bool) -> None:
    """Store the digests (`snap`, `digest`) of new snapshots that are not stored yet.

    `is_new`: the warehouse has no rows of any of their INNs, so none of their digests, which include the INN.
    """
    if digests.is_empty() or warehouse.is_shared:
        return
    order = snapshots.sort("asked_at", "snap", maintain_order=True).select("snap", "response_id", "block")
    rows = order.join(digests, on="snap", how="inner", maintain_order="left").unique("digest", maintain_order=True)
    if not is_new:
        with warehouse.register(incoming=rows.select("digest")):
            known = warehouse.query(f"SELECT b.digest FROM {DIGESTS_TABLE} b SEMI JOIN incoming USING (digest)")
        rows = rows.join(known, on="digest", how="anti", maintain_order="left")
    warehouse.insert(DIGESTS_TABLE, rows.select("response_id", "block", "digest"))
