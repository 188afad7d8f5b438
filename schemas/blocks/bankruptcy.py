"""Bankruptcy: stage, intentions and the debtor's cards."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Ignored,
    Inline,
    List,
    Mark,
    Row,
    company_method,
    count_of,
    has_text,
    person_method,
)
from innspect.schemas.kinds import FLAG, INN, ISO, OGRN, TEXT, YMD, moment, one_of

STAGES = (
    "observation",
    "financial_recovery",
    "external_management",
    "proceedings",
    "completed",
    "citizen_restructuring",
    "citizen_property_sale",
)


class Manager(Row):
    """The arbitration manager of a case."""

    name = Field(TEXT, "Name of the arbitration manager.")
    guid = Field(TEXT, "Identifier of the manager in the bankruptcy register.")
    type = Field(one_of("Person", "Company"), "Whether the manager is a person or a company.")


class DebtorCard(Row, key=("case_number|ogrn|inn|name",)):
    """One debtor card found by the exact INN or OGRN; a card alone is not a bankruptcy."""

    status = Field(TEXT, "Recognised stage, or the start of the source's wording in lower case.")
    status_raw = Field(TEXT, "Stage in the source's words.")
    name = Field(TEXT, "Debtor's name on the card.")
    inn = Field(INN, "Debtor's INN on the card.")
    ogrn = Field(OGRN, "Debtor's registration number on the card.")
    region = Field(TEXT, "Region; usually not given.")
    case_number = Field(TEXT, "Number of the arbitration-court case, where a publication has one.")
    arbitration_manager = Inline(Manager, "Manager, if there are publications.", "arbitration_manager_", or_text=True)
    update_date = Field(moment(ISO, YMD), "Last change of the card.")


class Bankruptcy(
    Block,
    name="bankruptcy",
    order=4,
    title_en="Bankruptcy",
    title_ru="Банкротство",
    full_check="bankruptcy",
    methods=(company_method("bankruptcy", 8), person_method("bankruptcy", 10)),
):
    """Bankruptcy of the company or the person: one row, with the heaviest stage."""

    has_bankruptcy = Field(FLAG, "Whether a bankruptcy stage was recognised; a card alone is not one.")
    has_intention = Field(FLAG, "Whether a notice of the intention to go to court is published.")
    status = Field(one_of(*STAGES), "Heaviest stage recognised.")
    total_cases = count_of("cases", "Debtor cards found, not bankruptcy cases.")
    cases = List(DebtorCard, "Debtor cards, usually one.")
    raw = Ignored("Free-form service data, normally empty.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(content=has_text("status"))
