"""The timeline: events of the company in the registers."""

from innspect.schemas.declaration import Block, Field, List, Row, company_method
from innspect.schemas.kinds import DMY, TEXT, YMD, day, one_of
from innspect.schemas.news.news_template import BY_ROW, News, Words, addition, removal


class Event(Row):
    """One event, latest first; those without a day are last."""

    date = Field(day(DMY, YMD), "Day of the event; a change of status often has none.")
    type = Field(one_of("registration", "status_change", "bankruptcy"), "Kind of event.")
    event = Field(TEXT, "A fixed phrase, the status in the register's words, or the kind of publication.")
    source = Field(one_of("efrsb"), "The bankruptcy register; not given for the register of companies.", optional=True)


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
    """Events of the company: one row without other columns."""

    events = List(Event, "Events without duplicates, the latest first.")

    news_templates = (
        News(
            "events",
            ("events",),
            always=Words("Изменилась хронология реестров", "The timeline of the registers changed"),
            heads=(
                addition(
                    "В ЕФРСБ новая запись[ от {date}][: {event}]",
                    "New entry of the bankruptcy register[ of {date}][: {event}]",
                    source="efrsb",
                ),
                addition(
                    "В реестре новая запись[ от {date}][: {event}]", "New entry of the register[ of {date}][: {event}]"
                ),
                removal(
                    "Записи[ от {date}] больше нет в хронологии реестров[: {event}]",
                    "The timeline no longer has the entry[ of {date}][: {event}]",
                ),
            ),
            by=BY_ROW,
        ),
    )
