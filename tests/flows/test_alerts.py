"""Alerts: sent once to each receiver, never the past and never a policy edit; what is not accepted is sent later."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from io import StringIO
from uuid import UUID

import httpx
import polars as pl
import pytest
from rich.console import Console

from innspect.flows.load import load_responses
from innspect.flows.notify import alerts
from innspect.flows.notify.delivery_state import FILE_NAME
from innspect.flows.notify.webhook import Webhook
from innspect.schemas.lineage import SIGNAL_CHANGES
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, add_members, all_blocks, full_check_response
from tests.support.builders import CONVENTIONS, FIRST, INN, Response, response_frame

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ADDRESS = "https://hooks.example/t0ken"
CARD = {"inn": INN, "ogrn": "1027700132195", "name": "A", "status": "active"}
OTHERS = [f"770000000{number}" for number in range(5)]


@dataclass(frozen=True)
class Change:
    """A row of `lineage.signal_changes`; its run is the one that loads it."""

    signal: str = "liquidating"
    from_state: str | None = "absent"
    to_state: str = "present"
    severity: str = "alert"
    evidence: str | None = None
    inn: str = INN


def _emit(batch):
    from innspect.flows.prefect.events import emit_events

    emit_events(batch)


class AlertSender:
    """A home whose warehouse is filled by hand, and a receiver that responds with `status`."""

    def __init__(self, folder):
        self.home, self.status, self.bodies, self.said = folder, 200, [], ""
        self.path = folder / "warehouse.duckdb"
        self.files = 0

    def load(self, hour: int, *changes: Change, responses: int = 1) -> datetime:
        """Load a run of that hour with its assessment; its start."""
        at, run = FIRST + hour * HOUR, f"run-{hour}"
        answers = [Response("brief", {**CARD, "inn": change.inn}, change.inn) for change in changes or [Change()]]
        frame = response_frame(
            [Response(a.method, a.body, a.inn, asked_at=at, name=f"{run}-{self.files}-{n}-{m}")
             for n, a in enumerate(answers) for m in range(responses)],
            file=f"{self.files}",
        ).with_columns(pl.lit(run).alias("run_id"))  # fmt: skip
        with Warehouse(self.path) as warehouse:
            load_responses(warehouse, frame, CONVENTIONS)
        self.files += 1
        self.assess(hour, *changes)
        return at

    def assess(self, hour: int, *changes: Change) -> None:
        """Replace what the run of that hour was assessed to be, as a changed policy does."""
        run, at = f"run-{hour}", FIRST + hour * HOUR
        rows = [
            (run, c.inn, c.signal, c.from_state, c.to_state, c.severity, c.evidence, "snapshot", "policy", at)
            for c in changes
        ]
        with Warehouse(self.path) as warehouse, warehouse.transaction() as connection:
            connection.execute("DELETE FROM lineage.signal_changes WHERE run_id = ?", [run])
            frame = pl.DataFrame(rows, schema=SIGNAL_CHANGES.schema(), orient="row")
            warehouse.insert("lineage.signal_changes", frame)

    def check(self, day: int, *silent: str, inn: str = INN, portfolio: str = "p") -> datetime:
        """Load a run of that day that checks the only member of a portfolio; these blocks are missing. Its start."""
        at = FIRST + day * DAY
        content = {key: value for key, value in all_blocks().items() if key not in {KEYS[block] for block in silent}}
        frame = response_frame(
            [full_check_response(inn, content, at=at, name=f"{inn}-{day}")], file=f"check-{inn}-{day}"
        )
        with Warehouse(self.path) as warehouse:
            load_responses(warehouse, frame.with_columns(pl.lit(f"check-{day}").alias("run_id")), CONVENTIONS)
            with warehouse.transaction() as connection:
                connection.execute("DELETE FROM lineage.portfolio_members WHERE portfolio = ?", [portfolio])
                add_members(warehouse, inn, portfolio=portfolio)
                connection.execute(
                    "UPDATE lineage.portfolio_members SET last_seen_at = ? WHERE portfolio = ?", [at, portfolio]
                )
        return at

    def receive(self, request: httpx.Request) -> httpx.Response:
        if self.status == 200:
            self.bodies.append(json.loads(request.content))
        return httpx.Response(self.status)

    def send(self, started_at, *, severity="alert", events=False) -> list[tuple]:
        """What the receiver accepted by the end of a run that started then."""
        flags = {"home": self.home, "alerts.webhook": ADDRESS, "alerts.minimum_severity": severity}
        settings = load_settings(self.home / "none.toml", {}, flags)
        before, screen = len(self.bodies), StringIO()
        with Warehouse(self.path, read_only=True) as warehouse:
            warehouse.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{started_at}'")
            alerts.send_alerts(
                settings, warehouse, started_at, Console(file=screen, width=200),
                emit_events=_emit if events else None,
                webhook=partial(Webhook, transport=httpx.MockTransport(self.receive)),
            )  # fmt: skip
        self.said = screen.getvalue()
        found = [alert for body in self.bodies[before:] for alert in body["alerts"]]
        return [(alert["signal"], alert["from_state"], alert["to_state"]) for alert in found]

    def state(self) -> dict:
        """The delivery state of the webhook."""
        return json.loads((self.home / FILE_NAME).read_text())["webhook"]


@pytest.fixture
def sender(tmp_path, create_empty_warehouse):
    (tmp_path / "none.toml").write_text("")
    create_empty_warehouse(tmp_path / "warehouse.duckdb")
    return AlertSender(tmp_path)


@pytest.fixture
def used_sender(sender):
    """A receiver that has been delivered to, up to hour 0."""
    sender.send(sender.load(0))
    return sender


LIQUIDATING = ("liquidating", "absent", "present")


@pytest.mark.long
def test_past_changes_are_not_sent_and_new_ones_are_sent_once(sender):
    sender.load(0, Change())
    assert sender.send(sender.load(1)) == []
    start = sender.load(2, Change())
    assert sender.send(start) == [LIQUIDATING]
    assert "Alerts: 1 sent to the webhook (1 signal)." in sender.said
    for later in (2, 3, 50):
        assert sender.send(FIRST + later * HOUR) == []
        assert sender.said == ""


@pytest.mark.parametrize(
    ("change", "is_sent"),
    [
        (Change(from_state="unknown"), True),
        (Change(from_state="never requested"), True),
        (Change("account_freeze", "present", "present", evidence="2 decisions"), True),
        (Change(from_state=None), False),
        (Change(from_state="present", to_state="absent"), False),
        (Change(from_state="absent", to_state="unknown"), False),
        (Change(severity="notice"), False),
        (Change("level", "low", "high"), True),
        (Change("level", "high", "critical"), True),
        (Change("level", "critical", "high"), False),
        (Change("level", "unknown", "critical"), False),
        (Change("level", "high", "unknown"), False),
        (Change("level", None, "critical"), False),
        (Change("level", "low", "medium", "notice"), False),
    ],
)
def test_what_sends_an_alert(used_sender, change, is_sent):
    sent = used_sender.send(used_sender.load(1, change))
    assert sent == ([(change.signal, change.from_state, change.to_state)] if is_sent else [])


@pytest.mark.long
def test_a_worse_level_is_at_least_a_notice(sender):
    sender.send(sender.load(0), severity="notice")
    sent = sender.send(sender.load(1, Change("level", "low", "medium", "notice")), severity="notice")
    assert sent == [("level", "low", "medium")]


@pytest.mark.long
def test_further_facts_of_a_signal_have_their_own_ids(used_sender):
    fact = partial(Change, "account_freeze", "present", "present")
    assert len(used_sender.send(used_sender.load(1, fact(evidence="2 decisions")))) == 1
    # The judgement of the same run finds another fact when more of its responses are loaded.
    assert len(used_sender.send(used_sender.load(1, fact(evidence="3 decisions")))) == 1
    assert len({alert["id"] for body in used_sender.bodies for alert in body["alerts"]}) == 2


@pytest.mark.long
def test_undelivered_alerts_are_sent_by_the_next_run(used_sender):
    start = used_sender.load(1, Change())
    used_sender.status = 400
    assert used_sender.send(start) == []
    assert "1 were not accepted by the webhook (HTTP 400)" in used_sender.said
    assert "t0ken" not in used_sender.said
    assert len(used_sender.state()["pending"]) == 1
    # The next run finds nothing new and sends what is pending.
    used_sender.status = 200
    assert used_sender.send(FIRST + 9 * HOUR) == [LIQUIDATING]
    assert used_sender.state()["pending"] == []
    assert used_sender.send(FIRST + 10 * HOUR) == []


@pytest.mark.long
def test_only_failed_requests_are_sent_again(used_sender, monkeypatch):
    monkeypatch.setattr(alerts, "MAX_ALERTS_PER_REQUEST", 2)
    start = used_sender.load(1, *(Change(inn=inn) for inn in OTHERS))
    accept = used_sender.receive

    def refuse_the_second(request):
        used_sender.status = 200 if not used_sender.bodies else 400
        return accept(request)

    monkeypatch.setattr(used_sender, "receive", refuse_the_second)
    assert len(used_sender.send(start)) == 2
    assert "3 were not accepted" in used_sender.said
    monkeypatch.setattr(used_sender, "receive", accept)
    used_sender.status = 200
    assert len(used_sender.send(FIRST + 6 * HOUR)) == 3
    ids = [alert["id"] for body in used_sender.bodies for alert in body["alerts"]]
    assert len(set(ids)) == len(ids) == 5
    assert len({body["delivery"] for body in used_sender.bodies}) == len(used_sender.bodies) == 3


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.mark.long
@pytest.mark.parametrize("saves", range(1, 6))
def test_kill_at_any_step_loses_nothing_and_repeats_what_was_not_recorded(used_sender, monkeypatch, saves):
    monkeypatch.setattr(alerts, "MAX_ALERTS_PER_REQUEST", 1)
    start = used_sender.load(1, Change(inn=OTHERS[0]), Change(inn=OTHERS[1]))
    save, count = alerts.DeliveryState.save_channel, 0

    def save_or_die(state, name, channel):
        nonlocal count
        count += 1
        if count == saves:
            raise Killed
        save(state, name, channel)

    with monkeypatch.context() as patch:
        patch.setattr(alerts.DeliveryState, "save_channel", save_or_die)
        with pytest.raises(Killed):
            used_sender.send(start)
    used_sender.send(FIRST + 2 * HOUR)
    used_sender.send(FIRST + 3 * HOUR)
    ids = [alert["id"] for body in used_sender.bodies for alert in body["alerts"]]
    assert len(set(ids)) == 2
    # Only the request that was accepted and not recorded is repeated, under the same id.
    assert len(ids) == (3 if saves in (3, 4) else 2)


@pytest.mark.long
def test_rebuild_sends_nothing_again(used_sender, create_empty_warehouse):
    assert used_sender.send(used_sender.load(1, Change())) == [LIQUIDATING]
    used_sender.path.unlink()
    create_empty_warehouse(used_sender.path)
    used_sender.files = 0
    for hour, changes in enumerate(((), (Change(),))):
        used_sender.load(hour, *changes)
    assert used_sender.send(FIRST + HOUR) == []
    assert used_sender.send(FIRST + 2 * HOUR) == []


@pytest.mark.long
def test_policy_edit_sends_nothing_for_runs_that_were_delivered(used_sender):
    used_sender.send(used_sender.load(1, Change()))
    used_sender.assess(1, Change("tax_debt_large"), Change("level", "low", "critical"))
    assert used_sender.send(used_sender.load(2)) == []


@pytest.mark.long
def test_policy_edit_keeps_what_is_pending(used_sender):
    used_sender.status = 400
    used_sender.send(used_sender.load(1, Change(), Change("tax_debt_large")))
    used_sender.assess(1, Change(), Change("level", "low", "critical"))
    used_sender.status = 200
    assert used_sender.send(FIRST + 2 * HOUR) == [LIQUIDATING]


@pytest.mark.long
def test_responses_that_are_loaded_later_are_news_of_their_run(used_sender):
    used_sender.send(used_sender.load(1, Change()))
    used_sender.load(1, Change(), Change("tax_debt_large"))
    assert used_sender.send(FIRST + HOUR) == [("tax_debt_large", "absent", "present")]


UNKNOWN = (None, None, "unknown")


@pytest.mark.long
def test_unknown_block_is_sent_when_the_limit_is_reached_until_it_is_accepted(sender):
    assert sender.send(sender.check(0)) == []
    assert sender.send(sender.check(10, "fssp")) == []
    assert sender.send(sender.check(13, "fssp")) == []
    sender.status = 400
    assert sender.send(sender.check(15, "fssp")) == []
    assert "1 were not accepted" in sender.said
    sender.status = 200
    # The run of another portfolio sends what is pending.
    assert sender.send(sender.check(16, inn=OTHERS[0], portfolio="q")) == [UNKNOWN]
    assert "(1 unknown)" in sender.said
    assert sender.send(sender.check(17, "fssp")) == []
    # A fresh answer ends this time; the next one has an alert of its own.
    assert sender.send(sender.check(18)) == []
    assert sender.send(sender.check(19, "fssp")) == []
    assert sender.send(sender.check(40, "fssp")) == [UNKNOWN]
    ids = [alert["id"] for body in sender.bodies for alert in body["alerts"]]
    assert len(set(ids)) == len(ids) == 2


@pytest.mark.long
def test_block_that_was_unknown_before_the_first_run_is_not_sent(sender):
    sender.check(0)
    sender.check(5, "fssp")
    assert sender.send(sender.check(30, "fssp")) == []
    assert sender.send(sender.check(31, "fssp")) == []


@pytest.mark.long
def test_block_that_was_answered_during_the_run_is_not_sent(sender):
    sender.send(sender.check(0))
    sender.send(sender.check(10, "fssp"))
    assert sender.send(sender.check(20)) == []


@pytest.mark.long
def test_unknown_blocks_of_a_portfolio_that_is_not_run_are_not_sent(sender):
    sender.send(sender.check(0))
    sender.send(sender.check(5, "fssp"))
    assert sender.send(sender.check(20, inn=OTHERS[0], portfolio="q")) == []
    assert sender.send(sender.check(21, "fssp")) == [UNKNOWN]


@pytest.mark.long
def test_lower_minimum_severity_applies_from_its_first_run(sender):
    director = partial(Change, "director_changed", severity="info")
    sender.send(sender.load(0))
    sender.load(1, director())
    assert sender.send(FIRST + 2 * HOUR, severity="info") == []
    assert sender.send(sender.load(3, director()), severity="info") == [("director_changed", "absent", "present")]


@pytest.mark.long
def test_deliveries_have_their_own_ids_and_those_of_alerts(sender, monkeypatch):
    sent = []
    monkeypatch.setattr("innspect.flows.prefect.events.emit_event", lambda **event: sent.append(event))
    sender.send(sender.load(0), events=True)
    # A run without Prefect sends to the webhook only; the next run with Prefect emits the event.
    assert sender.send(sender.load(1, Change())) == [LIQUIDATING]
    assert sent == []
    assert sender.send(FIRST + 2 * HOUR, events=True) == []
    (event,) = sent
    assert event["event"] == "innspect.change.alert"
    assert event["resource"]["prefect.resource.id"] == f"innspect.counterparty.{INN}"
    assert event["id"] == UUID(sender.bodies[0]["alerts"][0]["id"])
    assert event["payload"] == sender.bodies[0]["alerts"][0]
    sender.send(FIRST + 3 * HOUR, events=True)
    assert len(sent) == 1


def test_state_of_a_version_that_sent_changes_begins_with_the_next_run(sender):
    (sender.home / FILE_NAME).write_text('{"webhook": {"since": {"alert": "2026-01-01T00:00:00"}, "told": ["a"]}}')
    sender.load(0, Change())
    assert sender.send(sender.load(1, Change("tax_debt_large"))) == [("tax_debt_large", "absent", "present")]


@pytest.mark.parametrize(
    "text", ["{not json", "[]", '{"webhook": {"runs": {}}}', '{"webhook": {"since": 1, "runs": 2}}']
)
def test_unreadable_delivery_state_is_one_line_and_does_not_fail_the_run(used_sender, text):
    start = used_sender.load(1, Change())
    (used_sender.home / FILE_NAME).write_text(text)
    assert used_sender.send(start) == []
    assert used_sender.said.startswith("Alerts are pending: ")
    assert FILE_NAME in used_sender.said
