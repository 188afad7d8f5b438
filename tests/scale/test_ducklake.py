"""A warehouse in DuckLake has the same rows as one in a file, also with concurrent writers."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from innspect.extract.failpoints import failpoint
from innspect.flows.load import load_batch, load_responses
from innspect.sandbox.response_cache import ResponseCache
from innspect.schemas.errors import SettingsError, WarehouseError
from innspect.schemas.tables import tables
from innspect.transforms.pipeline import transform
from innspect.transforms.split import split_responses
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import identifier
from innspect.warehouse.lake import ConcurrentWriteError, LakeLocation, LakeWarehouse
from innspect.warehouse.location import parse_location
from innspect.warehouse.marts.registry import mart_comments
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.publish import lake_mirror
from innspect.warehouse.publish.lake_mirror import find_current_mirror, open_mirror
from innspect.warehouse.publish.replace_lake import replace_lake
from tests.sandbox.samples import DAY
from tests.support.builders import CONVENTIONS, FIRST, MOSCOW, Response, response_frame
from tests.support.cli import COMPANIES, PERSONS

MOMENTS = (FIRST - timedelta(days=1), FIRST + timedelta(hours=1), FIRST + timedelta(days=400))


@pytest.fixture
def lake(lake_database, tmp_path):
    return parse_location(f"ducklake:postgres:{lake_database} data_path={tmp_path / 'lake'} metadata_schema=books")


def replace(lake: LakeLocation, archive: Path) -> AbstractContextManager[Warehouse]:
    return replace_lake(lake, archive, mirror_of(lake), failpoint)


def mirror_of(lake: LakeLocation) -> Path:
    return Path(f"{lake.data}-mirror.duckdb")


def make_responses(day: int, inns: list[str], at: datetime) -> list[Response]:
    """Full checks of companies and cards of persons on a day of the sandbox."""
    bodies = ResponseCache(0, DAY + day, 1 << 20)
    return [
        Response(method, bodies.body(inn, method).payload, inn, asked_at=at, name=f"{at:%j}{inn}{method}")
        for inn in inns
        for method in (("full-check",) if len(inn) == 10 else ("person-brief", "person-fssp"))
    ]


def make_day(day: int, inns: list[str]) -> tuple[str, list[Response]]:
    at = FIRST + timedelta(days=day)
    return f"answers/{day}.parquet", make_responses(day, inns, at)


DAYS = [
    make_day(0, [*COMPANIES[:2], PERSONS[0]]),
    make_day(30, COMPANIES[:2]),
    make_day(200, [COMPANIES[0], PERSONS[0]]),
]


def load_days(warehouse: Warehouse, *days) -> None:
    for file, answers in days or DAYS:
        load_responses(warehouse, response_frame(answers, file=file), CONVENTIONS)


def read_all_tables(warehouse: Warehouse) -> dict[str, list]:
    """Every row of every table and view, and of some macros; without ages and the time of the judgement, which change with the clock."""
    found = {}
    names = [f"lineage.{name}" for name in ("responses", "snapshots", "versions", "changes", "violations", "drift")]
    names += [f"{schema}.{identifier(name)}" for name in tables() for schema in ("core", "current")]
    for name in names:
        found[name] = sorted(map(repr, warehouse.connection.execute(f"FROM {name}").fetchall()))
    for name, (_, columns) in mart_comments().items():
        kept = ", ".join(identifier(column) for column in columns if column not in ("age_days", "assessed_at"))
        found[name] = sorted(map(repr, warehouse.connection.execute(f"SELECT {kept} FROM mart.{name}").fetchall()))
    for moment in MOMENTS:
        for name in ("company", "fssp", "arbitration__cases", "risk_flags"):
            query = f"FROM as_of.{name}(TIMESTAMP '{moment}')"
            found[f"{name} {moment}"] = sorted(map(repr, warehouse.connection.execute(query).fetchall()))
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict:
    """The rows of a warehouse in a file that was loaded with the same responses."""
    with Warehouse(tmp_path_factory.mktemp("plain") / "warehouse.duckdb") as warehouse:
        load_days(warehouse)
        return read_all_tables(warehouse)


@pytest.mark.long
def test_same_responses_give_the_same_tables(lake, expected):
    assert not lake.exists()
    with LakeWarehouse(lake) as warehouse:
        load_days(warehouse)
        load_days(warehouse)
    assert lake.exists()
    with LakeWarehouse(lake, read_only=True) as reader:
        found = read_all_tables(reader)
        assert [name for name in expected if found[name] != expected[name]] == []
        assert expected["lineage.changes"]
        with pytest.raises(Exception, match="read-only"):
            reader.connection.execute("DELETE FROM lineage.responses")


@pytest.mark.long
def test_concurrent_loads_of_the_same_responses_load_them_once(lake, expected):
    """The second writer has lost its lock without notice: its commit is refused, and all rows are there already."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(LakeWarehouse(lake)) for _ in range(2))
        load_days(one, DAYS[0])
        batches = []

        def work() -> None:
            answers = response_frame(DAYS[1][1], file=DAYS[1][0])
            batches.append(load_batch(one, transform(split_responses(answers), MOSCOW)))
            # A writer that lost its lock does not notice.
            other._holds_write_lock = True
            load_days(other, DAYS[1])

        with pytest.raises(ConcurrentWriteError) as refused, one.transaction():
            work()
        assert "again" in refused.value.message
        assert batches[0].loaded.snapshots > 0
        other._holds_write_lock = False
        load_days(one, DAYS[1])
        load_days(other, DAYS[2])
        load_days(one, DAYS[2])
    with LakeWarehouse(lake, read_only=True) as reader:
        assert read_all_tables(reader) == expected


@pytest.mark.long
def test_write_is_retried_after_a_concurrent_write(lake):
    with ExitStack() as stack:
        one, other = (stack.enter_context(LakeWarehouse(lake)) for _ in range(2))
        tries = []

        def work() -> str:
            runs = one.query("SELECT run_id FROM lineage.runs ORDER BY 1")["run_id"].to_list()
            tries.append(runs)
            if len(tries) == 1:
                other._holds_write_lock = True
                other.run_in_transaction(
                    lambda: other.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('other')")
                )
            one.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('one')")
            return "done"

        assert one.run_in_transaction(work) == "done"
        assert tries == [[], ["other"]]
        assert one.query("SELECT run_id FROM lineage.runs ORDER BY 1")["run_id"].to_list() == ["one", "other"]


@pytest.mark.long
def test_failed_write_is_rolled_back(lake, tmp_path):
    with LakeWarehouse(lake) as warehouse:

        def half() -> None:
            warehouse.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('half')")
            warehouse.connection.execute("INSERT INTO lineage.no_such_table VALUES (1)")

        with pytest.raises(WarehouseError) as refused:
            warehouse.run_in_transaction(half)
        assert "no_such_table" in refused.value.message
        assert warehouse.query("FROM lineage.runs").is_empty()
        load_days(warehouse, DAYS[2])
        assert warehouse.query("FROM lineage.responses").height == len(DAYS[2][1])


@pytest.mark.long
def test_lake_of_older_declarations_is_migrated_without_loss(lake):
    with LakeWarehouse(lake) as warehouse:
        load_days(warehouse, DAYS[2])
        warehouse.connection.execute('DROP VIEW "current".company')
        warehouse.connection.execute("ALTER TABLE core.company DROP COLUMN okved_name")
        warehouse.connection.execute(f"DELETE FROM lineage.{identifier(FINGERPRINT_TABLE)}")
        names = warehouse.query("SELECT name FROM core.company")
    with LakeWarehouse(lake) as warehouse:
        assert warehouse.added_columns == ["core.company.okved_name"]
        assert warehouse.query("SELECT name FROM current.company").equals(names)
        warehouse.connection.execute("ALTER TABLE core.company ADD COLUMN stranger INTEGER")
        warehouse.connection.execute(f"DELETE FROM lineage.{identifier(FINGERPRINT_TABLE)}")
    with pytest.raises(WarehouseError, match="innspect rebuild"):
        LakeWarehouse(lake)


@pytest.mark.long
def test_lake_never_touches_other_files(lake, tmp_path):
    """DuckLake removes unreferenced files, so a lake starts in an empty folder outside the archive."""
    (tmp_path / "lake" / "answers").mkdir(parents=True)
    foreign = tmp_path / "lake" / "answers" / "sealed.parquet"
    foreign.write_bytes(b"another file")
    for archive in (tmp_path / "lake" / "archive", tmp_path / "lake", tmp_path):
        with pytest.raises(SettingsError, match="one inside the other"):
            LakeWarehouse(lake, archive)
        with pytest.raises(SettingsError, match="one inside the other"), replace(lake, archive):
            pytest.fail("it was opened")
    with pytest.raises(SettingsError, match="contains files"):
        LakeWarehouse(lake, tmp_path / "archive")
    assert foreign.read_bytes() == b"another file"
    foreign.unlink()
    with LakeWarehouse(lake, tmp_path / "archive") as warehouse:
        warehouse.connection.execute("CREATE SCHEMA analysis")
        warehouse.connection.execute("CREATE TABLE analysis.mine AS SELECT 7 AS a")
    with replace(lake, tmp_path / "archive"):
        pass
    with LakeWarehouse(lake, read_only=True) as warehouse:
        assert warehouse.query("FROM analysis.mine")["a"].to_list() == [7]


@pytest.mark.long
def test_rebuild_gives_the_same_rows_and_removes_old_files(lake, expected, tmp_path):
    stranger = "ALTER TABLE core.company ADD COLUMN stranger INTEGER"
    with LakeWarehouse(lake) as warehouse:
        load_days(warehouse, DAYS[0])
        warehouse.connection.execute(stranger)
    before = set((tmp_path / "lake").rglob("*.parquet"))
    # A killed loader leaves a file that no commit references.
    torn = tmp_path / "lake" / "core" / "company" / "ducklake-torn.parquet"
    torn.write_bytes(next(iter(before)).read_bytes())
    with LakeWarehouse(lake, read_only=True) as reader:
        with replace(lake, tmp_path / "archive") as warehouse:
            for file, answers in DAYS:
                load_batch(warehouse, transform(split_responses(response_frame(answers, file=file)), MOSCOW))
            assert reader.query("FROM lineage.responses").height == len(DAYS[0][1])
        assert read_all_tables(reader) == expected
    left = set((tmp_path / "lake").rglob("*.parquet"))
    assert left
    assert not left & (before | {torn})


@pytest.mark.long
def test_rebuild_leaves_a_mirror_that_follows_the_lake(lake, expected, tmp_path, monkeypatch):
    path = mirror_of(lake)
    with replace(lake, tmp_path / "archive") as warehouse:
        for file, answers in DAYS:
            load_batch(warehouse, transform(split_responses(response_frame(answers, file=file)), MOSCOW))
    monkeypatch.setattr(lake_mirror, "_create", lambda *_: pytest.fail("it is built from nothing"))
    with LakeWarehouse(lake) as warehouse:
        mirror = find_current_mirror(warehouse, path)
        assert mirror is not None
        with mirror:
            assert read_all_tables(mirror) == expected
        with monkeypatch.context() as patch:
            patch.setattr(lake_mirror, "copy_software", lambda: "of another version")
            assert find_current_mirror(warehouse, path) is None
        load_days(warehouse, make_day(201, COMPANIES[1:2]))
        assert find_current_mirror(warehouse, path) is None, "the lake has more"
        with hold_open(path), open_mirror(warehouse, path) as mirror:
            assert find_current_mirror(warehouse, path) is None, "it is being written"
            followed = read_all_tables(mirror)
        assert followed != expected
        assert followed == read_all_tables(warehouse)


@pytest.mark.long
def test_rebuild_keeps_what_others_wrote_if_its_lock_was_lost(lake, tmp_path):
    def rebuild_while_another_writes() -> None:
        with replace(lake, tmp_path / "archive"):
            other._holds_write_lock = True
            load_days(other, DAYS[0])

    with LakeWarehouse(lake) as other:
        with pytest.raises(ConcurrentWriteError, match="innspect rebuild"):
            rebuild_while_another_writes()
        other._holds_write_lock = False
        assert other.query("FROM lineage.responses").height == len(DAYS[0][1])
    assert list(tmp_path.glob("lake-mirror*")) == []


@contextmanager
def hold_open(path: Path) -> Iterator[None]:
    """Another process that reads a file."""
    words = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); print(1, flush=True); input()"
    command = [sys.executable, "-c", words, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout.readline()
        yield
        reader.communicate(b"\n")
    assert reader.returncode == 0


@pytest.mark.long
def test_failed_rebuild_keeps_the_old_warehouse(lake, expected, tmp_path):
    with LakeWarehouse(lake) as warehouse:
        load_days(warehouse)

    def half() -> None:
        with replace(lake, tmp_path / "archive") as warehouse:
            load_batch(warehouse, transform(split_responses(response_frame(DAYS[0][1])), MOSCOW))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    with LakeWarehouse(lake) as warehouse:
        assert read_all_tables(warehouse) == expected


@pytest.mark.long
def test_compaction_keeps_the_rows_in_fewer_files(lake, expected, tmp_path):
    with LakeWarehouse(lake) as warehouse:
        load_days(warehouse)
        before = len(list((tmp_path / "lake").rglob("*.parquet")))
        warehouse.compact(keep_replaced=False)
        assert len(list((tmp_path / "lake").rglob("*.parquet"))) < before
        assert read_all_tables(warehouse) == expected
