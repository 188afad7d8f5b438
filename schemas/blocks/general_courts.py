"""Cases in courts of general jurisdiction and before magistrates."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Duplicate,
    Field,
    Inline,
    List,
    Mark,
    Row,
    Zero,
    company_method,
    count_of,
    is_true,
    number_or_zero,
)
from innspect.schemas.kinds import (
    COUNT,
    DMY,
    FLAG,
    INN,
    INTEGER,
    KPP,
    NUMBER,
    OGRN,
    RUB,
    TEXT,
    URL,
    code,
    day,
    in_words,
    one_of,
)
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

CLOCK = code("clock", r"(?:[01]\d|2[0-3]):[0-5]\d", "10:30")
STORED_CASES = "Stored cases also have the older name."
MAX_MOVEMENTS = 20
"""Steps that the service lists of one case."""


class Party(Row, key=("name",), blank=True):
    """A plaintiff, respondent or third party."""

    name = Field(TEXT, "Name of the party as in the court's record.")
    inn = Field(INN, "INN; only on enriched cases.", optional=True)
    ogrn = Field(OGRN, "Registration number; only on enriched cases.", optional=True)


class AttractedParty(Row):
    """The respondent in a magistrate's administrative case."""

    name = Field(TEXT, "Name of the person or company.")
    codex = Field(TEXT, "Article and part of the administrative code.")


class OtherParty(Row):
    """Any other party."""

    name = Field(TEXT, "Name of the party.")


class Movement(Row):
    """A step of the case."""

    date = Field(day(DMY), "Day of the step.")
    time = Field(CLOCK, "Hour and minute at the court; not always given.")
    event = Field(TEXT, "What happened.")
    place = Field(TEXT, "Room or place.")
    result = Field(TEXT, "Result of the step.")
    basis = Field(TEXT, "Ground.")
    note = Field(TEXT, "Note; usually not given.")
    published = Field(TEXT, "When it was published, as received; usually not given.")


class PartyDetail(Row):
    """A party as in the court's case card."""

    role = Field(
        one_of("ИСТЕЦ", "ОТВЕТЧИК", "ТРЕТЬЕ ЛИЦО", "ПРИВЛЕКАЕМОЕ ЛИЦО", "ПРЕДСТАВИТЕЛЬ"),
        "Role, in capitals; not always given.",
    )
    name = Field(TEXT, "Name of the party as in the card.")
    inn = Field(INN, "INN, if published.")
    kpp = Field(KPP, "Tax registration reason code, if published.")
    ogrn = Field(OGRN, "Registration number of a company, if published.")
    ogrnip = Field(OGRN, "Registration number of a sole proprietor, if published.")


class Writ(Row, key=("number|e_id",), blank=True):
    """A writ of execution; the courts also publish empty ones."""

    date = Field(day(DMY), "Day of issue.")
    number = Field(TEXT, "Number on paper.")
    e_id = Field(TEXT, "Number of the electronic writ.")
    status = Field(TEXT, "Status in the court's words.")
    recipient = Field(TEXT, "Recipient of the writ.")


class Act(Row, key=("n",)):
    """A published act of the court."""

    n = Field(COUNT, "Number among the acts of the case.")
    title = Field(TEXT, "Title.")
    text_snippet = Field(TEXT, "Part of the text.")
    text_len = Field(COUNT, "Length of the full text, in characters.")


# Case numbers are unique within a court only, but stored cases may lack it.
class Case(Row, key=("case_number|case_id|url", "court"), may_lack="court", sparse="_from_store"):
    """A case, found by the search or taken from the store."""

    case_number = Field(TEXT, "Number of the case, unique within its court.")
    date = Field(day(DMY), "Day of receipt; the Moscow portal may omit it.")
    participants = Field(TEXT, "All parties in one line with their roles; up to hundreds of names.")
    category = Field(
        in_words(
            {
                "Гражданские": ("гражданское", "civil"),
                "Административные": ("административное", "administrative"),
                "Уголовные": ("уголовное", "criminal"),
                "Гражданские (апелляция)": ("гражданское, апелляция", "civil, appeal"),
                "Административные (апелляция)": ("административное, апелляция", "administrative, appeal"),
                "Уголовные (апелляция)": ("уголовное, апелляция", "criminal, appeal"),
                "Дела об административных правонарушениях": (
                    "об административном правонарушении",
                    "administrative offence",
                ),
            }
        ),
        "Kind of case.",
    )
    result_date = Field(day(DMY), "Day of the outcome; none while pending.")
    result = Field(TEXT, "Outcome in the court's words; none while unpublished.")
    court = Field(TEXT, "Site prefix for district courts, else the full name; stored cases may lack it.")
    url = Field(URL, "Link to the case card; stored cases may lack it.")
    case_id = Field(TEXT, "Number on the court's site; magistrates and the Moscow portal have none.")
    role = Field(
        in_words(
            {
                "истец": ("истец", "plaintiff"),
                "ответчик": ("ответчик", "respondent"),
                "третье лицо": ("третье лицо", "third party"),
                "заявитель": ("заявитель", "applicant"),
                "привлекаемое лицо": ("привлекаемое лицо", "person held liable"),
                "подсудимый": ("подсудимый", "defendant"),
                "потерпевший": ("потерпевший", "victim"),
                "взыскатель": ("взыскатель", "claimant"),
                "должник": ("должник", "debtor"),
            }
        ),
        "Role of the company; none if not recognised.",
    )
    claim_sum = Field(RUB, "Sum claimed, if written with the rouble sign; 0 means not found.", zero=Zero.UNKNOWN)
    plaintiffs = List(Party, "Plaintiffs.")
    respondents = List(Party, "Respondents.")
    third_parties = List(Party, "Third parties.")
    attracted_parties = List(AttractedParty, "Respondents in a magistrate's administrative case.", optional=True)
    other_parties = List(OtherParty, "Other parties; practically empty.")
    court_type = Field(one_of("мировой"), "Set for magistrates only.", optional=True)
    codex = Field(TEXT, "Article and part of the administrative code; magistrates only.", optional=True)
    case_uid = Field(TEXT, "Identifier of the case across courts; enriched cases only.", optional=True)
    category_detailed = Field(
        TEXT, "Rubric of the dispute, levels joined by arrows; enriched cases only.", optional=True
    )
    judge = Field(TEXT, "Judge; enriched cases only.", optional=True)
    decision_date = Field(
        day(DMY), "Day of the decision, usually that of the outcome; enriched cases only.", optional=True
    )
    movements = List(
        Movement,
        f"Steps, at most {MAX_MOVEMENTS} of a case; enriched cases only.",
        optional=True,
        max_rows_each=MAX_MOVEMENTS,
    )
    has_appeal = Field(FLAG, "The steps show an appeal; given only if they were read.", optional=True)
    has_cassation = Field(FLAG, "The steps show a cassation; given only if they were read.", optional=True)
    is_force = Field(FLAG, "Whether the decision has come into force.", optional=True)
    latest_stage = Field(TEXT, "Latest step or its outcome, up to 120 characters.", optional=True)
    parties_detail = List(PartyDetail, "Parties as in the court's case card.", optional=True)
    writs = List(Writ, "Writs of execution.", optional=True)
    acts = List(Act, "Acts whose text is published.", optional=True)
    court_name = Duplicate("court", TEXT, STORED_CASES)
    court_url = Duplicate("url", URL, STORED_CASES)
    case_type = Duplicate("category", TEXT, STORED_CASES)
    _from_store = Field(FLAG, "Whether the case is from the store, with fields missing.", content=False, optional=True)


class Collection(Row):
    """Marks of the enrichment."""

    sudrf_enriched_count = Mark(INTEGER, "Cases enriched.")
    sudrf_enriched_cost_rub = Mark(NUMBER, "Cost of the enrichment for the service, RUB.")


class GeneralCourts(
    Block,
    name="general_courts",
    order=14,
    title_en="General courts",
    title_ru="Суды общей юрисдикции",
    full_check="general_courts",
    methods=(company_method("general-courts", 14, free_if_unavailable=True),),
):
    """Cases in the courts of the company's region: one row, with the share of the region's courts that was searched."""

    total_cases = count_of("cases", "Cases found now and stored.")
    cases_found_now = Field(COUNT, "Cases found by this search.", content=False)
    cases_from_store = Field(COUNT, "Cases added from the store.", content=False)
    from_store_only = Field(FLAG, "The search failed and all cases are from the store.", content=False, optional=True)
    courts_searched = Field(COUNT, "Court sites searched; 0 means no search.", content=False)
    courts_in_region = Field(
        COUNT, "Courts in the company's region; 0 means region unknown.", zero=Zero.UNKNOWN, content=False
    )
    errors = Field(COUNT, "Courts that failed or could not be searched.", content=False)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")
    unavailable = Mark(FLAG, "The search failed: an empty list is no evidence.")
    raw = Inline(Collection, "Marks of the collection.", "raw_", marks=True, open=True)
    cases = List(Case, "Cases found now and stored.")

    coverage = CoverageRules(
        unavailable={"unavailable": is_true("unavailable")},
        incomplete={
            "no_court_searched": number_or_zero("courts_searched") == 0,
            "region_unknown": number_or_zero("courts_in_region") == 0,
            "from_store_only": is_true("from_store_only"),
            "courts_failed": number_or_zero("errors") > 0,
            "courts_missed": number_or_zero("courts_searched") < number_or_zero("courts_in_region"),
        },
    )

    news_templates = (
        News(
            "cases",
            ("cases",),
            always=Words(
                "Дело[ № {case_number}] в суде общей юрисдикции[, {court}]",
                "Case[ No. {case_number}] in a general court[, {court}]",
            ),
            heads=(
                addition(
                    "Новое дело[ № {case_number}] в суде общей юрисдикции[, {court}][: {category}]"
                    "[, {role}][, требования {claim_sum}][, {result}]",
                    "New case[ No. {case_number}] in a general court[, {court}][: {category}]"
                    "[, {role}][, claim of {claim_sum}][, {result}]",
                ),
                removal(
                    "Дело[ № {case_number}][, {court},] больше не значится на сайтах судов",
                    "The courts' sites no longer show case[ No. {case_number}][, {court}]",
                ),
            ),
            lines=(
                cell_change("[результат: {result}]", "[outcome: {result}]", "cases"),
                cell_change("[{latest_stage}]", "[{latest_stage}]", "cases", result=""),
                cell_change(
                    "решение вступило в законную силу", "the decision came into force", "cases", is_force="true"
                ),
                cell_change("подана апелляционная жалоба", "an appeal was filed", "cases", has_appeal="true"),
                cell_change("подана кассационная жалоба", "a cassation was filed", "cases", has_cassation="true"),
                cell_change("[требования: {claim_sum.move}]", "[claim: {claim_sum.move}]", "cases"),
                cell_change("[роль: {role.move}]", "[role: {role.move}]", "cases", role="*"),
                addition("[выдан исполнительный лист ({status})]", "[writ of execution ({status})]", "cases.writs"),
                addition("[опубликован акт: {title}]", "[act published: {title}]", "cases.acts"),
                addition("[{date} ][{event}]", "[{date} ][{event}]", "cases.movements", first="date"),
                addition("[новый истец: {name}]", "[new plaintiff: {name}]", "cases.plaintiffs", instead=True),
                addition("[новый ответчик: {name}]", "[new respondent: {name}]", "cases.respondents", instead=True),
            ),
            figures=Words(
                "Число дел в судах общей юрисдикции[: {total_cases.move}]",
                "Number of cases in general courts[: {total_cases.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
