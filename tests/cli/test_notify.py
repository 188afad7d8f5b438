"""`innspect notify` and the messages of runs, with a mail server and an HTTP receiver; no secret anywhere."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from innspect.extract.home.lock import Lock
from tests.flows.test_alerts_of_runs import DAY, TROUBLE, TROUBLED, states
from tests.support.cli import Cli, assert_fails, write_portfolio
from tests.support.message_servers import TOKEN, JsonReceiver, MailServer

SETTINGS = """
[notify.boss]
address_env = "NOTIFY_BOSS"
what = ["alerts", "digest", "run_failed", "budget_low"]
[notify.chat]
address_file = "{file}"
what = ["alerts", "run_failed"]
severity = "alert"
language = "en"
"""


@dataclass
class Office:
    """A home with two receivers, a settings file, and the output of every command so far."""

    cli: Cli
    mail: MailServer
    chat: JsonReceiver
    folder: Path
    said: str = ""

    def __call__(self, *arguments, **environ):
        done = self.cli(*arguments, "--config", self.folder / "settings.toml", **environ)
        self.said += done.out + done.err
        return done

    def check(self, *arguments, **environ):
        return self("run", self.folder / "one.csv", "--direct", "--no-repair", *arguments, **environ)

    def open_to(self, mail: MailServer, chat: JsonReceiver) -> "Office":
        """The same home with other servers."""
        (self.folder / "chat.address").write_text(chat.address)
        self.cli.environ["NOTIFY_BOSS"] = mail.address
        return replace(self, mail=mail, chat=chat)

    def assert_no_secret(self):
        """Assert that no output and no file of the home has a part of an address."""
        assert TOKEN not in self.said
        found = [path for path in self.cli.home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
        assert found == []


@pytest.fixture
def servers():
    with MailServer() as mail, JsonReceiver() as chat:
        yield mail, chat


@pytest.fixture(scope="module")
def troubled(tmp_path_factory, start_sandbox, create_empty_warehouse):
    """An office whose second check brought trouble while nobody could be reached."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "settings.toml").write_text(SETTINGS.format(file=folder / "chat.address"))
    write_portfolio(folder / "one.csv", [TROUBLED])
    cli = Cli(folder / "home")
    create_empty_warehouse(cli.warehouse)
    with MailServer() as mail, JsonReceiver() as chat:
        office = Office(cli, mail, chat, folder).open_to(mail, chat)
        cli.url = start_sandbox("--day", DAY, *states(TROUBLED)).url
        calm = office.check()
        assert calm.code == 0, calm
        first = mail.emails()
    cli.url = start_sandbox("--day", DAY, *states(TROUBLED, *TROUBLE)).url
    bad = office.check("--refresh")
    assert bad.code == 0, bad
    assert "no connection to the mail server" in bad.out
    office.assert_no_secret()
    return office, first


@pytest.fixture
def office(troubled, servers, tmp_path):
    """A copy of that office, with servers that can be reached."""
    source, _ = troubled
    folder = tmp_path / "office"
    shutil.copytree(source.folder, folder)
    (folder / "settings.toml").write_text(SETTINGS.format(file=folder / "chat.address"))
    cli = replace(source.cli, home=folder / "home", environ={})
    return Office(cli, *servers, folder).open_to(*servers)


def test_first_check_is_a_digest_without_a_change(troubled):
    _, (digest,) = troubled
    text = digest.get_body(("plain",)).get_content()
    assert "Впервые проверено: 1." in text
    assert max(map(len, text.splitlines())) <= 76
    assert "Остаток на счёте" in text


@pytest.mark.long
def test_pending_messages_are_sent_once_by_notify(office):
    shown = office("notify", "--dry-run", "--json").json["would_send"]
    assert {(message["receiver"], message["to"]) for message in shown} == {
        ("boss", "b…@firm.example"), ("chat", "JSON"),
    }  # fmt: skip
    assert (office.mail.received, office.chat.bodies) == ([], [])
    assert office("notify", "--json").json == {"sent": 3, "not_accepted": 0, "would_send": []}
    assert "Nothing is due." in office("notify").out
    subjects = sorted(str(message["Subject"]) for message in office.mail.emails())
    assert len(subjects) == 2
    assert all("ПЕСОЧНИЦА" in subject for subject in subjects)
    assert any("риск теперь критический" in subject for subject in subjects)
    (body,) = office.chat.bodies
    assert "Bankruptcy case in arbitration" in body["title"] + body["message"]
    office.assert_no_secret()


@pytest.mark.long
def test_flow_of_the_schedule_sends_what_is_due_and_names_what_was_not_accepted(office, monkeypatch):
    from prefect.logging import disable_run_logger

    from innspect.flows.prefect.message_flow import send_due_messages

    for name, value in office.cli.environ.items():
        monkeypatch.setenv(name, value)
    config, home = str(office.folder / "settings.toml"), str(office.cli.home)
    states = []
    with disable_run_logger():
        with Lock(office.cli.home / "innspect.lock"):
            states.append(send_due_messages.fn(config, home))
        assert office.mail.received == office.chat.bodies == []
        office.chat.status = 401
        states.append(send_due_messages.fn(config, home))
        office.chat.status = 200
        states.append(send_due_messages.fn(config, home))
    assert [(state.type.value, state.name, state.message.partition(": ")[0]) for state in states] == [
        ("CANCELLED", "Skipped", "A run sends it at its end"),
        ("FAILED", "NotAccepted", "2 messages sent, 1 not accepted."),
        ("COMPLETED", "Completed", "1 message sent, 0 not accepted."),
    ]
    assert (len(office.mail.received), len(office.chat.bodies)) == (2, 1)
    office.assert_no_secret()


def test_test_message_says_ok_or_what_to_do(office):
    done = office("notify", "--test", "boss")
    assert (done.code, done.out) == (0, "ok: notify.boss accepted a test message to b…@firm.example.\n")
    assert office.mail.emails()[0]["Subject"] == "[песочница] Пробное сообщение: связь есть"
    office.chat.status = 401
    assert_fails(office("notify", "--test", "chat"), 6, "HTTP 401", "check the token")
    assert_fails(office("notify", "--test", "ghost"), 2, "ghost", "boss, chat")
    office.cli.environ["NOTIFY_BOSS"] = f"nonsense://{TOKEN}"
    done = office("notify", "--test", "boss", "--debug")
    assert done.code == 2
    assert "Traceback" in done.err
    assert "notify.boss" in done.err
    office.assert_no_secret()


@pytest.mark.long
def test_failed_run_is_sent_with_its_code(office):
    office("notify")
    office.mail.received.clear()
    assert office.check("--refresh", "--budget", "1").code == 3
    assert office.check(INNSPECT_BASE_URL="http://127.0.0.1:9").code in (0, 6)
    done = office("run", office.folder / "absent.csv", "--direct")
    assert done.code == 2
    subjects = [str(message["Subject"]) for message in office.mail.emails()]
    assert any("«one»: бюджет исчерпан" in subject for subject in subjects)
    assert any("«absent»: не начата" in subject for subject in subjects)
    office.assert_no_secret()


POINTS = (
    "after message is handed over",
    "before message is handed over",
    "before messages rename",
    "after messages rename 2",
    "after alerts rename 3",
)


@pytest.mark.long
@pytest.mark.parametrize("point", [POINTS[0], *(pytest.param(point, marks=pytest.mark.long) for point in POINTS[1:])])
def test_killed_notify_sends_nothing_twice(office, point):
    killed = office("notify", INNSPECT_FAULT_POINT=point)
    assert killed.code == -9, killed
    assert_each_once(office)


@pytest.mark.vast
def test_notify_killed_at_any_point_sends_nothing_twice(troubled, servers, tmp_path):
    """Every failpoint in turn, from the first to the last of a whole `notify`."""
    number, code = 0, -9
    while code == -9:
        number += 1
        folder = tmp_path / str(number)
        source, _ = troubled
        shutil.copytree(source.folder, folder)
        (folder / "settings.toml").write_text(SETTINGS.format(file=folder / "chat.address"))
        office = Office(replace(source.cli, home=folder / "home", environ={}), *servers, folder).open_to(*servers)
        office.mail.received.clear()
        office.chat.bodies.clear()
        code = office("notify", INNSPECT_FAULT_POINT=str(number)).code
        assert_each_once(office)
        shutil.rmtree(folder)
    assert number > 20


def assert_each_once(office: Office) -> None:
    """Assert that after a second `notify` each message has arrived once, and what may be lost is said."""
    first = len(office.mail.received)
    assert office("notify").code == 0
    assert office("notify").code == 0
    # A mailbox drops a second copy by its Message-ID; at most the message of the crash has one.
    assert len(office.mail.mailbox()) == 2
    assert len(office.mail.received) <= 3
    assert first <= 2
    state = json.loads((office.cli.home / "messages.json").read_text())
    assert len(office.chat.bodies) + len(state["chat"]["doubts"]) >= 1
    assert len(office.chat.bodies) <= 1
    office.assert_no_secret()
