"""Calls per second through client, ledger and outbox, against a bare httpx loop of the same concurrency.

`python -m benchmarks.client_rate [--calls 1500] [--rounds 3] [--smoke]`. Both request the same INNs of one sandbox,
alternating by round; the ratio of the medians is printed first. Sealing and loading are not included.
"""

import argparse
import asyncio
import statistics
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import httpx
from pydantic import SecretStr

from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.paid_calls import PaidCalls
from innspect.flows.sandbox_process import SANDBOX_KEY, run_sandbox
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import FULL_CHECK, METHODS
from innspect.schemas.settings.sections import Service

CONCURRENCY = 32


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


async def time_bare_loop(url: str, inns: list[str]) -> float:
    """Seconds of a plain loop: GET, read the body, discard it."""
    slots = asyncio.Semaphore(CONCURRENCY)
    limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
    async with httpx.AsyncClient(base_url=url, headers={"X-Api-Key": SANDBOX_KEY}, limits=limits, timeout=60) as http:

        async def one(inn: str) -> None:
            async with slots:
                response = await http.get(METHODS[FULL_CHECK].path.format(inn=inn))
                response.raise_for_status()

        start = perf_counter()
        await asyncio.gather(*(one(inn) for inn in inns))
        return perf_counter() - start


async def time_client(url: str, inns: list[str], folder: Path) -> float:
    """Seconds of the client: every call reserved, sent, settled, its body committed to the outbox."""
    ledger = Ledger.open(folder / "ledger.sqlite", now, "Europe/Moscow")
    service = Service(base_url=url, concurrency=CONCURRENCY, requests_per_second=10_000)
    try:
        run_id = f"{now():%H%M%S%f}"
        ledger.start_run(run_id, portfolio="bench", profile="full", budget=10**12, at=now(), software_version="bench")
        caps = Caps(10**12, 10**12, 10**12, None)
        async with (
            AsyncLedger(ledger, caps) as async_ledger,
            ServiceClient(service, SecretStr(SANDBOX_KEY), now) as client,
            PaidCalls(client, async_ledger, {}) as paid_calls,
        ):
            start = perf_counter()
            await asyncio.gather(*(paid_calls.request(run_id, inn, FULL_CHECK) for inn in inns))
            return perf_counter() - start
    finally:
        ledger.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="few calls, one round")
    options = parser.parse_args()
    calls, rounds = (60, 1) if options.smoke else (options.calls, options.rounds)
    inns = sample_inns(calls, 7)
    loop: list[float] = []
    client: list[float] = []
    with run_sandbox(["--balance", "100000000"]) as url, TemporaryDirectory() as folder:
        asyncio.run(time_bare_loop(url, inns))  # fills the sandbox's cache of bodies
        for number in range(rounds):
            home = Path(folder) / str(number)
            home.mkdir()
            client.append(calls / asyncio.run(time_client(url, inns, home)))
            loop.append(calls / asyncio.run(time_bare_loop(url, inns)))
    ratio = statistics.median(client) / statistics.median(loop)
    print(f"ratio {ratio:.2f}: client {statistics.median(client):.0f} calls/s, bare loop {statistics.median(loop):.0f}")
    print(f"{calls} full checks, {CONCURRENCY} at once, {rounds} rounds; client {client}, loop {loop}")


if __name__ == "__main__":
    main()
