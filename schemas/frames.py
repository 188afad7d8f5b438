"""Frames that packages hand to one another: their columns, and the batch that the transforms give to the warehouse."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import polars as pl

from innspect.schemas.lineage import SNAPSHOTS

SNAP: Final = "snap"
"""Column with the number of a snapshot within its batch (UInt32). It joins all frames of a batch."""

Schema = Mapping[str, pl.DataType]

LATEST_SNAPSHOTS: Final[Schema] = MappingProxyType(
    {name: SNAPSHOTS.schema()[name] for name in ("inn", "block", "asked_at", "state", "reason")}
)
"""Input of the planner: the latest snapshot, or call without a response, of each INN and block; one row each."""

BLOCK_DIGESTS: Final[Schema] = MappingProxyType(
    {SNAP: pl.UInt32(), "inn": pl.String(), "block": pl.String(), "digest": pl.UInt64()}
)
"""Digest of the bytes of each block payload, which includes the INN and everything else that determines the result."""

KNOWN_PAYLOADS: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "state": pl.String(),
        "reason": pl.String(),
        "from_local": pl.Boolean(),
        "collected_at": pl.Datetime("us"),
        "source_date": pl.Date(),
        "marks": pl.String(),
        "snapshot_id": pl.String(),
        "version_id": pl.String(),
    }
)
"""Earlier snapshot of a payload with the same digest; its version, if any, is the latest of the INN and block."""

KEPT_ROWS: Final[Schema] = MappingProxyType({SNAP: pl.UInt32(), "table_name": pl.String(), "row_no": pl.Int64()})
"""Rows of merged versions that their snapshots did not contain, see `lineage.kept_rows`."""

VIOLATIONS: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "table_name": pl.String(),
        "row_path": pl.String(),
        "column_name": pl.String(),
        "rule": pl.String(),
        "value": pl.String(),
    }
)
QUARANTINED_ROWS: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "table_name": pl.String(),
        "row_path": pl.String(),
        "rule": pl.String(),
        "row": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Transformed responses on their way to the warehouse.

    `responses`: as archived, without bodies. `snapshots`: one row per response and block (columns of
    `lineage.snapshots`, `snap`, `content_hash`); a snapshot of a known payload has the earlier one in
    `known_snapshot_id`, its version in `known_version_id`, and no rows. `rows`: frames of `core` by table, with
    `snap`. `violations`, `quarantine`: keyed by `snap`. `drift`: one row per block, path and kind. `received_rows`:
    number of rows received by `snap` and `table_name`, of evidence only. `merges`: snapshots (`snap`, `inn`, `block`)
    whose version is merged with the rows that were known before; `lists`: the tables of the lists that are merged, for
    leaves `<block>__<part>`; NULL: the whole block; `withheld`: the tables of which only the rows are merged that the
    service may leave out, NULL if there are none; `is_narrow`: of the block's own row, the fields are merged that the
    full check does not carry. `digests`: payloads (`BLOCK_DIGESTS`) that need not be transformed again when the same
    bytes return. `kept_rows`: of merged versions (`KEPT_ROWS`).
    """

    responses: pl.DataFrame
    snapshots: pl.DataFrame
    rows: dict[str, pl.DataFrame]
    violations: pl.DataFrame
    quarantine: pl.DataFrame
    drift: pl.DataFrame
    received_rows: pl.DataFrame
    merges: pl.DataFrame
    digests: pl.DataFrame
    kept_rows: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=KEPT_ROWS))
