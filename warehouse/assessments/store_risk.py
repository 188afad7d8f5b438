"""Keep the stored risk of INNs: after a run for those that it assessed, and later for those whose risk has turned.

`lineage._risk_scores` and `lineage._risk_signals` have what the marts show, see `warehouse.risk.stored_risk`.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime

from innspect.warehouse.assessments.assessed_inns import (
    CHUNK,
    LEVELS,
    MEMBERS_TABLE,
    SHARED,
    AssessedRun,
    drop_temporary_tables,
    find_sharing,
    of_chunk,
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
from innspect.warehouse.assessments.risk_news import checks_everything, has_news, note_check
from innspect.warehouse.assessments.turning_days import turning_days_query
from innspect.warehouse.database import Warehouse, next_load
from innspect.warehouse.ddl import RISK_SCORE_TYPES, RISK_SIGNAL_TYPES
from innspect.warehouse.latest import LATEST_TABLE
from innspect.warehouse.load.replace import assess_in_bounds
from innspect.warehouse.marts.fragments import fill_states
from innspect.warehouse.risk.policy_sql import policy_ctes
from innspect.warehouse.risk.signals import NOW
from innspect.warehouse.risk.stored_risk import (
    KNOWN_INNS,
    OUTDATED,
    RISK_NEWS_TABLE,
    SCORES_TABLE,
    SIGNALS_TABLE,
    basis_ctes,
    linked_inns,
    outdated_cte,
    turned_condition,
)

NEW_SCORES = "temp.risk_scores_now"
"""Rows of `SCORES_TABLE` for the INNs that are stored together."""
LINKED_INNS = "temp.risk_linked_inns"
"""INNs whose stored own levels are read."""
CHECKED, CHECKED_MEMBERS, CHECKED_LATEST = "temp.risk_checked", "temp.risk_checked_members", "temp.risk_checked_latest"
"""INNs whose stored risk is checked, their memberships and their latest responses."""
KEPT_COLUMNS = ("load_no", "judged_at", "valid_until", "basis_until", "basis", "card")
"""Columns of `SCORES_TABLE` that an assessment does not have."""
CHUNKS_AT_ONCE = 2
"""Chunks that are stored in one transaction."""


def refresh_risk(warehouse: Warehouse, commit: Callable[[], None] | None = None) -> datetime | None:
    """Judge all INNs again whose stored risk is no longer valid; the moment, UTC, at which all of it is valid.

    None if some is not valid even so, and for a lake, which stores none. An INN is judged with those that are linked to
    it, some thousand INNs in one transaction. With `commit` that of the caller, which it ends to begin another one.
    """
    return assess_in_bounds(warehouse, lambda: _refresh(warehouse, commit), commit)


def _refresh(warehouse: Warehouse, commit: Callable[[], None] | None) -> datetime | None:
    moment: datetime = warehouse.query(f"SELECT {NOW} AS moment")["moment"].item()
    run = AssessedRun("", moment, is_now=True)
    if warehouse.is_shared:
        return None
    inns = find_outdated(warehouse, run)
    if inns:
        find_sharing(warehouse, run, inns)
        read_stored_levels(warehouse, run, inns)
        inputs = PartInputs(warehouse, commit)
        for part in inputs.split(inns):
            prepare_part(warehouse, run, part, inputs, is_latest=True)
            _store_part(warehouse, run, part, inputs, commit)
        inputs.drop()
    is_valid = not inns or not _has_outdated(warehouse, run, inns)
    if is_valid:
        _complete_check(warehouse, run, commit)
    drop_temporary_tables(warehouse, JUDGED, NEW_SCORES, CHECKED, CHECKED_MEMBERS, CHECKED_LATEST)
    return moment if is_valid else None


def _store_part(
    warehouse: Warehouse, run: AssessedRun, part: Sequence[str], inputs: PartInputs, commit: Callable[[], None] | None
) -> None:
    for start in range(0, len(part), CHUNK_INNS * CHUNKS_AT_ONCE):
        chunks = part[start : start + CHUNK_INNS * CHUNKS_AT_ONCE]
        with nullcontext() if commit is not None else warehouse.transaction():
            for first in range(0, len(chunks), CHUNK_INNS):
                judge_chunk(warehouse, run, chunks[first : first + CHUNK_INNS], inputs, is_latest=True)
                store_risk(warehouse, run, inputs)
        if commit is not None:
            commit()


def find_outdated(warehouse: Warehouse, run: AssessedRun) -> list[str]:
    """The INNs whose stored risk is not valid at the moment, and those linked to them.

    Checked are those with news, and those whose row says that it may no longer be valid; or all. Puts the checked INNs
    into `CHECKED`, with the bases of their risk.
    """
    _check_bases(warehouse, run)
    outdated = outdated_cte(run.at).replace("FROM bases", f"FROM {CHECKED}")
    if warehouse.connection.execute(f"WITH {outdated} SELECT 1 FROM {OUTDATED} LIMIT 1").fetchone() is None:
        return []
    return warehouse.query(f"WITH {outdated} SELECT inn FROM ({linked_inns(OUTDATED)}) ORDER BY inn")["inn"].to_list()


def _check_bases(warehouse: Warehouse, run: AssessedRun) -> None:
    """Put the INNs that have to be checked into `CHECKED`, with `basis` and `basis_until` at the moment."""
    connection = warehouse.connection
    if checks_everything(warehouse, run.at):
        query = basis_ctes(run.at, KNOWN_INNS, has_until=True)
    else:
        connection.execute(
            f"""
            CREATE OR REPLACE TEMP TABLE {_name(CHECKED)} AS
            SELECT inn FROM {RISK_NEWS_TABLE} UNION SELECT inn FROM {SCORES_TABLE}
            WHERE {turned_condition(run.at)}
            """
        )
        for table, copy in ((MEMBERS_TABLE, CHECKED_MEMBERS), (LATEST_TABLE, CHECKED_LATEST)):
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {_name(copy)} AS FROM {table} SEMI JOIN {CHECKED} USING (inn)"
            )
        # Only INNs of which something is known: of an erased one nothing is.
        inns = f"FROM {CHECKED} SEMI JOIN ({KNOWN_INNS}) USING (inn)"
        query = basis_ctes(run.at, inns, has_until=True)
        query = query.replace(MEMBERS_TABLE, CHECKED_MEMBERS).replace(LATEST_TABLE, CHECKED_LATEST)
    connection.execute(
        fill_states(
            f"CREATE OR REPLACE TEMP TABLE {_name(CHECKED)} AS WITH {policy_ctes()},\n{query}\n"
            "SELECT inn, basis, basis_until FROM bases"
        )
    )


def _complete_check(warehouse: Warehouse, run: AssessedRun, commit: Callable[[], None] | None) -> None:
    """Store until when the bases of the checked INNs stay the same, and that all rows are valid; if it differs."""
    renewed = f"""
        FROM {CHECKED} c WHERE c.inn = r.inn AND c.basis = r.basis
             AND (c.basis_until < coalesce(r.basis_until, 'infinity') OR r.basis_until <= {run.at})
    """
    is_renewed = f"SELECT 1 FROM {SCORES_TABLE} r SEMI JOIN {CHECKED} USING (inn) WHERE EXISTS ({renewed}) LIMIT 1"
    if (
        not has_news(warehouse)
        and not checks_everything(warehouse, run.at)
        and warehouse.connection.execute(is_renewed).fetchone() is None
    ):
        return
    with nullcontext() if commit is not None else warehouse.transaction():
        warehouse.connection.execute(f"UPDATE {SCORES_TABLE} r SET basis_until = c.basis_until {renewed}")
        note_check(warehouse, run.moment)
    if commit is not None:
        commit()


def _has_outdated(warehouse: Warehouse, run: AssessedRun, judged: Sequence[str]) -> bool:
    """Whether the stored risk of an INN is not valid after some were judged; all others were valid at this moment.

    Judging may have revoked the rows of other INNs.
    """
    inns = f"SELECT unnest($judged::VARCHAR[]) AS inn UNION SELECT inn FROM {SCORES_TABLE} WHERE basis IS NULL"
    query = fill_states(
        f"WITH {policy_ctes()},\n{basis_ctes(run.at, inns)},\n{outdated_cte(run.at)}\nSELECT 1 FROM {OUTDATED} LIMIT 1"
    )
    return warehouse.connection.execute(query, {"judged": list(judged)}).fetchone() is not None


def can_store(warehouse: Warehouse, run: AssessedRun) -> bool:
    """Whether no INN was judged later than at the moment of a run; a lake stores no risk.

    Evidence may have become stale in between: a row judged as of then could contradict the rows of linked INNs.
    """
    if warehouse.is_shared:
        return False
    later = f"SELECT 1 FROM {SCORES_TABLE} WHERE judged_at > {run.at} LIMIT 1"
    return warehouse.connection.execute(later).fetchone() is None


def read_stored_levels(warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], steps: int = 1) -> None:
    """Fill `LEVELS` with stored own levels that are valid at the moment of a run; after `find_sharing`.

    Only those of INNs that are linked to one of `inns`, in at most this number of steps.
    """
    linked = "SELECT unnest($inns::VARCHAR[]) AS inn"
    for _ in range(steps):
        items = f"SELECT item_inn FROM {SHARED} SEMI JOIN ({linked}) USING (inn)"
        linked = f"SELECT DISTINCT inn FROM {SHARED} SEMI JOIN ({items}) USING (item_inn)"
    warehouse.connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {LINKED_INNS.removeprefix('temp.')} AS {linked}", {"inns": list(inns)}
    )
    of_linked = f"SELECT inn FROM {LINKED_INNS}"
    query = f"WITH {policy_ctes()},\n{basis_ctes(run.at, of_linked)},\n{outdated_cte(run.at)}"
    valid = (
        f"SELECT inn, own_high FROM {SCORES_TABLE} SEMI JOIN {LINKED_INNS} USING (inn) ANTI JOIN {OUTDATED} USING (inn)"
    )
    warehouse.connection.execute(fill_states(f"INSERT INTO {LEVELS} {query}\n{valid}"))
    warehouse.connection.execute(f"DROP TABLE {LINKED_INNS}")


def store_risk(warehouse: Warehouse, run: AssessedRun, inputs: PartInputs) -> None:
    """Replace the stored risk of the INNs of `CHUNK` by what `ASSESSED` has.

    Rows of INNs that are linked to one whose own level or card differs from the stored one are no longer valid, except
    those that were judged together with it.
    """
    connection = warehouse.connection
    attempts = f"SELECT * FROM ({run.attempts_until}) SEMI JOIN {CHUNK} USING (inn)"
    # A refresh has a moment of its own, but several transactions; an assessment is one, and may repeat a moment.
    is_of_this_judgement = f"judged_at = {run.at}" if run.is_now else f"load_no = {next_load()}"
    scores = ", ".join(f"a.{name}" for name in RISK_SCORE_TYPES if name not in KEPT_COLUMNS)
    columns = ", ".join(RISK_SCORE_TYPES)
    connection.execute(
        of_chunk(
            f"""
            CREATE OR REPLACE TEMP TABLE {NEW_SCORES.removeprefix("temp.")} AS
            WITH {policy_ctes()},
            {basis_ctes(run.at, f"SELECT inn FROM {CHUNK}", attempts, has_until=True)},
            turning AS ({turning_days_query(f"(SELECT inn, policy_version FROM {ASSESSED})", f"{run.at}::DATE")})
            SELECT {scores}, {next_load()} AS load_no, {run.at} AS judged_at, t.valid_until, b.basis_until, b.basis,
                   b.card
            FROM {ASSESSED} a JOIN bases b ON b.inn = a.inn LEFT JOIN turning t ON t.inn = a.inn
            """,
            inputs,
        )
    )
    has_stored = connection.execute(f"SELECT 1 FROM {SCORES_TABLE} SEMI JOIN {CHUNK} USING (inn) LIMIT 1").fetchone()
    connection.execute(
        f"""
        UPDATE {SCORES_TABLE} SET basis = NULL WHERE NOT ({is_of_this_judgement}) AND inn IN (
            SELECT other.inn FROM {SHARED} one
            SEMI JOIN (
                SELECT n.inn FROM {NEW_SCORES} n LEFT JOIN {SCORES_TABLE} o ON o.inn = n.inn
                WHERE n.own_high IS DISTINCT FROM CASE WHEN o.inn IS NULL THEN false ELSE o.own_high END
                      OR (n.card IS DISTINCT FROM o.card AND (n.own_high IS DISTINCT FROM false
                          OR CASE WHEN o.inn IS NULL THEN false ELSE o.own_high END IS DISTINCT FROM false))
            ) moved ON moved.inn = one.inn
            JOIN {SHARED} other ON other.item_inn = one.item_inn)
        """
    )
    for table in (SIGNALS_TABLE, SCORES_TABLE) if has_stored else ():
        connection.execute(f"DELETE FROM {table} WHERE inn IN (SELECT inn FROM {CHUNK})")
    connection.execute(f"INSERT INTO {SCORES_TABLE} ({columns}) SELECT {columns} FROM {NEW_SCORES} ORDER BY inn")
    signals = ", ".join(RISK_SIGNAL_TYPES)
    connection.execute(
        f"INSERT INTO {SIGNALS_TABLE} ({signals}) SELECT {signals} FROM {ASSESSED_SIGNALS} "
        "ORDER BY inn, weight DESC, signal"
    )


def _name(table: str) -> str:
    """A temporary table's name for `CREATE TEMP TABLE`."""
    return table.removeprefix("temp.")
