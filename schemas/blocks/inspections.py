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
from innspect.schemas.kinds import FLAG, INSPECTION_NUMBER, TEXT, YMD, day, one_of

PLANNED, UNPLANNED = "Плановая проверка", "Внеплановая проверка"


class Inspection(Row, key=("number",)):
    """One inspection."""

    number = Field(INSPECTION_NUMBER, "Number in the register; its first two digits are the region.")
    type = Field(one_of(PLANNED, UNPLANNED), "Whether it was planned.")
    method = Field(one_of("Выездная", "Документарная", "Документарная и выездная"), "On site, by documents, or both.")
    start_date = Field(day(YMD), "First day.")
    end_date = Field(day(YMD), "Last day; almost never given.")
    authority = Field(TEXT, "Inspecting body; almost never given.")
    status = Field(
        one_of("Завершена", "Ожидает завершения", "Новая", "Обжалована", "Не может быть проведена"),
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
