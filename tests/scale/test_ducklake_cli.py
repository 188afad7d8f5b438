"""Commands with `stores.warehouse = "ducklake:…"` behave as with a file; several processes load at once."""

import json
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

from innspect.schemas.risk_policy.policy_file import built_in_file
from innspect.warehouse.location import parse_location
from innspect.warehouse.publish.lake_mirror import MIRROR
from tests.flows.test_forget import find_identifying_texts, read_texts
from tests.flows.test_rebuild import SCHEMAS, differing, volatile
from tests.scale.ducklake import LakeCli, make_lake_cli
from tests.support.cli import COMPANIES, PERSONS, ROOT, Cli, assert_fails, assert_money_adds_up, write_portfolio
from tests.support.commands import drop_ages
from tests.support.published_copies import differing_relations

PERSON = PERSONS[0]
MOMENT = "TIMESTAMP '2030-01-01'"
TIMEOUT_SECONDS = 300
READER = """
import sys
from innspect.warehouse.location import open_location
from innspect.warehouse.location import parse_location
where = parse_location(sys.argv[1])
with open_location(where, read_only=True) as warehouse:
    print("reading", flush=True)
    reads = 0
    while sys.stdin.readline():
        warehouse.connection.execute("BEGIN")
        leftover = warehouse.query(
            "SELECT count(*) AS n FROM lineage.snapshots s ANTI JOIN lineage.versions v USING (version_id) "
            "WHERE s.version_id IS NOT NULL"
        )["n"].item()
        leftover += warehouse.query("SELECT count(*) AS n FROM lineage.snapshots ANTI JOIN lineage.responses USING (response_id)")["n"].item()
        warehouse.query("FROM current.company")
        warehouse.connection.execute("COMMIT")
        reads += 1
        print(leftover, flush=True)
"""

pytestmark = pytest.mark.vast


@pytest.fixture(scope="module")
def history(start_sandbox, tmp_path_factory) -> Cli:
    """A home with its warehouse in a file, after two runs of many small batches."""
    folder = tmp_path_factory.mktemp("history")
    cli = Cli(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "1"})
    portfolio = write_portfolio(folder / "few.csv", [*COMPANIES[:2], PERSON])
    for day in ("2026-11-01", "2027-06-05"):
        cli.url = start_sandbox("--day", day).url
        assert cli.run(portfolio, "--refresh").code == 0
    return cli


@pytest.fixture(scope="module")
def expected(history) -> dict:
    return everything(history)


def everything(cli: Cli) -> dict:
    """Every row of every table and view that both kinds of warehouse fill: a lake stores no risk, digests or news."""
    found = cli.tables(*SCHEMAS, without=undated)
    return {name: rows for name, rows in found.items() if not name.startswith("lineage._")}


def undated(schema: str, table: str) -> tuple[str, ...]:
    """The columns that depend on the time of the query, and the first use of a policy, which `plan` does not date."""
    return (*volatile(schema, table), *(("first_used_at",) if table == "policies" else ()))


def copy_archive(history: Cli, cli: LakeCli, *, ledger: bool = False) -> LakeCli:
    """Copy the archive of `history`, or with `ledger` everything but the warehouse, into a home."""
    if ledger:
        shutil.copytree(history.home, cli.home, ignore=shutil.ignore_patterns("warehouse.duckdb*"), symlinks=True)
    else:
        cli.home.mkdir(mode=0o700)
        shutil.copytree(history.home / "archive", cli.home / "archive")
    cli.url = history.url
    return cli


def portfolio(history: Cli) -> Path:
    return history.home.parent / "few.csv"


def run_json(cli: Cli, *words: object) -> object:
    """The JSON output of a command, without ages, which change with the clock."""
    done = cli(*words)
    assert done.code == 0, done
    return json.loads(drop_ages(done.out))


@pytest.mark.vast
def test_every_command_has_the_same_output(
    history, expected, lake_database, bucket, object_store, object_store_environment, tmp_path
):
    remote = copy_archive(
        history, make_lake_cli(tmp_path / "remote", lake_database, f"s3://{bucket}/lake", **object_store), ledger=True
    )
    assert_fails(remote("sql", "SELECT 1"), 2, "There is no warehouse at ducklake:postgres:")
    assert remote("plan", portfolio(history)).code == 0
    assert differing(expected, everything(remote)) == {}
    assert not (remote.home / "warehouse.duckdb").exists()

    asked = f"SELECT inn, name, status FROM as_of.company({MOMENT}) ORDER BY ALL"
    bytes_of = "SELECT response_id, md5(body) AS hash FROM raw.responses ORDER BY ALL"
    for words in (
        ("changes", "--since", "2020-01-01", "--json"),
        ("company", COMPANIES[0], "--json"),
        ("coverage", portfolio(history), "--json"),
        ("status", "--json"),
        ("sql", asked, "--format", "json"),
        ("sql", bytes_of, "--format", "json"),
        ("sql", "SELECT * EXCLUDE (assessed_at) FROM mart.risk_score ORDER BY inn", "--format", "json"),
    ):
        assert run_json(remote, *words) == run_json(history, *words) != [], words
    for cli in (remote, history):
        assert cli("publish").code == 0
        assert cli("report").code == 0
    copies = (cli.home / "published" / "innspect.duckdb" for cli in (remote, history))
    # Only a run and a rebuild date the first use of a policy.
    assert differing_relations(*copies) == ["lineage.policies"]
    for cli in (remote, history):
        with duckdb.connect(str(cli.home / "published" / "innspect.duckdb"), read_only=True) as connection:
            assert connection.execute(f"SELECT count(*) FROM as_of.company({MOMENT})").fetchall() == [(3,)]

    done = remote.run(portfolio(history), "--refresh")
    assert done.code == 0, done
    assert done.json["warehouse"].startswith("ducklake:postgres:")
    assert done.json["new_versions"] + done.json["unchanged"] > 40
    before = everything(remote)
    assert remote("rebuild").code == 0
    assert differing(before, everything(remote)) == {}
    assert remote("archive", "compact").code == 0
    same = {name: rows for name, rows in everything(remote).items() if name != "raw.responses"}
    assert [name for name in same if same[name] != before[name]] == ["lineage.responses"]
    checks = {check["check"]: check for check in remote("doctor", "--json").json["checks"]}
    assert all(checks[name]["ok"] for name in ("ledger", "archive", "warehouse", "permissions")), checks
    for path in remote.home.rglob("*"):
        assert not path.is_file() or object_store["AWS_SECRET_ACCESS_KEY"].encode() not in path.read_bytes(), path


def assert_succeeds(running: subprocess.Popen) -> None:
    out, err = running.communicate(timeout=TIMEOUT_SECONDS)
    assert running.returncode == 0, (out, err)


def test_two_loaders_and_a_reader_at_once(history, expected, lake_database, tmp_path):
    data = tmp_path / "data"
    homes = [
        copy_archive(history, make_lake_cli(tmp_path / name, lake_database, str(data)))
        for name in ("east", "west", "first")
    ]
    first = homes.pop()
    # The tables exist before, so that the reader has something to read.
    shutil.rmtree(first.home / "archive")
    (first.home / "archive").mkdir()
    assert first("plan", portfolio(history)).code == 0
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
        loading = [cli.start("plan", portfolio(history)) for cli in homes]
        reads = 0
        while any(one.poll() is None for one in loading):
            reader.stdin.write("read\n")
            reader.stdin.flush()
            assert reader.stdout.readline() == "0\n"
            reads += 1
        assert reads > 3
        for one in loading:
            assert_succeeds(one)
    assert differing(expected, everything(homes[0])) == {}
    assert not list(data.rglob("*.tmp"))


@pytest.mark.parametrize(
    "point", ["before warehouse commit 2", pytest.param("after warehouse commit 3", marks=pytest.mark.vast)]
)
def test_killed_loader_loses_and_duplicates_nothing(point, history, expected, lake_database, tmp_path):
    east, west = (
        copy_archive(history, make_lake_cli(tmp_path / name, lake_database, str(tmp_path / "data"))) for name in "ew"
    )
    killed = east.start("plan", portfolio(history), INNSPECT_FAULT_POINT=point)
    where = parse_location(east.setting)
    while not where.exists():
        # The process to be killed starts first, so that it has something to load.
        assert killed.poll() is None
        time.sleep(0.1)
    going = west.start("plan", portfolio(history))
    _, err = killed.communicate(timeout=TIMEOUT_SECONDS)
    assert (killed.returncode, f"killed at {point[:-2]}" in err) == (-signal.SIGKILL, True), err
    assert_succeeds(going)
    assert differing(expected, everything(west)) == {}
    assert east("plan", portfolio(history)).code == 0
    assert differing(expected, everything(east)) == {}


def test_killed_rebuild_keeps_the_old_tables(history, expected, lake_database, tmp_path):
    data = tmp_path / "data"
    cli = copy_archive(history, make_lake_cli(tmp_path / "home", lake_database, str(data)))
    assert cli("plan", portfolio(history)).code == 0
    files = set(data.rglob("*.parquet"))
    done = cli("rebuild", INNSPECT_FAULT_POINT="before rebuild replace")
    assert done.code == -signal.SIGKILL
    leftover = set(data.rglob("*.parquet")) - files
    assert leftover
    assert differing(expected, everything(cli)) == {}
    assert cli("rebuild").code == 0
    assert differing(expected, everything(cli)) == {}
    assert not set(data.rglob("*.parquet")) & (files | leftover)


def read_catalogue(words: str) -> str:
    """Every row of every table in PostgreSQL, as text."""
    texts = []
    with psycopg.connect(words) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert len(names) > 20
        for (name,) in names:
            texts.append(repr(connection.execute(f'SELECT * FROM "{name}"').fetchall()))
    return "\n".join(texts)


def test_erasure_reaches_data_files_and_catalogue(history, lake_database, tmp_path):
    data = tmp_path / "data"
    cli = copy_archive(history, make_lake_cli(tmp_path / "home", lake_database, str(data)), ledger=True)
    what = find_identifying_texts(cli)
    assert cli("plan", portfolio(history)).code == 0
    assert cli("publish").code == 0

    def tell() -> list[str]:
        files = (path for folder in (data, cli.home / "published") for path in folder.rglob("*") if path.is_file())
        said = {str(path): read_texts(path) for path in files}
        said["the catalogue"] = read_catalogue(lake_database)
        return sorted(name for name, words in said.items() if any(text in words for text in what))

    assert {name.split("/")[-3] if "/" in name else name for name in tell()} >= {"core", "lineage", "the catalogue"}
    assert any(name.endswith(MIRROR) for name in tell())
    last_load = cli.sql("SELECT max(load_no) FROM lineage._loads")
    assert cli("plan", portfolio(history)).code == 0
    assert cli.sql("SELECT max(load_no) FROM lineage._loads") == last_load, "there was nothing to assess"
    assert read_database(cli) != "lake", "readers use the mirror"
    spent = cli.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    done = cli("forget", "--yes", PERSON, "--json")
    assert done.code == 0, done
    assert done.json["is_rebuilt"]
    assert tell() == []
    assert cli.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL") == spent
    assert not cli.sql("SELECT 1 FROM lineage.snapshots WHERE inn = ?", PERSON)
    assert cli.sql("SELECT count(*) FROM current.company") == [(2,)]
    assert read_database(cli) != "lake"
    raw = cli("sql", "SELECT count(*) AS n FROM raw.responses", "--format", "json")
    assert json.loads(raw.out) == [{"n": cli.sql("SELECT count(*) FROM lineage.responses")[0][0]}]


def read_database(cli: LakeCli) -> str:
    """The name of the database that `sql` reads."""
    done = cli("sql", "SELECT current_database() AS name", "--format", "json")
    return json.loads(done.out)[0]["name"]


def test_run_creates_a_lake_and_a_second_home_joins_it(cli, small_portfolio, service, lake_database, tmp_path):
    """Neither tables nor folder exist before."""
    lakes = [make_lake_cli(tmp_path / name, lake_database, str(tmp_path / "data")) for name in ("one", "two")]
    for lake in lakes:
        lake.url = service.url
        service.reset()
        assert lake.run(small_portfolio).code == 0
        assert_money_adds_up(lake, service)
    assert len(lakes[0].sql("SELECT * FROM lineage.runs")) == 2
    assert lakes[1].tables(*SCHEMAS[:2]) == lakes[0].tables(*SCHEMAS[:2])
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    other = tmp_path / "other.toml"
    other.write_text(built_in_file().read_text("utf-8").replace("medium = 10", "medium = 1"), encoding="utf-8")
    compared = lakes[0]("policy", "--diff", other, "--json").json
    applied = lakes[1]("policy", "--apply", "--json", INNSPECT_RISK_POLICY=str(other)).json
    assert compared["keys"] == applied["keys"] != []
    assert compared["changed"] == applied["changed"]
    assert compared["inns"] == 4


def test_unreachable_postgresql_is_one_sentence(history, tmp_path):
    words = "host=127.0.0.1 port=1 user=innspect dbname=lake password=hush"
    cli = copy_archive(history, make_lake_cli(tmp_path / "home", words, str(tmp_path / "data")))
    for command in (("sql", "SELECT 1"), ("plan", portfolio(history)), ("rebuild",)):
        done = cli(*command)
        assert "hush" not in done.out + done.err
        assert_fails(done, 1, "cannot be object_store_environment", "stores.warehouse")
    checks = {check["check"]: check for check in cli("doctor", "--json").json["checks"]}
    assert not checks["warehouse"]["ok"]
    assert "cannot be object_store_environment" in checks["warehouse"]["says"]
