"""The lock of a home: a second process is refused with the process id of the holder."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from innspect.extract.home.lock import Lock, find_holder, read_process_id
from innspect.schemas.errors import StoresHeld

ROOT = Path(__file__).parents[2]
HOLDING = """
import sys
from pathlib import Path
from innspect.extract.home.lock import Lock
with Lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock until its input is closed."""
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "home" / "innspect.lock")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_second_process_is_refused_with_the_holders_pid(tmp_path, other):
    path = tmp_path / "home" / "innspect.lock"
    with pytest.raises(StoresHeld) as caught, Lock(path):
        pass
    assert caught.value.facts["pid"] == other.pid
    assert str(other.pid) in caught.value.message
    assert find_holder(path) == other.pid


@pytest.mark.parametrize("end", [signal.SIGKILL, None])
def test_lock_is_released_when_the_holder_ends(tmp_path, other, end):
    path = tmp_path / "home" / "innspect.lock"
    if end is None:
        other.communicate("")
    else:
        other.send_signal(end)
        other.communicate()
    assert find_holder(path) is None
    with Lock(path):
        assert find_holder(path) == os.getpid()
    assert find_holder(path) is None


def test_lock_can_be_taken_again_after_release_only(tmp_path):
    path = tmp_path / "innspect.lock"
    assert find_holder(path) is None
    for _ in range(2):
        with Lock(path), pytest.raises(StoresHeld), Lock(path):
            pass
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_lock_is_released_after_an_error(tmp_path):
    path = tmp_path / "innspect.lock"
    with pytest.raises(RuntimeError, match="inside"), Lock(path):
        raise RuntimeError("inside")
    assert find_holder(path) is None


def test_pid_of_a_killed_holder_is_not_reported_as_the_next_holder(tmp_path, other):
    path = tmp_path / "home" / "innspect.lock"
    other.kill()
    other.communicate()
    assert read_process_id(path) == other.pid
    # Another process holds the lock and has not written its process id yet; the file holds that of the killed one.
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert find_holder(path) == 0
        with pytest.raises(StoresHeld) as caught, Lock(path):
            pass
    assert caught.value.facts["pid"] is None
    assert str(other.pid) not in caught.value.message
    with Lock(path):
        assert read_process_id(path) == os.getpid()
    assert read_process_id(path) is None


def test_lock_waits_for_a_probe(tmp_path):
    path = tmp_path / "innspect.lock"
    path.touch(0o600)
    probe = path.open()
    fcntl.flock(probe, fcntl.LOCK_SH)
    threading.Timer(0.2, probe.close).start()
    with Lock(path):
        assert find_holder(path) == os.getpid()
