"""Alerts: told once to each receiver, never the past, and what nobody took goes out later."""

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

from innspect.flows.load import load_answers
from innspect.flows.notify import alerts
from innspect.flows.notify.delivery_state import FILE_NAME
from innspect.flows.notify.webhook import Webhook
from innspect.sandbox.payloads.makers import block_payload
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from tests.sandbox.samples import COMPANIES, DAY, view
from tests.sandbox.test_days import LATER
from tests.support.builders import FIRST, INN, MOSCOW, Response, response_frame
from tests.support.cli import Cli, write_portfolio

HOUR = timedelta(hours=1)
ADDRESS = "https://hooks.example/t0ken"


def card(status: str, **more) -> dict:
    return {"inn": INN, "ogrn": "1027700132195", "name": "A", "status": status, **more}


class Told:
    """A home whose warehouse is filled by hand, and a receiver that takes what `status` says."""

    def __init__(self, folder):
        self.home, self.status, self.bodies, self.said = folder, 200, [], ""
        self.path = folder / "warehouse.duckdb"
        self.files = 0

    def answers(self, *answers: Response, path=None) -> None:
        with Warehouse(path or self.path) as warehouse:
            load_answers(warehouse, response_frame(answers, file=f"{self.files}", start=self.files), MOSCOW)
        self.files += len(answers)

    def receive(self, request: httpx.Request) -> httpx.Response:
        if self.status == 200:
            self.bodies.append(json.loads(request.content))
        return httpx.Response(self.status)

    def tell(self, started_at, *, severity="alert", events=False) -> list[tuple]:
        """What the receiver was told by the end of a run that started then."""
        flags = {"home": self.home, "alerts.webhook": ADDRESS, "alerts.minimum_severity": severity}
        settings = load_settings(self.home / "none.toml", {}, flags)
        before, screen = len(self.bodies), StringIO()
        with Warehouse(self.path, read_only=True) as warehouse:
            alerts.send_alerts(
                settings, warehouse, started_at, Console(file=screen, width=200), events=events,
                webhook=partial(Webhook, transport=httpx.MockTransport(self.receive)),
            )  # fmt: skip
        self.said = screen.getvalue()
        found = [one for body in self.bodies[before:] for one in body["alerts"]]
        return [(one["field"], one["old"], one["new"]) for one in found]


@pytest.fixture
def told(tmp_path, laid_out):
    (tmp_path / "none.toml").write_text("")
    laid_out(tmp_path / "warehouse.duckdb")
    return Told(tmp_path)


LIQUIDATING = ("status", "active", "liquidating")


def test_the_past_is_not_told_and_what_comes_is_told_once(told):
    told.answers(*(Response("brief", card(status)) for status in ("active", "liquidating", "active")))
    assert told.tell(FIRST + 3 * HOUR) == []
    told.answers(Response("brief", card("liquidating")))
    assert told.tell(FIRST + 3 * HOUR) == [LIQUIDATING]
    assert "1 told to the webhook" in told.said
    (body,) = told.bodies
    (alert,) = body["alerts"]
    assert (alert["severity"], alert["inn"], alert["name"], alert["block"]) == ("alert", INN, "A", "company")
    assert alert["seen_at"] == "2026-11-20T13:00:00Z"
    for later in (3, 4, 50):
        assert told.tell(FIRST + later * HOUR) == []
        assert told.said == ""


def test_what_was_not_taken_waits_for_the_next_run(told):
    told.answers(Response("brief", card("active")))
    assert told.tell(FIRST) == []
    told.answers(Response("brief", card("liquidating")))
    told.status = 400
    assert told.tell(FIRST + HOUR) == []
    assert "1 were not taken by the webhook (HTTP 400)" in told.said
    assert "t0ken" not in told.said
    # The next run has nothing to add, and tells what waits.
    told.status = 200
    assert told.tell(FIRST + 9 * HOUR) == [LIQUIDATING]
    assert told.tell(FIRST + 10 * HOUR) == []


def test_of_many_only_the_requests_that_failed_go_out_again(told, monkeypatch):
    monkeypatch.setattr(alerts, "TOGETHER", 2)
    inns = [f"770000000{number}" for number in range(5)]
    told.answers(*(Response("brief", {**card("active"), "inn": inn}, inn) for inn in inns))
    told.tell(FIRST)
    told.answers(*(Response("brief", {**card("liquidating"), "inn": inn}, inn) for inn in inns))
    real = told.receive

    def second_refused(request):
        told.status = 200 if not told.bodies else 400
        return real(request)

    monkeypatch.setattr(told, "receive", second_refused)
    assert len(told.tell(FIRST + 5 * HOUR)) == 2
    assert "3 were not taken" in told.said
    monkeypatch.setattr(told, "receive", real)
    told.status = 200
    assert len(told.tell(FIRST + 6 * HOUR)) == 3
    names = [one["id"] for body in told.bodies for one in body["alerts"]]
    assert len(set(names)) == len(names) == 5
    assert len({body["delivery"] for body in told.bodies}) == len(told.bodies) == 3


def test_a_rebuilt_warehouse_tells_nothing_again(told):
    answers = [Response("brief", card("active")), Response("brief", card("liquidating"))]
    told.answers(answers[0])
    told.tell(FIRST)
    told.answers(answers[1])
    assert told.tell(FIRST + HOUR) == [LIQUIDATING]
    told.path.unlink()
    told.files = 0
    told.answers(*answers)
    assert told.tell(FIRST + HOUR) == []
    assert told.tell(FIRST + 2 * HOUR) == []


def test_a_lower_severity_begins_with_the_run_that_asks_for_it(told):
    told.answers(Response("brief", card("active", director="A")), Response("brief", card("active", director="B")))
    told.tell(FIRST)
    assert told.tell(FIRST + 2 * HOUR, severity="info") == []
    told.answers(Response("brief", card("active", director="C")))
    assert told.tell(FIRST + 2 * HOUR, severity="info") == [("director", "B", "C")]


def test_a_change_below_the_least_severity_is_not_told(told):
    told.answers(Response("brief", card("active", director="A")))
    told.tell(FIRST)
    told.answers(Response("brief", card("active", director="B")))
    assert told.tell(FIRST + HOUR) == []
    assert told.bodies == []


def test_events_have_marks_of_their_own_and_the_id_of_the_change(told, monkeypatch):
    sent = []
    monkeypatch.setattr("prefect.events.emit_event", lambda **event: sent.append(event))
    told.answers(Response("brief", card("active")))
    told.tell(FIRST, events=True)
    told.answers(Response("brief", card("liquidating")))
    # A run without Prefect tells the webhook alone; the event goes out with the next one that has it.
    assert told.tell(FIRST + HOUR) == [LIQUIDATING]
    assert sent == []
    assert told.tell(FIRST + 2 * HOUR, events=True) == []
    (event,) = sent
    assert event["event"] == "innspect.change.alert"
    assert event["resource"]["prefect.resource.id"] == f"innspect.counterparty.{INN}"
    assert str(event["id"]).replace("-", "") == told.bodies[0]["alerts"][0]["id"].replace("-", "")
    assert event["payload"] == told.bodies[0]["alerts"][0]
    told.tell(FIRST + 3 * HOUR, events=True)
    assert len(sent) == 1


def test_marks_that_cannot_be_read_are_a_line_and_not_the_runs_fault(told):
    told.answers(Response("brief", card("active")))
    told.tell(FIRST)
    told.answers(Response("brief", card("liquidating")))
    (told.home / FILE_NAME).write_text("{not json")
    assert told.tell(FIRST + HOUR) == []
    assert told.said.startswith("Alerts wait: ")
    assert FILE_NAME in told.said


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
    first, last = (block_payload(view(inn, day, whole=True), "company") for day in (DAY, LATER))
    return not first["error"] and not last["error"] and first["status"] == "active" != last["status"]


@pytest.mark.long
def test_from_one_day_to_another_the_alerts_of_a_run_arrive_signed(start_sandbox, tmp_path, receiver):
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
    told = {(one["inn"], one["field"], json.dumps(one["new"]) if one["field"] is None else one["new"]) for one in found}
    assert {row[:2] for row in told} == {row[:2] for row in expected}
    assert "status" in {one["field"] for one in found}
