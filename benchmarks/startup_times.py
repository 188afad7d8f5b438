"""What a user waits for: help, the demo, a run that finds all fresh, beside an empty Prefect flow.

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


def seconds(*words: str, home: str) -> float:
    """Wall-clock seconds of a process that must end well."""
    environment = {**os.environ, "INNSPECT_HOME": home, "PREFECT_HOME": f"{home}/prefect"}
    # Where a machine forbids it, every start would compile all of our modules anew, which no user's does.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = perf_counter()
    subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=True, capture_output=True)
    return perf_counter() - begun


def waits(rounds: int) -> list[str]:
    """Lines of a table: medians over the rounds."""
    run = ("-m", "innspect.cli.main", "run", str(SAMPLE), "--sandbox", "--budget", "1500")
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        with TemporaryDirectory() as home:
            # As the installation does.
            made = seconds("-m", "prefect", "server", "database", "upgrade", "--yes", home=home)
            taken.setdefault("Prefect's database, made by the installation", []).append(made)
            steps = {
                "`innspect --help`": ("-m", "innspect.cli.main", "--help"),
                "`make demo` after installation": run,
                "a run that finds all fresh, `--direct`": (*run, "--direct"),
                "a run that finds all fresh, with Prefect": run,
                "an empty Prefect flow on its temporary server": ("-c", EMPTY_FLOW),
            }
            for name, words in steps.items():
                taken.setdefault(name, []).append(seconds(*words, home=home))
    lines = ["| | seconds |", "|---|---|"]
    return lines + [f"| {name} | {statistics.median(each):.2f} |" for name, each in taken.items()]


if __name__ == "__main__":
    # Also where only what a user installs is there: the packages of the benchmarks make some imports slower.
    print("\n".join(waits(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
