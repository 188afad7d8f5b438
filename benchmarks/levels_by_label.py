"""Levels by the known label of the sandbox's companies: `python -m benchmarks.levels_by_label WAREHOUSE DAY [SEED]`.

The label is what the sandbox's world made of the company by that day. A company that is troubled, bankrupt or dead and
is called low is a false low. The judgement is made just after the newest answer, so that nothing is stale by waiting.
"""

import sys
from collections import Counter
from datetime import date
from pathlib import Path

import duckdb

from innspect.sandbox.world.company_profile import Profile
from innspect.schemas.states import Level

LABELS = ("clean", "troubled", "bankrupt", "dead")


def label(inn: str, day: date, seed: int = 0) -> str:
    """What the company is on a day: dead after its liquidation, bankrupt from the first stage on, troubled by kind."""
    profile, number = Profile(seed, inn), day.toordinal()
    if profile.status(number) == "liquidated":
        return "dead"
    if profile.insolvency and number >= profile.insolvency[0]:
        return "bankrupt"
    return "troubled" if profile.kind == "troubled" else "clean"


def count_levels(warehouse: Path, day: date, seed: int = 0) -> Counter[tuple[str, str]]:
    """Number of companies by label and level."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        connection.execute("SET VARIABLE assessed_at = (SELECT max(asked_at) + INTERVAL 1 HOUR FROM lineage.snapshots)")
        rows = connection.execute("SELECT inn, level FROM mart.risk_score").fetchall()
    return Counter((label(inn, day, seed), level) for inn, level in rows)


def main() -> None:
    """Print the table of labels and levels."""
    counts = count_levels(Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), *map(int, sys.argv[3:]))
    print("| label |", " | ".join(Level), "|")
    print("|---" * (len(Level) + 1) + "|")
    for name in LABELS:
        print(f"| {name} |", " | ".join(str(counts[name, level]) for level in Level), "|")


if __name__ == "__main__":
    main()
