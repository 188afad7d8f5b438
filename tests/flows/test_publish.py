"""Publishing at the front door: readers are never refused, a kill leaves the old copy, a fault never loses a run."""

import json
import subprocess
import sys
from pathlib import Path
from shutil import copyfile
from textwrap import dedent

import duckdb
import pytest

from innspect.extract.failpoints import VARIABLE
from innspect.flows.open_home import utc_now
from tests.support.cli import COMPANIES, Cli, assert_fails, write_portfolio
from tests.support.published_copies import differing_relations

POINTS = (
    "before publish copy",
    "before publish swap",
    "between publish swaps",
    "after publish watermark",
    "after publish swap",
)
LIGHT = ("--profile", "light")
READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
count = "SELECT count(*) FROM lineage.runs"
print(connection.execute(count).fetchone()[0], flush=True)
for line in sys.stdin:
    print(connection.execute(count).fetchone()[0], connection.execute("SELECT count(*) FROM mart.coverage").fetchone()[0], flush=True)
"""


@pytest.fixture
def small_portfolio(tmp_path) -> Path:
    return write_portfolio(tmp_path / "few.csv", COMPANIES[:2])


@pytest.fixture
def publishing(cli) -> Cli:
    """A house whose runs end with publishing."""
    cli.environ["INNSPECT_PUBLISH__AFTER_RUN"] = "true"
    return cli


def copy(cli: Cli) -> Path:
    return cli.home / "published" / "innspect.duckdb"


def runs(path: Path) -> int:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute("SELECT count(*) FROM lineage.runs").fetchone()[0]


def assert_complete(cli: Cli) -> int:
    """How many runs the copy has; copy and Parquet are assert_complete and there is nothing beside them."""
    folder = cli.home / "published"
    manifest = json.loads((folder / "parquet" / "manifest.json").read_text("utf-8"))
    for entry in manifest["tables"]:
        paths = [str(folder / "parquet" / file["file"]) for file in entry["files"]]
        assert duckdb.sql(f"SELECT count(*) FROM read_parquet({paths})").fetchone() == (entry["rows"],)
    assert not [path for path in folder.iterdir() if ".part" in path.name]
    assert len(list(folder.glob(".parquet-*"))) <= 2
    return runs(copy(cli))


@pytest.mark.long
def test_readers_and_runs_do_not_block_each_other(publishing, small_portfolio):
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    command = [sys.executable, "-c", dedent(READER), str(copy(publishing))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "1\n"
        parquet = (publishing.home / "published" / "parquet").resolve()
        going = publishing.start("run", small_portfolio, "--direct", "--json", *LIGHT, "--refresh")
        answers = set()
        while going.poll() is None:
            reader.stdin.write("\n")
            reader.stdin.flush()
            answers.add(reader.stdout.readline())
            runs(copy(publishing))
        assert going.returncode == 0, going.communicate()
        assert len(answers) == 1, "the old copy is a snapshot"
        assert answers.pop().startswith("1 ")
        assert runs(copy(publishing)) == 2
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline().startswith("1 ")
        assert (parquet / "manifest.json").exists(), "who reads the folder before is left in peace"
        assert parquet != (publishing.home / "published" / "parquet").resolve()
        reader.stdin.close()
    assert assert_complete(publishing) == 2
    before = (publishing.home / "published" / "parquet").resolve()
    assert publishing("publish").code == 0
    assert before.exists()
    assert not parquet.exists(), "nobody was led there since the publishing before the last"


@pytest.mark.long
def test_kill_at_any_failpoint_leaves_a_complete_copy(cli, small_portfolio):
    assert cli.run(small_portfolio, *LIGHT).code == 0
    assert cli("publish").code == 0
    before = assert_complete(cli)
    assert cli.run(small_portfolio, *LIGHT).code == 0
    for point in POINTS:
        done = cli("publish", "--xlsx", **{VARIABLE: point})
        assert done.code == -9, done
        assert f"killed at {point}" in done.err
        swapped = POINTS.index(point) >= POINTS.index("between publish swaps")
        assert runs(copy(cli)) == before + swapped
        manifest = json.loads((cli.home / "published" / "parquet" / "manifest.json").read_text("utf-8"))
        files = [file["file"] for entry in manifest["tables"] for file in entry["files"]]
        assert files
        assert all((cli.home / "published" / "parquet" / file).exists() for file in files)
    assert cli("publish").code == 0
    assert assert_complete(cli) == before + 1


@pytest.mark.long
def test_publishing_continues_the_previous_copy(cli, small_portfolio, tmp_path):
    def publish() -> bool:
        done = cli("publish", "--json")
        assert done.code == 0, done
        continued = done.json["delta"]
        copyfile(copy(cli), kept := tmp_path / "kept.duckdb")
        (cli.home / "published" / ".watermark.json").unlink()
        done = cli("publish", "--json")
        assert done.json["delta"] is False
        assert differing_relations(kept, copy(cli)) == []
        assert_complete(cli)
        return continued

    assert cli.run(small_portfolio, *LIGHT).code == 0
    assert not publish()
    assert cli.run(small_portfolio, "--refresh").code == 0
    assert publish()
    assert cli("policy", "--apply", "--json").code == 0
    assert publish()
    assert cli("forget", "--yes", COMPANIES[0]).code == 0
    assert not find_text(copy(cli), COMPANIES[0])
    assert publish()
    assert cli("rebuild").code == 0
    assert not publish()


@pytest.mark.long
def test_parquet_of_nothing_of_marts_and_of_all(cli, small_portfolio):
    folder = cli.home / "published"
    assert cli.run(small_portfolio, *LIGHT).code == 0
    for scope, schemas in (
        ("all", {"core", "current", "lineage", "mart", "portfolio"}),
        ("marts", {"mart", "portfolio"}),
        ("none", None),
    ):
        done = cli("publish", "--json", INNSPECT_PUBLISH__PARQUET=scope)
        assert done.code == 0, done
        if schemas is None:
            assert done.json["parquet"] is done.json["manifest"] is None
            assert not (folder / "parquet").exists()
            assert not list(folder.glob(".parquet-*"))
        else:
            assert_complete(cli)
            assert {path.name.split(".")[0] for path in (folder / "parquet").iterdir()} == {"manifest", *schemas}
    assert cli("publish", INNSPECT_PUBLISH__PARQUET="none").code == 0
    assert cli("publish").code == 0
    assert_complete(cli)


@pytest.mark.long
def test_parquet_is_written_again_only_if_something_is_new(cli, small_portfolio):
    link = cli.home / "published" / "parquet"

    def publish() -> str:
        assert cli("publish").code == 0
        assert_complete(cli)
        return link.readlink().name

    assert cli.run(small_portfolio, *LIGHT).code == 0
    first = publish()
    assert publish() == first
    manifest = link / "manifest.json"
    of_yesterday = manifest.read_text("utf-8").replace(utc_now().date().isoformat(), "2020-01-01")
    manifest.write_text(of_yesterday, "utf-8")
    second = publish()
    assert second != first, "ages are a day older"
    next(link.glob("mart.coverage/*.parquet")).write_bytes(b"")
    third = publish()
    assert third != second, "a file is not the one that was written"
    assert cli.run(small_portfolio, "--refresh").code == 0
    assert publish() != third


def find_text(path: Path, text: str) -> bool:
    return text.encode() in path.read_bytes()


@pytest.mark.long
def test_publish_prints_what_it_wrote(cli, small_portfolio):
    assert cli.run(small_portfolio, *LIGHT).code == 0
    done = cli("publish", "--json", "--xlsx", INNSPECT_PUBLISH__EXCLUDE='["core.company.director"]')
    assert done.code == 0, done
    facts = done.json
    assert Path(facts["copy"]) == copy(cli)
    assert facts["exclude"] == ["core.company.director"]
    assert facts["tables"] > 200
    assert facts["run_id"] == cli.value("SELECT max(run_id) FROM lineage.runs")
    assert Path(facts["xlsx"]).read_bytes()[:2] == b"PK"
    assert Path(facts["manifest"]).exists()
    folder = cli.home / "published"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir() if path.is_file()} == {0o600}
    shown = cli("publish", INNSPECT_PUBLISH__EXCLUDE='["core.company.director"]').out
    assert str(copy(cli)) in shown
    assert "Excluded: core.company.director." in shown


@pytest.mark.long
def test_failed_publishing_keeps_the_loaded_run(publishing, small_portfolio):
    (publishing.home / "published").write_text("in the way")
    done = publishing.run(small_portfolio, *LIGHT)
    assert_fails(done, 1, "The run is loaded, but not published", "innspect publish")
    assert done.json["calls"] > 0
    assert publishing.value("SELECT exit_code FROM lineage.runs") == 0
    (publishing.home / "published").unlink()
    again = publishing.run(small_portfolio, *LIGHT)
    assert (again.code, again.json["calls"]) == (0, 0)
    assert assert_complete(publishing) == 2, "also a run with nothing to ask publishes"


@pytest.mark.long
def test_incomplete_run_keeps_its_exit_code(publishing, small_portfolio):
    publishing.environ["INNSPECT_PUBLISH__EXCLUDE"] = '["core.compny"]'
    done = publishing.run(small_portfolio, *LIGHT, "--budget", "0")
    assert done.code == 3
    lines = [line for line in done.err.splitlines() if line.startswith("innspect: ")]
    assert len(lines) == 2, done.err
    assert "core.compny" in lines[0]
    assert not copy(publishing).exists()
    assert_fails(publishing("publish"), 2, "core.compny", "data-dictionary")


def test_publish_without_a_warehouse(cli_without_home):
    assert_fails(cli_without_home("publish"), 2, "There is no warehouse", "innspect run")


@pytest.mark.long
def test_plan_and_status_publish_nothing(publishing, small_portfolio):
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    copy(publishing).write_bytes(b"no database")
    for words in (("plan", small_portfolio), ("status",), ("coverage", "few"), ("changes",)):
        assert publishing(*words).code == 0, words
    assert copy(publishing).read_bytes() == b"no database"
    assert publishing("publish").code == 0
    assert assert_complete(publishing) == 1


@pytest.mark.long
def test_run_without_calls_publishes_the_whole_copy(publishing, small_portfolio):
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    folder = publishing.home / "published"
    first = (folder / "parquet").resolve()
    with duckdb.connect(str(copy(publishing))) as connection:
        connection.execute("DELETE FROM mart.coverage")
    done = publishing.run(small_portfolio, *LIGHT)
    assert (done.code, done.json["calls"]) == (0, 0)
    assert assert_complete(publishing) == 2
    with duckdb.connect(str(copy(publishing)), read_only=True) as connection:
        assert connection.execute("SELECT run_id FROM lineage.published").fetchall() == [(done.json["run_id"],)]
        assert connection.execute("SELECT count(*) > 0 FROM mart.coverage").fetchone() == (True,)
    assert (folder / "parquet").resolve() != first
    # Files that are young enough stay as they are, the database does not.
    publishing.environ["INNSPECT_PUBLISH__PARQUET_HOURS"] = "1"
    second = (folder / "parquet").resolve()
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    assert assert_complete(publishing) == 3
    assert (folder / "parquet").resolve() == second
    (folder / ".watermark.json").unlink()
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    assert assert_complete(publishing) == 4
    third = (folder / "parquet").resolve()
    assert third != second, "the copy was built from nothing: the files may show what is no longer in the warehouse"
    assert publishing.run(small_portfolio, *LIGHT).code == 0
    assert (folder / "parquet").resolve() == third
    assert publishing("publish").code == 0
    assert (folder / "parquet").resolve() != third, "on request they are written: they do not have the last run"
