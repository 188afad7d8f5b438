"""Common table expressions of signals and scores; a mart that needs both computes `block_states` once."""

from innspect.schemas.states import STALE
from innspect.warehouse.ddl import literal
from innspect.warehouse.risk.policy_sql import (
    LINKED,
    NUMBERS,
    RULES,
    VERSION_RULES,
    evaluate_query,
    exceeds_age_limit,
    history_query,
    policy_ctes,
)
from innspect.warehouse.risk.version_findings import limits_version_sql, stored_findings_query

NOW = "coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')"
"""Moment of the judgement: the clock, or what `SET VARIABLE assessed_at` names."""
VERSIONS = "lineage.versions"
SELECTED = "selected_inns"
"""CTE: the INNs of a selection."""
INCOMPLETE = " (the list is incomplete)"
"""What follows the evidence of a signal over rows of a partial or capped list: there may be more of them."""
NOT_STATED = "not told"
"""Reason of an unknown signal whose block has a fresh answer without the field."""
IS_STALE = f"k.version_id IS NOT NULL AND {exceeds_age_limit('k', 'k.moment', 'b')}"
"""Whether the evidence `k` of a block is older at `k.moment` than its limits in `policy_blocks`, `b`."""

JUDGED = """
judged AS MATERIALIZED (
    SELECT k.inn, k.moment, k.moment::DATE AS day, k.block, b.block_no, j.position, j.policy_version, k.state, k.reason,
           k.method, k.last_snapshot_id, k.version_id, k.snapshot_id, k.checked_at, k.collected_at, k.source_date,
           date_diff('second', k.collected_at, k.moment) / 86400.0 AS age_days,
           {is_stale} AS is_stale,
           k.state IN {complete_states} AS is_complete, k.complete AS has_whole_lists,
           k.state IN {evidence_states} AND k.version_id IS NOT NULL AND NOT {exceeds_age_limit} AS is_fresh,
           v.first_seen_at
    FROM {assessed_blocks} k
    LEFT JOIN lineage.versions v ON v.version_id = k.version_id
    LEFT JOIN inn_policies i ON i.inn = k.inn
    JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
    JOIN policy_blocks b ON b.position = j.position AND b.block = k.block{join_selected}
),
""".replace("{exceeds_age_limit}", exceeds_age_limit("k", "k.moment", "b"))

SIGNALS = """
sizes AS MATERIALIZED (
    SELECT inn, moment, CASE WHEN data.revenue IS NOT NULL THEN data.revenue ELSE statements.revenue END AS size,
           CASE WHEN data.revenue IS NOT NULL THEN data.is_fresh
                ELSE coalesce(data.is_fresh, false) AND coalesce(statements.is_fresh, false) END AS is_fresh
    FROM (SELECT j.inn, j.moment,
                 any_value({'revenue': t.revenue::DOUBLE, 'is_fresh': j.is_fresh}) FILTER (j.block = 'revexp') AS data,
                 any_value({'revenue': CASE WHEN r.year >= coalesce(n.year, r.year) THEN r.amount END,
                            'is_fresh': j.is_fresh}) FILTER (j.block = 'financial') AS statements
          FROM judged j
          LEFT JOIN core.revexp t ON t.version_id = j.version_id
          -- Revenue of the newest year of the statements: that of an earlier one is not its size now.
          LEFT JOIN (SELECT version_id, max(year) AS year, arg_max(amount, year)::DOUBLE AS amount
                     FROM core.financial__indicators SEMI JOIN judged USING (version_id)
                     WHERE indicator = 'revenue' GROUP BY version_id) r ON r.version_id = j.version_id
          LEFT JOIN (SELECT version_id, max(value) AS year
                     FROM core.financial__years SEMI JOIN judged USING (version_id)
                     GROUP BY version_id) n ON n.version_id = j.version_id
          WHERE j.block IN ('revexp', 'financial') GROUP BY j.inn, j.moment)
),
earlier_evidence AS (
    SELECT k.inn, k.moment, k.block_no, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN judged k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = {snapshot.partial} AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
          AND s.asked_at <= k.moment
    GROUP BY k.inn, k.moment, k.block_no
),
past_versions AS MATERIALIZED (
    SELECT j.inn, j.moment, j.day, j.policy_version, j.block_no, v.version_id, v.first_seen_at,
           least(v.last_seen_at, j.moment) AS ended_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = j.block
    WHERE v.version_id <> j.version_id AND v.first_seen_at <= j.moment
),
evaluated AS MATERIALIZED (
    SELECT DISTINCT version_id, day, policy_version, block_no FROM (
        SELECT version_id, day, policy_version, block_no FROM judged WHERE version_id IS NOT NULL
        UNION ALL SELECT version_id, day, policy_version, block_no FROM past_versions)
),
card_histories AS MATERIALIZED (
    SELECT j.inn, j.moment, any_value(j.day) AS day, any_value(j.policy_version) AS policy_version,
           any_value(j.version_id) AS version_id, any_value(j.block_no) AS block_no,
           least(any_value(j.first_seen_at), min(p.first_seen_at)) AS known_since, count(p.version_id) > 0 AS has_past
    FROM judged j LEFT JOIN past_versions p ON p.inn = j.inn AND p.moment = j.moment AND p.block_no = j.block_no
    WHERE j.block = 'company' AND j.version_id IS NOT NULL GROUP BY j.inn, j.moment
),
findings AS MATERIALIZED ({findings}),
history_findings AS ({history}),
past_findings AS MATERIALIZED (
    SELECT v.inn, v.moment, f.number, v.version_id, f.present, f.shown, v.first_seen_at, v.ended_at
    FROM past_versions v JOIN findings f ON f.version_id = v.version_id AND f.day = v.day
         AND f.policy_version = v.policy_version
),
last_absence AS (
    SELECT inn, moment, number, max(ended_at) AS last_absent_at
    FROM past_findings WHERE NOT coalesce(present, false) GROUP BY ALL
),
first_presence AS (
    SELECT p.inn, p.moment, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past_findings p LEFT JOIN last_absence g ON g.inn = p.inn AND g.moment = p.moment AND g.number = p.number
    WHERE p.present AND (g.last_absent_at IS NULL OR p.first_seen_at > g.last_absent_at)
    GROUP BY p.inn, p.moment, p.number
),
last_statement AS (
    SELECT inn, moment, number, arg_max(present, ended_at) AS present, arg_max(version_id, ended_at) AS version_id
    FROM past_findings WHERE present IS NOT NULL GROUP BY inn, moment, number
),
found AS (
    SELECT j.*, f.number, f.present, f.amount, f.shown
    FROM judged j JOIN findings f ON f.version_id = j.version_id AND f.day = j.day
         AND f.policy_version = j.policy_version
    UNION ALL BY NAME
    SELECT j.*, r.number, f.present, f.shown, f.is_seen
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    LEFT JOIN history_findings f ON f.inn = j.inn AND f.moment = j.moment AND f.number = r.number
    WHERE j.version_id IS NOT NULL AND r.number IN ({history_numbers})
),
sized AS (
    SELECT f.* EXCLUDE (present), r.* EXCLUDE (position, block, block_no, digits, companies, persons, number, limits),
           CASE WHEN NOT r.by_size THEN f.present
                WHEN f.amount > 0 AND f.amount >= CASE WHEN z.size > 0 THEN r.size_share * z.size ELSE r.amount_rub END
                THEN true
                WHEN f.present IS NULL THEN NULL
                WHEN f.amount = 0 OR coalesce(z.is_fresh AND z.size IS NOT NULL, false) THEN false END AS present
    FROM found f JOIN policy_rules r ON r.position = f.position AND r.number = f.number
    LEFT JOIN sizes z ON z.inn = f.inn AND z.moment = f.moment
    WHERE list_contains(r.digits, CASE WHEN length(f.inn) = 10 THEN 10 ELSE 12 END)
),
dated AS (
    SELECT s.* EXCLUDE (shown, present, first_seen_at, is_seen),
           coalesce(s.present, CASE WHEN l.present THEN true END) AS present,
           coalesce(s.present IS NULL AND l.present, false) AS is_earlier, l.version_id AS shown_version_id,
           CASE WHEN s.present IS NULL THEN x.shown.evidence ELSE s.shown.evidence END AS evidence,
           CASE WHEN s.present IS NULL THEN x.shown.facts ELSE s.shown.facts END AS facts,
           CASE WHEN s.present IS NULL THEN x.shown.began ELSE s.shown.began END AS began,
           coalesce(s.is_seen, false) OR began IS NULL AS since_seen,
           coalesce(began,
                    least(CASE WHEN g.last_absent_at IS NULL OR s.first_seen_at > g.last_absent_at
                               THEN s.first_seen_at END, n.first_seen_at), g.last_absent_at) AS since,
           coalesce(s.state = {snapshot.partial} AND w.earlier_version_id IS NOT NULL
                    AND (w.earlier_version_id = s.version_id OR e.present), false) AS carried
    FROM sized s
    LEFT JOIN last_absence g ON g.inn = s.inn AND g.moment = s.moment AND g.number = s.number
    LEFT JOIN first_presence n ON n.inn = s.inn AND n.moment = s.moment AND n.number = s.number
    LEFT JOIN last_statement l ON l.inn = s.inn AND l.moment = s.moment
              AND l.number = CASE WHEN s.present IS NULL THEN s.number END
    LEFT JOIN past_findings x ON x.present AND x.inn = l.inn AND x.moment = l.moment AND x.number = l.number
         AND x.version_id = l.version_id
    LEFT JOIN earlier_evidence w ON w.inn = s.inn AND w.moment = s.moment AND w.block_no = s.block_no
    LEFT JOIN past_findings e ON e.inn = s.inn AND e.moment = s.moment AND e.number = s.number
         AND e.version_id = w.earlier_version_id
    UNION ALL BY NAME
    SELECT j.* EXCLUDE (first_seen_at), r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           NULL AS present, NULL AS evidence, NULL AS facts, NULL AS since, false AS carried, false AS is_earlier,
           NULL AS shown_version_id
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    WHERE j.version_id IS NULL AND r.number <> {linked_number}
          AND list_contains(r.digits, CASE WHEN length(j.inn) = 10 THEN 10 ELSE 12 END)
),
own_signals AS (
    SELECT d.*,
           CASE WHEN present THEN {signal.present}
                WHEN state = {never_asked} THEN {signal.never_requested}
                WHEN NOT present AND is_complete AND is_fresh AND NOT (own_method AND method = 'full-check')
                THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           is_fresh AND NOT is_earlier AND NOT (own_method AND method = 'full-check')
           AND (is_complete OR (state = {snapshot.partial}
               AND (partial_shows OR NOT carried)
               AND NOT coalesce(contains(reason, nullif(unseen, '')), false))) AS supported
    FROM dated d
),
"""

PERSON_TABLES = ("company__directors", "company__founders", "company__founder_shares", "risk_flags__founder_shares")
"""The tables of `core` by which INNs are linked: persons and companies that direct or found them."""

OWN_LEVELS = """
own_levels AS (
    SELECT g.inn, g.moment,
           CASE WHEN bool_or(g.is_stopped) OR sum(g.weight) >= any_value(j.high) THEN true
                WHEN bool_or(g.may_be_stopped) OR sum(g.most) >= any_value(j.high) THEN NULL ELSE false END AS is_high
    FROM (SELECT inn, moment, position, group_name,
                 coalesce(max(weight) FILTER (signal_state = {signal.present}), 0) AS weight, max(weight) AS most,
                 bool_or(stop AND signal_state = {signal.present}) AS is_stopped, bool_or(stop) AS may_be_stopped
          FROM own_signals WHERE signal_state <> {signal.absent} GROUP BY ALL) g
    JOIN judges j ON j.position = g.position GROUP BY g.inn, g.moment{others_levels}
)
"""

LINKED_SIGNALS = """
persons AS MATERIALIZED (
    SELECT DISTINCT j.inn, j.moment, n.item_inn
    FROM (SELECT inn, moment, version_id FROM judged WHERE block IN ('company', 'risk_flags'){others_cards}) j
    JOIN (
        {persons}
    ) n ON n.version_id = j.version_id
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
    -- A member that directs or founds another one is linked to it, as those are that have one director in common.
    UNION SELECT inn, moment, inn FROM judged{others_themselves}
),
sharing AS (
    SELECT p.item_inn, p.moment, count(*) FILTER (l.is_high) AS high, count(*) FILTER (l.is_high IS NULL) AS unclear,
           min(p.inn) FILTER (l.is_high) AS one, max(p.inn) FILTER (l.is_high) AS other
    FROM persons p
    SEMI JOIN lineage.portfolio_members m ON m.inn = p.inn AND m.first_seen_at <= p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    WHERE p.item_inn IS NOT NULL GROUP BY p.item_inn, p.moment HAVING count(*) >= 2
),
links AS (
    SELECT p.inn, p.moment, bool_or(p.item_inn IS NULL) AS is_unnamed,
           bool_or(coalesce(s.high, 0) > CASE WHEN coalesce(l.is_high, false) AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS is_linked,
           bool_or(coalesce(s.unclear, 0) > CASE WHEN l.is_high IS NULL AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS may_be_linked,
           min(CASE WHEN s.one <> p.inn THEN s.one WHEN s.other <> p.inn THEN s.other END) AS other_inn
    FROM persons p
    LEFT JOIN sharing s ON s.item_inn = p.item_inn AND s.moment = p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    LEFT JOIN (SELECT inn, min(first_seen_at) AS first_seen_at FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = p.inn AND m.first_seen_at <= p.moment
    GROUP BY p.inn, p.moment
),
linked_signals AS (
    SELECT j.*, r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           CASE WHEN j.version_id IS NULL THEN NULL WHEN k.is_linked THEN true
                WHEN k.is_unnamed OR k.may_be_linked THEN NULL ELSE false END AS present,
           'linked to ' || k.other_inn AS evidence, NULL::TIMESTAMP AS since,
           CASE WHEN j.version_id IS NOT NULL AND k.is_linked THEN {signal.present}
                WHEN j.state = {never_asked} THEN {signal.never_requested}
                WHEN j.version_id IS NOT NULL AND NOT coalesce(k.is_unnamed OR k.may_be_linked, false)
                     AND j.is_complete AND j.is_fresh THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           j.is_fresh AS supported
    FROM judged j
    JOIN policy_rules r ON r.position = j.position AND r.number = {linked_number} AND r.block_no = j.block_no
    LEFT JOIN links k ON k.inn = j.inn AND k.moment = j.moment
),
"""

ALL_SIGNALS = """
judged_inns AS (SELECT DISTINCT inn, moment, position, policy_version FROM judged),
signals AS {materialized} (
    SELECT inn, moment, position, signal, title, title_ru, severity, weight, group_name, stop, substitute,
           signal_state AS state, coalesce(signal_state = {signal.absent}
               OR (signal_state = {signal.present} AND supported), false) AS confirmed,
           CASE WHEN signal_state IN ({signal.never_requested}, {signal.absent})
                     OR (signal_state = {signal.present} AND supported) THEN NULL
                WHEN state NOT IN {evidence_states} OR version_id IS NULL THEN concat_ws(': ', state, reason)
                WHEN is_stale THEN {stale}
                WHEN state = {snapshot.partial} THEN concat_ws(': ', state, reason)
                ELSE {not_told} END AS reason,
           CASE WHEN present THEN since END AS since,
           CASE WHEN present AND since IS NOT NULL THEN since_seen END AS since_seen,
           CASE WHEN present AND shows_rows AND NOT is_earlier AND NOT has_whole_lists THEN evidence || {incomplete}
                WHEN present THEN evidence END AS evidence,
           CASE WHEN present THEN facts END AS facts, block,
           state AS block_state, coalesce(own_method AND method = 'full-check', false) AS is_beyond_method, is_fresh,
           checked_at, collected_at, source_date, age_days,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent})
                THEN coalesce(shown_version_id, version_id) END AS version_id,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN snapshot_id
                ELSE last_snapshot_id END AS snapshot_id, policy_version
    FROM (FROM own_signals UNION ALL BY NAME FROM linked_signals)
    UNION ALL BY NAME
    SELECT i.inn, i.moment, i.position, r.signal, r.title, r.title_ru, r.severity, r.weight, r.group_name, r.stop,
           r.substitute, {signal.not_offered} AS state, false AS confirmed, r.block, i.policy_version
    FROM judged_inns i
    JOIN policy_rules r ON r.position = i.position
         AND list_contains(r.digits, CASE WHEN length(i.inn) = 10 THEN 10 ELSE 12 END)
    ANTI JOIN judged j ON j.inn = i.inn AND j.moment = i.moment AND j.block_no = r.block_no
)
"""

SCORES = """
group_weights AS (
    SELECT inn, moment, position, group_name,
           coalesce(max(weight) FILTER (state = {signal.present}), 0) AS known,
           coalesce(max(weight) FILTER (state = {signal.present} AND confirmed), 0) AS confirmed,
           coalesce(max(weight) FILTER (state <> {signal.absent}), 0) AS most,
           bool_or(stop AND state = {signal.present}) AS is_stopped,
           bool_or(stop AND state <> {signal.absent}) AS may_be_stopped
    FROM signals WHERE state <> {signal.not_offered} GROUP BY inn, moment, position, group_name
),
weighed AS (
    SELECT inn, moment, position, sum(known)::INTEGER AS score, sum(confirmed)::INTEGER AS score_confirmed,
           sum(most)::INTEGER AS score_at_most, bool_or(is_stopped) AS is_stopped,
           bool_or(may_be_stopped) AS may_be_stopped
    FROM group_weights GROUP BY inn, moment, position
),
counted AS (
    SELECT inn, moment,
           count(*) FILTER (state = {signal.present}) AS present, count(*) FILTER (state = {signal.absent}) AS absent,
           count(*) FILTER (state = {signal.unknown}) AS unknown,
           count(*) FILTER (state = {signal.never_requested}) AS never_requested,
           count(*) FILTER (state = {signal.not_offered}) AS not_offered,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN {unknown_signals}), [])
               AS unknown_signals,
           coalesce(list(DISTINCT block) FILTER (state IN {unknown_signals}), []) AS blocks_of_unknown,
           min(checked_at) AS oldest_checked_at
    FROM signals GROUP BY inn, moment
),
hidden AS (
    SELECT DISTINCT s.inn, s.moment, s.block
    FROM signals s JOIN judges j ON j.position = s.position
    LEFT JOIN (SELECT inn, moment, group_name FROM signals
               WHERE substitute AND state IN ({signal.present}, {signal.absent}) AND is_fresh
               GROUP BY ALL) o ON o.inn = s.inn AND o.moment = s.moment AND o.group_name = s.group_name
    -- A complete answer may leave open what alone is critical: a status that no register uses, a flag that is NULL.
    WHERE s.state = {signal.unknown} AND NOT s.is_beyond_method AND o.inn IS NULL
          AND (s.stop OR s.weight >= CASE WHEN s.block_state = {snapshot.partial} THEN j.high ELSE j.critical END)
          AND s.block_state IN {evidence_states}
),
gaps AS (
    SELECT i.inn, i.moment, list(b.block ORDER BY b.block_no) AS unknown_blocks,
           list(CASE WHEN h.inn IS NULL OR j.is_stale THEN j.collected_at END ORDER BY b.block_no) AS unknown_since,
           list(b.block ORDER BY b.block_no) FILTER (j.state = {never_asked}) AS never_requested_blocks
    FROM judged_inns i
    JOIN policy_blocks b ON b.position = i.position
         AND CASE length(i.inn) WHEN 10 THEN b.of_companies ELSE b.of_persons END
    LEFT JOIN judged j ON j.inn = i.inn AND j.moment = i.moment AND j.block_no = b.block_no
    LEFT JOIN hidden h ON h.inn = i.inn AND h.moment = i.moment AND h.block = b.block
    WHERE NOT coalesce(j.is_fresh, false) OR h.inn IS NOT NULL
    GROUP BY i.inn, i.moment
),
old_blocks AS (
    SELECT inn, moment, list(block ORDER BY block_no) AS stale_blocks FROM judged WHERE is_stale GROUP BY inn, moment
),
levels AS (
    SELECT w.*, j.policy_name, j.policy_version,
           CASE WHEN is_stopped OR score >= critical THEN {level.critical} WHEN score >= high THEN {level.high}
                WHEN score >= medium THEN {level.medium} ELSE {level.low} END AS level_known,
           CASE WHEN may_be_stopped OR score_at_most >= critical THEN {level.critical}
                WHEN score_at_most >= high THEN {level.high}
                WHEN score_at_most >= medium THEN {level.medium} ELSE {level.low} END AS level_at_most
    FROM weighed w JOIN judges j ON j.position = w.position
),
scores AS (
    SELECT l.inn,
           CASE WHEN l.level_known IN ({level.critical}, {level.high}) THEN l.level_known
                WHEN g.unknown_blocks IS NOT NULL THEN {level.unknown} ELSE l.level_known END AS level,
           l.level_known, l.level_at_most, l.score, l.score_confirmed, l.score_at_most,
           coalesce(g.unknown_blocks, []) AS unknown_blocks, coalesce(g.unknown_since, []) AS unknown_since,
           coalesce(g.never_requested_blocks, []) AS never_requested_blocks,
           coalesce(o.stale_blocks, []) AS stale_blocks,
           CASE WHEN t.absent = 0 AND l.score_confirmed = 0 THEN 'none'
                WHEN list_has_all(coalesce(g.unknown_blocks, []), t.blocks_of_unknown) THEN 'all'
                ELSE 'some' END AS known_part,
           t.reasons, t.reasons_ru, t.unknown_signals, t.present, t.absent, t.unknown, t.never_requested, t.not_offered,
           t.oldest_checked_at, l.policy_name AS policy, l.policy_version, l.moment AS assessed_at
    FROM levels l JOIN counted t ON t.inn = l.inn AND t.moment = l.moment
    LEFT JOIN gaps g ON g.inn = l.inn AND g.moment = l.moment
    LEFT JOIN old_blocks o ON o.inn = l.inn AND o.moment = l.moment
)
"""


def list_persons(columns: str) -> str:
    """SQL of columns of all rows of `PERSON_TABLES`."""
    return " UNION ALL ".join(f"SELECT {columns} FROM core.{table}" for table in PERSON_TABLES)


def assessed_now() -> str:
    """The state of every block now, for `FROM`: `block_states` with its moment of assessment."""
    return f"(SELECT *, {NOW} AS moment FROM block_states)"


def judged_cte(blocks: str, *, is_selected: bool = False) -> str:
    """CTE `judged` over those of the policies, with a comma: the states of these blocks, with what the policy allows.

    `is_selected`: `blocks` are those of the INNs in `SELECTED`. Joined once more, few INNs count as few: DuckDB took
    their states for millions, and built hash tables of all versions, snapshots and facts.
    """
    join = f"\n    JOIN {SELECTED} s ON s.inn = k.inn" if is_selected else ""
    cte = JUDGED.strip().replace("{assessed_blocks}", blocks).replace("{is_stale}", IS_STALE)
    return cte.replace("{join_selected}", join)


def signal_ctes(
    blocks: str = "", versions: str = VERSIONS, *, selection: str = "", is_stored: bool = True, others: str = ""
) -> str:
    """CTEs over `block_states`, the last are `judged_inns` and `signals`.

    `blocks`: what is judged instead of `block_states` now; `versions`: a relation like `lineage.versions`, with first
    and last sight up to that moment. `selection`: the query of the INNs of `blocks`, over the CTEs of the policies,
    which becomes the CTE `SELECTED`. `is_stored`: read `lineage.findings`; otherwise every rule is evaluated, for a
    database without that table, or policies whose limits it lacks. `others`: a relation (inn, moment, is_high,
    version_ids) of INNs that are not judged, but may be linked to those that are: their own level, and the versions
    that name their directors and founders. State placeholders are left to the mart registry.
    """
    own = _own_level_ctes(blocks, versions, selection=selection, is_stored=is_stored)
    levels = f" UNION ALL\n    SELECT inn, moment, is_high FROM {others}" if others else ""
    themselves = f" UNION SELECT inn, moment, inn FROM {others}" if others else ""
    cards = f"\n          UNION ALL SELECT inn, moment, unnest(version_ids) FROM {others}" if others else ""
    linked = f"{own},\n{LINKED_SIGNALS.strip()}\n{ALL_SIGNALS.strip()}".replace("{others_levels}", levels)
    return (
        linked.replace("{others_cards}", cards)
        .replace("{others_themselves}", themselves)
        .replace("{persons}", list_persons("version_id, item_inn, name"))
        .replace("{linked_number}", str(NUMBERS[LINKED.signal]))
        .replace("{materialized}", "MATERIALIZED")
        .replace("{stale}", literal(STALE))
        .replace("{not_told}", literal(NOT_STATED))
        .replace("{incomplete}", literal(INCOMPLETE))
    )


def own_level_ctes(blocks: str, versions: str) -> str:
    """CTEs like those of `signal_ctes`, the last is `own_levels`: whether the own signals of an INN reach high."""
    own = _own_level_ctes(blocks, versions).replace("{others_levels}", "")
    return own.replace("{linked_number}", str(NUMBERS[LINKED.signal]))


def _own_level_ctes(blocks: str, versions: str, *, selection: str = "", is_stored: bool = True) -> str:
    policies = policy_ctes(limits_version_sql() if is_stored else "")
    selected = f"{SELECTED} AS MATERIALIZED ({selection}),\n" if selection else ""
    judged = judged_cte(blocks or assessed_now(), is_selected=bool(selection))
    parts = (policies + ",", selected + judged, SIGNALS.strip(), OWN_LEVELS.strip())
    findings = stored_findings_query() if is_stored else evaluate_query(VERSION_RULES)
    history_numbers = ", ".join(str(NUMBERS[rule.signal]) for rule in RULES if rule.query)
    sql = (
        "\n".join(parts)
        .replace("{history_numbers}", history_numbers)
        .replace("{findings}", findings)
        .replace("{history}", history_query())
    )
    return sql if versions == VERSIONS else sql.replace(VERSIONS, versions)


def score_ctes(
    blocks: str = "", versions: str = VERSIONS, *, selection: str = "", is_stored: bool = True, others: str = ""
) -> str:
    """CTEs over `block_states`, the last is `scores`: the columns of `mart.risk_score`; arguments of `signal_ctes`."""
    signals = signal_ctes(blocks, versions, selection=selection, is_stored=is_stored, others=others)
    return f"{signals},\n{SCORES.strip()}"
