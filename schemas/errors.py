"""The errors of innspect, one tree.

    InnspectError                  exit 1   an internal error
    ├── UsageError                 exit 2   a wrong flag, setting, query or path; no charge
    │   ├── SettingsError
    │   └── PortfolioError
    ├── BudgetEnded                exit 3   the budget ended before the plan did
    ├── Refused                    exit 4   the service refused the key or the credit
    │   ├── KeyRefused
    │   └── CreditRefused
    ├── PriceListChanged           exit 4   a response cost more than the catalogue says
    ├── ServiceUnreachable         exit 6   the service is unreachable or returns only errors
    ├── StoresHeld                 exit 5   another run has locked these stores
    └── StoreError                 exit 1   a store cannot be read or written
        ├── ArchiveDamaged
        ├── ArchiveChanged     another home compacted files of a shared archive
        ├── WarehouseError
        └── DiskFull

The message is one sentence that says what to do next; `facts` holds the values. Errors can be pickled, so that they can
cross process boundaries.
"""

import errno
import os
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


def first_line(error: BaseException) -> str:
    """The first line of an error's message; the name of its class if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def class_and_first_line(error: BaseException) -> str:
    """The name of an error's class and the first line of its message; the name alone if it has none."""
    name, line = type(error).__name__, first_line(error)
    return name if line == name else f"{name}: {line}"


def file_problem(fault: OSError) -> str:
    """What the system says of a file that cannot be written."""
    # `mkdir` says of a file in the place of a folder that it exists.
    return os.strerror(errno.ENOTDIR) if isinstance(fault, FileExistsError) else fault.strerror or first_line(fault)


def value_problem(message: str) -> str:
    """What is wrong with a value, to follow `it`, from a message of pydantic: `must be a valid number`."""
    return message.removeprefix("Value error, ").rstrip(".").replace("Input should be", "must be")


class InnspectError(Exception):
    """An error of innspect. `facts`: its values (inn, method, price, path …)."""

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
    """A wrong flag, setting, query or path; no charge."""

    exit_code = Exit.USAGE


class SettingsError(UsageError):
    """An unknown key or a value out of range; names the key and the file."""


class PortfolioError(UsageError):
    """A portfolio file that cannot be read or has no INN."""


class BudgetEnded(InnspectError):
    """A reservation that exceeds a cap."""

    exit_code = Exit.BUDGET


class Refused(InnspectError):
    """The service refuses further requests; the run stops and keeps its results."""

    exit_code = Exit.REFUSED


class KeyRefused(Refused):
    """401 or 403."""


class CreditRefused(Refused):
    """402, or a response that says that the balance is used up."""


class PriceListChanged(InnspectError):
    """A response was charged at more than its reservation."""

    exit_code = Exit.REFUSED


class ServiceUnreachable(InnspectError):
    """The base URL does not respond, or returns only errors."""

    exit_code = Exit.INCOMPLETE


class NotAccepted(InnspectError):
    """A message that a receiver did not accept; it is kept and sent again."""

    exit_code = Exit.INCOMPLETE


class StoresHeld(InnspectError):
    """Another run holds the lock of these stores."""

    exit_code = Exit.HELD


class StoreError(InnspectError):
    """A store cannot be read or written."""


class ArchiveDamaged(StoreError):
    """An archive file whose bytes do not match its checksum."""


class ArchiveChanged(StoreError):
    """Another home compacted a file of the shared archive during the read; no data is lost."""


class WarehouseError(StoreError):
    """A warehouse that is not a database, or has another schema."""


class DiskFull(StoreError):
    """No space is left; received responses are kept."""
