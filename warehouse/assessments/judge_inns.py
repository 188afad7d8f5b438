"""Judge some INNs by the current policies, as of one moment.

Whether an INN is linked to one of high risk depends on the own levels of INNs that share a director or founder with it.
These may be many more than the INNs that are judged together, so their own levels are judged first, in chunks too, and
kept.
"""

from collections.abc import Sequence

from innspect.warehouse.assessments.assessed_inns import (
    CHUNK,
    LEVELS,
    OTHERS,
    VERSIONS,
    AssessedRun,
    complete_others,
    find_others,
    known_blocks,
    list_others,
    of_chunk,
    prepare_chunk,
)
from innspect.warehouse.assessments.part_inputs import PartInputs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.signals import own_level_ctes, score_ctes

CHUNK_INNS = 2_000
"""INNs that are judged by one query: memory grows with them."""
JUDGED = "temp.judged_rows"
ASSESSED, ASSESSED_SIGNALS = "temp.assessed_now", "temp.assessed_signals"
"""Scores of the INNs that were judged last, with `own_high` (whether their own signals reach high), and their signals.

Both are views of `JUDGED`, because one statement creates one table. A list of the signals of each INN would take ten
times the memory.
"""
SIGNAL_COLUMNS = (
    "signal, title, title_ru, severity, weight, group_name, state, confirmed, reason, since, since_seen, "
    "evidence, facts, block, version_id, snapshot_id"
)

JUDGE = """
CREATE OR REPLACE TEMP TABLE judged_rows AS
WITH {scores}
SELECT s.*, o.is_high AS own_high FROM scores s LEFT JOIN own_levels o ON o.inn = s.inn
UNION ALL BY NAME SELECT inn, policy_version, {signal_columns} FROM signals
"""


def prepare_part(
    warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], inputs: PartInputs, *, is_latest: bool
) -> None:
    """Copy what `judge_chunk` reads about INNs, those of a part of `inputs`; after `find_sharing`.

    If it is too much, the own levels of the INNs that are linked to the part are judged before.
    """
    unknown = find_others(warehouse, inns)
    others = list_others(warehouse)
    if len(inns) + len(unknown) > inputs.max_inns:
        for start in range(0, len(unknown), inputs.max_inns):
            some = unknown[start : start + inputs.max_inns]
            inputs.copy(some, [])
            _judge_own_levels(warehouse, run, some, inputs, is_latest=is_latest)
        unknown = []
    inputs.copy([*inns, *unknown], others)


def _judge_own_levels(
    warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], inputs: PartInputs, *, is_latest: bool
) -> None:
    """Add the own levels of INNs to `LEVELS`."""
    for start in range(0, len(inns), CHUNK_INNS):
        prepare_chunk(warehouse, run, inns[start : start + CHUNK_INNS], inputs, is_latest=is_latest)
        levels = own_level_ctes(known_blocks(run), VERSIONS)
        query = (
            f"INSERT INTO {LEVELS} WITH {levels} "
            f"SELECT c.inn, o.is_high FROM {CHUNK} c LEFT JOIN own_levels o ON o.inn = c.inn"
        )
        warehouse.connection.execute(of_chunk(query, inputs))
        inputs.commit()


def judge_chunk(
    warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], inputs: PartInputs, *, is_latest: bool
) -> None:
    """Put the judgement of INNs into `ASSESSED` and `ASSESSED_SIGNALS`, from what was known at the moment of a run.

    `find_sharing` comes before, and `prepare_part` for INNs of which these are some.
    """
    _judge_own_levels(warehouse, run, find_others(warehouse, inns), inputs, is_latest=is_latest)
    complete_others(warehouse, run, inputs, is_latest=is_latest)
    prepare_chunk(warehouse, run, inns, inputs, is_latest=is_latest)
    scores = score_ctes(known_blocks(run), VERSIONS, others=OTHERS)
    judge = JUDGE.replace("{scores}", scores).replace("{signal_columns}", SIGNAL_COLUMNS)
    warehouse.connection.execute(of_chunk(judge, inputs).strip())
    for view, columns, kind in (
        (ASSESSED, f"* EXCLUDE ({SIGNAL_COLUMNS})", "IS NULL"),
        (ASSESSED_SIGNALS, f"inn, policy_version, {SIGNAL_COLUMNS}", "IS NOT NULL"),
    ):
        name = view.removeprefix("temp.")
        warehouse.connection.execute(
            f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT {columns} FROM {JUDGED} WHERE signal {kind}"
        )
    warehouse.connection.execute(
        f"INSERT INTO {LEVELS} SELECT inn, own_high FROM {ASSESSED} ANTI JOIN {LEVELS} USING (inn)"
    )
