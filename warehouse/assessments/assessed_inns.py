"""What a run has to assess: the runs, the INNs that a run brought news of, and what was known of them at its end.

A run is assessed at one moment, that of its latest request, from everything that was requested up to then. So the
result does not depend on when or in which order responses were loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from innspect.warehouse.assessments.part_inputs import PartInputs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import ASSESSED_RUNS, identifier, literal
from innspect.warehouse.latest import LATEST_TABLE, UNANSWERED_TABLE, latest_attempts, latest_query
from innspect.warehouse.marts.fragments import block_states_of, fill_states
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE, inn_policies, policy_ctes
from innspect.warehouse.risk.signals import IS_STALE, list_persons

ASSESSED_RUNS_TABLE = f"lineage.{identifier(ASSESSED_RUNS)}"
NEWS, LINKED = "temp.assessed_news", "temp.assessed_linked"
"""INNs of which a run brought news (`has_other_card`: another card), and INNs whose links may have changed thereby."""
CHUNK = "temp.assessed_chunk"
"""INNs that are assessed together."""
SHARED = "temp.assessed_shared"
"""Pairs (inn, item_inn) of INNs and their directors or founders, of all versions up to the moment; of members with
themselves."""
LEVELS = "temp.assessed_levels"
"""INNs of `SHARED` whose own level is known at the moment: `inn`, `is_high`."""
OTHERS = "temp.assessed_others"
"""INNs outside of `CHUNK` that are linked to one of it, as `signal_ctes` reads them."""
MAX_FEW_INNS = 10_000
"""INNs up to which only their own directors and founders are compared; for more INNs, those of all."""
NEAR, ITEMS = "temp.assessed_near_inns", "temp.assessed_near_items"
"""INNs whose directors and founders are needed, and these."""
RESPONSES, VERSIONS = "temp.assessed_responses", "temp.assessed_versions"
"""Latest responses and versions of the chunk, up to the moment."""
MEMBERS_TABLE, MEMBERS = "lineage.portfolio_members", "temp.assessed_members"
"""The members of all portfolios, and those of them that are in `CHUNK` or `OTHERS`."""


@dataclass(frozen=True, slots=True)
class AssessedRun:
    """A run, and what its assessment rests on: moment, number of attempts of all runs begun by then, and of members.

    `is_now`: no run, but everything that is loaded, also what another clock dates later than the moment.
    """

    run_id: str
    moment: datetime
    attempts: int = 0
    members: int = 0
    is_now: bool = False

    @property
    def at(self) -> str:
        """The moment as an SQL literal."""
        return f"TIMESTAMP '{self.moment.isoformat(' ')}'"

    @property
    def attempts_until(self) -> str:
        """SQL of the latest attempt of each INN and block of `CHUNK`, as `latest_attempts`."""
        return latest_attempts(RESPONSES, "" if self.is_now else self.at)


def find_runs(warehouse: Warehouse) -> tuple[list[AssessedRun], list[AssessedRun]]:
    """All runs in the order of their moments, and those that were not assessed from what is known now.

    If a run has to be assessed again, so has every later one.
    """
    rows = warehouse.connection.execute(
        f"""
        WITH attempts AS (
            SELECT run_id, asked_at FROM lineage.snapshots
            UNION ALL SELECT run_id, reserved_at FROM {UNANSWERED_TABLE}
        ),
        runs AS (
            SELECT run_id, min(asked_at) AS begun, max(asked_at) AS moment, count(*) AS attempts
            FROM attempts GROUP BY run_id
        ),
        bases AS (
            SELECT r.run_id, r.moment,
                   (SELECT sum(e.attempts)::BIGINT FROM runs e WHERE e.begun <= r.moment) AS attempts,
                   (SELECT count(*) FROM lineage.portfolio_members m WHERE m.first_seen_at <= r.moment) AS members
            FROM runs r
        )
        SELECT b.*, a.run_id IS NOT NULL AS is_known
        FROM bases b LEFT JOIN {ASSESSED_RUNS_TABLE} a ON a.run_id = b.run_id AND a.assessed_at = b.moment
             AND a.attempts = b.attempts AND a.members = b.members
        ORDER BY b.moment, b.run_id
        """
    ).fetchall()
    runs = [AssessedRun(*row[:-1]) for row in rows]
    first = next((number for number, row in enumerate(rows) if not row[-1]), len(rows))
    return runs, runs[first:]


def is_judged_otherwise(warehouse: Warehouse) -> bool:
    """Whether an INN was assessed by another policy than the current one."""
    versions = warehouse.connection.execute(
        f"SELECT policy_version FROM {POLICIES_TABLE} WHERE position IS NOT NULL"
    ).fetchall()
    if len(versions) == 1:
        # It judges all INNs, whatever portfolio they are in.
        query = "SELECT 1 FROM lineage.assessments WHERE policy_version <> $version LIMIT 1"
        return warehouse.connection.execute(query, {"version": versions[0][0]}).fetchone() is not None
    query = f"""
        WITH {inn_policies()},
        judges AS (
            SELECT policy_version, position, position = max(position) OVER () AS is_default
            FROM {POLICIES_TABLE} WHERE position IS NOT NULL
        )
        SELECT 1 FROM lineage.assessments a LEFT JOIN inn_policies i ON i.inn = a.inn
        JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
        WHERE a.policy_version <> j.policy_version LIMIT 1
    """
    return warehouse.connection.execute(query).fetchone() is not None


def find_news(warehouse: Warehouse, run: AssessedRun, *, is_latest: bool) -> list[str]:
    """Put the INNs of which a run brought news into `NEWS`; these INNs.

    News is a first response, another state or reason, another version, a call without a response, or evidence that has
    become stale, or is no longer, since the assessment before.
    """
    of_run = " SEMI JOIN (SELECT inn FROM own) USING (inn)"
    responses = f"FROM {LATEST_TABLE}{of_run}" if is_latest else latest_query(f"{of_run} WHERE asked_at <= {run.at}")
    warehouse.connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE {_name(NEWS)} AS
        WITH {policy_ctes()},
        own AS MATERIALIZED (
            SELECT inn, block, {{'state': state, 'reason': reason, 'version_id': version_id}} AS content
            FROM lineage.snapshots WHERE run_id = $run_id
        ),
        earlier AS (
            SELECT s.inn, s.block, max({{'asked_at': s.asked_at, 'snapshot_id': s.snapshot_id, 'state': s.state,
                   'reason': s.reason, 'version_id': s.version_id}}) AS last
            FROM lineage.snapshots s SEMI JOIN own USING (inn, block)
            WHERE s.run_id <> $run_id AND s.asked_at <= {run.at} GROUP BY s.inn, s.block
        ),
        ages AS (
            SELECT k.inn, coalesce(list(k.block ORDER BY b.block_no) FILTER ({IS_STALE}), []) AS stale_blocks
            FROM (SELECT *, {run.at} AS moment FROM ({responses})) k LEFT JOIN inn_policies i ON i.inn = k.inn
            JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
            JOIN policy_blocks b ON b.position = j.position AND b.block = k.block
            GROUP BY k.inn
        ),
        assessed AS (
            SELECT inn, max({{'assessed_at': assessed_at, 'run_id': run_id, 'stale': stale_blocks::VARCHAR}}).stale
                   AS stale
            FROM lineage.assessments SEMI JOIN own USING (inn) WHERE {is_before(run)} GROUP BY inn
        )
        SELECT inn, bool_or(has_other_card) AS has_other_card FROM (
        SELECT o.inn, o.block IN ('company', 'risk_flags')
                      AND o.content.version_id IS DISTINCT FROM e.last.version_id AS has_other_card
        FROM own o LEFT JOIN earlier e ON e.inn = o.inn AND e.block = o.block
        WHERE e.inn IS NULL OR o.content IS DISTINCT FROM
              {{'state': e.last.state, 'reason': e.last.reason, 'version_id': e.last.version_id}}
        UNION ALL SELECT a.inn, false FROM ages g JOIN assessed a ON a.inn = g.inn
                  WHERE to_json(g.stale_blocks)::VARCHAR <> a.stale
        UNION ALL SELECT inn, false FROM {UNANSWERED_TABLE} WHERE run_id = $run_id
        ) GROUP BY inn
        """,
        {"run_id": run.run_id},
    )
    return _inns(warehouse, NEWS)


def find_sharing(warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], steps: int = 1) -> None:
    """Put the directors and founders that several INNs have, or are, into `SHARED`, and empty `LEVELS`.

    If `inns` are few, only those of these INNs, and with more `steps` those of INNs that are linked to them, and so on.
    """
    connection = warehouse.connection
    is_past = "true" if run.is_now else f"v.first_seen_at <= {run.at}"
    persons, members = list_persons("version_id, inn, item_inn"), f"SELECT inn, inn AS item_inn FROM {MEMBERS_TABLE}"
    if not run.is_now:
        # Who joined later was nobody's link at that moment, and has no assessment of it.
        members += f" WHERE first_seen_at <= {run.at}"
    of_items = ""
    if len(inns) <= MAX_FEW_INNS:
        _find_items(warehouse, inns, steps)
        of_items = f" SEMI JOIN {ITEMS} USING (item_inn)"
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE {_name(SHARED)} AS
        WITH named AS MATERIALIZED (SELECT * FROM ({persons}){of_items} WHERE item_inn IS NOT NULL)
        SELECT inn, item_inn FROM (
            SELECT v.inn, n.item_inn FROM lineage.versions v JOIN named n ON n.version_id = v.version_id
            WHERE {is_past} AND v.block IN ('company', 'risk_flags')
            UNION FROM ({members}){of_items}
        ) QUALIFY count(*) OVER (PARTITION BY item_inn) > 1
        """
    )
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_name(LEVELS)} (inn VARCHAR, is_high BOOLEAN)")


def _find_items(warehouse: Warehouse, inns: Sequence[str], steps: int) -> None:
    """Put the directors and founders of INNs, and these INNs, into `ITEMS`: of all versions, in some steps."""
    pairs = f"SELECT inn, item_inn FROM ({list_persons('inn, item_inn')}) WHERE item_inn IS NOT NULL"
    near = "SELECT unnest($inns::VARCHAR[]) AS inn"
    items = f"SELECT item_inn FROM ({pairs}) SEMI JOIN {NEAR} USING (inn) UNION SELECT inn FROM {NEAR}"
    for step in range(steps):
        parameters = {} if step else {"inns": list(inns)}
        warehouse.connection.execute(f"CREATE OR REPLACE TEMP TABLE {_name(NEAR)} AS {near}", parameters)
        warehouse.connection.execute(f"CREATE OR REPLACE TEMP TABLE {_name(ITEMS)} AS {items}")
        near = (
            f"SELECT inn FROM ({pairs}) SEMI JOIN {ITEMS} USING (item_inn) "
            f"UNION SELECT m.inn FROM {MEMBERS_TABLE} m SEMI JOIN {ITEMS} i ON i.item_inn = m.inn"
        )


def find_linked(warehouse: Warehouse, run: AssessedRun) -> list[str]:
    """Put the INNs whose links may have changed into `LINKED`, after those of `NEWS` were assessed; these INNs.

    They share a director or founder with an INN whose own signals reach high and did not before, or the other way
    round, or with one that may reach high and has another card.
    """
    warehouse.connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE {_name(LINKED)} AS
        WITH own AS (SELECT inn, own_high FROM lineage.assessments WHERE run_id = $run_id),
        earlier AS (
            SELECT inn, max({{'assessed_at': assessed_at, 'run_id': run_id, 'own_high': own_high}}).own_high AS own_high
            FROM lineage.assessments SEMI JOIN own USING (inn) WHERE {is_before(run)} GROUP BY inn
        ),
        pairs AS (
            SELECT n.inn, n.has_other_card, o.own_high, CASE WHEN e.inn IS NULL THEN false ELSE e.own_high END AS before
            FROM {NEWS} n JOIN own o ON o.inn = n.inn LEFT JOIN earlier e ON e.inn = n.inn
        ),
        moved AS (
            SELECT inn FROM pairs WHERE own_high IS DISTINCT FROM before
            OR (has_other_card AND (own_high IS DISTINCT FROM false OR before IS DISTINCT FROM false))
        )
        SELECT DISTINCT other.inn
        FROM {SHARED} one SEMI JOIN moved ON moved.inn = one.inn
        JOIN {SHARED} other ON other.item_inn = one.item_inn
        ANTI JOIN {NEWS} n ON n.inn = other.inn
        """,
        {"run_id": run.run_id},
    )
    return _inns(warehouse, LINKED)


def is_before(run: AssessedRun) -> str:
    """A condition over `lineage.assessments`: of an earlier run."""
    run_id = literal(run.run_id)
    return f"(assessed_at < {run.at} OR (assessed_at = {run.at} AND run_id < {run_id}))"


def prepare_chunk(
    warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], inputs: PartInputs, *, is_latest: bool
) -> None:
    """Put INNs into `CHUNK`, and what was known of them into `RESPONSES`, `VERSIONS`, `MEMBERS`; after `find_others`.

    `is_latest`: nothing was requested after this run, so what is known now was known then.
    """
    connection = warehouse.connection
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_name(CHUNK)} AS SELECT unnest($inns::VARCHAR[]) AS inn", {"inns": list(inns)}
    )
    chunk = f" SEMI JOIN {CHUNK} USING (inn)"
    if is_latest:
        versions = f"SELECT version_id, inn, block, first_seen_at, last_seen_at FROM lineage.versions{chunk}"
    else:
        versions = (
            "SELECT version_id, inn, block, min(asked_at) AS first_seen_at, max(asked_at) AS last_seen_at FROM "
            f"lineage.snapshots{chunk} WHERE asked_at <= {run.at} AND version_id IS NOT NULL GROUP BY ALL"
        )
    responses = _responses_of(CHUNK, run, is_latest=is_latest)
    members = f"FROM {MEMBERS_TABLE} SEMI JOIN (SELECT inn FROM {CHUNK} UNION ALL SELECT inn FROM {OTHERS}) USING (inn)"
    for table, rows in ((RESPONSES, responses), (VERSIONS, versions), (MEMBERS, members)):
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {_name(table)} AS {inputs.read(rows)}")


def of_chunk(query: str, inputs: PartInputs) -> str:
    """SQL that reads the members of `CHUNK` and `OTHERS`, and the copies of the part, instead of all rows."""
    return inputs.read(fill_states(query).replace(MEMBERS_TABLE, MEMBERS))


def find_others(warehouse: Warehouse, inns: Sequence[str]) -> list[str]:
    """The INNs that share a director or founder with one of these, are none of these, and are not in `LEVELS` yet.

    All that share one and are none of these are put into `OTHERS`, which `complete_others` completes.
    """
    warehouse.connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE {_name(OTHERS)} AS
        WITH own AS MATERIALIZED (SELECT unnest($inns::VARCHAR[]) AS inn)
        SELECT DISTINCT other.inn FROM {SHARED} one SEMI JOIN own ON own.inn = one.inn
        JOIN {SHARED} other ON other.item_inn = one.item_inn ANTI JOIN own ON own.inn = other.inn
        """,
        {"inns": list(inns)},
    )
    missing = f"SELECT inn FROM {OTHERS} ANTI JOIN {LEVELS} USING (inn) ORDER BY inn"
    return warehouse.query(missing)["inn"].to_list()


def list_others(warehouse: Warehouse) -> list[str]:
    """The INNs of `OTHERS`."""
    return _inns(warehouse, OTHERS)


def complete_others(warehouse: Warehouse, run: AssessedRun, inputs: PartInputs, *, is_latest: bool) -> None:
    """Add own level and versions to the INNs of `OTHERS`, all of which are in `LEVELS`."""
    query = f"""
        CREATE OR REPLACE TEMP TABLE {_name(OTHERS)} AS
        WITH {policy_ctes()}
        SELECT o.inn, {run.at} AS moment, any_value(l.is_high) AS is_high,
               list(r.version_id) FILTER (b.block IS NOT NULL AND r.version_id IS NOT NULL) AS version_ids
        FROM {OTHERS} o JOIN {LEVELS} l ON l.inn = o.inn
        LEFT JOIN inn_policies i ON i.inn = o.inn
        JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
        LEFT JOIN ({_responses_of(OTHERS, run, is_latest=is_latest)}) r
             ON r.inn = o.inn AND r.block IN ('company', 'risk_flags')
        LEFT JOIN policy_blocks b ON b.position = j.position AND b.block = r.block
        GROUP BY o.inn
        """
    warehouse.connection.execute(inputs.read(query))


def known_blocks(run: AssessedRun) -> str:
    """The states of the blocks of `CHUNK` at the end of a run, for `signals`."""
    return block_states_of(CHUNK, run.attempts_until, run.at)


def _responses_of(inns: str, run: AssessedRun, *, is_latest: bool) -> str:
    """SQL of the latest responses of some INNs up to the moment."""
    of_inns = f" SEMI JOIN {inns} USING (inn)"
    return f"FROM {LATEST_TABLE}{of_inns}" if is_latest else latest_query(f"{of_inns} WHERE asked_at <= {run.at}")


def drop_temporary_tables(warehouse: Warehouse, *others: str) -> None:
    """Drop the temporary tables of this module, and others."""
    for table in (*others, NEWS, LINKED, CHUNK, SHARED, LEVELS, OTHERS, RESPONSES, VERSIONS, MEMBERS, NEAR, ITEMS):
        warehouse.connection.execute(f"DROP TABLE IF EXISTS {table}")


def _name(table: str) -> str:
    """A temporary table's name for `CREATE TEMP TABLE`."""
    return table.removeprefix("temp.")


def _inns(warehouse: Warehouse, table: str) -> list[str]:
    return warehouse.query(f"SELECT inn FROM {table} ORDER BY inn")["inn"].to_list()
