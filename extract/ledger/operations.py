"""Operations of one call inside a ledger transaction: reserve, mark sent, settle; and the balance of the account."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import zstandard
from sqlalchemy import and_, bindparam, func, insert, or_, select, update
from sqlalchemy.engine import RowMapping

from innspect.extract.ledger.tables import calls, outbox, runs
from innspect.extract.ledger.transaction import ALL, DAY, MONTH, RUN, BalanceReading, LedgerTransaction
from innspect.schemas.errors import BudgetEnded, StoreError
from innspect.schemas.states import CallState

REFUSALS = (BudgetEnded, StoreError)
"""Errors that an operation raises before it has changed anything."""
INTERRUPTED = "interrupted"
"""Reason of a call that the program did not complete."""
GATEWAY_TIMEOUTS = (504, 524)
"""Statuses with which a gateway says that the service has not answered it: it may still be working on the call."""
HAS_NO_ANSWER = or_(calls.c.http_status.is_(None), calls.c.http_status.in_(GATEWAY_TIMEOUTS))
"""Whether the service may still charge an unknown call."""
LATE_CHARGE = timedelta(hours=1)
"""How long after its end an unanswered call may be charged; a balance that is reported meanwhile may lack it."""
_ID_DIGITS = 32
_COMPRESSION_LEVEL = 1

# Statements of every call are built once: building one costs more than executing it.
_COUNT_CALLS = (
    select(func.count())
    .select_from(calls)
    .where(
        and_(
            calls.c.run_id == bindparam("of_run"),
            calls.c.inn == bindparam("of_inn"),
            calls.c.method == bindparam("of_method"),
        )
    )
)
_SELECT_CALL = select(calls).where(calls.c.call_id == bindparam("the_call"))
_INSERT_CALL = insert(calls)
_MARK_SENT = (
    update(calls)
    .where(
        and_(
            calls.c.call_id == bindparam("the_call"),
            calls.c.state == CallState.RESERVED.value,
            calls.c.sent_at.is_(None),
        )
    )
    .values(sent_at=bindparam("sent_at"), sent_seq=bindparam("sent_seq"))
)
_OUTCOME_COLUMNS = ("state", "charged", "resolved_at", "http_status", "reason", "balance", "resolved_seq")
_SET_OUTCOME = (
    update(calls)
    .where(calls.c.call_id == bindparam("the_call"))
    .values({name: bindparam(name) for name in _OUTCOME_COLUMNS})
)
_SELECT_RESPONSE = select(outbox.c.response_id).where(outbox.c.response_id == bindparam("the_response"))
_INSERT_RESPONSE = insert(outbox)


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits on spending, in kopecks; None is no limit. `keep_balance` is what must remain on the account."""

    run: int | None = None
    day: int | None = None
    month: int | None = None
    keep_balance: int | None = None


@dataclass(frozen=True, slots=True)
class CompressedResponse:
    """A response body in the form in which the outbox stores it; `compress_response` builds it."""

    received_at: datetime
    size: int
    sha256: str
    masked: bool
    compressed: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a call. `charged` and `balance` are kopecks, None if unknown; `response` is None if none is stored."""

    state: CallState
    charged: int | None
    reason: str | None = None
    http_status: int | None = None
    balance: int | None = None
    response: CompressedResponse | None = None


RELEASED = Outcome(CallState.RELEASED, 0, INTERRUPTED)
"""Outcome of an interrupted call that was certainly not sent."""
UNKNOWN = Outcome(CallState.UNKNOWN, None, INTERRUPTED)
"""Outcome of an interrupted call that may have been sent."""


def call_id_of(run_id: str, inn: str, method: str, nth: int) -> str:
    """The id of the n-th call, counted from 1, of this method and INN in this run."""
    return _digest(run_id, inn, method, str(nth))


def response_id_of(call_id: str) -> str:
    """The id of the response to a call."""
    return _digest("answer", call_id)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:_ID_DIGITS]


def compress_response(body: bytes, received_at: datetime, *, masked: bool) -> CompressedResponse:
    """Compress and hash the exact bytes of a response; called outside the transaction."""
    compressed = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compress(body)
    return CompressedResponse(received_at, len(body), hashlib.sha256(body).hexdigest(), masked, compressed)


def reserve(transaction: LedgerTransaction, run_id: str, inn: str, method: str, price: int, caps: Caps) -> str:
    """Reserve the price of one call, in kopecks, and return the call's id.

    Raises BudgetEnded with the exceeded cap and what remains of it; nothing is changed then.
    """
    if price < 0:
        raise ValueError(price)
    for cap, remaining in remaining_by_cap(transaction, run_id, caps):
        if remaining is None or price > remaining:
            raise _budget_error(cap, remaining, price, inn, method)
    key = {"of_run": run_id, "of_inn": inn, "of_method": method}
    nth = transaction.connection.execute(_COUNT_CALLS, key).scalar_one() + 1
    call_id = call_id_of(run_id, inn, method, nth)
    row = {
        "call_id": call_id,
        "run_id": run_id,
        "inn": inn,
        "method": method,
        "nth": nth,
        "expected": price,
        "state": CallState.RESERVED.value,
        "reserved_at": transaction.now,
        "day": transaction.day,
        "month": transaction.month,
        "reserved_seq": transaction.next_seq(),
    }
    transaction.connection.execute(_INSERT_CALL, row)
    for total in transaction.totals_of(run_id, transaction.day, transaction.month):
        total.reserved += price
    return call_id


def remaining_by_cap(transaction: LedgerTransaction, run_id: str, caps: Caps) -> Iterator[tuple[str, int | None]]:
    """Each cap that is set with what remains of it, in kopecks; None if that is unknown."""
    scopes = ((RUN, run_id, caps.run), (DAY, transaction.day, caps.day), (MONTH, transaction.month, caps.month))
    for scope, period, cap in scopes:
        if cap is not None:
            yield scope, cap - transaction.total(scope, period).counted_amount
    if caps.keep_balance is not None:
        balance = available_balance(transaction)
        yield "balance", None if balance is None else balance - caps.keep_balance


def available_balance(transaction: LedgerTransaction) -> int | None:
    """A lower bound of the account's balance: the last reported one less all calls that it may not include yet."""
    reading = transaction.reading
    if reading.balance is None:
        return None
    was_in_progress = and_(
        calls.c.resolved_seq >= reading.sent_seq,
        calls.c.balance.is_(None),
        calls.c.state.in_((CallState.SETTLED.value, CallState.UNKNOWN.value)),
    )
    may_be_charged = and_(
        calls.c.state == CallState.UNKNOWN.value,
        HAS_NO_ANSWER,
        calls.c.resolved_seq < reading.sent_seq,
        calls.c.resolved_at > transaction.now - LATE_CHARGE,
    )
    price = func.coalesce(func.sum(func.coalesce(calls.c.charged, calls.c.expected)), 0)
    not_included = sum(
        int(transaction.connection.execute(select(price).where(condition)).scalar_one())
        for condition in (was_in_progress, may_be_charged)
    )
    return reading.balance - transaction.total(ALL, "").reserved - not_included


_ADVICE = {
    RUN: "raise --budget or budget.run_rub",
    DAY: "raise budget.day_rub or continue tomorrow",
    MONTH: "raise budget.month_rub or continue next month",
    "balance": "top the account up or lower budget.keep_balance_rub",
}


def _budget_error(cap: str, remaining: int | None, price: int, inn: str, method: str) -> BudgetEnded:
    facts = {"cap": cap, "left": remaining, "price": price, "inn": inn, "method": method}
    if remaining is None:
        return BudgetEnded(
            "The account's balance is not known, so nothing is spent while budget.keep_balance_rub is set; check the "
            "service with `innspect doctor`, or set it to none.",
            **facts,
        )
    name = "account above budget.keep_balance_rub" if cap == "balance" else f"cap of this {cap}"
    return BudgetEnded(
        f"The {name} has {max(0, remaining) / 100:.2f} RUB left and the next call costs {price / 100:.2f} RUB; "
        f"{_ADVICE[cap]}.",
        **facts,
    )


def mark_sent(transaction: LedgerTransaction, call_id: str) -> None:
    """Record that the call is about to be sent: it may be charged from now on. Raises StoreError if it is not open."""
    values = {"the_call": call_id, "sent_at": transaction.now, "sent_seq": transaction.next_seq()}
    if transaction.connection.execute(_MARK_SENT, values).rowcount != 1:
        raise StoreError(f"Call {call_id} is not open, so it is not sent; run again.", call_id=call_id)


def settle(transaction: LedgerTransaction, call_id: str, outcome: Outcome) -> bool:
    """Store the outcome of a call, and its response in the outbox. False if the call had an outcome before.

    A second outcome changes no money; a response that arrives with it is stored all the same, since it was paid for.
    Raises StoreError for a call that was never reserved.
    """
    row = transaction.connection.execute(_SELECT_CALL, {"the_call": call_id}).mappings().one_or_none()
    if row is None:
        raise StoreError(f"The ledger has no call {call_id}; check it with `innspect doctor`.", call_id=call_id)
    seq = transaction.next_seq()
    is_first = row["state"] == CallState.RESERVED.value
    if is_first:
        _store_outcome(transaction, row, outcome, seq)
    if outcome.response is not None:
        _store_response(transaction, row, outcome.response, seq, is_first=is_first)
    return is_first


def _store_outcome(transaction: LedgerTransaction, row: RowMapping, outcome: Outcome, seq: int) -> None:
    _check_outcome(outcome)
    values = {
        "the_call": row["call_id"],
        "state": outcome.state.value,
        "charged": outcome.charged,
        "resolved_at": transaction.now,
        "http_status": outcome.http_status,
        "reason": outcome.reason,
        "balance": outcome.balance,
        "resolved_seq": seq,
    }
    transaction.connection.execute(_SET_OUTCOME, values)
    for total in transaction.totals_of(row["run_id"], row["day"], row["month"]):
        total.reserved -= row["expected"]
        total.settled += outcome.charged or 0
        total.unknown += row["expected"] if outcome.charged is None else 0
    if outcome.balance is not None:
        record_balance(transaction, outcome.balance, row["sent_seq"] or row["reserved_seq"], seq)


def _check_outcome(outcome: Outcome) -> None:
    is_unknown = outcome.state is CallState.UNKNOWN
    costs_nothing = outcome.state in (CallState.FREE, CallState.RELEASED)
    if (
        outcome.state is CallState.RESERVED
        or (outcome.charged is None) != is_unknown
        or (outcome.charged or 0) < 0
        or (costs_nothing and outcome.charged)
    ):
        raise ValueError(outcome)


def _store_response(
    transaction: LedgerTransaction, row: RowMapping, response: CompressedResponse, seq: int, *, is_first: bool
) -> None:
    response_id = response_id_of(row["call_id"])
    connection = transaction.connection
    if not is_first and connection.execute(_SELECT_RESPONSE, {"the_response": response_id}).one_or_none() is not None:
        return
    values = {
        "response_id": response_id,
        "call_id": row["call_id"],
        "run_id": row["run_id"],
        "seq": seq,
        "received_at": response.received_at,
        "bytes": response.size,
        "sha256": response.sha256,
        "masked": response.masked,
        "body": response.compressed,
    }
    connection.execute(_INSERT_RESPONSE, values)


def record_balance(transaction: LedgerTransaction, balance: int, sent_seq: int, seq: int) -> None:
    """Record a reported balance, in kopecks, requested at event `sent_seq` and received at `seq`.

    Of overlapping requests the lowest balance counts, since the service may have processed them in any order.
    """
    reading = transaction.reading
    if reading.balance is not None and sent_seq < reading.seq and balance >= reading.balance:
        return
    transaction.reading = BalanceReading(balance, transaction.now, sent_seq, seq)


def set_opening_balance(transaction: LedgerTransaction, run_id: str, balance: int) -> None:
    """Record the balance before a run's first call; does nothing if the run has calls or an opening balance."""
    count = select(func.count()).select_from(calls).where(calls.c.run_id == run_id)
    if not transaction.connection.execute(count).scalar_one():
        transaction.connection.execute(
            update(runs)
            .where(and_(runs.c.run_id == run_id, runs.c.opening_balance.is_(None)))
            .values(opening_balance=balance)
        )


def settle_unknown(transaction: LedgerTransaction, run_id: str, *, is_charged: bool) -> None:
    """Settle all unknown calls of a run: as charged at their price, or as free."""
    is_unknown = and_(calls.c.run_id == run_id, calls.c.state == CallState.UNKNOWN.value)
    for row in transaction.connection.execute(select(calls).where(is_unknown)).mappings().all():
        price = row["expected"] if is_charged else 0
        for total in transaction.totals_of(row["run_id"], row["day"], row["month"]):
            total.unknown -= row["expected"]
            total.settled += price
        state = CallState.SETTLED if price else CallState.FREE
        transaction.connection.execute(
            update(calls).where(calls.c.call_id == row["call_id"]).values(state=state.value, charged=price)
        )


def open_calls(transaction: LedgerTransaction, home: str) -> list[RowMapping]:
    """The calls that are still reserved: those of a home's runs, and those without a run."""
    of_home = calls.c.run_id.in_(select(runs.c.run_id).where(runs.c.home == home))
    without_run = calls.c.run_id.not_in(select(runs.c.run_id))
    is_open = and_(calls.c.state == CallState.RESERVED.value, or_(of_home, without_run))
    return list(transaction.connection.execute(select(calls).where(is_open)).mappings().all())
