"""Each finding of `doctor`, by making the fault: it is named, with what mends it, and what mends it does."""

import shutil
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata

import duckdb
import pytest

from innspect.cli import doctor as command
from innspect.cli import doctor_checks as findings
from innspect.schemas.settings import load_settings
from tests.flows.conftest import House, written

NOWHERE = "127.0.0.1:9"


def checks(house: House, *words: str, **environ: str) -> dict[str, tuple[bool, str]]:
    """Every check: whether it is ok, and what it says; of several of a name, the last that is not."""
    done = house("doctor", "--json", *words, **environ)
    found: dict[str, tuple[bool, str]] = {}
    for check in done.json["checks"]:
        if check["check"] not in found or not check["ok"]:
            found[check["check"]] = (check["ok"], check["says"])
    assert done.json["ok"] == all(ok for ok, _ in found.values()) == (done.code == 0), done
    return found


def wrong(found: dict[str, tuple[bool, str]]) -> dict[str, str]:
    return {name: says for name, (ok, says) in found.items() if not ok}


@pytest.fixture(scope="module")
def lived(_calm, tmp_path_factory) -> House:
    folder = tmp_path_factory.mktemp("lived")
    house = House(folder / "home", _calm.url)
    assert house.run(written(folder / "one.csv", ["7707083893"])).code in (0, 6)
    return house


@pytest.fixture
def copied(lived, tmp_path) -> House:
    shutil.copytree(lived.home, tmp_path / "home")
    return House(tmp_path / "home", lived.url)


def test_a_home_in_order_and_one_that_is_not_there_yet(copied, tmp_path):
    found = checks(copied)
    assert wrong(found) == {}
    assert {
        "versions",
        "disk",
        "permissions",
        "lock",
        "ledger",
        "archive",
        "warehouse",
        "key",
        "credit",
        "clock",
    } <= set(found)
    assert "prefect" not in found
    assert wrong(checks(House(tmp_path / "nobody", copied.url))) == {}
    assert not (tmp_path / "nobody").exists()


def test_what_ails_a_home_is_found_together_and_mended(copied):
    (copied.home / "ledger.sqlite").chmod(0o644)
    (copied.home / "archive" / "answers").chmod(0o755)
    (copied.home / "innspect.lock").write_text("4194300\n")
    with sqlite3.connect(copied.home / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE totals SET settled = settled + 1 WHERE scope = 'all'")
        ledger.execute(
            "INSERT INTO outbox SELECT 'waiting', call_id, run_id, 1, reserved_at, 2, '', 0, x'00' FROM calls LIMIT 1"
        )
    with duckdb.connect(str(copied.warehouse)) as warehouse:
        warehouse.execute("UPDATE lineage.runs SET software_version = '99.1.0+abc'")
    says = wrong(checks(copied))
    assert set(says) == {"permissions", "lock", "ledger", "outbox", "warehouse"}
    assert "ledger.sqlite" in says["permissions"]
    assert "answers" in says["permissions"]
    assert f"`chmod -R go-rwx {copied.home}`" in says["permissions"]
    assert "4194300" in says["lock"]
    assert "innspect plan" in says["lock"]
    assert "total of all" in says["ledger"]
    assert "put back a copy" in says["ledger"]
    assert "1 answers wait" in says["outbox"]
    assert "innspect plan" in says["outbox"]
    assert "99.1.0" in says["warehouse"]


def test_pages_of_the_ledger_that_are_damaged(copied):
    path = copied.home / "ledger.sqlite"
    with sqlite3.connect(path) as ledger:
        page = ledger.execute("SELECT rootpage FROM sqlite_master WHERE name = 'calls_asked'").fetchone()[0]
        size = ledger.execute("PRAGMA page_size").fetchone()[0]
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[(page - 1) * size + size - 60 : (page - 1) * size + size - 20] = b"\x01" * 40
    path.write_bytes(data)
    assert "copy" in wrong(checks(copied))["ledger"]


def test_servers_that_do_not_answer(copied):
    # The database is of the other kind: nothing of this home is in it.
    environ = {
        "INNSPECT_STORES__LEDGER": f"postgresql+psycopg://somebody:hidden-word@{NOWHERE}/money",
        "PREFECT_API_URL": f"http://{NOWHERE}/api",
        "INNSPECT_BASE_URL": f"http://{NOWHERE}",
        "INNSPECT_SERVICE__RETRIES": "0",
    }
    says = wrong(checks(copied, **environ))
    assert set(says) == {"ledger", "prefect", "service"}
    assert "stores.ledger" in says["ledger"]
    assert "hidden-word" not in str(says)
    assert "server start" in says["prefect"]
    assert "service.base_url" in says["service"]


@pytest.mark.long
def test_a_key_that_is_refused_and_credit_that_is_used_up(copied, starting):
    assert "INNSPECT_API_KEY" in wrong(checks(copied, INNSPECT_API_KEY="another"))["key"]
    assert "INNSPECT_API_KEY" in wrong(checks(copied, INNSPECT_API_KEY=""))["key"]
    copied.url = starting("--balance", "0").url
    assert "top" in wrong(checks(copied))["credit"]
    copied.url = starting("--balance", "100").url
    assert wrong(checks(copied)) == {}
    assert "keeps" in wrong(checks(copied, INNSPECT_BUDGET__KEEP_BALANCE_RUB="100"))["credit"]


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
def test_a_clock_that_is_off(copied, clock, ahead, says):
    copied.url, handler = clock
    handler.ahead = timedelta(hours=ahead)
    told = wrong(checks(copied))
    if says is None:
        assert told == {}
    else:
        assert set(told) == {"clock"}
        assert f"{says} the service" in told["clock"]
        assert "timedatectl" in told["clock"]


def test_a_disk_that_is_nearly_full(tmp_path, monkeypatch):
    settings = load_settings(None, {}, {"home": tmp_path})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**12, 10**12, 10**6))
    (found,) = findings.disk(settings)
    assert not found.ok
    assert "make room" in found.says


def test_packages_that_are_not_what_the_program_is_made_for(monkeypatch, tmp_path):
    settings = load_settings(None, {}, {"home": tmp_path})
    (found,) = command.versions(settings)
    assert found.ok

    def other(name: str) -> str:
        if name == "zstandard":
            raise metadata.PackageNotFoundError(name)
        return {"duckdb": "0.9.2"}.get(name) or metadata.version(name)

    monkeypatch.setattr(command, "version", other)
    (found,) = command.versions(settings)
    assert not found.ok
    assert "duckdb 0.9.2 is not ==" in found.says
    assert "zstandard is missing" in found.says
    assert "make demo" in found.says
