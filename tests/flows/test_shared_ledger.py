"""Several homes over one ledger on PostgreSQL: one set of caps, and a server that falls over under a run."""

import json
import time

import pytest
from sqlalchemy import create_engine, text

from innspect.sandbox.world.inn_samples import sample_inns
from tests.support.cli import Cli, assert_fails, assert_money_adds_up, assert_no_call_paid_twice, rub, write_portfolio

SLOW = "slow_seconds = {seconds}\n[rates]\nslow = 1.0\n"


def start_slow_sandbox(start_sandbox, folder, *, seconds):
    """A sandbox that takes so long for each response."""
    faults = folder / "slow.toml"
    faults.write_text(SLOW.format(seconds=seconds))
    return start_sandbox("--faults", faults)


def wait_for_bill(service, roubles):
    """Wait until the service has charged so much: a run is in progress then."""
    deadline = time.monotonic() + 120
    while service.bill_total() < roubles:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def sums(url: str) -> tuple[int, int, int]:
    """Kopecks charged, perhaps charged, and reserved, over all homes."""
    engine = create_engine(url)
    query = (
        "SELECT coalesce(sum(charged) FILTER (WHERE state = 'settled'), 0), "
        "coalesce(sum(expected) FILTER (WHERE state = 'unknown'), 0), "
        "coalesce(sum(expected) FILTER (WHERE state IN ('reserved', 'sent')), 0) FROM calls"
    )
    with engine.connect() as connection:
        row = connection.execute(text(query)).one()
    engine.dispose()
    return int(row[0]), int(row[1]), int(row[2])


@pytest.mark.long
def test_two_runs_on_different_portfolios_never_exceed_one_day_cap(start_sandbox, tmp_path, postgres_ledger):
    service = start_slow_sandbox(start_sandbox, tmp_path, seconds=1)
    inns = sample_inns(40, 21, persons=0)
    shared = {
        "INNSPECT_STORES__LEDGER": postgres_ledger,
        "INNSPECT_BUDGET__DAY_RUB": "300",
        "INNSPECT_SERVICE__CONCURRENCY": "1",
    }
    homes = [Cli(tmp_path / name, service.url, dict(shared)) for name in ("one", "other")]
    halves = [write_portfolio(tmp_path / f"{n}.csv", inns[n::2]) for n in range(2)]
    running = [
        cli.start("run", half, "--direct", "--json", "--no-repair") for cli, half in zip(homes, halves, strict=True)
    ]
    told = [json.loads(one.communicate(timeout=200)[0]) for one in running]
    assert [one.returncode for one in running] == [3, 3]
    settled, unknown, reserved = sums(postgres_ledger)
    assert (unknown, reserved) == (0, 0)
    assert settled == service.bill_total() * 100
    assert 30_000 - 1_800 < settled <= 30_000
    assert_no_call_paid_twice(service)
    asked = [{inn for (inn,) in cli.sql("SELECT DISTINCT inn FROM lineage.responses")} for cli in homes]
    assert all(asked)
    assert not asked[0] & asked[1]
    # Each had planned to use the whole cap; who is left out, in whole or in part, for what the other took is counted.
    whole = "SELECT count(*) FROM (SELECT inn FROM lineage.responses GROUP BY inn HAVING count(DISTINCT method) = 2)"
    assert [one["skipped_for_budget"] for one in told] == [20 - cli.value(whole) for cli in homes]
    # The cap is reached: neither asks anything more today.
    for cli, half in zip(homes, halves, strict=True):
        assert cli.run(half, "--no-repair").code == 3
    assert sums(postgres_ledger)[0] == settled


@pytest.mark.long
def test_ledger_restart_during_a_run_loses_nothing(start_sandbox, tmp_path, postgres, postgres_ledger):
    service = start_slow_sandbox(start_sandbox, tmp_path, seconds=0.2)
    shared = {"INNSPECT_STORES__LEDGER": postgres_ledger, "INNSPECT_SERVICE__CONCURRENCY": "4"}
    cli = Cli(tmp_path / "home", service.url, shared)
    many = write_portfolio(tmp_path / "many.csv", sample_inns(60, 22))
    run = cli.start("run", many, "--direct", "--json", "--no-repair")
    wait_for_bill(service, 180)
    assert run.poll() is None
    postgres.stop(at_once=True)
    try:
        _, said = run.communicate(timeout=200)
    finally:
        postgres.start()
    assert run.returncode == 1, said
    (sentence,) = [line for line in said.splitlines() if line.startswith("innspect: ")]
    assert "ledger" in sentence
    assert "Traceback" not in said
    billed = service.bill_total()
    settled, unknown, reserved = sums(postgres_ledger)
    assert billed * 100 <= settled + unknown + reserved
    done = cli.run(many, "--no-repair")
    assert done.code in (0, 6), done
    settled, unknown = assert_money_adds_up(cli, service)
    # What was sent when the ledger fell over may have been paid: it is not asked again blindly, nor counted as free.
    assert settled <= service.bill_total() <= settled + unknown
    assert cli.value("SELECT count(DISTINCT inn) FROM lineage.responses WHERE method = 'full-check'") + (
        cli.value("SELECT count(DISTINCT inn) FROM lineage.calls WHERE state = 'unknown' AND method = 'full-check'")
    ) >= cli.value("SELECT count(DISTINCT inn) FROM lineage.portfolio_members")
    assert rub(cli.status()["reserved_rub"]) == 0


@pytest.mark.long
def test_a_ledger_that_is_back_in_seconds_gets_the_responses_of_calls_in_progress(
    start_sandbox, tmp_path, postgres, postgres_ledger
):
    service = start_slow_sandbox(start_sandbox, tmp_path, seconds=0.5)
    shared = {"INNSPECT_STORES__LEDGER": postgres_ledger, "INNSPECT_SERVICE__CONCURRENCY": "8"}
    cli = Cli(tmp_path / "home", service.url, shared)
    many = write_portfolio(tmp_path / "many.csv", sample_inns(24, 22))
    run = cli.start("run", many, "--direct", "--json", "--no-repair")
    wait_for_bill(service, 100)
    postgres.stop(at_once=True)
    time.sleep(1.5)
    postgres.start()
    _, said = run.communicate(timeout=200)
    assert run.returncode in (0, 1), said
    # Whether the run continues depends on whether it reserved a call meanwhile; what was in progress is stored.
    settled, unknown, _ = sums(postgres_ledger)
    assert (settled, unknown) == (service.bill_total() * 100, 0)
    assert cli.run(many, "--no-repair").code == 0
    assert_money_adds_up(cli, service)
    assert_no_call_paid_twice(service)


@pytest.mark.long
def test_a_copy_of_a_home_leaves_the_run_of_the_other_alone(start_sandbox, tmp_path, postgres_ledger):
    # It took the run for a killed one: it ended it, and sealed its responses into an archive of its own.
    service = start_slow_sandbox(start_sandbox, tmp_path, seconds=0.5)
    shared = {"INNSPECT_STORES__LEDGER": postgres_ledger, "INNSPECT_SERVICE__CONCURRENCY": "2"}
    cli, copy = (Cli(tmp_path / name, service.url, shared) for name in ("home", "copy"))
    many = write_portfolio(tmp_path / "many.csv", sample_inns(12, 22))
    run = cli.start("run", many, "--direct", "--json", "--no-repair")
    wait_for_bill(service, 60)
    copy.home.mkdir()
    (copy.home / "innspect.id").write_bytes((cli.home / "innspect.id").read_bytes())
    assert_fails(copy("plan", many), 5, "innspect.id", "copy")
    _, said = run.communicate(timeout=200)
    assert run.returncode == 0, said
    assert sums(postgres_ledger) == (service.bill_total() * 100, 0, 0)
    assert cli.run(many, "--no-repair").json["calls"] == 0
    assert_no_call_paid_twice(service)
    assert copy("plan", many).code == 0
