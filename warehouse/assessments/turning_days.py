"""Days on which what a risk rule finds may differ from the day before, without any new response.

A rule that looks at the day of judgement compares it with a date and a limit: `within limits.days`, `in the last
limits.years`. Its finding turns when the limit has passed since the date.
"""

from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.risk.policy_sql import limit_column

MONTH_SLACK_DAYS = 7
"""Months and years are subtracted from the day of judgement: the day on which a date is passed may be days later than
the date plus the months, because months differ in length."""


def _limit(signal: str, name: str) -> str:
    return f"p.{limit_column(signal, name)}::INTEGER"


def _days(signal: str, name: str = "days") -> str:
    return f"to_days({_limit(signal, name)})"


CASE_PERIODS = (
    f"to_years({_limit('arbitration_claims', 'years')})",
    f"to_years({_limit('claims_lost_large', 'years')})",
    f"to_months({_limit('litigation_growing', 'months')})",
    f"to_months(2 * {_limit('litigation_growing', 'months')})",
)
CARD_PERIODS = tuple(
    _days(signal) for signal in ("director_changed", "founder_changed", "address_changed", "name_changed")
)
TURNING_DATES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("company", "registration_date", (_days("young"), _days("contracts_without_staff", "young_days"))),
    ("company__founder_shares", "date", CARD_PERIODS),
    ("risk_flags__disqualified_records", "end_date", ("to_days(1)",)),
    ("arbitration__cases", "date", CASE_PERIODS),
    ("general_courts__cases__writs", "date", (_days("writs_issued"),)),
    ("contracts__contracts", "sign_date", (f"to_months({_limit('contracts_without_staff', 'months')})",)),
)
"""Table of `core`, its column of the date, and the periods after which a finding turns."""
STATEMENT_YEARS = (
    "SELECT version_id, max(year) AS year FROM (SELECT version_id, value AS year FROM core.financial__years "
    "UNION ALL SELECT version_id, year FROM core.financial__indicators) GROUP BY version_id"
)


def turning_days_query(inns: str, day: str) -> str:
    """SQL of `inn` and `valid_until`, the first day after `day` on which a finding may differ; NULL limits turn never.

    `inns`: a relation of `inn` and `policy_version`; all its versions count. It reads the CTE `policy_limits`.
    """
    own = f"FROM lineage.versions v JOIN {inns} k ON k.inn = v.inn JOIN policy_limits p USING (policy_version)"
    parts = [
        f"SELECT v.inn, unnest([{', '.join(f'({column} + {period})::DATE' for period in periods)}]) AS turns_on "
        f"{own} JOIN core.{identifier(table)} t ON t.version_id = v.version_id"
        for table, name, periods in TURNING_DATES
        for column in [f"t.{identifier(name)}"]
    ]
    card_days = ", ".join(f"(v.first_seen_at::DATE + {period})::DATE" for period in CARD_PERIODS)
    parts.append(f"SELECT v.inn, unnest([{card_days}]) AS turns_on {own} WHERE v.block = {literal('company')}")
    due = _limit("statements_missing", "due_month")
    parts.append(
        f"SELECT v.inn, make_date((t.year + 2)::INTEGER, {due}, 1) AS turns_on {own} "
        f"JOIN ({STATEMENT_YEARS}) t ON t.version_id = v.version_id"
    )
    turns = "\nUNION ALL ".join(parts)
    return f"""
SELECT inn, min(CASE WHEN turns_on > {day} THEN turns_on
                     WHEN turns_on + {MONTH_SLACK_DAYS} > {day} THEN {day} + 1 END)::DATE AS valid_until
FROM ({turns}) GROUP BY inn""".strip()
