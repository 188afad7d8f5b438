"""One run at a time: a second process is refused and told who holds the stores."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from innspect.extract.home.lock import Lock, holder, left_by
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


def test_a_second_process_is_refused_and_told_who_holds_it(tmp_path, other):
    path = tmp_path / "home" / "innspect.lock"
    with pytest.raises(StoresHeld) as caught, Lock(path):
        pass
    assert caught.value.facts["pid"] == other.pid
    assert str(other.pid) in caught.value.message
    assert holder(path) == other.pid


@pytest.mark.parametrize("end", [signal.SIGKILL, None])
def test_it_is_free_when_the_holder_ends_however_it_ends(tmp_path, other, end):
    path = tmp_path / "home" / "innspect.lock"
    if end is None:
        other.communicate("")
    else:
        other.send_signal(end)
        other.communicate()
    assert holder(path) is None
    with Lock(path):
        assert holder(path) == os.getpid()
    assert holder(path) is None


def test_it_can_be_taken_again_and_not_twice(tmp_path):
    path = tmp_path / "innspect.lock"
    assert holder(path) is None
    for _ in range(2):
        with Lock(path), pytest.raises(StoresHeld), Lock(path):
            pass
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_let_go_after_an_error(tmp_path):
    path = tmp_path / "innspect.lock"
    with pytest.raises(RuntimeError, match="inside"), Lock(path):
        raise RuntimeError("inside")
    assert holder(path) is None


def test_a_killed_holder_is_reported_and_not_named_as_the_next_holder(tmp_path, other):
    path = tmp_path / "home" / "innspect.lock"
    other.kill()
    other.communicate()
    assert left_by(path) == other.pid
    # Somebody else holds the lock and has not written its process id yet; the file has that of the dead one.
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert holder(path) == 0
        with pytest.raises(StoresHeld) as caught, Lock(path):
            pass
    assert caught.value.facts["pid"] is None
    assert str(other.pid) not in caught.value.message
    with Lock(path):
        assert left_by(path) == os.getpid()
    assert left_by(path) is None


def test_the_lock_waits_for_a_probe_to_end(tmp_path):
    path = tmp_path / "innspect.lock"
    path.touch(0o600)
    probe = path.open()
    fcntl.flock(probe, fcntl.LOCK_SH)
    threading.Timer(0.2, probe.close).start()
    with Lock(path):
        assert holder(path) == os.getpid()
