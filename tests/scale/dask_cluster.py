"""A Dask cluster on loopback: a scheduler and workers, each in a process that a test can kill."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
TIMEOUT_SECONDS = 60


class Cluster:
    """A scheduler and `workers` workers of one thread each; `address` is the value of `compute`."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._count = workers
        self.workers: list[subprocess.Popen] = []
        self._running: list[subprocess.Popen] = []

    def _start(self, module: str, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        # Workers get neither the API key nor the addresses of the stores.
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("INNSPECT_", "AWS_"))}
        environ["DASK_DISTRIBUTED__WORKER__DAEMON"] = "False"
        with (self.folder / f"{module}.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log, start_new_session=True)
        self._running.append(process)
        return process

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        for _ in range(TIMEOUT_SECONDS * 10):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.1)
        self.workers = [self.add_worker() for _ in range(self._count)]
        return self

    def add_worker(self) -> subprocess.Popen:
        """Start a worker without the nanny, which would restart it."""
        arguments = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        return self._start("dask_worker", self.address, *arguments)

    def kill(self, worker: subprocess.Popen) -> None:
        """Kill a worker with SIGKILL."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(TIMEOUT_SECONDS)

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._running):
            if process.poll() is None:
                self.kill(process)
