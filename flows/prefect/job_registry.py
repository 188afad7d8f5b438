"""What flow and tasks of this process work on: they go to the workers of a cluster, jobs with their key must not.

A flow function that is sent takes along the globals that it names, but only the name of a module: hence this one.
"""

from typing import Any

import polars as pl

from innspect.flows.run_portfolio import Job

JOBS: dict[str, tuple[Job, Any]] = {}
"""Jobs by run, and the handlers of SIGTERM that they were started under."""
BATCHES: dict[tuple[str, int], tuple[Job, pl.DataFrame]] = {}
"""Batches that are about to be checked, by run and number."""
