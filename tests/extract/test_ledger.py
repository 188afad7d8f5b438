"""The ledger: reservation, settlement, caps, recovery, reconciliation, the outbox and the queries."""

import hashlib
import multiprocessing
import sqlite3
import stat
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from sqlalchemy import create_engine, text

from innspect.extract.ledger.ledger import Ledger, Reconciliation
from innspect.extract.ledger.operations import Caps, Outcome, compress_response, response_id_of
from innspect.schemas.errors import BudgetEnded, SettingsError, StoreError
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import CallState
from tests.support.ledger_calls import mark_sent, record_balance, reserve, settle

INN, OTHER = "7707083893", "7736050003"
NO_CAPS = Caps()


def naive(*when: int) -> datetime:
    """An instant in UTC as a naive datetime."""
    return datetime(*when, tzinfo=UTC).replace(tzinfo=None)


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    ledger = open_ledger(tmp_path, clock)
    start(ledger)
    yield ledger
    ledger.close()


def open_ledger(folder, clock=datetime.now) -> Ledger:
    return Ledger.open(folder / "home" / "ledger.sqlite", clock, "Europe/Moscow")


def start(ledger, run_id="run", budget=10_000, **more) -> None:
    at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    ledger.start_run(run_id, portfolio="p", profile="full", budget=budget, at=at, software_version="1", **more)


def settled(charged=400, body=b'{"price":4}', balance=None) -> Outcome:
    received = naive(2026, 11, 20, 12, 0, 1)
    state = CallState.SETTLED if charged else CallState.FREE
    return Outcome(state, charged, None, 200, balance, compress_response(body, received, masked=False))


UNKNOWN = Outcome(CallState.UNKNOWN, None, "timeout")


def call(ledger, outcome=None, *, price=400, caps=NO_CAPS, run="run", inn=INN, method="brief") -> str:
    call_id = reserve(ledger, run, inn, method, price, caps)
    mark_sent(ledger, call_id)
    if outcome is not None:
        assert settle(ledger, call_id, outcome)
    return call_id


def test_call_ids_are_derived(tmp_path, ledger):
    first, second = call(ledger), call(ledger)
    (tmp_path / "again").mkdir()
    again = open_ledger(tmp_path / "again")
    start(again)
    assert [call(again), call(again)] == [first, second]
    assert first != second
    assert len(first) == 32
    assert response_id_of(first) not in (first, response_id_of(second))


@pytest.mark.parametrize("cap", ["run", "day", "month"])
def test_cap_is_exact_to_the_kopeck(ledger, cap):
    caps = Caps(**{cap: 1000})
    call(ledger, caps=caps)
    call(ledger, UNKNOWN, caps=caps, inn=OTHER)
    with pytest.raises(BudgetEnded) as caught:
        call(ledger, price=201, caps=caps)
    assert caught.value.facts | {"cap": cap, "left": 200, "price": 201} == caught.value.facts
    call(ledger, price=200, caps=caps)
    with pytest.raises(BudgetEnded):
        call(ledger, price=1, caps=caps)
    assert ledger.remaining_budget("run", caps) == 0
    assert ledger.find_faults() == []


def test_refused_reservation_stores_nothing(ledger):
    with pytest.raises(BudgetEnded):
        call(ledger, caps=Caps(run=399))
    assert ledger.figures().reserved == 0
    assert ledger.run_figures("run").calls == 0


def test_lower_charge_frees_budget(ledger):
    caps = Caps(run=1000)
    call(ledger, settled(100), caps=caps)
    call(ledger, settled(0), caps=caps)
    released = reserve(ledger, "run", INN, "fssp", 900, caps)
    settle(ledger, released, Outcome(CallState.RELEASED, 0, "not_connected"))
    assert ledger.remaining_budget("run", caps) == 900
    assert ledger.remaining_budget("run", NO_CAPS) is None
    assert ledger.run_figures("run").calls == 2


def test_charge_above_the_reservation_is_recorded(ledger):
    call(ledger, settled(1800), caps=Caps(run=400))
    assert ledger.run_figures("run").settled == 1800
    assert ledger.remaining_budget("run", Caps(run=400)) == 0
    assert ledger.find_faults() == []


def test_days_and_months_follow_the_time_zone(ledger, clock):
    day, month = Caps(day=400), Caps(month=400)
    clock.now = datetime(2026, 11, 30, 20, 59, tzinfo=UTC)
    call(ledger, settled(), caps=day)
    with pytest.raises(BudgetEnded):
        call(ledger, caps=month)
    clock.now += timedelta(minutes=1)
    call(ledger, settled(), caps=month)
    clock.now -= timedelta(minutes=1)
    with pytest.raises(BudgetEnded):
        call(ledger, caps=day)


def test_call_counts_on_the_day_of_its_reservation(ledger, clock):
    pending = call(ledger)
    clock.now += timedelta(days=1)
    settle(ledger, pending, settled(100))
    assert ledger.remaining_budget("run", Caps(day=400)) == 400
    clock.now -= timedelta(days=1)
    assert ledger.remaining_budget("run", Caps(day=400)) == 300


def test_call_is_settled_once_and_a_late_response_is_stored(ledger):
    call_id = call(ledger, UNKNOWN)
    assert settle(ledger, call_id, settled(400)) is False
    assert settle(ledger, call_id, settled(300, body=b"{}")) is False
    assert ledger.run_figures("run").unknown == 400
    assert ledger.run_figures("run").settled == 0
    assert ledger.outbox_responses()["body"].to_list() == [b'{"price":4}']


def test_only_an_open_call_can_be_sent(ledger):
    call_id = call(ledger)
    with pytest.raises(StoreError):
        mark_sent(ledger, call_id)
    with pytest.raises(StoreError):
        settle(ledger, "nobody", UNKNOWN)


@pytest.mark.parametrize(
    "outcome",
    [Outcome(CallState.UNKNOWN, 400), Outcome(CallState.SETTLED, None), Outcome(CallState.FREE, 1), Outcome(CallState.RELEASED, 1),
     Outcome(CallState.RESERVED, 0), Outcome(CallState.SETTLED, -1)],
)  # fmt: skip
def test_inconsistent_outcomes_are_rejected(ledger, outcome):
    call_id = call(ledger)
    with pytest.raises(ValueError, match="CallState"):
        settle(ledger, call_id, outcome)
    assert ledger.figures().reserved == 400


def test_minimum_balance_is_kept(ledger):
    caps = Caps(keep_balance=1000)
    with pytest.raises(BudgetEnded) as caught:
        call(ledger, caps=caps)
    assert caught.value.facts["left"] is None
    record_balance(ledger, 2300)
    call(ledger, UNKNOWN, caps=caps)
    call(ledger, caps=caps)
    with pytest.raises(BudgetEnded) as caught:
        call(ledger, price=501, caps=caps)
    assert (caught.value.facts["cap"], caught.value.facts["left"]) == ("balance", 500)
    call(ledger, settled(400, balance=1900), caps=caps)
    # This balance may lack the open call, and the one without an answer, which the service may charge afterwards.
    assert ledger.remaining_budget("run", caps) == 100


@pytest.mark.parametrize(
    ("outcome", "hours", "left"),
    [(UNKNOWN, 0, 600), (UNKNOWN, 0.9, 600), (UNKNOWN, 1.1, 1000),
     (Outcome(CallState.UNKNOWN, None, "http_504", 504), 0.9, 600),
     (Outcome(CallState.UNKNOWN, None, "http_500", 500), 0, 1000)],
)  # fmt: skip
def test_a_balance_may_lack_a_call_without_an_answer_for_an_hour(ledger, clock, outcome, hours, left):
    caps = Caps(keep_balance=500)
    call(ledger, outcome, caps=NO_CAPS)
    clock.now += timedelta(hours=hours)
    record_balance(ledger, 1500)
    assert ledger.remaining_budget("run", caps) == left


def test_lowest_of_simultaneous_balances_counts(ledger):
    first, second, third = (call(ledger) for _ in range(3))
    settle(ledger, second, settled(400, balance=9200))
    settle(ledger, first, settled(400, balance=9600))
    assert ledger.figures().balance == 9200
    settle(ledger, third, settled(400, balance=8800))
    assert ledger.figures().balance == 8800
    call(ledger, settled(400, balance=50_000))
    assert ledger.figures().balance == 50_000


def test_responses_without_balance_are_deducted_from_it(ledger):
    caps = Caps(keep_balance=0)
    record_balance(ledger, 1000)
    call(ledger, settled(400), caps=caps)
    assert ledger.remaining_budget("run", caps) == 600


def test_recovery_releases_calls_that_were_never_sent(tmp_path, clock, ledger):
    sent, never = call(ledger), reserve(ledger, "run", OTHER, "brief", 400, NO_CAPS)
    call(ledger, settled(balance=5))
    ledger.close()
    again = open_ledger(tmp_path, clock)
    assert again.recover() == ["run"]
    states = dict(again.call_rows("run").select("call_id", "state").rows())
    assert (states[sent], states[never]) == ("unknown", "released")
    assert again.figures().outbox == 1
    assert again.find_faults() == []
    again.finish_run("run", 130, clock.now)
    assert again.recover() == []


def test_recovery_ignores_runs_of_other_homes(ledger):
    start(ledger, "theirs", home="elsewhere")
    call(ledger, run="theirs")
    assert ledger.recover() == ["run"]
    assert ledger.figures().reserved == 400
    assert ledger.recover("elsewhere") == ["theirs"]
    assert (ledger.figures().reserved, ledger.figures().unknown) == (0, 400)


@pytest.mark.parametrize(
    ("balance", "says", "settled_sum", "unknown_sum"),
    [(9600, Reconciliation.FREE, 400, 0), (8200, Reconciliation.CHARGED, 1800, 0), (8800, Reconciliation.UNCLEAR, 400, 1400),
     (9601, Reconciliation.UNCLEAR, 400, 1400), (8199, Reconciliation.UNCLEAR, 400, 1400)],
)  # fmt: skip
def test_balance_settles_all_unknown_calls_or_none(ledger, balance, says, settled_sum, unknown_sum):
    record_balance(ledger, 10_000, "run")
    refused = Outcome(CallState.UNKNOWN, None, "http_502", 502)
    call(ledger, settled(400))
    call(ledger, refused, price=800)
    call(ledger, refused, price=600, inn=OTHER)
    assert ledger.reconcile("run", balance) is says
    assert (ledger.figures().settled, ledger.figures().unknown) == (settled_sum, unknown_sum)
    assert ledger.find_faults() == []


@pytest.mark.parametrize(("balance", "says"), [(9600, Reconciliation.UNCLEAR), (9000, Reconciliation.CHARGED)])
@pytest.mark.parametrize(("reason", "status"), [("timeout", None), ("http_504", 504), ("http_524", 524)])
def test_a_call_without_an_answer_may_be_charged_later(ledger, reason, status, balance, says):
    # A gateway says with 504 or 524 that the service has not answered it yet.
    record_balance(ledger, 10_000, "run")
    call(ledger, settled(400))
    call(ledger, Outcome(CallState.UNKNOWN, None, reason, status), price=600)
    assert ledger.reconcile("run", balance) is says


def test_nothing_is_reconciled_without_proof(ledger):
    call(ledger, UNKNOWN)
    assert ledger.reconcile("run", 10_000) is Reconciliation.UNCLEAR
    # Too late: the run has calls, so this is not its opening balance.
    record_balance(ledger, 10_000, "run")
    assert ledger.reconcile("run", 10_000) is Reconciliation.UNCLEAR
    start(ledger, "next")
    record_balance(ledger, 10_000, "next")
    call(ledger, UNKNOWN, run="next")
    start(ledger, "third")
    call(ledger, settled(), run="third")
    assert ledger.reconcile("next", 10_000) is Reconciliation.UNCLEAR
    assert ledger.reconcile("third", 10_000) is Reconciliation.NOTHING
    with pytest.raises(StoreError):
        ledger.reconcile("nobody", 0)


def test_outbox_returns_exact_bytes_in_order_of_arrival(ledger):
    bodies = [b'{"a": 1}', '{"имя":"Ё"}'.encode(), b"", b"\x00\xff" * 1000]
    for body in bodies:
        call(ledger, settled(400, body, balance=12345))
    frame = ledger.outbox_responses()
    assert dict(frame.schema) == dict(ARCHIVE["answers"])
    assert frame["body"].to_list() == bodies
    assert frame["sha256"].to_list() == [hashlib.sha256(body).hexdigest() for body in bodies]
    assert frame["bytes"].to_list() == [len(body) for body in bodies]
    assert frame["balance_rub"].to_list() == [Decimal("123.45")] * 4
    assert frame["asked_at"].dtype == pl.Datetime("us")
    assert frame.row(0, named=True)["asked_at"] == naive(2026, 11, 20, 12)


def test_outbox_is_read_in_chunks(ledger):
    for size in (10, 10, 10, 500, 10):
        call(ledger, settled(400, b"x" * size))
    sizes = []
    while (portion := ledger.outbox_responses(25, "run")).height:
        sizes.append(portion["bytes"].to_list())
        ledger.clear_outbox(portion["response_id"].to_list())
    assert sizes == [[10, 10], [10], [500], [10]]
    assert ledger.figures().outbox == 0
    assert ledger.outbox_responses(25, "nobody").is_empty()


def test_outbox_is_read_up_to_an_event(ledger):
    assert ledger.newest_outbox_seq("run") == 0
    for size in (1, 2, 3):
        call(ledger, settled(400, b"x" * size))
    newest = ledger.newest_outbox_seq("run")
    call(ledger, settled(400, b"later"))
    assert ledger.newest_outbox_seq("nobody") == 0
    assert ledger.newest_outbox_seq() > newest
    assert ledger.outbox_responses(run_id="run", until_seq=newest)["bytes"].to_list() == [1, 2, 3]
    assert ledger.outbox_responses(3, "run", until_seq=newest)["bytes"].to_list() == [1, 2]


def test_unknown_calls_have_no_charge_in_the_frames(ledger):
    call(ledger, UNKNOWN)
    call(ledger, settled(350))
    reserve(ledger, "run", OTHER, "brief", 400, NO_CAPS)
    frame = ledger.call_rows("run")
    assert dict(frame.schema) == dict(ARCHIVE["calls"])
    assert frame.select("state", "expected_rub", "charged_rub", "reason").rows() == [
        ("unknown", Decimal("4.00"), None, "timeout"),
        ("settled", Decimal("4.00"), Decimal("3.50"), None),
    ]
    ledger.finish_run("run", 6, naive(2026, 11, 20, 13))
    row = ledger.run_rows("run").row(0, named=True)
    assert (row["budget_rub"], row["charged_rub"], row["unknown_rub"]) == (Decimal(100), Decimal("3.50"), Decimal(4))
    assert (row["exit_code"], row["finished_at"]) == (6, naive(2026, 11, 20, 13))


def test_sums_of_all_runs(ledger):
    start(ledger, "second")
    call(ledger, settled(300, balance=700))
    call(ledger, UNKNOWN, run="second")
    call(ledger, run="second")
    figures = ledger.figures()
    assert (figures.settled, figures.unknown, figures.reserved, figures.unknown_calls) == (300, 400, 400, 1)
    assert (figures.balance, figures.outbox, figures.outbox_bytes) == (700, 1, 11)
    assert figures.unfinished == ("run", "second")
    assert figures.last_run["run_id"] == "second"


def test_ledger_is_readable_during_a_transaction(tmp_path, ledger):
    call(ledger, settled())
    other = open_ledger(tmp_path)
    with ledger.transaction() as transaction:
        transaction.total("all", "").settled += 1
        assert other.figures().settled == 400
    assert other.figures().settled == 401
    assert len(ledger.find_faults()) == 1


def test_files_are_private_to_the_owner(tmp_path, ledger):
    call(ledger, settled())
    home = tmp_path / "home"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert modes == dict.fromkeys(("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"), 0o600)


def test_commits_are_durable(ledger):
    with ledger.transaction() as transaction:
        pragmas = {
            name: transaction.connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}


def test_unusable_ledger_is_reported(tmp_path):
    (tmp_path / "notes.sqlite").write_text("not a database at all, just a note" * 100)
    with pytest.raises(StoreError, match="ledger"):
        Ledger.open(tmp_path / "notes.sqlite", datetime.now, "UTC")
    with pytest.raises(SettingsError):
        Ledger.open("nosuchdatabase://host/name", datetime.now, "UTC")


def test_ledger_with_another_schema_is_rejected(tmp_path, ledger):
    ledger.close()
    with sqlite3.connect(tmp_path / "home" / "ledger.sqlite") as connection:
        connection.execute("UPDATE meter SET layout = 99")
    connection.close()
    with pytest.raises(StoreError, match="layout 99"):
        open_ledger(tmp_path)


def test_damage_in_the_outbox_is_detected(tmp_path, ledger):
    call(ledger, settled())
    with create_engine(f"sqlite:///{tmp_path / 'home' / 'ledger.sqlite'}").begin() as connection:
        connection.execute(text("UPDATE outbox SET sha256 = 'x'"))
    damaged = ledger.outbox_responses()
    assert damaged["body"].to_list() == [None]
    assert ledger.damaged_responses() == list(damaged.select("response_id", "method", "run_id").iter_rows())
    assert ledger.outbox_responses(without=damaged["response_id"].to_list()).is_empty()


def test_run_can_be_started_once(ledger):
    with pytest.raises(StoreError):
        start(ledger)
    with pytest.raises(StoreError):
        ledger.finish_run("nobody", 0, naive(2026, 11, 20))


def reserve_many(folder: str, number: int, caps: Caps) -> int:
    ledger = open_ledger(Path(folder))
    made = 0
    for _ in range(60):
        try:
            call_id = reserve(ledger, "run", INN, f"m{number}", 100 + number, caps)
        except BudgetEnded:
            continue
        made += 1
        mark_sent(ledger, call_id)
        settle(ledger, call_id, UNKNOWN if made % 3 else settled(100 + number))
    ledger.close()
    return made


def test_concurrent_processes_never_exceed_a_cap(tmp_path, ledger):
    caps = Caps(run=9000, day=8500)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        made = pool.starmap(reserve_many, [(str(tmp_path), number, caps) for number in range(3)])
    figures = ledger.run_figures("run")
    assert sum(made) == figures.calls
    assert 8500 - 102 < figures.settled + figures.unknown <= 8500
    assert ledger.find_faults() == []
