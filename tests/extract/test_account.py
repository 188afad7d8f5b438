"""The account in the ledger: the latest response, the ledger's own spend, and ledgers written before it was stored."""

import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from innspect.extract.ledger.account import AccountFigures, AccountResponse
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome
from innspect.schemas.states import CallState
from tests.support.ledger_calls import mark_sent, reserve, settle

OLD_LEDGER = (Path(__file__).parents[1] / "data" / "ledger-before-account.sql").read_text()
"""A dump of a SQLite ledger that was written before the ledger had the account: a settled and an unknown call."""
START = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def response(balance: int | None = 5000, status: str | None = "active", spend: int | None = 700) -> AccountResponse:
    return AccountResponse(datetime(2026, 11, 20, 12), '{"balance": 50}', False, balance, status, spend)


def spend(ledger: Ledger, price: int, outcome: CallState = CallState.SETTLED) -> None:
    call = reserve(ledger, "run", "7707083893", "brief", price, Caps())
    mark_sent(ledger, call)
    settle(ledger, call, Outcome(outcome, price if outcome is CallState.SETTLED else None))


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    ledger = Ledger.open(tmp_path / "ledger.sqlite", clock, "Europe/Moscow")
    ledger.start_run("run", portfolio="p", profile="full", budget=1, at=START, software_version="1")
    yield ledger
    ledger.close()


def test_new_ledger_has_no_account(ledger):
    assert ledger.account_figures() == AccountFigures(None, None, None)


def test_latest_requested_response_is_kept(ledger):
    early, late = ledger.next_seq(), ledger.next_seq()
    ledger.record_account(response(), late)
    ledger.record_account(response(status="blocked"), early)
    assert ledger.account_figures().response == response()
    ledger.record_account(response(None, None, None), ledger.next_seq())
    figures = ledger.account_figures()
    assert figures.response == response(None, None, None)
    assert figures.balance == 5000
    assert figures.balance_at == datetime(2026, 11, 20, 12)


def test_spend_is_that_of_the_last_thirty_days(ledger, clock):
    spend(ledger, 1000)
    spend(ledger, 50, CallState.UNKNOWN)
    spend(ledger, 0)
    assert (ledger.account_figures().spend, ledger.account_figures().spend_days) == (1050, 1)
    clock.now += timedelta(days=10)
    reserve(ledger, "run", "7707083893", "brief", 99, Caps())
    spend(ledger, 300)
    assert (ledger.account_figures().spend, ledger.account_figures().spend_days) == (1350, 11)
    clock.now += timedelta(days=19)
    assert (ledger.account_figures().spend, ledger.account_figures().spend_days) == (1350, 30)
    clock.now += timedelta(days=1)
    assert (ledger.account_figures().spend, ledger.account_figures().spend_days) == (300, 30)
    clock.now = START - timedelta(days=3)
    assert ledger.account_figures().spend_days == 1


def test_days_are_those_of_the_caps(ledger, clock):
    clock.now = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
    spend(ledger, 10)
    clock.now = datetime(2026, 11, 21, 20, 59, tzinfo=UTC)
    assert ledger.account_figures().spend_days == 1
    clock.now = datetime(2026, 11, 21, 21, 0, tzinfo=UTC)
    assert ledger.account_figures().spend_days == 2


def check_old_ledger(ledger: Ledger) -> None:
    """The money of the dump is unchanged, and the ledger accepts an account and calls."""
    assert ledger.find_faults() == []
    assert (ledger.figures().settled, ledger.figures().unknown, ledger.figures().balance) == (400, 400, 99600)
    assert ledger.account_figures() == AccountFigures(99600, datetime(2026, 11, 20, 12), None, 800, 1)
    ledger.record_account(response(), ledger.next_seq())
    assert ledger.account_figures().response == response()
    spend(ledger, 300)
    assert ledger.figures().settled == 700
    assert ledger.find_faults() == []
    ledger.close()


def test_ledger_written_before_is_opened(tmp_path, clock):
    with sqlite3.connect(tmp_path / "ledger.sqlite") as old:
        old.executescript(OLD_LEDGER)
    for _ in range(2):
        Ledger.open(tmp_path / "ledger.sqlite", clock, "Europe/Moscow").close()
    check_old_ledger(Ledger.open(tmp_path / "ledger.sqlite", clock, "Europe/Moscow"))


def test_postgres_ledger_written_before_is_opened(postgres, postgres_database, clock):
    script = OLD_LEDGER.replace("PRAGMA foreign_keys=OFF;", "").replace("BEGIN TRANSACTION;", "").replace("COMMIT;", "")
    script = script.replace("DATETIME", "TIMESTAMP").replace("BLOB", "BYTEA")
    script = re.sub(r",0,X'(\w+)'\);", r",false,'\\x\1');", script)
    with psycopg.connect(postgres.conninfo(postgres_database)) as old:
        old.execute(script)
    check_old_ledger(Ledger.open(postgres.ledger_url(postgres_database), clock, "Europe/Moscow"))
