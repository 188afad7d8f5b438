"""Where answers are transformed: in this process, or on the workers of a Dask cluster.

A worker is handed sealed bytes and gives a batch back; it needs neither ledger, archive nor warehouse, and what it was
asked can be asked of another one. So a cluster can lose workers, or all of them, and nothing is lost: what it does not
bring is transformed here.
"""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from innspect.extract.archive.archive import kept
from innspect.extract.home.tombstones import Tombstones
from innspect.flows.known_bodies import empty_memory
from innspect.schemas.errors import InnspectError, SettingsError, UsageError
from innspect.transforms.pipeline import Batch, transform
from innspect.transforms.versions.versioning import hashed

if TYPE_CHECKING:
    from distributed import Client

HERE = "dask"
"""The setting for a cluster of this machine's own."""
GLANCE_SECONDS = 15.0
MISSED_GLANCES = 4
CONNECT_SECONDS = 20
AHEAD = 2
"""So many batches a worker are handed out before the first is asked for."""
_LOG = logging.getLogger("innspect.compute")

Part = tuple[str, bytes, int, int | None]
"""A sealed file (`answers/<name>`), its bytes, and which rows of it: the first, and how many (None: to the end)."""


class Coming(Protocol):
    """A batch that is on its way."""

    def result(self, timeout: float | None = None) -> Batch:
        """The batch. Raises TimeoutError where it is not there in time."""
        ...


Submit = Callable[[Sequence[Part], Tombstones | None, str], Coming]


def batch_of(parts: Sequence[Part], tombstones: Tombstones | None, zone: str) -> Batch:
    """What sealed answers say, without their bodies: these have done their part. Raises ArchiveDamaged."""
    return hashed(transform(answers_of(parts, tombstones), zone, empty_memory(zone)))


def answers_of(parts: Sequence[Part], tombstones: Tombstones | None) -> pl.DataFrame:
    """The answers in sealed files, those that may be loaded, with `archive_file`. Raises ArchiveDamaged."""
    return pl.concat([_answers(part, tombstones) for part in parts])


def _answers(part: Part, tombstones: Tombstones | None) -> pl.DataFrame:
    file, content, first, rows = part
    return kept(file, content, tombstones, first, rows).with_columns(pl.lit(file).alias("archive_file"))


@dataclass(slots=True)
class Compute:
    """The workers that a setting names: none where it is empty, a cluster of this machine's own, or one at an address.

    The cluster is started, or found, when it is first needed. `through` hands work out in another way, as tasks of a
    flow say.
    """

    setting: str = ""
    through: Submit | None = None
    _client: "Client | None" = None
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def is_here(self) -> bool:
        """Whether there are no workers, and this process does the work."""
        return not self.setting

    def start(self) -> "Client":
        """The cluster's client. Raises SettingsError where nobody answers, UsageError without the extra `scale`."""
        if self._client is None:
            self._client = self._stack.enter_context(_connected(self.setting, self._stack))
        return self._client

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        self._stack.close()
        self._client = None

    @property
    def address(self) -> str:
        """Where the cluster's scheduler listens."""
        known: dict[str, Any] = self.start().scheduler_info()
        return str(known["address"])

    @property
    def width(self) -> int:
        """So many batches are worth being under way at once."""
        return AHEAD * max(1, len(self._workers()))

    def _workers(self) -> dict[str, int]:
        threads: Any = self.start().nthreads()
        return threads

    def submit(self, parts: Sequence[Part], tombstones: Tombstones | None, zone: str) -> "Awaited":
        """Hand work out; the batch comes back by `result()`."""
        client = self.start()
        if self.through is not None:
            coming = self.through(parts, tombstones, zone)
        else:
            coming = client.submit(batch_of, parts, tombstones, zone, pure=False)
        return Awaited(coming, client, (parts, tombstones, zone))


@dataclass(frozen=True, slots=True)
class Awaited:
    """A batch that a cluster was asked for."""

    coming: Coming
    client: "Client"
    asked: tuple[Sequence[Part], Tombstones | None, str]

    def result(self, timeout: float | None = None) -> Batch:
        """The batch, made here where the cluster does not bring it. Raises ArchiveDamaged."""
        missed = 0
        while timeout is None:
            try:
                return self.coming.result(timeout=GLANCE_SECONDS)
            except TimeoutError:
                missed = 0 if self._is_manned() else missed + 1
                if missed < MISSED_GLANCES:
                    continue
                return self._here("it has no workers")
            except InnspectError:
                raise
            except Exception as fault:  # noqa: BLE001 (whatever befell the cluster, the answers are here)
                return self._here(type(fault).__name__)
        return self.coming.result(timeout=timeout)

    def _is_manned(self) -> bool:
        try:
            return bool(self.client.nthreads())
        except Exception:  # noqa: BLE001 (a scheduler that is gone has no workers)
            return False

    def _here(self, reason: str) -> Batch:
        _LOG.warning("The Dask cluster did not bring a batch (%s); it is transformed here.", reason)
        return batch_of(*self.asked)


@contextmanager
def computing(setting: str) -> Generator[Compute]:
    """The workers that the setting names, left or ended with this."""
    compute = Compute(setting)
    try:
        yield compute
    finally:
        compute.close()


def _connected(setting: str, stack: ExitStack) -> "Client":
    try:
        import dask.config  # noqa: PLC0415 (a second that only who has a cluster has to pay)
        from distributed import Client, LocalCluster  # noqa: PLC0415
    except ImportError as missing:
        raise UsageError(
            f'compute = "{setting}" needs what the extra `scale` brings; install `innspect[scale]`, or leave it empty.'
        ) from missing
    # A batch goes with its bytes, so that any worker can be asked again.
    stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}))
    if setting == HERE:
        options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
        own: Any = stack.enter_context(LocalCluster(**options))
        return Client(own, set_as_default=False)
    try:
        return Client(setting, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as fault:
        raise SettingsError(
            f"No Dask scheduler answers at {setting}; start it with `dask scheduler`, or correct `compute`.",
            key="compute",
        ) from fault
