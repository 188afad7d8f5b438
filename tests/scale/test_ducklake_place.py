"""`stores.warehouse` as it is typed: which lake is meant, what is wrong, and that no password is ever shown."""

from pathlib import Path

import duckdb
import pytest

from innspect.schemas.errors import SettingsError, UsageError, WarehouseError
from innspect.warehouse.extensions import load_extension, reach_object_store
from innspect.warehouse.location import Lake, warehouse_at, without_secrets

PASSWORD = "hush-hush 7"
SPELLED = (
    f"ducklake:postgres:dbname=books host=db user=innspect password='{PASSWORD}' data_path=s3://bucket/lake/",
    f"ducklake:postgres:data_path = 's3://bucket/lake' password = '{PASSWORD}' dbname=books host=db user=innspect",
    "ducklake:postgres:postgresql://innspect:hush-hush%207@db/books?sslmode=prefer&data_path=s3%3A%2F%2Fbucket%2Flake",
)


@pytest.mark.parametrize("setting", SPELLED)
def test_a_lake_is_named_in_words_or_as_a_uri(setting):
    from psycopg.conninfo import conninfo_to_dict

    lake = warehouse_at(setting)
    assert isinstance(lake, Lake)
    assert (lake.data, lake.schema) == ("s3://bucket/lake", "public")
    words = conninfo_to_dict(lake.catalogue)
    assert (words["host"], words["dbname"], words["user"], words["password"]) == ("db", "books", "innspect", PASSWORD)
    for shown in (str(lake), repr(lake), f"{lake}"):
        assert "hush" not in shown
    assert "data_path=s3://bucket/lake" in str(lake)


def test_a_folder_of_data_is_the_same_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lake = warehouse_at("ducklake:postgres:dbname=books data_path=lake metadata_schema=mine")
    assert (lake.data, lake.schema) == (str(tmp_path / "lake"), "mine")
    assert warehouse_at("folder/warehouse.duckdb") == Path("folder/warehouse.duckdb")


@pytest.mark.parametrize(
    ("rest", "word"),
    [
        ("books.ducklake", "PostgreSQL"),
        ("sqlite:books.db data_path=x", "PostgreSQL"),
        ("postgres:dbname=books", "data_path"),
        ("postgres:dbname=books data_path=gs://bucket/x", "s3://"),
        ("postgres:dbnam=books data_path=x", "dbnam"),
        ("postgres:dbname=books data_path=x metadata_schema='a;b'", "metadata_schema"),
    ],
)
def test_a_lake_that_is_not_wholly_named_is_refused_in_one_sentence(rest, word):
    with pytest.raises(SettingsError) as refused:
        warehouse_at(f"ducklake:{rest}")
    assert word in refused.value.message
    assert refused.value.message.endswith(".")
    assert refused.value.facts == {"key": "stores.warehouse"}


def test_passwords_are_taken_out_of_what_libraries_say():
    for setting in SPELLED:
        assert "hush" not in without_secrets(f'Unable to connect to Postgres at "{setting}": refused')


def test_a_catalogue_that_does_not_answer_is_told_without_its_password():
    lake = warehouse_at(f"ducklake:postgres:host=127.0.0.1 port=1 user=x password='{PASSWORD}' data_path=y")
    with pytest.raises(WarehouseError) as refused:
        lake.exists()
    assert "stores.warehouse" in refused.value.message
    assert "hush" not in refused.value.message + repr(refused.value.facts)


def test_an_extension_that_is_not_there_is_named_with_what_brings_it():
    with duckdb.connect() as connection, pytest.raises(UsageError) as refused:
        load_extension(connection, "there_is_no_such_extension")
    assert "innspect[scale]" in refused.value.message


def test_who_asks_the_object_store_is_in_memory_only_and_never_shown():
    secret = {"AWS_ACCESS_KEY_ID": "who", "AWS_SECRET_ACCESS_KEY": PASSWORD, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    with duckdb.connect() as connection:
        reach_object_store(connection, secret)
        reach_object_store(connection, secret)
        ((persistent, said),) = connection.execute("SELECT persistent, secret_string FROM duckdb_secrets()").fetchall()
        assert not persistent
        assert "127.0.0.1:9" in said
        assert "hush" not in said
        with pytest.raises(SettingsError, match="AWS_ENDPOINT_URL"):
            reach_object_store(connection, {"AWS_ENDPOINT_URL": "127.0.0.1:9"})
