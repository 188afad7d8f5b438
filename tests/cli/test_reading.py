"""Commands that read, while another process writes to the warehouse."""

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from innspect.flows.publish import publish_copy
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.schemas.settings import load_settings
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.refresh_links import count_unstored, refresh_links
from innspect.warehouse.marts.portfolio_views import refresh_portfolio_views
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.publish.reader import find_publication_time
from tests.cli.responses import OTHER, card
from tests.support.builders import INN, PERSON, load_responses
from tests.support.commands import drop_ages, run_here

HOLD = (
    "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == 'True'); "
    "print('held', flush=True); sys.stdin.read()"
)
COMMANDS = (
    ["sql", "SELECT inn FROM current.company", "--format", "csv"],
    ["changes", "--json"],
    ["company", INN, "--json"],
)
COMMANDS = (*COMMANDS, ["coverage", "mine", "--json"])


@contextmanager
def held(warehouse, *, read_only=False):
    """Hold a warehouse open for writing, as a run does, or for reading."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(warehouse), str(read_only)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield process
        process.stdin.close()


@pytest.fixture
def home(two_companies):
    return two_companies


@pytest.mark.long
def test_readers_use_the_published_copy_during_a_run_or_exit_with_5(capsys, home):
    settings = load_settings(None, {"INNSPECT_HOME": str(home)}, {})
    before = [run_here(capsys, *command, "--home", home) for command in COMMANDS]
    assert [(code, err) for code, _, err in before] == [(0, "")] * len(COMMANDS)
    with held(settings.warehouse):
        for command in COMMANDS:
            code, _, err = run_here(capsys, *command, "--home", home)
            assert code == 5
            assert "nothing is published yet; wait until it ends." in err
    with Warehouse(settings.warehouse) as warehouse:
        published = publish_copy(settings, warehouse).copy
    with duckdb.connect(str(published), read_only=True) as connection:
        ((at,),) = connection.execute("SELECT published_at FROM lineage.published").fetchall()
    with held(settings.warehouse):
        for command, (_, out, _) in zip(COMMANDS, before, strict=True):
            code, copied, err = run_here(capsys, *command, "--home", home)
            assert (code, err) == (
                0,
                f"A run is writing to the warehouse: this is the published copy of {at:%Y-%m-%d %H:%M} UTC.\n",
            )
            if "--json" in command:
                assert json.loads(copied)["published_at"] == f"{at:%Y-%m-%dT%H:%M:%SZ}"
                assert json.loads(out)["published_at"] is None
                assert json.loads(copied).keys() == json.loads(out).keys()
            else:
                assert copied == out
        with duckdb.connect(str(published)) as connection:
            connection.execute("DROP TABLE mart.coverage")
        code, _, err = run_here(capsys, "coverage", "mine", "--home", home)
        assert code == 5
        assert "lacks what this command reads" in err


def test_published_copy_is_read_on_request(capsys, home):
    settings = load_settings(None, {"INNSPECT_HOME": str(home)}, {})
    query, page = "SELECT count(*) AS companies FROM mart.company_profile", home / "page.html"

    def ask(*options: str) -> tuple[int, str, str]:
        return run_here(capsys, "sql", query, "--format", "csv", *options, "--home", home)

    for command in (["sql", query], ["report"]):
        code, _, err = run_here(capsys, *command, "--published", "--home", home)
        assert code == 2
        assert "There is no published copy" in err
    with Warehouse(settings.warehouse) as warehouse:
        copy = publish_copy(settings, warehouse).copy
        load_responses(warehouse, replace(card("active", "7736050003"), name="third"))
    with Warehouse(copy, read_only=True) as published:
        at = find_publication_time(published)
        expected = build_report(published, ReportOptions("mine", "ru"), settings.source_timezone, at)
    assert ask() == (0, "companies\n3\n", "")
    assert ask("--published") == (0, "companies\n2\n", f"This is the published copy of {at:%Y-%m-%d %H:%M} UTC.\n")
    code, _, err = run_here(capsys, "report", "--portfolio", "mine", "--out", page, "--published", "--home", home)
    assert (code, err) == (0, f"This is the published copy of {at:%Y-%m-%d %H:%M} UTC.\n")
    assert page.read_text("utf-8") == expected
    for mart in ("risk_history", "company_profile"):
        with duckdb.connect(str(copy)) as connection:
            connection.execute(f"DROP TABLE mart.{mart}")
        code, _, err = run_here(capsys, "report", "--portfolio", "mine", "--published", "--home", home)
        assert code == 1
        assert err.startswith("innspect: The published copy lacks data for this page")


LEVELS = ["sql", "SELECT inn, level, score FROM mart.risk_score ORDER BY inn", "--format", "csv"]
JUDGED_FIRST = "The risk of 2 INNs may no longer be valid"
LINKED_FIRST = "The links between INNs may no longer be valid. They are stored again first, once."


def stored_scores(home):
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        return connection.execute("SELECT count(*) FROM lineage._risk_scores").fetchall()[0][0]


def test_many_inns_are_judged_and_stored_before_they_are_read(capsys, home, monkeypatch):
    code, judged_while_read, err = run_here(capsys, *LEVELS, "--home", home)
    assert (code, err, stored_scores(home)) == (0, "", 0)
    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    for command in (["sql", "SELECT inn FROM current.company"], ["coverage", "mine"]):
        code, _, err = run_here(capsys, *command, "--home", home)
        assert (code, err, stored_scores(home)) == (0, "", 0)
    code, out, err = run_here(capsys, *LEVELS, "--home", home)
    assert (code, out, stored_scores(home)) == (0, judged_while_read, 2)
    assert err.startswith(JUDGED_FIRST)
    assert run_here(capsys, *LEVELS, "--home", home) == (0, judged_while_read, "")


@pytest.mark.parametrize(
    "command",
    [
        ["sql", 'SELECT level FROM "portfolio".mine'],
        ["changes"],
        ["dossier", "--portfolio", "mine"],
        ["portfolio", "show", "mine"],
        ["report", "--portfolio", "mine"],
    ],
)
def test_each_command_that_shows_levels_of_many_inns_judges_them_first(capsys, home, monkeypatch, command):
    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    with Warehouse(home / "warehouse.duckdb") as warehouse:
        refresh_portfolio_views(warehouse.connection)
    code, _, err = run_here(capsys, *command, "--home", home)
    assert (code, err.startswith(JUDGED_FIRST), stored_scores(home)) == (0, True, 2)


@pytest.mark.long
def test_a_command_about_one_inn_judges_no_others(capsys, home, monkeypatch):
    def read_inn() -> tuple[dict[str, Any], str]:
        code, out, err = run_here(capsys, "company", INN, "--json", "--home", home)
        assert (code, err) == (0, "")
        path = home / "dossier.json"
        code, _, err = run_here(capsys, "dossier", INN, "--format", "json", "--out", path, "--home", home)
        assert (code, err) == (0, "")
        return json.loads(drop_ages(out)), json.loads(path.read_text("utf-8"))["score"]["level"]

    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    shown = read_inn()
    assert stored_scores(home) == 0
    code, levels, _ = run_here(capsys, *LEVELS, "--home", home)
    assert (code, stored_scores(home)) == (0, 2)
    assert read_inn() == shown
    assert f"{INN},{shown[1]}," in levels


@pytest.fixture
def older_home(home):
    """A warehouse of a version of innspect that did not have the column `since_seen`."""
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        connection.execute(f"UPDATE lineage.{FINGERPRINT_TABLE} SET fingerprint = 'older'")
        connection.execute("ALTER TABLE lineage._risk_signals DROP COLUMN since_seen")
        connection.execute("CREATE OR REPLACE VIEW mart.risk_signals AS SELECT inn, signal FROM lineage._risk_signals")
    return home


def test_a_warehouse_of_another_version_is_brought_up_to_date_before_it_is_read(capsys, older_home):
    query = ["sql", "SELECT count(since_seen) > 0 FROM mart.risk_signals", "--format", "csv", "--home", older_home]
    code, out, err = run_here(capsys, *query)
    assert (code, out.splitlines()[1:]) == (0, ["true"])
    assert err.startswith("The warehouse was written by another version of innspect.")
    assert run_here(capsys, *query)[2] == ""
    code, out, _ = run_here(capsys, "company", INN, "--json", "--home", older_home)
    assert (code, "since_seen" in json.loads(out)["signals"][0]) == (0, True)


def test_a_warehouse_of_another_version_is_read_as_it_is_while_another_process_reads_it(capsys, older_home):
    with held(older_home / "warehouse.duckdb", read_only=True):
        code, out, _ = run_here(
            capsys, "sql", "SELECT count(*) FROM current.company", "--format", "csv", "--home", older_home
        )
    assert (code, out.splitlines()[1:]) == (0, ["2"])


def test_inns_are_judged_while_they_are_read_where_the_file_system_refuses(capsys, home, monkeypatch):
    def refuse(_):
        raise PermissionError("Operation not permitted")

    _, judged_while_read, _ = run_here(capsys, *LEVELS, "--home", home)
    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    monkeypatch.setattr("innspect.flows.read_warehouse.refresh_risk", refuse)
    code, out, err = run_here(capsys, *LEVELS, "--home", home)
    assert (code, out) == (0, judged_while_read)
    assert err.endswith("which takes much memory: Operation not permitted\n")


def test_ctrl_c_while_inns_are_judged_first_ends_the_command(capsys, home, monkeypatch):
    def interrupt(_):
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    monkeypatch.setattr("innspect.flows.read_warehouse.refresh_risk", interrupt)
    code, out, err = run_here(capsys, *LEVELS, "--home", home)
    assert (code, out) == (130, "")
    assert "takes much memory" not in err


def test_inns_are_judged_while_they_are_read_where_nothing_can_be_stored(capsys, home, monkeypatch):
    _, judged_while_read, _ = run_here(capsys, *LEVELS, "--home", home)
    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    with held(home / "warehouse.duckdb", read_only=True) as reader:
        code, out, err = run_here(capsys, *LEVELS, "--home", home)
    assert (code, out, stored_scores(home)) == (0, judged_while_read, 0)
    first, second, third = err.splitlines()
    assert first.startswith(JUDGED_FIRST)
    assert second == LINKED_FIRST
    reason = f"Process {reader.pid} "
    assert third.startswith(f"What is not stored is computed while it is read, which takes much memory: {reason}")


@pytest.mark.parametrize("command", [["sql", "SELECT count(*) FROM mart.links"], ["report", "--portfolio", "mine"]])
@pytest.mark.long
def test_links_of_many_inns_are_stored_before_they_are_read(capsys, home, monkeypatch, command):
    read_links = ["sql", "FROM mart.links ORDER BY ALL", "--format", "csv", "--home", home]

    def count() -> int:
        with Warehouse(home / "warehouse.duckdb", read_only=True) as warehouse:
            return count_unstored(warehouse)

    with Warehouse(home / "warehouse.duckdb") as warehouse:
        director = [{"name": "Ivanov", "inn": PERSON}]
        load_responses(warehouse, *(card("active", inn, directors=director) for inn in (INN, OTHER)), start=9)
        refresh_risk(warehouse)
        assert refresh_links(warehouse)
    assert count() == 0
    _, stored, _ = run_here(capsys, *read_links)
    with duckdb.connect(str(home / "warehouse.duckdb")) as connection:
        # As `portfolio drop` does, where nothing is published after it.
        connection.execute("UPDATE lineage.portfolio_members SET left_at = last_seen_at WHERE inn <> ?", [INN])
    assert count() == 2
    code, computed_while_read, err = run_here(capsys, *read_links)
    assert (code, err) == (0, "")
    assert f"{INN},{OTHER},director," in computed_while_read
    assert computed_while_read != stored
    monkeypatch.setattr("innspect.flows.read_warehouse.MAX_COMPUTED_WHILE_READ", 1)
    code, _, err = run_here(capsys, *command, "--home", home)
    assert (code, err, count()) == (0, f"{LINKED_FIRST}\n", 0)
    assert run_here(capsys, *read_links) == (0, computed_while_read, "")


def test_a_command_that_writes_waits_for_a_reader(capsys, home, monkeypatch):
    settings = load_settings(None, {"INNSPECT_HOME": str(home)}, {})
    with held(settings.warehouse, read_only=True) as reader:

        def let_go(_):
            reader.stdin.close()
            reader.wait()

        monkeypatch.setattr("innspect.flows.open_home.sleep", let_go)
        code, _, err = run_here(capsys, "publish", "--home", home)
    waiting = f"Process {reader.pid} has the warehouse {settings.warehouse} open; waiting up to 300 s until it "
    assert (code, err) == (0, f"{waiting}closes it.\n")


def test_a_command_that_writes_ends_with_5_if_a_reader_stays(capsys, home, monkeypatch):
    settings = load_settings(None, {"INNSPECT_HOME": str(home)}, {})
    for seconds in (1, 0):
        monkeypatch.setenv("INNSPECT_STORES__WAIT_SECONDS", str(seconds))
        with held(settings.warehouse, read_only=True) as reader:
            code, _, err = run_here(capsys, "publish", "--home", home)
            assert code == 5
            assert f"Process {reader.pid} has the warehouse {settings.warehouse} open; wait until it ends" in err
            assert ("waiting up to 1 s" in err) == bool(seconds)
    assert run_here(capsys, "publish", "--home", home)[0] == 0
