"""Commands that read, while another process writes to the warehouse."""

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

import duckdb
import pytest

from innspect.flows.publish import publish_copy
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import find_publication_time
from tests.cli.responses import card
from tests.support.builders import INN, load_responses
from tests.support.commands import run_here

HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
COMMANDS = (
    ["sql", "SELECT inn FROM current.company", "--format", "csv"],
    ["changes", "--json"],
    ["company", INN, "--json"],
)
COMMANDS = (*COMMANDS, ["coverage", "mine", "--json"])


@contextmanager
def held(warehouse):
    """Hold a warehouse open for writing, as a run does."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(warehouse)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        yield
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
