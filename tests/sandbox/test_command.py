"""The command, over real sockets."""

import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from innspect.sandbox.__main__ import main
from innspect.sandbox.options import DEFAULT_BALANCE
from innspect.sandbox.world.inn_samples import sample_inns
from tests.sandbox.conftest import KEY

INN, OTHER = sample_inns(2, 11)
CUT = """
[[script]]
inn = "{inn}"
method = "full-check"
nth = 1
fault = "never_sent"

[[script]]
inn = "{inn}"
method = "full-check"
nth = 2
fault = "cut"
"""


def test_connection_closed_before_or_within_the_response_is_charged(serve, tmp_path):
    plan = tmp_path / "cut.toml"
    plan.write_text(CUT.format(inn=INN))
    with httpx.Client(base_url=serve("--faults", str(plan)), headers=KEY) as service:
        full = f"/api/v1/company/{INN}"
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            service.get(full)
        assert service.get("/sandbox/bill").json()["total"] == 18
        received: list[bytes] = []
        with service.stream("GET", full) as answer:
            assert answer.status_code == 200
            with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
                received.extend(answer.iter_bytes())
        part = b"".join(received)
        whole = service.get(full)
        assert 0 < len(part) < int(answer.headers["Content-Length"])
        assert part[:1000] == whole.content[:1000]
        assert service.get("/sandbox/bill").json()["total"] == 54
        assert service.get(f"/api/v1/company/{OTHER}").status_code == 200


def test_options_are_applied(serve):
    address = serve("--key", "one", "--key", "two", "--balance", "20.50", "--envelope", "data", "--day", "2027-02-03",
                    "--seed", "9", "--access-status", "blocked soon")  # fmt: skip
    assert address.startswith("http://127.0.0.1:")
    with httpx.Client(base_url=address) as service:
        bodies = [
            service.get(f"/api/v1/company/{INN}", headers={"X-Api-Key": key}) for key in ("one", "two", "sandbox")
        ]
        assert [answer.status_code for answer in bodies] == [200, 200, 401]
        assert bodies[0].json()["balance"] == 2.5
        account = service.get("/api/v1/account", headers={"X-Api-Key": "one"}).json()["data"]
        assert account == {"balance": 2.5, "status": "blocked soon", "spend_30_days": 18.0}
        assert bodies[0].json()["data"]["_meta"]["fetched_at"] // 86400 * 86400 == 1801612800
        assert service.get("/docs").status_code == 200


def test_default_balance_is_a_million(serve):
    with httpx.Client(base_url=serve(), headers=KEY) as service:
        assert service.get("/api/v1/account").json()["balance"] * 100 == DEFAULT_BALANCE == 100_000_000


def test_start_prints_address_and_example():
    command = [sys.executable, "-m", "innspect.sandbox", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        first, second = server.stdout.readline(), server.stdout.readline()
        server.send_signal(signal.SIGINT)
        server.wait(timeout=10)
    address = first.removeprefix("listening on ").strip()
    assert first == f"listening on {address}\n"
    assert second.startswith("curl ")
    assert address in second


def test_it_ends_with_its_parent_process():
    done = subprocess.run(
        [sys.executable, "-m", "innspect.sandbox", "--port", "0", "--parent-pid", str(os.getppid())],
        timeout=20, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("listening on ")


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "x", "1.5"])
def test_port_out_of_range_is_an_error_in_usage(port):
    command = [sys.executable, "-m", "innspect.cli.main", "sandbox", "--port", port]
    done = subprocess.run(command, timeout=20, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"argument --port: '{port}' is not a port; write a number from 0 to 65535" in done.stderr


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_with_the_command(stop):
    command = [sys.executable, "-m", "innspect.cli.main", "sandbox", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as innspect:
        innspect.stdout.readline()
        innspect.send_signal(stop)
        # The server holds the other end of the pipe: it closes when the server has ended.
        innspect.communicate(timeout=20)
    assert innspect.returncode == -stop


def test_ctrl_c_ends_the_command_without_a_traceback():
    command = [sys.executable, "-m", "innspect.cli.main", "sandbox", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as innspect:
        innspect.stdout.readline()
        innspect.send_signal(signal.SIGINT)
        _, err = innspect.communicate(timeout=20)
    assert (innspect.returncode, err) == (0, "")


def refused(capsys, *options: str) -> str:
    """What the command says on stderr when it does not start."""
    try:
        status = main(options)
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_port_in_use_is_reported(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert port in refused(capsys, "--port", port)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--day", "01.02.2027", "YYYY-MM-DD"),
        ("--day", "2026-09-30", "is before 2026-10-01"),
        ("--balance", "1.234", "kopecks"),
        ("--balance", "-1", "roubles"),
        ("--balance", "NaN", "roubles"),
        ("--balance", "much", "roubles"),
        ("--faults", "missing.toml", "missing.toml"),
        ("--envelope", "both", "both"),
        ("--person-method", "full-check", "sanctions"),
        ("--state", "fssp=sleeping", "sources_failed_empty"),
        ("--state", "bailiffs=clean", "general_courts"),
        ("--state", "7707083890:fssp=clean", "7707083890"),
        ("--state", "fssp", "sources_failed_empty"),
        ("--unknown-inn", "123", "123"),
    ],
)
def test_invalid_option_is_reported(capsys, option, value, said):
    assert said in refused(capsys, "--port", "0", f"{option}={value}")
