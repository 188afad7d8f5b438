"""Wall-clock seconds of commands: help, the demo, a run without stale blocks; an empty Prefect flow for comparison.

`python -m benchmarks.startup_times [ROUNDS]`.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

ROOT = Path(__file__).parents[1]
EMPTY_FLOW = "from innspect.flows.prefect.run_flow import flow\n@flow\ndef empty():\n    pass\nempty()\n"
SAMPLE = ROOT / "configs" / "portfolios" / "sample.csv"


def run_seconds(*words: str, home: str) -> float:
    """Wall-clock seconds of a process that must succeed."""
    environment = {**os.environ, "INNSPECT_HOME": home, "PREFECT_HOME": f"{home}/prefect"}
    # With it every start compiles all modules of innspect again, which an installation does not.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = perf_counter()
    subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=True, capture_output=True)
    return perf_counter() - start


def measure_startup_times(rounds: int) -> list[str]:
    """Lines of a table: medians over the rounds."""
    run = ("-m", "innspect.cli.main", "run", str(SAMPLE), "--sandbox", "--budget", "1500")
    seconds: dict[str, list[float]] = {}
    for _ in range(rounds):
        with TemporaryDirectory() as home:
            # As the first flow on a temporary server does.
            created = run_seconds("-m", "prefect", "server", "database", "upgrade", "--yes", home=home)
            seconds.setdefault("Prefect's database, created by the first flow", []).append(created)
            steps = {
                "`innspect --help`": ("-m", "innspect.cli.main", "--help"),
                "`make demo` after installation": run,
                "a run without stale blocks": run,
                "a run without stale blocks, `--prefect`": (*run, "--prefect"),
                "an empty Prefect flow on its temporary server": ("-c", EMPTY_FLOW),
            }
            for name, words in steps.items():
                seconds.setdefault(name, []).append(run_seconds(*words, home=home))
    lines = ["| | seconds |", "|---|---|"]
    return lines + [f"| {name} | {statistics.median(each):.2f} |" for name, each in seconds.items()]


if __name__ == "__main__":
    # Works with the requirements of a user alone: the packages of the benchmarks make some imports slower.
    print("\n".join(measure_startup_times(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
