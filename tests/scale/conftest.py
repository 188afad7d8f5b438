"""More than one machine, on loopback: a stand-in for an object store, a PostgreSQL server of the tests' own."""

import logging
import os
from collections.abc import Iterator
from itertools import count

import boto3
import psycopg
import pytest
from moto.server import ThreadedMotoServer

from tests.flows.conftest import _calm, few, house, portfolio, service, settling, starting  # noqa: F401 (fixtures)
from tests.support.postgres import Postgres

NUMBERS = count(1)


@pytest.fixture(scope="session")
def store() -> Iterator[dict[str, str]]:
    """An object store that speaks S3: what the environment says of it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "scale-tests-key",
        "AWS_SECRET_ACCESS_KEY": "scale-tests-secret",
        "AWS_REGION": "us-east-1",
    }
    server.stop()


@pytest.fixture
def s3(store):
    """The object store as any other program sees it."""
    return boto3.client(
        "s3",
        endpoint_url=store["AWS_ENDPOINT_URL"],
        aws_access_key_id=store["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=store["AWS_SECRET_ACCESS_KEY"],
        region_name=store["AWS_REGION"],
    )


@pytest.fixture
def bucket(s3) -> str:
    """The name of an empty bucket."""
    name = f"stock-{os.getpid()}-{next(NUMBERS)}"
    s3.create_bucket(Bucket=name)
    return name


@pytest.fixture
def reached(store, monkeypatch) -> None:
    """This process finds the object store."""
    for name, value in store.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server on a free port of loopback, its user `innspect`."""
    with Postgres() as server:
        yield server


@pytest.fixture
def ledger(postgres) -> str:
    """An empty database, as `stores.ledger` names it."""
    name = f"ledger_{next(NUMBERS)}"
    with psycopg.connect(
        f"host=127.0.0.1 port={postgres.port} user=innspect dbname=postgres", autocommit=True
    ) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    return f"postgresql+psycopg://innspect@127.0.0.1:{postgres.port}/{name}"
