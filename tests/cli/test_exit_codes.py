"""Failures: one sentence on stderr that says what to do, the exit code, and no paid response lost."""

import json
import signal
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from os import statvfs
from threading import Event, Thread

import duckdb
import pytest

from innspect.cli import main
from innspect.extract.ledger.disk_reserve import BYTES_PER_CALL
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import ACCOUNT, METHODS, PING
from innspect.warehouse.interrupts import interruptible
from tests.conftest import SMALL_DISK_BYTES
from tests.support.cli import COMPANIES, INNS, Cli, assert_fails, assert_money_adds_up, rub, write_portfolio

LONG = pytest.mark.long
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
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
        (None, ("nowhere.csv", "name an existing file")),
        (b"", ("nowhere.csv",)),
        (b"\xff\xfe\x00\x98broken", ("nowhere.csv",)),
        (b"name;city\nA;B\nC;D\n", ("inn", "name, city")),
        (b"inn\n1234567890\n12\n", ("valid INN", "correct the file")),
        (b"inn;name\n", ("nowhere.csv has a header and no rows below it", "add lines with INNs")),
    ],
    ids=["missing", "empty", "binary", "no column", "no valid INN", "no rows"],
)
def test_unreadable_portfolio_is_rejected(cli_without_home, service, tmp_path, text, words):
    path = tmp_path / "nowhere.csv"
    if text is not None:
        path.write_bytes(text)
    assert_fails(cli_without_home.run(path), 2, *words)
    assert service.bill_total() == 0
    assert not cli_without_home.home.exists()


@pytest.mark.parametrize(
    ("flags", "environ", "words"),
    [
        (["--profile", "everything"], {}, ("everything", "full, monitor, light")),
        (["--budget", "much"], {}, ("--budget much is not an amount; write 500 or 500.50",)),
        (["--budget", "-1"], {}, ("--budget -1 is not an amount",)),
        (["--budget", "1.005"], {}, ("--budget 1.005 is not an amount",)),
        (["--base-url", "ftp://here"], {}, ("--base-url ftp://here", "http://")),
        (["--config", "not-there.toml"], {}, ("not-there.toml", "--config")),
        ([], {"INNSPECT_BUDGET__RUN_ROUBLES": "5"}, ("write INNSPECT_BUDGET__RUN_RUB", "environment")),
        ([], {"INNSPECT_API_KEY": ""}, ("INNSPECT_API_KEY",)),
        ([], {"INNSPECT_BASE_URL": ""}, ("service.base_url", "--sandbox")),
        (["--home", "/dev/null/home"], {}, ("/dev/null/home", "--home")),
        (["--expand", "boss"], {}, ("--expand boss is not valid: it must be 'directors', 'founders'",)),
        (
            ["--depth", "9"],
            {},
            ("--depth 9 is not valid: it must be less than or equal to 3; see `innspect run --help`",),
        ),
        ([], {"INNSPECT_BASE_URL": "foo"}, ("environment (INNSPECT_BASE_URL)", "http://")),
        (["--no-such-flag"], {}, ("--no-such-flag",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_invalid_setting_is_rejected(cli, service, small_portfolio, flags, environ, words):
    done = cli.run(small_portfolio, *flags, **environ)
    assert done.json == {"error": assert_fails(done, 2, *words), "exit_code": 2}
    assert service.bill_total() == 0


def test_unknown_settings_key_is_reported_with_its_file(cli, small_portfolio, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[service]\nbase_uri = 'http://localhost'\n")
    assert_fails(cli.run(small_portfolio, "--config", path), 2, "service.base_uri", "mine.toml")


def test_refused_key_exits_with_4(cli, service, small_portfolio):
    done = cli.run(small_portfolio, INNSPECT_API_KEY="not-the-key")
    assert_fails(done, 4, "INNSPECT_API_KEY")
    assert done.json["calls"] == 0
    assert service.bill_total() == 0
    assert cli.value("SELECT exit_code FROM lineage.runs") == 4


@pytest.mark.long
@pytest.mark.parametrize(("faults", "word"), [(KEY_REVOKED, "key"), pytest.param(NO_CREDIT, "credit", marks=LONG)])
def test_refusal_during_a_run_keeps_what_was_paid(start_faulty_sandbox, make_cli, portfolio, faults, word):
    service = start_faulty_sandbox(faults)
    cli = make_cli(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "1"})
    done = cli.run(portfolio)
    assert_fails(done, 4, word)
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
    assert rub(done.json["charged_rub"]) == service.bill_total() > 0
    assert cli.value("SELECT count(DISTINCT inn) FROM current.company") == 2
    service.reset()
    again = cli.run(portfolio)
    assert again.code in (0, 4)
    assert len({charge["inn"] for charge in service.charges()} & set(COMPANIES[:2])) == 0


def test_unreachable_service_exits_with_6(cli, small_portfolio):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    done = cli.run(small_portfolio, "--base-url", f"http://127.0.0.1:{port}")
    assert_fails(done, 6, "service.base_url")
    assert done.json["charged_rub"] == done.json["unknown_rub"] == "0.00"


@pytest.mark.long
def test_run_stops_early_if_the_service_only_fails(start_faulty_sandbox, make_cli, tmp_path):
    service = start_faulty_sandbox(BROKEN)
    cli = make_cli(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "2"})
    done = cli.run(write_portfolio(tmp_path / "many.csv", INNS))
    assert done.code == 6, done
    assert 10 <= done.json["calls"] <= 12
    assert done.json["planned_calls"] > 20
    assert_fails(done, 6, "run again")
    assert_money_adds_up(cli, service)


def test_damaged_warehouse_is_reported_before_any_call(cli, service, small_portfolio):
    cli.warehouse.write_text("nothing but text, and enough of it to look like a file of some kind\n" * 100)
    assert_fails(cli.run(small_portfolio), 1, "warehouse.duckdb", "rebuild")
    assert service.bill_total() == 0
    assert_fails(cli("sql", "SELECT 1"), 1, "warehouse.duckdb", "rebuild")


def test_zero_budget_makes_no_calls(cli, service, small_portfolio):
    done = cli.run(small_portfolio, "--budget", "0")
    assert_fails(done, 3, "4 INNs", "--budget")
    assert done.json["calls"] == done.json["planned_calls"] == 0
    assert done.json["skipped_for_budget"] == 4
    assert service.charges() == []


def test_budget_skips_whole_inns(cli, service, portfolio):
    done = cli.run(portfolio, "--budget", "100")
    assert_fails(done, 3, "--budget")
    settled, unknown = assert_money_adds_up(cli, service, 100)
    assert (settled, unknown) == (service.bill_total(), 0)
    assert done.json["skipped_for_budget"] > 0
    asked = cli.sql("SELECT inn, count(*) FROM lineage.calls GROUP BY inn")
    assert len(asked) == len(INNS) - done.json["skipped_for_budget"]
    assert all(calls >= (2 if len(inn) == 10 else 5) for inn, calls in asked)


@pytest.mark.parametrize("cap", ["DAY_RUB", pytest.param("MONTH_RUB", marks=LONG)])
def test_day_and_month_caps_hold_across_runs(cli, service, small_portfolio, cap):
    environ = {f"INNSPECT_BUDGET__{cap}": "60"}
    first = cli.run(small_portfolio, **environ)
    assert first.code == 3
    second = cli.run(small_portfolio, "--refresh", **environ)
    assert_fails(second, 3, "budget")
    assert assert_money_adds_up(cli, service, 60) == (service.bill_total(), 0)
    assert all(
        calls == 2 for (calls,) in cli.sql("SELECT count(*) FROM lineage.calls WHERE length(inn) = 10 GROUP BY inn")
    )


@pytest.mark.long
def test_reserved_account_balance_is_not_spent(start_sandbox, make_cli, portfolio):
    service = start_sandbox("--balance", "500")
    cli = make_cli(service.url, {"INNSPECT_BUDGET__KEEP_BALANCE_RUB": "400"})
    done = cli.run(portfolio)
    assert_fails(done, 3, "budget")
    assert 0 < service.bill_total() <= 100
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)
    assert all(
        calls == 2
        for (calls,) in cli.sql("SELECT count(*) FROM lineage.calls WHERE method IN ('full-check', 'contacts') GROUP BY inn")
    )  # fmt: skip


@pytest.mark.long
def test_locked_stores_exit_with_5(cli, service, start_faulty_sandbox, small_portfolio):
    slow = start_faulty_sandbox(SLOW)
    running = cli.start("run", small_portfolio, "--direct", "--json", INNSPECT_BASE_URL=slow.url)
    try:
        wait_until(lambda: slow.bill_total() > 0)
        time.sleep(0.5)
        # Stopped while it waits for a response, so that it holds its stores on a slow machine, too.
        running.send_signal(signal.SIGSTOP)
        assert_fails(cli.run(small_portfolio), 5, str(running.pid), "--home")
        assert service.bill_total() == 0
        assert_fails(cli("rebuild"), 5, "holds the stores")
        status = cli.status()
        assert status["running"] is True
        assert rub(status["reserved_rub"]) + rub(status["settled_rub"]) > 0
    finally:
        running.send_signal(signal.SIGCONT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert cli.status()["running"] is False
    assert assert_money_adds_up(cli, slow) == (slow.bill_total(), 0)


def wait_until(holds, seconds: float = 30.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "the condition never held"
        time.sleep(0.02)


@pytest.mark.long
def test_call_without_usable_response_exits_with_6(start_faulty_sandbox, make_cli, small_portfolio):
    service = start_faulty_sandbox(NEVER_SENT)
    cli = make_cli(service.url)
    done = cli.run(small_portfolio)
    assert_fails(done, 6, "run again")
    assert done.json["unknown_rub"] == "18.00"
    settled, unknown = assert_money_adds_up(cli, service)
    assert unknown == 18
    assert settled + unknown == service.bill_total()
    again = cli.run(small_portfolio)
    assert again.code == 0, again
    assert again.json["calls"] == 1
    assert cli.value("SELECT count(*) FROM current.company") == 4
    assert assert_money_adds_up(cli, service) == (service.bill_total() - 18, 18)


def test_suppressed_ctrl_c_is_raised_again():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), interruptible(), suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_duckdb_interruption_exits_with_130(monkeypatch, capsys):
    connection, over = duckdb.connect(), Event()

    def interrupting():
        while not over.wait(0.1):
            connection.interrupt()

    def interrupted(*_, **__):
        Thread(target=interrupting, daemon=True).start()
        connection.execute("SELECT count(*) FROM range(10_000_000_000) a, range(1000) b").fetchall()

    monkeypatch.setattr(main, "app", interrupted)
    with pytest.raises(SystemExit) as left:
        main.main(["plan"])
    over.set()
    assert left.value.code == 130
    assert capsys.readouterr().err.startswith("innspect: Interrupted")


@pytest.fixture
def ignored_sigint():
    """Processes started during the test ignore SIGINT, as background jobs of a script do."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.long
@pytest.mark.usefixtures("ignored_sigint")
def test_sigterm_stops_a_background_run_gracefully(start_faulty_sandbox, make_cli, portfolio):
    service = start_faulty_sandbox(SLOW)
    cli = make_cli(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "6"})
    running = cli.start("run", portfolio, "--direct")
    wait_until(lambda: service.bill_total() > 0, 90)
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.splitlines()[-1].startswith("innspect: Interrupted")
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)


@pytest.mark.parametrize(
    ("prefect", "by"),
    [
        (False, signal.SIGINT),
        *(pytest.param(*case, marks=LONG) for case in ((False, signal.SIGTERM), *((True, by) for by in STOP_SIGNALS))),
    ],
)
def test_interrupted_run_loads_what_it_received(start_faulty_sandbox, make_cli, tmp_path, portfolio, prefect, by):
    service = start_faulty_sandbox(SLOW)
    cli = make_cli(service.url, {"INNSPECT_SERVICE__CONCURRENCY": "6"})
    cli.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    running = cli.start("run", portfolio, "--json", "--prefect" if prefect else "--direct")
    wait_until(lambda: service.bill_total() > 0, 90)
    running.send_signal(by)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    sentence = err.splitlines()[-1].removeprefix("innspect: ")
    assert sentence.startswith("Interrupted")
    assert json.loads(out) == {"error": sentence, "exit_code": 130}
    settled, unknown = assert_money_adds_up(cli, service)
    assert (settled, unknown) == (service.bill_total(), 0)
    assert cli.value("SELECT count(*) FROM lineage.responses") == len(service.charges()) > 0
    assert cli.value("SELECT exit_code FROM lineage.runs") == 130
    paid = service.bill_total()
    again = cli.run(portfolio, "--no-repair")
    assert again.code == 0, again
    assert rub(again.json["charged_rub"]) == service.bill_total() - paid
    calls = [(charge["inn"], charge["method"]) for charge in service.charges()]
    assert len(calls) == len(set(calls))
    assert cli.value("SELECT count(*) FROM current.company") == len(INNS)


@pytest.mark.parametrize(
    "free", [0, *(pytest.param(size, marks=LONG) for size in (700_000, 1_500_000, 3_000_000, 6_000_000))]
)
def test_full_disk_loses_no_paid_response(service, portfolio, small_disk, free):
    cli = Cli(small_disk / "home", service.url)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (SMALL_DISK_BYTES - free))
    done = cli.run(portfolio)
    if done.code:
        assert_fails(done, done.code, "ree some")
        assert done.code in (1, 2)
    paid = service.bill_total()
    ballast.unlink()
    again = cli.run(portfolio, "--no-repair")
    assert again.code in (0, 6), again
    calls = [(charge["inn"], charge["method"]) for charge in service.charges()]
    settled, unknown = assert_money_adds_up(cli, service)
    assert (settled, unknown) == (service.bill_total(), 0)
    assert len(calls) == len(set(calls))
    assert paid <= service.bill_total()
    assert cli.value("SELECT count(*) FROM current.company") == len(INNS)


@pytest.mark.parametrize("stores", [("LEDGER",), ("LEDGER", "ARCHIVE")])
@pytest.mark.long
def test_a_disk_that_fills_during_a_run_loses_no_paid_response(service, tmp_path, small_disk, stores):
    places = {f"INNSPECT_STORES__{name}": str(small_disk / name) for name in stores}
    cli = Cli(tmp_path / "home", service.url, places)
    inns = sample_inns(40, 5)
    first, rest = tmp_path / "first.csv", tmp_path / "rest.csv"
    first.write_text("\n".join(inns[:1]))
    rest.write_text("\n".join(inns[1:]))
    assert cli.run(first, "--budget", "1000").code in (0, 6)
    free = statvfs(small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - 32 * BYTES_PER_CALL - 300_000))
    done = cli.run(rest, "--budget", "1000", "--no-repair")
    assert_fails(done, 1, "No space is left")
    paid = service.bill_total()
    status = cli.status()
    assert (rub(status["settled_rub"]), status["unknown_calls"]) == (paid, 0)
    ballast.unlink()
    assert cli.run(rest, "--budget", "1000", "--no-repair").code in (0, 6)
    calls = [(charge["inn"], charge["method"]) for charge in service.charges()]
    assert len(calls) == len(set(calls))
    assert cli.value("SELECT count(*) FROM current.company") == len(inns)


@pytest.mark.parametrize(("days", "words"), [(40, "ahead of the service"), (-2, "behind the service")])
def test_a_wrong_clock_makes_no_call(service, portfolio, tmp_path, days, words):
    at = datetime.now(UTC) + timedelta(days=days)
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_SERVICE__MAX_CLOCK_SKEW_SECONDS": "600"}, started_at=at)
    assert_fails(cli.run(portfolio), 2, words, "timedatectl")
    assert_fails(cli("probe", INNS[0], "--yes", "--json"), 2, words, "timedatectl")
    assert service.bill_total() == 0


@pytest.mark.long
def test_responses_of_a_time_ahead_are_named_with_what_to_do(service, small_portfolio, tmp_path):
    ahead = datetime.now(UTC) + timedelta(days=400)
    limits = ("--profile", "light", "--budget", "500")
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_SERVICE__MAX_CLOCK_SKEW_SECONDS": "0"}, started_at=ahead)
    assert cli.run(small_portfolio, *limits).code in (0, 6)
    assert cli("doctor").out.count("WARN times") == 0
    # The clock is right again.
    paid, cli = service.bill_total(), Cli(tmp_path / "home", service.url)
    (told,) = [check for check in cli("doctor", "--json").json["checks"] if check["check"] == "times"]
    assert (told["ok"], told["warning"]) == (True, True)
    words = (f"{ahead:%Y-%m-%d}", "time in the future", "timedatectl", "innspect rebuild")
    assert all(word in told["says"] for word in words), told
    planned = cli("plan", small_portfolio, *limits)
    assert all(word in planned.err for word in words), planned
    assert "Plan: no calls; the answers about 4 INNs are recent enough." in planned.out
    # What the sentence proposes: without these files later responses count.
    (run_id,) = {run_id for (run_id,) in cli.sql("SELECT run_id FROM lineage.responses")}
    assert f"(run {run_id})" in told["says"]
    for file in (cli.home / "archive").rglob(f"{run_id}*"):
        file.unlink()
    assert cli("rebuild").code == 0
    assert cli.run(small_portfolio, *limits).code in (0, 6)
    assert service.bill_total() > paid
    assert cli.value("SELECT count(*) FROM lineage.responses WHERE asked_at > now()::TIMESTAMP + INTERVAL 1 DAY") == 0


def test_a_run_without_space_for_responses_makes_no_call(service, portfolio, small_disk):
    cli = Cli(small_disk / "home", service.url)
    cli("plan", portfolio)
    free = statvfs(small_disk)
    (small_disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - 2_000_000))
    assert_fails(cli.run(portfolio), 1, "free some and run again")
    assert service.bill_total() == 0


@pytest.mark.parametrize("place", [0, 1, -1])
def test_debug_shows_a_traceback_anywhere_on_the_line(cli, tmp_path, place):
    words = ["run", str(tmp_path / "nowhere.csv"), "--direct"]
    words.insert(place if place >= 0 else len(words), "--debug")
    done = cli(*words)
    assert done.code == 2
    assert "Traceback (most recent call last)" in done.err
    assert done.err.splitlines()[-1].startswith("innspect: ")
