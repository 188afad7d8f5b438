"""Blocks of a full check, each with nothing to tell but what a test adds, and warehouses that are asked with them."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from innspect.schemas.blocks.sanctions import LISTS
from innspect.schemas.catalogue import FULL_CHECK
from innspect.warehouse.database import Warehouse
from tests.support.builders import FULL_CHECK_KEYS, Response, full_check_body, load_responses

START = datetime.now(UTC).replace(tzinfo=None, minute=0, second=0, microsecond=0) - timedelta(days=3)
"""When the first response is requested: lately, because old evidence is stale."""
PLAIN: Mapping[str, Mapping[str, Any]] = {
    "company": {
        "ogrn": "1027700132195",
        "name": "ОБЩЕСТВО",
        "short_name": "ООО",
        "status": "active",
        "registration_date": "2010-03-04",
        "authorized_capital": 500000,
        **dict.fromkeys(
            ("invalid_data", "invalid_address", "illegal_finance", "mass_director", "mass_founder", "mass_address"),
            False,
        ),
        **dict.fromkeys(("unfair_supplier", "disqualified_persons", "sanctions", "sanctions_founders"), False),
    },
    "fssp": {
        **dict.fromkeys(("total_proceedings", "active_proceedings", "completed_proceedings"), 0),
        **dict.fromkeys(("total_debt_rub", "active_debt_rub"), 0),
        **dict.fromkeys(("completed_paid", "completed_no_assets", "completed_expired", "completed_returned"), 0),
        "completed_other": 0,
        "proceedings": [],
    },
    "arbitration": {
        **dict.fromkeys(("total_cases", "as_plaintiff", "as_respondent", "as_third", "won", "lost"), 0),
        "total_claim_sum": 0,
        "cases": [],
    },
    "bankruptcy": {"has_bankruptcy": False, "has_intention": False, "status": "", "total_cases": 0, "cases": []},
    "contracts": {"total_contracts": 0, "total_amount": 0, "contracts": []},
    "financial": {"has_data": True, "years": [START.year - 2, START.year - 1]},
    "pledges": {
        "total_pledges": 0,
        "fetched": 0,
        "pledges": [],
        "raw": {"answered": True, "sources": ["notary", "fedresurs"]},
    },
    "inspections": {"total": 0, "completed": 0, "with_violations": 0, "planned": 0, "unplanned": 0, "inspections": []},
    "risk_flags": {
        **dict.fromkeys(("mass_director", "mass_founder", "mass_address", "disqualified_persons"), False),
        "disqualified_records": [],
        "linked_companies": [],
        "mass_check_unavailable": False,
    },
    "rnp": {"total": 0, "active": 0, "historic": 0, "records": []},
    "sanctions": {"name": "ООО", "hits": [], "sources_checked": list(LISTS)},
    "freezes": {"available": True, "found": False, "count": 0, "items": []},
    "general_courts": {"total_cases": 0, "courts_searched": 3, "courts_in_region": 3, "errors": 0, "cases": []},
    "tax_debts": {"total": 0, "total_sum": 0, "records": [], "status": "loaded"},
    "tax_offences": {"total": 0, "total_sum": 0, "records": [], "status": "loaded"},
    "employees": {"record": {"headcount": 12, "publish_date": "31.12.2025"}, "status": "loaded"},
    "revexp": {"record": {"revenue": 1000, "expense": 900, "period": "2025"}, "status": "loaded"},
    "msp": {"record": {"headcount": 12, "category": "Малое предприятие", "as_of": "2026-11-10"}, "status": "loaded"},
    "licenses": {"total": 0, "health": [], "mchs": [], "sources_checked": ["ROSZ", "MCHS"]},
    "leasing": {"total_contracts": 0, "contracts": []},
    "minjust_check": {"name": "ООО", "hits": [], "sources_checked": ["minjust"]},
    "founded_companies": {"count": 0, "items": []},
}
KEYS = {name: FULL_CHECK_KEYS[name] for name in PLAIN}


def blocks(**changes: Mapping[str, Any] | list[Any]) -> dict[str, Any]:
    """These blocks alone, plain but for what is changed, under the keys of the full check."""
    return {
        FULL_CHECK_KEYS[name]: change if isinstance(change, list) else {**PLAIN[name], **change}
        for name, change in changes.items()
    }


def all_blocks(**changes: Mapping[str, Any]) -> dict[str, Any]:
    """Every block, plain but for what is changed, under the keys of the full check."""
    return blocks(**{**{name: {} for name in KEYS}, **changes})


def full_check_response(
    inn: str, content: Mapping[str, Any], *, at: datetime | None = None, name: str = ""
) -> Response:
    """A full check of an INN that brings these keys; the blocks that it lacks are missing."""
    verified = [key for key, value in content.items() if isinstance(value, Mapping) and "verified" in value]
    body = {key: value for key, value in content.items() if key not in verified}
    fetched_at = int((at or START).replace(tzinfo=UTC).timestamp())
    return Response(
        FULL_CHECK, full_check_body(body, verified, inn=inn, fetched_at=fetched_at), inn, asked_at=at, name=name
    )


def add_members(warehouse: Warehouse, *inns: str, portfolio: str = "p", **more: str | None) -> None:
    """Make these INNs members of a portfolio."""
    for inn in inns:
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES (?, ?, ?, NULL, ?, ?, now()::TIMESTAMP, now()::TIMESTAMP, NULL)",
            [portfolio, inn, more.get("name"), more.get("tags"), more.get("extra")],
        )


def load(warehouse: Warehouse, *answers: Response, start: int = 0) -> None:
    """Load answers; the hours count from `start`."""
    timed = [
        answer if answer.asked_at else replace(answer, asked_at=START + timedelta(hours=start, seconds=number))
        for number, answer in enumerate(answers)
    ]
    load_responses(warehouse, *timed, start=start)


def rows(warehouse: Warehouse, query: str, *values: object) -> list[tuple]:
    """The rows of a query."""
    return warehouse.connection.execute(query, list(values)).fetchall()


def single_row(warehouse: Warehouse, query: str, *values: object) -> dict[str, Any]:
    """The single row of a query, by column."""
    result = warehouse.connection.execute(query, list(values))
    names = [column[0] for column in result.description]
    (row,) = result.fetchall()
    return dict(zip(names, row, strict=True))
