"""Commands that read, while another process writes to the warehouse."""

import json
import subprocess
import sys
from contextlib import contextmanager

import duckdb
import pytest

from innspect.flows.publish import publish_copy
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
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


def test_marts_are_read_from_the_copy_while_it_shows_the_same(capsys, home):
    settings = load_settings(None, {"INNSPECT_HOME": str(home)}, {})
    marts = "SELECT * EXCLUDE (assessed_at) FROM mart.risk_score ORDER BY ALL"
    of_copy, of_warehouse = (
        f"SELECT count(*) >= 0 AS answered FROM mart.spend, lineage.{name}" for name in ("published", "_risk_scores")
    )

    def ask(query: str) -> tuple[int, str]:
        code, out, _ = run_here(capsys, "sql", query, "--format", "csv", "--home", home)
        return code, out

    live = ask(marts)
    assert ask(of_copy)[0] == 2, "nothing is published"
    with Warehouse(settings.warehouse) as warehouse:
        publish_copy(settings, warehouse)
    assert ask(of_copy) == (0, "answered\ntrue\n")
    assert ask(marts) == live
    assert live[1].count("\n") == 3
    assert ask(of_warehouse) == (0, "answered\ntrue\n"), "what the copy lacks is read from the warehouse"
    assert ask(f"{marts}; {marts}")[0] == 2
    with Warehouse(settings.warehouse) as warehouse:
        load_responses(warehouse, card("active", director="C"))
    assert ask(of_copy)[0] == 2, "something was written since"
    assert ask(marts)[0] == 0
