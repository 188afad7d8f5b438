"""What the ledger tells: answers for the archive, runs and calls as frames, figures for the screen. Reads only."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import zstandard
from sqlalchemy import ColumnElement, Connection, and_, case, func, select, text
from sqlalchemy.engine import RowMapping

from innspect.extract.ledger.tables import calls, meter, outbox, runs, totals
from innspect.extract.ledger.transaction import ALL, DAY, MONTH, RUN
from innspect.extract.service.charging import State
from innspect.schemas.errors import StoreError
from innspect.schemas.lineage import ARCHIVE


@dataclass(frozen=True, slots=True)
class Figures:
    """Money in kopecks, of all runs together. `balance` is the last that the service named, at `balance_at` (UTC).

    `outbox` counts answers that are not archived, `outbox_bytes` their bodies; `unfinished` are the runs that have no
    end yet (going on, or killed), oldest first; `last_run` is the newest (a row of `ARCHIVE["runs"]`), None without.
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
    """Money of one run in kopecks. `calls` are those that reached the service, as far as is known."""

    settled: int
    unknown: int
    reserved: int
    calls: int
    unknown_calls: int


def run_figures(connection: Connection, run_id: str) -> RunFigures:
    """The figures of one run; zeros for a run without calls."""
    total = (
        connection.execute(select(totals).where(and_(totals.c.scope == RUN, totals.c.period == run_id)))
        .mappings()
        .one_or_none()
    )
    counted = select(calls.c.state, func.count().label("calls"))
    by_state = counted.where(calls.c.run_id == run_id).group_by(calls.c.state)
    counts: dict[str, int] = {row.state: row.calls for row in connection.execute(by_state)}
    return RunFigures(
        settled=0 if total is None else total["settled"],
        unknown=0 if total is None else total["unknown"],
        reserved=0 if total is None else total["reserved"],
        calls=sum(count for state, count in counts.items() if state not in (State.RESERVED, State.RELEASED)),
        unknown_calls=counts.get(State.UNKNOWN, 0),
    )


def _of_home(home: str) -> ColumnElement[bool]:
    """Answers of a home's runs: those of another home that shares the ledger are for its archive alone."""
    return outbox.c.run_id.not_in(select(runs.c.run_id).where(runs.c.home != home))


def waiting(connection: Connection, home: str) -> int:
    """How many answers of a home wait."""
    return connection.execute(select(func.count()).select_from(outbox).where(_of_home(home))).scalar_one()


def outbox_answers(connection: Connection, limit_bytes: int, run_id: str | None, home: str) -> pl.DataFrame:
    """The oldest answers, up to about that many bytes and at least one (frame of `ARCHIVE["answers"]`)."""
    ours = _of_home(home) if run_id is None else outbox.c.run_id == run_id
    last, taken = -1, 0
    for seq, size in connection.execute(select(outbox.c.seq, outbox.c.bytes).where(ours).order_by(outbox.c.seq)):
        taken += size
        if last >= 0 and taken > limit_bytes:
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
        .where(and_(ours, outbox.c.seq <= last))
        .order_by(outbox.c.seq)
    )
    return _frame("answers", [_unpacked(row) for row in connection.execute(query).mappings()])


def _unpacked(row: RowMapping) -> dict[str, Any]:
    try:
        body = zstandard.ZstdDecompressor().decompress(row["body"], max_output_size=max(1, row["bytes"]))
    except zstandard.ZstdError:
        body = None
    if body is None or hashlib.sha256(body).hexdigest() != row["sha256"]:
        raise StoreError(
            f"The answer {row['response_id']} in the ledger's outbox is damaged; restore the ledger from a copy.",
            response_id=row["response_id"],
        )
    return {**row, "body": body, "charged_rub": roubles(row["charged"]), "balance_rub": roubles(row["balance"])}


def roubles(kopecks: int | None) -> Decimal | None:
    """Kopecks as exact roubles."""
    return None if kopecks is None else Decimal(int(kopecks)).scaleb(-2)


def _frame(kind: str, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    schema = ARCHIVE[kind]
    columns = {name: pl.Series(name, [row[name] for row in rows], dtype=dtype) for name, dtype in schema.items()}
    return pl.DataFrame(columns)


def run_rows(connection: Connection, run_id: str | None) -> pl.DataFrame:
    """Runs by start (frame of `ARCHIVE["runs"]`)."""
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
            "budget_rub": roubles(row["budget"]),
            "charged_rub": roubles(row["charged"]),
            "unknown_rub": roubles(row["u"]),
        }
        for row in connection.execute(query).mappings()
    ]
    return _frame("runs", rows)


def call_rows(connection: Connection, run_id: str) -> pl.DataFrame:
    """Resolved calls by reservation (frame of `ARCHIVE["calls"]`)."""
    resolved = and_(calls.c.run_id == run_id, calls.c.state != State.RESERVED.value)
    query = select(calls).where(resolved).order_by(calls.c.reserved_seq)
    rows = [
        {**row, "expected_rub": roubles(row["expected"]), "charged_rub": roubles(row["charged"])}
        for row in connection.execute(query).mappings()
    ]
    return _frame("calls", rows)


def figures(connection: Connection) -> Figures:
    """The figures of `status`."""
    whole = connection.execute(select(totals).where(totals.c.scope == ALL)).mappings().one_or_none()
    account = connection.execute(select(meter)).mappings().one()
    unknown = select(func.count()).select_from(calls).where(calls.c.state == State.UNKNOWN.value)
    waiting = connection.execute(select(func.count(), func.coalesce(func.sum(outbox.c.bytes), 0)).select_from(outbox))
    count, size = waiting.one()
    open_runs = select(runs.c.run_id).where(runs.c.finished_at.is_(None)).order_by(runs.c.started_seq)
    last = connection.execute(select(runs.c.run_id).order_by(runs.c.started_seq.desc()).limit(1)).scalar()
    return Figures(
        settled=0 if whole is None else whole["settled"],
        unknown=0 if whole is None else whole["unknown"],
        reserved=0 if whole is None else whole["reserved"],
        balance=account["balance"],
        balance_at=account["balance_at"],
        unknown_calls=connection.execute(unknown).scalar_one(),
        outbox=count,
        outbox_bytes=int(size),
        unfinished=tuple(connection.execute(open_runs).scalars()),
        last_run=None if last is None else run_rows(connection, last).row(0, named=True),
    )


def faults(connection: Connection) -> list[str]:
    """One sentence for every total that is not the sum of its calls, and for a file with bad pages."""
    found: list[str] = []
    if connection.dialect.name == "sqlite":
        pages = connection.execute(text("PRAGMA integrity_check")).scalars().all()
        found += [f"The ledger's file is damaged: {page}." for page in pages if page != "ok"]
    stored = {
        (row.scope, row.period): (row.reserved, row.settled, row.unknown) for row in connection.execute(select(totals))
    }
    summed: dict[tuple[str, str], tuple[int, int, int]] = {}
    for scope, column in ((RUN, calls.c.run_id), (DAY, calls.c.day), (MONTH, calls.c.month), (ALL, None)):
        sums = select(
            _sum_where(State.RESERVED, calls.c.expected),
            _sum_where(State.SETTLED, calls.c.charged),
            _sum_where(State.UNKNOWN, calls.c.expected),
            *(() if column is None else (column,)),
        )
        query = sums if column is None else sums.group_by(column)
        for row in connection.execute(query):
            reserved, settled, unknown, *period = row
            summed[scope, period[0] if period else ""] = (int(reserved), int(settled), int(unknown))
    for key in sorted(stored.keys() | summed.keys()):
        nothing = (0, 0, 0)
        if stored.get(key, nothing) != summed.get(key, nothing):
            found.append(
                f"The total of {' '.join(key).strip()} is {stored.get(key, nothing)} kopecks, its calls come to "
                f"{summed.get(key, nothing)}."
            )
    return found


def _sum_where(state: State, amount: Any) -> Any:
    return func.coalesce(func.sum(case((calls.c.state == state.value, amount), else_=0)), 0)
