"""`stores.warehouse = "ducklake:…"`, and nothing else different, through the command line; several loaders at once."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import duckdb
import psycopg
import pytest

from innspect.warehouse.location import warehouse_at
from tests.flows.conftest import COMPANIES, PERSONS, ROOT, House, money_holds, told, written
from tests.flows.test_forget import telling, told_by
from tests.flows.test_rebuild import SCHEMAS, differing, everything, volatile
from tests.scale.lakes import LakeHouse, database, lake_house  # noqa: F401 (a fixture)

PERSON = PERSONS[0]
MOMENT = "TIMESTAMP '2030-01-01'"
PATIENCE = 300
READER = """
import sys
from innspect.warehouse.opening import open_warehouse
from innspect.warehouse.location import warehouse_at
where = warehouse_at(sys.argv[1])
with open_warehouse(where, read_only=True) as warehouse:
    print("reading", flush=True)
    looks = 0
    while sys.stdin.readline():
        warehouse.connection.execute("BEGIN")
        torn = warehouse.frame(
            "SELECT count(*) AS n FROM lineage.snapshots s ANTI JOIN lineage.versions v USING (version_id) "
            "WHERE s.version_id IS NOT NULL"
        )["n"].item()
        torn += warehouse.frame("SELECT count(*) AS n FROM lineage.snapshots ANTI JOIN lineage.responses USING (response_id)")["n"].item()
        warehouse.frame("FROM current.company")
        warehouse.connection.execute("COMMIT")
        looks += 1
        print(torn, flush=True)
"""

pytestmark = pytest.mark.vast


@pytest.fixture(scope="module")
def lived(starting, tmp_path_factory) -> House:
    """A home with its warehouse in a file, after two runs of many small batches."""
    folder = tmp_path_factory.mktemp("lived")
    house = House(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "1"})
    portfolio = written(folder / "few.csv", [*COMPANIES[:2], PERSON])
    for day in ("2026-11-01", "2027-06-05"):
        house.url = starting("--day", day).url
        assert house.run(portfolio, "--refresh").code == 0
    return house


@pytest.fixture(scope="module")
def expected(lived) -> dict:
    return everything(lived)


def moved_in(lived: House, house: LakeHouse, *, ledger: bool = False) -> LakeHouse:
    """Give a home the archive, and where wanted all but the warehouse, of the one that lived."""
    if ledger:
        shutil.copytree(lived.home, house.home, ignore=shutil.ignore_patterns("warehouse.duckdb*"), symlinks=True)
    else:
        house.home.mkdir(mode=0o700)
        shutil.copytree(lived.home / "archive", house.home / "archive")
    house.url = lived.url
    return house


def portfolio(lived: House) -> Path:
    return lived.home.parent / "few.csv"


def said(house: House, *words: object) -> object:
    """What a command tells as JSON, without the ages that move with the clock."""
    done = house(*words)
    assert done.code == 0, done
    return json.loads(re.sub(r'"age[a-z_]*": [0-9.]+', '"age": 0', done.out))


def copied(house: House) -> tuple[dict, list]:
    """The rows of the published copy, and all that it says of its columns."""
    copy = House(house.home / "published")
    found = {}
    with duckdb.connect(str(copy.home / "innspect.duckdb"), read_only=True) as connection:
        comments = connection.execute(
            "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal "
            "ORDER BY ALL"
        ).fetchall()
        for schema, table in {row[:2] for row in comments} - {("lineage", "published")}:
            gone = ", ".join(volatile(schema, table))
            kept = f"* EXCLUDE ({gone})" if gone and any(row[:3] == (schema, table, gone) for row in comments) else "*"
            rows = connection.execute(f'SELECT {kept} FROM {schema}."{table}"').fetchall()
            found[f"{schema}.{table}"] = sorted(map(repr, rows))
        ((count,),) = connection.execute(f"SELECT count(*) FROM as_of.company({MOMENT})").fetchall()
        assert count == 3
    return found, comments


@pytest.mark.vast
def test_every_command_says_the_same(lived, expected, database, bucket, store, reached, tmp_path):  # noqa: F811
    far = moved_in(lived, lake_house(tmp_path / "far", database, f"s3://{bucket}/lake", **store), ledger=True)
    told(far("sql", "SELECT 1"), 2, "There is no warehouse at ducklake:postgres:")
    assert far("plan", portfolio(lived)).code == 0
    assert differing(expected, everything(far)) == {}
    assert not (far.home / "warehouse.duckdb").exists()

    asked = f"SELECT inn, name, status FROM as_of.company({MOMENT}) ORDER BY ALL"
    bytes_of = "SELECT response_id, md5(body) AS hash FROM raw.responses ORDER BY ALL"
    for words in (
        ("changes", "--since", "2020-01-01", "--json"),
        ("company", COMPANIES[0], "--json"),
        ("coverage", portfolio(lived), "--json"),
        ("status", "--json"),
        ("sql", asked, "--format", "json"),
        ("sql", bytes_of, "--format", "json"),
        ("sql", "SELECT * FROM mart.risk_score ORDER BY inn", "--format", "json"),
    ):
        assert said(far, *words) == said(lived, *words) != [], words
    for house in (far, lived):
        assert house("publish").code == 0
        assert house("report").code == 0
    assert copied(far) == copied(lived)

    done = far.run(portfolio(lived), "--refresh")
    assert done.code == 0, done
    assert done.json["warehouse"].startswith("ducklake:postgres:")
    assert done.json["new_versions"] + done.json["unchanged"] > 40
    before = everything(far)
    assert far("rebuild").code == 0
    assert differing(before, everything(far)) == {}
    assert far("archive", "compact").code == 0
    same = {
        name: rows for name, rows in everything(far).items() if name not in ("lineage._record_files", "raw.responses")
    }
    assert [name for name in same if same[name] != before[name]] == ["lineage.responses"]
    checks = {check["check"]: check for check in far("doctor", "--json").json["checks"]}
    assert all(checks[name]["ok"] for name in ("ledger", "archive", "warehouse", "permissions")), checks
    for path in far.home.rglob("*"):
        assert not path.is_file() or store["AWS_SECRET_ACCESS_KEY"].encode() not in path.read_bytes(), path


def ended(running: subprocess.Popen) -> None:
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, (out, err)


def test_two_loaders_and_a_reader_at_once(lived, expected, database, tmp_path):  # noqa: F811
    data = tmp_path / "data"
    homes = [moved_in(lived, lake_house(tmp_path / name, database, str(data))) for name in ("east", "west", "first")]
    first = homes.pop()
    # The tables are there before, so that there is something to read.
    shutil.rmtree(first.home / "archive")
    (first.home / "archive").mkdir()
    assert first("plan", portfolio(lived)).code == 0
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, first.setting],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with ExitStack() as stack:
        stack.callback(reader.kill)
        assert reader.stdout.readline() == "reading\n"
        loading = [house.start("plan", portfolio(lived)) for house in homes]
        looks = 0
        while any(one.poll() is None for one in loading):
            reader.stdin.write("look\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == "0\n"
            looks += 1
        assert looks > 3
        for one in loading:
            ended(one)
    assert differing(expected, everything(homes[0])) == {}
    assert not list(data.rglob("*.tmp"))


@pytest.mark.parametrize(
    "point", ["before warehouse commit 2", pytest.param("after warehouse commit 3", marks=pytest.mark.vast)]
)
def test_a_loader_killed_in_the_middle_loses_and_doubles_nothing(point, lived, expected, database, tmp_path):  # noqa: F811
    east, west = (moved_in(lived, lake_house(tmp_path / name, database, str(tmp_path / "data"))) for name in "ew")
    dying = east.start("plan", portfolio(lived), INNSPECT_FAULT_POINT=point)
    where = warehouse_at(east.setting)
    while not where.exists():
        # The one that is to die is ahead: else it might find all of it loaded, and live.
        assert dying.poll() is None
        time.sleep(0.1)
    going = west.start("plan", portfolio(lived))
    _, err = dying.communicate(timeout=PATIENCE)
    assert (dying.returncode, f"killed at {point[:-2]}" in err) == (-signal.SIGKILL, True), err
    ended(going)
    assert differing(expected, everything(west)) == {}
    assert east("plan", portfolio(lived)).code == 0
    assert differing(expected, everything(east)) == {}


def test_a_rebuild_killed_in_the_middle_leaves_the_old_tables(lived, expected, database, tmp_path):  # noqa: F811
    data = tmp_path / "data"
    house = moved_in(lived, lake_house(tmp_path / "home", database, str(data)))
    assert house("plan", portfolio(lived)).code == 0
    files = set(data.rglob("*.parquet"))
    done = house("rebuild", INNSPECT_FAULT_POINT="before rebuild replace")
    assert done.code == -signal.SIGKILL
    torn = set(data.rglob("*.parquet")) - files
    assert torn
    assert differing(expected, everything(house)) == {}
    assert house("rebuild").code == 0
    assert differing(expected, everything(house)) == {}
    assert not set(data.rglob("*.parquet")) & (files | torn)


def in_catalogue(words: str) -> str:
    """All that PostgreSQL holds, as text."""
    said = []
    with psycopg.connect(words) as books:
        names = books.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert len(names) > 20
        for (name,) in names:
            said.append(repr(books.execute(f'SELECT * FROM "{name}"').fetchall()))
    return "\n".join(said)


def test_nothing_of_a_person_is_left_in_data_or_catalogue(lived, database, tmp_path):  # noqa: F811
    data = tmp_path / "data"
    house = moved_in(lived, lake_house(tmp_path / "home", database, str(data)), ledger=True)
    what = telling(house)
    assert house("plan", portfolio(lived)).code == 0

    def tell() -> list[str]:
        said = {str(path): told_by(path) for path in data.rglob("*") if path.is_file()}
        said["the catalogue"] = in_catalogue(database)
        return sorted(name for name, words in said.items() if any(text in words for text in what))

    assert {name.split("/")[-3] if "/" in name else name for name in tell()} >= {"core", "lineage", "the catalogue"}
    spent = house.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    done = house("forget", PERSON, "--json")
    assert done.code == 0, done
    assert done.json["is_rebuilt"]
    assert tell() == []
    assert house.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL") == spent
    assert not house.sql("SELECT 1 FROM lineage.snapshots WHERE inn = ?", PERSON)
    assert house.sql("SELECT count(*) FROM current.company") == [(2,)]


def test_a_run_asks_and_loads_on_a_lake_of_its_own(house, few, service, database, tmp_path):  # noqa: F811
    """From nothing: no table, no folder; a second home joins with its own."""
    lakes = [lake_house(tmp_path / name, database, str(tmp_path / "data")) for name in ("one", "two")]
    for lake in lakes:
        lake.url = service.url
        service.reset()
        assert lake.run(few).code == 0
        money_holds(lake, service)
    assert len(lakes[0].sql("SELECT * FROM lineage.runs")) == 2
    assert lakes[1].tables(*SCHEMAS[:2]) == lakes[0].tables(*SCHEMAS[:2])
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_without_postgresql_it_is_one_sentence(lived, tmp_path):
    words = "host=127.0.0.1 port=1 user=innspect dbname=books password=hush"
    house = moved_in(lived, lake_house(tmp_path / "home", words, str(tmp_path / "data")))
    for command in (("sql", "SELECT 1"), ("plan", portfolio(lived)), ("rebuild",)):
        done = house(*command)
        assert "hush" not in done.out + done.err
        told(done, 1, "cannot be reached", "stores.warehouse")
    checks = {check["check"]: check for check in house("doctor", "--json").json["checks"]}
    assert not checks["warehouse"]["ok"]
    assert "cannot be reached" in checks["warehouse"]["says"]
