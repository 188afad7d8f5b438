"""A copy that goes on from the one before is the one that would be made anew; else it is made anew."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.answers import INN, Answer, load
from tests.warehouse.test_publish import CARD, OTHER, STAMP, fill
from warehouse import mart_needs
from warehouse.mart_files import mart_queries
from warehouse.publish import STORAGE_VERSION, Stamp, build_copy
from warehouse.publish_again import Basis, basis_of, renew_copy
from warehouse.publish_exclude import Exclusion
from warehouse.publish_parquet import Before, write_parquet
from warehouse.store import Warehouse

NEXT = replace(STAMP, published_at=STAMP.published_at + timedelta(minutes=5))
RUN = "INSERT INTO lineage.runs (run_id, started_at, portfolio, exit_code) VALUES ('r9', '2026-11-21 09:05:00', 'p', 0)"
SEEN = "UPDATE lineage.portfolio_members SET last_seen_at = '2026-11-21 09:05:00' WHERE portfolio = 'p'"
CONTENT = {
    "tables": "SELECT schema_name, table_name, comment, sql FROM duckdb_tables() ORDER BY ALL",
    "views": "SELECT schema_name, view_name, comment, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    "columns": "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() ORDER BY ALL",
    "macros": "SELECT schema_name, function_name, macro_definition FROM duckdb_functions() WHERE NOT internal "
    "ORDER BY ALL",
}


@dataclass
class Publishing:
    """A warehouse, a copy of it, and what the next copy may go on from."""

    folder: Path
    warehouse: Warehouse
    basis: Basis

    @property
    def before(self) -> Path:
        return self.folder / "before.duckdb"

    def renewed(self, stamp: Stamp = NEXT, name: str = "short.duckdb") -> frozenset[tuple[str, str]] | None:
        done = renew_copy(self.warehouse, self.before, self.basis, self.folder / name, stamp)
        return None if done is None else done.relations

    def same_as_anew(self, stamp: Stamp = NEXT) -> frozenset[tuple[str, str]]:
        """What the short way wrote anew, once it is held against a copy made whole: every table, view and comment."""
        renewed = self.renewed(stamp)
        assert renewed is not None
        assert build_copy(self.warehouse, self.folder / "whole.duckdb", Exclusion(), stamp) == []
        short, whole = (
            duckdb.connect(str(self.folder / f"{name}.duckdb"), read_only=True) for name in ("short", "whole")
        )
        for what, query in CONTENT.items():
            assert short.execute(query).fetchall() == whole.execute(query).fetchall(), what
        before = duckdb.connect(str(self.before), read_only=True)
        for schema, name in relations(whole):
            told = rows(whole, schema, name)
            assert rows(short, schema, name) == told, name
            if (schema, name) not in renewed:
                assert rows(before, schema, name) == told, f"{name} is taken over"
        return renewed


def relations(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema <> 'information_schema'"
    ).fetchall()


def rows(connection: duckdb.DuckDBPyConnection, schema: str, name: str) -> list[tuple]:
    """Every cell as text; an age, which goes on growing, to a hundredth of a day."""
    columns = [row[0] for row in connection.execute(f'DESCRIBE {schema}."{name}"').fetchall()]
    cells = ", ".join(
        f'round("{column}", 2)::VARCHAR' if column == "age_days" else f'"{column}"::VARCHAR' for column in columns
    )
    return connection.execute(f'SELECT {cells} FROM {schema}."{name}" ORDER BY ALL').fetchall()


@pytest.fixture
def publishing(tmp_path, laid_out):
    with Warehouse(laid_out(tmp_path / "warehouse.duckdb")) as warehouse:
        fill(warehouse)
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, name, last_seen_at) "
            "VALUES ('q', ?, 'Ромашка-2', '2026-11-20 09:00:00')",
            [INN],
        )
        warehouse.connection.execute(SEEN)
        warehouse.connection.execute(
            "UPDATE lineage.portfolio_members SET last_seen_at = last_seen_at - INTERVAL 3 DAY"
        )
        build_copy(warehouse, tmp_path / "before.duckdb", Exclusion(), STAMP)
        yield Publishing(
            tmp_path, warehouse, basis_of(tmp_path / "before.duckdb", warehouse, STAMP.published_at.date())
        )


def marts(renewed: frozenset[tuple[str, str]]) -> set[str]:
    return {name for schema, name in renewed if schema == "mart"}


def test_a_run_that_asked_nothing_writes_its_own_tables_anew(publishing):
    for statement in (RUN, SEEN, "INSERT INTO lineage.rejected_inputs VALUES ('r9', 'p', 3, 'x', 'not_digits')"):
        publishing.warehouse.connection.execute(statement)
    renewed = publishing.same_as_anew()
    tables = {name for schema, name in renewed if schema == "lineage"}
    assert tables == {"published", "runs", "portfolio_members", "rejected_inputs"}
    # Those with an age are the same tables, and other Parquet.
    assert marts(renewed) == {"spend", "coverage", "risk_signals"}
    assert not {schema for schema, _ in renewed} & {"core", "current"}


def test_nothing_but_time_has_moved_on(publishing):
    assert {name for schema, name in publishing.same_as_anew() if schema == "lineage"} == {"published"}


@pytest.mark.parametrize(
    ("statement", "touched"),
    [
        # Who is the newest word on an INN is another: its name is.
        ("UPDATE lineage.portfolio_members SET last_seen_at = now()::TIMESTAMP WHERE portfolio = 'q'", "links"),
        (
            "INSERT INTO lineage.portfolio_members (portfolio, inn, name) VALUES ('p', '7707083893', 'Новый')",
            "coverage",
        ),
        (
            f"INSERT INTO lineage.calls (call_id, inn, method, state) VALUES ('c9', '{OTHER}', 'fssp', 'unknown')",
            "enforcement",
        ),
    ],
)
def test_marts_follow_what_they_rest_on(publishing, statement, touched):
    publishing.warehouse.connection.execute(statement)
    assert touched in marts(publishing.same_as_anew())


def test_the_next_copy_goes_on_from_the_sums_that_are_handed_on(publishing):
    publishing.warehouse.connection.execute(RUN)
    done = renew_copy(
        publishing.warehouse, publishing.before, publishing.basis, publishing.folder / "next.duckdb", NEXT
    )
    assert done is not None
    assert done.sums != publishing.basis.sums
    anew = basis_of(publishing.folder / "next.duckdb", publishing.warehouse, NEXT.published_at.date())
    assert done.sums == anew.sums
    # They come through a file: what is read back must be equal to what is worked out.
    assert json.loads(json.dumps(asdict(anew))) == asdict(anew)
    publishing.before.unlink()
    (publishing.folder / "next.duckdb").rename(publishing.before)
    publishing.basis = anew
    assert {name for schema, name in publishing.same_as_anew() if schema == "lineage"} == {"published"}


def test_on_another_day_what_counts_days_is_worked_out_again(publishing):
    renewed = publishing.same_as_anew(replace(NEXT, published_at=NEXT.published_at + timedelta(days=1)))
    assert {"risk_signals", "risk_score", "company_profile"} <= marts(renewed)
    assert "links" not in marts(renewed)


def an_answer(warehouse: Warehouse) -> None:
    load(warehouse, Answer("brief", {**CARD, "name": "ООО Лопух"}))


def sql(statement: str) -> Callable[[Warehouse], object]:
    return lambda warehouse: warehouse.connection.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        an_answer,
        sql(
            "UPDATE core.company SET name = 'ООО Другое' WHERE version_id = (SELECT min(version_id) FROM core.company)"
        ),
        sql("UPDATE lineage.responses SET archive_file = 'elsewhere'"),
        sql("DELETE FROM lineage.changes"),
        sql("UPDATE lineage.snapshots SET state = 'clean' WHERE block = 'freezes'"),
    ],
)
def test_where_more_has_moved_on_there_is_no_short_way(publishing, change):
    change(publishing.warehouse)
    assert publishing.renewed() is None
    assert not (publishing.folder / "short.duckdb").exists()


def test_a_copy_that_is_not_the_one_that_was_left_is_no_basis(publishing):
    assert publishing.basis.fits(publishing.before)
    assert not replace(publishing.basis, made_with="others").fits(publishing.before)
    assert not replace(publishing.basis, whole_size=publishing.basis.size // 2).fits(publishing.before)
    with duckdb.connect(str(publishing.before)) as connection:
        connection.execute("DELETE FROM core.company")
    assert not publishing.basis.fits(publishing.before)
    assert not publishing.basis.fits(publishing.folder / "none.duckdb")


def test_copy_after_copy_the_oldest_client_can_read_it(publishing):
    for number in range(3):
        publishing.warehouse.connection.execute(RUN.replace("r9", f"r{number:03}"))
        assert publishing.renewed() is not None
        (publishing.folder / "short.duckdb").replace(publishing.before)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{publishing.before}' AS copy (READ_ONLY)")
        tags = connection.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'copy'").fetchone()
        assert tags[0]["storage_version"].startswith(STORAGE_VERSION), tags
        assert connection.execute("SELECT count(*) FROM copy.lineage.runs").fetchone() == (3,)


def test_parquet_that_is_the_same_is_one_file_with_the_one_before(publishing):
    (publishing.folder / "first").mkdir()
    first = write_parquet(publishing.before, publishing.folder / "first", [])
    publishing.warehouse.connection.execute(RUN)
    renewed = publishing.renewed()
    lost = publishing.folder / "first" / "core.freezes" / "data.parquet"
    lost.write_bytes(b"short")
    for name, before in (("linked", Before(publishing.folder / "first", renewed)), ("written", None)):
        (publishing.folder / name).mkdir()
        write_parquet(publishing.folder / "short.duckdb", publishing.folder / name, [], before)
    for entry in first["tables"]:
        key = entry["schema"], entry["name"]
        linked, written = (publishing.folder / name / entry["file"] for name in ("linked", "written"))
        shared = linked.samefile(publishing.folder / "first" / entry["file"])
        assert shared == (key not in renewed and linked.parent.name != "core.freezes"), key
        if not shared or key[0] != "core":
            a, b = (duckdb.sql(f"SELECT * FROM read_parquet('{path}')") for path in (linked, written))
            assert (a.columns, a.types) == (b.columns, b.types)
            assert "age_days" in a.columns or a.fetchall() == b.fetchall(), key


def test_what_a_mart_reads_of_members_is_what_its_needs_say():
    """The plan of each mart shows the columns that it reads: when a member was last seen is only compared."""
    for name, needs in mart_needs.mart_needs().items():
        own = mart_queries()[name]
        mentions = "last_seen_at" in own and "lineage.portfolio_members" in mart_needs.ONLY_INNS.sub("", own)
        if mentions and mart_needs.SIGHT not in needs.tables:
            assert "GROUP BY inn" in own, name


def test_clocks_are_seen_in_whatever_form():
    for clock in ("now()", "current_date", "CURRENT_TIMESTAMP", "today()", "age(checked_at)", "random()", "NOW ()"):
        assert mart_needs.CLOCK.search(f"SELECT {clock} AS x"), clock
    for word in ("current.company", "current_assets", "known_now", "coverage(x)", "age_days"):
        assert not mart_needs.CLOCK.search(f"SELECT {word} AS x"), word
    assert {name for name, needs in mart_needs.mart_needs().items() if needs.moment} == set()
    assert mart_needs.mart_needs()["company_profile"].day


def test_a_stamp_is_of_its_copy(publishing):
    publishing.warehouse.connection.execute(RUN)
    publishing.renewed()
    with duckdb.connect(str(publishing.folder / "short.duckdb"), read_only=True) as connection:
        found = connection.execute("SELECT published_at, run_id FROM lineage.published").fetchall()
    assert found == [(datetime(2026, 11, 21, 9, 5), "r9")]
