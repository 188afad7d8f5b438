"""Commands as a process: JSON fields, help, and the same result with and without Prefect."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
import typer

from innspect.cli.main import app
from innspect.schemas.states import SnapshotState
from tests.support.cli import COMPANIES, Cli, assert_fails, assert_money_adds_up, rub

RUN_FIELDS = [
    "run_id",
    "portfolio",
    "profile",
    "accepted",
    "rejected",
    "planned_calls",
    "calls",
    "charged_rub",
    "unknown_rub",
    "budget_rub",
    "budget_left_rub",
    "skipped_for_budget",
    "snapshots",
    "new_versions",
    "unchanged",
    "changes",
    "violations",
    "quarantined",
    "drift",
    "warehouse",
    "report",
    "seconds",
    "account",
    "expansion",
]
STATUS_FIELDS = [
    "settled_rub",
    "unknown_rub",
    "reserved_rub",
    "balance_rub",
    "unknown_calls",
    "outbox",
    "running",
    "account",
    "last_run",
]
STATES = list(SnapshotState)
COMMANDS = sorted(typer.main.get_command(app).commands)
RUN_DEPENDENT_COLUMNS = {"checked_at", "collected_at", "asked_at", "run_id", "first_seen_at", "last_seen_at"}
MONEY = re.compile(r"-?\d+\.\d\d")


@pytest.mark.long
def test_run_and_status_json_have_exactly_the_documented_fields(cli, service, tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("inn\n7707083893\n7707083893\n123\n540171787210\n")
    done = cli.run(path)
    assert done.code == 0, done
    result = done.json
    assert list(result) == RUN_FIELDS
    assert json.dumps(result, ensure_ascii=False) + "\n" == done.out
    assert all(MONEY.fullmatch(value) for name, value in result.items() if name.endswith("_rub"))
    assert sorted(result["snapshots"]) == sorted(STATES)
    assert sum(result["snapshots"].values()) == cli.value("SELECT count(*) FROM lineage.snapshots")
    assert (result["accepted"], result["rejected"]) == (2, 2)
    assert cli.sql("SELECT line, value, reason FROM lineage.rejected_inputs ORDER BY line") == [
        (3, "7707083893", "duplicate"),
        (4, "123", "wrong_length"),
    ]
    assert result["new_versions"] == cli.value("SELECT count(*) FROM lineage.versions")
    assert result["run_id"] == cli.value("SELECT run_id FROM lineage.runs")
    status = cli.status()
    assert list(status) == STATUS_FIELDS
    assert all(MONEY.fullmatch(value) for name, value in status.items() if name.endswith("_rub"))
    assert status["last_run"]["run_id"] == result["run_id"]
    assert status["settled_rub"] == result["charged_rub"]


def test_portfolio_is_read_from_standard_input_and_no_server_is_started(cli, service, tmp_path):
    prefect = tmp_path / "prefect"
    done = cli("run", "-", "--json", "--profile", "light", stdin="7707083893\n", PREFECT_HOME=str(prefect))
    assert not prefect.exists()
    assert done.code == 0, done
    assert done.json["portfolio"] == "stdin"
    assert done.json["planned_calls"] == done.json["calls"] == len(service.charges())


def test_plan_is_free_and_predicts_the_cost_of_the_run(cli, service, small_portfolio):
    planned = cli("plan", small_portfolio, "--json")
    assert planned.code == 0, planned
    dry = cli.run(small_portfolio, "--dry-run")
    assert dry.json == planned.json
    assert service.charges() == []
    assert planned.json["expected_rub"] == "120.00"
    text = cli("plan", small_portfolio).out.splitlines()
    assert (
        text[-1] == f"Cost: 120.00 RUB (with repairs up to {planned.json['maximum_rub']} RUB); budget: 10 000.00 RUB."
    )
    assert "Cost: 120.00 RUB; budget: 10 000.00 RUB." in cli("plan", small_portfolio, "--no-repair").out
    assert "(with repairs up to the budget); budget: 130.00" in cli("plan", small_portfolio, "--budget", 130).out
    assert "Skipped, over budget: 2 INNs (" in cli("plan", small_portfolio, "--budget", 48).out
    done = cli.run(small_portfolio, "--no-repair")
    assert done.json["charged_rub"] == "120.00"
    assert done.json["calls"] == planned.json["planned_calls"]
    again = cli("plan", small_portfolio).out
    assert "Plan: no calls; the answers about 4 INNs are recent enough." in again
    assert "Cost: 0.00 RUB; budget: 10 000.00 RUB." in again


def test_first_line_that_is_no_inn_is_among_the_rejected_lines(cli, tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(f"{COMPANIES[0]} (филиал)\n{COMPANIES[1]}\n")
    assert "1 line rejected (1 not_digits)" in cli("plan", path).out
    assert cli.run(path, "--profile", "light").json["rejected"] == 1
    rows = cli.sql("SELECT line, value, reason FROM lineage.rejected_inputs")
    assert rows == [(1, f"{COMPANIES[0]} (филиал)", "not_digits")]


def test_second_run_makes_no_calls_and_refresh_repeats_all(cli, service, small_portfolio):
    assert cli.run(small_portfolio, "--no-repair").code == 0
    billed = service.bill_total()
    second = cli.run(small_portfolio)
    assert (second.code, second.json["calls"], second.json["charged_rub"]) == (0, 0, "0.00")
    assert service.bill_total() == billed
    rows = cli.tables("core")
    third = cli.run(small_portfolio, "--refresh", "--no-repair")
    assert third.json["new_versions"] == third.json["changes"] == 0
    assert third.json["unchanged"] > 0
    assert cli.tables("core") == rows
    assert assert_money_adds_up(cli, service) == (2 * billed, 0)


def test_concurrent_runs_on_the_same_stores_pay_once(cli, service, small_portfolio):
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda _: cli.run(small_portfolio, "--no-repair"), range(2)))
    codes = sorted(done.code for done in ended)
    assert codes in ([0, 5], [0, 0])
    assert service.bill_total() == 120
    assert assert_money_adds_up(cli, service) == (120, 0)


@pytest.mark.long
def test_both_forms_of_the_envelope_give_the_same_rows(start_sandbox, tmp_path, service, small_portfolio):
    root = Cli(tmp_path / "root", service.url)
    data = Cli(tmp_path / "data", start_sandbox("--envelope", "data").url)
    assert [cli.run(small_portfolio).code for cli in (root, data)] == [0, 0]
    without = {"without": lambda *_: RUN_DEPENDENT_COLUMNS}
    assert root.tables("core", "current", **without) == data.tables("core", "current", **without)


@pytest.mark.long
def test_run_with_prefect_gives_the_same_warehouse(tmp_path, service, small_portfolio):
    direct, flow = Cli(tmp_path / "direct", service.url), Cli(tmp_path / "flow", service.url)
    flow.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    plain = direct.run(small_portfolio)
    with_flow = flow("run", small_portfolio, "--json", "--prefect")
    assert (plain.code, with_flow.code) == (0, 0), with_flow
    changing = {"run_id", "seconds", "warehouse", "account"}
    assert {k: v for k, v in plain.json.items() if k not in changing} == (
        {k: v for k, v in with_flow.json.items() if k not in changing}
    )
    without = {"without": lambda *_: RUN_DEPENDENT_COLUMNS}
    assert direct.tables("core", "current", **without) == flow.tables("core", "current", **without)
    states = "SELECT inn, block, method, state, reason, version_id FROM lineage.snapshots ORDER BY ALL"
    assert direct.sql(states) == flow.sql(states)
    assert "Traceback" not in with_flow.err
    assert processes_with(flow.environ["PREFECT_HOME"]) == [], "the temporary server ends with the command"


def processes_with(value: str) -> list[str]:
    """The numbers of the processes that have a value in their environment; on Linux only."""
    found: list[str] = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if value.encode() in environ.read_bytes():
                found.append(environ.parent.name)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    described = typer.main.get_command(app).commands[command]
    assert len(described.help) > 20
    assert re.match(rf"Example: innspect {command}\b", described.epilog)


def test_help_lists_every_command(cli):
    done = cli("--help")
    assert done.code == 0
    assert all(re.search(rf"^\s+{command} ", done.out, re.MULTILINE) for command in COMMANDS)
    run_help = cli("run", "--help")
    assert run_help.code == 0
    assert "Example: innspect run" in run_help.out


@pytest.mark.long
def test_sandbox_and_service_never_share_a_home(tmp_path, small_portfolio):
    elsewhere = tmp_path / "shared"
    shared = {
        "INNSPECT_STORES__LEDGER": f"sqlite:///{elsewhere}/ledger.sqlite",
        "INNSPECT_STORES__ARCHIVE": str(elsewhere / "archive"),
        "INNSPECT_STORES__WAREHOUSE": str(elsewhere / "warehouse.duckdb"),
    }
    cli = Cli(tmp_path / "home")
    done = cli.run(small_portfolio, "--sandbox", "--no-repair", **shared)
    assert done.code == 0, done
    assert not elsewhere.exists()
    calls = cli.value("SELECT count(*) FROM lineage.calls")
    assert calls > 0
    assert_fails(
        cli.run(small_portfolio, "--refresh", INNSPECT_BASE_URL="http://service.invalid"),
        2,
        "synthetic responses",
        "--home",
    )
    assert cli.value("SELECT count(*) FROM lineage.calls") == calls

    other = Cli(tmp_path / "other")
    assert other.run(small_portfolio, INNSPECT_BASE_URL="http://service.invalid").code == 6
    assert_fails(other.run(small_portfolio, "--sandbox"), 2, "of a service", "--home")


@pytest.mark.long
def test_embedded_sandbox_needs_neither_key_nor_address(tmp_path, small_portfolio):
    cli = Cli(tmp_path / "home")
    done = cli.run(small_portfolio, "--sandbox", "--no-repair", INNSPECT_API_KEY="")
    assert done.code == 0, done
    assert rub(done.json["charged_rub"]) == 120
    assert cli.value("SELECT count(*) FROM current.company WHERE name LIKE '%ПЕСОЧНИЦА%'") >= 3
