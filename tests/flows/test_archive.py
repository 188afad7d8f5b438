"""Compaction of the archive, killed at any point: nothing lost or doubled. Retention removes old responses."""

import shutil
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.lineage import ARCHIVE
from tests.flows.test_rebuild import SCHEMAS, differing, everything
from tests.support.cli import COMPANIES, PERSONS, Cli, assert_fails, write_portfolio

FILE_NAMES = {"responses": ("archive_file",)}
SPREAD = (
    "before archive rename",
    "after archive rename",
    "before archive unlink 2",
    "after archive rename 3",
    "before archive unlink 5",
)
MOST = 200


def content(cli: Cli) -> dict:
    """Every row of every table and view, apart from the names of files."""

    def left_out(schema: str, table: str) -> tuple[str, ...]:
        return ("age_days", "assessed_at") if schema == "mart" else FILE_NAMES.get(table, ())

    found = cli.tables(*SCHEMAS, without=left_out)
    del found["lineage._record_files"]
    return found


def bodies(cli: Cli) -> list[tuple]:
    """Every answer in the archive, in the order of loading."""
    archive = Archive(cli.home / "archive", read_only=True)
    frames = [archive.read_rows(file) for file in archive.files("answers")]
    return pl.concat(frames).select("response_id", "sha256", "body").rows()


def files(cli: Cli) -> dict[str, int]:
    return {kind: len(list((cli.home / "archive" / kind).glob("*.parquet"))) for kind in ARCHIVE}


def lineage_is_true(cli: Cli) -> None:
    """Every answer is in the file that its lineage names, every file of records is known, and `raw` has each once."""
    archive = Archive(cli.home / "archive", read_only=True)
    held = {
        (row, file) for file in archive.files("answers") for row in archive.read_rows(file)["response_id"].to_list()
    }
    assert held == set(cli.sql("SELECT response_id, archive_file FROM lineage.responses"))
    records = [file for kind in ARCHIVE if kind != "answers" for file in archive.files(kind)]
    assert sorted(records) == sorted(file for (file,) in cli.sql("SELECT archive_file FROM lineage._record_files"))
    assert cli.sql("SELECT response_id FROM raw.responses ORDER BY ALL") == sorted((row,) for row, _ in held)


@pytest.fixture(scope="module")
def history(start_sandbox, tmp_path_factory) -> Cli:
    """A home after two runs, in batches of two INNs; each test works on a copy."""
    folder = tmp_path_factory.mktemp("lived")
    cli = Cli(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "2"})
    portfolio = write_portfolio(folder / "few.csv", [*COMPANIES[:3], PERSONS[0], "123"])
    for day in ("2026-11-01", "2027-06-05"):
        cli.url = start_sandbox("--day", day).url
        assert cli.run(portfolio, "--refresh").code == 0
    assert cli.value("SELECT count(*) FROM lineage.changes") > 0
    return cli


@pytest.fixture
def history_copy(history, tmp_path) -> Cli:
    shutil.copytree(history.home, tmp_path / "home")
    shutil.copy(history.home.parent / "few.csv", tmp_path / "few.csv")
    cli = Cli(tmp_path / "home", history.url, history.environ)
    # The archive that `raw` reads has moved.
    assert cli("plan", tmp_path / "few.csv").code == 0
    return cli


@pytest.mark.long
def test_compaction_changes_nothing_but_the_files(history_copy, tmp_path):
    before, answers, count = content(history_copy), bodies(history_copy), files(history_copy)
    # A run seals the policies only if they differ from those before.
    assert {**count, "answers": 2} == {**dict.fromkeys(ARCHIVE, 2), "policies": 1}
    assert count["answers"] > 2
    done = history_copy("archive", "compact", "--json")
    assert done.code == 0, done
    assert (done.json["files_before"], done.json["files"], done.json["large_files_made"]) == (
        sum(count.values()),
        len(ARCHIVE),
        len(ARCHIVE) - 1,
    )
    assert files(history_copy) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(history_copy)) == {}
    assert bodies(history_copy) == answers
    lineage_is_true(history_copy)
    whole = everything(history_copy)
    assert history_copy("rebuild", INNSPECT_BASE_URL="http://127.0.0.1:9").code == 0
    assert differing(whole, everything(history_copy)) == {}
    again = history_copy("archive", "compact", "--json")
    assert (again.code, again.json["large_files_made"]) == (0, 0)
    checks = {check["check"]: check["ok"] for check in history_copy("doctor", "--json").json["checks"]}
    assert checks["archive"]
    assert checks["warehouse"]


@pytest.mark.long
def test_later_responses_are_compacted_into_large_files(history_copy, tmp_path):
    assert history_copy("archive", "compact").code == 0
    assert history_copy.run(tmp_path / "few.csv", "--refresh").code == 0
    assert min(count for kind, count in files(history_copy).items() if kind != "policies") == 2
    before, answers = content(history_copy), bodies(history_copy)
    assert history_copy("archive", "compact").code == 0
    assert files(history_copy) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(history_copy)) == {}
    assert bodies(history_copy) == answers
    lineage_is_true(history_copy)
    whole = everything(history_copy)
    assert history_copy("plan", tmp_path / "few.csv").code == 0
    assert history_copy("rebuild").code == 0
    assert differing(whole, everything(history_copy)) == {}


def cut_short(cli: Cli, point: object) -> str | None:
    done = cli("archive", "compact", INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return done.err.split("killed at ")[1].splitlines()[0]


def goes_on(cli: Cli, before: dict, answers: list[tuple], small_portfolio) -> None:
    assert bodies(cli) == answers
    assert cli("plan", small_portfolio).code == 0
    assert differing(before, content(cli)) == {}
    lineage_is_true(cli)
    assert cli("archive", "compact").code == 0
    assert files(cli) == dict.fromkeys(ARCHIVE, 1)
    assert differing(before, content(cli)) == {}
    assert bodies(cli) == answers
    lineage_is_true(cli)


@pytest.mark.long
@pytest.mark.parametrize("point", SPREAD[1:])
def test_interrupted_compaction_loses_and_duplicates_nothing(history_copy, tmp_path, point):
    before, answers = content(history_copy), bodies(history_copy)
    assert cut_short(history_copy, point) is not None
    goes_on(history_copy, before, answers, tmp_path / "few.csv")


@pytest.mark.vast
def test_kill_at_every_failpoint_of_the_command(history_copy, tmp_path):
    before, answers = content(history_copy), bodies(history_copy)
    names = set()
    for point in range(1, MOST):
        home = tmp_path / f"home{point}"
        shutil.copytree(history_copy.home, home)
        cli = Cli(home, history_copy.url, history_copy.environ)
        name = cut_short(cli, point)
        if name is None:
            break
        names.add(name)
        goes_on(cli, before | {}, answers, tmp_path / "few.csv")
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
def test_older_warehouse_loads_only_missing_responses_of_a_compacted_file(history_copy, tmp_path):
    old = tmp_path / "old.duckdb"
    shutil.copy(history_copy.warehouse, old)
    assert history_copy.run(tmp_path / "few.csv", "--refresh").code == 0
    before = content(history_copy)
    assert history_copy("archive", "compact").code == 0
    shutil.copy(old, history_copy.warehouse)
    assert history_copy("plan", tmp_path / "few.csv").code == 0
    assert differing(before, content(history_copy)) == {}
    lineage_is_true(history_copy)


@pytest.mark.long
def test_damaged_file_is_reported_and_nothing_is_replaced(history_copy):
    before = files(history_copy)
    damaged = sorted((history_copy.home / "archive" / "answers").glob("*.parquet"))[1]
    data = bytearray(damaged.read_bytes())
    data[len(data) // 2] ^= 0x10
    damaged.write_bytes(data)
    assert_fails(history_copy("archive", "compact"), 1, damaged.name, "restore")
    assert files(history_copy) == before
    assert_fails(Cli(history_copy.home / "nobody")("archive", "compact"), 2, "archive", "--home")


@pytest.mark.long
def test_retention_removes_old_responses_everywhere_and_keeps_the_money(history_copy, tmp_path):
    spent = history_copy.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    kept = history_copy("archive", "retain", "--days", "1", "--json")
    assert (kept.code, kept.json["answers"], kept.json["is_rebuilt"]) == (0, 0, False)
    counted = history_copy("archive", "retain", "--days", "1", "--dry-run", "--json")
    assert (counted.json["answers"], counted.json["files"]) == (0, 0)
    (last,) = history_copy.sql("SELECT run_id, started_at FROM lineage.runs ORDER BY started_at DESC LIMIT 1")
    limit = Tombstones(history_copy.home).retained_since
    later = Cli(history_copy.home, started_at=last[1] + timedelta(days=3))
    what = f"{len(bodies(history_copy))} responses in {files(history_copy)['answers']} files"
    assert_fails(later("archive", "retain", "--days", "1"), 2, "confirm it with --yes", what)
    assert Tombstones(history_copy.home).retained_since == limit
    tombstones = Tombstones(history_copy.home)
    tombstones.set_retention(last[1])
    assert tombstones.is_unfinished
    assert history_copy("plan", tmp_path / "few.csv").code == 0
    assert not Tombstones(history_copy.home).is_unfinished
    assert history_copy.sql("SELECT DISTINCT run_id FROM lineage.responses") == [(last[0],)]
    assert history_copy.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL") == spent
    lineage_is_true(history_copy)
    whole = everything(history_copy)
    assert history_copy("rebuild").code == 0
    assert differing(whole, everything(history_copy)) == {}


def test_nothing_is_paid_for_that_retention_would_remove(cli, service, small_portfolio):
    # The clock was ahead when the limit was set. Each run paid for the whole portfolio, loaded nothing, and ended with 0.
    tombstones = Tombstones(cli.home)
    tombstones.set_retention(datetime.now(UTC).replace(tzinfo=None) + timedelta(days=9))
    tombstones.mark_finished()
    message = assert_fails(cli.run(small_portfolio), 2, "archive retain", "tombstones.json", "nothing was requested")
    assert "Traceback" not in message
    assert_fails(cli("plan", small_portfolio), 2, "archive retain")
    assert_fails(cli("probe", COMPANIES[0], "--yes"), 2, "archive retain")
    assert service.charges() == []


def test_retention_limit_never_moves_back(tmp_path):
    tombstones = Tombstones(tmp_path)
    assert not tombstones
    noon = datetime(2026, 11, 20, 12)
    tombstones.set_retention(noon)
    tombstones.set_retention(noon - timedelta(days=9))
    assert Tombstones(tmp_path).retained_since == noon
