"""Batches in a pipeline: what overlaps, what is bounded, in which order, and what an error or an interruption leaves."""

import asyncio
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import polars as pl
import pytest

from innspect.flows.batch_pipeline import MAX_LEFT_BATCHES, MAX_REQUESTED_BATCHES, BatchPipeline
from innspect.flows.run_portfolio import MAX_LOADED_AFTER_INTERRUPTION
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.errors import DiskFull
from innspect.warehouse.database import Warehouse
from tests.support.cli import (
    INNS,
    Cli,
    Service,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
    interrupt_when,
)

DEADLOCK_SECONDS = 30
"""After this a step that waits for another one in vain is given up, and the test fails."""


class Steps:
    """A pipeline whose stages are recorded; each step waits until the test allows it."""

    def __init__(self, count: int) -> None:
        self.batches = [pl.DataFrame({"number": [number]}) for number in range(1, count + 1)]
        self.log: list[tuple[str, int]] = []
        self.errors: dict[tuple[str, int], Exception] = {}
        self.gates: dict[tuple[str, int], threading.Event] = {}
        self.requested: list[int] = []
        self.sealed: list[int] = []
        self.stop_after = count

    def hold(self, step: str, number: int) -> threading.Event:
        """Let a step wait until the returned event is set."""
        return self.gates.setdefault((step, number), threading.Event())

    def pipeline(self) -> BatchPipeline:
        return BatchPipeline(self._request, self._seal, self._load, prepare=self._prepare)

    async def run(self) -> None:
        await self.pipeline().run(self.batches, lambda: len(self.log) > 0 and self._has_stopped())

    def _has_stopped(self) -> bool:
        return sum(step == "request" for step, _ in self.log) >= self.stop_after

    async def _request(self, calls: pl.DataFrame) -> None:
        number = calls["number"][0]
        if ("request", number) in self.gates:
            await asyncio.to_thread(self._take, "request", number)
        else:
            self._take("request", number)
        self.requested.append(number)

    def _seal(self) -> None:
        number = self.requested[len(self.sealed)]
        self._take("seal", number)
        self.sealed.append(number)

    def _load(self) -> None:
        """Load what is sealed, as a run does."""
        for number in self.sealed[len(self.numbers("loaded")) :]:
            self._take("load", number)
            self.log.append(("loaded", number))

    def _prepare(self) -> None:
        self._take("prepare", len(self.numbers("loaded")))

    def _take(self, step: str, number: int) -> None:
        """Record that a step has begun, wait until it may go on, and raise its error."""
        self.log.append((step, number))
        if (gate := self.gates.get((step, number))) is not None and not gate.wait(DEADLOCK_SECONDS):
            raise TimeoutError(f"nobody let {step} {number} go on")
        if error := self.errors.get((step, number)):
            raise error

    def numbers(self, step: str) -> list[int]:
        """The batches of a step, in order."""
        return [number for name, number in self.log if name == step]

    async def until(self, step: str, number: int) -> None:
        """Wait until a step has begun."""
        async with asyncio.timeout(DEADLOCK_SECONDS):
            while (step, number) not in self.log:  # noqa: ASYNC110 (threads write to it too)
                await asyncio.sleep(0.001)


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(200):
        await asyncio.sleep(0.0005)


def test_batch_is_requested_and_sealed_while_the_one_before_is_loaded():
    async def scenario() -> None:
        steps = Steps(MAX_REQUESTED_BATCHES + 2)
        loading = steps.hold("load", 1)
        running = asyncio.create_task(steps.run())
        await steps.until("load", 1)
        await steps.until("seal", 2)
        await steps.until("request", MAX_REQUESTED_BATCHES + 2)
        loading.set()
        await running
        assert steps.numbers("loaded") == [1, 2, 3, 4, 5]

    asyncio.run(scenario())


def test_batches_in_progress_are_bounded():
    async def scenario() -> None:
        steps = Steps(20)
        loading = steps.hold("load", 1)
        running = asyncio.create_task(steps.run())
        # One is loaded, one is sealed, and the others are requested; nothing more is requested meanwhile.
        await steps.until("request", MAX_REQUESTED_BATCHES + 2)
        await settle()
        assert len(steps.numbers("request")) == MAX_REQUESTED_BATCHES + 2
        assert steps.numbers("seal") == [1, 2]
        loading.set()
        await running
        assert steps.numbers("loaded") == list(range(1, 21))

    asyncio.run(scenario())


def test_batches_are_requested_and_sealed_while_the_copy_is_prepared():
    async def scenario() -> None:
        steps = Steps(40)
        loading, preparing = steps.hold("load", 1), steps.hold("prepare", 1)
        running = asyncio.create_task(steps.run())
        # The second batch waits for its load when the preparation begins: it must not hold up the others.
        await steps.until("request", MAX_REQUESTED_BATCHES + 2)
        await settle()
        loading.set()
        # Some are left to the batch that prepares, one waits for it, one more is sealed, and others are requested.
        last = 1 + MAX_LEFT_BATCHES + 2 + MAX_REQUESTED_BATCHES
        await steps.until("request", last)
        await settle()
        assert len(steps.numbers("request")) == last
        assert steps.numbers("seal") == list(range(1, MAX_LEFT_BATCHES + 4))
        assert steps.numbers("loaded") == [1]
        preparing.set()
        await running
        assert steps.numbers("loaded") == list(range(1, 41))

    asyncio.run(scenario())


def test_loads_are_in_the_order_of_sealing():
    async def scenario() -> None:
        steps = Steps(4)
        slow, loading = steps.hold("request", 1), steps.hold("load", 2)
        running = asyncio.create_task(steps.run())
        # A slow call holds up its own batch only.
        await steps.until("load", 2)
        slow.set()
        await settle()
        loading.set()
        await running
        assert steps.numbers("loaded") == steps.sealed
        assert sorted(steps.sealed) == [1, 2, 3, 4]
        assert steps.sealed[0] == 2

    asyncio.run(scenario())


@pytest.mark.parametrize("step", ["seal", "load"])
def test_error_stops_the_requests_and_later_loads(step):
    async def scenario() -> None:
        steps = Steps(20)
        steps.errors[step, 2] = DiskFull("No space is left; free some.", path="disk")
        with pytest.raises(DiskFull):
            await steps.run()
        assert len(steps.numbers("request")) <= MAX_REQUESTED_BATCHES + 3
        assert steps.numbers("loaded") == [1]
        begun = list(steps.log)
        await settle()
        assert steps.log == begun

    asyncio.run(scenario())


def test_error_of_a_request_completes_the_load_in_progress():
    async def scenario() -> None:
        steps = Steps(20)
        loading, failing = steps.hold("load", 1), steps.hold("request", 4)
        steps.errors["request", 4] = DiskFull("No space is left; free some.", path="disk")
        running = asyncio.create_task(steps.run())
        await steps.until("request", 4)
        await steps.until("load", 1)
        failing.set()
        await settle()
        assert not running.done()
        loading.set()
        with pytest.raises(DiskFull):
            await running
        assert steps.numbers("loaded") == [1]
        assert steps.numbers("load") == [1]

    asyncio.run(scenario())


@pytest.mark.parametrize("step", ["seal", "load"])
def test_interruption_completes_the_thread_and_begins_nothing_else(step):
    async def scenario() -> None:
        steps = Steps(20)
        gate = steps.hold(step, 1)
        running = asyncio.create_task(steps.run())
        await steps.until(step, 1)
        await settle()
        begun = list(steps.log)
        running.cancel()
        await settle()
        running.cancel()
        await settle()
        assert not running.done()
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert [entry for entry in steps.log if entry not in begun] == ([("loaded", 1)] if step == "load" else [])

    asyncio.run(scenario())


def test_interruption_ends_a_load_and_rolls_it_back(tmp_path):
    async def scenario() -> None:
        is_loading = threading.Event()

        def load() -> None:
            with warehouse.transaction() as connection:
                connection.execute("INSERT INTO lineage._record_files VALUES ('unfinished')")
                is_loading.set()
                connection.execute("SELECT sum(hash(range)) FROM range(1_000_000_000_000_000)")

        async def request(_: pl.DataFrame) -> None:
            await asyncio.sleep(0)

        pipeline = BatchPipeline(request, lambda: None, load, interrupt_load=warehouse.interrupt)
        running = asyncio.create_task(pipeline.run([pl.DataFrame({"number": [1]})], lambda: False))
        await asyncio.to_thread(is_loading.wait, DEADLOCK_SECONDS)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(running, DEADLOCK_SECONDS)

    with Warehouse(tmp_path / "warehouse.duckdb") as warehouse:
        asyncio.run(scenario())
        with warehouse.transaction() as connection:
            assert connection.execute("SELECT count(*) FROM lineage._record_files").fetchall() == [(0,)]


def test_stopped_run_loads_what_it_has_requested():
    async def scenario() -> None:
        steps = Steps(20)
        steps.stop_after = 4
        await steps.run()
        begun = steps.numbers("request")
        assert 4 <= len(begun) < 20
        assert steps.numbers("loaded") == begun

    asyncio.run(scenario())


def test_each_batch_is_run_by_the_given_runner():
    async def scenario() -> None:
        steps, ran = Steps(3), []

        async def run_batch(batch, calls: int) -> None:
            await batch()
            ran.append(calls)

        pipeline = BatchPipeline(steps._request, steps._seal, steps._load, run_batch)
        await pipeline.run(steps.batches, lambda: False)
        assert ran == [1, 1, 1]
        assert steps.numbers("loaded") == [1, 2, 3]

    asyncio.run(scenario())


@pytest.mark.long
@pytest.mark.parametrize(
    ("store", "free"), [("warehouse", 100_000), pytest.param("archive", 60_000, marks=pytest.mark.long)]
)
def test_full_disk_ends_the_requests_of_later_batches(
    service, portfolio, small_disk, tmp_path, create_empty_warehouse, store, free
):
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_SERVICE__CONCURRENCY": "1", "INNSPECT_SERVICE__BATCH": "1"})
    warehouse = small_disk / "warehouse.duckdb" if store == "warehouse" else cli.warehouse
    create_empty_warehouse(warehouse)
    cli.environ["INNSPECT_STORES__WAREHOUSE"] = str(warehouse)
    if store == "archive":
        cli.home.joinpath(store).symlink_to(small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (shutil.disk_usage(small_disk).free - free))
    assert_fails(cli.run(portfolio), 1, "No space is left", "free some")
    paid = len(service.charges())
    assert 0 < len({one["inn"] for one in service.charges()}) < len(INNS)
    ballast.unlink()
    assert cli.run(portfolio, "--no-repair").code == 0
    assert_no_call_paid_twice(service)
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
    assert len(service.charges()) > paid
    assert_everything_is_loaded(warehouse, service)


def assert_everything_is_loaded(warehouse: Path, service: Service, inns: int = len(INNS)) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        loaded = connection.execute("SELECT inn, method FROM lineage.responses ORDER BY ALL").fetchall()
        companies = connection.execute("SELECT count(*) FROM current.company").fetchall()
    assert loaded == sorted((one["inn"], one["method"]) for one in service.charges())
    assert companies == [(inns,)]


@pytest.mark.long
def test_interrupted_load_is_left_to_the_next_start(cli, service, tmp_path):
    inns = sample_inns(150, 7)
    portfolio = tmp_path / "many.csv"
    portfolio.write_text("\n".join(["inn", *inns]), encoding="utf-8")
    running = cli.start("run", portfolio, "--direct", "--no-repair", "--budget", "100000")
    interrupt_when(running, lambda: list(cli.home.glob("archive/answers/*.parquet")))
    # The batch is sealed and was being loaded: none of it is in the warehouse, and all of it is in the archive.
    assert cli.value("SELECT count(*) FROM lineage.responses") == 0
    assert cli.value("SELECT exit_code FROM lineage.runs") == 130
    assert len(service.charges()) > MAX_LOADED_AFTER_INTERRUPTION
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
    assert cli.run(portfolio, "--no-repair", "--budget", "100000").code == 0
    assert_no_call_paid_twice(service)
    assert_everything_is_loaded(cli.warehouse, service, len(inns))


@pytest.mark.long
def test_interruption_between_batches_keeps_and_recovers_every_response(cli, service, portfolio):
    cli.environ |= {"INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2", "INNSPECT_SERVICE__BATCH": "1"}
    running = cli.start("run", portfolio, "--json", "--direct")
    interrupt_when(running, lambda: list(cli.home.glob("archive/answers/*.parquet")))
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
    paid = len(service.charges())
    assert paid > 0
    assert cli.run(portfolio, "--no-repair", INNSPECT_SERVICE__REQUESTS_PER_SECOND="2000").code == 0
    assert len(service.charges()) > paid
    assert_no_call_paid_twice(service)
    assert_everything_is_loaded(cli.warehouse, service)


@pytest.mark.long
def test_record_of_an_interrupted_run_of_many_calls_is_left_to_the_next_start(cli, service, portfolio):
    cli.environ |= {"INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2", "INNSPECT_SERVICE__BATCH": "1"}
    command, env = cli.command("run", portfolio, "--direct")
    few = "from innspect.flows import run_portfolio; run_portfolio.MAX_RECORDED_AFTER_INTERRUPTION = 0; "
    code = f"{few}from innspect.cli.main import main; main()"
    running = subprocess.Popen([sys.executable, "-c", code, *command[3:]], env=env, stderr=subprocess.PIPE, text=True)
    interrupt_when(running, lambda: list(cli.home.glob("archive/answers/*.parquet")))
    paid = len(service.charges())
    assert paid > 0
    assert not list(cli.home.glob("archive/runs/*.parquet"))
    assert cli("plan", portfolio).code == 0
    assert cli.value("SELECT exit_code FROM lineage.runs") == 130
    assert cli.value("SELECT count(*) FROM lineage.calls") == paid
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
