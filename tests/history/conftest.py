"""A sandbox portfolio over sixty days, loaded response by response without HTTP."""

import fcntl
import json
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from shutil import copyfile

import polars as pl
import pytest

from innspect.flows.load import LoadOutcome, load_responses
from innspect.sandbox.response_cache import ResponseCache
from innspect.warehouse.database import Warehouse
from tests.history.facts import BLOCKS, Belief, differences
from tests.sandbox.samples import COMPANIES, DAY, profile
from tests.sandbox.test_days import CHANGES
from tests.support.builders import CONVENTIONS, Response, response_frame

SIZE, DAYS, STEP = 150, 60, 6
OF_EACH_KIND = 2
WATCHED = ("company", "fssp__proceedings", "arbitration", "freezes__items", "bankruptcy")


def asked_on(day: int) -> datetime:
    return datetime.combine(date.fromordinal(day), time(9))


def portfolio() -> list[str]:
    """INNs with each kind of change within the days, and others of the usual mixture."""
    light = [inn for inn in COMPANIES if profile(inn).kind not in ("heavy", "bank")]
    chosen: dict[str, None] = {}
    for happens in CHANGES.values():
        found = (inn for inn in light if happens(inn))
        for _ in range(OF_EACH_KIND):
            chosen[next(found)] = None
    for inn in light:
        if len(chosen) == SIZE:
            break
        chosen[inn] = None
    return list(chosen)


@dataclass
class Past:
    """The warehouse after all days, with the expected changes and the current rows of each day."""

    warehouse: Warehouse
    inns: list[str]
    expected: dict[int, Counter] = field(default_factory=dict)
    current: dict[tuple[int, str], pl.DataFrame] = field(default_factory=dict)

    def check(self, day: int, asked_at: datetime) -> LoadOutcome:
        """Load a full check of every INN on a sandbox day."""
        bodies = ResponseCache(0, day, 1 << 20)
        answers = [
            Response(
                "full-check", bodies.body(inn, "full-check").payload, inn, asked_at=asked_at, name=f"{asked_at}{inn}"
            )
            for inn in self.inns
        ]
        return load_responses(self.warehouse, response_frame(answers, file=f"answers/{asked_at}"), CONVENTIONS)


@pytest.fixture(scope="session")
def past(tmp_path_factory, worker_id) -> Iterator[Past]:
    """Built once for all workers of a test run; each gets its own copy."""
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "sixty-days"
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "made").exists():
            (shared / "made").write_bytes(pickle.dumps(load_days(shared / "warehouse.duckdb")))
    path: Path = tmp_path_factory.mktemp("history") / "warehouse.duckdb"
    copyfile(shared / "warehouse.duckdb", path)
    inns, expected, current = pickle.loads((shared / "made").read_bytes())
    with Warehouse(path) as warehouse:
        yield Past(warehouse, inns, expected, current)


def load_days(path: Path) -> tuple[list[str], dict, dict]:
    """Load all days into a new warehouse: the INNs, the expected changes, and the current rows of each day."""
    with Warehouse(path) as warehouse:
        made = Past(warehouse, portfolio())
        beliefs: dict[tuple[str, str], Belief | None] = {}
        for day in range(DAY, DAY + DAYS + 1, STEP):
            made.check(day, asked_on(day))
            bodies = ResponseCache(0, day, 1 << 20)
            made.expected[day] = Counter()
            for inn in made.inns:
                body = json.loads(bodies.body(inn, "full-check").payload)
                for block in BLOCKS:
                    pair = inn, block
                    beliefs[pair], changed = differences(inn, block, beliefs.get(pair), body)
                    made.expected[day] += changed
            for table in WATCHED:
                made.current[day, table] = warehouse.query(f"SELECT * FROM current.{table} ORDER BY ALL")
        return made.inns, made.expected, made.current
