import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from innspect.sandbox.app import create_app
from innspect.sandbox.options import SandboxOptions

KEY = {"X-Api-Key": "sandbox"}


@pytest.fixture
def client() -> Callable[..., httpx.AsyncClient]:
    """A client of an application of its own, without a socket."""

    def connect(**options) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(create_app(SandboxOptions(**options)))
        return httpx.AsyncClient(transport=transport, base_url="http://sandbox", headers=KEY)

    return connect


@contextmanager
def _serving(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "innspect.sandbox", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., str]]:
    """Start the command on a free port with such options; the address that it prints."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(_serving(*options))
