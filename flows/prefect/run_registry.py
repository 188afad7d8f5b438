"""Objects of this process that flows and tasks look up by id, since Prefect stores parameters and must not store a key.

Prefect with Dask pickles a flow function with the globals that it names, but of a module only the name: therefore these
globals have a module of their own, and no API key reaches a worker.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from innspect.flows.run_state import PortfolioRun

RUNS: dict[str, tuple[PortfolioRun, Any]] = {}
"""By run id: the run, and the handler of SIGTERM before Prefect replaced it."""
BATCHES: dict[tuple[str, int], Callable[[], Awaitable[None]]] = {}
"""By run id and number of the batch: the function that runs the batch."""
