"""The plan: which calls, in which order, at what price, and who has to wait. No I/O and no clock of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

import polars as pl

from innspect.extract.planner.freshness import bits, blocks_of, find_needs
from innspect.extract.planner.method_selection import cheapest_cover, price_of
from innspect.schemas.catalogue import BLOCKS, available_blocks, standalone_method
from innspect.schemas.settings.profiles import Profile

CALLS = {"order": pl.Int64(), "inn": pl.String(), "method": pl.String(), "price": pl.Int64()}
LEFT_OUT = {"inn": pl.String(), "cost": pl.Int64(), "reason": pl.String()}
UNREPAIRED = {"inn": pl.String(), "block": pl.String(), "state": pl.String(), "reason": pl.String()}
ABOVE_BUDGET, BUDGET_USED = "above_budget", "budget_used"

REPAIRED = ("unconfirmed", "unavailable")
WORST_FIRST = ("bankruptcy", "freezes", "sanctions", "rnp", "risk_flags")
NO_STATEMENTS = "no_data"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would ask. Money is kopecks.

    `calls`: one row per call in the order of asking, `order` counted from 1, the calls of an INN together. `left_out`:
    one row per INN that the budget has no room for, with what it would cost; `above_budget` where it alone is too
    dear, `budget_used` where others went before it. `fresh` counts INNs of which nothing has to be asked, `unaskable`
    those that have none of the profile's blocks.

    `minimum` takes every answer that may be free for free, `expected` none, and `maximum` adds a repair of every
    needed block, as far as the budget allows.
    """

    calls: pl.DataFrame
    left_out: pl.DataFrame
    fresh: int
    unaskable: int
    minimum: int
    expected: int
    maximum: int
    needs: pl.DataFrame
    """One row per INN asked, in the order of asking: `inn` and the `need` that it shares with others."""
    need_blocks: pl.DataFrame
    """One row per need and block of it."""
    unrepaired: pl.DataFrame
    """Silent blocks that a run cut short has left to be repaired: `inn`, `block`, `state`, `reason`."""

    @property
    def wanted(self) -> pl.DataFrame:
        """The needed blocks of all INNs asked: `inn`, `block`, in the order of asking."""
        return self.needs.join(self.need_blocks, on="need", maintain_order="left_right").select("inn", "block")

    def batches(self, size: int) -> Iterator[pl.DataFrame]:
        """The calls, so many INNs at a time, none of them split."""
        inn = self.calls["inn"]
        begins = inn.ne_missing(inn.shift(1)).arg_true().to_list()[::size]
        for begin, end in pairwise((*begins, self.calls.height)):
            yield self.calls.slice(begin, end - begin)

    def within(self, budget: int) -> "Plan":
        """The same plan for no more than so many kopecks: who does not fit is left out whole."""
        if self.expected <= budget:
            return self
        costs = self.calls.group_by("inn", maintain_order=True).agg(cost=pl.col("price").sum())
        room = _room(costs["cost"].to_list(), budget)
        asked, out = costs.filter(room), costs.filter(~room)
        out = out.with_columns(reason=_why_left(budget))
        return replace(
            self,
            calls=self.calls.filter(pl.col("inn").is_in(asked["inn"].implode())),
            left_out=pl.concat([self.left_out, out.select(LEFT_OUT.keys()).cast(pl.Schema(LEFT_OUT))]),
            minimum=min(self.minimum, budget),
            expected=int(asked["cost"].sum()),
            maximum=min(self.maximum, budget),
            needs=self.needs.filter(pl.col("inn").is_in(asked["inn"].implode())),
        )


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
) -> Plan:
    """The plan for a portfolio.

    `members` has `inn` and `priority`, one row per INN; `known` is in the shape of `LATEST_SNAPSHOTS` and may be
    empty. `prices` are kopecks by method and go before the catalogue's; `budget` is kopecks, None being no limit.
    `unrepaired`: silent blocks of a run that was cut short (columns of `Plan.unrepaired`); those that are not asked
    anew anyway are repaired by this run.
    """
    stale = find_needs(members.select("inn", "priority"), known, profile, now, refresh=refresh)
    digits = pl.col("inn").str.len_bytes().cast(pl.Int64)
    able = {length: bits(available_blocks(length), profile) for length in (10, 12)}
    stale = stale.with_columns(
        digits=digits, able=pl.when(digits == 10).then(pl.lit(able[10])).otherwise(pl.lit(able[12]))
    ).with_columns(mask=pl.col("able") & ~pl.col("fresh"))
    needs, need_blocks, need_calls = _needs(stale.filter(pl.col("mask") != 0), profile, prices)
    queue = needs.sort(
        # Nobody asked stands before the longest unasked, who stands before the rest; the file decides between equals.
        "priority",
        "never",
        "oldest",
        descending=[True, True, False],
        nulls_last=[True, True, False],
        maintain_order=True,
    )
    room = _room(queue["cost"].to_list(), budget)
    asked, left_out = queue.filter(room), queue.filter(~room)
    calls = asked.join(need_calls, on="need", maintain_order="left_right").with_row_index("order", offset=1)
    expected = int(asked["cost"].sum())
    left = _left_silent(unrepaired, profile, queue.select("inn", "need"), need_blocks)
    late = plan_repair(left, left.select("inn", "block"), prices, None)
    repairs = int(asked["repair"].sum()) + int(late["price"].sum())
    dearest = expected + (repairs if profile.repair else 0)
    return Plan(
        calls=calls.select(pl.col(name).cast(kind) for name, kind in CALLS.items()),
        left_out=left_out.select("inn", "cost", reason=_why_left(budget)).cast({"cost": pl.Int64}),
        fresh=stale.filter((pl.col("mask") == 0) & (pl.col("able") != 0)).height,
        unaskable=stale.filter(pl.col("able") == 0).height,
        minimum=int(asked["least"].sum()),
        expected=expected,
        maximum=dearest if budget is None else min(dearest, budget),
        needs=asked.select("inn", "need"),
        need_blocks=need_blocks,
        unrepaired=left,
    )


def _left_silent(
    unrepaired: pl.DataFrame | None, profile: Profile, needs: pl.DataFrame, need_blocks: pl.DataFrame
) -> pl.DataFrame:
    """The silent blocks of a run cut short that the profile wants, without those that the plan asks or leaves out."""
    if unrepaired is None or not profile.repair:
        return pl.DataFrame(schema=UNREPAIRED)
    wanted = unrepaired.filter(pl.col("block").is_in(profile.block_names))
    # Mostly few, or none: the blocks of a million INNs would be as many rows as all their answers.
    of_these = needs.join(wanted, on="inn", how="semi")
    needed = of_these.join(need_blocks, on="need").select("inn", "block")
    return wanted.join(needed, on=["inn", "block"], how="anti", maintain_order="left").select(UNREPAIRED.keys())


def _needs(
    stale: pl.DataFrame, profile: Profile, prices: Mapping[str, int]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The stale INNs with the costs of their need, and each need's blocks and calls: few needs, whoever has them."""
    distinct = stale.select("digits", "mask").unique(maintain_order=True).with_row_index("need")
    costs: list[tuple[int, int, int, int]] = []
    blocks: list[tuple[int, str]] = []
    calls: list[tuple[int, str, int]] = []
    for need, digits, mask in distinct.rows():
        needed = blocks_of(mask, profile)
        methods = cheapest_cover(needed, digits, prices)
        price = {method: price_of(method.name, prices) for method in methods}
        alone = (standalone_method(block, "0" * digits) for block in needed)
        costs.append(
            (
                need,
                sum(price.values()),
                sum(cost for method, cost in price.items() if not method.free_if_unavailable),
                sum(price_of(method.name, prices) for method in alone if method is not None),
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


def _room(costs: list[int], budget: int | None) -> pl.Series:
    """Who fits, in order; one that does not is passed over for the next that does. Nobody fits into nothing at all."""
    if budget is None:
        return pl.repeat(value=True, n=len(costs), dtype=pl.Boolean, eager=True)
    left = budget
    fits: list[bool] = []
    for cost in costs:
        # A price of nothing is the settings' word; what is charged is the service's.
        fit = cost <= left and budget > 0
        fits.append(fit)
        left -= cost if fit else 0
    return pl.Series(fits, dtype=pl.Boolean)


def _why_left(budget: int | None) -> pl.Expr:
    return (
        pl.when(pl.col("cost") > (0 if budget is None else budget))
        .then(pl.lit(ABOVE_BUDGET))
        .otherwise(pl.lit(BUDGET_USED))
    )


def plan_repair(
    snapshots: pl.DataFrame, wanted: pl.DataFrame, prices: Mapping[str, int], left: int | None
) -> pl.DataFrame:
    """The calls that ask silent blocks once more, each by its own method; shape of `Plan.calls`.

    `snapshots`: this run's, with `inn`, `block`, `state` and `reason`. `wanted`: the plan's, whose order breaks ties.
    `left` is what the run may still spend, in kopecks; None is no limit. A block that has two snapshots was repaired
    already. Statements that do not exist are not asked for twice.
    """
    none_filed = (pl.col("block") == "financial") & (pl.col("reason").str.strip_chars() == NO_STATEMENTS)
    silent = (
        snapshots.filter(pl.len().over("inn", "block") == 1)
        .filter(pl.col("state").is_in(REPAIRED) & ~none_filed.fill_null(value=False))
        .select("inn", "block")
    )
    queue = (
        wanted.join(silent, on=["inn", "block"], how="semi", maintain_order="left")
        .with_columns(digits=pl.col("inn").str.len_bytes().cast(pl.Int64))
        .join(_repairs(prices), on=["block", "digits"], maintain_order="left")
        .sort("rank", maintain_order=True)
    )
    return (
        queue.filter(_room(queue["price"].to_list(), left))
        .with_row_index("order", offset=1)
        .select(pl.col(name).cast(kind) for name, kind in CALLS.items())
    )


def _repairs(prices: Mapping[str, int]) -> pl.DataFrame:
    """The method that asks each block alone, by length of INN, with its price and its place in the queue."""
    ranked = (*WORST_FIRST, *(block for block in BLOCKS if block not in WORST_FIRST))
    rows = [
        (block, digits, method.name, price_of(method.name, prices), rank)
        for digits in (10, 12)
        for rank, block in enumerate(ranked)
        if block in BLOCKS and (method := standalone_method(block, "0" * digits)) is not None
    ]
    kinds = {"block": pl.String(), "digits": pl.Int64(), "method": pl.String(), "price": pl.Int64(), "rank": pl.Int64()}
    return pl.DataFrame(rows, schema=kinds, orient="row")
