"""Tables of the ledger and the engine of its database. Money is integer kopecks; instants are naive UTC."""

import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
    select,
    text,
)
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from innspect.schemas.errors import DiskFull, SettingsError, StoreError

LAYOUT_VERSION = 1
"""A table that a later version adds needs no new number: it is created on opening, and older versions ignore it."""
_BUSY_MILLISECONDS = 60_000
_PG_SCHEMA_LOCK = 7_041_919_211

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("started_at", DateTime, nullable=False),
    Column("finished_at", DateTime),
    Column("portfolio", String, nullable=False),
    Column("profile", String, nullable=False),
    Column("budget", BigInteger, nullable=False),
    Column("exit_code", Integer),
    Column("software_version", String, nullable=False),
    Column("home", String, nullable=False, index=True),
    Column("started_seq", BigInteger, nullable=False),
    Column("opening_balance", BigInteger),
)
calls = Table(
    "calls",
    metadata,
    Column("call_id", String, primary_key=True),
    Column("run_id", String, nullable=False),
    Column("inn", String, nullable=False),
    Column("method", String, nullable=False),
    Column("nth", Integer, nullable=False),
    Column("expected", BigInteger, nullable=False),
    Column("charged", BigInteger),
    Column("state", String, nullable=False),
    Column("reserved_at", DateTime, nullable=False),
    Column("sent_at", DateTime),
    Column("resolved_at", DateTime),
    Column("http_status", Integer),
    Column("reason", String),
    Column("balance", BigInteger),
    Column("day", String, nullable=False),
    Column("month", String, nullable=False),
    Column("reserved_seq", BigInteger, nullable=False),
    Column("sent_seq", BigInteger),
    Column("resolved_seq", BigInteger),
    Index("calls_asked", "run_id", "inn", "method"),
    Index("calls_state", "state"),
    Index("calls_resolved", "resolved_seq"),
)
outbox = Table(
    "outbox",
    metadata,
    Column("response_id", String, primary_key=True),
    Column("call_id", String, nullable=False),
    Column("run_id", String, nullable=False),
    Column("seq", BigInteger, nullable=False, index=True),
    Column("received_at", DateTime, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("sha256", String, nullable=False),
    Column("masked", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
totals = Table(
    "totals",
    metadata,
    Column("scope", String, primary_key=True),
    Column("period", String, primary_key=True),
    Column("reserved", BigInteger, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("unknown", BigInteger, nullable=False),
)
meter = Table(
    "meter",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("layout", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("balance", BigInteger),
    Column("balance_at", DateTime),
    Column("balance_sent_seq", BigInteger, nullable=False),
    Column("balance_seq", BigInteger, nullable=False),
)
"""One row with the account's last known balance. Every writer locks it first, so it is the ledger's lock too.

`seq` numbers events, since a clock may jump.
"""
account = Table(
    "account",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sent_seq", BigInteger, nullable=False),
    Column("received_at", DateTime, nullable=False),
    Column("text", String, nullable=False),
    Column("is_truncated", Boolean, nullable=False),
    Column("balance", BigInteger),
    Column("access_status", String),
    Column("spend_30_days", BigInteger),
)
"""One row, or none: the latest response of the method `account`."""


def open_engine(where: str | Path) -> Engine:
    """The engine of a database URL or a SQLite file; creates missing tables.

    Raises SettingsError for an invalid URL, StoreError or DiskFull for a database that cannot be opened.
    """
    if isinstance(where, Path) or "://" not in where:
        path = Path(where)
        _create_private_file(path)
        url = make_url("sqlite://").set(database=str(path))
    else:
        try:
            url = make_url(where)
        except ArgumentError:
            raise SettingsError(
                "stores.ledger is not a database URL; write one such as postgresql+psycopg://user@host/name.",
                key="stores.ledger",
            ) from None
    try:
        engine = create_engine(url, hide_parameters=True, pool_pre_ping=url.get_backend_name() != "sqlite")
    except (SQLAlchemyError, ModuleNotFoundError) as fault:
        raise SettingsError(
            f"The driver of the ledger's database is not installed ({fault}); install it or name another database.",
            key="stores.ledger",
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_transaction)
    with translate_database_errors(engine):
        _create_tables(engine)
    return engine


def _create_private_file(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives its journal files the mode of this file.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as fault:
        raise StoreError(
            f"The ledger {path} cannot be opened ({fault.strerror}); correct its permissions or name another folder "
            "with --home.",
            path=str(path),
        ) from None


def _configure_sqlite(connection: Any, _record: object) -> None:
    # `_begin_transaction` begins transactions, not the driver.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    connection.execute("PRAGMA synchronous = FULL")
    for _ in range(100):
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            return
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as fault:
            # Changing the journal mode ignores the busy timeout.
            if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(0.05)


def _begin_transaction(connection: Connection) -> None:
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _create_tables(engine: Engine) -> None:
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _PG_SCHEMA_LOCK})
        metadata.create_all(connection)
        layout = connection.execute(select(meter.c.layout)).scalar()
        if layout is None:
            connection.execute(
                insert(meter).values(id=1, layout=LAYOUT_VERSION, seq=0, balance_sent_seq=0, balance_seq=0)
            )
        elif layout != LAYOUT_VERSION:
            raise StoreError(
                f"The ledger was written by another version of innspect (layout {layout}, this version has "
                f"{LAYOUT_VERSION}); use that version, or another home folder.",
                layout=layout,
            )


@contextmanager
def translate_database_errors(engine: Engine) -> Generator[None]:
    """Raise DiskFull or StoreError in place of a database error, without passwords and bodies."""
    try:
        yield
    except DBAPIError as fault:
        name = engine.url.database if engine.dialect.name == "sqlite" else engine.url.render_as_string()
        code = getattr(fault.orig, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL or getattr(fault.orig, "sqlstate", None) == "53100":
            raise DiskFull(
                f"No space is left for the ledger {name}; free some and run again, paid responses are kept.",
                path=name,
            ) from fault
        raise StoreError(
            f"The ledger {name} cannot be used ({fault.orig}); check it with `innspect doctor`.", path=name
        ) from fault


def may_pass(error: Exception) -> bool:
    """Whether an error of `translate_database_errors` may be gone soon: all but those of a full disk."""
    return isinstance(error, StoreError) and not isinstance(error, DiskFull) and isinstance(error.__cause__, DBAPIError)
