"""A PostgreSQL server for tests: on a free port of loopback, in a temporary folder that is removed at the end."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Self

import pytest

TIMEOUT_SECONDS = 30


def find_program(name: str) -> str | None:
    """The path of the newest PostgreSQL program of that name, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(found[0]) if found else shutil.which(name)


class Postgres:
    """The server; `url` is the URL of its database `postgres`. Skips the test where PostgreSQL is not installed."""

    def __init__(self) -> None:
        initdb, server = find_program("initdb"), find_program("postgres")
        if initdb is None or server is None:
            pytest.skip("PostgreSQL is not installed; run apt-get install postgresql")
        user = None
        if os.getuid() == 0:
            # The server refuses to run as root.
            user = next((entry.pw_name for entry in pwd.getpwall() if entry.pw_name in ("postgres", "nobody")), None)
            if user is None:
                pytest.skip("PostgreSQL does not run as root, and there is no other user")
        self._identity = {"user": user} if user else {}
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if user:
            shutil.chown(self.folder, user)
        subprocess.run(
            [initdb, "-D", self.folder / "data", "-U", "innspect", "--auth=trust", "-E", "UTF8"],
            check=True,
            capture_output=True,
            **self._identity,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._server = server
        self._running: subprocess.Popen | None = None
        self.url = self.ledger_url("postgres")

    def ledger_url(self, database: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://innspect@127.0.0.1:{self.port}/{database}"

    def conninfo(self, database: str = "postgres") -> str:
        """The connection string of a database, for psycopg and DuckLake."""
        return f"host=127.0.0.1 port={self.port} user=innspect dbname={database}"

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        options = ["-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
        options += ["-c", f"unix_socket_directories={self.folder}", "-c", "max_connections=200"]
        log = self.folder / "log"
        with log.open("w") as log_file:
            self._running = subprocess.Popen(
                [self._server, "-D", self.folder / "data", *options],
                stdout=subprocess.DEVNULL,
                stderr=log_file,
                **self._identity,
            )
        for _ in range(TIMEOUT_SECONDS * 10):
            if "ready to accept connections" in log.read_text():
                return
            try:
                self._running.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            break
        pytest.fail(f"the PostgreSQL server did not start: {log.read_text()}")

    def stop(self, *, at_once: bool = False) -> None:
        """Stop the server; `at_once` cuts the connections as a crash does."""
        if self._running is not None:
            self._running.send_signal(signal.SIGQUIT if at_once else signal.SIGINT)
            self._running.wait(TIMEOUT_SECONDS)
            self._running = None

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        self.stop(at_once=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
