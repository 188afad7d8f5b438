"""What is known of a block in words: figures that are lower bounds, reasons of a state, blocks without a method."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from innspect.schemas.catalogue import BLOCKS, available_blocks
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import EVIDENCE, NO_EVIDENCE, STALE, sql_list

FIGURE_BLOCKS: Mapping[str, str] = {
    **dict.fromkeys(
        ("status", "status_description", "registration_date", "liquidation_date", "director", "address", "okved_name",
         "authorized_capital_rub"),
        "company",
    ),
    "sme_category": "msp",
    "headcount": "employees",
    **dict.fromkeys(("revenue_rub", "expense_rub"), "revexp"),
    **dict.fromkeys(("active_debt_rub", "active_proceedings"), "fssp"),
    "tax_debt_rub": "tax_debts",
    "tax_fines_rub": "tax_offences",
    **dict.fromkeys(("cases", "cases_as_respondent", "claims_rub"), "arbitration"),
    "general_court_cases": "general_courts",
    "freezes": "freezes",
    "sanction_hits": "sanctions",
    "rnp_active": "rnp",
    **dict.fromkeys(("bankruptcy_stage", "bankruptcy_intention"), "bankruptcy"),
    **dict.fromkeys(
        ("contracts", "contracts_rub", "contracts_as_supplier_rub", "contracts_as_customer_rub"), "contracts"
    ),
    "pledges": "pledges",
    "inspections_with_violations": "inspections",
    "licenses": "licenses",
    "trademarks": "trademarks",
}  # fmt: skip
"""Figures of mart.company_profile, and the block that each comes from: the first of `figure_blocks`."""
DETAIL_BLOCKS: Mapping[str, str] = {
    **dict.fromkeys(("ogrn", "short_name", "okved_main"), "company"),
    "headcount_date": "employees",
    "revenue_period": "revexp",
    **dict.fromkeys(("net_profit_rub", "statements_year"), "financial"),
}
"""Columns that only some pages show among the figures: others list them elsewhere, or not at all."""
OTHER_SOURCES: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("revenue_rub", "revenue_period"), ("financial", "revenue_source")),
    **dict.fromkeys(("headcount", "headcount_date"), ("company", "headcount_source")),
    "sme_category": ("company", "sme_category_source"),
}
"""Columns with a second block that can give them, and the column that names the block which did."""
WITHOUT_AMOUNT: Mapping[str, str] = {
    "active_debt_rub": "proceedings_without_amount",
    "claims_rub": "claims_without_amount",
}
"""Sums, and the column with the number of what they sum up that has no amount."""
SHOWN_STATE = f"CASE WHEN stale AND state IN {sql_list(EVIDENCE)} THEN '{STALE}' ELSE state END"
"""SQL of the state of a row of mart.coverage as it is shown: evidence that is stale confirms nothing any more."""
NO_FRESH_ANSWER = f"state IN {sql_list(NO_EVIDENCE)} OR coalesce(list_contains(s.stale_blocks, block), false)"
"""SQL: whether the latest response of a block tells nothing of today; `s`: mart.risk_score of its INN."""
HTTP_REASON = re.compile(r"http_(\w+)")
STATUS_REASON = "status:"


def figure_value(profile: Mapping[str, Any], column: str) -> Any:
    """The figure of a row of mart.company_profile; false for the stage of a bankruptcy that is known not to exist."""
    if column == "bankruptcy_stage" and profile["bankruptcy_known"]:
        return profile[column] or False
    return profile[column]


def figure_blocks(profile: Mapping[str, Any], column: str) -> tuple[str, ...]:
    """The block that gave a column of `FIGURE_BLOCKS` or `DETAIL_BLOCKS`; if none did, each block that can give it."""
    block = FIGURE_BLOCKS.get(column) or DETAIL_BLOCKS[column]
    if column not in OTHER_SOURCES:
        return (block,)
    other, source = OTHER_SOURCES[column]
    return (block, other) if profile[source] is None else (profile[source],)


def is_lower_bound(profile: Mapping[str, Any], column: str) -> bool:
    """Whether the figure of a row of mart.company_profile is over a partial or capped list, or lacks amounts."""
    lacks_amounts = bool(profile.get(WITHOUT_AMOUNT.get(column, "")))
    return lacks_amounts or profile.get(f"{FIGURE_BLOCKS.get(column)}_complete") is False


def mark_lower_bound(texts: Mapping[str, str], text: str, value: Any) -> str:
    """The text of a figure over a partial or capped list: `at least 30`; a flag is followed by a remark instead."""
    return texts["list_incomplete" if isinstance(value, bool) else "at_least"].format(value=text)


def describe_reason(texts: Mapping[str, str], reason: str | None) -> str:
    """The reason of a coverage state, or of a signal's (`unconfirmed: sources_failed`), in words.

    Reasons are separated by commas. A part that is not declared is in the words of the service and stays as it is.
    A word that is both a reason and a state is a reason, unless it stands before a detail; a detail that only repeats
    the state is left out.
    """
    state, _, detail = (reason or "").partition(": ")
    if f"state.{state}" in texts and (detail or f"reason.{state}" not in texts):
        words = describe_reason(texts, "" if detail == state else detail)
        return ": ".join(filter(None, (texts[f"state.{state}"], words)))
    parts = (reason or "").split(",")
    return ", ".join(words for words in (_describe_part(texts, part.strip()) for part in parts) if words)


def _describe_part(texts: Mapping[str, str], part: str) -> str:
    if part.startswith(STATUS_REASON):
        return texts["reason.status"].format(word=part.removeprefix(STATUS_REASON))
    http = HTTP_REASON.fullmatch(part)
    if http is not None:
        return texts["reason.http"].format(code=http[1])
    return texts.get(f"reason.{part}", part)


def blocks_without_method(inn_digits: int, requested: Iterable[str], person_methods: tuple[str, ...] = ()) -> list[str]:
    """Blocks for which the service has no method for INNs of that length, without those that were requested anyway.

    `requested` are the blocks of mart.coverage; `person_methods` is the setting, where it is known.
    """
    if inn_digits != PERSON_DIGITS:
        return []
    offered = {*available_blocks(inn_digits, person_methods), *requested}
    return [block for block in BLOCKS if block not in offered]
