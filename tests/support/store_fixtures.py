"""Fixtures of ledger, archive and PostgreSQL; `tests/conftest.py` loads them for all folders."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import psycopg
import pytest
import stamina

from tests.support.postgres import Postgres

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""The time of the fixture `ledger`."""
RETRIES = 100
DATABASE_NUMBERS = count(1)


@pytest.fixture
def ledger(tmp_path: Path):
    """A `Ledger` in SQLite with the run `run`, at `NOW`."""
    from innspect.extract.ledger.ledger import Ledger

    ledger = Ledger.open(tmp_path / "ledger.sqlite", lambda: NOW, "UTC")
    ledger.start_run("run", portfolio="p", profile="f", budget=1, at=NOW, software_version="1")
    yield ledger
    ledger.close()


@pytest.fixture
def archive(tmp_path: Path):
    """An empty `Archive` in a folder."""
    from innspect.extract.archive.archive import Archive

    return Archive(tmp_path / "archive")


@pytest.fixture
def retry_without_waiting() -> Iterator[None]:
    """Retry at most `RETRIES` times, without waiting."""
    with stamina.set_testing(True, attempts=RETRIES, cap=True):
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server on a free port of loopback, its user `innspect`."""
    with Postgres() as server:
        yield server


@pytest.fixture
def postgres_database(postgres: Postgres) -> str:
    """The name of an empty database of the server."""
    name = f"test_{next(DATABASE_NUMBERS)}"
    with psycopg.connect(postgres.conninfo(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return name


@pytest.fixture
def postgres_ledger(postgres: Postgres, postgres_database: str) -> str:
    """The URL of an empty database, as `stores.ledger` names it."""
    return postgres.ledger_url(postgres_database)
