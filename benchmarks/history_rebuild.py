"""`innspect rebuild` of full checks that are repeated every week, as a portfolio has them after months.

`python -m benchmarks.history_rebuild [INNS] [WEEKS]` prints seconds, CPU seconds and peak memory of a rebuild of the
first week alone, and of all; each is a process of its own. The sandbox changes a tenth of the blocks each week.
"""

import os
import sys
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.archives import write_archive
from benchmarks.memory import children_cpu_seconds, measure_process
from innspect.sandbox.options import DEFAULT_DAY


def rebuild(home: Path) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak MiB of a rebuild. Raises RuntimeError if it fails."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("INNSPECT_")}
    before = children_cpu_seconds()
    command = [sys.executable, "-m", "innspect.cli.main", "rebuild"]
    seconds, peak = measure_process(command, {**environ, "INNSPECT_HOME": str(home)}, home)
    return seconds, children_cpu_seconds() - before, peak


def compare(count: int, weeks: int) -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        json_bytes = 0
        print("| weeks | full checks | MB of JSON | seconds | CPU seconds | peak MiB |")
        print("|---:|---:|---:|---:|---:|---:|")
        for week in range(weeks):
            json_bytes = write_archive(home / "archive", count, DEFAULT_DAY - timedelta(weeks=weeks - 1 - week))
            if week in (0, weeks - 1):
                seconds, cpu, peak = rebuild(home)
                print(
                    f"| {week + 1} | {count * (week + 1):,} | {json_bytes / 1e6:,.0f} | {seconds:.0f} | {cpu:.0f} | "
                    f"{peak:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    compare(numbers[0] if numbers else 1_000, numbers[1] if len(numbers) > 1 else 12)
