"""Public registers where a person can look up an INN: an address that searches for it, or the page of the search."""

from dataclasses import dataclass

from innspect.schemas.declaration import PERSON_DIGITS

BUSINESS = "https://pb.nalog.ru/search.html#mode=search-all&queryAll={inn}&page=1&pageSize=10"
EGRUL = "https://egrul.nalog.ru/index.html"
ARBITRATION = "https://kad.arbitr.ru/"
BAILIFFS = "https://fssp.gov.ru/iss/ip/"
EFRSB = "https://bankrot.fedresurs.ru/bankrupts?searchString={inn}"


@dataclass(frozen=True, slots=True)
class RegisterLink:
    """A link with the keys of its words: the register's name, and what the address does."""

    title: str
    note: str
    address: str


def register_links(inn: str) -> list[RegisterLink]:
    """The registers for an INN. Three of them have no address that searches for an INN."""
    bailiffs = "registers.person_search" if len(inn) == PERSON_DIGITS else "registers.search"
    return [
        RegisterLink("registers.egrul", "registers.search", EGRUL),
        RegisterLink("registers.business", "registers.by_inn", BUSINESS.format(inn=inn)),
        RegisterLink("registers.arbitration", "registers.search", ARBITRATION),
        RegisterLink("registers.bailiffs", bailiffs, BAILIFFS),
        RegisterLink("registers.efrsb", "registers.by_inn", EFRSB.format(inn=inn)),
    ]
