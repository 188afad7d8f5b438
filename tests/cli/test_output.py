"""What every command does alike: errors as JSON, closed pipes."""

import io
import json
import subprocess
from importlib.metadata import version

import pytest

from innspect.cli import main
from tests.support.builders import INN
from tests.support.cli import Cli
from tests.support.commands import Terminal, run_here


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["company", "123"], 2, "123 is not a valid INN"),
        (["check", "7746129542"], 2, "7746129542 is not a valid INN (check_digits); give 10 or 12 digits with valid"),
        (["company", "7746129542"], 2, "not a valid INN (check_digits); give 10 or 12 digits with valid check digits"),
        (["status", "--no-such-flag"], 2, "--no-such-flag"),
        (["company"], 2, "Missing argument 'INN'"),
        (
            ["run", "x.csv", "--expand", "directors", "--depth", "9"],
            2,
            "--depth 9 is not valid: it must be less than or equal to 3; see `innspect run --help`.",
        ),
        (["check", "7707083893", "--max-age", "x"], 2, "--max-age x is not valid: it must be a valid number"),
        (["archive", "retain", "--days", "0"], 2, "--days 0 is not valid: it must be greater than or equal to 1; see"),
        (["plan"], 2, "Missing argument 'PORTFOLIO'; see `innspect plan --help`."),
        (["portfolio", "lst"], 2, "; see `innspect portfolio --help`."),
        (["plan", "x.csv", "--expand", "directors,heirs"], 2, "'linked' or 'founded', or none."),
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


@pytest.mark.parametrize(
    ("message", "shown"), [(["nothing like this\nat 7"], "ValueError: nothing like this"), ([], "ValueError")]
)
def test_internal_error_is_one_sentence_and_json_too(capsys, monkeypatch, message, shown):
    def fail(*_, **__):
        raise ValueError(*message)

    monkeypatch.setattr(main, "app", fail)
    code, out, _ = run_here(capsys, "status", "--json")
    assert json.loads(out) == {
        "error": f"Internal error ({shown}). Run again with --debug for a traceback.",
        "exit_code": 1,
    }
    assert code == 1


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments", [["policy"], ["sql", "SELECT * FROM range(100000)", "--format", "csv"], ["--help"]]
)
def test_closed_pipe_is_no_error(two_companies, arguments):
    command, environ = Cli(two_companies).command(*arguments)
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 0)


@pytest.mark.parametrize("arguments", [["-h"], ["status", "-h"], ["archive", "-h"]])
def test_short_help(capsys, arguments):
    code, out, _ = run_here(capsys, *arguments)
    assert (code, out.startswith("Usage: innspect")) == (0, True)


def test_version_and_completion(capsys, monkeypatch):
    assert run_here(capsys, "--version") == (0, f"innspect {version('innspect')}\n", "")
    # Which shell started the tests is not always known: the option then takes its name.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    assert "innspect" in run_here(capsys, "--show-completion", "bash")[1]
    for name, value in (("_INNSPECT_COMPLETE", "complete_bash"), ("COMP_WORDS", "innspect st"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    assert run_here(capsys)[:2] == (0, "status\n")


def test_forget_asks_before_it_erases(capsys, monkeypatch, two_companies):
    monkeypatch.chdir(two_companies)
    command = ("forget", INN, "--home", two_companies)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    code, _, err = run_here(capsys, *command)
    assert (code, "confirm it with --yes" in err) == (2, True)
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    code, out, err = run_here(capsys, *command)
    assert (code, out.strip()) == (0, "Nothing was erased.")
    assert f"everything known of {INN}" in err
    assert not (two_companies / "tombstones.json").exists()
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert run_here(capsys, *command)[0] == 0
    assert (two_companies / "tombstones.json").exists()


def test_unsupported_system_is_named(capsys, monkeypatch):
    monkeypatch.setattr("os.name", "nt")
    code, _, err = run_here(capsys, "status")
    assert (code, err) == (2, "innspect: innspect runs on Linux and macOS; on Windows run it in WSL.\n")
