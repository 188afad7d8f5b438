"""Arbitration-court cases."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Inline,
    List,
    Mark,
    Row,
    UnknownIfAny,
    Zero,
    company_method,
    count_of,
    has_items,
    is_one_of,
    is_true,
    person_method,
    sum_of,
)
from innspect.schemas.kinds import DMY, FLAG, INN, INTEGER, RUB, TEXT, UNIX, URL, day, in_words, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

MAX_PARTIES, MAX_INSTANCES, MAX_MOVEMENTS = 10, 5, 20
"""Parties of a kind, instances and steps that the service lists of one case."""


class Party(Row, key=("name", "inn"), blank=True, may_lack="inn"):
    """A plaintiff or respondent."""

    name = Field(TEXT, "Name; often with address and INN in the same line.")
    inn = Field(INN, "INN of the party; almost never given.", optional=True)


class OtherParty(Row, key=("name", "address"), blank=True, may_lack="address"):
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
        in_words(
            {
                "Первая инстанция": ("первая", "first"),
                "Апелляционная инстанция": ("апелляционная", "appellate"),
                "Кассационная инстанция": ("кассационная", "cassation"),
            }
        ),
        "Name of the instance.",
    )
    events = List(Event, "Steps in this instance.")


class Case(Row, key=("case_number|case_id",)):
    """A case, newest first by filing date."""

    case_id = Field(TEXT, "Identifier of the case card.")
    case_number = Field(TEXT, "Number of the case.")
    date = Field(day(DMY), "Filing date.")
    type = Field(
        in_words(
            {
                "Банкротство": ("банкротство", "bankruptcy"),
                "Гражданское": ("гражданское", "civil"),
                "Административное": ("административное", "administrative"),
                "Упрощ. производство": ("упрощённое производство", "simplified procedure"),
            }
        ),
        "Kind of case.",
    )
    url = Field(URL, "Link to the case card.")
    file_url = Field(URL, "Link to the court act; almost never given.")
    claim_sum = Field(RUB, "Sum claimed; 0 means not extracted.", zero=Zero.UNKNOWN)
    claim_sum_unavailable = Field(FLAG, "Set at the first collection and never cleared: use claim_sum.", optional=True)
    judge = Field(TEXT, "Judge; practically empty, the name is in court.")
    court = Field(TEXT, "Court, often with the judge's name on a line above.")
    role = Field(
        in_words(
            {
                "plaintiff": ("истец", "plaintiff"),
                "respondent": ("ответчик", "respondent"),
                "third": ("третье лицо", "third party"),
            }
        ),
        "Role of the INN in the case.",
    )
    result = Field(
        in_words(
            {
                "won": ("решение в пользу контрагента", "decided for the counterparty"),
                "lost": ("решение не в пользу контрагента", "decided against the counterparty"),
                "partial": ("требования удовлетворены частично", "claim granted in part"),
                "dismissed": (
                    "производство прекращено или иск оставлен без рассмотрения",
                    "dismissed without a decision",
                ),
                "settled": ("утверждено мировое соглашение", "settled"),
            }
        ),
        "Outcome for the INN, once recognised.",
    )
    plaintiffs = List(Party, f"Plaintiffs, at most {MAX_PARTIES} of a case.", max_rows_each=MAX_PARTIES)
    respondents = List(Party, f"Respondents, at most {MAX_PARTIES} of a case.", max_rows_each=MAX_PARTIES)
    third_parties = List(OtherParty, f"Third parties, at most {MAX_PARTIES} of a case.", max_rows_each=MAX_PARTIES)
    other_parties = List(OtherParty, "Other parties; practically empty.")
    instances = List(
        Instance, f"Instances, at most {MAX_INSTANCES} of a case; filled on enrichment.", max_rows_each=MAX_INSTANCES
    )
    movements = List(Event, f"Steps without instances, at most {MAX_MOVEMENTS} of a case.", max_rows_each=MAX_MOVEMENTS)
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
        "cases", "claim_sum", "Sum of the claims that were extracted.", zero=UnknownIfAny("total_cases")
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

    news_templates = (
        News(
            "cases",
            ("cases",),
            always=Words("Дело[ № {case_number}]", "Case[ No. {case_number}]"),
            heads=(
                addition(
                    "Новое дело[ № {case_number}][, {court:last_line}][: {type}][, {role}]"
                    "[, требования {claim_sum}][, {result}]",
                    "New case[ No. {case_number}][, {court:last_line}][: {type}][, {role}]"
                    "[, claim of {claim_sum}][, {result}]",
                ),
                removal(
                    "Дело[ № {case_number}] больше не числится за контрагентом в картотеке арбитражных дел",
                    "The register of arbitration cases no longer lists case[ No. {case_number}]",
                ),
            ),
            lines=(
                cell_change("[{result}]", "[{result}]", "cases"),
                cell_change("[требования: {claim_sum.move}]", "[claim: {claim_sum.move}]", "cases"),
                cell_change("[роль: {role.move}]", "[role: {role.move}]", "cases"),
                cell_change("[категория: {type.move}]", "[kind: {type.move}]", "cases"),
                cell_change("[суд: {court.move:last_line}]", "[court: {court.move:last_line}]", "cases"),
                cell_change("опубликован судебный акт", "a court act was published", "cases", file_url="*"),
                addition("[{name} инстанция]", "[{name} instance]", "cases.instances"),
                addition(
                    "[{date} ][{description}]", "[{date} ][{description}]", "cases.instances.events", first="date"
                ),
                addition("[{date} ][{description}]", "[{date} ][{description}]", "cases.movements", first="date"),
                addition("[новый истец: {name}]", "[new plaintiff: {name}]", "cases.plaintiffs"),
                addition("[новый ответчик: {name}]", "[new respondent: {name}]", "cases.respondents"),
                addition("[новое третье лицо: {name}]", "[new third party: {name}]", "cases.third_parties"),
            ),
            figures=Words(
                "Изменились итоги по арбитражным делам[, всего дел: {total_cases.move}]"
                "[, сумма требований: {total_claim_sum.move}]",
                "Totals of arbitration cases changed[, cases: {total_cases.move}]"
                "[, sum claimed: {total_claim_sum.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
