"""Adaptive limit of concurrent calls: halved when the service is overloaded, raised again by successes (AIMD)."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

SUCCESSES_PER_STEP = 20
"""Consecutive successes that raise the limit by one."""


class ConcurrencyLimiter:
    """Limits concurrent calls to at most `max_limit`; `now` is a monotonic clock in seconds."""

    def __init__(self, max_limit: int, now: Callable[[], float]) -> None:
        self._max_limit = max_limit
        self._limit = max_limit
        self._now = now
        self._active = 0
        self._successes = 0
        self._added_slots = 0
        self._paused_until = 0.0
        self._changed = asyncio.Condition()

    @property
    def limit(self) -> int:
        """The current limit."""
        return self._limit

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Wait for a free slot and hold it during the block."""
        async with self._changed:
            try:
                await self._changed.wait_for(lambda: self._active < self._limit)
            except asyncio.CancelledError:
                # Pass the wake-up to the next waiter.
                self._changed.notify()
                raise
            self._active += 1
        try:
            yield
        finally:
            async with self._changed:
                self._active -= 1
                # One waiter per free slot: a waiter that is woken without one loses its place in the queue.
                self._changed.notify(1 + self._added_slots)
                self._added_slots = 0

    async def wait_for_pause(self) -> None:
        """Wait until the pause that the service requested is over."""
        while (seconds := self._paused_until - self._now()) > 0:  # noqa: ASYNC110 (a time, not an event)
            await asyncio.sleep(seconds)

    def reduce(self, pause_seconds: float) -> None:
        """Halve the limit and start no call during the pause."""
        self._limit = max(1, self._limit // 2)
        self._successes = 0
        self._paused_until = max(self._paused_until, self._now() + pause_seconds)

    def record_success(self) -> None:
        """Count a success of a call that holds a slot, and raise the limit after `SUCCESSES_PER_STEP` of them."""
        self._successes += 1
        if self._successes >= SUCCESSES_PER_STEP and self._limit < self._max_limit:
            self._successes = 0
            self._limit += 1
            self._added_slots += 1
