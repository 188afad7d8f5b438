"""What every command does alike: errors as JSON, closed pipes."""

import json
import subprocess

import pytest

from innspect.cli import main
from tests.support.cli import Cli
from tests.support.commands import run_here


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["company", "123"], 2, "123 is not a valid INN"),
        (["status", "--no-such-flag"], 2, "--no-such-flag"),
        (["status", "--home", "nowhere"], 2, "There is no ledger"),
    ],
)
def test_error_is_one_json_object_with_json(capsys, arguments, code, words):
    assert run_here(capsys, *arguments)[:2] == (code, "")
    failed, out, err = run_here(capsys, *arguments, "--json")
    facts = json.loads(out)
    assert facts == {"error": err.removeprefix("innspect: ").rstrip("\n"), "exit_code": code}
    assert (failed, out.count("\n")) == (code, 1)
    assert words in facts["error"]


def test_internal_error_is_json_too(capsys, monkeypatch):
    def fail(*_, **__):
        raise ValueError("nothing like this")

    monkeypatch.setattr(main, "app", fail)
    code, out, _ = run_here(capsys, "status", "--json")
    assert code == json.loads(out)["exit_code"] == 1
    assert "nothing like this" in json.loads(out)["error"]


@pytest.mark.parametrize(
    "arguments", [["policy"], ["sql", "SELECT * FROM range(100000)", "--format", "csv"], ["--help"]]
)
def test_closed_pipe_is_no_error(two_companies, arguments):
    command, environ = Cli(two_companies).command(*arguments)
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 0)
