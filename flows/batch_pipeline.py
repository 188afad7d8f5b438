"""Request, seal, load: a batch is sealed and loaded while the next ones are requested."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial
from typing import Any

import polars as pl

from innspect.extract.failpoints import failpoint

MAX_REQUESTED_BATCHES = 3
"""Batches whose calls are in progress, or whose responses wait in the outbox. A slow call holds up its batch only."""
MAX_LEFT_BATCHES = 20
"""Sealed batches that do not wait for their load while the copy is prepared: they are loaded together after it."""
INTERRUPT_SECONDS = 0.01
"""Between two interruptions of a load: most statements take some milliseconds, and one of them must be hit."""
BatchRunner = Callable[[Callable[[], Awaitable[None]], int], Coroutine[Any, Any, None]]
"""Runs one batch, a coroutine function with its number of calls: directly, or as a Prefect task."""


async def run_directly(run_batch: Callable[[], Awaitable[None]], calls: int) -> None:  # noqa: ARG001 (BatchRunner)
    """Run a batch in the present task."""
    await run_batch()


class BatchPipeline:
    """Takes batches through three stages; `seal` and `load` block, and run on a thread.

    `request` makes the calls of a batch; `MAX_REQUESTED_BATCHES` are in this stage. `seal` writes all responses that
    have arrived to the archive and `load` loads what is sealed: one batch is in each, in the same order. A batch leaves
    a stage when the next one is free. So the bodies of two batches at most are in memory, one that is sealed and one
    that is loaded; the others are in the outbox. `interrupt_load` ends the `load` in progress on its thread: it
    is called again and again, because between two statements there is none to end.

    `prepare` is called after each load, and may take long: meanwhile batches are requested and sealed, and the batch
    that called it loads what up to `MAX_LEFT_BATCHES` of them left.
    """

    def __init__(
        self,
        request: Callable[[pl.DataFrame], Awaitable[None]],
        seal: Callable[[], None],
        load: Callable[[], None],
        run_batch: BatchRunner = run_directly,
        interrupt_load: Callable[[], None] | None = None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._request, self._seal, self._load, self._run_batch = request, seal, load, run_batch
        self._interrupt_load, self._prepare = interrupt_load, prepare
        self._left = 0
        self._may_load = asyncio.Event()
        self._may_load.set()
        self._requesting = asyncio.Semaphore(MAX_REQUESTED_BATCHES)
        # Locks are acquired in the order of waiting: loads are in the order of sealing.
        self._sealing, self._loading = asyncio.Lock(), asyncio.Lock()

    async def run(self, batches: Iterable[pl.DataFrame], has_stopped: Callable[[], bool]) -> None:
        """Run batches until they end or `has_stopped`; all batches that were begun are loaded when this returns.

        Raises the first error of a stage: requests end then, and what is in a thread is completed. Cancelling it has
        the same effect, except that `interrupt_load` ends a load.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for calls in batches:
                    await self._requesting.acquire()
                    if has_stopped():
                        self._requesting.release()
                        break
                    group.create_task(self._run_batch(partial(self._run_stages, calls), calls.height))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from errors

    async def _run_stages(self, calls: pl.DataFrame) -> None:
        try:
            await self._request(calls)
            await self._sealing.acquire()
        finally:
            self._requesting.release()
        try:
            failpoint("before batch seal")
            await _run_in_thread(self._seal)
            failpoint("after batch seal")
            await self._loading.acquire()
        finally:
            self._sealing.release()
        try:
            if not self._may_load.is_set() and self._left < MAX_LEFT_BATCHES:
                self._left += 1
                return
            await self._may_load.wait()
            failpoint("before batch load")
            await _run_in_thread(self._load, self._interrupt_load)
            failpoint("after batch load")
            self._may_load.clear()
        finally:
            self._loading.release()
        await self._prepare_and_load()

    async def _prepare_and_load(self) -> None:
        """Prepare without holding up the stages, and load what was left meanwhile."""
        try:
            await _run_in_thread(self._prepare, self._interrupt_load)
        finally:
            self._may_load.set()
        if self._left:
            async with self._loading:
                self._left = 0
                await _run_in_thread(self._load, self._interrupt_load)


async def _run_in_thread(work: Callable[[], None], interrupt: Callable[[], None] | None = None) -> None:
    """Run `work` on a thread; if cancelled, complete it first: it uses connections that nothing else may use then.

    `interrupt` ends the statement that `work` executes; it is called until `work` has ended. The error that follows is
    not reported: whatever it is, the transaction was rolled back.
    """
    thread = asyncio.create_task(asyncio.to_thread(work))
    is_cancelled = False
    while not thread.done():
        try:
            await asyncio.wait([thread], timeout=INTERRUPT_SECONDS if is_cancelled and interrupt else None)
        except asyncio.CancelledError:
            is_cancelled = True
        if is_cancelled and interrupt is not None and not thread.done():
            interrupt()
    error = thread.exception()
    if error is not None and not (is_cancelled and interrupt is not None and isinstance(error, Exception)):
        raise error
    if is_cancelled:
        raise asyncio.CancelledError
