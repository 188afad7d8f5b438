"""A run in progress: what it was started with, and what its calls and loads change."""

from collections import Counter
from dataclasses import dataclass, field
from threading import Event
from time import monotonic

import polars as pl

from innspect.extract.ledger.operations import Caps
from innspect.extract.planner.planner import Plan
from innspect.extract.portfolio.reader import Portfolio
from innspect.flows.open_home import Stores
from innspect.flows.prepared_copy import PreparedCopy
from innspect.flows.progress import ProgressListener
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.warehouse.load.load import LoadResult


class LoadInterrupted(Exception):
    """The run was interrupted during a load; the next start loads the file."""


@dataclass(slots=True)
class RunState:
    """What the calls and the loads of a run change."""

    plan: Plan
    planned_calls: int = 0
    stop: InnspectError | None = None
    """The error after which no further call is made."""
    made: Counter[str] = field(default_factory=Counter[str])
    """Number of calls made, by INN."""
    without_response: int = 0
    """Calls made that returned no response."""
    unloaded: list[str] = field(default_factory=list[str])
    """Archive files of responses that are sealed and not loaded, in the order of sealing."""
    is_interrupted: Event = field(default_factory=Event)
    """Set when the load in progress, if there is one, is to end without a result."""
    can_load: bool = True
    """False after an error of sealing or loading: the next start loads the files, in the order of sealing."""
    loaded: LoadResult = field(default_factory=LoadResult)
    drift: int = 0
    snapshots: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    """Those of each loaded file."""
    sealed_seq: int = 0
    """The event of the ledger up to which the run's calls are sealed."""
    unloaded_records: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Kinds and names of archive files of calls that are sealed and not loaded."""
    counted_files: int = 0
    """Loaded files whose INNs were counted for the preparation of the copy."""
    calling_since: float = field(default_factory=monotonic)

    def estimate_remaining(self) -> tuple[float, float]:
        """The INNs whose calls are still to be made, and the seconds that they take at the speed of those made."""
        made = self.made.total()
        calls_by_made = (self.planned_calls - made) / max(made, 1)
        return calls_by_made * len(self.made), calls_by_made * (monotonic() - self.calling_since)

    def check_interruption(self) -> None:
        """Raise LoadInterrupted if the load in progress is to end."""
        if self.is_interrupted.is_set():
            raise LoadInterrupted


@dataclass(frozen=True, slots=True)
class PortfolioRun:
    """A run in progress; only its `state` changes."""

    run_id: str
    settings: Settings
    stores: Stores
    portfolio: Portfolio
    progress: ProgressListener
    repair: bool
    state: RunState
    prepared: PreparedCopy

    @property
    def caps(self) -> Caps:
        """The limits on what the run may spend."""
        budget = self.settings.budget
        return Caps(budget.run_kopecks, budget.day_kopecks, budget.month_kopecks, budget.keep_balance_kopecks)

    @property
    def has_calls(self) -> bool:
        """Whether there is anything to request from the service."""
        plan = self.state.plan
        return not plan.calls.is_empty() or (self.repair and plan.unrepaired.height > 0)
