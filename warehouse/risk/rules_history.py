"""Rules that read more than one version: other blocks, earlier versions, or other members.

Each query returns `inn, moment, present, began, evidence`, and columns that `facts` and `seen` read, for the INNs that
it can judge. It reads `judged` (one row per INN, block and moment of assessment), `sizes`, `policy_limits` and the
tables of `core`.
"""

from innspect.schemas.tables import tables
from innspect.warehouse.marts.known_rows import name_key
from innspect.warehouse.risk.rule import COMPANIES, EVERYONE, Rule, least_money, money

MAX_CONTRACTS = tables()["contracts__contracts"].max_rows
FOUNDERS = f"""
(SELECT list_distinct(list({{'inn': f.item_inn, 'name': f.name, 'key': {name_key("f.name")}}}))
 FROM core.company__founders f WHERE f.version_id = v.version_id)"""
SAME_FOUNDER = "coalesce(CASE WHEN n.inn IS NULL OR o.inn IS NULL THEN n.key = o.key ELSE n.inn = o.inn END, false)"


def _lacks(founders: str, n: str, others: str, o: str) -> str:
    """SQL expression: whether `founders` has one who is not among `others`."""
    is_there = f"coalesce(list_bool_or(list_transform({others}, lambda {o}: {SAME_FOUNDER})), false)"
    return f"len(list_filter({founders}, lambda {n}: NOT {is_there})) > 0"


OTHER_FOUNDERS = (
    f"len(before) <> len(value) OR {_lacks('value', 'n', 'before', 'o')} OR {_lacks('before', 'o', 'value', 'n')}"
)
"""An INN that the register discloses or withholds is no other founder; a namesake more is one."""
FOUNDER_NAMES = "array_to_string(list_sort(list_transform(c.old_value, lambda f: coalesce(f.inn, f.name))), ', ')"


def _change_rule(
    signal: str,
    what: str,
    value: str,
    dates: str = "",
    is_other: str = "",
    old_text: str = "c.old_value",
) -> Rule:
    """A rule that finds a change of `value` (an expression over the card `c`) between versions, or by date.

    `is_other`: the condition of a change; otherwise texts differ in more than case and white space, which are not the
    same in stored and live cards. `old_text`: the value before as text.
    """
    is_other = is_other or f"{name_key('before')} <> {name_key('value')}"
    dated = dates or "SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false"
    return Rule(
        signal, "company",
        f"{what} within limits.days, by the register's date or between two versions; not known with a shorter history.",
        f"company.{what}", digits=EVERYONE if signal in ("address_changed", "name_changed") else COMPANIES,
        query=f"""
WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, {value} AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before IS NOT NULL AND value IS NOT NULL AND ({is_other}) GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM ({dated}) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.{signal}__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.{signal}__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.{signal}__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.{signal}__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.{signal}__days::INTEGER THEN 'before: ' || {old_text}
            ELSE 'entered on ' || d.changed_on END AS evidence,
       coalesce(c.changed_at >= d.changed_on, c.changed_at IS NOT NULL) AS is_seen
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id""",
        seen="is_seen",
    )  # fmt: skip


HISTORY: tuple[Rule, ...] = (
    _change_rule("director_changed", "The director changed", "c.director"),
    _change_rule(
        "founder_changed", "The founders changed", FOUNDERS,
        # The founders who registered the company are no change.
        "SELECT s.version_id, s.date AS changed_on FROM core.company__founder_shares s "
        "JOIN core.company r ON r.version_id = s.version_id "
        "AND s.date > coalesce(r.registration_date, DATE '1900-01-01')",
        OTHER_FOUNDERS, FOUNDER_NAMES,
    ),
    _change_rule("address_changed", "The address changed", "c.address"),
    _change_rule("name_changed", "The name changed", "c.name"),
    Rule(
        "licence_lost", "licenses",
        "A licence known before is gone or no longer in force; a reissued one: no other of its register is in force.",
        "licenses.health.license_number, status", facts="numbers", seen="true", query="""
WITH known AS (
    SELECT j.inn, j.moment, j.version_id AS latest, v.version_id, v.first_seen_at, v.last_seen_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = 'licenses' AND v.first_seen_at <= j.moment
    WHERE j.block = 'licenses' AND j.version_id IS NOT NULL
),
entries AS (
    SELECT k.*, h.source, h.license_number,
           coalesce(regexp_matches(lower(h.status), 'прекращ|аннул|приостан|не действ|недейств'), false) AS is_ended,
           coalesce(regexp_matches(lower(h.status), 'переоформ'), false) AS is_reissued
    FROM known k JOIN core.licenses__health h ON h.version_id = k.version_id
    WHERE h.license_number IS NOT NULL
),
-- A reissued licence stays in force as another one of its register.
dated AS (
    SELECT *, NOT is_ended AND bool_or(NOT is_ended AND NOT is_reissued)
                  OVER (PARTITION BY inn, moment, version_id, source) AS is_in_force
    FROM entries
),
numbered AS (
    SELECT inn, moment, license_number, max(last_seen_at) FILTER (is_in_force) AS in_force_at
    FROM dated GROUP BY inn, moment, license_number
    HAVING NOT bool_or(version_id = latest AND is_in_force)
),
lost AS (
    SELECT inn, moment, list(license_number ORDER BY license_number) AS numbers, max(in_force_at) AS in_force_at
    FROM numbered GROUP BY inn, moment
),
histories AS (SELECT inn, moment, list(first_seen_at) AS starts FROM known GROUP BY inn, moment)
SELECT h.inn, h.moment, l.numbers IS NOT NULL AS present,
       coalesce(list_min(list_filter(h.starts, lambda s: s > l.in_force_at)), l.in_force_at) AS began,
       'licences: ' || len(l.numbers) || ', No. ' || l.numbers[1] AS evidence, l.numbers
FROM histories h LEFT JOIN lost l USING (inn, moment)""",
    ),
    Rule(
        "revenue_mismatch", "financial",
        "Statements and tax data set differ limits.times or more for one year; not known without a common year.",
        "financial.indicators: revenue, revexp.revenue", digits=COMPANIES, query=f"""
SELECT j.inn, j.moment,
       CASE WHEN i.amount IS NULL OR t.revenue IS NULL THEN NULL
            WHEN greatest(i.amount, t.revenue) > 0
                 AND greatest(i.amount, t.revenue) >= p.revenue_mismatch__times * least(i.amount, t.revenue) THEN true
            WHEN s.is_fresh AND s.is_complete THEN false END AS present,
       t.period::TIMESTAMP AS began,
       i.year || ': ' || {money("i.amount")} || ' in the statements, ' || {money("t.revenue")} || ' in the data set'
           AS evidence
FROM judged j JOIN policy_limits p ON p.policy_version = j.policy_version
JOIN judged s ON s.inn = j.inn AND s.moment = j.moment AND s.block = 'revexp'
JOIN core.revexp t ON t.version_id = s.version_id
LEFT JOIN core.financial__indicators i ON i.version_id = j.version_id AND i.indicator = 'revenue'
     AND i.year = year(t.period)
WHERE j.block = 'financial' AND j.version_id IS NOT NULL""",
    ),
    Rule(
        "contracts_without_staff", "contracts",
        "State contracts signed as supplier in the last limits.months months amount to limits.amount_rub or more, with "
        "at most limits.headcount employees, or above limits.size_times its size, or younger than limits.young_days.",
        "contracts.contracts.amount, sign_date; employees.headcount; revexp.revenue; company.registration_date",
        digits=COMPANIES, query=f"""
WITH signed AS (
    SELECT j.inn, j.moment, j.policy_version, j.day,
           coalesce(sum(c.amount) FILTER (c.sign_date > j.begin), 0) AS amount,
           min(c.sign_date) FILTER (c.sign_date > j.begin) AS since,
           count(*) FILTER (coalesce(c.sign_date > j.begin, true)
                            AND (c.amount IS NULL OR c.sign_date IS NULL)) AS unclear,
           coalesce(any_value(t.as_supplier), 0) > count(c.version_id) AS is_unlisted,
           coalesce(any_value(t.total_contracts) >= {MAX_CONTRACTS}, false) AS is_capped
    FROM (SELECT u.*, u.day - to_months(p.contracts_without_staff__months::INTEGER) AS begin
          FROM judged u JOIN policy_limits p ON p.policy_version = u.policy_version) j
    JOIN core.contracts t ON t.version_id = j.version_id
    LEFT JOIN core.contracts__contracts c ON c.version_id = j.version_id AND coalesce(c.role, 'supplier') = 'supplier'
    WHERE j.block = 'contracts' GROUP BY j.inn, j.moment, j.policy_version, j.day
),
judgements AS (
    SELECT s.*, p.contracts_without_staff__amount_rub AS least,
           CASE WHEN e.headcount <= p.contracts_without_staff__headcount THEN true
                WHEN h.is_fresh AND e.headcount IS NOT NULL THEN false END AS is_unstaffed,
           CASE WHEN s.amount > p.contracts_without_staff__size_times * z.size THEN true
                WHEN z.is_fresh AND z.size IS NOT NULL THEN false END AS is_above_size,
           card.registration_date > s.day - p.contracts_without_staff__young_days::INTEGER AS is_young,
           e.headcount, z.size, card.registration_date
    FROM signed s JOIN policy_limits p ON p.policy_version = s.policy_version
    LEFT JOIN judged h ON h.inn = s.inn AND h.moment = s.moment AND h.block = 'employees'
    LEFT JOIN core.employees e ON e.version_id = h.version_id
    LEFT JOIN judged k ON k.inn = s.inn AND k.moment = s.moment AND k.block = 'company'
    LEFT JOIN core.company card ON card.version_id = k.version_id
    LEFT JOIN sizes z ON z.inn = s.inn AND z.moment = s.moment
)
SELECT inn, moment,
       CASE WHEN amount >= least THEN is_unstaffed OR is_above_size OR is_young
            WHEN (unclear > 0 OR is_unlisted) AND coalesce(is_unstaffed OR is_above_size OR is_young, true) THEN NULL
            ELSE false END AS present,
       since::TIMESTAMP AS began,
       concat_ws(', ', {least_money("amount", "unclear + is_unlisted::INTEGER + is_capped::INTEGER")},
                 CASE WHEN is_unstaffed THEN 'headcount ' || headcount END,
                 CASE WHEN is_above_size THEN 'yearly revenue ' || {money("size")} END,
                 CASE WHEN is_young THEN 'registered ' || registration_date END) AS evidence
FROM judgements""",
    ),
)  # fmt: skip

LINKED = Rule(
    "linked_to_high_risk", "company",
    "It shares a director or founder, by INN, with a member whose level by its own signals is critical or high, or one "
    "of the two directs or founds the other; not known if that member's level may be that high, or if a director or "
    "founder has no INN.",
    "company.directors, founders; mart.risk_score.level_known",
)  # fmt: skip
"""The only rule over other members; it is judged after the levels of all, see `signals`."""
