"""The errors of innspect, one tree.

    InnspectError                  exit 1   a fault of the program's
    ├── UsageError                 exit 2   a wrong flag, setting, query or path; nothing was spent
    │   ├── SettingsError
    │   └── PortfolioError
    ├── BudgetEnded                exit 3   the budget ended before the plan did
    ├── Refused                    exit 4   the service refused the key or the credit
    │   ├── KeyRefused
    │   └── CreditRefused
    ├── PriceListChanged           exit 4   an answer cost more than the catalogue says
    ├── ServiceUnreachable         exit 6   the service is not there, or answers nothing but faults
    ├── StoresHeld                 exit 5   another run holds these stores
    └── StoreError                 exit 1   a store cannot be read or written
        ├── ArchiveDamaged
        ├── ArchiveChanged     another home put files of a shared archive together meanwhile
        ├── WarehouseError
        └── DiskFull

Every error is one sentence that says what to do next; what it was about stands in `facts`. Errors pickle, so that they
cross process boundaries.
"""

from enum import IntEnum
from typing import Any, ClassVar


class Exit(IntEnum):
    """Exit codes of the command line."""

    OK = 0
    FAULT = 1
    USAGE = 2
    BUDGET = 3
    REFUSED = 4
    HELD = 5
    INCOMPLETE = 6
    INTERRUPTED = 130


class InnspectError(Exception):
    """A fault. `facts` holds what it was about (inn, method, price, path …)."""

    exit_code: ClassVar[Exit] = Exit.FAULT

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.facts)


def _rebuild(kind: type[InnspectError], message: str, facts: dict[str, Any]) -> InnspectError:
    return kind(message, **facts)


class UsageError(InnspectError):
    """A wrong flag, setting, query or path; nothing was spent."""

    exit_code = Exit.USAGE


class SettingsError(UsageError):
    """A key that is unknown or a value out of range; names the key and the file."""


class PortfolioError(UsageError):
    """A portfolio file that cannot be read, or has no INN in it."""


class BudgetEnded(InnspectError):
    """A reservation that no cap has room for."""

    exit_code = Exit.BUDGET


class Refused(InnspectError):
    """The service refuses to go on; the run stops and keeps what it has."""

    exit_code = Exit.REFUSED


class KeyRefused(Refused):
    """401 or 403."""


class CreditRefused(Refused):
    """402, or an answer that says that the balance is used up."""


class PriceListChanged(InnspectError):
    """An answer was charged at more than was reserved for it."""

    exit_code = Exit.REFUSED


class ServiceUnreachable(InnspectError):
    """Nothing answers at the base URL, or nothing but faults."""

    exit_code = Exit.INCOMPLETE


class StoresHeld(InnspectError):
    """Another run holds the lock of these stores."""

    exit_code = Exit.HELD


class StoreError(InnspectError):
    """A store cannot be read or written."""


class ArchiveDamaged(StoreError):
    """An archive file whose bytes do not have the hash that was sealed."""


class ArchiveChanged(StoreError):
    """A file of a shared archive that another home put together with others meanwhile; nothing is lost."""


class WarehouseError(StoreError):
    """A warehouse that is not a database, or is of another shape."""


class DiskFull(StoreError):
    """No space is left; what was received is kept."""
