"""Whether less evidence ever improves an assessment: companies, blocks and ways of being silent, drawn at random.

`python -m benchmarks.monotonic WAREHOUSE [PAIRS]` judges a copy of a warehouse. In each round one block of every INN
becomes silent in a drawn way; the judgement is compared with that of the full evidence, and the round is rolled back.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from shutil import copyfile
from tempfile import TemporaryDirectory

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.states import NO_EVIDENCE, RANKED_LEVELS, SnapshotState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import LATEST_TABLE

NEVER, STALE, NEVER_ANSWERED = "never requested", "stale", "never answered"
WAYS = (*map(str, NO_EVIDENCE), str(SnapshotState.PARTIAL), STALE, NEVER, NEVER_ANSWERED)
"""Silent after an answer, partial, stale; never requested; requested and never answered."""
RANK = f"list_position({[str(level) for level in RANKED_LEVELS]}, {{}})"
BROKEN = f"""
SELECT n.inn, d.block, d.way, o.level AS level_before, n.level, o.level_at_most AS at_most_before, n.level_at_most,
       o.score AS score_before, n.score,
       CASE WHEN {RANK.format("n.level_at_most")} < {RANK.format("o.level_at_most")} THEN 'level_at_most got better'
            WHEN n.score_at_most < o.score_at_most THEN 'score_at_most got lower'
            WHEN NOT d.forgets AND n.score < o.score THEN 'a known signal was lost'
            WHEN list_contains(n.unknown_blocks, d.block) AND n.level IN ('low', 'medium') THEN 'low without an answer'
            WHEN o.level = 'unknown' AND n.level IN ('low', 'medium') THEN 'unknown became known'
            WHEN o.level = 'critical' AND 'critical' NOT IN (n.level, n.level_at_most) THEN 'critical was lost'
            WHEN d.is_required AND d.way <> 'partial' AND NOT list_contains(n.unknown_blocks, d.block)
            THEN 'a required block counts as answered' END AS broken
FROM drawn d JOIN before o ON o.inn = d.inn JOIN after n ON n.inn = d.inn WHERE broken IS NOT NULL
"""
"""The property of docs/risk.md in SQL; `drawn` has the silent block of each INN."""


@dataclass(slots=True)
class Outcome:
    """Compared pairs, the pairs by way, and the rows of `BROKEN`."""

    pairs: int = 0
    ways: Counter[str] = field(default_factory=Counter[str])
    broken: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])


def compare_rounds(warehouse: Warehouse, pairs: int, seed: int = 1) -> Outcome:
    """Compare at least that many pairs of judgements on a DuckDB file; what is changed is rolled back."""
    chance, outcome = Random(seed), Outcome()
    connection = warehouse.connection
    # Just after the newest answer, so that the full evidence is fresh.
    connection.execute("SET VARIABLE assessed_at = (SELECT max(asked_at) + INTERVAL 1 HOUR FROM lineage.snapshots)")
    connection.execute("CREATE OR REPLACE TEMP TABLE before AS FROM mart.risk_score")
    while outcome.pairs < pairs:
        connection.execute("BEGIN")
        ways = _draw(warehouse, chance)
        outcome.pairs += len(ways)
        outcome.ways.update(ways)
        connection.execute("CREATE OR REPLACE TEMP TABLE after AS FROM mart.risk_score")
        outcome.broken += connection.execute(BROKEN).fetchall()
        connection.execute("ROLLBACK")
    return outcome


def _draw(warehouse: Warehouse, chance: Random) -> list[str]:
    """Make one block of each INN silent, inside the caller's transaction; the way of each."""
    connection = warehouse.connection
    blocks: dict[str, list[str]] = {}
    known = f"SELECT inn, block FROM {LATEST_TABLE} WHERE version_id IS NOT NULL ORDER BY ALL"
    for inn, block in connection.execute(known).fetchall():
        blocks.setdefault(inn, []).append(block)
    drawn = [(inn, chance.choice(names), chance.choice(WAYS)) for inn, names in blocks.items()]
    connection.execute("CREATE OR REPLACE TEMP TABLE drawn (inn VARCHAR, block VARCHAR, way VARCHAR)")
    values = ", ".join(f"('{inn}', '{block}', '{way}')" for inn, block, way in drawn)
    connection.execute(f"INSERT INTO drawn VALUES {values}")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE drawn AS SELECT d.*, d.way IN ('never requested', 'never answered') AS forgets, "
        "list_contains(from_json(p.policy::JSON->'required'->CASE length(d.inn) WHEN 10 THEN 'company' ELSE 'person' "
        "END, '[\"VARCHAR\"]'), d.block) AS is_required "
        "FROM drawn d JOIN mart.risk_score s ON s.inn = d.inn "
        "JOIN lineage.policies p ON p.policy_version = s.policy_version AND p.name = s.policy"
    )
    for statement in _silence():
        connection.execute(statement)
    return [way for _, _, way in drawn]


def _silence() -> Iterator[str]:
    """The statements that change snapshots and latest answers as if the drawn blocks had been silent."""
    old = "collected_at = collected_at - INTERVAL 4000 DAY"
    states = ", ".join(f"'{state}'" for state in (*NO_EVIDENCE, SnapshotState.PARTIAL))
    where = "FROM drawn d WHERE l.inn = d.inn AND l.block = d.block"
    yield f"UPDATE {LATEST_TABLE} l SET {old} {where} AND d.way = '{STALE}'"
    silent = "state = d.way, reason = 'drawn', snapshot_id = 'drawn'"
    yield f"UPDATE {LATEST_TABLE} l SET {silent} {where} AND d.way IN ({states})"
    yield (
        f"UPDATE {LATEST_TABLE} l SET state = '{SnapshotState.UNCONFIRMED}', reason = 'drawn', version_id = NULL, "
        f"evidence_id = NULL, checked_at = NULL, collected_at = NULL, source_date = NULL {where} "
        f"AND d.way = '{NEVER_ANSWERED}'"
    )
    yield f"DELETE FROM {LATEST_TABLE} l USING drawn d WHERE l.inn = d.inn AND l.block = d.block AND d.way = '{NEVER}'"
    for table in ("snapshots", "versions"):
        yield (
            f"DELETE FROM lineage.{table} l USING drawn d WHERE l.inn = d.inn AND l.block = d.block "
            f"AND d.way IN ('{NEVER}', '{NEVER_ANSWERED}')"
        )


def main() -> None:
    """Print the number of pairs by way, and each broken pair. The exit code is 1 if there is any."""
    path, pairs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copyfile(path, copy)
        with Warehouse(copy) as warehouse:
            outcome = compare_rounds(warehouse, pairs)
    print(f"{outcome.pairs} pairs, {len(outcome.broken)} broken; blocks: {len(BLOCKS)}")
    for way, count in sorted(outcome.ways.items()):
        print(f"  {way}: {count}")
    for row in outcome.broken[:50]:
        print("  broken:", row)
    sys.exit(1 if outcome.broken else 0)


if __name__ == "__main__":
    main()
