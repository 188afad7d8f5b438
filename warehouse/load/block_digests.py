"""Which bytes made which version: what lets a block that came before be known without reading it again."""

import polars as pl

from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import BODIES, quoted
from innspect.warehouse.load.lookups import versions_known


def recall(warehouse: Warehouse, arriving: pl.DataFrame) -> pl.DataFrame:
    """Those of the blocks (`snap`, `inn`, `block`, `digest`) that came before with the same bytes.

    `snap` and what their snapshot says: `state`, `reason`, `from_local`, `collected_at`, `source_date`, `marks`,
    `version_id`. Where they made a version, only if that is still the latest of its INN and block.
    """
    with warehouse.frames(arriving=arriving):
        found = warehouse.frame(
            "SELECT a.snap, s.inn, s.block, s.state, s.reason, s.from_local, s.collected_at, s.source_date, "
            f"s.marks::VARCHAR AS marks, s.version_id FROM arriving a JOIN lineage.{quoted(BODIES)} b "
            "ON b.digest = a.digest AND b.block = a.block JOIN lineage.snapshots s "
            "ON s.response_id = b.response_id AND s.block = b.block AND s.inn = a.inn"
        )
    versioned = found.filter(pl.col("version_id").is_not_null())
    latest = versions_known(warehouse, versioned) if versioned.height else versioned
    same = versioned.join(latest, on=["inn", "block", "version_id"], how="semi")
    without = found.filter(pl.col("version_id").is_null())
    return pl.concat([same, without]).drop("inn", "block")


def remember(warehouse: Warehouse, bodies: pl.DataFrame, snapshots: pl.DataFrame, *, is_new: bool) -> None:
    """Note which bytes (`snap`, `digest`) the blocks of new snapshots had, those that came for the first time.

    `is_new`: there is nothing yet of any of their INNs, and a number is of one INN only.
    """
    if bodies.is_empty() or warehouse.is_shared:
        return
    order = snapshots.sort("asked_at", "snap", maintain_order=True).select("snap", "response_id", "block")
    rows = order.join(bodies, on="snap", how="inner", maintain_order="left").unique("digest", maintain_order=True)
    if not is_new:
        with warehouse.frames(arriving=rows.select("digest")):
            known = warehouse.frame(
                f"SELECT b.digest FROM lineage.{quoted(BODIES)} b SEMI JOIN arriving USING (digest)"
            )
        rows = rows.join(known, on="digest", how="anti", maintain_order="left")
    warehouse.insert(f"lineage.{quoted(BODIES)}", rows.select("response_id", "block", "digest"))
