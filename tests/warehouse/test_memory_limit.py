"""A limit of DuckDB's memory can be lifted for one query and holds again after it."""

import logging
from datetime import datetime
from functools import partial
from pathlib import Path

import duckdb
import pytest

from innspect.extract.archive.archive import Archive
from innspect.flows import load
from innspect.flows.policy import apply_policies
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.errors import WarehouseError
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.warehouse import database, latest
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.load import replace
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.risk import policy_store
from innspect.warehouse.risk.version_findings import refresh_findings
from tests.marts.bodies import blocks, full_check_response
from tests.support.builders import INN, Response, load_responses


def test_without_a_limit_an_inner_query_may_use_what_the_outer_limit_forbids(tmp_path: Path):
    large = "SELECT len(list(i)) AS n FROM range(10_000_000) r(i)"
    with Warehouse(tmp_path / "w.duckdb") as warehouse, warehouse.limited_memory("50MB"):
        with warehouse.limited_memory(None):
            assert warehouse.query(large)["n"].to_list() == [10_000_000]
        with pytest.raises(duckdb.OutOfMemoryException):
            warehouse.query(large)


def test_limit_below_what_is_in_use_does_not_fail(tmp_path: Path):
    with Warehouse(tmp_path / "w.duckdb") as warehouse:
        warehouse.connection.execute("SET temp_directory = ''")
        warehouse.connection.execute("CREATE TEMP TABLE large AS SELECT hash(range) AS value FROM range(5_000_000)")
        with pytest.raises(duckdb.OutOfMemoryException):
            warehouse.connection.execute("SET memory_limit = '5MB'")
        shown = "SELECT current_setting('memory_limit') AS now"
        with warehouse.limited_memory("900MB"):
            assert not warehouse.fits_into("5MB")
            assert warehouse.query(shown)["now"].to_list() == ["858.3 MiB"]
            assert warehouse.fits_into("800MB")
            assert warehouse.query(shown)["now"].to_list() == ["858.3 MiB"]
        with warehouse.limited_memory("5MB"):
            assert warehouse.query("SELECT count(*) AS n FROM large")["n"].to_list() == [5_000_000]
        with warehouse.transaction():
            warehouse.set_memory_limit("5MB")
            warehouse.connection.execute("CREATE TABLE small AS SELECT 1 AS value")
        assert warehouse.query("SELECT value FROM small")["value"].to_list() == [1]


def test_a_limit_that_ends_leaves_the_one_before_it(warehouse):
    shown = "SELECT current_setting('memory_limit')"
    own = warehouse.query(shown).item()
    with warehouse.limited_memory("300MB"):
        limited = warehouse.query(shown).item()
        for _ in range(20):
            with warehouse.limited_memory("200MB"), warehouse.limited_memory(None):
                assert float(warehouse.query(shown).item().split()[0]) > float(own.split()[0]) - 0.2
        assert warehouse.query(shown).item() == limited
    assert float(warehouse.query(shown).item().split()[0]) > float(own.split()[0]) - 0.2


def test_transaction_that_does_not_fit_is_repeated_with_higher_limits_and_without_one(
    tmp_path: Path, caplog, monkeypatch
):
    limits: list[str] = []
    with Warehouse(tmp_path / "w.duckdb") as warehouse:

        def write(rows: int) -> None:
            limits.append(warehouse.query("SELECT current_setting('memory_limit') AS now")["now"].item())
            with warehouse.transaction() as connection:
                connection.execute(f"CREATE TABLE large AS SELECT len(list(i)) AS n FROM range({rows}) r(i)")

        with caplog.at_level(logging.WARNING, "innspect"):
            warehouse.run_in_bounds(partial(write, 10_000_000), "50MB", is_threaded=True)
        assert warehouse.query("SELECT n FROM large")["n"].to_list() == [10_000_000]
        assert limits == ["47.6 MiB", "524.5 MiB"]
        ((event, fields),) = [(record.getMessage(), record.__dict__["fields"]) for record in caplog.records]
        assert (event, fields["limit"]) == ("memory_limit.lifted", "50MB")
        assert fields["error"].startswith("Out of Memory Error")
        with pytest.raises(WarehouseError, match="already exists"):
            warehouse.run_in_bounds(partial(write, 1), "50GB")
        assert len(limits) == 3
        warehouse.connection.execute("DROP TABLE large")
        limits.clear()
        monkeypatch.setattr(database, "RAISED_MEMORY_LIMITS", ("50MB", "60MB", "70MB"))
        warehouse.run_in_bounds(partial(write, 10_000_000), "50MB", is_threaded=True)
        own = warehouse.query("SELECT current_setting('memory_limit') AS now")["now"].item()
        assert limits == ["47.6 MiB", "57.2 MiB", "66.7 MiB", own]
        assert warehouse.query("SELECT n FROM large")["n"].to_list() == [10_000_000]


@pytest.mark.long
def test_commits_that_the_limit_of_memory_ended_are_recognised(tmp_path: Path):
    """What DuckDB itself says, from the lowest limit on that it accepts."""
    copy, kinds = tmp_path / "copy.duckdb", set[type[duckdb.Error]]()
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        connection.execute(f"SET threads = 1; SET temp_directory = ''; ATTACH '{copy}' AS copy")
        connection.execute("SET checkpoint_threshold = '1KB'")
        connection.execute(
            "CREATE TABLE copy.t AS SELECT range AS a, md5(range::VARCHAR) AS b, md5(b) AS c FROM range(3_000_000)"
        )
        for megabytes in range(20, 90):
            if len(kinds) == 2:
                break
            connection.execute("BEGIN")
            connection.execute("DELETE FROM copy.t WHERE a % 100 = 1")
            connection.execute("INSERT INTO copy.t SELECT range, md5(range::VARCHAR), '' FROM range(300_000)")
            try:
                connection.execute(f"SET memory_limit = '{megabytes}MB'")
                connection.execute("COMMIT")
            except duckdb.OutOfMemoryException:
                # The limit is refused.
                connection.execute("ROLLBACK")
            except duckdb.Error as error:
                assert database.exceeds_memory(error), error
                kinds.add(type(error))
            connection.execute("RESET memory_limit")
            connection.execute("DETACH copy")
            connection.execute(f"ATTACH '{copy}' AS copy")
    assert kinds == {duckdb.TransactionException, duckdb.IOException}


def test_other_errors_of_commits_are_no_refusals_of_memory():
    assert not database.exceeds_memory(None)
    assert not database.exceeds_memory(duckdb.TransactionException("Failed to commit: write-write conflict"))
    assert not database.exceeds_memory(duckdb.IOException("Could not write file: No space left on device"))
    assert not database.exceeds_memory(ValueError("failed to pin block of size 256.0 KiB"))


def test_a_higher_limit_of_memory_is_not_lowered(warehouse):
    limits: list[str | None] = []
    for outer in ("400MB", "550MB", None):
        with warehouse.limited_memory(outer), warehouse.least_memory("420MB"):
            limits.append(warehouse.query("SELECT current_setting('memory_limit')").item())
    assert limits[:2] == ["400.5 MiB", "524.5 MiB"]
    assert limits[2].endswith("GiB")


@pytest.mark.parametrize("change", ["software", "policy"])
@pytest.mark.long
def test_rows_of_all_inns_are_stored_again_within_a_limit_of_memory_that_rises(tmp_path: Path, monkeypatch, change):
    """After an update of the software or an edit of the policy; without a limit 100,000 INNs take 1 to 2 GB."""
    limits: list[str] = []

    def refuse_once(connection: duckdb.DuckDBPyConnection, **options: bool) -> None:
        limits.append(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
        if len(limits) == 1:
            raise duckdb.OutOfMemoryException("Out of Memory Error: failed to pin block of size 256.0 KiB")
        refresh_findings(connection, **options)

    with Warehouse(tmp_path / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, full_check_response(INN, blocks(company={"authorized_capital": 10000})))
        findings = warehouse.query("FROM lineage.findings ORDER BY ALL").rows()
        assert findings
        if change == "software":
            warehouse.connection.execute(f"UPDATE lineage.{FINGERPRINT_TABLE} SET fingerprint = 'of other software'")
            warehouse.connection.execute("DELETE FROM lineage.findings")
    monkeypatch.setattr(database, "refresh_findings", refuse_once)
    monkeypatch.setattr(policy_store, "refresh_findings", refuse_once)
    with Warehouse(tmp_path / "warehouse.duckdb") as warehouse:
        if change == "policy":
            shipped, path = built_in_file().read_text("utf-8"), tmp_path / "risk.toml"
            path.write_text(shipped.replace("limits.amount_rub = 10000\n", "limits.amount_rub = 10001\n"), "utf-8")
            assert apply_policies(warehouse, Archive(tmp_path / "archive"), load_policies(path), datetime(2026, 11, 28))
        again = warehouse.query("FROM lineage.findings ORDER BY ALL")
        assert limits == ["305.1 MiB", "524.5 MiB"]
        assert warehouse.query("SELECT current_setting('memory_limit')").item().endswith("GiB")
    if change == "software":
        assert again.rows() == findings
    assert again.height == len(findings)


def test_limits_rise(monkeypatch):
    monkeypatch.setattr(database, "RAISED_MEMORY_LIMITS", ("550MB", "1100MB"))
    assert database.rising_limits("450MB") == ("450MB", "550MB", "1100MB")
    assert database.rising_limits("550MB") == ("550MB", "1100MB")
    assert database.rising_limits("1GB") == ("1GB", "1100MB")
    assert database.rising_limits("50GB") == ("50GB",)


@pytest.mark.long
def test_readers_use_temporary_files_of_their_own_and_no_limit_where_these_are_not_enough(tmp_path: Path):
    path = tmp_path / "w.duckdb"
    with Warehouse(path):
        pass
    setting = "SELECT current_setting('memory_limit') AS limit, current_setting('temp_directory') AS folder"
    with Warehouse(path, read_only=True) as warehouse:
        folder = Path(warehouse.query(setting)["folder"].item())
        limits: list[str] = []

        def read(query: str) -> int:
            limits.append(warehouse.query(setting)["limit"].item())
            warehouse.connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}")
            return warehouse.query("SELECT count(*) AS n FROM result")["n"].item()

        sort = "SELECT md5(range::VARCHAR) AS a, md5(a) AS b FROM range(1_500_000) ORDER BY a"
        assert warehouse.run_in_bounds(lambda: read(sort), "100MB") == 1_500_000
        assert limits == ["95.3 MiB"]
        assert folder.exists()
        gather = "SELECT list(i) AS all FROM range(14_000_000) r(i)"
        assert warehouse.run_in_bounds(lambda: read(gather), "100MB") == 1
        assert limits[1] == "95.3 MiB"
        assert limits[2] != "95.3 MiB"
        with Warehouse(path, read_only=True) as other:
            assert other.query(setting)["folder"].item() == str(folder)
    assert not folder.exists()
    with Warehouse(path, read_only=True) as later:
        assert later.query(setting)["folder"].item() != str(folder)


def test_limit_grows_with_the_number_of_very_many_inns(warehouse, monkeypatch):
    load_responses(
        warehouse, *(Response("msp", {"status": "loaded", "record": None}, inn) for inn in sample_inns(3, 1))
    )
    least, least_of_loads = replace.ASSESSMENT_MEGABYTES, load.LOADING_MEGABYTES
    assert replace.assessment_limit(warehouse) == f"{least}MB"
    assert load.loading_limit(warehouse) == f"{least_of_loads}MB"
    monkeypatch.setattr(latest, "MANY_INNS", 1)
    monkeypatch.setattr(latest, "BYTES_PER_INN", 7_000_000)
    assert replace.assessment_limit(warehouse) == f"{least + 14}MB"
    assert load.loading_limit(warehouse) == f"{least_of_loads + 14}MB"
    assert refresh_risk(warehouse) is not None
    assert refresh_links(warehouse)
