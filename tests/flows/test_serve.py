"""Schedules: from the settings to Prefect deployments, and their runs on a real server, killed, overlapping, going on."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from prefect.server.api.server import SubprocessASGIServer

from innspect.cli.serve import schedule_rows
from innspect.extract.home.lock import find_holder
from innspect.extract.ledger.account import AccountFigures
from innspect.flows.account_summary import summarize_account
from innspect.flows.prefect import deployments, run_flow, scheduled_flow
from innspect.flows.run_result import RunResult
from innspect.schemas.errors import BudgetEnded, CreditRefused, Exit, ServiceUnreachable, SettingsError
from innspect.schemas.settings import load_settings
from tests.support.cli import (
    INNS,
    PASSED_VARIABLES,
    ROOT,
    Cli,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
)

SLOW = 'slow_seconds = 1.0\n[[script]]\nfault = "slow"\nnth = 0\n'
KEY = "k3y-0h9G8f7E6d5C4b3A2"
PREFECT = str(Path(sys.executable).with_name("prefect"))
SCHEDULE = '[schedules.{name}]\ncron = "{cron}"\nportfolio = "{portfolio}"\n{more}'


def until(holds: Callable[[], object], seconds: float) -> object:
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.1)
    return found


def config(folder: Path, portfolio: Path, *, name: str = "nightly", cron: str = "0 3 * * *", more: str = "") -> Path:
    path = folder / "innspect.toml"
    path.write_text(SCHEDULE.format(name=name, cron=cron, portfolio=portfolio, more=more))
    return path


# From settings to deployments.


def deployed(path: Path, tmp_path: Path):
    environ = {"INNSPECT_API_KEY": "very-secret", "INNSPECT_BASE_URL": "http://127.0.0.1:9"}
    settings = load_settings(path, environ, {"home": tmp_path / "home"})
    return settings, deployments.build_deployments(settings, path, sandbox=False)


def test_a_schedule_becomes_a_deployment(tmp_path, small_portfolio):
    more = 'profile = "light"\nbudget_rub = 12.50\ntimezone = "Asia/Omsk"\n'
    settings, (made,) = deployed(config(tmp_path, small_portfolio, more=more), tmp_path)
    assert made.name == "nightly"
    assert made.flow_name == "scheduled-run"
    assert made.entrypoint == "innspect.flows.prefect.scheduled_flow.scheduled_run"
    (timing,) = made.schedules
    assert (timing.schedule.cron, timing.schedule.timezone) == ("0 3 * * *", "Asia/Omsk")
    home = str(tmp_path / "home")
    file = str(tmp_path / "innspect.toml")
    assert made.parameters == {"schedule": "nightly", "config": file, "home": home, "sandbox": False}
    assert f"home:{home}" in made.tags
    assert "very-secret" not in made.model_dump_json()
    its = scheduled_flow.settings_of_schedule(settings, settings.schedules["nightly"])
    assert (its.default_profile, its.budget.run_kopecks) == ("light", 1250)
    assert schedule_rows(settings) == [
        ("nightly", "0 3 * * *", "Asia/Omsk", str(small_portfolio), "light", "12.50 RUB")
    ]


def test_schedule_defaults_to_the_settings(tmp_path, small_portfolio):
    settings, (made,) = deployed(config(tmp_path, small_portfolio), tmp_path)
    assert made.schedules[0].schedule.timezone == "Europe/Moscow"
    its = scheduled_flow.settings_of_schedule(settings, settings.schedules["nightly"])
    assert (its.default_profile, its.budget) == ("full", settings.budget)


def test_receivers_get_a_deployment_that_sends_at_their_times_and_each_hour(tmp_path, small_portfolio):
    receiver = '[notify.{name}]\naddress_env = "{name}"\nwhat = ["digest"]\nwhen = "{when}"\n{more}'
    path = config(tmp_path, small_portfolio)
    weekly = receiver.format(name="BOSS", when="weekly mon 09:00", more='timezone = "Asia/Omsk"\n')
    times = weekly + receiver.format(name="DUTY", when="daily 18:30", more="")
    path.write_text(path.read_text() + times + receiver.format(name="EACH", when="each run", more=""))
    _, (run, messages) = deployed(path, tmp_path)
    assert (run.name, messages.flow_name) == ("nightly", "send-messages")
    assert messages.name.startswith("messages-")
    assert messages.entrypoint == "innspect.flows.prefect.message_flow.send_due_messages"
    assert {(timing.schedule.cron, timing.schedule.timezone) for timing in messages.schedules} == {
        ("0 9 * * 1", "Asia/Omsk"), ("30 18 * * *", "Europe/Moscow"), ("40 * * * *", "Europe/Moscow"),
    }  # fmt: skip
    home = tmp_path / "home"
    assert messages.parameters == {"config": str(path), "home": str(home), "sandbox": False}
    assert messages.tags == run.tags
    other = load_settings(path, {"INNSPECT_API_KEY": "k", "INNSPECT_BASE_URL": "http://a"}, {"home": tmp_path / "b"})
    assert deployments.build_deployments(other, path, sandbox=False)[1].name != messages.name


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cron": "99 3 * * *"}, ("99 3 * * *", "correct the cron")),
        ({"name": '"a/b"'}, ("a/b", "hyphens")),
        ({"portfolio": Path("-")}, ("standard input", "name a file")),
        ({"portfolio": Path("nowhere.csv")}, ("nowhere.csv",)),
    ],
)
def test_impossible_schedule_is_rejected_at_start(tmp_path, small_portfolio, given, words):
    path = config(tmp_path, **{"portfolio": small_portfolio, **given})
    with pytest.raises(Exception, match=words[0].replace("*", r"\*")) as refused:
        deployed(path, tmp_path)
    assert refused.value.exit_code is Exit.USAGE
    assert all(word in refused.value.message for word in words)


def test_invalid_time_zone_is_rejected(tmp_path, small_portfolio):
    with pytest.raises(SettingsError, match=r"schedules\.nightly\.timezone"):
        deployed(config(tmp_path, small_portfolio, more='timezone = "Mars/Base"\n'), tmp_path)


def test_serve_requires_key_and_url(tmp_path, small_portfolio):
    path = config(tmp_path, small_portfolio)
    for environ, word in (({"INNSPECT_API_KEY": "k"}, "base_url"), ({"INNSPECT_BASE_URL": "http://a"}, "API_KEY")):
        with pytest.raises(SettingsError, match=word):
            deployments.build_deployments(load_settings(path, environ, {}), path, sandbox=False)


def result(code: Exit, **more: Any) -> RunResult:
    return RunResult(
        "run", "few", "full", 4, 0, 100_00, planned_calls=8, calls=7, charged=54_00, exit_code=code, **more
    )


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (Exit.OK, "COMPLETED", "Completed"),
        (Exit.BUDGET, "COMPLETED", "BudgetEnded"),
        (Exit.INCOMPLETE, "COMPLETED", "Incomplete"),
        (Exit.FAULT, "FAILED", "Failed"),
    ],
)
def test_flow_run_state_follows_the_exit_code(code, kind, name):
    state = scheduled_flow.flow_run_state(result(code))
    assert (state.type.value, state.name) == (kind, name)
    assert state.message.startswith("7 of 8 calls, 54.00 RUB charged, 0 changes.")


@pytest.mark.parametrize(
    ("code", "stop", "kind", "name"),
    [
        (Exit.REFUSED, CreditRefused("Reason."), "FAILED", "Refused"),
        (Exit.INCOMPLETE, ServiceUnreachable("Reason."), "FAILED", "Incomplete"),
        (Exit.BUDGET, BudgetEnded("Reason."), "COMPLETED", "BudgetEnded"),
    ],
)
def test_flow_run_state_names_the_error_that_stopped_the_calls(code, stop, kind, name):
    state = scheduled_flow.flow_run_state(result(code, stop=stop))
    assert (state.type.value, state.name) == (kind, name)
    assert state.message.endswith("Reason.")


def test_flow_run_fails_if_publishing_failed():
    state = scheduled_flow.flow_run_state(result(Exit.FAULT, is_published=False))
    assert (state.type.value, state.name) == ("FAILED", "Failed")
    assert "innspect publish" in state.message


def test_flow_run_state_names_the_warnings_about_the_account():
    at = datetime(2026, 11, 20, 12)
    account = summarize_account(AccountFigures(100_00, at, None), load_settings(None, {}, {}), at)
    state = scheduled_flow.flow_run_state(result(Exit.OK, account=account))
    assert (state.type.value, state.name) == ("COMPLETED", "Completed")
    assert "Plan a top-up" in state.message


async def test_run_continues_if_the_server_accepts_no_artifacts(monkeypatch):
    from innspect.flows.prefect import run_flow

    async def refuse(*_: object, **__: object) -> None:
        raise httpx.ConnectError("gone")

    async def create(*_: object, **__: object) -> str:
        return "artifact"

    async def make_calls(*_: object) -> RunResult:
        return result(Exit.OK)

    notes: list[str] = []
    spent = SimpleNamespace(calls=7, settled=54_00, unknown=0)
    run = SimpleNamespace(
        run_id="run",
        state=SimpleNamespace(stop=None, planned_calls=8),
        settings=SimpleNamespace(budget=SimpleNamespace(run_kopecks=100_00)),
        progress=SimpleNamespace(note=notes.append),
        stores=SimpleNamespace(ledger=SimpleNamespace(run_figures=lambda _: spent)),
    )
    monkeypatch.setattr(run_flow, "acreate_progress_artifact", create)
    for name in ("aupdate_progress_artifact", "acreate_table_artifact", "acreate_markdown_artifact"):
        monkeypatch.setattr(run_flow, name, refuse)
    for name in ("changes_of_run", "coverage_of_portfolio"):
        monkeypatch.setattr(run_flow, name, lambda _: {})
    monkeypatch.setattr(run_flow, "make_calls", make_calls)
    assert (await run_flow.make_calls_in_flow(run)).calls == 7
    assert [note.split(" (")[0] for note in notes] == [
        f"Prefect did not accept {what}" for what in ("the progress", "the table of changes", "the summary")
    ]


# No server.


@pytest.mark.long
def test_missing_prefect_server_is_reported(cli, tmp_path, small_portfolio):
    cli.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    assert_fails(cli("serve"), 2, "no schedules")
    path = config(tmp_path, small_portfolio)
    assert_fails(
        cli("serve", "--config", path), 2, "No Prefect server is set", "server start", "PREFECT_API_URL=http://"
    )
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://somebody:hidden@127.0.0.1:{unused.getsockname()[1]}/api"
        said = assert_fails(
            cli("serve", "--config", path, PREFECT_API_URL=address), 2, "No Prefect server responds", "start"
        )
    assert "hidden" not in said


# A real server.


@dataclass(frozen=True)
class Orchestra:
    """A Prefect server of its own."""

    url: str
    environ: dict[str, str]

    def prefect(self, *words: str) -> None:
        env = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ} | self.environ
        subprocess.run([PREFECT, "--no-prompt", *words], cwd=ROOT, env=env, check=True, capture_output=True)

    def deployment(self, name: str) -> dict:
        answer = httpx.get(f"{self.url}/deployments/name/scheduled-run/{name}")
        return answer.json() if answer.status_code == 200 else {}

    def start(self, name: str) -> str:
        """Schedule a run of a deployment for now; its id."""
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": datetime.now(UTC).isoformat()}}
        path = f"{self.url}/deployments/{self.deployment(name)['id']}/create_flow_run"
        # On SQLite the server is busy now and then, and says so.
        return until(lambda: (sent := httpx.post(path, json={"state": state})).is_success and sent.json()["id"], 30)

    def state(self, run: str) -> tuple[str, str]:
        state = self._get(f"flow_runs/{run}")["state"]
        return state["type"], state["name"]

    def _get(self, path: str) -> dict:
        return until(lambda: (got := httpx.get(f"{self.url}/{path}")).is_success and got.json(), 30)

    def ended(self, run: str, seconds: float = 240) -> dict:
        final = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
        until(lambda: self.state(run)[0] in final, seconds)
        return self._get(f"flow_runs/{run}")["state"]

    def found(self, what: str, **filters: object) -> list[dict]:
        path = f"{self.url}/{what}/filter"
        return until(lambda: (got := httpx.post(path, json=filters)).is_success and [got.json()], 30)[0]

    def artifacts(self, run: str) -> dict[str, dict]:
        return {one["key"]: one for one in self.found("artifacts", flow_runs={"id": {"any_": [run]}})}


@pytest.fixture(scope="module")
def orchestra(tmp_path_factory) -> Iterator[Orchestra]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {
        "PREFECT_HOME": str(tmp_path_factory.mktemp("prefect")),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
    }
    env = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ} | environ
    command = [PREFECT, "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(environ["PREFECT_API_URL"]), 120)
        yield Orchestra(environ["PREFECT_API_URL"], environ)
    finally:
        _end(server)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health").status_code == 200
    except httpx.TransportError:
        return False


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(40)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def holding(cli: Cli) -> int | None:
    """The process that holds the stores."""
    return find_holder(cli.home / "innspect.lock")


@pytest.fixture
def slow(start_faulty_sandbox, tmp_path, orchestra):
    """A service that takes a second for each answer, and a home."""
    service = start_faulty_sandbox(SLOW, "--key", KEY, "--key", "sandbox")
    more = {"INNSPECT_SERVICE__CONCURRENCY": "2", "INNSPECT_SERVICE__BATCH": "4"}
    return service, Cli(tmp_path / "home", service.url, orchestra.environ | more)


@pytest.mark.vast
def test_worker_runs_a_deployment_of_the_pool(orchestra, slow, tmp_path, portfolio):
    service, cli = slow
    schedules = f'{{"nightly": {{"cron": "0 3 * * *", "portfolio": "{portfolio}", "budget_rub": 400}}}}'
    orchestra.prefect("work-pool", "create", "innspect", "--type", "process")
    orchestra.prefect("deploy", "--all", "--prefect-file", "configs/prefect.yaml")
    _, env = cli.command(INNSPECT_SCHEDULES=schedules, INNSPECT_API_KEY=KEY)
    log = (tmp_path / "worker.log").open("w")
    command = [PREFECT, "worker", "start", "--pool", "innspect"]
    worker = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        first = orchestra.start("nightly")
        until(lambda: service.bill_total() > 0, 60)
        os.kill(until(lambda: holding(cli), 30), signal.SIGKILL)
        assert orchestra.ended(first)["type"] == "CRASHED"
        second = orchestra.start("nightly")
        pid = until(lambda: (now := holding(cli)) and orchestra.state(second)[0] == "RUNNING" and now, 60)
        progress = until(lambda: orchestra.artifacts(second).get("progress"), 60)
        assert progress["type"] == "progress"
        third = orchestra.start("nightly")
        skipped = orchestra.ended(third)
        assert orchestra.state(second)[0] == "RUNNING"
        assert (skipped["type"], skipped["name"]) == ("CANCELLED", "Skipped")
        assert f"Process {pid} holds the stores" in skipped["message"]
        assert skipped["message"].startswith("Skipped without any call: ")
        ended = orchestra.ended(second, 90)
        assert (ended["type"], ended["name"]) == ("COMPLETED", "Completed"), ended
        fourth = orchestra.start("nightly")
        assert orchestra.ended(fourth)["message"].startswith("0 of 0 calls")
    finally:
        _end(worker)
        log.close()
    assert_money_adds_up(cli, service, 800)
    unknown = cli.status()["unknown_calls"]
    asked = [(one["inn"], one["method"]) for one in service.charges()]
    assert len(asked) - len(set(asked)) <= unknown <= 2
    assert cli.value("SELECT count(*) FROM current.company") == len(INNS)
    assert cli.sql("SELECT exit_code FROM lineage.runs ORDER BY run_id") == [(130,), (0,), (0,)]
    told_of = orchestra.artifacts(second)
    assert set(told_of) == {"progress", "changes", "summary"}
    assert told_of["progress"]["data"] == 100.0
    assert "Left of the budget, RUB | " in told_of["summary"]["data"]
    assert "| found | " in told_of["summary"]["data"]
    assert set(orchestra.artifacts(third)) == set()
    log_lines = orchestra.found("logs", logs={"flow_run_id": {"any_": [third]}})
    assert any(line["level"] == 30 and line["message"].startswith("Skipped") for line in log_lines)
    everything = (tmp_path / "worker.log").read_bytes() + b"".join(
        path.read_bytes() for path in Path(orchestra.environ["PREFECT_HOME"]).rglob("*") if path.is_file()
    )
    assert b"nightly" in everything
    assert KEY.encode() not in everything


@pytest.mark.vast
def test_schedule_starts_runs(orchestra, slow, tmp_path, small_portfolio):
    service, cli = slow
    path = config(tmp_path, small_portfolio, name="each-minute", cron="* * * * *", more="budget_rub = 100\n")
    server = cli.start("serve", "--config", path)
    try:
        until(lambda: service.bill_total() > 0, 100)
        # The run under way is told to end, its calls come to their end, and the schedule sleeps with its server.
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=60)
    finally:
        server.kill()
    assert server.returncode == 0, err
    assert "each-minute" in out
    assert "Interrupted. Received responses are saved" in err
    until(lambda: holding(cli) is None, 120)
    assert orchestra.deployment("each-minute")["paused"]
    assert assert_money_adds_up(cli, service, 100) == (service.bill_total(), 0)
    assert cli.value("SELECT exit_code FROM lineage.runs") == 130
    done = cli.run(small_portfolio, "--no-repair")
    assert done.code == 0, done
    assert_no_call_paid_twice(service)


@pytest.mark.vast
def test_deployment_belongs_to_one_home_and_is_paused_after_removal(orchestra, slow, tmp_path, small_portfolio):
    _, cli = slow
    for name in ("one", "two"):
        path = config(tmp_path, small_portfolio, name=name)
        server = cli.start("serve", "--config", path)
        until(lambda name=name: orchestra.deployment(name).get("paused") is False, 60)
        if name == "one":
            server.kill()
        else:
            server.send_signal(signal.SIGINT)
        out, _ = server.communicate(timeout=60)
    assert "The schedule one is no longer in the settings; it was paused." in out
    assert orchestra.deployment("one")["paused"]
    other = Cli(tmp_path / "other", cli.url, dict(cli.environ))
    assert_fails(other("serve", "--config", path), 2, str(cli.home), "rename schedules.two")


def test_output_of_a_temporary_server_never_reaches_the_terminal(capfd, monkeypatch):
    def start_noisy_process(_):
        return subprocess.Popen([sys.executable, "-c", "print('out'); raise SystemExit('Traceback')"])

    monkeypatch.setattr(SubprocessASGIServer, "_run_uvicorn_command", start_noisy_process)
    process = run_flow._QuietServer()._run_uvicorn_command()
    assert process.wait(timeout=30) == 1
    print("ours")
    assert capfd.readouterr() == ("ours\n", "")
