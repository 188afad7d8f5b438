"""Fixtures of several machines, on loopback: an object store that speaks S3, and a ledger in PostgreSQL."""

import logging
import os
from collections.abc import Iterator
from itertools import count

import boto3
import pytest
from moto.server import ThreadedMotoServer

BUCKET_NUMBERS = count(1)


@pytest.fixture(scope="session")
def object_store() -> Iterator[dict[str, str]]:
    """The environment variables of an object store."""
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
def s3(object_store):
    """A client of the object store."""
    return boto3.client(
        "s3",
        endpoint_url=object_store["AWS_ENDPOINT_URL"],
        aws_access_key_id=object_store["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=object_store["AWS_SECRET_ACCESS_KEY"],
        region_name=object_store["AWS_REGION"],
    )


@pytest.fixture
def bucket(s3) -> str:
    """The name of an empty bucket."""
    name = f"stock-{os.getpid()}-{next(BUCKET_NUMBERS)}"
    s3.create_bucket(Bucket=name)
    return name


@pytest.fixture
def object_store_environment(object_store, monkeypatch) -> None:
    """The object store's variables in the environment of this process."""
    for name, value in object_store.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def lake_database(postgres, postgres_database) -> str:
    """The connection string of an empty database, for the catalogue of a lake."""
    return postgres.conninfo(postgres_database)
