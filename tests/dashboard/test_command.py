"""The command `dashboard` where it cannot start: one sentence with what to do, and exit code 2."""

from innspect.cli.dashboard import environment, streamlit
from tests.dashboard.conftest import run_without
from tests.flows.conftest import House, told


def test_without_a_copy_it_says_how_to_make_one(tmp_path):
    told(House(tmp_path)("dashboard"), 2, "There is no published copy", "`innspect publish`")


def test_without_streamlit_it_says_how_to_get_it(tmp_path):
    done = run_without(House(tmp_path), "streamlit", "dashboard")
    assert done.returncode == 2
    assert done.stderr == (
        "innspect: The dashboard needs Streamlit, which is not installed; `make dashboard` installs and starts it.\n"
    )


def test_a_port_that_is_taken_is_refused(tmp_path, port):
    copy = tmp_path / "published" / "innspect.duckdb"
    copy.parent.mkdir()
    copy.touch()
    told(House(tmp_path)("dashboard", "--port", port), 2, f"127.0.0.1:{port} cannot be had", "--port")


def test_the_pages_are_not_given_the_key():
    given = {"INNSPECT_API_KEY": "secret", "STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "PATH": "/bin"}
    assert environment(given) == {"PATH": "/bin"}


def test_it_listens_where_it_is_told_and_tells_nobody():
    local = streamlit("127.0.0.1", 8501, ["copy"])
    assert "--server.address=127.0.0.1" in local
    assert "--browser.gatherUsageStats=false" in local
    assert "--server.allowedHosts=127.0.0.1" in local
    assert not [flag for flag in streamlit("0.0.0.0", 8501, ["copy"]) if "allowedHosts" in flag]
