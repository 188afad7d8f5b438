"""The ledger: the reserved price and the outcome of every call, and the responses that are not archived yet."""

from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

from sqlalchemy import Engine, and_, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from innspect.extract.clock import Clock, to_utc
from innspect.extract.failpoints import failpoint
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger import erasure, operations
from innspect.extract.ledger.account import AccountFigures, AccountResponse, read_account_figures, record_account
from innspect.extract.ledger.operations import Caps
from innspect.extract.ledger.queries import LedgerReader
from innspect.extract.ledger.tables import calls, open_engine, outbox, runs, translate_database_errors
from innspect.extract.ledger.transaction import RUN, LedgerTransaction
from innspect.schemas.errors import StoreError, StoresHeld
from innspect.schemas.states import CallState

_LOCK_DIGITS = 15
"""Digits of a home's id that fit into the number of a lock."""
_HOLD = (
    "SELECT pg_try_advisory_xact_lock(:number), set_config('tcp_keepalives_idle', '60', true), "
    "set_config('tcp_keepalives_interval', '10', true), set_config('tcp_keepalives_count', '3', true)"
)
"""The server notices within two minutes that the machine of a home has lost power, and ends its lock."""


class Reconciliation(StrEnum):
    """Result of comparing a run's unknown calls with the account's balance."""

    NOTHING = "nothing"
    """The run has no unknown calls."""
    FREE = "free"
    CHARGED = "charged"
    UNCLEAR = "unclear"
    """The calls remain unknown."""


class Ledger(LedgerReader):
    """The ledger of one home, or of several that share a database; `open` creates it. Each method is one transaction.

    Methods raise StoreError or DiskFull if the database fails; the transaction is rolled back then.
    """

    def __init__(self, engine: Engine, clock: Clock, zone: str) -> None:
        super().__init__(engine)
        self._clock = clock
        self._zone = ZoneInfo(zone)

    @classmethod
    def open(cls, where: str | Path, clock: Clock, zone: str) -> Self:
        """Open or create the ledger at a path or database URL; `zone` is the time zone of daily and monthly caps.

        Raises SettingsError, StoreError or DiskFull.
        """
        return cls(open_engine(where), clock, zone)

    @property
    def path(self) -> Path | None:
        """The ledger's file; None if it is in a database server."""
        url = self._engine.url
        return Path(url.database) if self._engine.dialect.name == "sqlite" and url.database else None

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()

    @contextmanager
    def hold(self, home: str) -> Generator[None]:
        """Exclude another folder with the id of this home, such as a copy on another machine. Raises StoresHeld.

        Only a server does so; it is no error if it has ended the transaction that holds the lock.
        """
        if self._engine.dialect.name != "postgresql":
            yield
            return
        # A transaction, because a pooler gives each transaction another session.
        lock = text(_HOLD).bindparams(number=int(home[:_LOCK_DIGITS], 16))
        connection = self._engine.connect()
        try:
            with translate_database_errors(self._engine):
                is_held = connection.execute(lock).one()[0]
            if not is_held:
                raise StoresHeld(
                    f"Another folder with the id of this home ({home[:8]}) has the ledger open, so one is a copy of "
                    "the other; delete innspect.id in the copy, or wait until the other ends.",
                    home=home,
                )
            yield
        finally:
            with suppress(DBAPIError):
                connection.close()

    @contextmanager
    def transaction(self) -> Generator[LedgerTransaction]:
        """One durable transaction that excludes all other writers."""
        with translate_database_errors(self._engine), self._engine.connect() as connection:
            with connection.begin():
                transaction = LedgerTransaction(connection, to_utc(self._clock()), self._zone)
                yield transaction
                transaction.write_totals()
                failpoint("before ledger commit")
            failpoint("after ledger commit")

    def start_run(
        self,
        run_id: str,
        *,
        portfolio: str,
        profile: str,
        budget: int,
        at: datetime,
        software_version: str,
        home: str = "",
    ) -> None:
        """Record the start of a run. `budget` is kopecks; `home` is the id of its home in a shared ledger.

        Raises StoreError if there is a run of this id.
        """
        if self.has_run(run_id):
            raise StoreError(f"There was a run {run_id} already; start this one under another id.", run_id=run_id)
        with self.transaction() as transaction:
            transaction.connection.execute(
                insert(runs).values(
                    run_id=run_id,
                    started_at=to_utc(at),
                    portfolio=portfolio,
                    profile=profile,
                    budget=budget,
                    software_version=software_version,
                    home=home,
                    started_seq=transaction.next_seq(),
                )
            )

    def finish_run(self, run_id: str, exit_code: int, at: datetime) -> None:
        """Record the end of a run. Raises StoreError if there is no such run."""
        with self.transaction() as transaction:
            changed = transaction.connection.execute(
                update(runs).where(runs.c.run_id == run_id).values(finished_at=to_utc(at), exit_code=int(exit_code))
            )
            if changed.rowcount != 1:
                raise _missing_run_error(run_id)

    def recover(self, home: str = "") -> list[str]:
        """Settle the calls that killed runs of this home left open. The caller holds the lock of the home.

        Calls that were not sent are released; calls that may have been sent become unknown. Returns the unfinished
        runs, oldest first: their records may not be archived.
        """
        with self.transaction() as transaction:
            for row in operations.open_calls(transaction, home):
                outcome = operations.RELEASED if row["sent_at"] is None else operations.UNKNOWN
                operations.settle(transaction, row["call_id"], outcome)
            unfinished = select(runs.c.run_id).where(and_(runs.c.home == home, runs.c.finished_at.is_(None)))
            return list(transaction.connection.execute(unfinished.order_by(runs.c.started_seq)).scalars())

    def reconcile(self, run_id: str, balance: int) -> Reconciliation:
        """Settle a run's unknown calls if the account shows that all or none of them were charged.

        `balance` is the account's after the run's last call, in kopecks. Valid only if nobody else spends from the
        account; UNCLEAR if another run of this ledger did, if the opening balance is unknown, or if none seems to be
        charged but some had no answer.
        Raises StoreError if there is no such run.
        """
        with self.transaction() as transaction:
            connection = transaction.connection
            run = connection.execute(select(runs).where(runs.c.run_id == run_id)).mappings().one_or_none()
            if run is None:
                raise _missing_run_error(run_id)
            total = transaction.total(RUN, run_id)
            is_unknown = and_(calls.c.run_id == run_id, calls.c.state == CallState.UNKNOWN.value)
            if not connection.execute(select(func.count()).select_from(calls).where(is_unknown)).scalar_one():
                return Reconciliation.NOTHING
            is_of_others = and_(calls.c.run_id != run_id, calls.c.reserved_seq > run["started_seq"])
            others = connection.execute(select(func.count()).select_from(calls).where(is_of_others)).scalar_one()
            if run["opening_balance"] is None or others or total.reserved or not total.unknown:
                return Reconciliation.UNCLEAR
            spent = run["opening_balance"] - balance
            if spent not in (total.settled, total.settled + total.unknown):
                return Reconciliation.UNCLEAR
            is_charged = spent != total.settled
            in_progress = select(func.count()).select_from(calls).where(is_unknown, operations.HAS_NO_ANSWER)
            if not is_charged and connection.execute(in_progress).scalar_one():
                # The service may still be working on a call that it has not answered, and charge it afterwards.
                return Reconciliation.UNCLEAR
            operations.settle_unknown(transaction, run_id, is_charged=is_charged)
            return Reconciliation.CHARGED if is_charged else Reconciliation.FREE

    def remaining_budget(self, run_id: str, caps: Caps) -> int | None:
        """What the run may still spend under all caps, in kopecks; None without caps, 0 if it cannot be determined."""
        with self.transaction() as transaction:
            remaining = operations.remaining_by_cap(transaction, run_id, caps)
            return min((0 if amount is None else max(0, amount) for _, amount in remaining), default=None)

    def next_seq(self) -> int:
        """The number of a new event, for `record_account`."""
        with self.transaction() as transaction:
            return transaction.next_seq()

    def record_account(self, response: AccountResponse, sent_seq: int) -> None:
        """Record a response of `account` that was requested at event `sent_seq`, and its balance."""
        with self.transaction() as transaction:
            record_account(transaction, response, sent_seq)

    def account_figures(self) -> AccountFigures:
        """Balance, latest response of `account` and spend of the last 30 days."""
        now = to_utc(self._clock()).replace(tzinfo=ZoneInfo("UTC"))
        with self._connect() as connection:
            return read_account_figures(connection, now.astimezone(self._zone).date())

    def clear_outbox(self, response_ids: Collection[str]) -> None:
        """Remove responses from the outbox that are sealed in the archive."""
        with self.transaction() as transaction:
            for response_id in response_ids:
                transaction.connection.execute(outbox.delete().where(outbox.c.response_id == response_id))

    def erase(self, tombstones: Tombstones, home: str = "") -> tuple[int, int]:
        """Erase the INNs of the tombstones from a home's calls and outbox; the numbers of calls and of responses.

        Calls and their money remain under a pseudonymous id and INN. Free pages of a SQLite file are cleared too. The
        caller holds the lock of the home.
        """
        with self.transaction() as transaction:
            counts = erasure.erase_inns(transaction.connection, tombstones, home)
        with translate_database_errors(self._engine):
            erasure.clear_free_pages(self._engine)
        return counts


def _missing_run_error(run_id: str) -> StoreError:
    return StoreError(f"The ledger has no run {run_id}; check it with `innspect doctor`.", run_id=run_id)
