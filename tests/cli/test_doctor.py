"""Each finding of `doctor`: the test causes the fault, the finding names it and says what to do."""

import os
import shutil
import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata

import duckdb
import pytest
from zstandard import ZstdCompressor

from innspect.cli import doctor
from innspect.cli import doctor_checks as checks
from innspect.flows import executors
from innspect.flows.open_home import open_home
from innspect.schemas.errors import SettingsError
from innspect.schemas.settings import load_settings
from tests.scale.dask_cluster import Cluster
from tests.support.cli import Cli, write_portfolio

NOWHERE = "127.0.0.1:9"


def run_doctor(cli: Cli, *words: str, **environ: str) -> dict[str, tuple[bool, str]]:
    """Every check: whether it is ok, and its text; of several checks with one name, the last that failed."""
    done = cli("doctor", "--json", *words, **environ)
    found: dict[str, tuple[bool, str]] = {}
    for check in done.json["checks"]:
        if check["check"] not in found or not check["ok"]:
            found[check["check"]] = (check["ok"], check["says"])
    assert done.json["ok"] == all(ok for ok, _ in found.values()) == (done.code == 0), done
    return found


def failures(found: dict[str, tuple[bool, str]]) -> dict[str, str]:
    return {name: says for name, (ok, says) in found.items() if not ok}


@pytest.fixture(scope="module")
def checked_cli(reliable_sandbox, tmp_path_factory) -> Cli:
    folder = tmp_path_factory.mktemp("checked")
    cli = Cli(folder / "home", reliable_sandbox.url)
    assert cli.run(write_portfolio(folder / "one.csv", ["7707083893"])).code in (0, 6)
    return cli


@pytest.fixture
def cli_copy(checked_cli, tmp_path) -> Cli:
    shutil.copytree(checked_cli.home, tmp_path / "home")
    return Cli(tmp_path / "home", checked_cli.url)


def test_sound_home_and_missing_home_pass(cli_copy, tmp_path):
    found = run_doctor(cli_copy)
    assert failures(found) == {}
    assert {
        "versions",
        "disk",
        "permissions",
        "lock",
        "ledger",
        "archive",
        "warehouse",
        "compute",
        "key",
        "credit",
        "clock",
    } <= set(found)
    assert "prefect" not in found
    assert failures(run_doctor(Cli(tmp_path / "nobody", cli_copy.url))) == {}
    assert not (tmp_path / "nobody").exists()


def test_all_faults_of_a_home_are_reported_with_what_to_do(cli_copy):
    (cli_copy.home / "ledger.sqlite").chmod(0o644)
    (cli_copy.home / "archive" / "answers").chmod(0o755)
    (cli_copy.home / "innspect.lock").write_text("4194300\n")
    with sqlite3.connect(cli_copy.home / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE totals SET settled = settled + 1 WHERE scope = 'all'")
        ledger.execute(
            "INSERT INTO outbox SELECT 'waiting', call_id, run_id, 1, reserved_at, 2, ?, 0, ? FROM calls LIMIT 1",
            (sha256(b"{}").hexdigest(), ZstdCompressor().compress(b"{}")),
        )
    with duckdb.connect(str(cli_copy.warehouse)) as warehouse:
        warehouse.execute("UPDATE lineage.runs SET software_version = '99.1.0+abc'")
    says = failures(run_doctor(cli_copy))
    assert set(says) == {"permissions", "lock", "ledger", "outbox", "warehouse"}
    assert "ledger.sqlite" in says["permissions"]
    assert "answers" in says["permissions"]
    assert f"`chmod -R go-rwx {cli_copy.home}`" in says["permissions"]
    assert "4194300" in says["lock"]
    assert "innspect plan" in says["lock"]
    assert "total of all" in says["ledger"]
    assert "from a copy" in says["ledger"]
    assert "1 response is not sealed" in says["outbox"]
    assert "innspect plan" in says["outbox"]
    assert "99.1.0" in says["warehouse"]


def test_running_process_and_its_files_are_no_fault(cli_copy):
    settings = load_settings(None, {"INNSPECT_HOME": str(cli_copy.home)}, {})
    before = os.umask(0o022)
    try:
        with open_home(settings) as stores:
            stores.warehouse.connection.execute("CREATE TABLE main.scratch AS SELECT range AS n FROM range(1000)")
            log = cli_copy.home / "warehouse.duckdb.wal"
            assert log.stat().st_mode & 0o777 == 0o600
            stores.warehouse.connection.execute("DROP TABLE main.scratch")
            for check in doctor.CHECKS:
                assert all(finding.ok and not finding.warning for finding in doctor.run_check(check, settings))
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


@pytest.mark.long
def test_warehouse_whose_creation_was_interrupted_is_a_warning_and_the_next_run_completes_it(cli_copy):
    cli_copy.warehouse.unlink()
    duckdb.connect(str(cli_copy.warehouse)).close()
    cli_copy.warehouse.chmod(0o600)
    settings = load_settings(None, {"INNSPECT_HOME": str(cli_copy.home)}, {})
    (found,) = doctor.run_check(checks.warehouse, settings)
    assert (found.ok, found.warning) == (True, True)
    assert "has no tables" in found.says
    with open_home(settings):
        pass
    (found,) = doctor.run_check(checks.warehouse, settings)
    assert (found.ok, found.warning) == (True, False)


@pytest.mark.parametrize(
    ("message", "shown"),
    [(["no such thing\nat 7"], "LookupError: no such thing"), ([], "LookupError"), ([" \n"], "LookupError")],
)
def test_check_that_fails_does_not_hide_the_others(message, shown):
    def lookup(_):
        raise LookupError(*message)

    (found,) = doctor.run_check(lookup, load_settings(None, {}, {}))
    assert (found.check, found.ok) == ("lookup", False)
    assert f"cannot be checked ({shown});" in found.says


def test_a_lost_ledger_is_reported(cli_copy, tmp_path):
    (cli_copy.home / "ledger.sqlite").write_bytes(b"")
    for suffix in ("-wal", "-shm"):
        (cli_copy.home / f"ledger.sqlite{suffix}").unlink(missing_ok=True)
    assert "the archive has calls" in failures(run_doctor(cli_copy))["ledger"]
    planned = cli_copy("plan", write_portfolio(tmp_path / "portfolio.csv", ["7707083893"]))
    assert "Warning: The ledger has no run" in planned.out + planned.err


def test_a_ledger_of_an_older_backup_is_reported(cli_copy, tmp_path):
    # Its caps let a run spend again what the missing run spent this month.
    path = cli_copy.home / "ledger.sqlite"
    with sqlite3.connect(path) as ledger:
        ((run_id,),) = ledger.execute("SELECT run_id FROM runs ORDER BY started_seq DESC LIMIT 1").fetchall()
        ledger.execute("UPDATE runs SET run_id = '20200101T000000-before' WHERE run_id = ?", [run_id])
    ledger.close()
    assert run_id in failures(run_doctor(cli_copy))["ledger"]
    portfolio = write_portfolio(tmp_path / "portfolio.csv", ["7707083893"])
    planned = cli_copy("plan", portfolio)
    assert f"Warning: The ledger lacks 1 run of this month that the archive has, such as {run_id}" in planned.err
    next_month = replace(cli_copy, started_at=datetime.now(UTC).replace(tzinfo=None) + timedelta(days=32))
    assert "Warning: The ledger" not in next_month("plan", portfolio).err


def test_damaged_ledger_pages_are_reported(cli_copy):
    path = cli_copy.home / "ledger.sqlite"
    with sqlite3.connect(path) as ledger:
        page = ledger.execute("SELECT rootpage FROM sqlite_master WHERE name = 'calls_asked'").fetchone()[0]
        size = ledger.execute("PRAGMA page_size").fetchone()[0]
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[(page - 1) * size + size - 60 : (page - 1) * size + size - 20] = b"\x01" * 40
    path.write_bytes(data)
    assert "copy" in failures(run_doctor(cli_copy))["ledger"]


@pytest.mark.long
def test_servers_that_do_not_respond_are_reported(cli_copy):
    # The database is of the other kind: nothing of this home is in it.
    environ = {
        "INNSPECT_STORES__LEDGER": f"postgresql+psycopg://somebody:hidden-word@{NOWHERE}/money",
        "PREFECT_API_URL": f"http://{NOWHERE}/api",
        "INNSPECT_BASE_URL": f"http://{NOWHERE}",
        "INNSPECT_SERVICE__RETRIES": "0",
    }
    says = failures(run_doctor(cli_copy, **environ))
    assert set(says) == {"ledger", "prefect", "service"}
    assert "stores.ledger" in says["ledger"]
    assert "hidden-word" not in str(says)
    assert "server start" in says["prefect"]
    assert "service.base_url" in says["service"]


@pytest.mark.long
def test_refused_key_and_exhausted_credit_are_reported(cli_copy, start_sandbox):
    assert "INNSPECT_API_KEY" in failures(run_doctor(cli_copy, INNSPECT_API_KEY="another"))["key"]
    assert "INNSPECT_API_KEY" in failures(run_doctor(cli_copy, INNSPECT_API_KEY=""))["key"]
    cli_copy.url = start_sandbox("--balance", "0").url
    assert "top" in failures(run_doctor(cli_copy))["credit"]
    cli_copy.url = start_sandbox("--balance", "100").url
    assert failures(run_doctor(cli_copy)) == {}
    assert "reserves" in failures(run_doctor(cli_copy, INNSPECT_BUDGET__KEEP_BALANCE_RUB="100"))["credit"]


def test_used_up_credit_exits_with_4_and_a_reserved_one_with_1(start_sandbox, tmp_path):
    empty = Cli(tmp_path / "home", start_sandbox("--balance", "0").url)
    assert empty("doctor").code == 4
    assert "FAIL credit       0.00 RUB on the account; top up the account" in empty("doctor").out
    reserved = Cli(tmp_path / "home", start_sandbox("--balance", "100").url)
    assert reserved("doctor", INNSPECT_BUDGET__KEEP_BALANCE_RUB="100").code == 1
    assert reserved("doctor").code == 0


@pytest.fixture
def clock():
    """A service whose clock is as far from ours as `ahead` says."""

    class Handler(BaseHTTPRequestHandler):
        ahead = timedelta()

        def do_GET(self):
            body = b'{"balance": 500.0}'
            self.send_response_only(200)
            self.send_header("Date", format_datetime(datetime.now(UTC) + Handler.ahead, usegmt=True))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", Handler
    server.shutdown()


@pytest.mark.parametrize(("ahead", "says"), [(3, "behind"), (-3, "ahead of"), (0, None)])
def test_clock_skew_is_reported(cli_copy, clock, ahead, says):
    cli_copy.url, handler = clock
    handler.ahead = timedelta(hours=ahead)
    says_of = failures(run_doctor(cli_copy))
    if says is None:
        assert says_of == {}
    else:
        assert set(says_of) == {"clock"}
        assert f"{says} the service" in says_of["clock"]
        assert "timedatectl" in says_of["clock"]


def test_nearly_full_disk_is_reported(tmp_path, monkeypatch):
    settings = load_settings(None, {}, {"home": tmp_path})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**12, 10**12, 10**6))
    (finding,) = checks.disk(settings)
    assert not finding.ok
    assert "free some" in finding.says


def test_wrong_package_versions_are_reported(monkeypatch, tmp_path):
    settings = load_settings(None, {}, {"home": tmp_path})
    (finding,) = checks.versions(settings)
    assert finding.ok

    def other(name: str) -> str:
        if name == "zstandard":
            raise metadata.PackageNotFoundError(name)
        return {"duckdb": "0.9.2"}.get(name) or metadata.version(name)

    monkeypatch.setattr(checks, "version", other)
    (finding,) = checks.versions(settings)
    assert not finding.ok
    assert "duckdb 0.9.2 is not ==" in finding.says
    assert "zstandard is missing" in finding.says
    assert "make demo" in finding.says


@pytest.mark.parametrize(
    ("cores", "says"),
    [
        (2, "auto: this process; a cluster needs 4 cores, there are 2"),
        (8, "auto: this process, and a Dask cluster of 7 workers for `rebuild` from 2 000 responses on"),
    ],
)
def test_effect_of_auto_is_shown(monkeypatch, cores, says):
    monkeypatch.setattr(executors, "usable_cores", lambda: cores)
    monkeypatch.setattr(executors, "usable_memory", lambda: 64 * 2**30)
    assert list(checks.compute(load_settings(None, {}, {}))) == [checks.Finding("compute", ok=True, says=says)]


def test_missing_scheduler_and_scheduler_without_workers(monkeypatch, tmp_path):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 1)
    with pytest.raises(SettingsError, match="dask scheduler"):
        list(checks.compute(load_settings(None, {"INNSPECT_COMPUTE": "tcp://127.0.0.1:9"}, {})))
    with Cluster(tmp_path, workers=0) as empty:
        (found,) = checks.compute(load_settings(None, {"INNSPECT_COMPUTE": empty.address}, {}))
    assert found.warning
    assert "has no workers" in found.says
    (found,) = checks.compute(load_settings(None, {}, {"compute": ""}))
    assert found.says == "this process"


def test_a_missing_archive_file_is_reported_before_and_after_a_rebuild(cli_copy):
    """Every remaining file is sound: without a look at the rows and the calls nothing would be said."""
    files = sorted((cli_copy.home / "archive" / "answers").glob("*.parquet"))
    lost = "SELECT count(*), sum(charged_rub) FROM lineage.responses WHERE archive_file = ?"
    ((count, price),) = cli_copy.sql(lost, f"answers/{files[0].name}")
    files[0].unlink()
    assert f"answers/{files[0].name}" in failures(run_doctor(cli_copy))["evidence"]
    rebuilt = cli_copy("rebuild")
    assert rebuilt.code == 0
    assert f"Warning: {count} paid response" in rebuilt.err
    assert f"{price:.2f} RUB" in rebuilt.err
    is_ok, says = run_doctor(cli_copy)["evidence"]
    assert is_ok
    assert says.startswith(f"{count} paid response")
