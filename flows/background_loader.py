"""Load batches into a new warehouse on a thread, while the next ones are transformed.

An optimisation of `rebuild`: DuckDB and polars release the interpreter's lock, so the two overlap.
"""

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field

import polars as pl

from innspect.flows.load import load_batch
from innspect.schemas.frames import Batch
from innspect.transforms.versions.versioning import concat_batches
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.block_digests import find_unchanged_blocks
from innspect.warehouse.load.load import LoadResult
from innspect.warehouse.load.replace import begin_rechecks, build_limit, read_during_load, write_part

MIN_ROWS_PER_LOAD = 200_000
"""Batches are loaded together until they have this many rows, because an append has a cost per call."""


@dataclass(slots=True)
class BackgroundLoader:
    """Loads batches in the order in which they are added.

    The thread opens the warehouse and loads; nothing else uses the warehouse before `finish_loading` returns it.
    """

    _thread: ThreadPoolExecutor
    _loading: Future[Warehouse]
    loaded: LoadResult = field(default_factory=LoadResult)
    files: set[str] = field(default_factory=set[str])
    _waiting: list[Batch] = field(default_factory=list[Batch])
    _are_new: bool = True
    """Whether each INN of the waiting batches is new to its batch."""
    _unloaded_inns: set[str] = field(default_factory=set[str])
    """INNs of the batch that may still be loading, since each load is committed."""
    _reader: Warehouse | None = None
    """Reads what is committed while the thread loads; each load is committed since responses of known INNs began."""
    _inns: set[int | None] = field(default_factory=set[int | None])
    """Registered INNs as integers, which take half the memory of texts."""

    def register_inns(self, inns: pl.Series) -> bool:
        """Register the INNs of responses; whether all of them are new."""
        numbers = set(inns.cast(pl.Int64, strict=False).to_list())
        are_new = self._inns.isdisjoint(numbers)
        self._inns |= numbers
        return are_new

    def add(self, batch: Batch, *, are_new: bool) -> None:
        """Load a batch; `are_new`: result of `register_inns`. Raises the error of an earlier load."""
        self.files |= set(batch.responses["archive_file"].unique())
        self._waiting.append(batch)
        self._are_new &= are_new
        if self._reader is not None:
            # The thread is free: the batch is loaded while the next one is transformed.
            self._submit()
            self._unloaded_inns = set(batch.responses["inn"].unique())
        elif sum(frame.height for waiting in self._waiting for frame in waiting.rows.values()) >= MIN_ROWS_PER_LOAD:
            self._submit()

    def finish_loading(self) -> Warehouse:
        """Wait until all added batches are loaded; the warehouse. Raises the error of a load."""
        if self._waiting:
            self._submit()
        warehouse = self._loading.result()
        self.close_reader()
        return warehouse

    def find_unchanged(self, inns: set[str], digests: pl.DataFrame) -> pl.DataFrame:
        """`find_unchanged_blocks` of these INNs, while others are loaded. Raises the error of a load."""
        if self._reader is None:
            warehouse = self.finish_loading()
            begin_rechecks(warehouse)
            self._reader = warehouse.second_connection()
        elif not inns.isdisjoint(self._unloaded_inns):
            self._loading.result()
        reader = self._reader
        return read_during_load(reader, lambda: find_unchanged_blocks(reader, digests), self._loading.result)

    def close_reader(self) -> None:
        """Close the connection of `find_unchanged`."""
        if self._reader is not None:
            self._reader.connection.close()
            self._reader = None

    def _submit(self) -> None:
        warehouse, batches, are_new = self._loading.result(), self._waiting, self._are_new
        self._waiting, self._are_new = [], True
        self._loading = self._thread.submit(self._load, warehouse, batches, are_new)

    def _load(self, warehouse: Warehouse, batches: list[Batch], are_new: bool) -> Warehouse:
        batch = concat_batches(batches)

        def load() -> LoadResult:
            return load_batch(warehouse, batch, is_new=are_new).loaded

        is_part = self._reader is not None
        self.loaded += write_part(warehouse, load, build_limit(warehouse)) if is_part else load()
        return warehouse


@contextmanager
def load_in_background(new: AbstractContextManager[Warehouse]) -> Generator[BackgroundLoader]:
    """A loader into a warehouse that is opened, and closed or discarded, with this context."""
    with ThreadPoolExecutor(1, "load") as thread, ExitStack() as stack:
        loader = BackgroundLoader(thread, thread.submit(stack.enter_context, new))
        try:
            yield loader
        finally:
            # The thread must not load while the warehouse is closed.
            thread.shutdown(cancel_futures=True)
            loader.close_reader()
