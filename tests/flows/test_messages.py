"""Messages: due once, kept while a channel is down or refuses, never twice, and never with a secret."""

import logging
from datetime import datetime, timedelta
from io import StringIO

import pytest
from pydantic import SecretStr
from rich.console import Console

from innspect.extract.ledger.account import AccountFigures
from innspect.flows.account_summary import summarize_account
from innspect.flows.notify.apprise_channel import open_channel, read_outcome, shorten_text
from innspect.flows.notify.notice_state import FILE_NAME, Notice
from innspect.flows.notify.notifications import Facts, SendLog, send_failures, send_messages
from innspect.schemas.errors import SettingsError, StoreError
from innspect.schemas.settings import load_settings
from innspect.schemas.settings.notify import MessageKind, latest_due, parse_when
from innspect.warehouse.database import Warehouse
from tests.reports.test_digest import FIRST, LAST, ONE, TWO, WORSE, make_warehouse
from tests.support.message_servers import TOKEN, JsonReceiver, MailServer

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
MONDAY = datetime(2026, 11, 23, 6)
"""09:00 in Moscow."""
MAIL = '[notify.boss]\naddress_env = "BOSS"\n'
WEEKLY = 'when = "weekly mon 09:00"\n'
LOW = f'{MAIL}what = ["budget_low"]\n'
DIGEST = f'{MAIL}what = ["digest"]\n{WEEKLY}'


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory, create_empty_warehouse):
    path = create_empty_warehouse(tmp_path_factory.mktemp("messages") / "warehouse.duckdb")
    make_warehouse(path, ("one", ONE, FIRST), ("two", TWO, LAST))
    with Warehouse(path, read_only=True) as warehouse:
        yield warehouse


class Home:
    """A home with receivers, at moments of choice."""

    def __init__(self, folder, warehouse):
        self.folder, self.warehouse, self.said = folder, warehouse, ""
        self.text = ""

    def send(self, now, *, run_at=None, balance=100_000_00, spend=3_000_00, preview=None):
        """Send what is due at a moment, after a run that started at `run_at`; the log."""
        file = self.folder / "settings.toml"
        file.write_text(self.text)
        settings = load_settings(file, {}, {"home": self.folder})
        figures = AccountFigures(balance, None if balance is None else now, None, spend, 30)
        screen = StringIO()
        log = SendLog(Console(file=screen, width=200), preview)
        facts = Facts(self.warehouse, summarize_account(figures, settings, now), now, now, run_at)
        send_messages(settings, facts, log)
        self.said = screen.getvalue()
        assert TOKEN not in self.said
        assert TOKEN not in "".join(path.read_text("utf-8") for path in self.folder.glob("*.json"))
        return log


@pytest.fixture
def home(tmp_path, warehouse, caplog):
    caplog.set_level(logging.DEBUG)
    yield Home(tmp_path, warehouse)
    assert TOKEN not in caplog.text


@pytest.fixture
def mail(monkeypatch):
    with MailServer() as server:
        monkeypatch.setenv("BOSS", server.address)
        yield server


@pytest.fixture
def chat(monkeypatch):
    with JsonReceiver() as receiver:
        monkeypatch.setenv("BOSS", receiver.address)
        yield receiver


@pytest.mark.parametrize(
    ("when", "now", "due"),
    [
        ("weekly mon 09:00", MONDAY, MONDAY),
        ("weekly mon 09:00", MONDAY - timedelta(seconds=1), MONDAY - WEEK),
        ("weekly sun 23:30", MONDAY, datetime(2026, 11, 22, 20, 30)),
        ("daily 09:00", MONDAY + DAY - HOUR, MONDAY),
        ("daily 00:30", datetime(2026, 11, 22, 21, 29), datetime(2026, 11, 21, 21, 30)),
    ],
)
def test_latest_due_time_before_a_moment(when, now, due):
    assert latest_due(parse_when(when), "Europe/Moscow", now) == due


def test_due_time_is_local_across_a_change_of_the_clocks():
    daily = parse_when("daily 09:00")
    assert latest_due(daily, "Europe/Berlin", datetime(2026, 10, 24, 12)) == datetime(2026, 10, 24, 7)
    assert latest_due(daily, "Europe/Berlin", datetime(2026, 10, 26, 12)) == datetime(2026, 10, 26, 8)


@pytest.mark.long
def test_weekly_digest_is_sent_once_each_monday(home, mail):
    home.text = DIGEST
    for now in (MONDAY - 3 * DAY, MONDAY - HOUR):
        assert home.send(now).sent == 0
    assert mail.received == []
    assert home.send(MONDAY + HOUR).sent == 1
    assert "notify.boss: digest sent to b…@firm.example." in home.said
    assert [home.send(MONDAY + later).sent for later in (2 * HOUR, DAY, 6 * DAY)] == [0, 0, 0]
    assert home.send(MONDAY + WEEK, run_at=MONDAY + WEEK - HOUR).sent == 1
    first, second = mail.emails()
    assert first["Message-ID"] != second["Message-ID"]
    assert (first["To"], first["From"]) == ("boss@firm.example", "innspect <robot@firm.example>")
    # The first one is about the time since the receiver was added, the second about the time since the first.
    assert "с 16.11.2026 по 23.11.2026" in first.get_body(("plain",)).get_content()
    assert "с 23.11.2026 по 30.11.2026" in second.get_body(("plain",)).get_content()


def test_an_email_has_text_and_html_and_the_report(home, mail):
    home.text = DIGEST
    reports = home.folder / "reports"
    reports.mkdir()
    (reports / "p.html").write_text("<p>report</p>")
    home.send(MONDAY - HOUR)
    home.send(MONDAY)
    (message,) = mail.emails()
    plain, page = message.get_body(("plain",)).get_content(), message.get_body(("html",)).get_content()
    assert "Полный отчёт во вложении: p.html." in plain
    assert WORSE in plain
    assert WORSE in page
    (attachment,) = message.iter_attachments()
    assert (attachment.get_filename(), attachment.get_content()) == ("p.html", "<p>report</p>")
    assert message["Subject"].startswith("ООО")
    assert message["Date"].datetime.replace(tzinfo=None) == MONDAY


@pytest.mark.long
def test_digest_after_each_run_and_its_link(home, chat):
    home.text = f'{MAIL}what = ["digest"]\nlanguage = "en"\nreport_url = "https://files.example/reports/"\n'
    assert home.send(MONDAY).sent == 0
    assert home.send(MONDAY, run_at=ONE).sent == 1
    assert home.send(MONDAY + HOUR).sent == 0
    assert home.send(MONDAY + HOUR, run_at=TWO).sent == 1
    assert "https://files.example/reports/p.html" in chat.bodies[0]["message"]
    assert chat.bodies[0]["title"].startswith("ООО")


def test_nothing_is_lost_while_a_channel_is_down(home, mail):
    home.text = DIGEST
    home.send(MONDAY - HOUR)
    mail.__exit__()
    for now in (MONDAY, MONDAY + WEEK):
        log = home.send(now)
        assert (log.sent, log.failures) == (0, 1)
        assert "no connection to the mail server" in home.said
    with MailServer(port=mail.port) as again:
        assert home.send(MONDAY + WEEK + HOUR).sent == 1
        assert home.send(MONDAY + WEEK + DAY).sent == 0
        (message,) = again.emails()
    # One digest of the whole time.
    assert "с 16.11.2026 по 30.11.2026" in message.get_body(("plain",)).get_content()


@pytest.mark.parametrize("refuse", ["MAIL", "RCPT", "DATA"])
def test_mail_that_is_refused_is_kept(home, mail, refuse):
    home.text = LOW
    mail.refuse = refuse
    assert home.send(MONDAY, balance=1).failures == 1
    assert "SMTP 550" in home.said
    mail.refuse = ""
    assert [home.send(MONDAY + later, balance=1).sent for later in (HOUR, DAY)] == [1, 0]
    assert len(mail.received) == 1


@pytest.mark.parametrize(("status", "reason"), [(401, "HTTP 401"), (500, "HTTP 500")])
def test_text_that_is_refused_is_kept(home, chat, status, reason):
    home.text = LOW
    chat.status = status
    assert home.send(MONDAY, balance=1).failures == 1
    assert reason in home.said
    chat.status = 200
    assert [home.send(MONDAY + later, balance=1).sent for later in (HOUR, DAY)] == [1, 0]


def test_mail_without_a_reply_is_repeated_with_the_same_id(home, mail):
    home.text = LOW
    mail.is_silent = True
    assert home.send(MONDAY, balance=1).failures == 1
    assert "did not confirm" in home.said
    mail.is_silent = False
    assert home.send(MONDAY + HOUR, balance=1).sent == 1
    assert len(mail.received) == 2
    (message,) = mail.mailbox().values()
    assert message["Date"].datetime.replace(tzinfo=None) == MONDAY


@pytest.mark.long
def test_text_without_a_reply_is_not_repeated_and_the_next_message_says_so(home, chat):
    home.text = DIGEST
    home.send(MONDAY - HOUR)
    chat.status = 0
    assert home.send(MONDAY).failures == 1
    assert "may not have arrived" in home.said
    chat.status = 200
    assert home.send(MONDAY + HOUR).sent == 0
    assert home.send(MONDAY + WEEK).sent == 1
    assert len(chat.bodies) == 2
    text = chat.bodies[1]["message"]
    # Nothing is lost: the next digest is about both weeks.
    assert "могло не дойти" in text
    assert "с 16.11.2026 по 30.11.2026" in text
    home.send(MONDAY + 2 * WEEK)
    assert "могло не дойти" not in chat.bodies[2]["message"]


def test_low_balance_is_sent_once_until_it_is_topped_up(home, mail):
    home.text = f'{MAIL}what = ["budget_low"]\nbelow_days = 10\n'
    day = MONDAY
    counts = []
    # 100 roubles a day: 900 last 9 days, 1100 last 11.
    for balance in (1100_00, 900_00, 800_00, None, 700_00, 1100_00, 900_00):
        day += HOUR
        counts.append(home.send(day, balance=balance).sent)
    assert counts == [0, 1, 0, 0, 0, 0, 1]
    assert mail.emails()[0]["Subject"] == "Пора пополнить счёт: денег на счёте на 9 дней"
    assert "30 000,00" in mail.emails()[0].get_body(("plain",)).get_content().replace("\N{NO-BREAK SPACE}", " ")


def test_low_balance_without_a_forecast_is_below_the_smallest_top_up(home, mail):
    home.text = f'{MAIL}what = ["budget_low"]\n'
    assert home.send(MONDAY, balance=30_000_00, spend=0).sent == 0
    assert home.send(MONDAY, balance=29_999_00, spend=0).sent == 1
    assert "остаток на счёте" in mail.emails()[0]["Subject"]


def test_failed_run_is_sent_to_those_who_ask_for_its_portfolio(home, mail, monkeypatch):
    with JsonReceiver() as chat:
        monkeypatch.setenv("CHAT", chat.address)
        home.text = f'{MAIL}what = ["run_failed"]\n[notify.chat]\naddress_env = "CHAT"\nwhat = ["run_failed"]\n'
        home.text += 'portfolio = "other"\n'
        home.send(MONDAY)
        settings = load_settings(home.folder / "settings.toml", {}, {"home": home.folder})
        failure = Notice("", MessageKind.RUN_FAILED, MONDAY, portfolio="p", run_id="run-1", exit_code=4)
        for _ in range(2):
            send_failures(settings, failure, SendLog(Console(file=StringIO())))
        assert chat.bodies == []
    assert len(mail.mailbox()) == 1
    text = mail.emails()[0].get_body(("plain",)).get_content()
    assert "Код завершения: 4" in text
    assert "run-1" in text
    assert mail.emails()[0]["Subject"] == "Проверка «p»: сервис не принял ключ или не хватает средств"


def test_dry_run_shows_messages_and_keeps_nothing(home, mail):
    home.text = LOW
    home.send(MONDAY)
    before = (home.folder / FILE_NAME).read_bytes()
    preview = []
    home.send(MONDAY, balance=1, preview=preview)
    ((name, address, message),) = preview
    assert (name, address) == ("boss", "b…@firm.example")
    assert message.subject == "Пора пополнить счёт: денег на счёте на 0 дней"
    assert mail.received == []
    assert (home.folder / FILE_NAME).read_bytes() == before


def test_a_receiver_without_an_address_does_not_hold_up_the_others(home, mail):
    home.text = LOW.replace("boss", "ghost").replace("BOSS", "GHOST") + LOW
    log = home.send(MONDAY, balance=1)
    assert (log.sent, log.failures) == (1, 1)
    assert "GHOST" in home.said


def test_damaged_state_is_named(home, mail):
    home.text = DIGEST
    (home.folder / FILE_NAME).write_text('{"boss": {"pending": 3}}')
    with pytest.raises(StoreError, match=FILE_NAME):
        home.send(MONDAY)


@pytest.mark.parametrize("address", [f"nonsense://{TOKEN}", f"{TOKEN}", f"tgram://{TOKEN}", f"mailto://{TOKEN}:x"])
def test_unusable_address_is_refused_without_showing_it(address, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(SettingsError, match=r"notify\.boss") as refused:
        open_channel("boss", SecretStr(address))
    assert refused.value.__cause__ is None
    assert TOKEN not in refused.value.message + caplog.text + "".join(capfd.readouterr())


def test_outcome_is_read_from_what_apprise_logs():
    sent = "A Connection error occurred"
    assert read_outcome(["Failed to send X: Unauthorized, error=401."]).reason == "HTTP 401"
    assert not read_outcome([sent, "Socket Exception: NewConnectionError(refused)"]).is_doubtful
    assert read_outcome([sent, "Socket Exception: Read timed out."]).is_doubtful
    assert not read_outcome(["something else"]).is_doubtful


def test_long_texts_end_at_a_line():
    assert shorten_text("a\nb\n", 100) == "a\nb\n"
    assert shorten_text("first\nsecond\nthird", 15) == "first\nsecond\n…"
    assert len(shorten_text("x" * 50, 20)) == 20
