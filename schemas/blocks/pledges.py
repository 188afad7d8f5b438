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
    is_true,
    number_or_zero,
)
from innspect.schemas.kinds import COUNT, DMY, FLAG, INTEGER, TEXT, day, one_of

SOURCE = one_of("notary", "fedresurs")
NO_INN = "The register does not disclose it."


class Pledgor(Row):
    """Who gave the property; only leasing notices name one."""

    name = Field(one_of("Залогодатель", "Лизингополучатель"), "Word for the role, not the name of anybody.")
    inn = Reserved("", NO_INN)


class Pledgee(Row):
    """Who holds the property; only leasing notices name one."""

    name = Field(one_of("Залогодержатель", "Лизингодатель"), "Word for the role, not the name of anybody.")
    inn = Reserved("", NO_INN)


class Property(Row):
    """A thing that is pledged or leased."""

    description = Field(TEXT, "Description, with the vehicle's number inside.")
    vin = Reserved("", "The vehicle's number stands in the description.")


class Notice(Row, key=("id",)):
    """One notice of a pledge or a lease."""

    id = Field(TEXT, "Number of the notice: groups joined by hyphens for notaries, digits alone for leasing.")
    reg_date = Field(day(DMY), "Day of registration.")
    source = Field(SOURCE, "Register: notary for pledges, fedresurs for leasing.")
    pledgors = List(Pledgor, "Who gave it: one for leasing, none for notaries.")
    pledgees = List(Pledgee, "Who holds it: one for leasing, none for notaries.")
    properties = List(Property, "Things pledged or leased, from none to several hundred.")


class Collection(Row):
    """How the collection went."""

    answered = Mark(FLAG, "Whether the register answered the search; if not, the result does not count.")
    sources = Mark(SOURCE, "Registers that answered.", many=True)


class Pledges(
    Block,
    name="pledges",
    order=7,
    title_en="Pledges",
    title_ru="Залоги",
    full_check="pledges",
    methods=(company_method("pledges", 8, free_if_unavailable=True),),
):
    """Notices of pledge and leasing: one row per company, with the number that the source claims."""

    total_pledges = Field(COUNT, "Notices that the source claims, leasing included; may exceed those fetched.")
    fetched = Mark(INTEGER, "Notices fetched and read, at most 300.")
    pledges = List(Notice, "Notices fetched.")
    raw = Inline(Collection, "Marks of the collection.", "raw_", marks=True, open=True)
    error = Mark(TEXT, "Error of the last attempt; empty when it went well.")
    unavailable = Mark(FLAG, "The register was silent after three attempts.")

    coverage = CoverageRules(
        unavailable={"unavailable": is_true("unavailable")},
        unconfirmed={"not_answered": ~pl.col("raw_answered").fill_null(value=True)},
        incomplete={"not_all_fetched": number_or_zero("fetched") < number_or_zero("total_pledges")},
    )
