"""The register of small and medium-sized businesses."""

import polars as pl

from innspect.schemas.blocks.open_data import INDEX_READY, SNAPSHOT_DATE_DMY
from innspect.schemas.declaration import (
    ANY_LENGTH,
    Block,
    CoverageRules,
    Echo,
    Field,
    Inline,
    Mark,
    Row,
    company_method,
    row_count,
)
from innspect.schemas.kinds import COUNT, DMY, FLAG, OGRN, TEXT, YMD, day, in_words, one_of
from innspect.schemas.news.news_template import DETAILS, News, Words, cell_change


class SmallBusiness(Row):
    """The entry in the register."""

    inn = Echo()
    ogrn = Field(OGRN, "Registration number: 13 digits, 15 for a sole proprietor.")
    name = Field(TEXT, "Name of the company, or full name of the person.")
    headcount = Field(COUNT, "Number of employees.")
    category = Field(
        in_words(
            {
                "Микропредприятие": ("микропредприятие", "micro-enterprise"),
                "Малое предприятие": ("малое предприятие", "small enterprise"),
                "Среднее предприятие": ("среднее предприятие", "medium enterprise"),
            }
        ),
        "Size category.",
    )
    is_ip = Field(FLAG, "Whether it is a sole proprietor.")
    as_of = Field(
        day(YMD, DMY),
        "Date of the entry: of its inclusion or of its data, which is not said; year first in the full check.",
    )


class Msp(
    Block,
    name="msp",
    order=20,
    title_en="Register of small business",
    title_ru="Реестр МСП",
    full_check="rsmp_bulk",
    methods=(company_method("msp", 4, digits=ANY_LENGTH),),
):
    """Entry in the register of small business: one row per company or sole proprietor."""

    inn = Echo()
    record = Inline(SmallBusiness, "The entry, or null if it is not in the register.", record=True)
    snapshot_date = SNAPSHOT_DATE_DMY
    status = Mark(one_of("loaded", "idle"), "loaded: an entry was found; idle: there is none.")
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(
        unconfirmed=INDEX_READY | {"no_record": (pl.col("status") == "loaded") & (row_count("record") == 0)}
    )

    news_templates = (
        News(
            "record",
            ("ogrn", "name", "headcount", "category", "is_ip", "as_of"),
            always=Words("Реестр МСП", "Register of small business"),
            heads=(
                cell_change(
                    "В реестре МСП больше не значится[, прежняя категория — {category.old}]",
                    "No longer in the register of small business[, former category: {category.old}]",
                    as_of="-",
                    category="-",
                ),
                cell_change(
                    "Изменилась категория в реестре МСП",
                    "The category in the register of small business changed",
                    category="*",
                ),
            ),
            lines=(
                cell_change("[{category.move}]", "[{category.move}]", category="?"),
                cell_change("[дата в реестре: {as_of}]", "[date in the register: {as_of}]", as_of="?"),
                cell_change("[численность: {headcount.move}]", "[headcount: {headcount.move}]", headcount="?"),
                cell_change("[наименование: {name.move}]", "[name: {name.move}]", instead=True, name="?"),
            ),
            other=DETAILS,
        ),
    )
