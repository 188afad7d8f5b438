"""A new warehouse filled batch by batch: what is ready is loaded on a thread while the next is transformed."""

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field

import polars as pl

from innspect.flows.known_bodies import empty_memory, memory_of
from innspect.flows.load import load_batch
from innspect.transforms.pipeline import Batch
from innspect.transforms.unchanged_blocks import Memory
from innspect.transforms.versions.versioning import together
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.load import Loaded

LOADED_ROWS = 200_000
"""Batches of fewer rows are loaded together: large appends are cheap by the row."""


@dataclass(slots=True)
class Filling:
    """Batches on their way into a new warehouse, in the order in which they are added.

    The thread opens the warehouse and loads; nobody else touches it before `settled`.
    """

    zone: str
    _thread: ThreadPoolExecutor
    _under_way: Future[Warehouse]
    loaded: Loaded = field(default_factory=Loaded)
    files: set[str] = field(default_factory=set[str])
    _waiting: list[Batch] = field(default_factory=list[Batch])
    _are_new: bool = True
    """Whether no INN of those waiting came before its batch."""
    _seen: set[int | None] = field(default_factory=set[int | None])
    """INNs that came, as numbers: a million of them take half the memory of their texts."""

    def meets(self, answers: pl.DataFrame) -> bool:
        """Whether none of the INNs came before: nothing is there then of what they are about."""
        inns = set(answers["inn"].cast(pl.Int64, strict=False).to_list())
        is_new = self._seen.isdisjoint(inns)
        self._seen |= inns
        return is_new

    def add(self, batch: Batch, *, is_new: bool) -> None:
        """Let a batch be loaded, as `meets` said of its answers. Raises what befell those before it."""
        self.files |= set(batch.answers["archive_file"].unique())
        self._waiting.append(batch)
        self._are_new &= is_new
        if sum(frame.height for one in self._waiting for frame in one.rows.values()) >= LOADED_ROWS:
            self._hand_over()

    def settled(self) -> Warehouse:
        """The warehouse with all that was added. Raises what befell it."""
        if self._waiting:
            self._hand_over()
        return self._under_way.result()

    def memory(self, *, is_new: bool) -> Memory:
        """What there is to recall; of INNs that are new nothing, so nothing is waited for."""
        return empty_memory(self.zone) if is_new else memory_of(self.settled(), self.zone)

    def _hand_over(self) -> None:
        warehouse, batches, are_new = self._under_way.result(), self._waiting, self._are_new
        self._waiting, self._are_new = [], True
        self._under_way = self._thread.submit(self._load, warehouse, batches, are_new)

    def _load(self, warehouse: Warehouse, batches: list[Batch], are_new: bool) -> Warehouse:
        self.loaded += load_batch(warehouse, together(batches), is_new=are_new).loaded
        return warehouse


@contextmanager
def filling(new: AbstractContextManager[Warehouse], zone: str) -> Generator[Filling]:
    """Fill a warehouse that is opened, and at the end closed or given up, with this."""
    with ThreadPoolExecutor(1, "load") as thread, ExitStack() as stack:
        under_way = Filling(zone, thread, thread.submit(stack.enter_context, new))
        try:
            yield under_way
        finally:
            # Whatever happened here, nobody may be loading when the warehouse is closed.
            thread.shutdown(cancel_futures=True)
