"""Levels by the known label of the sandbox's companies: `python -m benchmarks.levels_by_label WAREHOUSE DAY [SEED]`.

The label is what is true of the company by that day. A company with another label than clean that is called low is a
false low. The judgement is made just after the newest answer, so that nothing is stale by waiting.
"""

import sys
from collections import Counter
from datetime import date
from pathlib import Path

import duckdb

from innspect.sandbox.world.labels import Label, label
from innspect.schemas.states import Level


def count_levels(warehouse: Path, day: date, seed: int = 0) -> Counter[tuple[str, str]]:
    """Number of companies by label and level."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        connection.execute("SET VARIABLE assessed_at = (SELECT max(asked_at) + INTERVAL 1 HOUR FROM lineage.snapshots)")
        rows = connection.execute("SELECT inn, level FROM mart.risk_score").fetchall()
    return Counter((label(inn, seed, day), level) for inn, level in rows)


def main() -> None:
    """Print the table of labels and levels."""
    counts = count_levels(Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), *map(int, sys.argv[3:]))
    print("| label |", " | ".join(Level), "|")
    print("|---" * (len(Level) + 1) + "|")
    for name in reversed(Label):
        print(f"| {name} |", " | ".join(str(counts[name, level]) for level in Level), "|")


if __name__ == "__main__":
    main()
