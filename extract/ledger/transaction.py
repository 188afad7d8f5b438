"""One exclusive ledger transaction: cached totals and event numbers, written once at its end."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, and_, bindparam, insert, select, tuple_, update

from innspect.extract.ledger.tables import meter, totals
from innspect.schemas.errors import StoreError

RUN, DAY, MONTH, ALL = "run", "day", "month", "all"
"""Scopes of totals."""
# Statements of every transaction are built once: building one costs more than executing it.
_SELECT_METER = select(meter).where(meter.c.id == 1).with_for_update()
_UPDATE_METER = update(meter).where(meter.c.id == 1)
_SELECT_TOTALS = select(totals).where(tuple_(totals.c.scope, totals.c.period).in_(bindparam("keys", expanding=True)))
_UPDATE_TOTAL = update(totals).where(
    and_(totals.c.scope == bindparam("at_scope"), totals.c.period == bindparam("at_period"))
)
_INSERT_TOTAL = insert(totals)


@dataclass(slots=True)
class Total:
    """Total of a run, a day, a month or the whole ledger, in kopecks."""

    reserved: int = 0
    settled: int = 0
    unknown: int = 0

    @property
    def counted_amount(self) -> int:
        """The amount that counts against a cap."""
        return self.reserved + self.settled + self.unknown


@dataclass(slots=True)
class BalanceReading:
    """The last known balance in kopecks, None if never reported.

    The response was requested at event `sent_seq` and received at event `seq`.
    """

    balance: int | None
    at: datetime | None
    sent_seq: int
    seq: int


class LedgerTransaction:
    """A transaction that excludes all other writers: it locks the row of `meter`.

    The caller commits the connection, after `write_totals`. Raises StoreError if the ledger has no meter.
    """

    def __init__(self, connection: Connection, now: datetime, zone: ZoneInfo) -> None:
        row = connection.execute(_SELECT_METER).mappings().one_or_none()
        if row is None:
            raise StoreError("The ledger has lost its meter; restore it from a copy, or use another home folder.")
        self.connection = connection
        self.now = now
        local = now.replace(tzinfo=ZoneInfo("UTC")).astimezone(zone)
        self.day, self.month = f"{local:%Y-%m-%d}", f"{local:%Y-%m}"
        self.reading = BalanceReading(row["balance"], row["balance_at"], row["balance_sent_seq"], row["balance_seq"])
        self._seq: int = row["seq"]
        self._totals: dict[tuple[str, str], Total] = {}
        self._stored: set[tuple[str, str]] = set()

    def next_seq(self) -> int:
        """The number of a new event."""
        self._seq += 1
        return self._seq

    def total(self, scope: str, period: str) -> Total:
        """The total of a scope and period; changes to it are written at the end."""
        return self._load_totals(((scope, period),))[0]

    def totals_of(self, run_id: str, day: str, month: str) -> tuple[Total, ...]:
        """The totals that include a call of this run, day and month."""
        return self._load_totals(((RUN, run_id), (DAY, day), (MONTH, month), (ALL, "")))

    def _load_totals(self, keys: tuple[tuple[str, str], ...]) -> tuple[Total, ...]:
        missing = [key for key in keys if key not in self._totals]
        if missing:
            for row in self.connection.execute(_SELECT_TOTALS, {"keys": missing}):
                self._totals[row.scope, row.period] = Total(row.reserved, row.settled, row.unknown)
                self._stored.add((row.scope, row.period))
        return tuple(self._totals.setdefault(key, Total()) for key in keys)

    def write_totals(self) -> None:
        """Write totals, event number and balance."""
        stored = [self._row(key) for key in self._totals if key in self._stored]
        new = [self._row(key) for key in self._totals if key not in self._stored]
        if stored:
            rows = [{**row, "at_scope": row["scope"], "at_period": row["period"]} for row in stored]
            self.connection.execute(_UPDATE_TOTAL, rows)
        if new:
            self.connection.execute(_INSERT_TOTAL, new)
        values = {
            "seq": self._seq,
            "balance": self.reading.balance,
            "balance_at": self.reading.at,
            "balance_sent_seq": self.reading.sent_seq,
            "balance_seq": self.reading.seq,
        }
        self.connection.execute(_UPDATE_METER, values)

    def _row(self, key: tuple[str, str]) -> dict[str, str | int]:
        total = self._totals[key]
        return {
            "scope": key[0],
            "period": key[1],
            "reserved": total.reserved,
            "settled": total.settled,
            "unknown": total.unknown,
        }
