"""Calls per second through the whole client, ledger and outbox, against a bare httpx loop: same sandbox, same width.

`python -m benchmarks.client_rate [--calls 1500] [--rounds 3] [--smoke]`. Both sides ask the same INNs in turn, round by
round, and the ratio of the medians is printed first. Sealing and loading are not part of it.
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

from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.client import Client
from innspect.flows.sandbox_process import KEY, sandbox
from innspect.sandbox.world.inn_samples import sample
from innspect.schemas.catalogue import FULL_CHECK, METHODS
from innspect.schemas.settings.sections import Service

CONCURRENCY = 32


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


async def bare(url: str, inns: list[str]) -> float:
    """Seconds of a plain loop: GET, read the body, forget it."""
    slots = asyncio.Semaphore(CONCURRENCY)
    limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
    async with httpx.AsyncClient(base_url=url, headers={"X-Api-Key": KEY}, limits=limits, timeout=60) as http:

        async def one(inn: str) -> None:
            async with slots:
                response = await http.get(METHODS[FULL_CHECK].path.format(inn=inn))
                response.raise_for_status()

        begun = perf_counter()
        await asyncio.gather(*(one(inn) for inn in inns))
        return perf_counter() - begun


async def whole(url: str, inns: list[str], folder: Path) -> float:
    """Seconds of the client: every call reserved, sent, settled, its body in the outbox, all of it durable."""
    ledger = Ledger.open(folder / "ledger.sqlite", now, "Europe/Moscow")
    service = Service(base_url=url, concurrency=CONCURRENCY, requests_per_second=10_000)
    try:
        run_id = f"{now():%H%M%S%f}"
        ledger.start_run(run_id, portfolio="bench", profile="full", budget=10**12, at=now(), software_version="bench")
        caps = Caps(10**12, 10**12, 10**12, None)
        async with (
            LedgerFront(ledger, caps) as front,
            Client(service, SecretStr(KEY), front, {}, now) as client,
        ):
            begun = perf_counter()
            await asyncio.gather(*(client.check(run_id, inn, FULL_CHECK) for inn in inns))
            return perf_counter() - begun
    finally:
        ledger.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="few calls, one round")
    chosen = parser.parse_args()
    calls, rounds = (60, 1) if chosen.smoke else (chosen.calls, chosen.rounds)
    inns = sample(calls, 7)
    loop: list[float] = []
    client: list[float] = []
    with sandbox(["--balance", "100000000"]) as url, TemporaryDirectory() as folder:
        asyncio.run(bare(url, inns))  # the sandbox makes every body once
        for number in range(rounds):
            place = Path(folder) / str(number)
            place.mkdir()
            client.append(calls / asyncio.run(whole(url, inns, place)))
            loop.append(calls / asyncio.run(bare(url, inns)))
    ratio = statistics.median(client) / statistics.median(loop)
    print(f"ratio {ratio:.2f}: client {statistics.median(client):.0f} calls/s, bare loop {statistics.median(loop):.0f}")
    print(f"{calls} full checks, {CONCURRENCY} at once, {rounds} rounds; client {client}, loop {loop}")


if __name__ == "__main__":
    main()
