"""Connections side by side: a call takes the one used last, so that few are open and none is looked through."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Lanes(Generic[T]):
    """Lanes made by `make` when they are needed, each for one call at a time.

    While `shared` is set all calls go through the first one: it carries many at once.
    """

    def __init__(self, make: Callable[[], T], *, shared: bool) -> None:
        self._make = make
        self._idle: list[T] = []
        self.all: list[T] = []
        self.shared = shared

    @contextmanager
    def lane(self) -> Generator[T]:
        """The lane of one call."""
        if not self._idle:
            self._idle.append(self._make())
            self.all.append(self._idle[-1])
        if self.shared:
            yield self._idle[0]
            return
        taken = self._idle.pop()
        try:
            yield taken
        finally:
            self._idle.append(taken)
