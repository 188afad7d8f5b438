"""Entries in the books: a call reserved, sent, resolved, reconciled. Each runs inside a transaction of the caller's."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import zstandard
from sqlalchemy import and_, bindparam, func, insert, or_, select, update
from sqlalchemy.engine import RowMapping

from innspect.extract.ledger.tables import calls, outbox, runs
from innspect.extract.ledger.transaction import ALL, DAY, MONTH, RUN, Books, Reading
from innspect.extract.service.charging import State
from innspect.schemas.errors import BudgetEnded, StoreError

REFUSALS = (BudgetEnded, StoreError)
"""Errors that an entry raises before it has changed anything."""
_ID_DIGITS = 32
_LEVEL = 1


# What every call goes through is put together once: building a statement costs more than running it.
_ASKED = (
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
_CALL = select(calls).where(calls.c.call_id == bindparam("the_call"))
_NEW_CALL = insert(calls)
_SENT = (
    update(calls)
    .where(
        and_(calls.c.call_id == bindparam("the_call"), calls.c.state == State.RESERVED.value, calls.c.sent_at.is_(None))
    )
    .values(sent_at=bindparam("sent_at"), sent_seq=bindparam("sent_seq"))
)
_OUTCOME = ("state", "charged", "resolved_at", "http_status", "reason", "balance", "resolved_seq")
_RESOLVED = (
    update(calls).where(calls.c.call_id == bindparam("the_call")).values({name: bindparam(name) for name in _OUTCOME})
)
_HELD = select(outbox.c.response_id).where(outbox.c.response_id == bindparam("the_answer"))
_NEW_ANSWER = insert(outbox)


@dataclass(frozen=True, slots=True)
class Caps:
    """What may be spent, in kopecks; None is no limit. `keep_balance` is what stays on the account."""

    run: int | None = None
    day: int | None = None
    month: int | None = None
    keep_balance: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was received, ready to store: made by `packed` outside the transaction."""

    received_at: datetime
    size: int
    sha256: str
    masked: bool
    compressed: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call. `charged` and `balance` are kopecks, None where not known; `answer` None: none to keep."""

    state: State
    charged: int | None
    reason: str | None = None
    http_status: int | None = None
    balance: int | None = None
    answer: Answer | None = None


def call_id_of(run_id: str, inn: str, method: str, nth: int) -> str:
    """The id of the n-th call, counted from 1, of that method about that INN in that run."""
    return _digest(run_id, inn, method, str(nth))


def response_id_of(call_id: str) -> str:
    """The id of the answer to a call."""
    return _digest("answer", call_id)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:_ID_DIGITS]


def packed(body: bytes, received_at: datetime, *, masked: bool) -> Answer:
    """An answer's exact bytes, compressed, with their hash."""
    compressed = zstandard.ZstdCompressor(level=_LEVEL).compress(body)
    return Answer(received_at, len(body), hashlib.sha256(body).hexdigest(), masked, compressed)


def reserve(books: Books, run_id: str, inn: str, method: str, price: int, caps: Caps) -> str:
    """Reserve the price of one call and return the call's id.

    Raises BudgetEnded, which says which cap has how many kopecks left, and then changes nothing.
    """
    if price < 0:
        raise ValueError(price)
    for cap, left in room(books, run_id, caps):
        if left is None or price > left:
            raise _ended(cap, left, price, inn, method)
    asked = {"of_run": run_id, "of_inn": inn, "of_method": method}
    nth = books.connection.execute(_ASKED, asked).scalar_one() + 1
    call_id = call_id_of(run_id, inn, method, nth)
    row = {
        "call_id": call_id,
        "run_id": run_id,
        "inn": inn,
        "method": method,
        "nth": nth,
        "expected": price,
        "state": State.RESERVED.value,
        "reserved_at": books.now,
        "day": books.day,
        "month": books.month,
        "reserved_seq": books.next_seq(),
    }
    books.connection.execute(_NEW_CALL, row)
    for total in books.totals_of(run_id, books.day, books.month):
        total.reserved += price
    return call_id


def room(books: Books, run_id: str, caps: Caps) -> Iterator[tuple[str, int | None]]:
    """Every cap that is set and what it has left; None where that cannot be told."""
    scopes = ((RUN, run_id, caps.run), (DAY, books.day, caps.day), (MONTH, books.month, caps.month))
    for scope, period, cap in scopes:
        if cap is not None:
            yield scope, cap - books.total(scope, period).committed
    if caps.keep_balance is not None:
        balance = available(books)
        yield "balance", None if balance is None else balance - caps.keep_balance


def available(books: Books) -> int | None:
    """What the account surely holds: the last balance named, less all that it may not have counted yet."""
    if books.reading.balance is None:
        return None
    uncounted = books.connection.execute(
        select(func.coalesce(func.sum(func.coalesce(calls.c.charged, calls.c.expected)), 0)).where(
            and_(
                calls.c.resolved_seq >= books.reading.sent_seq,
                calls.c.balance.is_(None),
                calls.c.state.in_((State.SETTLED.value, State.UNKNOWN.value)),
            )
        )
    ).scalar_one()
    return books.reading.balance - books.total(ALL, "").reserved - int(uncounted)


_ADVICE = {
    RUN: "raise --budget or budget.run_rub",
    DAY: "raise budget.day_rub or go on tomorrow",
    MONTH: "raise budget.month_rub or go on next month",
    "balance": "top the account up or lower budget.keep_balance_rub",
}


def _ended(cap: str, left: int | None, price: int, inn: str, method: str) -> BudgetEnded:
    facts = {"cap": cap, "left": left, "price": price, "inn": inn, "method": method}
    if left is None:
        return BudgetEnded(
            "The account's balance is not known, so nothing is spent while budget.keep_balance_rub is set; check the "
            "service with `innspect doctor`, or set it to none.",
            **facts,
        )
    name = "account above budget.keep_balance_rub" if cap == "balance" else f"cap of this {cap}"
    return BudgetEnded(
        f"The {name} has {max(0, left) / 100:.2f} RUB left and the next call costs {price / 100:.2f} RUB; "
        f"{_ADVICE[cap]}.",
        **facts,
    )


def mark_sent(books: Books, call_id: str) -> None:
    """Note that the call is about to be sent: from now on it may be charged. Raises StoreError if it is not open."""
    sent = {"the_call": call_id, "sent_at": books.now, "sent_seq": books.next_seq()}
    marked = books.connection.execute(_SENT, sent)
    if marked.rowcount != 1:
        raise StoreError(f"Call {call_id} is not open, so it is not sent; run again.", call_id=call_id)


def resolve(books: Books, call_id: str, outcome: Outcome) -> bool:
    """Store what became of a call, and its answer in the outbox. False where that was known already.

    A second outcome changes no money; an answer that comes with it is kept all the same, since it was paid for.
    Raises StoreError for a call that was never reserved.
    """
    row = books.connection.execute(_CALL, {"the_call": call_id}).mappings().one_or_none()
    if row is None:
        raise StoreError(f"The ledger knows no call {call_id}; check it with `innspect doctor`.", call_id=call_id)
    seq = books.next_seq()
    first = row["state"] == State.RESERVED.value
    if first:
        _resolve_first(books, row, outcome, seq)
    if outcome.answer is not None:
        _keep(books, row, outcome.answer, seq, first=first)
    return first


def _resolve_first(books: Books, row: RowMapping, outcome: Outcome, seq: int) -> None:
    charged = _checked(outcome)
    resolved = {
        "the_call": row["call_id"],
        "state": outcome.state.value,
        "charged": charged,
        "resolved_at": books.now,
        "http_status": outcome.http_status,
        "reason": outcome.reason,
        "balance": outcome.balance,
        "resolved_seq": seq,
    }
    books.connection.execute(_RESOLVED, resolved)
    for total in books.totals_of(row["run_id"], row["day"], row["month"]):
        total.reserved -= row["expected"]
        total.settled += charged or 0
        total.unknown += row["expected"] if charged is None else 0
    if outcome.balance is not None:
        read_balance(books, outcome.balance, row["sent_seq"] or row["reserved_seq"], seq)


def _checked(outcome: Outcome) -> int | None:
    known = outcome.charged is not None
    if known == (outcome.state is State.UNKNOWN) or (outcome.charged or 0) < 0:
        raise ValueError(outcome)
    if outcome.state in (State.FREE, State.RELEASED) and outcome.charged:
        raise ValueError(outcome)
    if outcome.state is State.RESERVED:
        raise ValueError(outcome)
    return outcome.charged


def _keep(books: Books, row: RowMapping, answer: Answer, seq: int, *, first: bool) -> None:
    response_id = response_id_of(row["call_id"])
    # Only a call that had an outcome already can have an answer.
    if not first and books.connection.execute(_HELD, {"the_answer": response_id}).one_or_none() is not None:
        return
    kept = {
        "response_id": response_id,
        "call_id": row["call_id"],
        "run_id": row["run_id"],
        "seq": seq,
        "received_at": answer.received_at,
        "bytes": answer.size,
        "sha256": answer.sha256,
        "masked": answer.masked,
        "body": answer.compressed,
    }
    books.connection.execute(_NEW_ANSWER, kept)


def read_balance(books: Books, balance: int, sent_seq: int, seq: int) -> None:
    """Take a balance that an answer named, which was sent at event `sent_seq` and received at `seq`.

    Of answers that were under way together the lowest counts: nothing tells which of them was reckoned last.
    """
    known = books.reading
    overlapping = known.balance is not None and sent_seq < known.seq
    if overlapping and known.balance is not None and balance >= known.balance:
        return
    books.reading = Reading(balance, books.now, sent_seq, seq)


def open_with(books: Books, run_id: str, balance: int) -> None:
    """Note the account's balance before a run's first call; nothing where the run has made calls or has one noted."""
    made = select(func.count()).select_from(calls).where(calls.c.run_id == run_id)
    if not books.connection.execute(made).scalar_one():
        books.connection.execute(
            update(runs)
            .where(and_(runs.c.run_id == run_id, runs.c.opening_balance.is_(None)))
            .values(opening_balance=balance)
        )


def settle_unknown(books: Books, run_id: str, *, charged: bool) -> int:
    """Settle all unknown calls of a run as charged at their price, or as free; returns how many."""
    unknown = and_(calls.c.run_id == run_id, calls.c.state == State.UNKNOWN.value)
    rows = books.connection.execute(select(calls).where(unknown)).mappings().all()
    for row in rows:
        price = row["expected"] if charged else 0
        for total in books.totals_of(row["run_id"], row["day"], row["month"]):
            total.unknown -= row["expected"]
            total.settled += price
        state = State.SETTLED if price else State.FREE
        books.connection.execute(
            update(calls).where(calls.c.call_id == row["call_id"]).values(state=state.value, charged=price)
        )
    return len(rows)


def open_calls(books: Books, home: str) -> list[RowMapping]:
    """The calls of a home's runs, and of runs that were never begun, that are still reserved."""
    ours = calls.c.run_id.in_(select(runs.c.run_id).where(runs.c.home == home))
    nobodys = calls.c.run_id.not_in(select(runs.c.run_id))
    found = and_(calls.c.state == State.RESERVED.value, or_(ours, nobodys))
    return list(books.connection.execute(select(calls).where(found)).mappings().all())
