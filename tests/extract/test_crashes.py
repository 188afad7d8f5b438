"""A process killed at any failpoint never exceeds the cap, loses no paid response and requests none twice."""

import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.failpoints import VARIABLE
from innspect.extract.ledger.ledger import Ledger

ROOT = Path(__file__).parents[2]
CAP, PRICE = 1500, 400

# The child calls a service that records every charge in a file before it responds, then seals the responses.
CHILD = """
import asyncio, json, sys
from datetime import UTC, datetime
from pathlib import Path
import httpx
from pydantic import SecretStr
from innspect.extract.archive.archive import Archive
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.paid_calls import PaidCalls
from innspect.extract.ledger.operations import Caps
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.schemas.settings.sections import Service

home, run_id = Path(sys.argv[1]), sys.argv[2]

def now():
    return datetime.now(UTC)

async def service(request):
    inn = request.url.path.split("/")[4]
    with (home / "bill").open("a") as bill:
        bill.write(inn + "\\n")
    await asyncio.sleep(0)
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps({"inn": inn, "price": 4}).encode()))

def seal(ledger, archive):
    while (responses := ledger.outbox_responses()).height:
        for (run,), part in responses.group_by("run_id", maintain_order=True):
            archive.seal("answers", run, part)
        ledger.clear_outbox(responses["response_id"].to_list())

async def main():
    home.mkdir(exist_ok=True)
    ledger = Ledger.open(home / "ledger.sqlite", now, "UTC")
    archive = Archive(home / "archive")
    ledger.recover()
    seal(ledger, archive)
    ledger.start_run(run_id, portfolio="p", profile="f", budget=1500, at=now(), software_version="1")
    inns = sys.argv[3:]
    settings = Service(base_url="http://service.test", concurrency=2)
    async with (
        AsyncLedger(ledger, Caps(run=1500)) as async_ledger,
        ServiceClient(settings, SecretStr("key"), now, httpx.MockTransport(service)) as client,
        PaidCalls(client, async_ledger, {}) as calls,
    ):
        await asyncio.gather(*(calls.request(run_id, inn, "brief") for inn in inns), return_exceptions=True)
    seal(ledger, archive)
    ledger.finish_run(run_id, 0, now())

asyncio.run(main())
"""
INNS = [f"770708389{digit}" for digit in range(5)]


def run(home: Path, run_id: str, inns: list[str], point: int | None = None) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    if point is not None:
        environment[VARIABLE] = str(point)
    command = [sys.executable, "-c", CHILD, str(home), run_id, *inns]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def charged(home: Path) -> list[str]:
    bill = home / "bill"
    return bill.read_text().split() if bill.exists() else []


def check_after_kill(home: Path) -> None:
    """Before any recovery: the service never charged more than the ledger counts."""
    if not (home / "ledger.sqlite").exists():
        assert charged(home) == []
        return
    ledger = Ledger.open(home / "ledger.sqlite", lambda: datetime.now(UTC), "UTC")
    figures = ledger.figures()
    assert PRICE * len(charged(home)) <= figures.settled + figures.unknown + figures.reserved <= CAP
    assert ledger.find_faults() == []
    ledger.close()


def check_after_restart(home: Path, bill_at_the_kill: list[str]) -> None:
    ledger = Ledger.open(home / "ledger.sqlite", lambda: datetime.now(UTC), "UTC")
    figures = ledger.figures()
    assert ledger.find_faults() == []
    assert (figures.reserved, figures.outbox) == (0, 0)
    assert PRICE * len(charged(home)) <= figures.settled + figures.unknown <= 2 * CAP
    assert ledger.run_figures("first").settled + ledger.run_figures("first").unknown <= CAP
    archive = Archive(home / "archive", read_only=True)
    assert list(archive.verify()) == []
    sealed = [archive.read_rows(file) for file in archive.files("answers")]
    ids = [response for frame in sealed for response in frame["response_id"]]
    assert len(ids) == len(set(ids)), "a response is sealed twice"
    settled = {
        call
        for run_id in ledger.run_rows()["run_id"]
        for call, state in ledger.call_rows(run_id).select("call_id", "state").rows()
        if state == "settled"
    }
    assert {call for frame in sealed for call in frame["call_id"]} == settled, "a paid response is lost"
    unknown = ledger.run_figures("first").unknown_calls
    first = [frame.filter(run_id="first").height for frame in sealed]
    # Every call charged before the kill is either in the archive or counted as unknown.
    assert len(bill_at_the_kill) <= sum(first) + unknown
    ledger.close()


def kill_and_restart(home: Path, point: int) -> bool:
    """Whether the first run reached this failpoint, and so was killed there."""
    killed = run(home, "first", INNS, point)
    if killed.returncode == 0:
        return False
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert re.search(r"killed at [a-z ]+", killed.stderr)
    check_after_kill(home)
    before = charged(home)
    again = run(home, "second", INNS[:2])
    assert again.returncode == 0, again.stderr
    check_after_restart(home, before)
    return True


@pytest.mark.parametrize("point", [9, 14])
def test_kill_at_some_failpoints(tmp_path, point):
    assert kill_and_restart(tmp_path / "home", point)


@pytest.mark.long(first=True)
def test_kill_at_every_failpoint(tmp_path):
    point = 1
    while kill_and_restart(tmp_path / f"home{point}", point):
        point += 1
    assert point > 20
