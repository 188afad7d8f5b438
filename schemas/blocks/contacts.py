"""Contacts collected by the service: phones, addresses, sites, each with its source and days of confirmation."""

from innspect.schemas.declaration import Block, Echo, company_method
from innspect.schemas.news.news_template import DETAILS, News, Words, addition, cell_change, removal


class Contacts(
    Block,
    name="contacts",
    order=25,
    title_en="Contacts",
    title_ru="Контакты",
    methods=(company_method("contacts", 6),),
    undocumented=True,
):
    """Contacts of the company: one row; the values are in the table of leaves, since no fields are documented."""

    inn = Echo()

    news_templates = (
        News(
            "contacts",
            ("leaves",),
            always=Words("Контакты", "Contacts"),
            # Of a contact only its value says something to a reader: not a day of confirmation, nor a name of a source.
            lines=tuple(
                line
                for path in ("*.value", "*]")
                for line in (
                    cell_change("[{value.move}]", "[{value.move}]", "leaves", path=path),
                    addition("[добавлено: {value}]", "[added: {value}]", "leaves", type="string", path=path),
                    removal(
                        "[больше не указано: {value}]", "[no longer given: {value}]", "leaves", type="string", path=path
                    ),
                )
            ),
            other=DETAILS,
        ),
    )
