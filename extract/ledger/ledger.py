"""The ledger: what every call was meant to cost, what became of it, and the answers that are not archived yet."""

from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Self
from zoneinfo import ZoneInfo

import polars as pl
from sqlalchemy import Connection, Engine, and_, func, insert, select, update

from innspect.extract.failpoints import reach
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger import erasure as ledger_erasure
from innspect.extract.ledger import operations as entries
from innspect.extract.ledger import queries as ledger_views
from innspect.extract.ledger.operations import Caps, Outcome
from innspect.extract.ledger.queries import Figures, RunFigures
from innspect.extract.ledger.tables import calls, open_engine, outbox, runs, store_faults
from innspect.extract.ledger.transaction import RUN, Books, opened
from innspect.extract.planner.freshness import utc
from innspect.extract.service.charging import Failure, State
from innspect.schemas.errors import StoreError

Clock = Callable[[], datetime]
OUTBOX_BYTES = 256 * 1024 * 1024


class Reconciled(StrEnum):
    """What the account's balance says of a run's unknown calls."""

    NOTHING = "nothing"
    """There were none."""
    FREE = "free"
    CHARGED = "charged"
    UNCLEAR = "unclear"
    """They stay unknown."""


class Ledger:
    """The ledger of one home, or of several that share a database. Made by `open`; every method is one transaction.

    Methods raise StoreError or DiskFull where the database fails; nothing of that transaction is kept then.
    """

    def __init__(self, engine: Engine, clock: Clock, zone: str) -> None:
        self._engine = engine
        self._clock = clock
        self._zone = ZoneInfo(zone)

    @classmethod
    def open(cls, where: str | Path, clock: Clock, zone: str) -> Self:
        """Open the ledger at a path or database URL, making what is not there; days and months are those of `zone`.

        Raises SettingsError, StoreError or DiskFull.
        """
        return cls(open_engine(where), clock, zone)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Generator[Books]:
        """The books of one durable transaction; whoever holds them is the only writer."""
        with store_faults(self._engine), self._engine.connect() as connection:
            with connection.begin():
                with opened(connection, utc(self._clock()), self._zone) as books:
                    yield books
                reach("before ledger commit")
            reach("after ledger commit")

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
        """Note that a run begins. `budget` is kopecks; `home` tells whose run it is where homes share a ledger.

        Raises StoreError where there is a run of that id.
        """
        if self.has_run(run_id):
            raise StoreError(f"There was a run {run_id} already; start this one under another id.", run_id=run_id)
        with self.transaction() as books:
            books.connection.execute(
                insert(runs).values(
                    run_id=run_id,
                    started_at=utc(at),
                    portfolio=portfolio,
                    profile=profile,
                    budget=budget,
                    software_version=software_version,
                    home=home,
                    started_seq=books.next_seq(),
                )
            )

    def finish_run(self, run_id: str, exit_code: int, at: datetime) -> None:
        """Note that a run has ended. Raises StoreError where there is none of that id."""
        with self.transaction() as books:
            changed = books.connection.execute(
                update(runs).where(runs.c.run_id == run_id).values(finished_at=utc(at), exit_code=int(exit_code))
            )
            if changed.rowcount != 1:
                raise _no_run(run_id)

    def has_run(self, run_id: str) -> bool:
        """Whether there was a run of that id."""
        with self._reading() as connection:
            return connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).scalar() is not None

    def run_ids(self, home: str = "") -> list[str]:
        """The runs of a home that were ever begun, oldest first."""
        with self._reading() as connection:
            ours = select(runs.c.run_id).where(runs.c.home == home).order_by(runs.c.started_seq)
            return list(connection.execute(ours).scalars())

    def recover(self, home: str = "") -> list[str]:
        """Close the calls that killed runs of this home left open. Only for who holds the home's lock.

        What was never sent is released; what may have been sent is unknown and counts at its price. Returns the runs
        that have no end, oldest first: their records may not be archived.
        """
        with self.transaction() as books:
            for row in entries.open_calls(books, home):
                state, charged = (State.RELEASED, 0) if row["sent_at"] is None else (State.UNKNOWN, None)
                entries.resolve(books, row["call_id"], Outcome(state, charged, Failure.INTERRUPTED.value))
            unfinished = select(runs.c.run_id).where(and_(runs.c.home == home, runs.c.finished_at.is_(None)))
            return list(books.connection.execute(unfinished.order_by(runs.c.started_seq)).scalars())

    def next_seq(self) -> int:
        """The number of a new event: taken before the account is asked, and handed to `read_balance` after."""
        with self.transaction() as books:
            return books.next_seq()

    def read_balance(self, balance: int, sent_seq: int, opens: str | None = None) -> None:
        """Note the balance, in kopecks, that the account method named when asked at event `sent_seq`.

        `opens` is a run that has made no call yet: it is the balance that the run begins with.
        """
        with self.transaction() as books:
            entries.read_balance(books, balance, sent_seq, books.next_seq())
            if opens is not None:
                entries.open_with(books, opens, balance)

    def reconcile(self, run_id: str, balance: int) -> Reconciled:
        """Settle a run's unknown calls where the account shows that all or none of them were charged.

        `balance` is the account's after the run's last call, in kopecks. Only right where nobody else spends from the
        account; UNCLEAR where another run of this ledger did, or the start's balance is not known.
        Raises StoreError where there is no such run.
        """
        with self.transaction() as books:
            run = books.connection.execute(select(runs).where(runs.c.run_id == run_id)).mappings().one_or_none()
            if run is None:
                raise _no_run(run_id)
            total = books.total(RUN, run_id)
            unknown = and_(calls.c.run_id == run_id, calls.c.state == State.UNKNOWN.value)
            if not books.connection.execute(select(func.count()).select_from(calls).where(unknown)).scalar_one():
                return Reconciled.NOTHING
            others = and_(calls.c.run_id != run_id, calls.c.reserved_seq > run["started_seq"])
            shared = books.connection.execute(select(func.count()).select_from(calls).where(others)).scalar_one()
            if run["opening_balance"] is None or shared or total.reserved or not total.unknown:
                return Reconciled.UNCLEAR
            spent = run["opening_balance"] - balance
            if spent not in (total.settled, total.settled + total.unknown):
                return Reconciled.UNCLEAR
            charged = spent != total.settled
            entries.settle_unknown(books, run_id, charged=charged)
            return Reconciled.CHARGED if charged else Reconciled.FREE

    def outbox_answers(
        self, limit_bytes: int = OUTBOX_BYTES, run_id: str | None = None, home: str = ""
    ) -> pl.DataFrame:
        """The oldest answers in the outbox (frame of `ARCHIVE["answers"]`), about so many bytes of bodies.

        At least one where there is any; of one run, or of all of a home. Raises StoreError where a body does not have
        its hash.
        """
        with self._reading() as connection:
            return ledger_views.outbox_answers(connection, limit_bytes, run_id, home)

    def waiting(self, home: str = "") -> int:
        """How many answers of a home's runs are in the outbox."""
        with self._reading() as connection:
            return ledger_views.waiting(connection, home)

    def outbox_clear(self, response_ids: Collection[str]) -> None:
        """Take answers out of the outbox that are sealed in the archive."""
        with self.transaction() as books:
            for response_id in response_ids:
                books.connection.execute(outbox.delete().where(outbox.c.response_id == response_id))

    def erase(self, tombstones: Tombstones, home: str = "") -> tuple[int, int]:
        """Take the INNs that were forgotten out of a home's calls and its outbox; how many calls and answers.

        The calls and their money stay, under another id and with what stands for the INN. Nothing of it is left in
        the pages of a SQLite file either. Only for who holds the home's lock.
        """
        with self.transaction() as books:
            done = ledger_erasure.erase(books.connection, tombstones, home)
        with store_faults(self._engine):
            ledger_erasure.scrub(self._engine)
        return done

    def run_rows(self, run_id: str | None = None) -> pl.DataFrame:
        """One run, or all in the order of their start, as they stand now (frame of `ARCHIVE["runs"]`)."""
        with self._reading() as connection:
            return ledger_views.run_rows(connection, run_id)

    def call_rows(self, run_id: str) -> pl.DataFrame:
        """The run's calls that have an outcome, in the order of reserving (frame of `ARCHIVE["calls"]`)."""
        with self._reading() as connection:
            return ledger_views.call_rows(connection, run_id)

    def left(self, run_id: str, caps: Caps) -> int | None:
        """What the run may still spend under all caps, in kopecks; None without any cap, 0 where it cannot be told."""
        with self.transaction() as books:
            room = [0 if left is None else max(0, left) for _, left in entries.room(books, run_id, caps)]
        return min(room, default=None)

    def unknown_calls(self, run_id: str) -> int:
        """How many calls of the run have an unknown outcome."""
        return self.run_figures(run_id).unknown_calls

    def run_figures(self, run_id: str) -> RunFigures:
        """What one run has come to so far."""
        with self._reading() as connection:
            return ledger_views.run_figures(connection, run_id)

    def figures(self) -> Figures:
        """The money and what waits, as `status` shows it; does not wait for a run that goes on."""
        with self._reading() as connection:
            return ledger_views.figures(connection)

    def faults(self) -> list[str]:
        """What is wrong with the ledger, one sentence each: totals that are not the sums of their calls, bad pages."""
        with self._reading() as connection:
            return ledger_views.faults(connection)

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        with store_faults(self._engine), self._engine.execution_options(reading=True).begin() as connection:
            yield connection


def _no_run(run_id: str) -> StoreError:
    return StoreError(f"The ledger knows no run {run_id}; check it with `innspect doctor`.", run_id=run_id)
