"""Executors of the transforms: this process, or the workers of a Dask cluster; with `auto` whichever is faster.

A worker receives sealed bytes and returns a batch; it needs neither ledger, archive nor warehouse, and any worker can
repeat the work of another. If the cluster loses workers, this process transforms what it does not return.
"""

import logging
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from innspect.extract.archive.archive import decode_retained_rows
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.decoders import Conventions
from innspect.schemas.errors import InnspectError, SettingsError, UsageError
from innspect.schemas.frames import Batch
from innspect.transforms.pipeline import transform_portions
from innspect.transforms.split import SplitResponses, split_responses
from innspect.transforms.versions.versioning import hash_contents
from innspect.warehouse.ddl import fingerprint

if TYPE_CHECKING:
    from distributed import Client

AUTO = "auto"
"""Value of the setting `compute` for this process or a Dask cluster on this machine, by cores and amount of work."""
LOCAL_CLUSTER = "dask"
"""Value of the setting `compute` for a Dask cluster on this machine."""
MIN_CORES_FOR_CLUSTER = 4
"""With `auto` and fewer cores this process transforms: loading needs a core, and workers need more CPU than it."""
MIN_RESPONSES_FOR_CLUSTER = 2_000
"""With `auto` and fewer responses this process transforms: a cluster takes seconds to start and to import."""
MIN_WORKERS = 2
WORKER_BYTES = 512 * 2**20
"""Memory of a worker with the batches that wait in it. With `auto`, workers get at most half of the memory."""
POLL_SECONDS = 15.0
MAX_POLLS_WITHOUT_WORKERS = 4
CONNECT_SECONDS = 20
BATCHES_PER_WORKER = 2
"""Batches that are submitted per worker before the first result is awaited."""
LOCAL_WORKER_CONFIG = {
    # Results are responses: they must not be written to a temporary folder.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    # Ctrl-C reaches all processes of a terminal; only this one must react.
    "distributed.worker.preload": ["from signal import SIG_IGN, SIGINT, signal; signal(SIGINT, SIG_IGN)"],
    # There is a worker per core; a pool of polars in each would be cores times cores threads.
    "distributed.nanny.pre-spawn-environ.POLARS_MAX_THREADS": 1,
}
DIGEST_KEY_BYTES = 32
_LOG = logging.getLogger("innspect.compute")

FilePart = tuple[str, bytes, int, int | None]
"""A sealed file (`answers/<name>`), its bytes, the first of its rows to use, and their number (None: to the end)."""
Portion = Sequence[FilePart]
"""Responses that are decoded at once; the portions of one batch are decoded in turn."""


class PendingBatch(Protocol):
    """A batch that a worker transforms."""

    def result(self, timeout: float | None = None) -> Batch:
        """The batch. Raises TimeoutError if it does not arrive in time."""
        ...


Submit = Callable[[Sequence[Portion], Tombstones | None, Conventions], PendingBatch]


@cache
def digest_key(conventions: Conventions) -> bytes:
    """Key of the block digests: digests of another version, other declarations or other conventions differ."""
    parts = (version("innspect"), fingerprint(), repr(conventions))
    return blake2b("\n".join(parts).encode(), digest_size=DIGEST_KEY_BYTES).digest()


def split_with_digests(responses: pl.DataFrame, conventions: Conventions) -> SplitResponses:
    """Split responses into payloads with their digests."""
    return split_responses(responses, digest_key(conventions), conventions.ok_statuses)


def transform_parts(portions: Sequence[Portion], tombstones: Tombstones | None, conventions: Conventions) -> Batch:
    """Read and transform sealed responses; contents are hashed, not merged. Raises ArchiveDamaged."""
    split = ((split_with_digests(read_parts(parts, tombstones), conventions), None) for parts in portions)
    return hash_contents(transform_portions(split, conventions.zone))


def read_parts(parts: Sequence[FilePart], tombstones: Tombstones | None) -> pl.DataFrame:
    """Read the responses of sealed files that may be loaded, with `archive_file`. Raises ArchiveDamaged."""
    return pl.concat(
        decode_retained_rows(file, content, tombstones, first, rows).with_columns(pl.lit(file).alias("archive_file"))
        for file, content, first, rows in parts
    )


@dataclass(slots=True)
class Executor:
    """The executor that a setting names: this process (empty), a cluster on this machine, or one at an address.

    The cluster is started or connected when it is first needed. `submit_task` overrides how work is submitted, for
    example as Prefect tasks. `workers`: of a cluster that is started here; None: one per core.
    """

    setting: str = ""
    workers: int | None = None
    submit_task: Submit | None = None
    _client: "Client | None" = None
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def is_local(self) -> bool:
        """Whether this process transforms."""
        return not self.setting

    def start(self) -> "Client":
        """The client of the cluster. Raises SettingsError if it does not answer, UsageError without extra `scale`."""
        if self._client is None:
            self._client = self._stack.enter_context(_connect(self.setting, self.workers, self._stack))
        return self._client

    def close(self) -> None:
        """Disconnect from the cluster; stop it if it was started here."""
        self._stack.close()
        self._client = None

    @property
    def address(self) -> str:
        """Address of the cluster's scheduler."""
        info: dict[str, Any] = self.start().scheduler_info()
        return str(info["address"])

    @property
    def workers_alive(self) -> int:
        """Number of workers that the cluster has now."""
        threads: Any = self.start().nthreads()
        return len(threads)

    @property
    def max_pending(self) -> int:
        """Number of batches that keep all workers busy."""
        return BATCHES_PER_WORKER * max(1, self.workers_alive)

    def submit(
        self, portions: Sequence[Portion], tombstones: Tombstones | None, conventions: Conventions
    ) -> "RemoteBatch":
        """Submit work to the cluster."""
        client = self.start()
        if self.submit_task is not None:
            pending = self.submit_task(portions, tombstones, conventions)
        else:
            pending = client.submit(transform_parts, portions, tombstones, conventions, pure=False)
        return RemoteBatch(pending, client, (portions, tombstones, conventions))


@dataclass(frozen=True, slots=True)
class RemoteBatch:
    """A batch that was submitted to a cluster."""

    pending: PendingBatch
    client: "Client"
    arguments: tuple[Sequence[Portion], Tombstones | None, Conventions]

    def result(self, timeout: float | None = None) -> Batch:
        """The batch, transformed in this process if the cluster does not return it. Raises ArchiveDamaged."""
        without_workers = 0
        while timeout is None:
            try:
                return self.pending.result(timeout=POLL_SECONDS)
            except TimeoutError:
                without_workers = 0 if self._has_workers() else without_workers + 1
                if without_workers < MAX_POLLS_WITHOUT_WORKERS:
                    continue
                return self._transform_here("it has no workers")
            except InnspectError:
                raise
            except Exception as error:  # noqa: BLE001 (whatever failed in the cluster, this process has the bytes)
                return self._transform_here(type(error).__name__)
        return self.pending.result(timeout=timeout)

    def _has_workers(self) -> bool:
        try:
            return bool(self.client.nthreads())
        except Exception:  # noqa: BLE001 (an unreachable scheduler has no workers)
            return False

    def _transform_here(self, reason: str) -> Batch:
        _LOG.warning("The Dask cluster did not return a batch (%s); this process transforms it.", reason)
        return transform_parts(*self.arguments)


@contextmanager
def open_executor(setting: str, counts: Iterable[int] = ()) -> Generator[Executor]:
    """The executor that the setting names; closed at the end.

    `counts`: numbers of responses that are transformed independently of one another; with `auto` they decide, and are
    read only until they are enough.
    """
    executor = _choose_executor(counts) if setting == AUTO else Executor(setting)
    try:
        yield executor
    finally:
        executor.close()


def _choose_executor(counts: Iterable[int]) -> Executor:
    """The executor of `auto`: this process, also if a cluster that would be faster does not start."""
    is_enough = any(total >= MIN_RESPONSES_FOR_CLUSTER for total in accumulate(counts))
    if not is_enough or not (workers := auto_workers().number):
        return Executor()
    executor = Executor(LOCAL_CLUSTER, workers)
    try:
        executor.start()
    except Exception as error:  # noqa: BLE001 (whatever prevents a cluster, this process can transform)
        _LOG.warning("The Dask cluster did not start (%s); this process transforms.", type(error).__name__)
        executor.close()
        return Executor()
    return executor


@dataclass(frozen=True, slots=True)
class AutoWorkers:
    """Workers of the cluster that `auto` starts for enough responses; 0 and the reason if this process transforms."""

    number: int
    reason: str = ""


def auto_workers() -> AutoWorkers:
    """The workers that `auto` may start here: one core is left to loading, and half of the memory."""
    if find_spec("distributed") is None:
        return AutoWorkers(0, "a cluster needs the extra `scale`")
    if (cores := usable_cores()) < MIN_CORES_FOR_CLUSTER:
        return AutoWorkers(0, f"a cluster needs {MIN_CORES_FOR_CLUSTER} cores, there are {cores}")
    workers = min(cores - 1, (memory := usable_memory()) // 2 // WORKER_BYTES)
    if workers < MIN_WORKERS:
        least = 2 * MIN_WORKERS * WORKER_BYTES
        return AutoWorkers(0, f"a cluster needs {least / 2**30:.1f} GiB of memory, there are {memory / 2**30:.1f}")
    return AutoWorkers(workers)


def usable_cores() -> int:
    """Cores that this process may use, within the limits of its container."""
    from dask.system import cpu_count  # noqa: PLC0415 (installed with the extra `scale` only)

    return cpu_count()


def usable_memory() -> int:
    """Bytes of memory that this process may use, within the limits of its container."""
    from distributed.system import memory_limit  # noqa: PLC0415 (installed with the extra `scale` only)

    return memory_limit()


def _connect(setting: str, workers: int | None, stack: ExitStack) -> "Client":
    """The client of a cluster; of `workers` workers if it is started here, one per core without a number."""
    try:
        import dask.config  # noqa: PLC0415 (the import takes a second)
        from distributed import Client, LocalCluster  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(
            f'compute = "{setting}" needs the extra `scale`: install `innspect[scale]`, or choose "auto".'
        ) from error
    # A batch is submitted with its bytes, so that any worker can repeat it; Dask warns of large graphs otherwise.
    stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}))
    if setting == LOCAL_CLUSTER:
        stack.enter_context(dask.config.set(LOCAL_WORKER_CONFIG))
        # Without an address the scheduler asks for port 8787, and warns the user if another process has it.
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        options |= {"scheduler_kwargs": {"dashboard": False}, "silence_logs": logging.CRITICAL, "n_workers": workers}
        cluster: Any = stack.enter_context(LocalCluster(**options))
        return Client(cluster, set_as_default=False)
    try:
        return Client(setting, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise SettingsError(
            f"No Dask scheduler answers at {setting}; start one with `dask scheduler`, or correct `compute`.",
            key="compute",
        ) from error
