"""`stores.warehouse`: the lake that it names, errors, and passwords that are never shown."""

from pathlib import Path

import duckdb
import pytest

from innspect.schemas.errors import SettingsError, UsageError, WarehouseError
from innspect.warehouse.extensions import configure_object_store, load_extension
from innspect.warehouse.lake import LakeLocation, mask_passwords
from innspect.warehouse.location import parse_location

PASSWORD = "hush-hush 7"
SETTINGS = (
    f"ducklake:postgres:dbname=books host=db user=innspect password='{PASSWORD}' data_path=s3://bucket/lake/",
    f"ducklake:postgres:data_path = 's3://bucket/lake' password = '{PASSWORD}' dbname=books host=db user=innspect",
    "ducklake:postgres:postgresql://innspect:hush-hush%207@db/books?sslmode=prefer&data_path=s3%3A%2F%2Fbucket%2Flake",
)


@pytest.mark.parametrize("setting", SETTINGS)
def test_lake_is_named_by_keywords_or_by_a_uri(setting):
    from psycopg.conninfo import conninfo_to_dict

    lake = parse_location(setting)
    assert isinstance(lake, LakeLocation)
    assert (lake.data, lake.schema) == ("s3://bucket/lake", "public")
    words = conninfo_to_dict(lake.dsn)
    assert (words["host"], words["dbname"], words["user"], words["password"]) == ("db", "books", "innspect", PASSWORD)
    for shown in (str(lake), repr(lake), f"{lake}"):
        assert "hush" not in shown
    assert "data_path=s3://bucket/lake" in str(lake)


def test_data_folder_is_resolved_against_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lake = parse_location("ducklake:postgres:dbname=books data_path=lake metadata_schema=mine")
    assert (lake.data, lake.schema) == (str(tmp_path / "lake"), "mine")
    assert parse_location("folder/warehouse.duckdb") == Path("folder/warehouse.duckdb")


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
def test_incomplete_setting_is_rejected_in_one_sentence(rest, word):
    with pytest.raises(SettingsError) as refused:
        parse_location(f"ducklake:{rest}")
    assert word in refused.value.message
    assert refused.value.message.endswith(".")
    assert refused.value.facts == {"key": "stores.warehouse"}


def test_passwords_are_removed_from_messages_of_libraries():
    for setting in SETTINGS:
        assert "hush" not in mask_passwords(f'Unable to connect to Postgres at "{setting}": refused')


def test_unreachable_catalogue_is_reported_without_its_password():
    lake = parse_location(f"ducklake:postgres:host=127.0.0.1 port=1 user=x password='{PASSWORD}' data_path=y")
    with pytest.raises(WarehouseError) as refused:
        lake.exists()
    assert "stores.warehouse" in refused.value.message
    assert "hush" not in refused.value.message + repr(refused.value.facts)


def test_missing_extension_is_reported_with_the_extra_to_install():
    with duckdb.connect() as connection, pytest.raises(UsageError) as refused:
        load_extension(connection, "there_is_no_such_extension")
    assert "innspect[scale]" in refused.value.message


def test_object_store_credentials_are_kept_in_memory_only():
    secret = {"AWS_ACCESS_KEY_ID": "who", "AWS_SECRET_ACCESS_KEY": PASSWORD, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    with duckdb.connect() as connection:
        configure_object_store(connection, secret)
        configure_object_store(connection, secret)
        ((persistent, secret_string),) = connection.execute(
            "SELECT persistent, secret_string FROM duckdb_secrets()"
        ).fetchall()
        assert not persistent
        assert "127.0.0.1:9" in secret_string
        assert "hush" not in secret_string
        with pytest.raises(SettingsError, match="AWS_ENDPOINT_URL"):
            configure_object_store(connection, {"AWS_ENDPOINT_URL": "127.0.0.1:9"})
