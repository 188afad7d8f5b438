"""Contacts collected by the service: phones, addresses, sites, each with its source and days of confirmation."""

from innspect.schemas.declaration import Block, Echo, company_method


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
