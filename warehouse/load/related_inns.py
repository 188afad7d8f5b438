"""Look up whom the answers about some INNs name: directors, founders, beneficiaries, linked and founded companies."""

from collections.abc import Sequence

import polars as pl

from innspect.schemas.settings.relations import Relation
from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import LATEST_TABLE

RELATED_INNS = {
    "named_by": pl.String(),
    "level": pl.String(),
    "relation": pl.String(),
    "inn": pl.String(),
    "name": pl.String(),
    "share_pct": pl.Float64(),
    "row_no": pl.Int64(),
}
"""Columns of `find_related_inns`."""
_FOUNDERS = (
    "SELECT version_id, item_inn, name, NULL AS share_pct, founders_no AS row_no FROM core.company__founders "
    "UNION ALL SELECT version_id, item_inn, name, share_pct, founder_shares_no FROM core.company__founder_shares "
    "UNION ALL SELECT version_id, item_inn, name, share_pct, founder_shares_no FROM core.risk_flags__founder_shares"
)
_ROWS = {
    Relation.DIRECTORS: "SELECT version_id, item_inn, name, NULL AS share_pct, directors_no AS row_no "
    "FROM core.company__directors",
    Relation.FOUNDERS: _FOUNDERS,
    Relation.BENEFICIARIES: "SELECT version_id, item_inn, name, share_pct, beneficiaries_no AS row_no "
    "FROM core.company__beneficiaries",
    # A company that is closed says nothing new: the rule linked_closed counts it from this list.
    Relation.LINKED: "SELECT version_id, item_inn, name, NULL AS share_pct, linked_companies_no AS row_no "
    "FROM core.risk_flags__linked_companies WHERE NOT coalesce(historic, false)",
    Relation.FOUNDED: "SELECT version_id, item_inn, name, NULL AS share_pct, items_no AS row_no "
    "FROM core.founded_companies__items",
}


def find_related_inns(warehouse: Warehouse, inns: pl.Series, relations: Sequence[Relation]) -> pl.DataFrame:
    """The INNs that the latest evidence about `inns` names in these relations, as received (`RELATED_INNS`).

    One row per naming INN, relation, named INN and list; `level`: present level of the naming INN; `share_pct`: share
    of a founder or owner, NULL if it is not known; `row_no`: place in the list. Rows without an INN are left out.
    """
    if inns.is_empty() or not relations:
        return pl.DataFrame(schema=RELATED_INNS)
    rows = " UNION ALL ".join(
        f"SELECT '{relation}' AS relation, version_id, item_inn, name, share_pct::DOUBLE AS share_pct, row_no "
        f"FROM ({_ROWS[relation]})"
        for relation in relations
    )
    with warehouse.register(naming=inns.unique().to_frame("inn")):
        found = warehouse.query(
            f"WITH known AS (SELECT l.inn, l.version_id FROM {LATEST_TABLE} l SEMI JOIN naming USING (inn) "
            "WHERE l.version_id IS NOT NULL AND l.block IN ('company', 'risk_flags', 'founded_companies')) "
            "SELECT k.inn AS named_by, r.relation, r.item_inn AS inn, r.name, r.share_pct, r.row_no "
            f"FROM known k JOIN ({rows}) r USING (version_id) WHERE r.item_inn IS NOT NULL AND r.item_inn <> k.inn "
            "ORDER BY ALL"
        )
    with warehouse.register(naming=found.select(inn="named_by").unique()):
        levels = warehouse.query(
            "SELECT s.inn AS named_by, s.level FROM mart.risk_score s SEMI JOIN naming USING (inn)"
        )
    return found.join(levels, on="named_by", how="left", maintain_order="left").select(
        pl.col(name).cast(kind) for name, kind in RELATED_INNS.items()
    )
