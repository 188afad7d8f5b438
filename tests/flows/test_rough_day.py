"""A rough day: everything goes wrong a little, the run ends, and every kopeck has its place."""

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from tests.support.cli import ROOT, Cli, assert_money_adds_up, rub, write_portfolio

FAULTS = ROOT / "configs" / "faults" / "rough.toml"


@pytest.mark.parametrize(
    "count", [pytest.param(200, marks=pytest.mark.long), pytest.param(2_000, marks=pytest.mark.vast)]
)
def test_every_call_is_settled_and_every_kopeck_accounted_for(start_sandbox, tmp_path, count, record_property):
    service = start_sandbox("--faults", FAULTS)
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_BUDGET__RUN_RUB": "200000"}, timeout_seconds=1800)
    done = cli.run(write_portfolio(tmp_path / "many.csv", sample_inns(count, 9, persons=0.1)))
    assert done.code == 6, done
    told = done.json
    settled, unknown = assert_money_adds_up(cli, service, 200_000)
    assert (rub(told["charged_rub"]), rub(told["unknown_rub"])) == (settled, unknown)
    record_property("figures", {**told, "billed": str(service.bill_total())})
    print(told, service.bill_total())
    of_calls = cli.sql(
        "SELECT state, count(*), sum(charged_rub), sum(expected_rub) FROM lineage.calls GROUP BY state ORDER BY state"
    )
    by_state = {state: (calls, charged, expected) for state, calls, charged, expected in of_calls}
    assert set(by_state) <= {"settled", "free", "unknown", "released"}
    assert by_state["settled"][1] == settled
    assert by_state["unknown"][2] == unknown > 0
    assert by_state["free"][1] == 0
    assert cli.sql("SELECT charged_rub, unknown_rub FROM lineage.runs") == [(settled, unknown)]
    # Of an unknown call the service knows whether it was charged; of every other, both say the same.
    agreed = {
        (inn, method, rub(charged) * calls)
        for inn, method, charged, calls in cli.sql(
            "SELECT inn, method, charged_rub, count(*) FROM lineage.calls WHERE charged_rub > 0 GROUP BY ALL"
        )
    }
    unclear = set(cli.sql("SELECT inn, method FROM lineage.calls WHERE state = 'unknown'"))
    billed = {}
    for one in service.charges():
        asked = (one["inn"], one["method"])
        billed[asked] = billed.get(asked, 0) + rub(one["price"])
    certain = {(inn, method, price) for (inn, method), price in billed.items() if (inn, method) not in unclear}
    assert {row for row in agreed if row[:2] not in unclear} == certain
    snapshots = dict(cli.sql("SELECT state, count(*) FROM lineage.snapshots GROUP BY state"))
    assert snapshots == {state: count for state, count in told["snapshots"].items() if count}
    assert {"found", "clean", "partial", "unconfirmed", "failed"} <= set(snapshots)
    usable = cli.value("SELECT count(DISTINCT inn) FROM lineage.snapshots WHERE state IN ('found', 'clean', 'partial')")
    assert usable > 0.95 * count
    assert cli.value("SELECT count(*) FROM lineage.drift") > 0
    # Nobody was told about another: every loaded row is about the INN that was asked.
    others = cli.value(
        "SELECT count(*) FROM core.company c JOIN lineage.versions v USING (version_id) WHERE c.inn <> v.inn"
    )
    assert others == 0


@pytest.mark.parametrize("envelope", ["root", "data"])
def test_a_byte_order_mark_makes_no_response_unreadable(make_cli, start_faulty_sandbox, small_portfolio, envelope):
    service = start_faulty_sandbox("[deviations]\nbyte_order_mark = true\n", "--envelope", envelope)
    cli = make_cli(service.url)
    assert cli.run(small_portfolio).code == 0
    assert cli.value("SELECT count(*) FROM lineage.snapshots WHERE state = 'failed'") == 0
    assert cli.sql("SELECT DISTINCT hex(body[:3]) FROM raw.responses") == [("EFBBBF",)]
    assert_money_adds_up(cli, service)
