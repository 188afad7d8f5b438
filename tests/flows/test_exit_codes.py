"""What goes wrong: one sentence on stderr that says what to do, the exit code, and nothing lost."""

import signal
import socket
import time
from contextlib import suppress
from threading import Event, Thread

import duckdb
import pytest

from innspect.cli import main as cli
from innspect.schemas.catalogue import ACCOUNT, METHODS, PING
from innspect.warehouse.interrupts import interruptible
from tests.conftest import SMALL_DISK
from tests.flows.conftest import COMPANIES, INNS, House, money_holds, rub, told, written

LONG = pytest.mark.long
ENDINGS = (signal.SIGINT, signal.SIGTERM)
KEY_REVOKED = '[[script]]\nfault = "key_revoked"\nmethod = "full-check"\nnth = 3\n'
NO_CREDIT = '[[script]]\nfault = "no_credit"\nmethod = "full-check"\nnth = 3\n'
NEVER_SENT = '[[script]]\nfault = "never_sent"\nmethod = "full-check"\nnth = 1\n'
SLOW = 'slow_seconds = 3.0\n[[script]]\nfault = "slow"\nmethod = "contacts"\nnth = 0\n'
BROKEN = "".join(
    f'[[script]]\nfault = "http_502"\nmethod = "{method}"\nnth = 0\n'
    for method in METHODS
    if method not in (PING, ACCOUNT)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ("nowhere.csv", "name a file")),
        (b"", ("nowhere.csv",)),
        (b"\xff\xfe\x00\x98broken", ("nowhere.csv",)),
        (b"name;city\nA;B\nC;D\n", ("inn", "name, city")),
        (b"inn\n1234567890\n12\n", ("valid INN", "correct the file")),
    ],
    ids=["missing", "empty", "binary", "no column", "no valid INN"],
)
def test_a_portfolio_that_is_none(bare, service, tmp_path, text, words):
    path = tmp_path / "nowhere.csv"
    if text is not None:
        path.write_bytes(text)
    told(bare.run(path), 2, *words)
    assert service.billed() == 0
    assert not bare.home.exists()


@pytest.mark.parametrize(
    ("flags", "environ", "words"),
    [
        (["--profile", "everything"], {}, ("everything", "full, monitor, light")),
        (["--budget", "much"], {}, ("budget.run_rub",)),
        (["--budget", "-1"], {}, ("budget.run_rub",)),
        (["--budget", "1.005"], {}, ("budget.run_rub",)),
        (["--base-url", "ftp://here"], {}, ("service.base_url",)),
        (["--config", "not-there.toml"], {}, ("not-there.toml", "--config")),
        ([], {"INNSPECT_BUDGET__RUN_ROUBLES": "5"}, ("run_roubles", "environment")),
        ([], {"INNSPECT_API_KEY": ""}, ("INNSPECT_API_KEY",)),
        ([], {"INNSPECT_BASE_URL": ""}, ("service.base_url", "--sandbox")),
        (["--home", "/dev/null/home"], {}, ("/dev/null/home", "--home")),
        (["--no-such-flag"], {}, ("--no-such-flag",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_setting_that_is_wrong(house, service, few, flags, environ, words):
    told(house.run(few, *flags, **environ), 2, *words)
    assert service.billed() == 0


def test_an_unknown_key_of_the_settings_file_is_named_with_the_file(house, few, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[service]\nbase_uri = 'http://localhost'\n")
    told(house.run(few, "--config", path), 2, "service.base_uri", "mine.toml")


def test_a_bad_key(house, service, few):
    done = house.run(few, INNSPECT_API_KEY="not-the-key")
    told(done, 4, "INNSPECT_API_KEY")
    assert done.json["calls"] == 0
    assert service.billed() == 0
    assert house.one("SELECT exit_code FROM lineage.runs") == 4


@pytest.mark.parametrize(("faults", "word"), [(KEY_REVOKED, "key"), pytest.param(NO_CREDIT, "credit", marks=LONG)])
def test_refused_in_the_middle(faulty, settling, portfolio, faults, word):
    service = faulty(faults)
    house = settling(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "1"})
    done = house.run(portfolio)
    told(done, 4, word)
    assert money_holds(house, service) == (service.billed(), 0)
    assert rub(done.json["charged_rub"]) == service.billed() > 0
    assert house.one("SELECT count(DISTINCT inn) FROM current.company") == 2
    service.reset()
    again = house.run(portfolio)
    assert again.code in (0, 4)
    assert len({one["inn"] for one in service.charges()} & set(COMPANIES[:2])) == 0


def test_a_service_that_is_not_there(house, few):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = house.run(few, "--base-url", f"http://127.0.0.1:{port}")
    told(done, 6, "service.base_url")
    assert done.json["charged_rub"] == done.json["unknown_rub"] == "0.00"


def test_a_service_that_answers_nothing_but_faults_is_not_asked_to_the_end(faulty, settling, tmp_path):
    service = faulty(BROKEN)
    house = settling(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "2"})
    done = house.run(written(tmp_path / "many.csv", INNS))
    assert done.code == 6, done
    assert 10 <= done.json["calls"] <= 12
    assert done.json["planned_calls"] > 20
    told(done, 6, "run again")
    money_holds(house, service)


def test_a_warehouse_that_is_no_database(house, service, few):
    house.warehouse.write_text("nothing but text, and enough of it to look like a file of some kind\n" * 100)
    told(house.run(few), 1, "warehouse.duckdb", "rebuild")
    assert service.billed() == 0
    told(house("sql", "SELECT 1"), 1, "warehouse.duckdb", "rebuild")


def test_a_budget_of_nothing(house, service, few):
    done = house.run(few, "--budget", "0")
    told(done, 3, "4 INNs", "--budget")
    assert done.json["calls"] == done.json["planned_calls"] == 0
    assert done.json["skipped_for_budget"] == 4
    assert service.charges() == []


def test_the_budget_ends_and_inns_are_left_out_whole(house, service, portfolio):
    done = house.run(portfolio, "--budget", "100")
    told(done, 3, "--budget")
    settled, unknown = money_holds(house, service, 100)
    assert (settled, unknown) == (service.billed(), 0)
    assert done.json["skipped_for_budget"] > 0
    asked = house.sql("SELECT inn, count(*) FROM lineage.calls GROUP BY inn")
    assert len(asked) == len(INNS) - done.json["skipped_for_budget"]
    assert all(calls >= (2 if len(inn) == 10 else 5) for inn, calls in asked)


@pytest.mark.parametrize("cap", ["DAY_RUB", pytest.param("MONTH_RUB", marks=LONG)])
def test_the_cap_of_a_day_or_month_binds_over_runs(house, service, few, cap):
    environ = {f"INNSPECT_BUDGET__{cap}": "60"}
    first = house.run(few, **environ)
    assert first.code == 3
    second = house.run(few, "--refresh", **environ)
    told(second, 3, "budget")
    assert money_holds(house, service, 60) == (service.billed(), 0)
    assert all(
        calls == 2 for (calls,) in house.sql("SELECT count(*) FROM lineage.calls WHERE length(inn) = 10 GROUP BY inn")
    )


def test_what_is_to_stay_on_the_account_stays(starting, settling, portfolio):
    service = starting("--balance", "500")
    house = settling(service.url, {"INNSPECT_BUDGET__KEEP_BALANCE_RUB": "400"})
    done = house.run(portfolio)
    told(done, 3, "budget")
    assert 0 < service.billed() <= 100
    assert money_holds(house, service) == (service.billed(), 0)
    assert all(
        calls == 2
        for (calls,) in house.sql("SELECT count(*) FROM lineage.calls WHERE method IN ('full-check', 'contacts') GROUP BY inn")
    )  # fmt: skip


@pytest.mark.long
def test_stores_that_another_run_holds(house, service, faulty, few):
    slow = faulty(SLOW)
    running = house.start("run", few, "--direct", "--json", INNSPECT_BASE_URL=slow.url)
    try:
        until(lambda: slow.billed() > 0)
        time.sleep(0.5)
        # While it waits for an answer it is stopped: however slow this machine is, it holds its stores.
        running.send_signal(signal.SIGSTOP)
        told(house.run(few), 5, str(running.pid), "--home")
        assert service.billed() == 0
        told(house("rebuild"), 5, "holds the stores")
        status = house.status()
        assert status["running"] is True
        assert rub(status["reserved_rub"]) + rub(status["settled_rub"]) > 0
    finally:
        running.send_signal(signal.SIGCONT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert house.status()["running"] is False
    assert money_holds(house, slow) == (slow.billed(), 0)


def until(holds, seconds: float = 30.0) -> None:
    """Wait for something to happen."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_calls_without_a_usable_answer(faulty, settling, few):
    service = faulty(NEVER_SENT)
    house = settling(service.url)
    done = house.run(few)
    told(done, 6, "run again")
    assert done.json["unknown_rub"] == "18.00"
    settled, unknown = money_holds(house, service)
    assert unknown == 18
    assert settled + unknown == service.billed()
    again = house.run(few)
    assert again.code == 0, again
    assert again.json["calls"] == 1
    assert house.one("SELECT count(*) FROM current.company") == 4
    assert money_holds(house, service) == (service.billed() - 18, 18)


def test_ctrl_c_is_heard_whoever_drops_it():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), interruptible(), suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_duckdb_says_of_ctrl_c_is_ctrl_c(monkeypatch, capsys):
    connection, over = duckdb.connect(), Event()

    def interrupting():
        while not over.wait(0.1):
            connection.interrupt()

    def interrupted(*_, **__):
        Thread(target=interrupting, daemon=True).start()
        connection.execute("SELECT count(*) FROM range(10_000_000_000) a, range(1000) b").fetchall()

    monkeypatch.setattr(cli, "app", interrupted)
    with pytest.raises(SystemExit) as left:
        cli.main(["plan"])
    over.set()
    assert left.value.code == 130
    assert capsys.readouterr().err.startswith("innspect: Interrupted")


@pytest.fixture
def deaf():
    """Ctrl-C is ignored by what is started meanwhile, as by what a script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("deaf")
def test_a_background_job_ends_gently(faulty, settling, portfolio):
    service = faulty(SLOW)
    house = settling(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "6"})
    running = house.start("run", portfolio, "--direct")
    until(lambda: service.billed() > 0, 90)
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.splitlines()[-1].startswith("innspect: Interrupted")
    assert money_holds(house, service) == (service.billed(), 0)


@pytest.mark.parametrize(
    ("prefect", "by"),
    [
        (False, signal.SIGINT),
        *(pytest.param(*one, marks=LONG) for one in ((False, signal.SIGTERM), *((True, by) for by in ENDINGS))),
    ],
)
def test_interrupted(faulty, settling, tmp_path, portfolio, prefect, by):
    service = faulty(SLOW)
    house = settling(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "6"})
    house.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    running = house.start("run", portfolio, "--json", *([] if prefect else ["--direct"]))
    until(lambda: service.billed() > 0, 90)
    running.send_signal(by)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("innspect: Interrupted")
    assert out == ""
    settled, unknown = money_holds(house, service)
    assert (settled, unknown) == (service.billed(), 0)
    assert house.one("SELECT count(*) FROM lineage.responses") == len(service.charges()) > 0
    assert house.one("SELECT exit_code FROM lineage.runs") == 130
    paid = service.billed()
    again = house.run(portfolio, "--no-repair")
    assert again.code == 0, again
    assert rub(again.json["charged_rub"]) == service.billed() - paid
    asked = [(one["inn"], one["method"]) for one in service.charges()]
    assert len(asked) == len(set(asked))
    assert house.one("SELECT count(*) FROM current.company") == len(INNS)


@pytest.mark.parametrize(
    "free", [0, *(pytest.param(size, marks=LONG) for size in (700_000, 1_500_000, 3_000_000, 6_000_000))]
)
def test_a_full_disk(service, portfolio, small_disk, free):
    house = House(small_disk / "home", service.url)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (SMALL_DISK - free))
    done = house.run(portfolio)
    if done.code:
        told(done, done.code, "ree some")
        assert done.code in (1, 2)
    paid = service.billed()
    ballast.unlink()
    again = house.run(portfolio, "--no-repair")
    assert again.code in (0, 6), again
    asked = [(one["inn"], one["method"]) for one in service.charges()]
    settled, unknown = money_holds(house, service)
    if not unknown:
        assert settled == service.billed()
    assert len(asked) - len(set(asked)) <= house.status()["unknown_calls"]
    assert paid <= service.billed()
    assert house.one("SELECT count(*) FROM current.company") == len(INNS)


@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_traceback_only_with_debug_anywhere_on_the_line(house, tmp_path, place):
    words = ["run", str(tmp_path / "nowhere.csv"), "--direct"]
    words.insert(place if place >= 0 else len(words), "--debug")
    done = house(*words)
    assert done.code == 2
    assert "Traceback (most recent call last)" in done.err
    assert done.err.splitlines()[-1].startswith("innspect: ")
