"""Alerts of runs, as a receiver behind a socket gets them: what is worse, once, and nothing else."""

import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.sandbox.world.labels import label
from tests.support.cli import ROOT, Cli, Service, write_portfolio

DAY = datetime.now(UTC).date() - timedelta(days=1)
TROUBLED, DOUBTFUL = islice((inn for inn in sample_inns(200, 7) if label(inn, 0, DAY) == "clean"), 2)
TROUBLE = ("arbitration=petition", "tax_debts=large_debt", "fssp=large_debt")
DOUBT = ("sanctions=namesake", "rnp=excluded")
PAGE = ROOT / "docs" / "operations.md"


@dataclass
class Receiver:
    """A receiver behind a socket: the accepted bodies with their signatures."""

    address: str = ""
    accepted: list[tuple[bytes, str]] = field(default_factory=list)
    taken: int = 0

    def take(self) -> list[dict[str, Any]]:
        """The alerts accepted since the last call."""
        bodies = [json.loads(body) for body, _ in self.accepted[self.taken :]]
        self.taken = len(self.accepted)
        return [alert for body in bodies for alert in body["alerts"]]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that accepts everything."""
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.accepted.append((body, self.headers["X-Innspect-Signature"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.address = f"http://127.0.0.1:{server.server_port}/hook"
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def alerting(make_cli: Callable[..., Cli], receiver: Receiver) -> Cli:
    """A command line whose runs send alerts to the receiver."""
    return make_cli("", {"INNSPECT_ALERTS__WEBHOOK": receiver.address, "INNSPECT_ALERTS__SECRET": "s3cret"})


def states(inn: str, *named: str) -> tuple[str, ...]:
    """Options of a sandbox in which every block of an INN is clean but for these."""
    return tuple(option for state in ("*=clean", *named) for option in ("--state", f"{inn}:{state}"))


@pytest.fixture
def check(alerting: Cli, receiver: Receiver, start_sandbox: Callable[..., Service], tmp_path: Path):
    """Run the two companies on a day on which the sandbox has these options; the alerts of the run."""
    portfolio = write_portfolio(tmp_path / "two.csv", [TROUBLED, DOUBTFUL])

    def check(*options: str, run: tuple[str, ...] = ("--refresh",)) -> list[dict[str, Any]]:
        alerting.url = start_sandbox("--day", DAY, *options).url
        done = alerting.run(portfolio, "--no-repair", *run)
        assert done.code == 0, done
        return receiver.take()

    return check


@pytest.mark.long
def test_trouble_raises_alerts_and_doubt_does_not(check, alerting, receiver):
    bad_day = (*states(TROUBLED, *TROUBLE), *states(DOUBTFUL, *DOUBT))
    assert check(*states(TROUBLED), *states(DOUBTFUL)) == []
    sent = check(*bad_day)
    by_signal = {alert["signal"]: alert for alert in sent}
    assert len(by_signal) == len(sent)
    assert by_signal.keys() == {"bankruptcy_petition", "tax_debt_large", "enforcement_large", "level"}
    assert {alert["inn"] for alert in sent} == {TROUBLED}
    assert by_signal["tax_debt_large"]["evidence"] == "50 000 000.00 RUB"
    assert by_signal["enforcement_large"]["evidence"] == "90 000 000.00 RUB"
    told = [news["sentence_ru"] for news in by_signal["enforcement_large"]["news"]]
    assert any(sentence.startswith("Новое исполнительное производство № ") for sentence in told), told
    assert (by_signal["level"]["from_state"], by_signal["level"]["to_state"]) == ("low", "critical")
    appeared = {(alert["from_state"], alert["to_state"]) for alert in sent if alert["kind"] == "signal"}
    assert appeared == {("absent", "present")}
    assert {(alert["level"], *alert["unknown_blocks"]) for alert in sent} == {("critical",)}
    found = dict(alerting.sql("SELECT signal, state FROM mart.risk_signals WHERE inn = ?", DOUBTFUL))
    assert (found["sanctions_namesake"], found["rnp_past"]) == ("present", "present")

    for body, signature in receiver.accepted:
        assert signature == hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    for alert in sent:
        if alert["kind"] == "signal":
            (evidence,) = alerting.sql(
                "SELECT version_id, block, run_id FROM lineage.snapshots WHERE snapshot_id = ?", alert["snapshot_id"]
            )
            assert evidence == (alert["version_id"], alert["block"], alert["run_id"])

    assert_documented(by_signal["bankruptcy_petition"])
    # The same again, a rebuild and another policy are no news.
    assert check(*bad_day) == []
    assert alerting("rebuild").code == 0
    policy = (ROOT / "configs" / "risk.toml").read_text("utf-8")
    path = alerting.home.parent / "risk.toml"
    path.write_text(policy.replace('severity = "info"', 'severity = "alert"').replace("medium = 10", "medium = 1"))
    alerting.environ["INNSPECT_RISK_POLICY"] = str(path)
    assert check(*bad_day) == []


def assert_documented(alert: dict[str, Any]) -> None:
    """Assert that the example of the documents has the fields of the alert in their order, and what does not vary."""
    text = PAGE.read_text("utf-8").partition("```json\n")[2].partition("```")[0]
    (example,) = json.loads(text)["alerts"]
    assert list(example) == list(alert)
    varying = {"id", "inn", "name", "portfolios", "evidence", "news", "since", "assessed_at"}
    varying |= {name for name in alert if name.endswith("_id") or name == "policy_version"}
    for name, value in alert.items():
        assert type(example[name]) is type(value), name
        assert name in varying or example[name] == value, name


@pytest.mark.long
def test_long_unknown_required_block_is_sent_once_for_each_time(check, alerting):
    policy = (ROOT / "configs" / "risk.toml").read_text("utf-8")
    path = alerting.home.parent / "risk.toml"
    path.write_text(policy.replace("unknown_alert_days = 14", "unknown_alert_days = 0.000001"))
    alerting.environ["INNSPECT_RISK_POLICY"] = str(path)
    silent = (*states(TROUBLED, "fssp=sources_failed_empty"), *states(DOUBTFUL))
    answered = (*states(TROUBLED), *states(DOUBTFUL))
    ids = []
    for _ in range(2):
        assert check(*answered) == []
        assert check(*silent) == []
        (alert,) = check(*silent)
        assert (alert["kind"], alert["inn"], alert["block"]) == ("unknown", TROUBLED, "fssp")
        assert (alert["level"], alert["level_known"], alert["unknown_blocks"]) == ("unknown", "low", ["fssp"])
        assert alert["evidence"] == "unconfirmed: sources_failed"
        ids.append(alert["id"])
    assert check(*silent) == []
    assert check(*silent, run=()) == []
    assert len(set(ids)) == 2
