"""LIFO pool of HTTP clients with one connection each; it avoids httpx's linear scan of idle connections."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class ConnectionPool(Generic[T]):
    """Clients, created by `create` when all are in use. Each serves one call at a time.

    With `is_shared` all calls use the first client, whose connection is multiplexed (HTTP/2).
    """

    def __init__(self, create: Callable[[], T], *, is_shared: bool) -> None:
        self._create = create
        self._idle: list[T] = []
        self.clients: list[T] = []
        self.is_shared = is_shared

    @contextmanager
    def acquire(self) -> Generator[T]:
        """The client of one call, returned to the pool after the block."""
        if not self._idle:
            self._idle.append(self._create())
            self.clients.append(self._idle[-1])
        if self.is_shared:
            yield self._idle[0]
            return
        client = self._idle.pop()
        try:
            yield client
        finally:
            self._idle.append(client)
