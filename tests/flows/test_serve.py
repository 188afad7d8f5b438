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

import httpx
import pytest

from innspect.cli._options import Given
from innspect.cli.run import Ended
from innspect.extract.home.lock import holder
from innspect.flows.prefect import deployments as serve
from innspect.flows.prefect import scheduled_flow as scheduled_run
from innspect.flows.run_result import Result
from innspect.schemas.errors import BudgetEnded, CreditRefused, Exit, ServiceUnreachable, SettingsError
from innspect.schemas.settings import load_settings
from tests.flows.conftest import INNS, KEPT, ROOT, House, money_holds, not_paid_twice, told

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
    given = Given(path, tmp_path / "home")
    settings = load_settings(path, environ, {"home": given.home})
    return settings, serve.deployments_of(settings, given)


def test_a_schedule_becomes_a_deployment(tmp_path, few):
    more = 'profile = "light"\nbudget_rub = 12.50\ntimezone = "Asia/Omsk"\n'
    settings, (made,) = deployed(config(tmp_path, few, more=more), tmp_path)
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
    its = scheduled_run.scheduled(settings, settings.schedules["nightly"])
    assert (its.default_profile, its.budget.run_kopecks) == ("light", 1250)
    assert serve.rows_of(settings) == [("nightly", "0 3 * * *", "Asia/Omsk", str(few), "light", "12.50 RUB")]


def test_what_a_schedule_leaves_out_is_that_of_the_settings(tmp_path, few):
    settings, (made,) = deployed(config(tmp_path, few), tmp_path)
    assert made.schedules[0].schedule.timezone == "Europe/Moscow"
    its = scheduled_run.scheduled(settings, settings.schedules["nightly"])
    assert (its.default_profile, its.budget) == ("full", settings.budget)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cron": "99 3 * * *"}, ("99 3 * * *", "correct the cron")),
        ({"name": '"a/b"'}, ("a/b", "hyphens")),
        ({"portfolio": Path("-")}, ("standard input", "name a file")),
        ({"portfolio": Path("nowhere.csv")}, ("nowhere.csv",)),
    ],
)
def test_what_no_run_could_carry_out_is_refused_before_the_night(tmp_path, few, given, words):
    path = config(tmp_path, **{"portfolio": few, **given})
    with pytest.raises(Exception, match=words[0].replace("*", r"\*")) as refused:
        deployed(path, tmp_path)
    assert refused.value.exit_code is Exit.USAGE
    assert all(word in refused.value.message for word in words)


def test_a_wrong_time_zone_is_refused(tmp_path, few):
    with pytest.raises(SettingsError, match=r"schedules\.nightly\.timezone"):
        deployed(config(tmp_path, few, more='timezone = "Mars/Base"\n'), tmp_path)


def test_without_a_key_or_an_address_nothing_is_served(tmp_path, few):
    path = config(tmp_path, few)
    for environ, word in (({"INNSPECT_API_KEY": "k"}, "base_url"), ({"INNSPECT_BASE_URL": "http://a"}, "API_KEY")):
        with pytest.raises(SettingsError, match=word):
            serve.deployments_of(load_settings(path, environ, {}), Given(path))


def result(code: Exit) -> Result:
    return Result("run", "few", "full", 4, 0, 100_00, planned_calls=8, calls=7, charged=54_00, exit_code=code)


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (Exit.OK, "COMPLETED", "Completed"),
        (Exit.BUDGET, "COMPLETED", "BudgetEnded"),
        (Exit.INCOMPLETE, "COMPLETED", "Incomplete"),
        (Exit.FAULT, "FAILED", "Failed"),
    ],
)
def test_the_state_tells_how_a_run_ended(code, kind, name):
    state = scheduled_run.state_of(Ended(result(code), None, is_published=True))
    assert (state.type.value, state.name) == (kind, name)
    assert state.message.startswith("7 of 8 calls, 54.00 RUB charged, 0 changes.")


def test_a_refusal_and_a_missing_copy_are_red_and_say_why():
    refused = scheduled_run.state_of(
        Ended(result(Exit.REFUSED), CreditRefused("The credit is used up."), is_published=True)
    )
    assert (refused.type.value, refused.name) == ("FAILED", "Refused")
    assert refused.message.endswith("The credit is used up.")
    absent = scheduled_run.state_of(Ended(result(Exit.INCOMPLETE), ServiceUnreachable("Nobody."), is_published=True))
    assert (absent.type.value, absent.name) == ("FAILED", "Incomplete")
    ended = scheduled_run.state_of(Ended(result(Exit.BUDGET), BudgetEnded("No room."), is_published=True))
    assert (ended.type.value, ended.name) == ("COMPLETED", "BudgetEnded")
    unseen = scheduled_run.state_of(Ended(result(Exit.OK), None, is_published=False))
    assert unseen.type.value == "FAILED"
    assert "innspect publish" in unseen.message


async def test_a_server_that_takes_no_pictures_any_more_does_not_end_the_run(monkeypatch):
    from innspect.flows.prefect import run_flow as prefect_flow

    async def refused(*_: object, **__: object) -> None:
        raise httpx.ConnectError("gone")

    async def created(*_: object, **__: object) -> str:
        return "artifact"

    async def checked(*_: object) -> Result:
        return result(Exit.OK)

    notes: list[str] = []
    spent = SimpleNamespace(calls=7, settled=54_00, unknown=0)
    job = SimpleNamespace(
        run_id="run",
        stop=None,
        result=result(Exit.OK),
        watcher=SimpleNamespace(note=notes.append),
        stores=SimpleNamespace(ledger=SimpleNamespace(run_figures=lambda _: spent)),
    )
    monkeypatch.setattr(prefect_flow, "acreate_progress_artifact", created)
    for name in ("aupdate_progress_artifact", "acreate_table_artifact", "acreate_markdown_artifact"):
        monkeypatch.setattr(prefect_flow, name, refused)
    for name in ("changes_of", "coverage_of"):
        monkeypatch.setattr(prefect_flow, name, lambda _: {})
    monkeypatch.setattr(prefect_flow, "check", checked)
    assert (await prefect_flow.check_in_flow(job)).calls == 7
    assert [note.split(" (")[0] for note in notes] == [
        f"Prefect did not take {what}" for what in ("the progress", "the table of changes", "the summary")
    ]


# No server.


@pytest.mark.long
def test_without_a_server_it_says_how_to_start_one(house, tmp_path, few):
    house.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    told(house("serve"), 2, "no schedules")
    path = config(tmp_path, few)
    told(house("serve", "--config", path), 2, "No Prefect server is named", "server start", "PREFECT_API_URL=http://")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://somebody:hidden@127.0.0.1:{unused.getsockname()[1]}/api"
        said = told(house("serve", "--config", path, PREFECT_API_URL=address), 2, "No Prefect server answers", "start")
    assert "hidden" not in said


# A real server.


@dataclass(frozen=True)
class Orchestra:
    """A Prefect server of its own."""

    url: str
    environ: dict[str, str]

    def prefect(self, *words: str) -> None:
        env = {name: os.environ[name] for name in KEPT if name in os.environ} | self.environ
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
    env = {name: os.environ[name] for name in KEPT if name in os.environ} | environ
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


def holding(house: House) -> int | None:
    """The process that holds the stores."""
    return holder(house.home / "innspect.lock")


@pytest.fixture
def slow(faulty, tmp_path, orchestra):
    """A service that takes a second for each answer, and a home."""
    service = faulty(SLOW, "--key", KEY, "--key", "sandbox")
    more = {"INNSPECT_SERVICE__CONCURRENCY": "2", "INNSPECT_SERVICE__BATCH": "4"}
    return service, House(tmp_path / "home", service.url, orchestra.environ | more)


@pytest.mark.vast
def test_a_worker_runs_what_the_pool_has(orchestra, slow, tmp_path, portfolio):
    service, house = slow
    schedules = f'{{"nightly": {{"cron": "0 3 * * *", "portfolio": "{portfolio}", "budget_rub": 400}}}}'
    orchestra.prefect("work-pool", "create", "innspect", "--type", "process")
    orchestra.prefect("deploy", "--all", "--prefect-file", "configs/prefect.yaml")
    _, env = house.command(INNSPECT_SCHEDULES=schedules, INNSPECT_API_KEY=KEY)
    log = (tmp_path / "worker.log").open("w")
    command = [PREFECT, "worker", "start", "--pool", "innspect"]
    worker = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        first = orchestra.start("nightly")
        until(lambda: service.billed() > 0, 60)
        os.kill(until(lambda: holding(house), 30), signal.SIGKILL)
        assert orchestra.ended(first)["type"] == "CRASHED"
        second = orchestra.start("nightly")
        pid = until(lambda: (now := holding(house)) and orchestra.state(second)[0] == "RUNNING" and now, 60)
        progress = until(lambda: orchestra.artifacts(second).get("progress"), 60)
        assert progress["type"] == "progress"
        third = orchestra.start("nightly")
        skipped = orchestra.ended(third)
        assert orchestra.state(second)[0] == "RUNNING"
        assert (skipped["type"], skipped["name"]) == ("CANCELLED", "Skipped")
        assert f"Process {pid} holds the stores" in skipped["message"]
        assert "nothing was asked or spent" in skipped["message"]
        ended = orchestra.ended(second, 90)
        assert (ended["type"], ended["name"]) == ("COMPLETED", "Completed"), ended
        fourth = orchestra.start("nightly")
        assert orchestra.ended(fourth)["message"].startswith("0 of 0 calls")
    finally:
        _end(worker)
        log.close()
    money_holds(house, service, 800)
    unknown = house.status()["unknown_calls"]
    asked = [(one["inn"], one["method"]) for one in service.charges()]
    assert len(asked) - len(set(asked)) <= unknown <= 2
    assert house.one("SELECT count(*) FROM current.company") == len(INNS)
    assert house.sql("SELECT exit_code FROM lineage.runs ORDER BY run_id") == [(130,), (0,), (0,)]
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
def test_served_by_the_clock(orchestra, slow, tmp_path, few):
    service, house = slow
    path = config(tmp_path, few, name="each-minute", cron="* * * * *", more="budget_rub = 100\n")
    server = house.start("serve", "--config", path)
    try:
        until(lambda: service.billed() > 0, 100)
        # The run under way is told to end, its calls come to their end, and the schedule sleeps with its server.
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=60)
    finally:
        server.kill()
    assert server.returncode == 0, err
    assert "each-minute" in out
    assert "Interrupted; what was received is kept" in err
    until(lambda: holding(house) is None, 120)
    assert orchestra.deployment("each-minute")["paused"]
    assert money_holds(house, service, 100) == (service.billed(), 0)
    assert house.one("SELECT exit_code FROM lineage.runs") == 130
    done = house.run(few, "--no-repair")
    assert done.code == 0, done
    not_paid_twice(service)


@pytest.mark.vast
def test_a_name_is_served_for_one_home_and_what_is_removed_is_paused(orchestra, slow, tmp_path, few):
    _, house = slow
    for name in ("one", "two"):
        path = config(tmp_path, few, name=name)
        server = house.start("serve", "--config", path)
        until(lambda name=name: orchestra.deployment(name).get("paused") is False, 60)
        if name == "one":
            server.kill()
        else:
            server.send_signal(signal.SIGINT)
        out, _ = server.communicate(timeout=60)
    assert "The schedule one is no longer in the settings; it was paused." in out
    assert orchestra.deployment("one")["paused"]
    other = House(tmp_path / "other", house.url, dict(house.environ))
    told(other("serve", "--config", path), 2, str(house.home), "rename schedules.two")
