"""What `run`, `status` and `doctor` say about the account: access status, spend, forecast and warnings."""

import json
import sqlite3
import threading
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.cli import COMPANIES, Cli, assert_no_call_paid_twice, rub, write_portfolio

ACCOUNT_FIELDS = [
    "balance_rub", "balance_at", "access_status", "is_active", "spend_30_days_rub", "reported_at", "response",
    "response_truncated", "ledger_spend_rub", "ledger_days", "forecast", "forecast_gap", "warnings",
]  # fmt: skip
FORECAST_FIELDS = ["rub_per_day", "source", "days", "until", "days_left"]
KEY = "a-key-of-this-test"


def today() -> date:
    return datetime.now(UTC).date()


def run_doctor(cli: Cli, **environ: str) -> tuple[dict, dict[str, dict]]:
    """The account and the findings of `doctor`, which must pass."""
    done = cli("doctor", "--json", **environ)
    assert done.code == 0, done
    return done.json["account"], {finding["check"]: finding for finding in done.json["checks"]}


def age_ledger(cli: Cli, days: int) -> None:
    """Move the spend of the ledger into the past."""
    with sqlite3.connect(cli.home / "ledger.sqlite") as ledger:
        for column, table in (("day", "calls"), ("period", "totals")):
            only = " WHERE scope = 'day'" if table == "totals" else ""
            ledger.execute(f"UPDATE {table} SET {column} = date({column}, '-{days} days'){only}")


@pytest.mark.parametrize("envelope", ["root", "data"])
def test_run_status_and_doctor_show_the_account(make_cli, start_sandbox, small_portfolio, envelope):
    service = start_sandbox("--envelope", envelope)
    cli = make_cli(service.url)
    done = cli.run(small_portfolio)
    billed = service.bill_total()
    account = done.json["account"]
    assert list(account) == ACCOUNT_FIELDS
    assert (account["access_status"], account["is_active"], account["spend_30_days_rub"]) == ("active", True, "0.00")
    assert json.loads(account["response"])["balance"] == 1_000_000
    assert (rub(account["ledger_spend_rub"]), account["ledger_days"]) == (billed, 1)
    assert account["forecast"] is None
    assert "needs 7" in account["forecast_gap"]
    assert account["warnings"] == []
    assert cli.status()["account"] == account

    of_doctor, findings = run_doctor(cli)
    assert rub(of_doctor["spend_30_days_rub"]) == billed
    assert rub(of_doctor["balance_rub"]) == 1_000_000 - billed
    assert of_doctor["forecast"] | {"source": "service", "days": 30} == of_doctor["forecast"]
    assert list(of_doctor["forecast"]) == FORECAST_FIELDS
    assert findings["access"] == {"check": "access", "ok": True, "says": "active", "warning": False}
    assert "30 days" in findings["spend"]["says"]
    status = cli.status()
    assert status["account"] == of_doctor
    assert status["balance_rub"] == of_doctor["balance_rub"]
    assert rub(status["settled_rub"]) == service.bill_total() == billed

    screen = cli("status").out
    assert "Access   active (reported by the service at" in screen
    assert "Forecast at " in screen
    assert "Warning" not in screen
    assert_no_call_paid_twice(service)


@pytest.mark.long
def test_forecast_uses_the_higher_rate(make_cli, start_sandbox, tmp_path):
    service = start_sandbox("--balance", "1000")
    cli = make_cli(service.url)
    cli.run(write_portfolio(tmp_path / "two.csv", COMPANIES[:2]), "--no-repair")
    billed = service.bill_total()
    age_ledger(cli, 9)
    run_doctor(cli)
    account = cli.status()["account"]
    assert (account["ledger_days"], rub(account["ledger_spend_rub"])) == (10, billed)
    assert (account["forecast"]["source"], account["forecast"]["days"]) == ("ledger", 10)
    assert rub(account["forecast"]["rub_per_day"]) == rub(billed / 10)
    days = int((1000 - billed) * 10 / billed)
    assert account["forecast"]["until"] == (today() + timedelta(days=days)).isoformat()
    assert account["forecast"]["days_left"] == days

    # Others spend from the account too: the service reports more than the ledger has.
    with sqlite3.connect(cli.home / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE account SET spend_30_days = 3000000")
    account = cli.status()["account"]
    assert (account["forecast"]["source"], account["forecast"]["rub_per_day"]) == ("service", "1000.00")
    assert account["forecast"]["days_left"] == 0


@pytest.mark.long
def test_low_balance_and_access_status_are_warnings(make_cli, start_sandbox, small_portfolio):
    cli = make_cli(start_sandbox("--balance", "2000", "--access-status", "blocked_soon").url)
    done = cli.run(small_portfolio)
    assert done.code == 0, done
    low, access = done.json["account"]["warnings"]
    assert "below the 30 000.00 RUB of budget.warn_balance_rub; how long it lasts is not known" in low
    assert "at least 30 000.00 RUB" in low
    assert '"blocked_soon"' in access
    assert "service.active_statuses" in access
    assert f"Warning: {low}\nWarning: {access}\n" in done.err

    _, findings = run_doctor(cli)
    for name, words in (("credit", "Plan a top-up"), ("access", "blocked_soon")):
        assert findings[name]["warning"], findings
        assert findings[name]["ok"]
        assert words in findings[name]["says"]
    screen = cli("doctor").out
    assert "WARN access       The access status" in screen
    assert "WARN credit       The balance of the account is" in screen
    screen = cli("status")
    assert screen.code == 0
    assert screen.out.count("Warning: ") == 2
    assert cli.status()["account"]["is_active"] is False

    settings = {"INNSPECT_BUDGET__WARN_BALANCE_RUB": "none", "INNSPECT_SERVICE__ACTIVE_STATUSES": '["Blocked_soon"]'}
    account, findings = run_doctor(cli, **settings)
    assert account["warnings"] == []
    assert account["is_active"] is True
    assert not any(finding["warning"] for finding in findings.values())
    assert "forecast: at" in findings["credit"]["says"]
    keep = rub(account["balance_rub"]) - 1
    account, _ = run_doctor(cli, **settings, INNSPECT_BUDGET__KEEP_BALANCE_RUB=str(keep))
    (used_up,) = account["warnings"]
    assert "Top up now" in used_up


def test_doctor_without_a_ledger_shows_the_account_and_stores_nothing(tmp_path, service):
    cli = Cli(tmp_path / "nobody", service.url)
    account, findings = run_doctor(cli)
    assert (account["access_status"], account["ledger_days"]) == ("active", 0)
    assert "by the ledger: no calls" in findings["spend"]["says"]
    assert not cli.home.exists()


@pytest.mark.long
def test_doctor_does_not_record_the_account_of_another_source(cli, service, start_sandbox, small_portfolio):
    cli.run(small_portfolio)
    before = cli.status()["account"]
    (cli.home / "answers.from").write_text("service\n")
    cli.url = start_sandbox("--balance", "77777", "--access-status", "odd").url
    account, _ = run_doctor(cli)
    assert (account["balance_rub"], account["access_status"]) == ("77777.00", "odd")
    assert cli.status()["account"] == before


@pytest.mark.long
def test_status_of_a_ledger_written_before_says_that_nothing_is_known(cli, small_portfolio):
    cli.run(small_portfolio)
    with sqlite3.connect(cli.home / "ledger.sqlite") as ledger:
        ledger.execute("DROP TABLE account")
    account = cli.status()["account"]
    assert (account["access_status"], account["response"], account["reported_at"]) == (None, None, None)
    assert "`account` was not requested yet" in cli("status").out
    run_doctor(cli)
    assert cli.status()["account"]["access_status"] == "active"


@pytest.fixture
def odd_service():
    """A service on loopback whose `account` returns the body that the test sets."""

    class Handler(BaseHTTPRequestHandler):
        body = b""

        def do_GET(self):
            body = Handler.body if self.path.endswith("/account") else b"{}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", Handler
    server.shutdown()


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "figures", "shown"),
    [
        (b'["who knows", 5]', (None, None, None), '["who knows", 5]'),
        pytest.param(b"<html>\n<p>\x1b[31mwelcome</p>", (None, None, None), "<html> <p> [31mwelcome</p>", marks=pytest.mark.long),
        pytest.param(b'{"geld": 5}', (None, None, None), '{"geld": 5}', marks=pytest.mark.long),
        pytest.param(b'{"balance": -12.5, "status": "active"}', ("-12.50", "active", None), '"balance": -12.5', marks=pytest.mark.long),
        (b'{"data": {"balance": "90 000", "access": true, "spent30d": "15"}}', ("90000.00", "true", "15.00"), None),
        (b'{"balance": 1e30, "key": "%s"}' % KEY.encode(), (None, None, None), '"key": "******************"'),
        pytest.param(b'{"balance": 9999999999, "status": "ok", "spend_30_days": 0.01}', ("9999999999.00", None, "0.01"), "9999999999", marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_unknown_responses_are_kept_and_shown(cli, odd_service, small_portfolio, body, figures, shown):
    cli.run(small_portfolio)
    with sqlite3.connect(cli.home / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE meter SET balance = NULL, balance_at = NULL")
    (cli.home / "answers.from").unlink()
    cli.url, handler = odd_service
    handler.body = body
    done = cli("doctor", "--json", INNSPECT_API_KEY=KEY)
    assert done.code == (4 if b"-12.5" in body else 0), done
    account = done.json["account"]
    assert tuple(account[name] for name in ("balance_rub", "access_status", "spend_30_days_rub")) == figures
    status = cli("status")
    assert cli.status()["account"] == account
    assert account["response"] == body.decode().replace(KEY, "*" * len(KEY))
    if shown is None:
        assert "not recognised" not in status.out
    else:
        assert shown in next(line for line in status.out.splitlines() if line.startswith("Account  not recognised"))
    assert KEY not in status.out + done.out + (cli.home / "ledger.sqlite").read_bytes().decode("latin-1")
    assert "\x1b" not in status.out
