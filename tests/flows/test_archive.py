"""Small files put together: nothing lost, nothing doubled, wherever it is cut short; and answers that are too old."""

import shutil
from datetime import datetime, timedelta

import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.lineage import ARCHIVE
from tests.flows.conftest import COMPANIES, PERSONS, House, told, written
from tests.flows.test_rebuild import SCHEMAS, differing, everything

FILE_NAMES = {"responses": ("archive_file",)}
SPREAD = (
    "before archive rename",
    "after archive rename",
    "before archive unlink 2",
    "after archive rename 3",
    "before archive unlink 5",
)
MOST = 200


def content(house: House) -> dict:
    """Every row of every table and view, apart from the names of files."""

    def left_out(schema: str, table: str) -> tuple[str, ...]:
        return ("age_days",) if schema == "mart" else FILE_NAMES.get(table, ())

    found = house.tables(*SCHEMAS, without=left_out)
    del found["lineage._record_files"]
    return found


def bodies(house: House) -> list[tuple]:
    """Every answer in the archive, in the order of loading."""
    archive = Archive(house.home / "archive", read_only=True)
    frames = [archive.read(file) for file in archive.files("answers")]
    return pl.concat(frames).select("response_id", "sha256", "body").rows()


def files(house: House) -> dict[str, int]:
    return {kind: len(list((house.home / "archive" / kind).glob("*.parquet"))) for kind in ARCHIVE}


def lineage_is_true(house: House) -> None:
    """Every answer is in the file that its lineage names, every file of records is known, and `raw` has each once."""
    archive = Archive(house.home / "archive", read_only=True)
    held = {(row, file) for file in archive.files("answers") for row in archive.read(file)["response_id"].to_list()}
    assert held == set(house.sql("SELECT response_id, archive_file FROM lineage.responses"))
    records = [file for kind in ARCHIVE if kind != "answers" for file in archive.files(kind)]
    assert sorted(records) == sorted(file for (file,) in house.sql("SELECT archive_file FROM lineage._record_files"))
    assert house.sql("SELECT response_id FROM raw.responses ORDER BY ALL") == sorted((row,) for row, _ in held)


@pytest.fixture(scope="module")
def lived(starting, tmp_path_factory) -> House:
    """A home after two runs, in batches of two INNs; each test works on a copy."""
    folder = tmp_path_factory.mktemp("lived")
    house = House(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "2"})
    portfolio = written(folder / "few.csv", [*COMPANIES[:3], PERSONS[0], "123"])
    for day in ("2026-11-01", "2027-06-05"):
        house.url = starting("--day", day).url
        assert house.run(portfolio, "--refresh").code == 0
    assert house.one("SELECT count(*) FROM lineage.changes") > 0
    return house


@pytest.fixture
def copied(lived, tmp_path) -> House:
    shutil.copytree(lived.home, tmp_path / "home")
    shutil.copy(lived.home.parent / "few.csv", tmp_path / "few.csv")
    house = House(tmp_path / "home", lived.url, lived.environ)
    # The archive that `raw` reads has moved.
    assert house("plan", tmp_path / "few.csv").code == 0
    return house


@pytest.mark.long
def test_small_files_become_large_ones_and_nothing_else_changes(copied, tmp_path):
    before, answers, count = content(copied), bodies(copied), files(copied)
    assert {**count, "answers": 2} == dict.fromkeys(ARCHIVE, 2)
    assert count["answers"] > 2
    done = copied("archive", "compact", "--json")
    assert done.code == 0, done
    assert (done.json["files_before"], done.json["files"], done.json["large_files_made"]) == (sum(count.values()), 5, 5)
    assert files(copied) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(copied)) == {}
    assert bodies(copied) == answers
    lineage_is_true(copied)
    whole = everything(copied)
    assert copied("rebuild", INNSPECT_BASE_URL="http://127.0.0.1:9").code == 0
    assert differing(whole, everything(copied)) == {}
    again = copied("archive", "compact", "--json")
    assert (again.code, again.json["large_files_made"]) == (0, 0)
    checks = {check["check"]: check["ok"] for check in copied("doctor", "--json").json["checks"]}
    assert checks["archive"]
    assert checks["warehouse"]


@pytest.mark.long
def test_what_comes_later_joins_the_large_files(copied, tmp_path):
    assert copied("archive", "compact").code == 0
    assert copied.run(tmp_path / "few.csv", "--refresh").code == 0
    assert min(files(copied).values()) == 2
    before, answers = content(copied), bodies(copied)
    assert copied("archive", "compact").code == 0
    assert files(copied) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(copied)) == {}
    assert bodies(copied) == answers
    lineage_is_true(copied)
    whole = everything(copied)
    assert copied("plan", tmp_path / "few.csv").code == 0
    assert copied("rebuild").code == 0
    assert differing(whole, everything(copied)) == {}


def cut_short(house: House, point: object) -> str | None:
    done = house("archive", "compact", INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return done.err.split("killed at ")[1].splitlines()[0]


def goes_on(house: House, before: dict, answers: list[tuple], few) -> None:
    assert bodies(house) == answers
    assert house("plan", few).code == 0
    assert differing(before, content(house)) == {}
    lineage_is_true(house)
    assert house("archive", "compact").code == 0
    assert files(house) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(house)) == {}
    assert bodies(house) == answers
    lineage_is_true(house)


@pytest.mark.long
@pytest.mark.parametrize("point", SPREAD[1:])
def test_cut_short_nothing_is_lost_or_doubled(copied, tmp_path, point):
    before, answers = content(copied), bodies(copied)
    assert cut_short(copied, point) is not None
    goes_on(copied, before, answers, tmp_path / "few.csv")


@pytest.mark.vast
def test_cut_short_at_every_point(copied, tmp_path):
    before, answers = content(copied), bodies(copied)
    names = set()
    for point in range(1, MOST):
        home = tmp_path / f"home{point}"
        shutil.copytree(copied.home, home)
        house = House(home, copied.url, copied.environ)
        name = cut_short(house, point)
        if name is None:
            break
        names.add(name)
        goes_on(house, before | {}, answers, tmp_path / "few.csv")
        shutil.rmtree(home)
    assert name is None
    assert names >= {
        "before archive fsync",
        "before archive rename",
        "after archive rename",
        "after archive seal",
        "before archive unlink",
        "after archive unlink",
    }


@pytest.mark.long
def test_an_older_warehouse_takes_from_a_large_file_only_what_it_has_not(copied, tmp_path):
    old = tmp_path / "old.duckdb"
    shutil.copy(copied.warehouse, old)
    assert copied.run(tmp_path / "few.csv", "--refresh").code == 0
    before = content(copied)
    assert copied("archive", "compact").code == 0
    shutil.copy(old, copied.warehouse)
    assert copied("plan", tmp_path / "few.csv").code == 0
    assert differing(before, content(copied)) == {}
    lineage_is_true(copied)


@pytest.mark.long
def test_a_damaged_file_is_named_and_nothing_is_replaced(copied):
    before = files(copied)
    damaged = sorted((copied.home / "archive" / "answers").glob("*.parquet"))[1]
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 0x10
    damaged.write_bytes(data)
    told(copied("archive", "compact"), 1, damaged.name, "restore")
    assert files(copied) == before
    told(House(copied.home / "nobody")("archive", "compact"), 2, "archive", "--home")


@pytest.mark.long
def test_answers_older_than_a_moment_go_everywhere_and_the_money_stays(copied, tmp_path):
    spent = copied.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    kept = copied("archive", "retain", "--days", "1", "--json")
    assert (kept.code, kept.json["answers"], kept.json["is_rebuilt"]) == (0, 0, False)
    counted = copied("archive", "retain", "--days", "1", "--dry-run", "--json")
    assert (counted.json["answers"], counted.json["files"]) == (0, 0)
    (last,) = copied.sql("SELECT run_id, started_at FROM lineage.runs ORDER BY started_at DESC LIMIT 1")
    tombstones = Tombstones(copied.home)
    tombstones.keep_since(last[1])
    assert tombstones.unfinished
    assert copied("plan", tmp_path / "few.csv").code == 0
    assert not Tombstones(copied.home).unfinished
    assert copied.sql("SELECT DISTINCT run_id FROM lineage.responses") == [(last[0],)]
    assert copied.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL") == spent
    lineage_is_true(copied)
    whole = everything(copied)
    assert copied("rebuild").code == 0
    assert differing(whole, everything(copied)) == {}


def test_a_limit_of_age_is_never_moved_back(tmp_path):
    tombstones = Tombstones(tmp_path)
    assert not tombstones
    noon = datetime(2026, 11, 20, 12)
    tombstones.keep_since(noon)
    tombstones.keep_since(noon - timedelta(days=9))
    assert Tombstones(tmp_path).since == noon
