"""The books: one transaction's view of the totals, kept in memory and written once at its end."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, and_, bindparam, insert, select, tuple_, update

from innspect.extract.ledger.tables import meter, totals
from innspect.schemas.errors import StoreError

RUN, DAY, MONTH, ALL = "run", "day", "month", "all"
# What every transaction goes through is put together once: building a statement costs more than running it.
_METER = select(meter).where(meter.c.id == 1).with_for_update()
_METER_READS = update(meter).where(meter.c.id == 1)
_TOTALS = select(totals).where(tuple_(totals.c.scope, totals.c.period).in_(bindparam("keys", expanding=True)))
_TOTAL_IS = update(totals).where(
    and_(totals.c.scope == bindparam("at_scope"), totals.c.period == bindparam("at_period"))
)
_NEW_TOTAL = insert(totals)


@dataclass(slots=True)
class Total:
    """What one run, day, month or the whole ledger has come to, in kopecks."""

    reserved: int = 0
    settled: int = 0
    unknown: int = 0

    @property
    def committed(self) -> int:
        """What counts against a cap."""
        return self.reserved + self.settled + self.unknown


@dataclass(slots=True)
class Reading:
    """The last known balance: an answer sent at event `sent_seq` and received at `seq` named it. None: never named."""

    balance: int | None
    at: datetime | None
    sent_seq: int
    seq: int


class Books:
    """One transaction: whoever holds the books is the only writer. Made by `opened`."""

    def __init__(self, connection: Connection, now: datetime, zone: ZoneInfo) -> None:
        row = connection.execute(_METER).mappings().one_or_none()
        if row is None:
            raise StoreError("The ledger has lost its meter; restore it from a copy, or use another home folder.")
        self.connection = connection
        self.now = now
        local = now.replace(tzinfo=ZoneInfo("UTC")).astimezone(zone)
        self.day, self.month = f"{local:%Y-%m-%d}", f"{local:%Y-%m}"
        self.reading = Reading(row["balance"], row["balance_at"], row["balance_sent_seq"], row["balance_seq"])
        self._seq: int = row["seq"]
        self._totals: dict[tuple[str, str], Total] = {}
        self._stored: set[tuple[str, str]] = set()

    def next_seq(self) -> int:
        """The number of a new event."""
        self._seq += 1
        return self._seq

    def total(self, scope: str, period: str) -> Total:
        """The total of a scope and period, to be changed in place."""
        return self._known(((scope, period),))[0]

    def totals_of(self, run_id: str, day: str, month: str) -> tuple[Total, ...]:
        """The totals that a call of that run, day and month is part of."""
        return self._known(((RUN, run_id), (DAY, day), (MONTH, month), (ALL, "")))

    def _known(self, keys: tuple[tuple[str, str], ...]) -> tuple[Total, ...]:
        missing = [key for key in keys if key not in self._totals]
        if missing:
            for row in self.connection.execute(_TOTALS, {"keys": missing}):
                self._totals[row.scope, row.period] = Total(row.reserved, row.settled, row.unknown)
                self._stored.add((row.scope, row.period))
        return tuple(self._totals.setdefault(key, Total()) for key in keys)

    def write(self) -> None:
        """Write what has changed."""
        known = [self._row(key) for key in self._totals if key in self._stored]
        fresh = [self._row(key) for key in self._totals if key not in self._stored]
        if known:
            rows = [{**row, "at_scope": row["scope"], "at_period": row["period"]} for row in known]
            self.connection.execute(_TOTAL_IS, rows)
        if fresh:
            self.connection.execute(_NEW_TOTAL, fresh)
        read = {
            "seq": self._seq,
            "balance": self.reading.balance,
            "balance_at": self.reading.at,
            "balance_sent_seq": self.reading.sent_seq,
            "balance_seq": self.reading.seq,
        }
        self.connection.execute(_METER_READS, read)

    def _row(self, key: tuple[str, str]) -> dict[str, str | int]:
        total = self._totals[key]
        return {
            "scope": key[0],
            "period": key[1],
            "reserved": total.reserved,
            "settled": total.settled,
            "unknown": total.unknown,
        }


@contextmanager
def opened(connection: Connection, now: datetime, zone: ZoneInfo) -> Generator[Books]:
    """The books of a transaction that the caller commits; they are written where the body succeeds."""
    books = Books(connection, now, zone)
    yield books
    books.write()
