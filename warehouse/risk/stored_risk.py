"""SQL of the stored risk: signals and scores of INNs, kept until what they rest on changes.

`lineage._risk_scores` has one row per INN that was judged, `lineage._risk_signals` its signals. A row is valid while
the INN's `basis` is the same, a hash of everything that the judgement read and that moves with requests or with time:
policy, membership, and of each block the state, the version and whether it is stale. Days on which a rule may turn by
itself end at `valid_until`. What moves without changing a judgement, as the time of the last request, is not stored.
An INN without a valid row, or linked to one, is judged when it is read: so a missing row costs time and is never wrong.
`basis_until` only says when the basis has to be compared again. While nothing was written since all rows were found to
be valid (`lineage._risk_checks`), and no row says that time may have changed it, no basis is compared, see
`innspect.warehouse.assessments.risk_news`.
"""

from collections.abc import Callable, Mapping

from innspect.schemas.states import CallState
from innspect.warehouse.ddl import (
    RISK_CHECKS,
    RISK_NEWS,
    RISK_SCORE_TYPES,
    RISK_SCORES,
    RISK_SIGNAL_TYPES,
    RISK_SIGNALS,
    identifier,
)
from innspect.warehouse.latest import LATEST_TABLE, latest_attempts, unanswered_calls
from innspect.warehouse.marts.fragments import list_complete
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE, policy_ctes
from innspect.warehouse.risk.signals import IS_STALE, NOW, list_persons, score_ctes, signal_ctes

SIGNALS_TABLE = f"lineage.{identifier(RISK_SIGNALS)}"
SCORES_TABLE = f"lineage.{identifier(RISK_SCORES)}"
RISK_NEWS_TABLE = f"lineage.{identifier(RISK_NEWS)}"
CHECKS_TABLE = f"lineage.{identifier(RISK_CHECKS)}"
ANSWERS, CALLS, MEMBERS = "answers", "calls", "members"
"""What was written: responses, calls of unknown outcome, members."""
COUNTS: Mapping[str, str] = {
    ANSWERS: f"(SELECT count(*) FROM lineage.snapshots) + (SELECT count(*) FROM {LATEST_TABLE}) "
    "+ (SELECT count(*) FROM lineage.responses)",
    CALLS: f"(SELECT count(*) FROM lineage.calls WHERE state = '{CallState.UNKNOWN}')",
    MEMBERS: "(SELECT count(*) FROM lineage.portfolio_members)",
}
"""A number of rows of each kind: it does not change without a note in `RISK_NEWS_TABLE`."""
POLICIES_DIGEST = f"""
(SELECT coalesce(md5(string_agg(cells, chr(10) ORDER BY cells)), '') FROM (
    SELECT to_json([position::VARCHAR, policy_version, name, portfolios::VARCHAR, tags::VARCHAR,
                    policy::VARCHAR])::VARCHAR AS cells
    FROM {POLICIES_TABLE} WHERE position IS NOT NULL))""".strip()
"""SQL of a hash of the current policies, and of whom they judge."""
CHECKS_ALL, CHECKED = "checks_all", "checked_inns"
"""CTEs: one row if the basis of every INN has to be compared, otherwise none; and the INNs whose basis has to be."""
OUTDATED, TARGETS = "outdated_inns", "live_inns"
"""CTEs: INNs without a valid row; these and those linked to them."""
WANTED_INN = "wanted_inn"
"""Variable of a connection: the only INN that is judged while it reads; see `Warehouse.judge_only`."""
LIVE_ROWS = "live_rows"
"""Recursive CTE: rows of the INNs that are judged when they are read, with `step` 1."""


def _known_inns(join: str = "") -> str:
    relations = ("lineage.portfolio_members", LATEST_TABLE, f"({unanswered_calls()})")
    return " UNION ".join(f"SELECT inn FROM {relation}{join}" for relation in relations)


KNOWN_INNS = _known_inns()
"""All INNs that are judged."""
MAX_LIMIT_DAYS = 36_500
"""Age limits above it are taken for this number of days where the day is computed on which they are exceeded."""
ANSWER_UNTIL = f"""CASE WHEN NOT coalesce(is_stale, false) AND version_id IS NOT NULL THEN least(
               date_trunc('second', collected_at)
                   + to_seconds(floor(least(max_age, {MAX_LIMIT_DAYS}) * 86400)::BIGINT),
               (source_date + floor(least(max_source_age, {MAX_LIMIT_DAYS}))::INTEGER + 1)::TIMESTAMP) END"""
"""Before this moment evidence that is not stale does not become stale, see `exceeds_age_limit`."""
SCORE_TYPES: Mapping[str, str] = {
    **{name: RISK_SCORE_TYPES[name] for name in (
        "inn", "level", "level_known", "level_at_most", "score", "score_confirmed", "score_at_most", "unknown_blocks",
        "unknown_since", "never_requested_blocks", "stale_blocks", "known_part", "reasons", "reasons_ru",
        "unknown_signals", "present", "absent", "unknown", "never_requested", "not_offered",
    )},
    "oldest_checked_at": "TIMESTAMP", "policy": "VARCHAR", "policy_version": "VARCHAR", "assessed_at": "TIMESTAMP",
}  # fmt: skip
"""Columns of the CTE `scores`, in order, and their types."""
SIGNAL_TYPES: Mapping[str, str] = {
    **{name: RISK_SIGNAL_TYPES[name] for name in (
        "inn", "signal", "title", "title_ru", "severity", "weight", "group_name", "state", "confirmed", "reason",
        "since", "since_seen", "evidence", "block",
    )},
    "checked_at": "TIMESTAMP", "collected_at": "TIMESTAMP", "source_date": "DATE", "age_days": "DOUBLE",
    "version_id": "VARCHAR", "snapshot_id": "VARCHAR", "policy_version": "VARCHAR",
}  # fmt: skip
"""Columns of the CTE `signals`, in order, and their types."""
_SCORE = """
SELECT r.inn, r.level, r.level_known, r.level_at_most, r.score, r.score_confirmed, r.score_at_most, r.unknown_blocks,
       r.unknown_since, r.never_requested_blocks, r.stale_blocks, r.known_part, r.reasons, r.reasons_ru,
       r.unknown_signals, r.present, r.absent, r.unknown, r.never_requested, r.not_offered,
       {checked_at} AS oldest_checked_at, r.policy, r.policy_version, {moment} AS assessed_at
FROM {scores_table} r{valid}{join}
"""
_JOINED_TIMES = """
LEFT JOIN (
    -- A semi join keeps its place: DuckDB would join the responses of all INNs with the policies first.
    SELECT l.inn, min(l.checked_at) AS checked_at FROM ({attempts}) l JOIN {scores_table} i ON i.inn = l.inn
    SEMI JOIN (SELECT policy_name, policy_version, block, unnest(digits) AS digits
               FROM policy_rules JOIN judges USING (position)) p
         ON p.policy_name = i.policy AND p.policy_version = i.policy_version AND p.block = l.block
         AND p.digits = CASE WHEN length(l.inn) = 10 THEN 10 ELSE 12 END
    GROUP BY l.inn
) c ON c.inn = r.inn"""
SCORE = _SCORE.replace("{checked_at}", "c.checked_at").replace("{join}", _JOINED_TIMES)
SCORE_WITHOUT_TIME = _SCORE.replace("{checked_at}", "NULL::TIMESTAMP").replace("{join}", "")
"""Without `oldest_checked_at`: to find it takes a tenth of the time of a mart that shows scores."""
SIGNAL = """
SELECT r.inn, r.signal, r.title, r.title_ru, r.severity, r.weight, r.group_name, r.state, r.confirmed, r.reason,
       r.since, r.since_seen, r.evidence, r.block, l.checked_at, l.collected_at, l.source_date,
       date_diff('second', l.collected_at, {moment}) / 86400.0 AS age_days, r.version_id,
       CASE WHEN r.state IN ({signal.present}, {signal.absent}) THEN l.evidence_id
            ELSE l.snapshot_id END AS snapshot_id,
       r.policy_version
FROM {signals_table} r{valid}
LEFT JOIN ({attempts}) l ON l.inn = r.inn AND l.block = CASE WHEN r.state <> {signal.not_offered} THEN r.block END"""


def basis_ctes(moment: str, inns: str, attempts: str = "", *, has_until: bool = False) -> str:
    """CTEs over those of the policies: `judged_by` (inn, position, is_member) and `bases` (inn, basis, card).

    `inns`: SQL of the INNs; `attempts`: a relation like that of `latest_attempts`, of these INNs; `moment`: the moment
    of judgement. `card`: hash of what decides who is linked to the INN.
    `has_until`: `bases` has `basis_until` too. From `moment` up to that moment the basis stays the same if nothing is
    written, because no evidence becomes stale and the INN does not become a member; NULL: forever.
    """
    answer_until, until, since = ("", "", "")
    if has_until:
        answer_until = f",\n           min({ANSWER_UNTIL}) AS until"
        until = f", least(a.until, CASE WHEN i.member_since > {moment} THEN i.member_since END) AS basis_until"
        since = ", m.member_since"
    is_stale = IS_STALE.replace("k.moment", moment)
    # `judged_answers` fixes the order: DuckDB joined INNs with all blocks of their policies, ten times as many rows.
    return f"""
judged_by AS MATERIALIZED (
    SELECT k.inn, coalesce(i.position, d.position) AS position,
           coalesce(m.member_since <= {moment}, false) AS is_member{since}
    FROM ({inns}) k LEFT JOIN inn_policies i ON i.inn = k.inn
    CROSS JOIN (SELECT position FROM judges WHERE is_default) d
    LEFT JOIN (SELECT inn, min(first_seen_at) AS member_since FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = k.inn
),
judged_answers AS MATERIALIZED (
    SELECT k.*, i.position FROM ({attempts or latest_attempts()}) k JOIN judged_by i ON i.inn = k.inn
),
answers AS (
    SELECT inn, bit_xor(hash(block, state, reason, method, version_id, complete, is_stale,
                             CASE WHEN is_stale OR state NOT IN {{evidence_states}} THEN collected_at END,
                             CASE WHEN state = {{snapshot.partial}} THEN asked_at END)) AS answers,
           bit_xor(hash(block, version_id)) FILTER (block IN ('company', 'risk_flags')) AS card{answer_until}
    FROM (SELECT k.*, {list_complete("k")} AS complete, b.max_age, b.max_source_age, {is_stale} AS is_stale
          FROM judged_answers k
          JOIN policy_blocks b ON b.position = k.position AND b.block = k.block)
    GROUP BY inn
),
bases AS (
    SELECT i.inn, hash(j.policy_name, j.policy_text, i.is_member, a.answers) AS basis,
           hash(i.is_member, a.card) AS card{until}
    FROM judged_by i JOIN (SELECT position, policy_name, md5(policy::VARCHAR) AS policy_text FROM judges) j
         ON j.position = i.position
    LEFT JOIN answers a ON a.inn = i.inn
)""".strip()


def outdated_cte(moment: str) -> str:
    """CTE `OUTDATED` over `bases`."""
    return f"""
{OUTDATED} AS MATERIALIZED (
    SELECT unnest(list(b.inn)) AS inn FROM bases b LEFT JOIN {SCORES_TABLE} r ON r.inn = b.inn AND r.basis = b.basis
         AND r.judged_at <= {moment} AND coalesce(({moment})::DATE < r.valid_until, true)
    WHERE r.inn IS NULL
)""".strip()


def linked_inns(inns: str) -> str:
    """SQL of the INNs of a relation, and of those linked to one of them.

    They had a director or founder in common, or one was a director or founder of the other.
    """
    own = (
        f"SELECT v.version_id FROM lineage.versions v SEMI JOIN {inns} o ON o.inn = v.inn "
        "WHERE v.block IN ('company', 'risk_flags')"
    )
    persons = list_persons("version_id, inn, item_inn")
    named = (
        f"SELECT item_inn FROM ({persons}) n SEMI JOIN ({own}) v ON v.version_id = n.version_id "
        f"WHERE item_inn IS NOT NULL UNION SELECT inn FROM {inns}"
    )
    return (
        f"SELECT inn FROM {inns} UNION SELECT item_inn FROM ({named}) n SEMI JOIN lineage.portfolio_members m "
        "ON m.inn = n.item_inn "
        f"UNION SELECT inn FROM ({persons}) n SEMI JOIN ({named}) p ON p.item_inn = n.item_inn"
    )


def live_ctes() -> str:
    """CTEs over those of the policies, up to `TARGETS`."""
    return ",\n".join(
        (
            checked_ctes(NOW),
            basis_ctes(NOW, f"SELECT inn FROM {CHECKED}"),
            outdated_cte(NOW),
            f"{TARGETS} AS MATERIALIZED ({_few(linked_inns(OUTDATED))})",
        )
    )


def has_check(moment: str) -> str:
    """The condition that `CHECKS_TABLE` has a check, after which only what is noted and time decide what is valid."""
    counts = " AND ".join(
        f"(c.{kind} = {count} OR EXISTS (FROM {RISK_NEWS_TABLE} WHERE kind = '{kind}'))"
        for kind, count in COUNTS.items()
    )
    return (
        f"EXISTS (FROM {CHECKS_TABLE} c WHERE c.checked_at <= {moment} AND c.policies = {POLICIES_DIGEST} AND {counts})"
    )


def checked_ctes(moment: str) -> str:
    """CTEs up to `CHECKED`: the INNs with news and those whose row says that time may have changed it, or all."""
    return f"""
{CHECKS_ALL} AS MATERIALIZED (SELECT true AS checks_all WHERE NOT {has_check(moment)}),
moved_inns AS MATERIALIZED (
    SELECT inn FROM {RISK_NEWS_TABLE} UNION SELECT inn FROM {SCORES_TABLE} WHERE {turned_condition(moment)}
),
{CHECKED} AS (
    {_known_inns(" SEMI JOIN moved_inns USING (inn)")} UNION {_known_inns(f" CROSS JOIN {CHECKS_ALL}")}
)""".strip()


def turned_condition(moment: str) -> str:
    """The condition under which a row of `SCORES_TABLE` may not be valid at the moment though nothing was written."""
    return f"(basis IS NULL OR judged_at > {moment} OR valid_until <= {moment}::DATE OR basis_until <= {moment})"


def _few(inns: str) -> str:
    """The same INNs, as a relation that DuckDB takes for a single row.

    Few INNs, mostly none, are judged when they are read. Taken for many, DuckDB would build hash tables of everything
    that is joined with them.
    """
    return f"SELECT unnest(list(inn)) AS inn FROM ({inns})"


def current_signals(blocks: str) -> str:
    """CTE `signals` of all INNs, as the mart has them; `blocks`: SQL of the block states of `SELECTED`."""
    return _current_rows("signals", SIGNAL, SIGNAL_TYPES, lambda selection: signal_ctes(blocks, selection=selection))


def current_scores(blocks: str, stored: str = SCORE) -> str:
    """CTE `scores` of all INNs; `blocks`: SQL of the block states of `SELECTED`; `stored`: `SCORE` or without time."""
    return _current_rows("scores", stored, SCORE_TYPES, lambda selection: score_ctes(blocks, selection=selection))


def _current_rows(name: str, stored: str, types: Mapping[str, str], judge: Callable[[str], str]) -> str:
    """A CTE: stored rows, and those of the INNs that are judged when they are read.

    `stored`: the query of stored rows; `types`: the columns; `judge`: CTEs that judge the INNs of a query, which are
    `TARGETS` and those linked to them in turn.

    Judging is the second step of a recursion, which has no first one if there is nothing to judge: then DuckDB prepares
    none of its hundreds of joins and groups. Each would reserve memory from the beginning of the query, all of it
    together, so that reading the stored rows would use the disk.
    """
    columns = ", ".join(types)
    nothing = ", ".join(f"NULL::{sql}" for sql in types.values())
    wanted = f"(FROM {TARGETS} WHERE coalesce(inn = getvariable('{WANTED_INN}'), true))"
    targets = f"(SELECT t.inn FROM {wanted} t CROSS JOIN (SELECT 1 FROM {LIVE_ROWS} WHERE step = 0))"
    selection = _few(linked_inns(targets))
    valid = _stored_rows(stored, NOW, f" ANTI JOIN {TARGETS} t ON t.inn = r.inn")
    return f"""{name} AS (
WITH RECURSIVE {policy_ctes()},
{live_ctes()},
{LIVE_ROWS} (step, {columns}) AS (
    SELECT 0, {nothing} FROM (SELECT 1 FROM {wanted} LIMIT 1)
    UNION ALL
    SELECT 1, {columns} FROM (WITH {judge(selection)} SELECT {columns} FROM {name} SEMI JOIN {wanted} USING (inn))
)
{valid}
UNION ALL SELECT {columns} FROM {LIVE_ROWS} WHERE step = 1
)"""


def stored_signals(moment: str, inns: str = "") -> str:
    """CTE `signals` where the stored rows are valid at the moment (an SQL timestamp); `inns`: a relation of some."""
    return f"signals AS (\n{_stored_rows(SIGNAL, moment, _of(inns), _attempts_of(inns))}\n)"


def stored_scores(moment: str, inns: str = "") -> str:
    """CTE `scores` where the stored rows are valid at the moment (an SQL timestamp); `inns`: a relation of some."""
    return f"{policy_ctes()},\nscores AS (\n{_stored_rows(SCORE, moment, _of(inns), _attempts_of(inns))}\n)"


def _of(inns: str) -> str:
    return f" SEMI JOIN {inns} o ON o.inn = r.inn" if inns else ""


def _attempts_of(inns: str) -> str:
    """`latest_attempts` of some INNs: joined with those of all, it would be a hash table of all."""
    return latest_attempts(f"(FROM {LATEST_TABLE} SEMI JOIN {inns} USING (inn))") if inns else ""


def _stored_rows(query: str, moment: str, valid: str = "", attempts: str = "") -> str:
    for word, text in {
        "{moment}": moment,
        "{valid}": valid,
        "{attempts}": attempts or latest_attempts(),
        "{scores_table}": SCORES_TABLE,
        "{signals_table}": SIGNALS_TABLE,
    }.items():
        query = query.replace(word, text)
    return query.strip()
