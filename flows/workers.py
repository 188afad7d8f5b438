"""Processes of this machine that transform sealed answers while another one loads what they have made."""

import copyreg
import io
import os
import pickle
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

import polars as pl

from extract.tombstones import Tombstones
from flows.compute import Part, batch_of
from transforms.batch import Batch

ONE_THREAD = "POLARS_MAX_THREADS"
"""A worker has one core to itself: more threads of polars would be in the way of the other workers."""


@dataclass(frozen=True, slots=True)
class Workers:
    """As many processes as there are cores. A batch that they do not bring is made here."""

    pool: ProcessPoolExecutor
    number: int

    @property
    def width(self) -> int:
        """So many batches are under way at once: each waits in memory until it is loaded."""
        return self.number

    def submit(self, parts: Sequence[Part], tombstones: Tombstones | None, zone: str) -> "Awaited":
        """Hand work out; the batch comes back by `result()`."""
        try:
            return Awaited(self.pool.submit(_packed_batch, parts, tombstones, zone), (parts, tombstones, zone))
        except BrokenProcessPool:
            return Awaited(None, (parts, tombstones, zone))


@dataclass(frozen=True, slots=True)
class Awaited:
    """A batch that the workers were asked for."""

    coming: Future[bytes] | None
    asked: tuple[Sequence[Part], Tombstones | None, str]

    def result(self, timeout: float | None = None) -> Batch:
        """The batch, made here where a worker was killed over it. Raises ArchiveDamaged."""
        if self.coming is not None:
            try:
                # Packed it is a fifth of its size: what waits to be loaded stays so.
                return pickle.loads(self.coming.result(timeout))  # noqa: S301 (from a process of our own)
            except BrokenProcessPool:
                pass
        return batch_of(*self.asked)


@contextmanager
def workers() -> Generator[Workers]:
    """Workers for as long as this lasts; what is not begun by then is not done."""
    number = os.cpu_count() or 1
    before = os.environ.get(ONE_THREAD)
    os.environ[ONE_THREAD] = "1"
    # Not forked: polars and DuckDB have threads that a fork would leave half alive.
    pool = ProcessPoolExecutor(number, get_context("spawn"), _begin)
    try:
        yield Workers(pool, number)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        if before is None:
            del os.environ[ONE_THREAD]
        else:
            os.environ[ONE_THREAD] = before


def _begin() -> None:
    """A worker leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _packed_batch(parts: Sequence[Part], tombstones: Tombstones | None, zone: str) -> bytes:
    out = io.BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table.copy()
    pickler.dispatch_table[pl.DataFrame] = _packed
    pickler.dump(batch_of(parts, tombstones, zone))
    return out.getvalue()


def _packed(frame: pl.DataFrame) -> tuple[Any, ...]:
    return _unpacked, (frame.write_ipc_stream(None, compression="lz4").getvalue(),)


def _unpacked(content: bytes) -> pl.DataFrame:
    return pl.read_ipc_stream(io.BytesIO(content))
