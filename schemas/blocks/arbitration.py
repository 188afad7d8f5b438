"""Arbitration-court cases."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Inline,
    List,
    Mark,
    Row,
    UnknownIfRows,
    Zero,
    company_method,
    count_of,
    has_items,
    is_one_of,
    is_true,
    person_method,
    sum_of,
)
from innspect.schemas.kinds import DMY, FLAG, INN, INTEGER, RUB, TEXT, UNIX, URL, day, one_of


class Party(Row):
    """A plaintiff or respondent."""

    name = Field(TEXT, "Name; often with address and INN in the same line.")
    inn = Field(INN, "INN of the party; almost never given.", optional=True)


class OtherParty(Row):
    """A third or other party."""

    name = Field(TEXT, "Name of the party.")
    address = Field(TEXT, "Address of the party.", optional=True)


class Event(Row):
    """A step of the case."""

    date = Field(day(DMY), "Day of the step.")
    description = Field(TEXT, "What happened.")


class Instance(Row, key=("name",)):
    """An instance of the case."""

    name = Field(
        one_of("Первая инстанция", "Апелляционная инстанция", "Кассационная инстанция"), "Name of the instance."
    )
    events = List(Event, "Steps in this instance.")


class Case(Row, key=("case_number|case_id",)):
    """A case, newest first by filing date."""

    case_id = Field(TEXT, "Identifier of the case card.")
    case_number = Field(TEXT, "Number of the case.")
    date = Field(day(DMY), "Filing date.")
    type = Field(one_of("Банкротство", "Гражданское", "Административное", "Упрощ. производство"), "Kind of case.")
    url = Field(URL, "Link to the case card.")
    file_url = Field(URL, "Link to the court act; almost never given.")
    claim_sum = Field(RUB, "Sum claimed; 0 means not extracted.", zero=Zero.UNKNOWN)
    claim_sum_unavailable = Field(FLAG, "Set at the first collection and never cleared: use claim_sum.", optional=True)
    judge = Field(TEXT, "Judge; practically empty, the name is in court.")
    court = Field(TEXT, "Court, often with the judge's name on a line above.")
    role = Field(one_of("plaintiff", "respondent", "third"), "Role of the INN in the case.")
    result = Field(one_of("won", "lost", "partial", "dismissed", "settled"), "Outcome for the INN, once recognised.")
    plaintiffs = List(Party, "Plaintiffs, at most 10.")
    respondents = List(Party, "Respondents, at most 10.")
    third_parties = List(OtherParty, "Third parties, at most 10.")
    other_parties = List(OtherParty, "Other parties; practically empty.")
    instances = List(Instance, "Instances, at most 5; filled on enrichment.")
    movements = List(Event, "Steps of the case without instances, at most 20.")
    plaintiff_inns = List(INN, "INNs of plaintiffs; practically empty.")
    respondent_inns = List(INN, "INNs of respondents; practically empty.")


IS_PLAINTIFF, IS_RESPONDENT = is_one_of("role", "plaintiff"), is_one_of("role", "respondent")


class Collection(Row):
    """Marks of the collection."""

    source_proxy_dead = Mark(FLAG, "The service's own crawl failed: no working proxy.")
    source_failures_total = Mark(INTEGER, "Crawl failures.")
    fallback_no_money = Mark(FLAG, "The paid fallback source refused: no credit.")
    all_sources_dead = Mark(FLAG, "Neither crawl nor fallback worked: an empty list is no evidence.")
    enrichment_pending = Mark(FLAG, "Some cases are still being enriched; a later request returns more.")
    enrichment_unfilled_sum = Mark(INTEGER, "Cases with an act but no claim sum.")
    enrichment_unfilled_result = Mark(INTEGER, "Cases without a recognised outcome.")
    enrichment_completed_at = Mark(UNIX, "When the enrichment ended.")


class Arbitration(
    Block,
    name="arbitration",
    order=3,
    title_en="Arbitration",
    title_ru="Арбитраж",
    full_check="arbitration",
    methods=(company_method("arbitration", 12, free_if_unavailable=True), person_method("arbitration", 14)),
):
    """Arbitration cases of the company or person: one row, with counts by role and outcome."""

    total_cases = count_of("cases", "Cases without duplicates.")
    as_plaintiff = count_of("cases", "Cases as plaintiff.", IS_PLAINTIFF)
    as_respondent = count_of("cases", "Cases as respondent.", IS_RESPONDENT)
    as_third = count_of("cases", "Cases as third or other party.", is_one_of("role", "third"))
    won = count_of("cases", "Cases won as plaintiff.", IS_PLAINTIFF & is_one_of("result", "won"))
    lost = count_of("cases", "Cases lost as respondent.", IS_RESPONDENT & is_one_of("result", "lost"))
    total_claim_sum = sum_of(
        "cases", "claim_sum", "Sum of the claims that were extracted.", zero=UnknownIfRows("cases")
    )
    cases = List(Case, "Cases, newest first.")
    unavailable = Mark(FLAG, "The court's file service did not answer.")
    sources_failed = Mark(one_of("main", "third", "ogrn_main", "ogrn_third"), "Search passes that failed.", many=True)
    raw = Inline(Collection, "Marks of the collection.", "raw_", marks=True, open=True)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(
        unavailable={"unavailable": is_true("unavailable")},
        incomplete={
            "all_sources_dead": is_true("raw_all_sources_dead")
            | (is_true("raw_source_proxy_dead") & is_true("raw_fallback_no_money")),
            "sources_failed": has_items("sources_failed"),
            "enrichment_pending": is_true("raw_enrichment_pending"),
        },
    )
