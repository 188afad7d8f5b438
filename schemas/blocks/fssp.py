"""Enforcement proceedings of the bailiff service."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Duplicate,
    Field,
    List,
    Mark,
    Row,
    UnknownIfAny,
    Zero,
    company_method,
    count_of,
    has_items,
    is_one_of,
    person_method,
    sum_of,
)
from innspect.schemas.kinds import DMY, FLAG, RUB, TEXT, day, in_words, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal


class Proceeding(Row, key=("exe_production",)):
    """One enforcement proceeding, in the source's own order."""

    exe_production = Field(TEXT, "Number of the proceeding with its day of initiation; unique.")
    process_date = Field(day(DMY), "Day of initiation; not given if the number has no date.")
    subject = Field(TEXT, "What is enforced.")
    subject_matter = Field(TEXT, "What is enforced, with its amount; the same as subject without an amount.")
    sum = Field(RUB, "Debt of this proceeding; 0 means no amount, as for non-monetary claims.", zero=Zero.UNKNOWN)
    is_active = Field(
        FLAG, "Whether it is active: no end reason is given.", false_with=("end_reason", "completion_reason")
    )
    end_reason = Field(TEXT, "End reason in the source's words, an article of law; none while active.")
    completion_reason = Field(
        in_words(
            {
                "paid": ("долг погашен", "the debt was paid"),
                "no_assets": ("имущества не нашли", "no assets were found"),
                "returned": ("документ возвращён взыскателю", "the document was returned to the claimant"),
                "expired": ("истёк срок", "the time limit expired"),
                "other": ("по иным основаниям", "on other grounds"),
            }
        ),
        "End reason, normalised; none while active.",
    )
    debtor_name = Field(TEXT, "Debtor's name at initiation; may be a former name or a branch.")
    department = Field(TEXT, "Department of the bailiff service.")
    department_address = Field(TEXT, "Address of the department in one line, with empty parts between commas.")
    bailiff = Field(TEXT, "Bailiff; often not given.")
    bailiff_phone = Field(TEXT, "Phone of the bailiff; only with the name.")
    document_type = Field(TEXT, "Kind of enforced document: writ, court order, tax act and others.")
    doc_type = Duplicate("document_type", TEXT, "The service keeps it for older clients.")
    case_number = Field(TEXT, "Number of the document or case in the issuer's format.")
    doc_date = Field(day(DMY), "Day of the document; not always given.")
    court_name = Field(TEXT, "Court that issued the document; none for other documents.")


def _reason_count(reason: str, description: str) -> Field:
    """The number of proceedings with this end reason."""
    return count_of("proceedings", description, is_one_of("completion_reason", reason))


class Fssp(
    Block,
    name="fssp",
    order=2,
    title_en="Bailiffs",
    title_ru="Приставы",
    full_check="fssp",
    methods=(company_method("fssp", 10), person_method("fssp", 12)),
):
    """Enforcement proceedings against the company or person: one row, with counts by outcome and debts."""

    total_proceedings = count_of("proceedings", "Proceedings, active and ended.")
    active_proceedings = count_of("proceedings", "Proceedings without an end reason.", pl.col("is_active"))
    completed_proceedings = count_of("proceedings", "Proceedings that have ended.", ~pl.col("is_active"))
    total_debt_rub = sum_of(
        "proceedings",
        "sum",
        "Debt over all proceedings, from their subjects; those without an amount add 0.",
        zero=UnknownIfAny("total_proceedings"),
    )
    active_debt_rub = sum_of(
        "proceedings",
        "sum",
        "Debt over the active proceedings; those without an amount add 0.",
        pl.col("is_active"),
        zero=UnknownIfAny("active_proceedings"),
    )
    completed_paid = _reason_count("paid", "Ended because the debtor performed.")
    completed_no_assets = _reason_count(
        "no_assets", "Ended because neither debtor nor assets were found; a warning sign."
    )
    completed_expired = _reason_count("expired", "Ended because the time limit expired.")
    completed_returned = _reason_count("returned", "Ended by returning the document to the claimant.")
    completed_other = _reason_count("other", "Ended for another reason: cancelled, merged, or unclear.")
    proceedings = List(Proceeding, "Proceedings, unsorted.")
    sources_ok = Mark(
        one_of(
            "fallback",
            "fallback_auth",
            "parser_api",
            "parser_api_empty",
            "site_inn",
            "site_name",
            "fssp_official",
            "fssp_official_empty",
        ),
        "Channels that worked.",
        many=True,
    )
    sources_failed = Mark(TEXT, "Channels that failed or were blocked.", many=True)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(incomplete={"sources_failed": has_items("sources_failed")})

    news_templates = (
        News(
            "proceedings",
            ("proceedings",),
            always=Words(
                "Исполнительное производство[ № {exe_production}]", "Enforcement proceeding[ No. {exe_production}]"
            ),
            heads=(
                addition(
                    "Приставы окончили производство[ № {exe_production}][, {subject}][, {sum}][: {completion_reason}]",
                    "Bailiffs ended proceeding[ No. {exe_production}][, {subject}][, {sum}][: {completion_reason}]",
                    is_active="false",
                ),
                addition(
                    "Новое исполнительное производство[ № {exe_production}][: {subject}][, {sum}]",
                    "New enforcement proceeding[ No. {exe_production}][: {subject}][, {sum}]",
                ),
                removal(
                    "Исполнительное производство[ № {exe_production}] больше не значится в банке данных исполнительных "
                    "производств[: {subject}][, {sum}]",
                    "The bailiffs' data bank no longer shows proceeding[ No. {exe_production}][: {subject}][, {sum}]",
                ),
                cell_change(
                    "Приставы окончили производство[ № {exe_production}][: {completion_reason}]",
                    "Bailiffs ended proceeding[ No. {exe_production}][: {completion_reason}]",
                    "proceedings",
                    is_active="false",
                ),
                cell_change(
                    "Приставы возобновили производство[ № {exe_production}]",
                    "Bailiffs resumed proceeding[ No. {exe_production}]",
                    "proceedings",
                    is_active="true",
                ),
            ),
            lines=(
                cell_change("[долг: {sum.move}]", "[debt: {sum.move}]", "proceedings"),
                cell_change(
                    "[причина окончания: {completion_reason}]",
                    "[end reason: {completion_reason}]",
                    "proceedings",
                    is_active="",
                ),
                cell_change(
                    "[отдел: {department.move}]",
                    "[department: {department.move}]",
                    "proceedings",
                    instead=True,
                    is_active="",
                ),
                cell_change(
                    "[пристав: {bailiff.move}]", "[bailiff: {bailiff.move}]", "proceedings", instead=True, is_active=""
                ),
            ),
            figures=Words(
                "Изменились итоги по исполнительным производствам"
                "[, всего: {total_proceedings.move}][, действующих: {active_proceedings.move}]"
                "[, долг: {active_debt_rub.move}]",
                "Totals of enforcement changed[, proceedings: {total_proceedings.move}]"
                "[, active: {active_proceedings.move}][, debt: {active_debt_rub.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
