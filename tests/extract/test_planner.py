from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innspect.extract.planner.method_selection import cheapest_cover, price_of
from innspect.extract.planner.planner import CALLS, cut_batches, make_plan, plan_repair
from innspect.schemas.catalogue import (
    BLOCKS,
    CONFIRMABLE_METHODS,
    FULL_CHECK,
    METHODS,
    accepts_inn,
    available_blocks,
    service_methods,
)
from innspect.schemas.declaration import LASTING_REASONS
from innspect.schemas.frames import LATEST_SNAPSHOTS
from innspect.schemas.settings.profiles import Profile

NOW = datetime(2026, 11, 20, 12)
A, B, C, PERSON = "5070044603", "6398133165", "5051812602", "540171787210"
FULL = Profile(blocks=("*",))
PAIR = Profile(blocks=("freezes", "bankruptcy"))


def members(*inns, priority=None):
    return pl.DataFrame(
        {"inn": inns, "priority": priority or [None] * len(inns)}, schema={"inn": pl.String, "priority": pl.Float64}
    )


def known_frame(*rows):
    """Rows of inn, block, age in days, state and reason."""
    return pl.DataFrame(
        [(inn, block, NOW - timedelta(days=age), state, reason) for inn, block, age, state, reason in rows],
        schema=LATEST_SNAPSHOTS,
        orient="row",
    )


def plan(who=None, seen=(), profile=FULL, budget=None, **more):
    return make_plan(
        members(A) if who is None else who, known_frame(*seen), profile, more.pop("prices", {}), budget, NOW, **more
    )


def requested_calls(made):
    return made.calls.select("inn", "method").rows()


def needed(made, inn=A):
    return set(made.requested_blocks.filter(inn=inn)["block"])


def test_unknown_company_gets_a_full_check():
    made = plan()
    assert requested_calls(made) == [(A, FULL_CHECK), (A, "contacts")]
    assert dict(made.calls.schema) == CALLS
    assert made.calls.select("order", "price").rows() == [(1, 1800), (2, 600)]
    assert needed(made) == set(BLOCKS)


def test_sole_proprietor_gets_the_methods_for_twelve_digits():
    made = plan(members(PERSON))
    assert {method for _, method in requested_calls(made)} == {
        "person-brief",
        "person-arbitration",
        "person-fssp",
        "person-bankruptcy",
        "msp",
    }
    assert made.expected == 4800


def test_sole_proprietor_without_requestable_blocks():
    made = plan(members(PERSON, A), profile=Profile(blocks=("freezes",)))
    assert requested_calls(made) == [(A, "freezes")]
    assert (made.fresh, made.not_requestable) == (0, 1)


def test_confirmed_person_methods_are_requested_of_sole_proprietors():
    profile = Profile(blocks=("company", "sanctions", "freezes", "rnp"))
    who = members(PERSON, A)
    without, made = plan(who, profile=profile), plan(who, profile=profile, person_methods=("rnp", "sanctions"))
    assert requested_calls(without)[0] == (PERSON, "person-brief")
    assert requested_calls(without)[1:] == requested_calls(made)[3:]
    assert requested_calls(made)[:3] == [(PERSON, "person-brief"), (PERSON, "rnp"), (PERSON, "sanctions")]
    assert needed(made, PERSON) == {"company", "sanctions", "rnp"}
    assert made.expected == without.expected + METHODS["rnp"].price + METHODS["sanctions"].price
    assert made.maximum == without.maximum + 2 * (METHODS["rnp"].price + METHODS["sanctions"].price)


def test_confirmed_person_methods_make_inns_requestable():
    rnp = Profile(blocks=("rnp",))
    assert plan(members(PERSON), profile=rnp).not_requestable == 1
    made = plan(members(PERSON), profile=rnp, person_methods=("rnp",))
    assert (made.not_requestable, requested_calls(made)) == (0, [(PERSON, "rnp")])
    fresh = plan(members(PERSON), [(PERSON, "rnp", 1, "clean", None)], rnp, person_methods=("rnp",))
    assert (fresh.fresh, fresh.not_requestable, fresh.calls.height) == (1, 0, 0)


def test_full_check_wins_at_equal_cost():
    tie = ("freezes", "financial", "risk_flags")
    assert sum(METHODS[name].price for name in ("freezes", "financial", "risk-flags")) == METHODS[FULL_CHECK].price
    assert requested_calls(plan(profile=Profile(blocks=tie))) == [(A, FULL_CHECK)]
    dearer = plan(profile=Profile(blocks=tie), prices={FULL_CHECK: 1801})
    assert {method for _, method in requested_calls(dearer)} == {"freezes", "financial", "risk-flags"}


def test_block_that_only_the_full_check_returns():
    assert requested_calls(plan(profile=Profile(blocks=("leasing", "msp")))) == [(A, FULL_CHECK)]


@pytest.mark.parametrize(
    ("age", "state", "reason", "is_needed"),
    [
        (30, "found", None, False),
        (30.001, "found", None, True),
        (29, "clean", None, False),
        (0.9, "unconfirmed", "not_available", False),
        (1, "unconfirmed", "not_available", True),
        (0.9, "missing", None, False),
        (1, "missing", None, True),
        (0.9, "partial", "enrichment_pending", False),
        (1, "partial", "enrichment_pending", True),
        (1, "partial", "list_full, sources_failed", True),
        (1, "partial", "Timeout, after 30 s", True),
        (1, "partial", "shape,sources_failed,list_full", True),
        (1, "partial", "list_full,shape, not_all_fetched", False),
        (1, "partial", "list_full", False),
        (29, "found", "list_full", False),
        (30.001, "found", "list_full", True),
        (1, "partial", "mass_check_unavailable,list_full", True),
        (1, "partial", None, False),
        (31, "partial", "list_full", True),
        (0, "unavailable", "unavailable", True),
        (0, "failed", None, True),
        (0, "unknown", None, True),
        (0, None, None, True),
        (-5, "found", None, False),
    ],
)
def test_stale_blocks(age, state, reason, is_needed):
    made = plan(seen=[(A, "freezes", age, state, reason)], profile=Profile(blocks=("freezes",)))
    assert (made.calls.height == 1) is is_needed
    assert made.fresh == (not is_needed)


def test_every_reason_of_a_partial_response_is_temporary_or_lasting():
    declared = {word for block in BLOCKS.values() for word in (*block.coverage.incomplete, *block.coverage.partial)}
    assert declared - set(LASTING_REASONS) == {
        "all_sources_dead",
        "courts_failed",
        "courts_missed",
        "enrichment_pending",
        "ext_sources_timeout",
        "no_register_checked",
        "no_source_checked",
        "from_store_only",
        "mass_check_unavailable",
        "mass_check_unknown",
        "no_court_searched",
        "list_missed",
        "main_source_missed",
        "register_missed",
        "sources_failed",
    }


def test_financial_statements_stay_fresh_longer():
    for age, calls in ((29, 0), (30, 1)):
        made = plan(seen=[(A, "financial", age, "unconfirmed", "no_data")], profile=Profile(blocks=("financial",)))
        assert made.calls.height == calls


def test_maximum_ages_are_per_block_and_zero_always_requests():
    profile = Profile(blocks=("freezes", "msp", "rnp"), max_age_days={"freezes": 0.5, "rnp": 0})
    seen = [(A, block, 0.6, "found", None) for block in ("freezes", "msp")] + [(A, "rnp", 0, "found", None)]
    assert needed(plan(seen=seen, profile=profile)) == {"freezes", "rnp"}
    everything = Profile(blocks=("freezes", "msp"), max_age_days=0)
    assert needed(plan(seen=seen, profile=everything)) == {"freezes", "msp"}


def test_refresh_requests_every_block():
    seen = [(A, "freezes", 0, "found", None), (A, "bankruptcy", 0, "found", None)]
    assert plan(seen=seen, profile=PAIR).fresh == 1
    assert needed(plan(seen=seen, profile=PAIR, refresh=True)) == {"freezes", "bankruptcy"}


def test_clock_may_have_a_time_zone():
    seen = known_frame((A, "freezes", 29.9, "found", None))
    local = NOW.replace(tzinfo=UTC).astimezone(timezone(timedelta(hours=9)))
    made = make_plan(members(A), seen, Profile(blocks=("freezes",)), {}, None, local)
    assert made.fresh == 1


def test_frame_without_columns_means_nothing_is_known():
    assert make_plan(members(A), pl.DataFrame(), PAIR, {}, None, NOW).calls.height == 2


def test_other_inns_and_blocks_are_ignored():
    seen = [(B, "freezes", 0, "found", None), (A, "company", 0, "found", None)]
    assert needed(plan(seen=seen, profile=PAIR)) == {"freezes", "bankruptcy"}


def test_order_is_priority_then_never_requested_then_oldest():
    inns = [f"77{number:08d}" for number in range(7)]
    who = members(*inns, priority=[None, None, 1.0, 1.0, 1.0, 5.0, 1.0])
    seen = [
        (inns[0], "freezes", 400, "found", None),
        (inns[2], "freezes", 40, "found", None),
        (inns[3], "freezes", 90, "found", None),
        (inns[3], "bankruptcy", 1, "found", None),
        (inns[5], "freezes", 31, "found", None),
        (inns[6], "bankruptcy", 91, "found", None),
    ]
    made = plan(who, seen, PAIR)
    order = made.calls["inn"].unique(maintain_order=True).to_list()
    assert order == [inns[number] for number in (5, 4, 6, 3, 2, 1, 0)]


def test_inn_over_budget_is_skipped_for_the_next():
    who = members(A, B, C, priority=[3, 2, 1])
    seen = [(C, "bankruptcy", 1, "found", None)]
    made = plan(who, seen, PAIR, budget=2000)
    assert made.calls["inn"].unique(maintain_order=True).to_list() == [A, C]
    assert made.skipped.rows() == [(B, 1400, "budget_used")]
    assert made.expected == 2000
    assert made.maximum == 2000


def test_zero_budget_plans_nothing_and_reports_it():
    made = plan(members(A, B), profile=PAIR, budget=0)
    assert requested_calls(made) == []
    assert made.skipped.rows() == [(A, 1400, "above_budget"), (B, 1400, "above_budget")]
    assert (made.minimum, made.expected, made.maximum) == (0, 0, 0)
    assert made.requested_blocks.height == 0
    assert list(cut_batches(made.calls, 10)) == []


def test_zero_budget_plans_nothing_even_at_price_zero():
    free = {"bankruptcy": 0, "freezes": 0, "rnp": 0, "full-check": 0, "contacts": 0}
    made = plan(profile=PAIR, prices=free, budget=0)
    assert requested_calls(made) == []
    assert made.skipped.rows() == [(A, 0, "budget_used")]
    assert plan_repair(snapshots((A, "rnp", "unconfirmed", "error")), plan().requested_blocks, free, 0).is_empty()


def test_next_run_repairs_blocks_of_an_interrupted_run():
    left = snapshots(
        (A, "freezes", "unconfirmed", "not_available"),
        (A, "leasing", "unconfirmed", "error"),
        (B, "freezes", "unconfirmed", "not_available"),
    )
    # A is fresh and only to be repaired; B has never been asked of everything, so it is asked anew anyway.
    seen = [(A, block, 1, "found", None) for block in PAIR.block_names]

    def made(profile):
        return plan(members(A, B), seen, profile, unrepaired=left)

    one = made(PAIR)
    assert one.unrepaired.select("inn", "block").rows() == [(A, "freezes")]
    assert requested_calls(one) == requested_calls(plan(members(B), profile=PAIR))
    assert one.maximum == plan(members(B), profile=PAIR).maximum + 600
    assert made(PAIR.model_copy(update={"repair": False})).unrepaired.is_empty()


def test_minimum_expected_and_maximum():
    blocks = ("arbitration", "msp")
    made = plan(profile=Profile(blocks=blocks))
    assert (made.minimum, made.expected, made.maximum) == (400, 1600, 3200)
    assert plan(profile=Profile(blocks=blocks, repair=False)).maximum == 1600
    whole = plan(profile=Profile(blocks=("leasing", "freezes")))
    assert (whole.minimum, whole.expected, whole.maximum) == (1800, 1800, 2400)


def test_batches_keep_the_calls_of_an_inn_together():
    inns = [f"77{number:08d}" for number in range(5)]
    made = plan(members(*inns), profile=PAIR)
    batches = list(cut_batches(made.calls, 2))
    assert [batch["inn"].n_unique() for batch in batches] == [2, 2, 1]
    assert pl.concat(batches).equals(made.calls)


@pytest.mark.parametrize(
    ("total", "inns", "min_calls", "sizes"),
    [
        (16, 200, 0, [8, 4, 2, 1, 1]),
        (16, 200, 4, [8, 4, 4]),
        (16, 200, 5, [8, 5, 3]),
        (16, 5, 4, [5, 5, 4, 2]),
        (3, 200, 100, [3]),
        (0, 200, 100, []),
    ],
)
def test_batches_shrink_towards_the_end(total, inns, min_calls, sizes):
    calls = plan(members(*(f"77{number:08d}" for number in range(total)))).calls.unique("inn", maintain_order=True)
    batches = list(cut_batches(calls, inns, min_calls))
    assert [batch.height for batch in batches] == sizes
    assert pl.concat([calls.clear(), *batches]).equals(calls)


prices = st.fixed_dictionaries({name: st.integers(0, 3000) for name in METHODS if METHODS[name].digits})


def cheapest_by_trying(blocks, digits, price, methods):
    """The least that any set of methods costs that brings all the blocks."""
    inn = "0" * digits
    brings = {
        name: {
            block for block in blocks if (BLOCKS[block].full_check_key if name == FULL_CHECK else method.block == block)
        }
        for name, method in methods.items()
        if method.digits and accepts_inn(method, inn)
    }
    useful = [name for name, brought in brings.items() if brought]
    return min(
        sum(price_of(name, price) for name in chosen)
        for size in range(len(useful) + 1)
        for chosen in combinations(useful, size)
        if set().union(*(brings[name] for name in chosen)) == set(blocks)
    )


@settings(max_examples=150)
@given(st.data(), prices, st.sampled_from([10, 12]), st.sets(st.sampled_from(CONFIRMABLE_METHODS)).map(tuple))
def test_selected_methods_are_the_cheapest(data, price, digits, person_methods):
    blocks = data.draw(st.sets(st.sampled_from(available_blocks(digits, person_methods)), max_size=6))
    cover = cheapest_cover(blocks, digits, price, person_methods)
    cheapest = cheapest_by_trying(blocks, digits, price, service_methods(person_methods))
    assert sum(price_of(method.name, price) for method in cover) == cheapest
    whole = {name for name, block in BLOCKS.items() if block.full_check_key}
    brought = {method.block for method in cover} | (whole if METHODS[FULL_CHECK] in cover else set())
    assert blocks <= brought
    assert all(accepts_inn(method, "0" * digits) for method in cover)


states = st.sampled_from(["found", "clean", "partial", "unconfirmed", "missing", "unavailable", "failed"])
answers = st.dictionaries(
    st.tuples(st.sampled_from([A, B, C, PERSON]), st.sampled_from(sorted(BLOCKS))),
    st.tuples(st.integers(0, 60), states, st.sampled_from([None, "sources_failed", "list_full", "no_data"])),
    max_size=40,
)


@settings(max_examples=80, deadline=None)
@given(
    answers, prices, st.none() | st.integers(0, 10_000), st.lists(st.floats(-2, 2) | st.none(), min_size=4, max_size=4)
)
def test_plan_invariants(seen, price, budget, priority):
    who = members(A, B, C, PERSON, priority=priority)
    made = plan(who, [(*key, *value) for key, value in seen.items()], FULL, budget, prices=price)
    everyone = {*made.needs["inn"], *made.skipped["inn"]}
    assert len(everyone) == made.needs.height + made.skipped.height == who.height - made.fresh - made.not_requestable
    assert set(made.calls["inn"]) == set(made.needs["inn"])
    assert made.calls["price"].sum() == made.expected
    assert made.minimum <= made.expected <= made.maximum
    assert budget is None or made.maximum <= budget
    assert made.calls["order"].to_list() == list(range(1, made.calls.height + 1))
    assert all(price[method] == cost for method, cost in made.calls.select("method", "price").rows())
    left = 0 if budget is None else budget - made.expected
    assert all(cost > left for cost in made.skipped["cost"])


def snapshots(*rows):
    return pl.DataFrame(
        rows, schema={"inn": pl.String, "block": pl.String, "state": pl.String, "reason": pl.String}, orient="row"
    )


def test_repairs_start_with_the_most_severe_blocks():
    wanted = plan(members(A, B)).requested_blocks
    silent = snapshots(
        (A, "msp", "unconfirmed", "index_not_ready"),
        (A, "leasing", "unconfirmed", "error"),
        (A, "rnp", "unconfirmed", "filter_bypassed"),
        (A, "company", "found", None),
        (A, "fssp", "partial", "sources_failed"),
        (A, "general_courts", "missing", None),
        (B, "bankruptcy", "unconfirmed", "error"),
        (B, "pledges", "unavailable", "unavailable"),
    )
    calls = plan_repair(silent, wanted, {"rnp": 700}, None)
    assert dict(calls.schema) == CALLS
    assert calls.select("inn", "method", "price").rows() == [
        (B, "bankruptcy", 800),
        (A, "rnp", 700),
        *sorted([(A, "msp", 400), (B, "pledges", 800)], key=lambda call: list(BLOCKS).index(call[1])),
    ]


def test_repairs_stay_within_the_remaining_budget():
    wanted = plan().requested_blocks
    silent = snapshots(*((A, block, "unconfirmed", "error") for block in ("bankruptcy", "freezes", "rnp")))
    assert plan_repair(silent, wanted, {}, 1300)["method"].to_list() == ["bankruptcy", "rnp"]
    assert plan_repair(silent, wanted, {}, 0).height == 0


def test_only_wanted_blocks_are_repaired_and_once():
    wanted = plan(profile=PAIR).requested_blocks
    silent = snapshots(
        (A, "freezes", "unconfirmed", "not_available"),
        (A, "freezes", "unconfirmed", "not_available"),
        (A, "rnp", "unconfirmed", "filter_bypassed"),
        (A, "bankruptcy", "unconfirmed", "error"),
    )
    assert plan_repair(silent, wanted, {}, None)["method"].to_list() == ["bankruptcy"]


def test_repair_of_a_sole_proprietor_uses_its_methods():
    wanted = plan(members(PERSON)).requested_blocks
    silent = snapshots((PERSON, "fssp", "unconfirmed", "sources_failed"))
    assert plan_repair(silent, wanted, {}, None)["method"].to_list() == ["person-fssp"]


def test_repair_of_a_sole_proprietor_uses_confirmed_methods():
    wanted = plan(members(PERSON), person_methods=("rnp",)).requested_blocks
    silent = snapshots((PERSON, "rnp", "unconfirmed", "filter_bypassed"))
    assert plan_repair(silent, wanted, {}, None, ("rnp",))["method"].to_list() == ["rnp"]
    assert plan_repair(silent, wanted, {}, None).height == 0


def test_missing_financial_statements_are_not_requested_twice():
    wanted = plan().requested_blocks
    assert plan_repair(snapshots((A, "financial", "unconfirmed", "no_data")), wanted, {}, None).height == 0
    assert plan_repair(snapshots((A, "financial", "unconfirmed", "error")), wanted, {}, None).height == 1
