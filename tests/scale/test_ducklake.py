"""The warehouse on DuckLake holds what a warehouse in a file holds, whoever else writes."""

from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest

from innspect.extract.failpoints import reach
from innspect.flows.load import load_answers, load_batch
from innspect.sandbox.response_cache import Bodies
from innspect.schemas.errors import SettingsError, WarehouseError
from innspect.schemas.tables import tables
from innspect.transforms.pipeline import transform
from innspect.warehouse.database import STATE, Warehouse
from innspect.warehouse.ddl import quoted
from innspect.warehouse.lake import LakeWarehouse, Overtaken
from innspect.warehouse.load.replace import renewed
from innspect.warehouse.location import warehouse_at
from innspect.warehouse.marts.registry import mart_comments
from tests.flows.conftest import COMPANIES, PERSONS
from tests.sandbox.samples import DAY
from tests.scale.lakes import database  # noqa: F401 (a fixture)
from tests.support.builders import FIRST, MOSCOW, Response, response_frame

MOMENTS = (FIRST - timedelta(days=1), FIRST + timedelta(hours=1), FIRST + timedelta(days=400))


@pytest.fixture
def lake(database, tmp_path):  # noqa: F811
    return warehouse_at(f"ducklake:postgres:{database} data_path={tmp_path / 'lake'} metadata_schema=books")


def asked(day: int, inns: list[str], at: datetime) -> list[Response]:
    """Full checks of companies and cards of people on a day of the sandbox's."""
    bodies = Bodies(0, DAY + day, 1 << 20)
    return [
        Response(method, bodies.body(inn, method).payload, inn, asked_at=at, name=f"{at:%j}{inn}{method}")
        for inn in inns
        for method in (("full-check",) if len(inn) == 10 else ("person-brief", "person-fssp"))
    ]


def sealed(day: int, inns: list[str]) -> tuple[str, list[Response]]:
    at = FIRST + timedelta(days=day)
    return f"answers/{day}.parquet", asked(day, inns, at)


DAYS = [sealed(0, [*COMPANIES[:2], PERSONS[0]]), sealed(30, COMPANIES[:2]), sealed(200, [COMPANIES[0], PERSONS[0]])]


def load(warehouse: Warehouse, *days) -> None:
    for file, answers in days or DAYS:
        load_answers(warehouse, response_frame(answers, file=file), MOSCOW)


def everything(warehouse: Warehouse) -> dict[str, list]:
    """Every row of every table and view, and of the macros at some moments; ages move with the clock."""
    found = {}
    names = [f"lineage.{name}" for name in ("responses", "snapshots", "versions", "changes", "violations", "drift")]
    names += [f"{schema}.{quoted(name)}" for name in tables() for schema in ("core", "current")]
    for name in names:
        found[name] = sorted(map(repr, warehouse.connection.execute(f"FROM {name}").fetchall()))
    for name, (_, columns) in mart_comments().items():
        kept = ", ".join(quoted(column) for column in columns if column != "age_days")
        found[name] = sorted(map(repr, warehouse.connection.execute(f"SELECT {kept} FROM mart.{name}").fetchall()))
    for moment in MOMENTS:
        for name in ("company", "fssp", "arbitration__cases", "risk_flags"):
            query = f"FROM as_of.{name}(TIMESTAMP '{moment}')"
            found[f"{name} {moment}"] = sorted(map(repr, warehouse.connection.execute(query).fetchall()))
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict:
    """What a file holds of the same answers."""
    with Warehouse(tmp_path_factory.mktemp("plain") / "warehouse.duckdb") as warehouse:
        load(warehouse)
        return everything(warehouse)


@pytest.mark.long
def test_the_same_answers_make_the_same_tables(lake, expected):
    assert not lake.exists()
    with LakeWarehouse(lake) as warehouse:
        load(warehouse)
        load(warehouse)
    assert lake.exists()
    with LakeWarehouse(lake, read_only=True) as reader:
        found = everything(reader)
        assert [name for name in expected if found[name] != expected[name]] == []
        assert expected["lineage.changes"]
        with pytest.raises(Exception, match="read-only"):
            reader.connection.execute("DELETE FROM lineage.responses")


@pytest.mark.long
def test_two_who_load_the_same_at_once_load_it_once(lake, expected):
    """The second waits for nobody here, as if its lock were lost: it is refused, and finds all of it loaded."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(LakeWarehouse(lake)) for _ in range(2))
        load(one, DAYS[0])
        batches = []

        def work() -> None:
            answers = response_frame(DAYS[1][1], file=DAYS[1][0])
            batches.append(load_batch(one, transform(answers, MOSCOW)))
            # The turn is not asked for: whoever has lost it does not know.
            other._has_turn = True
            load(other, DAYS[1])

        with pytest.raises(Overtaken) as refused, one.transaction():
            work()
        assert "again" in refused.value.message
        assert batches[0].loaded.snapshots > 0
        other._has_turn = False
        load(one, DAYS[1])
        load(other, DAYS[2])
        load(one, DAYS[2])
    with LakeWarehouse(lake, read_only=True) as reader:
        assert everything(reader) == expected


def test_what_was_overtaken_is_done_anew_on_what_is_there(lake):
    with ExitStack() as stack:
        one, other = (stack.enter_context(LakeWarehouse(lake)) for _ in range(2))
        tries = []

        def work() -> str:
            runs = one.frame("SELECT run_id FROM lineage.runs ORDER BY 1")["run_id"].to_list()
            tries.append(runs)
            if len(tries) == 1:
                other._has_turn = True
                other.write(lambda: other.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('other')"))
            one.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('one')")
            return "done"

        assert one.write(work) == "done"
        assert tries == [[], ["other"]]
        assert one.frame("SELECT run_id FROM lineage.runs ORDER BY 1")["run_id"].to_list() == ["one", "other"]


def test_a_fault_in_the_middle_leaves_nothing(lake, tmp_path):
    with LakeWarehouse(lake) as warehouse:

        def half() -> None:
            warehouse.connection.execute("INSERT INTO lineage.runs (run_id) VALUES ('half')")
            warehouse.connection.execute("INSERT INTO lineage.no_such_table VALUES (1)")

        with pytest.raises(WarehouseError) as refused:
            warehouse.write(half)
        assert "no_such_table" in refused.value.message
        assert warehouse.frame("FROM lineage.runs").is_empty()
        load(warehouse, DAYS[2])
        assert warehouse.frame("FROM lineage.responses").height == len(DAYS[2][1])


def test_a_lake_of_other_declarations_gets_what_it_lacks_and_loses_nothing(lake):
    with LakeWarehouse(lake) as warehouse:
        load(warehouse, DAYS[2])
        warehouse.connection.execute('DROP VIEW "current".company')
        warehouse.connection.execute("ALTER TABLE core.company DROP COLUMN okved_name")
        warehouse.connection.execute(f"DELETE FROM lineage.{quoted(STATE)}")
        names = warehouse.frame("SELECT name FROM core.company")
    with LakeWarehouse(lake) as warehouse:
        assert warehouse.added == ["core.company.okved_name"]
        assert warehouse.frame("SELECT name FROM current.company").equals(names)
        warehouse.connection.execute("ALTER TABLE core.company ADD COLUMN stranger INTEGER")
        warehouse.connection.execute(f"DELETE FROM lineage.{quoted(STATE)}")
    with pytest.raises(WarehouseError, match="innspect rebuild"):
        LakeWarehouse(lake)


def test_what_is_not_the_lakes_own_is_never_in_its_way(lake, tmp_path):
    """A lake removes files that nothing of it names: so it begins in an empty place, apart from the archive."""
    (tmp_path / "lake" / "answers").mkdir(parents=True)
    foreign = tmp_path / "lake" / "answers" / "sealed.parquet"
    foreign.write_bytes(b"somebody's")
    for archive in (tmp_path / "lake" / "archive", tmp_path / "lake", tmp_path):
        with pytest.raises(SettingsError, match="one inside the other"):
            LakeWarehouse(lake, archive)
        with pytest.raises(SettingsError, match="one inside the other"), renewed(lake, archive, reach):
            pytest.fail("it was opened")
    with pytest.raises(SettingsError, match="holds files"):
        LakeWarehouse(lake, tmp_path / "archive")
    assert foreign.read_bytes() == b"somebody's"
    foreign.unlink()
    with LakeWarehouse(lake, tmp_path / "archive") as warehouse:
        warehouse.connection.execute("CREATE SCHEMA analysis")
        warehouse.connection.execute("CREATE TABLE analysis.mine AS SELECT 7 AS a")
    with renewed(lake, tmp_path / "archive", reach):
        pass
    with LakeWarehouse(lake, read_only=True) as warehouse:
        assert warehouse.frame("FROM analysis.mine")["a"].to_list() == [7]


@pytest.mark.long
def test_made_anew_it_is_the_same_and_nothing_old_is_left(lake, expected, tmp_path):
    stranger = "ALTER TABLE core.company ADD COLUMN stranger INTEGER"
    with LakeWarehouse(lake) as warehouse:
        load(warehouse, DAYS[0])
        warehouse.connection.execute(stranger)
    before = set((tmp_path / "lake").rglob("*.parquet"))
    # What a killed loader leaves: a file that no commit ever named.
    torn = tmp_path / "lake" / "core" / "company" / "ducklake-torn.parquet"
    torn.write_bytes(next(iter(before)).read_bytes())
    with LakeWarehouse(lake, read_only=True) as reader:
        with renewed(lake, tmp_path / "archive", reach) as warehouse:
            for file, answers in DAYS:
                load_batch(warehouse, transform(response_frame(answers, file=file), MOSCOW))
            assert reader.frame("FROM lineage.responses").height == len(DAYS[0][1])
        assert everything(reader) == expected
    left = set((tmp_path / "lake").rglob("*.parquet"))
    assert left
    assert not left & (before | {torn})


@pytest.mark.long
def test_a_rebuild_that_fails_leaves_the_old_one(lake, expected, tmp_path):
    with LakeWarehouse(lake) as warehouse:
        load(warehouse)

    def half() -> None:
        with renewed(lake, tmp_path / "archive", reach) as warehouse:
            load_batch(warehouse, transform(response_frame(DAYS[0][1]), MOSCOW))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    with LakeWarehouse(lake) as warehouse:
        assert everything(warehouse) == expected


@pytest.mark.long
def test_put_together_it_says_the_same_in_fewer_files(lake, expected, tmp_path):
    with LakeWarehouse(lake) as warehouse:
        load(warehouse)
        before = len(list((tmp_path / "lake").rglob("*.parquet")))
        warehouse.tidy(everything=True)
        assert len(list((tmp_path / "lake").rglob("*.parquet"))) < before
        assert everything(warehouse) == expected
