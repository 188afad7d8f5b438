"""The ledger on PostgreSQL, on a temporary server: several processes share the caps."""

import subprocess
import sys
from datetime import datetime

import pytest

from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome, compress_response
from innspect.schemas.errors import BudgetEnded
from innspect.schemas.states import CallState
from tests.support.ledger_calls import mark_sent, reserve, settle

NOW = datetime(2026, 11, 20, 12)
CAPS = Caps(run=100_000, day=10_000, month=None, keep_balance=None)


@pytest.fixture
def ledger(postgres_ledger):
    ledger = Ledger.open(postgres_ledger, lambda: NOW, "Europe/Moscow")
    yield ledger
    ledger.close()


def start(ledger: Ledger, run_id: str) -> None:
    ledger.start_run(
        run_id, portfolio="p", profile="full", budget=100_000, at=NOW, software_version="test", home=run_id
    )


def test_reserve_send_settle(ledger):
    start(ledger, "life")
    call = reserve(ledger, "life", "7707083893", "brief", 400, CAPS)
    mark_sent(ledger, call)
    body = b'{"price":4,"balance":96}'
    assert settle(
        ledger, call, Outcome(CallState.SETTLED, 400, None, 200, 9600, compress_response(body, NOW, masked=False))
    )
    assert not settle(
        ledger, call, Outcome(CallState.SETTLED, 400, None, 200, 9600, compress_response(body, NOW, masked=False))
    )
    answers = ledger.outbox_responses(run_id="life")
    assert answers["body"].to_list() == [body]
    ledger.clear_outbox(answers["response_id"].to_list())
    assert ledger.outbox_responses(run_id="life").is_empty()
    assert ledger.run_figures("life").settled == 400
    assert ledger.find_faults() == []


def test_calls_of_a_killed_run_are_unknown_and_count_against_the_cap(ledger):
    start(ledger, "killed")
    sent = reserve(ledger, "killed", "7707083893", "brief", 400, CAPS)
    mark_sent(ledger, sent)
    reserve(ledger, "killed", "7707083893", "fssp", 1000, CAPS)
    assert "killed" in ledger.recover("killed")
    figures = ledger.run_figures("killed")
    assert (figures.unknown, figures.unknown_calls, figures.reserved) == (400, 1, 0)
    assert ledger.find_faults() == []


WORKER = """
import sys
import time
from datetime import datetime
from innspect.extract.ledger.operations import Caps
from innspect.extract.ledger.ledger import Ledger
from innspect.schemas.errors import BudgetEnded
from tests.support.postgres import Postgres
from tests.support.ledger_calls import reserve
url, run_id = sys.argv[1:]
now = datetime(2026, 12, 24, 12)
ledger = Ledger.open(url, lambda: now, "Europe/Moscow")
ledger.start_run(run_id, portfolio="p", profile="full", budget=100_000, at=now, software_version="t", home=run_id)
while not (ledger.has_run("east") and ledger.has_run("west")):
    time.sleep(0.02)
made = 0
try:
    for number in range(60):
        reserve(ledger, run_id, f"77{number:08d}", "full-check", 1800, Caps(run=100_000, day=100_000))
        made += 1
except BudgetEnded as end:
    assert end.facts["cap"] in ("day", "run"), end.facts
print(made)
"""


def test_two_processes_share_the_day_cap(postgres_ledger, ledger):
    calls = [[sys.executable, "-c", WORKER, postgres_ledger, name] for name in ("east", "west")]
    working = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for call in calls]
    made = [int(one.communicate(timeout=60)[0]) for one in working]
    assert sum(made) == 100_000 // 1800
    assert ledger.find_faults() == []


def test_reservation_above_a_cap_is_refused_and_changes_nothing(ledger):
    start(ledger, "poor")
    before = ledger.figures()
    with pytest.raises(BudgetEnded):
        reserve(ledger, "poor", "7707083893", "full-check", 1800, Caps(run=1799))
    assert ledger.figures() == before
