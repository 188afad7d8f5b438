"""Alerts: sent once to each receiver, never the past, and what nobody took goes out later."""

import hashlib
import hmac
import json
import threading
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO

import httpx
import pytest
from rich.console import Console

from innspect.flows.load import load_responses
from innspect.flows.notify import alerts
from innspect.flows.notify.delivery_state import FILE_NAME
from innspect.flows.notify.webhook import Webhook
from innspect.sandbox.payloads.makers import block_payload
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from tests.sandbox.samples import COMPANIES, DAY, view
from tests.sandbox.test_days import LATER
from tests.support.builders import CONVENTIONS, FIRST, INN, Response, response_frame
from tests.support.cli import Cli, write_portfolio

HOUR = timedelta(hours=1)
ADDRESS = "https://hooks.example/t0ken"


def card(status: str, **more) -> dict:
    return {"inn": INN, "ogrn": "1027700132195", "name": "A", "status": status, **more}


def _emit(batch):
    from innspect.flows.prefect.events import emit_events

    emit_events(batch)


class AlertSender:
    """A home whose warehouse is filled by hand, and a receiver that takes what `status` says."""

    def __init__(self, folder):
        self.home, self.status, self.bodies, self.said = folder, 200, [], ""
        self.path = folder / "warehouse.duckdb"
        self.files = 0

    def answers(self, *answers: Response, path=None) -> None:
        with Warehouse(path or self.path) as warehouse:
            load_responses(warehouse, response_frame(answers, file=f"{self.files}", start=self.files), CONVENTIONS)
        self.files += len(answers)

    def receive(self, request: httpx.Request) -> httpx.Response:
        if self.status == 200:
            self.bodies.append(json.loads(request.content))
        return httpx.Response(self.status)

    def tell(self, started_at, *, severity="alert", events=False) -> list[tuple]:
        """What the receiver received by the end of a run that started then."""
        flags = {"home": self.home, "alerts.webhook": ADDRESS, "alerts.minimum_severity": severity}
        settings = load_settings(self.home / "none.toml", {}, flags)
        before, screen = len(self.bodies), StringIO()
        with Warehouse(self.path, read_only=True) as warehouse:
            alerts.send_alerts(
                settings, warehouse, started_at, Console(file=screen, width=200),
                emit_events=_emit if events else None,
                webhook=partial(Webhook, transport=httpx.MockTransport(self.receive)),
            )  # fmt: skip
        self.said = screen.getvalue()
        found = [one for body in self.bodies[before:] for one in body["alerts"]]
        return [(one["field"], one["old"], one["new"]) for one in found]


@pytest.fixture
def sender(tmp_path, create_empty_warehouse):
    (tmp_path / "none.toml").write_text("")
    create_empty_warehouse(tmp_path / "warehouse.duckdb")
    return AlertSender(tmp_path)


LIQUIDATING = ("status", "active", "liquidating")


def test_past_changes_are_not_sent_and_new_ones_are_sent_once(sender):
    sender.answers(*(Response("brief", card(status)) for status in ("active", "liquidating", "active")))
    assert sender.tell(FIRST + 3 * HOUR) == []
    sender.answers(Response("brief", card("liquidating")))
    assert sender.tell(FIRST + 3 * HOUR) == [LIQUIDATING]
    assert "1 sent to the webhook" in sender.said
    (body,) = sender.bodies
    (alert,) = body["alerts"]
    assert (alert["severity"], alert["inn"], alert["name"], alert["block"]) == ("alert", INN, "A", "company")
    assert alert["seen_at"] == "2026-11-20T13:00:00Z"
    for later in (3, 4, 50):
        assert sender.tell(FIRST + later * HOUR) == []
        assert sender.said == ""


def test_undelivered_changes_are_sent_by_the_next_run(sender):
    sender.answers(Response("brief", card("active")))
    assert sender.tell(FIRST) == []
    sender.answers(Response("brief", card("liquidating")))
    sender.status = 400
    assert sender.tell(FIRST + HOUR) == []
    assert "1 were not accepted by the webhook (HTTP 400)" in sender.said
    assert "t0ken" not in sender.said
    # The next run has nothing to add, and tells what waits.
    sender.status = 200
    assert sender.tell(FIRST + 9 * HOUR) == [LIQUIDATING]
    assert sender.tell(FIRST + 10 * HOUR) == []


def test_only_failed_requests_are_sent_again(sender, monkeypatch):
    monkeypatch.setattr(alerts, "MAX_ALERTS_PER_REQUEST", 2)
    inns = [f"770000000{number}" for number in range(5)]
    sender.answers(*(Response("brief", {**card("active"), "inn": inn}, inn) for inn in inns))
    sender.tell(FIRST)
    sender.answers(*(Response("brief", {**card("liquidating"), "inn": inn}, inn) for inn in inns))
    real = sender.receive

    def second_refused(request):
        sender.status = 200 if not sender.bodies else 400
        return real(request)

    monkeypatch.setattr(sender, "receive", second_refused)
    assert len(sender.tell(FIRST + 5 * HOUR)) == 2
    assert "3 were not accepted" in sender.said
    monkeypatch.setattr(sender, "receive", real)
    sender.status = 200
    assert len(sender.tell(FIRST + 6 * HOUR)) == 3
    names = [one["id"] for body in sender.bodies for one in body["alerts"]]
    assert len(set(names)) == len(names) == 5
    assert len({body["delivery"] for body in sender.bodies}) == len(sender.bodies) == 3


def test_rebuild_sends_nothing_again(sender):
    answers = [Response("brief", card("active")), Response("brief", card("liquidating"))]
    sender.answers(answers[0])
    sender.tell(FIRST)
    sender.answers(answers[1])
    assert sender.tell(FIRST + HOUR) == [LIQUIDATING]
    sender.path.unlink()
    sender.files = 0
    sender.answers(*answers)
    assert sender.tell(FIRST + HOUR) == []
    assert sender.tell(FIRST + 2 * HOUR) == []


def test_lower_minimum_severity_applies_from_its_first_run(sender):
    sender.answers(Response("brief", card("active", director="A")), Response("brief", card("active", director="B")))
    sender.tell(FIRST)
    assert sender.tell(FIRST + 2 * HOUR, severity="info") == []
    sender.answers(Response("brief", card("active", director="C")))
    assert sender.tell(FIRST + 2 * HOUR, severity="info") == [("director", "B", "C")]


def test_change_below_the_minimum_severity_is_not_sent(sender):
    sender.answers(Response("brief", card("active", director="A")))
    sender.tell(FIRST)
    sender.answers(Response("brief", card("active", director="B")))
    assert sender.tell(FIRST + HOUR) == []
    assert sender.bodies == []


def test_deliveries_have_their_own_ids_and_those_of_changes(sender, monkeypatch):
    sent = []
    monkeypatch.setattr("innspect.flows.prefect.events.emit_event", lambda **event: sent.append(event))
    sender.answers(Response("brief", card("active")))
    sender.tell(FIRST, events=True)
    sender.answers(Response("brief", card("liquidating")))
    # A run without Prefect tells the webhook alone; the event goes out with the next one that has it.
    assert sender.tell(FIRST + HOUR) == [LIQUIDATING]
    assert sent == []
    assert sender.tell(FIRST + 2 * HOUR, events=True) == []
    (event,) = sent
    assert event["event"] == "innspect.change.alert"
    assert event["resource"]["prefect.resource.id"] == f"innspect.counterparty.{INN}"
    assert str(event["id"]).replace("-", "") == sender.bodies[0]["alerts"][0]["id"].replace("-", "")
    assert event["payload"] == sender.bodies[0]["alerts"][0]
    sender.tell(FIRST + 3 * HOUR, events=True)
    assert len(sent) == 1


def test_unreadable_delivery_state_is_one_line_and_does_not_fail_the_run(sender):
    sender.answers(Response("brief", card("active")))
    sender.tell(FIRST)
    sender.answers(Response("brief", card("liquidating")))
    (sender.home / FILE_NAME).write_text("{not json")
    assert sender.tell(FIRST + HOUR) == []
    assert sender.said.startswith("Alerts are pending: ")
    assert FILE_NAME in sender.said


@pytest.fixture
def receiver():
    """A receiver behind a socket: what came, with its signature."""
    came = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((body, self.headers["X-Innspect-Signature"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", came
    server.shutdown()


def left_active(inn: str) -> bool:
    """Whether full checks show it active on the first day and no more on the last."""
    first, last = (block_payload(view(inn, day, is_full_check=True), "company") for day in (DAY, LATER))
    return not first["error"] and not last["error"] and first["status"] == "active" != last["status"]


@pytest.mark.long
def test_run_sends_signed_alerts_about_changes_since_the_day_before(start_sandbox, tmp_path, receiver):
    address, came = receiver
    path = write_portfolio(tmp_path / "two.csv", [next(filter(left_active, COMPANIES)), COMPANIES[0]])
    cli = Cli(tmp_path / "home", environ={"INNSPECT_ALERTS__WEBHOOK": address, "INNSPECT_ALERTS__SECRET": "s3cret"})
    for number, day in enumerate(("2026-11-01", "2026-12-31", "2026-12-31")):
        cli.url = start_sandbox("--day", day).url
        assert cli.run(path, "--refresh", "--no-repair").code == 0
        assert bool(came) == (number > 0)
    expected = cli.sql("SELECT inn, column_name, new_value FROM lineage.changes WHERE severity = 'alert'")
    for body, signature in came:
        assert signature == hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    found = [one for body, _ in came for one in json.loads(body)["alerts"]]
    assert len(found) == len(expected) > 0
    assert len({one["id"] for one in found}) == len(found)
    sender = {
        (one["inn"], one["field"], json.dumps(one["new"]) if one["field"] is None else one["new"]) for one in found
    }
    assert {row[:2] for row in sender} == {row[:2] for row in expected}
    assert "status" in {one["field"] for one in found}
