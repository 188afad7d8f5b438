"""Inspections by state bodies."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Ignored,
    List,
    Mark,
    Row,
    company_method,
    number_or_zero,
    row_count,
)
from innspect.schemas.kinds import COUNT, FLAG, INSPECTION_NUMBER, TEXT, YMD, day, one_of


class Inspection(Row, key=("number",)):
    """One inspection."""

    number = Field(INSPECTION_NUMBER, "Number in the register; its first two digits are the region.")
    type = Field(one_of("Плановая проверка", "Внеплановая проверка"), "Whether it was planned.")
    method = Field(one_of("Выездная", "Документарная", "Документарная и выездная"), "On site, by papers, or both.")
    start_date = Field(day(YMD), "First day.")
    end_date = Field(day(YMD), "Last day; almost never given.")
    authority = Field(TEXT, "Body that inspects; almost never given.")
    status = Field(
        one_of("Завершена", "Ожидает завершения", "Новая", "Обжалована", "Не может быть проведена"),
        "Status as the register words it.",
    )
    has_violations = Field(FLAG, "Whether violations were found.")
    purpose = Field(TEXT, "Subject and purpose, with the acts referred to.")
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
    """Inspections of the company: one row, with counts; all but the total count the cards fetched."""

    total = Field(COUNT, "Inspections that the register announces; may be far more than those fetched.")
    completed = Field(COUNT, "Completed ones among those fetched.")
    with_violations = Field(COUNT, "Ones with violations among those fetched.")
    planned = Field(COUNT, "Planned ones among those fetched.")
    unplanned = Field(COUNT, "Unplanned ones among those fetched.")
    inspections = List(Inspection, "Inspections fetched; the source caps their number.")
    raw = Ignored("Free-form service data, usually empty.")
    error = Mark(TEXT, "Error of the collection; empty when it went well.")

    coverage = CoverageRules(incomplete={"not_all_fetched": number_or_zero("total") > row_count("inspections")})
