"""The account in the ledger: the latest response of the method `account`, and the ledger's own spend of 30 days."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import Connection, and_, func, insert, select, update

from innspect.extract.ledger.operations import record_balance, set_opening_balance
from innspect.extract.ledger.tables import account, meter, totals
from innspect.extract.ledger.transaction import DAY, LedgerTransaction

SPEND_DAYS = 30
"""Days of the spend that the service reports, and of the ledger's own."""
_COLUMNS = ("received_at", "text", "is_truncated", "balance", "access_status", "spend_30_days")


@dataclass(frozen=True, slots=True)
class AccountResponse:
    """A response of `account`: its text, and what of it is recognised; money in kopecks, None if not recognised.

    `text` is the beginning of a body that is longer than the limit (`is_truncated`); `received_at` is UTC.
    """

    received_at: datetime
    text: str
    is_truncated: bool
    balance: int | None
    access_status: str | None
    spend_30_days: int | None


@dataclass(frozen=True, slots=True)
class AccountFigures:
    """Balance and spend of the account; money in kopecks.

    `balance` is the last that any response reported, at `balance_at` (UTC). `spend` is what settled and unknown calls
    cost in the last `spend_days` calendar days: 30, fewer in a younger ledger, 0 without calls.
    """

    balance: int | None
    balance_at: datetime | None
    response: AccountResponse | None
    spend: int = 0
    spend_days: int = 0


def record_account(
    transaction: LedgerTransaction, response: AccountResponse, sent_seq: int, opening_run: str | None = None
) -> None:
    """Store a response that was requested at event `sent_seq`, unless a later request is stored, and its balance.

    The balance becomes the opening balance of `opening_run` if that run has no calls yet.
    """
    if response.balance is not None:
        record_balance(transaction, response.balance, sent_seq, transaction.next_seq())
        if opening_run is not None:
            set_opening_balance(transaction, opening_run, response.balance)
    stored = transaction.connection.execute(select(account.c.sent_seq)).scalar()
    if stored is not None and sent_seq < stored:
        return
    values = {name: getattr(response, name) for name in _COLUMNS} | {"sent_seq": sent_seq}
    if stored is None:
        transaction.connection.execute(insert(account).values(id=1, **values))
    else:
        transaction.connection.execute(update(account).values(**values))


def read_account_figures(connection: Connection, today: date) -> AccountFigures:
    """The figures of the account; `today` is the day of the caps."""
    reading = connection.execute(select(meter.c.balance, meter.c.balance_at)).one()
    row = connection.execute(select(account)).mappings().one_or_none()
    is_day = totals.c.scope == DAY
    first = connection.execute(select(func.min(totals.c.period)).where(is_day)).scalar()
    since = today - timedelta(days=SPEND_DAYS - 1)
    in_span = and_(is_day, totals.c.period >= since.isoformat())
    spend = select(func.coalesce(func.sum(totals.c.settled + totals.c.unknown), 0)).where(in_span)
    return AccountFigures(
        balance=reading.balance,
        balance_at=reading.balance_at,
        response=None if row is None else AccountResponse(**{name: row[name] for name in _COLUMNS}),
        spend=int(connection.execute(spend).scalar_one()),
        # A clock that was set back makes the first day later than today.
        spend_days=0 if first is None else max(1, (today - max(since, date.fromisoformat(first))).days + 1),
    )
