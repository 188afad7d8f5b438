"""Pledges of movable property, from the notaries' register, and leasing notices."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Inline,
    List,
    Mark,
    Reserved,
    Row,
    company_method,
    count_of,
    is_true,
    number_or_zero,
)
from innspect.schemas.kinds import DMY, FLAG, INTEGER, TEXT, day, in_words, one_of
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

SOURCE = in_words({"notary": ("нотариат", "notaries"), "fedresurs": ("Федресурс", "Fedresurs")})
NO_INN = "The register does not disclose it."


class Pledgor(Row):
    """The pledgor or lessee; only in leasing notices."""

    name = Field(one_of("Залогодатель", "Лизингополучатель"), "Name of the role, not of a person.")
    inn = Reserved("", NO_INN)


class Pledgee(Row):
    """The pledgee or lessor; only in leasing notices."""

    name = Field(one_of("Залогодержатель", "Лизингодатель"), "Name of the role, not of a person.")
    inn = Reserved("", NO_INN)


class Property(Row):
    """A pledged or leased item."""

    description = Field(TEXT, "Description, including the vehicle's number.")
    vin = Reserved("", "The vehicle's number is in the description.")


class Notice(Row, key=("id",)):
    """One notice of a pledge or a lease."""

    id = Field(TEXT, "Number of the notice: groups joined by hyphens for notaries, digits only for leasing.")
    reg_date = Field(day(DMY), "Day of registration.")
    source = Field(SOURCE, "Register: notary for pledges, fedresurs for leasing.")
    pledgors = List(Pledgor, "Pledgor or lessee: one for leasing, none for notaries.")
    pledgees = List(Pledgee, "Pledgee or lessor: one for leasing, none for notaries.")
    properties = List(Property, "Pledged or leased items, from none to several hundred.")


class Collection(Row):
    """Marks of the collection."""

    answered = Mark(FLAG, "Whether the register responded; if not, the result is no evidence.")
    sources = Mark(SOURCE, "Registers that responded.", many=True)


HAS_BOTH_REGISTERS = pl.all_horizontal(
    pl.col("raw_sources").list.contains(register).fill_null(value=False) for register in SOURCE.values
)
HAS_ANSWERED = pl.col("raw_answered").fill_null(value=True)


class Pledges(
    Block,
    name="pledges",
    order=7,
    title_en="Pledges",
    title_ru="Залоги",
    full_check="pledges",
    methods=(company_method("pledges", 8, free_if_unavailable=True),),
):
    """Notices of pledge and leasing: one row per company, with the number that the source reports."""

    total_pledges = count_of("pledges", "Notices reported by the source, with leasing; may be more than fetched.")
    fetched = Mark(INTEGER, "Notices fetched, at most 300.")
    pledges = List(Notice, "Notices fetched, at most 300.", max_rows=300)
    raw = Inline(Collection, "Marks of the collection.", "raw_", marks=True, open=True)
    error = Mark(TEXT, "Error of the last attempt; empty if there was none.")
    unavailable = Mark(FLAG, "The register did not respond in three attempts.")

    coverage = CoverageRules(
        unavailable={"unavailable": is_true("unavailable")},
        unconfirmed={"not_answered": ~HAS_ANSWERED},
        incomplete={
            "register_missed": HAS_ANSWERED & ~HAS_BOTH_REGISTERS,
            "not_all_fetched": number_or_zero("fetched") < number_or_zero("total_pledges"),
        },
    )

    news_templates = (
        News(
            "notices",
            ("pledges",),
            always=Words("Уведомление[ № {id}]", "Notice[ No. {id}]"),
            heads=(
                addition(
                    "Новое уведомление о залоге движимого имущества[ № {id}][ от {reg_date}]",
                    "New notice of pledge of movable property[ No. {id}][ of {reg_date}]",
                    source="notary",
                ),
                addition(
                    "Новое сообщение о договоре лизинга[ № {id}][ от {reg_date}]",
                    "New notice of a leasing contract[ No. {id}][ of {reg_date}]",
                    source="fedresurs",
                ),
                addition(
                    "Новое уведомление о залоге или лизинге[ № {id}][ от {reg_date}]",
                    "New notice of pledge or leasing[ No. {id}][ of {reg_date}]",
                ),
                removal(
                    "Уведомления[ № {id}][ от {reg_date}] больше нет в реестре[ ({source})]",
                    "The register[ ({source})] no longer has notice[ No. {id}][ of {reg_date}]",
                ),
            ),
            lines=(
                addition("[имущество: {description}]", "[property: {description}]", "pledges.properties"),
                removal(
                    "[исключено имущество: {description}]", "[property excluded: {description}]", "pledges.properties"
                ),
                cell_change("[дата регистрации: {reg_date.move}]", "[registered: {reg_date.move}]", "pledges"),
            ),
            figures=Words(
                "Число уведомлений о залоге и лизинге[: {total_pledges.move}]",
                "Number of notices of pledge and leasing[: {total_pledges.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
