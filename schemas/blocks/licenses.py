"""Licences of the health and the fire-safety regulators."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Echo,
    Field,
    Figure,
    Leaves,
    List,
    Mark,
    Row,
    company_method,
    has_items,
    was_asked,
)
from innspect.schemas.kinds import COUNT, DMY, INN, OGRN, TEXT, day, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

REGISTER = one_of("ROSZ", "MCHS")
HAS_BOTH_REGISTERS = pl.all_horizontal(map(was_asked, REGISTER.values))
"""Whether each register was queried, or is reported as failed."""


class HealthLicense(Row, key=("source", "license_number")):
    """A licence of the health regulator."""

    source = Field(
        one_of("ROSZ_LS", "ROSZ_NARK", "ROSZ_MD"), "Register: medicines, narcotics, or upkeep of medical devices."
    )
    license_number = Field(TEXT, "Number in the register.")
    license_date = Field(day(DMY), "Day of issue.")
    activity_type = Field(
        one_of(
            "Фармацевтическая деятельность",
            "Деятельность по обороту наркотических средств, психотропных веществ и их прекурсоров, "
            "культивированию наркосодержащих растений",
            "Техническое обслуживание медицинских изделий",
        ),
        "Licensed activity.",
    )
    licensee_name = Field(TEXT, "Licensee as in the register.")
    licensee_inn = Field(INN, "INN of the licensee: the requested one.")
    licensee_ogrn = Field(OGRN, "Registration number of the licensee: 13 digits, 15 for a sole proprietor.")
    address = Field(TEXT, "Address of the licensee with region and postal code.")
    order_date = Field(TEXT, "Date of the order as received; its format is not documented.")
    order_number = Field(TEXT, "Number of the order.")
    work_address = Field(TEXT, "Place of work.")
    status = Field(TEXT, "Status in the register's words.")


class Licenses(
    Block,
    name="licenses",
    order=12,
    title_en="Licences (health, fire safety)",
    title_ru="Лицензии Росздравнадзора и МЧС",
    full_check="official_licenses",
    methods=(company_method("licenses", 6),),
):
    """Licences of the company: one row, with their number."""

    inn = Echo()
    total = Field(COUNT, "Licences of both regulators.", figure=Figure(("health", "mchs")))
    health = List(HealthLicense, "Licences of the health regulator.")
    mchs = Leaves("Licences of the fire-safety regulator; no fields documented.")
    sources_checked = Mark(REGISTER, "Registers that were queried.", many=True)
    sources_failed = Mark(REGISTER, "Registers that did not respond.", many=True)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(
        incomplete={
            "no_register_checked": ~has_items("sources_checked"),
            "register_missed": has_items("sources_checked") & ~HAS_BOTH_REGISTERS,
            "sources_failed": has_items("sources_failed"),
        },
    )

    news_templates = (
        News(
            "health",
            ("health",),
            always=Words("Лицензия Росздравнадзора", "Licence of the health regulator"),
            heads=(
                addition(
                    "Новая лицензия[ № {license_number}][ от {license_date}][: {activity_type}][, {status}]",
                    "New licence[ No. {license_number}][ of {license_date}][: {activity_type}][, {status}]",
                ),
                removal(
                    "Лицензии[ № {license_number}]"
                    "[ от {license_date}] больше нет в реестре Росздравнадзора[: {activity_type}]",
                    "The health regulator's register no longer has licence[ No. {license_number}]"
                    "[ of {license_date}][: {activity_type}]",
                ),
            ),
            lines=(
                cell_change(
                    "[№ {license_number}: {status.move}]",
                    "[No. {license_number}: {status.move}]",
                    "health",
                    status="*",
                ),
                cell_change(
                    "[№ {license_number}: место работ: {work_address.move}]",
                    "[No. {license_number}, place of work: {work_address.move}]",
                    "health",
                ),
                cell_change(
                    "[№ {license_number}]: изменились сведения",
                    "[No. {license_number}]: details changed",
                    "health",
                    instead=True,
                ),
            ),
            figures=Words("Число лицензий[: {total.move}]", "Number of licences[: {total.move}]"),
            by=BY_ROW,
            other=DETAILS,
        ),
        News(
            "fire_safety",
            ("leaves",),
            always=Words("Изменились сведения о лицензиях МЧС", "Licences of the fire-safety regulator changed"),
            lines=(
                cell_change("[{value.move}]", "[{value.move}]", "leaves"),
                addition("[добавлено: {value}]", "[added: {value}]", "leaves", type="string"),
                removal("[больше не указано: {value}]", "[no longer given: {value}]", "leaves", type="string"),
            ),
        ),
    )
