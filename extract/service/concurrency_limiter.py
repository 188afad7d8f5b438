"""How many calls may be under way: fewer when the service asks to slow down, more again when it answers."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

RECOVERY = 20
"""Answers in a row after which one more call may be under way."""


class Gate:
    """A limit that is halved when the service is overloaded, and grows back to `most` by one at a time."""

    def __init__(self, most: int, now: Callable[[], float]) -> None:
        self._most = most
        self._limit = most
        self._now = now
        self._active = 0
        self._good = 0
        self._resume = 0.0
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """Calls that may be under way now."""
        return self._limit

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """A place among the calls under way."""
        async with self._changed:
            try:
                await self._changed.wait_for(lambda: self._active < self._limit)
            except asyncio.CancelledError:
                # Whoever was woken and leaves hands the place on.
                self._changed.notify()
                raise
            self._active += 1
        try:
            yield
        finally:
            async with self._changed:
                self._active -= 1
                self._changed.notify()

    async def wait(self) -> None:
        """Wait until the pause that the service asked for is over."""
        while (left := self._resume - self._now()) > 0:  # noqa: ASYNC110 (what is waited for is a moment, not an event)
            await asyncio.sleep(left)

    def slow_down(self, seconds: float) -> None:
        """The service is overloaded: half as many calls, and none for so long."""
        self._limit = max(1, self._limit // 2)
        self._good = 0
        self._resume = max(self._resume, self._now() + seconds)

    async def answered(self) -> None:
        """An answer came as it should."""
        self._good += 1
        if self._good >= RECOVERY and self._limit < self._most:
            self._good = 0
            async with self._changed:
                self._limit += 1
                self._changed.notify()
