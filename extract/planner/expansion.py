"""Expansion: which INNs that answers name become members, in which order, and what one may cost. No I/O."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import polars as pl

from innspect.extract.planner.planner import Plan, make_plan
from innspect.extract.portfolio.inn import read_inns
from innspect.extract.portfolio.reader import MEMBERS
from innspect.schemas.settings.profiles import Profile
from innspect.schemas.settings.relations import Relation
from innspect.schemas.states import Level

LEVEL_ORDER = (Level.LOW, Level.UNKNOWN, Level.MEDIUM, Level.HIGH, Level.CRITICAL)
"""Levels of naming members in ascending order of priority: an unknown level may be a high one."""
_NAMING = ["named_by", "inn"]


def select_related_inns(
    related: pl.DataFrame, relations: Sequence[Relation], limit: int, excluded: pl.Series, wave: int
) -> pl.DataFrame:
    """The members that an expansion adds (columns of `MEMBERS`), one row per INN, in the order of requests.

    `related`: `named_by`, `level` of that INN, `relation`, `inn`, `name`, `share_pct`, `row_no`; any number of rows per
    pair. Of what one INN names, the first `limit` INNs are taken, in the order of `relations` and then by share. An INN
    that is not valid as it is, or that is one of `excluded`, is never taken. `priority` is the rank of the highest
    level among those who name it. `extra` is a JSON object: `roles` as text, `named_by` with `inn` and `role` of each,
    and `wave`.
    """
    is_valid = (read_inns(related["inn"])["inn"] == related["inn"]).fill_null(value=False)
    roles = {relation.value: relation.role for relation in Relation}
    places = {relation.value: number for number, relation in enumerate(relations)}
    ranked = (
        related.filter(is_valid & ~related["inn"].is_in(excluded.implode()))
        .with_columns(
            relation_no=pl.col("relation").replace_strict(places, default=None, return_dtype=pl.Int64),
            role=pl.col("relation").replace_strict(roles, return_dtype=pl.String),
            priority=pl.col("level").replace_strict(
                {level.value: number for number, level in enumerate(LEVEL_ORDER)},
                default=LEVEL_ORDER.index(Level.UNKNOWN),
                return_dtype=pl.Float64,
            ),
        )
        .drop_nulls("relation_no")
        .sort("named_by", "relation_no", "share_pct", "row_no", "inn", descending=[False, False, True, False, False],
              nulls_last=True)
    )  # fmt: skip
    pairs = ranked.select(_NAMING).unique(maintain_order=True)
    taken = pairs.filter(pl.int_range(pl.len()).over("named_by") < limit)
    naming = ranked.join(taken, on=_NAMING, how="semi", maintain_order="left").unique(
        [*_NAMING, "role"], keep="first", maintain_order=True
    )
    found = (
        naming.group_by("inn", maintain_order=True)
        .agg(
            pl.col("name").drop_nulls().first(),
            pl.col("priority").max(),
            naming=pl.struct(inn="named_by", role="role"),
            roles=pl.col("role").unique().sort().str.join(", "),
            naming_inns=pl.col("named_by").n_unique(),
        )
        .sort("priority", "naming_inns", "inn", descending=[True, True, False])
    )
    extra = pl.struct("roles", named_by="naming", wave=pl.lit(wave)).struct.json_encode()
    return found.with_columns(
        extra=extra, tags=pl.lit(None, dtype=pl.String), line=pl.int_range(1, pl.len() + 1)
    ).select(pl.col(name).cast(kind) for name, kind in MEMBERS.items())


def dearest_inn(profile: Profile, prices: Mapping[str, int], person_methods: tuple[str, ...], now: datetime) -> int:
    """The most that one INN can cost in kopecks that was never requested, with the repair of every block."""
    # Check digits do not matter to the planner, the length does.
    unknown = pl.DataFrame({"inn": ["0" * 10, "0" * 12], "priority": [None, None]})
    return max(_plan_inns(unknown[row], profile, prices, person_methods, now).maximum for row in range(2))


def _plan_inns(
    members: pl.DataFrame, profile: Profile, prices: Mapping[str, int], person_methods: tuple[str, ...], now: datetime
) -> Plan:
    return make_plan(members, pl.DataFrame(), profile, prices, None, now, person_methods=person_methods)
