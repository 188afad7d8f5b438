"""The subjects of a dossier in order: their blocks, their figures, and their tables over the marts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a column is written."""

    TEXT = "text"
    CODE = "code"
    SOURCE = "source"
    EVENT = "event"
    DAY = "day"
    MOMENT = "moment"
    YEAR = "year"
    MONEY = "money"
    NUMBER = "number"
    PERCENT = "percent"
    FLAG = "flag"


NUMERIC = frozenset({Kind.MONEY, Kind.NUMBER, Kind.PERCENT})
"""Kinds that are aligned to the right."""


@dataclass(frozen=True, slots=True)
class SubjectTable:
    """Rows of a mart about one INN; `name` is the key of its title.

    `relation` and `condition` are SQL; `order` puts the rows first that matter most, and is complete: rows that it
    takes for equal come in the order of all their columns. `blocks` decide what an empty table means.
    """

    name: str
    blocks: tuple[str, ...]
    relation: str
    columns: Mapping[str, Kind]
    order: str
    condition: str = "true"

    @property
    def query(self) -> str:
        """The SQL of the rows of `$inn`; `confirmed` is false where the latest response does not contain the row."""
        columns = ", ".join(self.columns)
        confirmed = "confirmed" if self.relation.startswith("mart.") else "true AS confirmed"
        return (
            f"SELECT {columns}, {confirmed} FROM {self.relation} WHERE inn = $inn AND ({self.condition}) "
            f"ORDER BY {self.order}, {', '.join(f'{column} NULLS LAST' for column in self.columns)}"
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """A section: `figures` are columns of mart.company_profile; `chart` names a drawing."""

    name: str
    blocks: tuple[str, ...]
    figures: tuple[str, ...] = ()
    tables: tuple[SubjectTable, ...] = ()
    chart: str = ""


TEXT, CODE, DAY, YEAR = Kind.TEXT, Kind.CODE, Kind.DAY, Kind.YEAR
MONEY, NUMBER, PERCENT, FLAG = Kind.MONEY, Kind.NUMBER, Kind.PERCENT, Kind.FLAG

SUBJECTS: tuple[Subject, ...] = (
    Subject(
        "registration",
        ("company", "msp", "employees"),
        (
            "status", "status_description", "registration_date", "liquidation_date", "okved_name",
            "authorized_capital_rub", "sme_category", "headcount",
        ),
        (
            SubjectTable(
                "register_events", ("company", "timeline"), "mart.events",
                {"happened_on": DAY, "kind": CODE, "event": Kind.EVENT},
                "happened_on DESC NULLS LAST", "source = 'register'",
            ),
        ),
    ),
    Subject(
        "people",
        ("company", "risk_flags"),
        (),
        (
            SubjectTable(
                "people", ("company",), "mart.people",
                {"role": CODE, "person_name": TEXT, "person_inn": TEXT, "position": TEXT, "share_pct": PERCENT,
                 "share_rub": MONEY, "current": FLAG},
                "current DESC, role, share_pct DESC NULLS LAST",
            ),
            SubjectTable(
                "related_companies", ("founded_companies", "risk_flags"), "mart.related_companies",
                {"related_name": TEXT, "related_inn": TEXT, "relation": CODE, "role": CODE, "status": TEXT,
                 "via_name": TEXT},
                "relation, historic NULLS FIRST",
            ),
            SubjectTable(
                "disqualifications", ("risk_flags",), "mart.disqualifications",
                {"person_name": TEXT, "birth_date": DAY, "position": TEXT, "offence": TEXT, "ends_on": DAY},
                "ends_on DESC NULLS FIRST",
            ),
        ),
    ),
    Subject(
        "finances",
        ("financial", "revexp"),
        ("revenue_rub", "expense_rub"),
        (
            SubjectTable(
                "statements", ("financial",), "mart.financials",
                {"year": YEAR, "revenue_rub": MONEY, "net_profit_rub": MONEY, "equity_rub": MONEY,
                 "assets_rub": MONEY, "payables_rub": MONEY},
                "year DESC",
            ),
        ),
        chart="finances",
    ),
    Subject(
        "taxes",
        ("tax_debts", "tax_offences"),
        ("tax_debt_rub", "tax_fines_rub"),
        (
            SubjectTable(
                "taxes", ("tax_debts", "tax_offences", "company"), "mart.taxes",
                {"year": YEAR, "kind": CODE, "tax": TEXT, "amount_rub": MONEY, "as_of": DAY, "block": Kind.SOURCE},
                "list_position(['debt', 'fine', 'payment', 'regime'], kind), amount_rub DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "courts",
        ("arbitration", "general_courts"),
        ("cases", "cases_as_respondent", "claims_rub", "general_court_cases"),
        (
            SubjectTable(
                "cases", ("arbitration", "general_courts"), "mart.litigation",
                {"filed_on": DAY, "case_number": TEXT, "role": CODE, "claim_rub": MONEY, "result": CODE, "court": TEXT,
                 "other_parties": TEXT},
                "claim_rub DESC NULLS LAST, filed_on DESC NULLS LAST",
            ),
            SubjectTable(
                "court_acts", ("arbitration", "general_courts"), "mart.court_acts",
                {"filed_on": DAY, "case_number": TEXT, "title": TEXT, "court": TEXT},
                "filed_on DESC NULLS LAST",
            ),
        ),
        chart="courts",
    ),
    Subject(
        "enforcement",
        ("fssp",),
        ("active_proceedings", "active_debt_rub"),
        (
            SubjectTable(
                "proceedings", ("fssp",), "mart.enforcement",
                {"opened_on": DAY, "proceeding": TEXT, "subject": TEXT, "amount_rub": MONEY, "active": FLAG,
                 "end_reason": TEXT},
                "active DESC NULLS LAST, amount_rub DESC NULLS LAST, opened_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "bankruptcy",
        ("bankruptcy",),
        ("bankruptcy_stage", "bankruptcy_intention"),
        (
            SubjectTable(
                "bankruptcy_cases", ("bankruptcy",), "mart.bankruptcy_cases",
                {"updated_at": DAY, "case_number": TEXT, "stage": CODE, "stage_description": TEXT, "manager": TEXT},
                "updated_at DESC NULLS LAST",
            ),
            SubjectTable(
                "publications", ("timeline",), "mart.events",
                {"happened_on": DAY, "number": TEXT, "event": TEXT, "publisher": TEXT},
                "happened_on DESC NULLS LAST", "source = 'efrsb'",
            ),
        ),
    ),
    Subject(
        "freezes",
        ("freezes",),
        ("freezes",),
        (
            SubjectTable(
                "account_freezes", ("freezes",), "mart.account_freezes",
                {"decided_on": DAY, "decision_number": TEXT, "bank": TEXT, "bik": TEXT, "authority": TEXT},
                "decided_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "lists",
        ("sanctions", "rnp", "minjust_check"),
        ("sanction_hits", "rnp_active"),
        (
            SubjectTable(
                "sanctions_hits", ("sanctions",), "mart.sanctions_hits",
                {"list_label": TEXT, "program": TEXT, "confidence": CODE, "listed_name": TEXT, "of_manager": FLAG,
                 "designated_on": DAY},
                "list_position(['high', 'medium', 'low'], confidence), designated_on DESC NULLS LAST",
            ),
            SubjectTable(
                "unfair_supplier_entries", ("rnp",), "mart.unfair_supplier_entries",
                {"included_on": DAY, "reg_number": TEXT, "law": TEXT, "active": FLAG, "reason": TEXT},
                "active DESC, included_on DESC NULLS LAST",
            ),
            SubjectTable(
                "foreign_agents", ("minjust_check",), "mart.foreign_agents",
                {"listed_name": TEXT, "included_on": DAY, "details": TEXT}, "included_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "contracts",
        ("contracts",),
        ("contracts", "contracts_as_supplier_rub", "contracts_as_customer_rub"),
        (
            SubjectTable(
                "state_contracts", ("contracts",), "mart.state_contracts",
                {"signed_on": DAY, "reg_num": TEXT, "role": CODE, "amount_rub": MONEY, "counterparty_name": TEXT,
                 "subject": TEXT},
                "amount_rub DESC NULLS LAST, signed_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "pledges",
        ("pledges", "leasing"),
        ("pledges",),
        (
            SubjectTable(
                "pledges", ("pledges",), "mart.pledges",
                {"registered_on": DAY, "kind": CODE, "notice_number": TEXT, "property": TEXT},
                "registered_on DESC NULLS LAST",
            ),
            SubjectTable(
                "leasing_contracts", ("leasing",), "mart.leasing_contracts",
                {"signed_on": DAY, "lessor": TEXT, "subject": TEXT, "amount_rub": MONEY, "status": TEXT},
                "amount_rub DESC NULLS LAST, signed_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "inspections",
        ("inspections",),
        ("inspections_with_violations",),
        (
            SubjectTable(
                "inspections", ("inspections",), "mart.inspections",
                {"started_on": DAY, "number": TEXT, "kind": TEXT, "status": TEXT, "has_violations": FLAG,
                 "purpose": TEXT},
                "has_violations DESC NULLS LAST, started_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "licences",
        ("licenses",),
        ("licenses",),
        (
            SubjectTable(
                "licences", ("licenses", "company"), "mart.licences",
                {
                    "issued_on": DAY, "number": TEXT, "kind": CODE, "activity": TEXT, "authority": TEXT, "status": TEXT,
                    "register": Kind.SOURCE,
                },
                "issued_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "trademarks",
        ("trademarks",),
        ("trademarks",),
        (
            SubjectTable(
                "trademarks", ("trademarks",), "mart.trademarks",
                {"registered_on": DAY, "number": TEXT, "trademark": TEXT, "owner": TEXT},
                "registered_on DESC NULLS LAST",
            ),
        ),
    ),
    Subject(
        "contacts",
        ("contacts", "company"),
        (),
        (
            SubjectTable(
                "contacts", ("contacts", "company"), "mart.contacts",
                {"kind": CODE, "value": TEXT, "source": TEXT, "last_confirmed_on": DAY},
                "last_confirmed_on DESC NULLS LAST",
            ),
        ),
    ),
)  # fmt: skip
