"""Contacts that the service has gathered: phones, addresses, sites, each with its source and days of confirmation."""

from innspect.schemas.declaration import Block, Echo


class Contacts(Block, name="contacts", undocumented=True):
    """Contacts of the company: one row; everything is in the table of leaves, since no fields are documented."""

    inn = Echo()
