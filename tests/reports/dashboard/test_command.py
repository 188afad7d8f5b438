"""The command `dashboard` where it cannot start: one sentence with what to do, and exit code 2."""

from innspect.cli.dashboard import environment_without_settings, streamlit_command
from tests.reports.dashboard.conftest import run_without
from tests.support.cli import Cli, assert_fails


def test_without_a_copy_it_says_how_to_make_one(tmp_path):
    assert_fails(Cli(tmp_path)("dashboard"), 2, "There is no published copy", "`innspect publish`")


def test_without_streamlit_it_says_how_to_get_it(tmp_path):
    done = run_without(Cli(tmp_path), "streamlit", "dashboard")
    assert done.returncode == 2
    assert done.stderr == (
        "innspect: The dashboard needs Streamlit, which is not installed; install and start it with `make dashboard`.\n"
    )


def test_a_port_that_is_taken_is_refused(tmp_path, port):
    copy = tmp_path / "published" / "innspect.duckdb"
    copy.parent.mkdir()
    copy.touch()
    assert_fails(Cli(tmp_path)("dashboard", "--port", port), 2, f"127.0.0.1:{port} cannot be used", "--port")


def test_the_pages_are_not_given_the_key():
    given = {"INNSPECT_API_KEY": "secret", "STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "PATH": "/bin"}
    assert environment_without_settings(given) == {"PATH": "/bin"}


def test_it_listens_where_it_is_told_and_tells_nobody():
    local = streamlit_command("127.0.0.1", 8501, ["copy"])
    assert "--server.address=127.0.0.1" in local
    assert "--browser.gatherUsageStats=false" in local
    assert "--server.allowedHosts=127.0.0.1" in local
    assert not [flag for flag in streamlit_command("0.0.0.0", 8501, ["copy"]) if "allowedHosts" in flag]
