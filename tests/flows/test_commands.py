"""What the commands tell: their fields, their help, and that both ways of running come to the same."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import typer

from innspect.cli.main import app
from tests.flows.conftest import House, money_holds, rub, told

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
]
STATUS_FIELDS = [
    "settled_rub",
    "unknown_rub",
    "reserved_rub",
    "balance_rub",
    "unknown_calls",
    "outbox",
    "running",
    "last_run",
]
STATES = ["found", "clean", "partial", "unconfirmed", "unavailable", "missing", "failed"]
COMMANDS = sorted(typer.main.get_command(app).commands)
OF_A_RUN = {"checked_at", "collected_at", "asked_at", "run_id", "first_seen_at", "last_seen_at"}
MONEY = re.compile(r"-?\d+\.\d\d")


def test_run_tells_exactly_the_fields_of_the_contract(house, service, tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("inn\n7707083893\n7707083893\n123\n540171787210\n")
    done = house.run(path)
    assert done.code == 0, done
    told = done.json
    assert list(told) == RUN_FIELDS
    assert json.dumps(told, ensure_ascii=False) + "\n" == done.out
    assert all(MONEY.fullmatch(value) for name, value in told.items() if name.endswith("_rub"))
    assert sorted(told["snapshots"]) == sorted(STATES)
    assert sum(told["snapshots"].values()) == house.one("SELECT count(*) FROM lineage.snapshots")
    assert (told["accepted"], told["rejected"]) == (2, 2)
    assert house.sql("SELECT line, value, reason FROM lineage.rejected_inputs ORDER BY line") == [
        (3, "7707083893", "duplicate"),
        (4, "123", "wrong_length"),
    ]
    assert told["new_versions"] == house.one("SELECT count(*) FROM lineage.versions")
    assert told["run_id"] == house.one("SELECT run_id FROM lineage.runs")
    status = house.status()
    assert list(status) == STATUS_FIELDS
    assert all(MONEY.fullmatch(value) for name, value in status.items() if name.endswith("_rub"))
    assert status["last_run"]["run_id"] == told["run_id"]
    assert status["settled_rub"] == told["charged_rub"]


def test_a_portfolio_from_standard_input(house, service):
    done = house("run", "-", "--direct", "--json", "--profile", "light", stdin="7707083893\n")
    assert done.code == 0, done
    assert done.json["portfolio"] == "stdin"
    assert done.json["planned_calls"] == done.json["calls"] == len(service.charges())


def test_a_plan_costs_nothing_and_says_what_a_run_then_costs(house, service, few):
    planned = house("plan", few, "--json")
    assert planned.code == 0, planned
    dry = house.run(few, "--dry-run")
    assert dry.json == planned.json
    assert service.charges() == []
    assert planned.json["expected_rub"] == "120.00"
    done = house.run(few, "--no-repair")
    assert done.json["charged_rub"] == "120.00"
    assert done.json["calls"] == planned.json["planned_calls"]


def test_a_second_run_at_once_asks_nothing_and_refresh_asks_all(house, service, few):
    assert house.run(few, "--no-repair").code == 0
    billed = service.billed()
    second = house.run(few)
    assert (second.code, second.json["calls"], second.json["charged_rub"]) == (0, 0, "0.00")
    assert service.billed() == billed
    rows = house.tables("core")
    third = house.run(few, "--refresh", "--no-repair")
    assert third.json["new_versions"] == third.json["changes"] == 0
    assert third.json["unchanged"] > 0
    assert house.tables("core") == rows
    assert money_holds(house, service) == (2 * billed, 0)


def test_two_at_once_on_the_same_stores(house, service, few):
    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(lambda _: house.run(few, "--no-repair"), range(2)))
    codes = sorted(done.code for done in ended)
    assert codes in ([0, 5], [0, 0])
    assert service.billed() == 120
    assert money_holds(house, service) == (120, 0)


@pytest.mark.long
def test_both_envelopes_give_the_same_rows(starting, tmp_path, service, few):
    root = House(tmp_path / "root", service.url)
    data = House(tmp_path / "data", starting("--envelope", "data").url)
    assert [house.run(few).code for house in (root, data)] == [0, 0]
    without = {"without": lambda *_: OF_A_RUN}
    assert root.tables("core", "current", **without) == data.tables("core", "current", **without)


@pytest.mark.long
def test_with_prefect_the_warehouse_comes_out_the_same(tmp_path, service, few):
    direct, flow = House(tmp_path / "direct", service.url), House(tmp_path / "flow", service.url)
    flow.environ["PREFECT_HOME"] = str(tmp_path / "prefect")
    one = direct.run(few)
    other = flow("run", few, "--json")
    assert (one.code, other.code) == (0, 0), other
    changing = {"run_id", "seconds", "warehouse"}
    assert {k: v for k, v in one.json.items() if k not in changing} == (
        {k: v for k, v in other.json.items() if k not in changing}
    )
    without = {"without": lambda *_: OF_A_RUN}
    assert direct.tables("core", "current", **without) == flow.tables("core", "current", **without)
    states = "SELECT inn, block, method, state, reason, version_id FROM lineage.snapshots ORDER BY ALL"
    assert direct.sql(states) == flow.sql(states)
    assert "Traceback" not in other.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    described = typer.main.get_command(app).commands[command]
    assert len(described.help) > 20
    assert re.match(rf"Example: innspect {command}\b", described.epilog)


def test_the_help_lists_every_command(house):
    done = house("--help")
    assert done.code == 0
    assert all(re.search(rf"^\s+{command} ", done.out, re.MULTILINE) for command in COMMANDS)
    one = house("run", "--help")
    assert "Example: innspect run" in one.out
    assert one.code == 0


@pytest.mark.long
def test_made_up_answers_and_those_of_a_service_never_share_a_home(tmp_path, few):
    elsewhere = tmp_path / "shared"
    shared = {
        "INNSPECT_STORES__LEDGER": f"sqlite:///{elsewhere}/ledger.sqlite",
        "INNSPECT_STORES__ARCHIVE": str(elsewhere / "archive"),
        "INNSPECT_STORES__WAREHOUSE": str(elsewhere / "warehouse.duckdb"),
    }
    house = House(tmp_path / "home")
    done = house.run(few, "--sandbox", "--no-repair", **shared)
    assert done.code == 0, done
    assert not elsewhere.exists()
    calls = house.one("SELECT count(*) FROM lineage.calls")
    assert calls > 0
    told(house.run(few, "--refresh", INNSPECT_BASE_URL="http://service.invalid"), 2, "made-up", "--home")
    assert house.one("SELECT count(*) FROM lineage.calls") == calls

    other = House(tmp_path / "other")
    assert other.run(few, INNSPECT_BASE_URL="http://service.invalid").code == 6
    told(other.run(few, "--sandbox"), 2, "of a service", "--home")


def test_the_embedded_sandbox_needs_neither_key_nor_address(tmp_path, few):
    house = House(tmp_path / "home")
    done = house.run(few, "--sandbox", "--no-repair", INNSPECT_API_KEY="")
    assert done.code == 0, done
    assert rub(done.json["charged_rub"]) == 120
    assert house.one("SELECT count(*) FROM current.company WHERE name LIKE '%ПЕСОЧНИЦА%'") >= 3
