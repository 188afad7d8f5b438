"""Inspections by state bodies."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Ignored,
    List,
    Mark,
    Row,
    company_method,
    count_of,
    is_one_of,
    number_or_zero,
    row_count,
)
from innspect.schemas.kinds import FLAG, INSPECTION_NUMBER, TEXT, YMD, day, in_words, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

PLANNED, UNPLANNED = "Плановая проверка", "Внеплановая проверка"


class Inspection(Row, key=("number",)):
    """One inspection."""

    number = Field(INSPECTION_NUMBER, "Number in the register; its first two digits are the region.")
    type = Field(
        in_words({PLANNED: ("плановая проверка", "planned"), UNPLANNED: ("внеплановая проверка", "unplanned")}),
        "Whether it was planned.",
    )
    method = Field(one_of("Выездная", "Документарная", "Документарная и выездная"), "On site, by documents, or both.")
    start_date = Field(day(YMD), "First day.")
    end_date = Field(day(YMD), "Last day; almost never given.")
    authority = Field(TEXT, "Inspecting body; almost never given.")
    status = Field(
        in_words(
            {
                "Завершена": ("завершена", "completed"),
                "Ожидает завершения": ("ожидает завершения", "to be completed"),
                "Новая": ("новая", "new"),
                "Обжалована": ("обжалована", "appealed"),
                "Не может быть проведена": ("не может быть проведена", "cannot be held"),
            }
        ),
        "Status in the register's words.",
    )
    has_violations = Field(FLAG, "Whether violations were found.")
    purpose = Field(TEXT, "Subject and purpose, with the legal acts.")
    violations_text = Field(TEXT, "Violations found; almost never given.")


class Inspections(
    Block,
    name="inspections",
    order=8,
    title_en="Inspections",
    title_ru="Проверки",
    full_check="inspections",
    methods=(company_method("inspections", 5),),
):
    """Inspections of the company: one row, with counts; all except total count the fetched cards."""

    total = count_of("inspections", "Inspections in the register; may be far more than fetched.")
    completed = count_of(
        "inspections", "Completed inspections among the fetched ones.", is_one_of("status", "Завершена")
    )
    with_violations = count_of(
        "inspections", "Inspections with violations among the fetched ones.", pl.col("has_violations")
    )
    planned = count_of("inspections", "Planned inspections among the fetched ones.", is_one_of("type", PLANNED))
    unplanned = count_of("inspections", "Unplanned inspections among the fetched ones.", is_one_of("type", UNPLANNED))
    inspections = List(Inspection, "Inspections fetched; the source caps their number.")
    raw = Ignored("Free-form service data, usually empty.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(incomplete={"not_all_fetched": number_or_zero("total") > row_count("inspections")})

    news_templates = (
        News(
            "inspections",
            ("inspections",),
            always=Words("Проверка[ № {number}]", "Inspection[ No. {number}]"),
            heads=(
                addition(
                    "В реестре проверок новая запись[ № {number}][: {type}][, начало {start_date}]"
                    "[, {authority}][, {status}]",
                    "New entry in the register of inspections[ No. {number}][: {type}]"
                    "[, from {start_date}][, {authority}][, {status}]",
                ),
                removal(
                    "Проверки[ № {number}] больше нет в реестре", "The register no longer has inspection[ No. {number}]"
                ),
                cell_change(
                    "Проверка[ № {number}]: выявлены нарушения",
                    "Inspection[ No. {number}]: violations were found",
                    "inspections",
                    has_violations="true",
                ),
            ),
            lines=(
                cell_change("[{status.move}]", "[{status.move}]", "inspections"),
                cell_change("[начало: {start_date.move}]", "[first day: {start_date.move}]", "inspections"),
                cell_change("[окончание: {end_date.move}]", "[last day: {end_date.move}]", "inspections"),
                cell_change("[нарушения: {violations_text}]", "[violations: {violations_text}]", "inspections"),
            ),
            figures=Words(
                "Изменились итоги по проверкам[, всего в реестре: {total.move}][, завершено: {completed.move}]",
                "Totals of inspections changed[, in the register: {total.move}][, completed: {completed.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
