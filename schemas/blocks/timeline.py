"""The timeline: what the registers say happened to the company."""

from innspect.schemas.declaration import Block, Field, List, Row, company_method
from innspect.schemas.kinds import DMY, TEXT, YMD, day, one_of


class Event(Row):
    """One event, the latest first and those without a day last."""

    date = Field(day(DMY, YMD), "Day of the event; a change of status often has none.")
    type = Field(one_of("registration", "status_change", "bankruptcy"), "Kind of event.")
    event = Field(TEXT, "A set phrase, the register's wording of the status, or the kind of publication.")
    source = Field(one_of("efrsb"), "Bankruptcy register; the register of companies goes unnamed.", optional=True)


class Timeline(
    Block,
    name="timeline",
    order=15,
    title_en="Timeline",
    title_ru="Хронология",
    full_check="timeline",
    methods=(company_method("timeline", 5),),
    rows_at_root="events",
):
    """Events of the company: one row, which holds nothing but them."""

    events = List(Event, "Events without duplicates, the latest first.")
