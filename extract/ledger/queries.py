"""Read the ledger: responses for the archive, runs and calls as frames, figures for the screen."""

import hashlib
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import zstandard
from sqlalchemy import ColumnElement, Connection, Engine, and_, case, func, or_, select, text
from sqlalchemy.engine import RowMapping

from innspect.extract.ledger.tables import calls, meter, outbox, runs, totals, translate_database_errors
from innspect.extract.ledger.transaction import ALL, DAY, MONTH, RUN
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import CallState

OUTBOX_BYTES = 256 * 1024 * 1024
CALLS_AT_ONCE = 10_000
"""Rows of calls that are Python objects at the same time."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of all runs together; money in kopecks. `balance` is the last reported one, at `balance_at` (UTC).

    `outbox` counts unarchived responses, `outbox_bytes` their bodies. `unfinished` are the runs in progress or killed,
    oldest first. `last_run` is the newest run (a row of `ARCHIVE["runs"]`), None if there is none.
    """

    settled: int
    unknown: int
    reserved: int
    balance: int | None
    balance_at: datetime | None
    unknown_calls: int
    outbox: int
    outbox_bytes: int
    unfinished: tuple[str, ...]
    last_run: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of one run; money in kopecks. `calls` counts those that were sent or may have been."""

    settled: int
    unknown: int
    reserved: int
    calls: int
    unknown_calls: int


class LedgerReader:
    """Read queries on a ledger; each sees a consistent state and waits for no writer. Raises StoreError."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def _connect(self) -> Generator[Connection]:
        engine = self._engine.execution_options(reading=True)
        with translate_database_errors(self._engine), engine.begin() as connection:
            yield connection

    def has_run(self, run_id: str) -> bool:
        """Whether there is a run of this id."""
        with self._connect() as connection:
            return connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id)).scalar() is not None

    def run_ids(self, home: str = "") -> list[str]:
        """All runs of a home, oldest first."""
        with self._connect() as connection:
            of_home = select(runs.c.run_id).where(runs.c.home == home).order_by(runs.c.started_seq)
            return list(connection.execute(of_home).scalars())

    def run_figures(self, run_id: str) -> RunFigures:
        """The figures of one run; zeros for a run without calls."""
        query = select(totals).where(and_(totals.c.scope == RUN, totals.c.period == run_id))
        by_state = (
            select(calls.c.state, func.count().label("calls")).where(calls.c.run_id == run_id).group_by(calls.c.state)
        )
        with self._connect() as connection:
            total = connection.execute(query).mappings().one_or_none()
            counts: dict[str, int] = {row.state: row.calls for row in connection.execute(by_state)}
        not_sent = (CallState.RESERVED, CallState.RELEASED)
        return RunFigures(
            settled=0 if total is None else total["settled"],
            unknown=0 if total is None else total["unknown"],
            reserved=0 if total is None else total["reserved"],
            calls=sum(count for state, count in counts.items() if state not in not_sent),
            unknown_calls=counts.get(CallState.UNKNOWN, 0),
        )

    def figures(self) -> Figures:
        """The figures of all runs."""
        unknown = select(func.count()).select_from(calls).where(calls.c.state == CallState.UNKNOWN.value)
        size = select(func.count(), func.coalesce(func.sum(outbox.c.bytes), 0)).select_from(outbox)
        open_runs = select(runs.c.run_id).where(runs.c.finished_at.is_(None)).order_by(runs.c.started_seq)
        newest = select(runs.c.run_id).order_by(runs.c.started_seq.desc()).limit(1)
        with self._connect() as connection:
            total = connection.execute(select(totals).where(totals.c.scope == ALL)).mappings().one_or_none()
            account = connection.execute(select(meter)).mappings().one()
            outbox_count, outbox_bytes = connection.execute(size).one()
            last = connection.execute(newest).scalar()
            return Figures(
                settled=0 if total is None else total["settled"],
                unknown=0 if total is None else total["unknown"],
                reserved=0 if total is None else total["reserved"],
                balance=account["balance"],
                balance_at=account["balance_at"],
                unknown_calls=connection.execute(unknown).scalar_one(),
                outbox=outbox_count,
                outbox_bytes=int(outbox_bytes),
                unfinished=tuple(connection.execute(open_runs).scalars()),
                last_run=None if last is None else _run_rows(connection, last).row(0, named=True),
            )

    def count_outbox(self, home: str = "") -> int:
        """The number of unarchived responses of a home's runs."""
        with self._connect() as connection:
            return connection.execute(select(func.count()).select_from(outbox).where(_is_of_home(home))).scalar_one()

    def newest_outbox_seq(self, run_id: str | None = None, home: str = "") -> int:
        """The event number of the newest unarchived response of a run, or of a home; 0 if there is none."""
        newest = select(func.coalesce(func.max(outbox.c.seq), 0)).where(_is_selected(run_id, home))
        with self._connect() as connection:
            return connection.execute(newest).scalar_one()

    def outbox_responses(
        self,
        limit_bytes: int = OUTBOX_BYTES,
        run_id: str | None = None,
        home: str = "",
        *,
        until_seq: int | None = None,
        without: Collection[str] = (),
    ) -> pl.DataFrame:
        """The oldest unarchived responses of a run, or of a home (frame of `ARCHIVE["answers"]`).

        Bodies of about `limit_bytes`, and at least one response; none that is newer than event `until_seq`, none whose
        `response_id` is in `without`. `body` is null if the stored one is damaged: it does not match its hash.
        """
        selected = and_(_is_selected(run_id, home), outbox.c.response_id.not_in(without))
        if until_seq is not None:
            selected = and_(selected, outbox.c.seq <= until_seq)
        sizes = select(outbox.c.seq, outbox.c.bytes).where(selected).order_by(outbox.c.seq)
        with self._connect() as connection:
            last, total = -1, 0
            for seq, size in connection.execute(sizes):
                total += size
                if last >= 0 and total > limit_bytes:
                    break
                last = seq
            query = (
                select(
                    outbox,
                    calls.c.inn,
                    calls.c.method,
                    func.coalesce(calls.c.sent_at, calls.c.reserved_at).label("asked_at"),
                    calls.c.http_status,
                    calls.c.charged,
                    calls.c.balance,
                )
                .join(calls, calls.c.call_id == outbox.c.call_id)
                .where(and_(selected, outbox.c.seq <= last))
                .order_by(outbox.c.seq)
            )
            return _frame("answers", [_read_response(row) for row in connection.execute(query).mappings()])

    def damaged_responses(self, home: str = "") -> list[tuple[str, str, str]]:
        """Response id, method and run of a home's unarchived responses whose body does not match its hash, by arrival.

        Every body is read, one at a time.
        """
        query = (
            select(outbox, calls.c.method)
            .join(calls, calls.c.call_id == outbox.c.call_id)
            .where(_is_of_home(home))
            .order_by(outbox.c.seq)
        )
        with self._connect() as connection:
            rows = connection.execute(query, execution_options={"yield_per": 1}).mappings()
            return [(row["response_id"], row["method"], row["run_id"]) for row in rows if _read_body(row) is None]

    def run_rows(self, run_id: str | None = None) -> pl.DataFrame:
        """One run, or all by start (frame of `ARCHIVE["runs"]`)."""
        with self._connect() as connection:
            return _run_rows(connection, run_id)

    def newest_outcome_seq(self, run_id: str) -> int:
        """The event number of the newest outcome of a run's calls; 0 if there is none."""
        newest = select(func.coalesce(func.max(calls.c.resolved_seq), 0)).where(calls.c.run_id == run_id)
        with self._connect() as connection:
            return connection.execute(newest).scalar_one()

    def call_rows(self, run_id: str, *, after_seq: int = 0, until_seq: int | None = None) -> pl.DataFrame:
        """The run's calls that have an outcome, by reservation (frame of `ARCHIVE["calls"]`).

        With `until_seq` only those whose outcome was final at this event, with `after_seq` none whose outcome was: so a
        run is recorded in parts, and each call is in one of them. The outcome of a call with a usable response, which
        has no reason, is final; others may be settled by the balance of the account.
        """
        schema, kopecks = ARCHIVE["calls"], {"expected_rub": calls.c.expected, "charged_rub": calls.c.charged}
        is_selected = and_(
            calls.c.run_id == run_id,
            calls.c.state != CallState.RESERVED.value,
            or_(calls.c.resolved_seq > after_seq, calls.c.reason.is_not(None)),
        )
        if until_seq is not None:
            is_selected = and_(is_selected, calls.c.resolved_seq <= until_seq, calls.c.reason.is_(None))
        columns = [kopecks[name] if name in kopecks else calls.c[name] for name in schema]
        query = select(*columns).where(is_selected).order_by(calls.c.reserved_seq)
        stored = {name: pl.Int64() if name in kopecks else dtype for name, dtype in schema.items()}
        with self._connect() as connection:
            parts = connection.execute(query, execution_options={"yield_per": CALLS_AT_ONCE}).partitions()
            frames = [pl.DataFrame([tuple(row) for row in part], stored, orient="row") for part in parts]
        roubles = [(pl.col(name).cast(schema[name]) / 100).cast(schema[name]) for name in kopecks]
        return pl.concat([pl.DataFrame(schema=stored), *frames]).with_columns(roubles)

    def find_faults(self) -> list[str]:
        """One sentence for every damaged page and for every total that is not the sum of its calls."""
        with self._connect() as connection:
            return [*_find_damaged_pages(connection), *_find_wrong_totals(connection)]


def _is_of_home(home: str) -> ColumnElement[bool]:
    """Responses of a home's runs; homes that share a ledger have archives of their own."""
    return outbox.c.run_id.not_in(select(runs.c.run_id).where(runs.c.home != home))


def _is_selected(run_id: str | None, home: str) -> ColumnElement[bool]:
    return _is_of_home(home) if run_id is None else outbox.c.run_id == run_id


def _read_body(row: RowMapping) -> bytes | None:
    """The body of a row of the outbox; None if it is damaged."""
    try:
        body = zstandard.ZstdDecompressor().decompress(row["body"], max_output_size=max(1, row["bytes"]))
    except zstandard.ZstdError:
        return None
    return body if hashlib.sha256(body).hexdigest() == row["sha256"] else None


def _read_response(row: RowMapping) -> dict[str, Any]:
    amounts = {"charged_rub": _roubles(row["charged"]), "balance_rub": _roubles(row["balance"])}
    return {**row, "body": _read_body(row), **amounts}


def _roubles(kopecks: int | None) -> Decimal | None:
    return None if kopecks is None else Decimal(int(kopecks)).scaleb(-2)


def _frame(kind: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    schema = ARCHIVE[kind]
    return pl.DataFrame(
        {name: pl.Series(name, [row[name] for row in rows], dtype=dtype) for name, dtype in schema.items()}
    )


def _run_rows(connection: Connection, run_id: str | None) -> pl.DataFrame:
    query = (
        select(runs, func.coalesce(totals.c.settled, 0).label("charged"), func.coalesce(totals.c.unknown, 0).label("u"))
        .outerjoin(totals, and_(totals.c.scope == RUN, totals.c.period == runs.c.run_id))
        .order_by(runs.c.started_seq)
    )
    if run_id is not None:
        query = query.where(runs.c.run_id == run_id)
    rows = [
        {
            **row,
            "budget_rub": _roubles(row["budget"]),
            "charged_rub": _roubles(row["charged"]),
            "unknown_rub": _roubles(row["u"]),
        }
        for row in connection.execute(query).mappings()
    ]
    return _frame("runs", rows)


def _find_damaged_pages(connection: Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return []
    pages = connection.execute(text("PRAGMA integrity_check")).scalars().all()
    return [f"The ledger's file is damaged: {page}." for page in pages if page != "ok"]


def _find_wrong_totals(connection: Connection) -> list[str]:
    stored = {
        (row.scope, row.period): (row.reserved, row.settled, row.unknown) for row in connection.execute(select(totals))
    }
    summed: dict[tuple[str, str], tuple[int, int, int]] = {}
    for scope, column in ((RUN, calls.c.run_id), (DAY, calls.c.day), (MONTH, calls.c.month), (ALL, None)):
        sums = select(
            _sum_where(CallState.RESERVED, calls.c.expected),
            _sum_where(CallState.SETTLED, calls.c.charged),
            _sum_where(CallState.UNKNOWN, calls.c.expected),
            *(() if column is None else (column,)),
        )
        for row in connection.execute(sums if column is None else sums.group_by(column)):
            reserved, settled, unknown, *period = row
            summed[scope, period[0] if period else ""] = (int(reserved), int(settled), int(unknown))
    zeros = (0, 0, 0)
    return [
        f"The total of {' '.join(key).strip()} is {stored.get(key, zeros)} kopecks, the sum of its calls is "
        f"{summed.get(key, zeros)}."
        for key in sorted(stored.keys() | summed.keys())
        if stored.get(key, zeros) != summed.get(key, zeros)
    ]


def _sum_where(state: CallState, amount: Any) -> Any:
    return func.coalesce(func.sum(case((calls.c.state == state.value, amount), else_=0)), 0)
