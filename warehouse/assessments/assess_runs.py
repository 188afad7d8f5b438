"""Assess each run: risk of the INNs that it brought news of, and the changes since the run before.

`lineage.assessments` and `lineage.signal_changes` are derived from snapshots, versions, members and the current
policies. They are the same after a rebuild, and are computed again for the runs whose basis is no longer the same.
"""

from collections.abc import Callable, Sequence

from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.warehouse.assessments.assessed_inns import (
    ASSESSED_RUNS_TABLE,
    CHUNK,
    AssessedRun,
    drop_temporary_tables,
    find_linked,
    find_news,
    find_runs,
    find_sharing,
    is_before,
    is_judged_otherwise,
)
from innspect.warehouse.assessments.judge_inns import (
    ASSESSED,
    ASSESSED_SIGNALS,
    CHUNK_INNS,
    JUDGED,
    judge_chunk,
    prepare_part,
)
from innspect.warehouse.assessments.part_inputs import PartInputs
from innspect.warehouse.assessments.store_risk import CHUNKS_AT_ONCE, can_store, read_stored_levels, store_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import literal
from innspect.warehouse.marts.fragments import fill_states

EARLIER = "temp.assessed_before"

FIND_EARLIER = """
CREATE OR REPLACE TEMP TABLE assessed_before AS
SELECT inn, level, states::MAP(VARCHAR, VARCHAR) AS states, facts::MAP(VARCHAR, VARCHAR[]) AS facts
FROM lineage.assessments SEMI JOIN {chunk} USING (inn) WHERE {is_before}
QUALIFY row_number() OVER (PARTITION BY inn ORDER BY assessed_at DESC, run_id DESC) = 1
"""
STEPS = """
WITH earlier_states AS (
    SELECT inn, unnest(map_keys(states)) AS signal, unnest(map_values(states)) AS state FROM {earlier}
),
earlier_facts AS (SELECT inn, unnest(map_keys(facts)) AS signal, unnest(map_values(facts)) AS facts FROM {earlier}),
steps AS (
    SELECT a.*, CASE WHEN e.inn IS NOT NULL THEN coalesce(s.state, {signal.absent}) END AS from_state,
           coalesce(f.facts, []) AS earlier,
           list_filter(coalesce(a.facts, []), lambda fact: NOT list_contains(coalesce(f.facts, []), fact)) AS added
    FROM {assessed_signals} a LEFT JOIN {earlier} e ON e.inn = a.inn
    LEFT JOIN earlier_states s ON s.inn = a.inn AND s.signal = a.signal
    LEFT JOIN earlier_facts f ON f.inn = a.inn AND f.signal = a.signal
)"""
"""The signals of `CHUNK`, with what was known of each at the assessment before.

It is joined by INN and signal: with the maps of the INN each signal would carry the states of all others.
"""
INSERT_CHANGES = """
INSERT INTO lineage.signal_changes
       (run_id, inn, signal, from_state, to_state, severity, evidence, snapshot_id, policy_version, assessed_at)
{steps},
changes AS (
    SELECT inn, signal, from_state, state AS to_state, severity, weight,
           CASE WHEN state <> {signal.present} THEN NULL
                WHEN from_state = {signal.present} THEN 'new: ' || array_to_string(added, ', ')
                ELSE evidence END AS evidence,
           snapshot_id, policy_version
    FROM steps
    WHERE CASE WHEN from_state IS NULL THEN state = {signal.present}
               ELSE state <> from_state OR (state = {signal.present} AND len(added) > 0) END
),
appeared AS (
    SELECT inn, string_agg(signal, ', ' ORDER BY weight DESC, signal) AS signals,
           arg_max(snapshot_id, (weight, snapshot_id)) AS snapshot_id
    FROM changes WHERE to_state = {signal.present} AND from_state IS DISTINCT FROM {signal.present} GROUP BY inn
)
SELECT {run_id}, inn, signal, from_state, to_state, severity, evidence, snapshot_id, policy_version, {moment}
FROM changes
UNION ALL
SELECT {run_id}, n.inn, {level_signal}, e.level, n.level,
       CASE WHEN list_position({ranked_levels}, n.level) > nullif(list_position({ranked_levels}, e.level), 0)
            THEN CASE WHEN n.level IN {severe_levels} THEN {alert} ELSE {notice} END ELSE {info} END,
       a.signals, a.snapshot_id, n.policy_version, {moment}
FROM {assessed} n LEFT JOIN {earlier} e ON e.inn = n.inn LEFT JOIN appeared a ON a.inn = n.inn
WHERE e.level IS DISTINCT FROM n.level
ORDER BY 2, 3
"""
INSERT_ASSESSMENTS = """
INSERT INTO lineage.assessments
       (run_id, inn, assessed_at, level, level_known, level_at_most, score, score_at_most, unknown_blocks,
        stale_blocks, states, facts, own_high, policy_version)
{steps},
listed AS (
    -- Sorted afterwards: an aggregate with an order of its own takes several times the memory.
    SELECT inn, list_sort(list((signal, state)) FILTER (state <> {signal.absent})) AS states,
           list_sort(list((signal, list_sort(list_distinct(list_concat(coalesce(facts, []), earlier)))))
                     FILTER (state = {signal.present} AND (len(facts) > 0 OR len(earlier) > 0))) AS facts
    FROM steps GROUP BY inn
)
SELECT {run_id}, n.inn, {moment}, n.level, n.level_known, n.level_at_most, n.score, n.score_at_most,
       to_json(n.unknown_blocks), to_json(n.stale_blocks), to_json(map_from_entries(coalesce(l.states, []))),
       to_json(map_from_entries(coalesce(l.facts, []))), n.own_high, n.policy_version
FROM {assessed} n JOIN listed l ON l.inn = n.inn ORDER BY n.inn
"""


def assess_runs(warehouse: Warehouse, commit: Callable[[], None] = lambda: None) -> int:
    """Assess the runs that were not assessed from what is known now; their number. Inside the caller's transaction.

    `commit` is called after some thousand INNs and may begin another transaction, where nobody reads meanwhile: until
    then the temporary tables of all INNs before take memory.
    """
    runs, stale = find_stale_runs(warehouse)
    for run in stale:
        _delete_run(warehouse, run)
    with warehouse.single_thread():
        for run in stale:
            _assess_run(warehouse, run, commit, is_latest=run is runs[-1])
    if stale:
        drop_temporary_tables(warehouse, JUDGED, EARLIER)
    return len(stale)


def find_stale_runs(warehouse: Warehouse) -> tuple[list[AssessedRun], list[AssessedRun]]:
    """All runs, and those that were not assessed from what is known now, or by another policy."""
    runs, stale = find_runs(warehouse)
    return runs, runs if is_judged_otherwise(warehouse) else stale


def _delete_run(warehouse: Warehouse, run: AssessedRun) -> None:
    for table in ("lineage.assessments", "lineage.signal_changes", ASSESSED_RUNS_TABLE):
        warehouse.connection.execute(f"DELETE FROM {table} WHERE run_id = $run_id", {"run_id": run.run_id})


def _assess_run(warehouse: Warehouse, run: AssessedRun, commit: Callable[[], None], *, is_latest: bool) -> None:
    """Assess the INNs of which the run brought news, then those whose links changed thereby."""
    news = find_news(warehouse, run, is_latest=is_latest)
    if news:
        find_sharing(warehouse, run, news, steps=2)
        if is_latest and can_store(warehouse, run):
            # Two steps: INNs that are linked to one with news may be judged too.
            read_stored_levels(warehouse, run, news, steps=2)
        _assess_inns(warehouse, run, news, commit, is_latest=is_latest)
        _assess_inns(warehouse, run, find_linked(warehouse, run), commit, is_latest=is_latest)
    warehouse.connection.execute(
        f"INSERT INTO {ASSESSED_RUNS_TABLE} VALUES (?, ?, ?, ?)", [run.run_id, run.moment, run.attempts, run.members]
    )


def _assess_inns(
    warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], commit: Callable[[], None], *, is_latest: bool
) -> None:
    stores = is_latest and can_store(warehouse, run)
    inputs = PartInputs(warehouse, commit)
    for part in inputs.split(inns):
        prepare_part(warehouse, run, part, inputs, is_latest=is_latest)
        for start in range(0, len(part), CHUNK_INNS):
            judge_chunk(warehouse, run, part[start : start + CHUNK_INNS], inputs, is_latest=is_latest)
            for statement in _statements(run):
                warehouse.connection.execute(statement)
            if stores:
                store_risk(warehouse, run, inputs)
            if start // CHUNK_INNS % CHUNKS_AT_ONCE == CHUNKS_AT_ONCE - 1:
                commit()
    inputs.drop()


def _statements(run: AssessedRun) -> list[str]:
    """The statements that store the assessment of `CHUNK`, and the changes since the one before."""
    words = {
        "{steps}": STEPS.strip(),
        "{chunk}": CHUNK,
        "{is_before}": is_before(run),
        "{assessed}": ASSESSED,
        "{assessed_signals}": ASSESSED_SIGNALS,
        "{earlier}": EARLIER,
        "{run_id}": literal(run.run_id),
        "{moment}": run.at,
        "{alert}": literal(ALERT),
        "{notice}": literal(NOTICE),
        "{info}": literal(INFO),
    }
    statements = [FIND_EARLIER, INSERT_CHANGES, INSERT_ASSESSMENTS]
    for word, sql in words.items():
        statements = [statement.replace(word, sql) for statement in statements]
    return [fill_states(statement).strip() for statement in statements]
