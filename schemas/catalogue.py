"""The catalogue: every method of the service, its path and price, and every block and the methods that bring it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from innspect.schemas.blocks.arbitration import Arbitration
from innspect.schemas.blocks.bankruptcy import Bankruptcy
from innspect.schemas.blocks.company import Company
from innspect.schemas.blocks.contacts import Contacts
from innspect.schemas.blocks.contracts import Contracts
from innspect.schemas.blocks.employees import Employees
from innspect.schemas.blocks.financial import Financial
from innspect.schemas.blocks.founded_companies import FoundedCompanies
from innspect.schemas.blocks.freezes import Freezes
from innspect.schemas.blocks.fssp import Fssp
from innspect.schemas.blocks.general_courts import GeneralCourts
from innspect.schemas.blocks.inspections import Inspections
from innspect.schemas.blocks.leasing import Leasing
from innspect.schemas.blocks.licenses import Licenses
from innspect.schemas.blocks.minjust_check import MinjustCheck
from innspect.schemas.blocks.msp import Msp
from innspect.schemas.blocks.pledges import Pledges
from innspect.schemas.blocks.revexp import Revexp
from innspect.schemas.blocks.risk_flags import RiskFlags
from innspect.schemas.blocks.rnp import Rnp
from innspect.schemas.blocks.sanctions import Sanctions
from innspect.schemas.blocks.tax_debts import TaxDebts
from innspect.schemas.blocks.tax_offences import TaxOffences
from innspect.schemas.blocks.timeline import Timeline
from innspect.schemas.blocks.trademarks import Trademarks
from innspect.schemas.declaration import Block

FULL_CHECK = "full-check"
PING, ACCOUNT = "ping", "account"


@dataclass(frozen=True, slots=True)
class Method:
    """One method: its name, its path, its catalogue price in kopecks, and the block it answers.

    `digits` is the length of the INNs that it takes (0: none in the path; -1: both). `free_if_unavailable`: an answer
    whose status is `unavailable` is not charged.
    """

    name: str
    path: str
    price: int
    block: str = ""
    digits: int = 10
    free_if_unavailable: bool = False


def _company(name: str, roubles: int, block: str = "", *, digits: int = 10, free: bool = False) -> Method:
    block = block or name.replace("-", "_")
    return Method(name, f"/api/v1/company/{{inn}}/{name}", roubles * 100, block, digits, free)


def _person(name: str, roubles: int, block: str = "") -> Method:
    return Method(f"person-{name}", f"/api/v1/person/{{inn}}/{name}", roubles * 100, block or name, 12)


_METHODS = (
    Method(FULL_CHECK, "/api/v1/company/{inn}", 1800),
    _company("brief", 4, "company"),
    _company("timeline", 5),
    _company("arbitration", 12, free=True),
    _company("fssp", 10),
    _company("general-courts", 14, free=True),
    _company("bankruptcy", 8),
    _company("freezes", 6),
    _company("financial", 6),
    _company("contracts", 8, free=True),
    _company("tax-debts", 5),
    _company("tax-offences", 5),
    _company("employees", 4),
    _company("revexp", 4),
    _company("risk-flags", 6),
    _company("sanctions", 5),
    _company("inspections", 5),
    _company("rnp", 5),
    _company("msp", 4, digits=-1),
    _company("pledges", 8, free=True),
    _company("licenses", 6),
    _company("trademarks", 5),
    _company("contacts", 6),
    _person("brief", 8, "company"),
    _person("arbitration", 14),
    _person("fssp", 12),
    _person("bankruptcy", 10),
    Method(PING, "/api/v1/ping", 0, digits=0),
    Method(ACCOUNT, "/api/v1/account", 0, digits=0),
)
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _METHODS})

_BLOCKS: tuple[type[Block], ...] = (
    Company,
    Fssp,
    Arbitration,
    Bankruptcy,
    Contracts,
    Financial,
    Pledges,
    Inspections,
    RiskFlags,
    Rnp,
    Sanctions,
    Licenses,
    Freezes,
    GeneralCourts,
    Timeline,
    TaxDebts,
    TaxOffences,
    Employees,
    Revexp,
    Msp,
    Leasing,
    Trademarks,
    FoundedCompanies,
    MinjustCheck,
    Contacts,
)
BLOCKS: Mapping[str, type[Block]] = MappingProxyType({block.block_name: block for block in _BLOCKS})


def standalone(block: str, inn: str) -> Method | None:
    """The method that asks one block of this INN by itself, or None where there is none."""
    for method in METHODS.values():
        if method.block == block and takes(method, inn):
            return method
    return None


def takes(method: Method, inn: str) -> bool:
    """Whether the method can be asked about an INN of this length."""
    return method.digits == -1 or method.digits == len(inn)


@cache
def askable(inn_digits: int) -> tuple[str, ...]:
    """The blocks that can be known of an INN of that length, in the order of the catalogue."""
    inn = "0" * inn_digits
    whole = {name for name, block in BLOCKS.items() if block.full_check_key} if inn_digits == 10 else set[str]()
    return tuple(name for name in BLOCKS if name in whole or standalone(name, inn) is not None)


@cache
def brings() -> tuple[tuple[str, str], ...]:
    """(method, block) for every block that a method answers: a standalone one answers one."""
    whole = [(FULL_CHECK, name) for name, block in BLOCKS.items() if block.full_check_key]
    return (*whole, *((method.name, method.block) for method in METHODS.values() if method.block))
