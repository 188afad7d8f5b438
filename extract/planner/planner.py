"""Plan a run: which calls, in which order, at what price, and which INNs exceed the budget. No I/O, no clock."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil

import polars as pl

from innspect.extract.planner.freshness import block_mask, blocks_in_mask, find_needs
from innspect.extract.planner.method_selection import cheapest_cover, price_of
from innspect.schemas.catalogue import BLOCKS, available_blocks, standalone_method
from innspect.schemas.settings.profiles import Profile
from innspect.schemas.states import SnapshotState

CALLS = {"order": pl.Int64(), "inn": pl.String(), "method": pl.String(), "price": pl.Int64()}
SKIPPED = {"inn": pl.String(), "cost": pl.Int64(), "reason": pl.String()}
UNREPAIRED = {"inn": pl.String(), "block": pl.String(), "state": pl.String(), "reason": pl.String()}
ABOVE_BUDGET, BUDGET_USED = "above_budget", "budget_used"

REPAIRED_STATES = (SnapshotState.UNCONFIRMED, SnapshotState.UNAVAILABLE)
REPAIRED_FIRST = ("bankruptcy", "freezes", "sanctions", "rnp", "risk_flags")
NO_STATEMENTS_REASON = "no_data"


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned calls of a run. Money is kopecks.

    `calls`: one row per call in the order of requests, `order` counted from 1, the calls of an INN together. `skipped`:
    one row per INN that exceeds the budget, with its cost; reason `above_budget` if it exceeds the budget alone,
    `budget_used` if earlier INNs use the budget. `fresh` counts INNs without a stale block, `not_requestable` those for
    which the profile has no method.

    `minimum` assumes that every response that may be free is free, `expected` that none is, and `maximum` adds a repair
    of every needed block, within the budget.
    """

    calls: pl.DataFrame
    skipped: pl.DataFrame
    fresh: int
    not_requestable: int
    minimum: int
    expected: int
    maximum: int
    needs: pl.DataFrame
    """One row per requested INN, in the order of requests: `inn`, `need` (INNs that need the same blocks share one)."""
    need_blocks: pl.DataFrame
    """One row per `need` and `block`."""
    unrepaired: pl.DataFrame
    """Blocks without evidence that an interrupted run did not repair: `inn`, `block`, `state`, `reason`."""

    @property
    def requested_blocks(self) -> pl.DataFrame:
        """The needed blocks of all requested INNs: `inn`, `block`, in the order of requests."""
        return self.needs.join(self.need_blocks, on="need", maintain_order="left_right").select("inn", "block")

    def limit_to_budget(self, budget: int) -> "Plan":
        """The plan reduced to a budget in kopecks: an INN whose calls do not all fit is skipped."""
        if self.expected <= budget:
            return self
        costs = self.calls.group_by("inn", maintain_order=True).agg(cost=pl.col("price").sum())
        fits = _select_within_budget(costs["cost"].to_list(), budget)
        requested, skipped = costs.filter(fits), costs.filter(~fits)
        skipped = skipped.with_columns(reason=_skip_reason(budget))
        return replace(
            self,
            calls=self.calls.filter(pl.col("inn").is_in(requested["inn"].implode())),
            skipped=pl.concat([self.skipped, skipped.select(SKIPPED.keys()).cast(pl.Schema(SKIPPED))]),
            minimum=min(self.minimum, budget),
            expected=int(requested["cost"].sum()),
            maximum=min(self.maximum, budget),
            needs=self.needs.filter(pl.col("inn").is_in(requested["inn"].implode())),
        )


def cut_batches(calls: pl.DataFrame, inns: int, min_calls: int = 0) -> Iterator[pl.DataFrame]:
    """Calls (columns of `Plan.calls`) in batches of at most `inns` INNs, the consecutive calls of an INN together.

    A batch is loaded while the next is requested, and the last one when nothing is left to request. Therefore a batch
    has at most half of the remaining INNs, but at least those of `min_calls` calls.
    """
    inn = calls["inn"]
    begins = [*inn.ne_missing(inn.shift(1)).arg_true().to_list(), calls.height]
    first, total = 0, len(begins) - 1
    while first < total:
        enough = bisect_left(begins, begins[first] + min_calls)
        last = min(first + inns, max(ceil((first + total) / 2), enough), total)
        yield calls.slice(begins[first], begins[last] - begins[first])
        first = last


def make_plan(
    members: pl.DataFrame,
    known: pl.DataFrame,
    profile: Profile,
    prices: Mapping[str, int],
    budget: int | None,
    now: datetime,
    *,
    refresh: bool = False,
    unrepaired: pl.DataFrame | None = None,
    person_methods: tuple[str, ...] = (),
) -> Plan:
    """The plan for a portfolio.

    `members` has `inn` and `priority`, one row per INN; `known` has the columns of `LATEST_SNAPSHOTS` or is empty.
    `prices` are kopecks by method and override the catalogue's; `budget` is kopecks, None is no limit. `unrepaired` are
    blocks without evidence from an interrupted run (columns of `Plan.unrepaired`); this run repairs those that it does
    not request anyway. `person_methods` are the company methods that may be requested for persons too.
    """
    stale = find_needs(members.select("inn", "priority"), known, profile, now, refresh=refresh)
    digits = pl.col("inn").str.len_bytes().cast(pl.Int64)
    available = {length: block_mask(available_blocks(length, person_methods), profile) for length in (10, 12)}
    stale = stale.with_columns(
        digits=digits, available=pl.when(digits == 10).then(pl.lit(available[10])).otherwise(pl.lit(available[12]))
    ).with_columns(mask=pl.col("available") & ~pl.col("fresh"))
    needs, need_blocks, need_calls = _group_needs(stale.filter(pl.col("mask") != 0), profile, prices, person_methods)
    queue = needs.sort(
        # Never requested INNs come first, then those with the oldest evidence; ties keep the order of the file.
        "priority",
        "never",
        "oldest",
        descending=[True, True, False],
        nulls_last=[True, True, False],
        maintain_order=True,
    )
    fits = _select_within_budget(queue["cost"].to_list(), budget)
    requested, skipped = queue.filter(fits), queue.filter(~fits)
    calls = requested.join(need_calls, on="need", maintain_order="left_right").with_row_index("order", offset=1)
    expected = int(requested["cost"].sum())
    remaining = _remaining_repairs(unrepaired, profile, queue.select("inn", "need"), need_blocks)
    earlier_repairs = plan_repair(remaining, remaining.select("inn", "block"), prices, None, person_methods)
    repairs = int(requested["repair"].sum()) + int(earlier_repairs["price"].sum())
    maximum = expected + (repairs if profile.repair else 0)
    return Plan(
        calls=calls.select(pl.col(name).cast(kind) for name, kind in CALLS.items()),
        skipped=skipped.select("inn", "cost", reason=_skip_reason(budget)).cast({"cost": pl.Int64}),
        fresh=stale.filter((pl.col("mask") == 0) & (pl.col("available") != 0)).height,
        not_requestable=stale.filter(pl.col("available") == 0).height,
        minimum=int(requested["least"].sum()),
        expected=expected,
        maximum=maximum if budget is None else min(maximum, budget),
        needs=requested.select("inn", "need"),
        need_blocks=need_blocks,
        unrepaired=remaining,
    )


def _remaining_repairs(
    unrepaired: pl.DataFrame | None, profile: Profile, needs: pl.DataFrame, need_blocks: pl.DataFrame
) -> pl.DataFrame:
    """The blocks of `unrepaired` that the profile includes, without those that the plan requests or skips."""
    if unrepaired is None or not profile.repair:
        return pl.DataFrame(schema=UNREPAIRED)
    in_profile = unrepaired.filter(pl.col("block").is_in(profile.block_names))
    # Join only the INNs of `unrepaired`: the blocks of a large portfolio would be millions of rows.
    affected = needs.join(in_profile, on="inn", how="semi")
    needed = affected.join(need_blocks, on="need").select("inn", "block")
    return in_profile.join(needed, on=["inn", "block"], how="anti", maintain_order="left").select(UNREPAIRED.keys())


def _group_needs(
    stale: pl.DataFrame, profile: Profile, prices: Mapping[str, int], person_methods: tuple[str, ...]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The stale INNs with the costs of their need; the blocks of each need; its calls.

    A need is a distinct set of blocks for one length of INN, so that methods are selected once per need.
    """
    distinct = stale.select("digits", "mask").unique(maintain_order=True).with_row_index("need")
    costs: list[tuple[int, int, int, int]] = []
    blocks: list[tuple[int, str]] = []
    calls: list[tuple[int, str, int]] = []
    for need, digits, mask in distinct.rows():
        needed = blocks_in_mask(mask, profile)
        methods = cheapest_cover(needed, digits, prices, person_methods)
        price = {method: price_of(method.name, prices) for method in methods}
        own_methods = (standalone_method(block, "0" * digits, person_methods) for block in needed)
        costs.append(
            (
                need,
                sum(price.values()),
                sum(cost for method, cost in price.items() if not method.free_if_unavailable),
                sum(price_of(method.name, prices) for method in own_methods if method is not None),
            )
        )
        blocks += [(need, block) for block in needed]
        calls += [(need, method.name, cost) for method, cost in price.items()]
    number = {"need": pl.UInt32()}
    cost_frame = pl.DataFrame(
        costs, schema=number | dict.fromkeys(("cost", "least", "repair"), pl.Int64()), orient="row"
    )
    return (
        stale.join(distinct, on=["digits", "mask"], maintain_order="left").join(
            cost_frame, on="need", maintain_order="left"
        ),
        pl.DataFrame(blocks, schema=number | {"block": pl.String()}, orient="row"),
        pl.DataFrame(calls, schema=number | {"method": pl.String(), "price": pl.Int64()}, orient="row"),
    )


def _select_within_budget(costs: list[int], budget: int | None) -> pl.Series:
    """Which costs fit into the budget, in order; one that does not fit is skipped. Nothing fits into a budget of 0."""
    if budget is None:
        return pl.repeat(value=True, n=len(costs), dtype=pl.Boolean, eager=True)
    remaining = budget
    fits: list[bool] = []
    for cost in costs:
        # A price of 0 comes from the settings; the service may charge more.
        fit = cost <= remaining and budget > 0
        fits.append(fit)
        remaining -= cost if fit else 0
    return pl.Series(fits, dtype=pl.Boolean)


def _skip_reason(budget: int | None) -> pl.Expr:
    return (
        pl.when(pl.col("cost") > (0 if budget is None else budget))
        .then(pl.lit(ABOVE_BUDGET))
        .otherwise(pl.lit(BUDGET_USED))
    )


def plan_repair(
    snapshots: pl.DataFrame,
    requested_blocks: pl.DataFrame,
    prices: Mapping[str, int],
    budget: int | None,
    person_methods: tuple[str, ...] = (),
) -> pl.DataFrame:
    """The calls that repair blocks without evidence, each by its standalone method; columns of `Plan.calls`.

    `snapshots` are those of this run: `inn`, `block`, `state`, `reason`. `requested_blocks` are those of the plan and
    break ties by their order. `budget` is what the run may still spend, in kopecks; None is no limit. A block with two
    snapshots was repaired already. Financial statements that were never filed are not requested again.
    """
    is_not_filed = (pl.col("block") == "financial") & (pl.col("reason").str.strip_chars() == NO_STATEMENTS_REASON)
    without_evidence = (
        snapshots.filter(pl.len().over("inn", "block") == 1)
        .filter(pl.col("state").is_in(REPAIRED_STATES) & ~is_not_filed.fill_null(value=False))
        .select("inn", "block")
    )
    queue = (
        requested_blocks.join(without_evidence, on=["inn", "block"], how="semi", maintain_order="left")
        .with_columns(digits=pl.col("inn").str.len_bytes().cast(pl.Int64))
        .join(_repair_methods(prices, person_methods), on=["block", "digits"], maintain_order="left")
        .sort("rank", maintain_order=True)
    )
    return (
        queue.filter(_select_within_budget(queue["price"].to_list(), budget))
        .with_row_index("order", offset=1)
        .select(pl.col(name).cast(kind) for name, kind in CALLS.items())
    )


def _repair_methods(prices: Mapping[str, int], person_methods: tuple[str, ...]) -> pl.DataFrame:
    """The standalone method of each block by length of INN, with its price and its rank in the queue."""
    ranked = (*REPAIRED_FIRST, *(block for block in BLOCKS if block not in REPAIRED_FIRST))
    rows = [
        (block, digits, method.name, price_of(method.name, prices), rank)
        for digits in (10, 12)
        for rank, block in enumerate(ranked)
        if block in BLOCKS and (method := standalone_method(block, "0" * digits, person_methods)) is not None
    ]
    kinds = {"block": pl.String(), "digits": pl.Int64(), "method": pl.String(), "price": pl.Int64(), "rank": pl.Int64()}
    return pl.DataFrame(rows, schema=kinds, orient="row")
