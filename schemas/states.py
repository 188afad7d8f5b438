"""States of snapshots, calls, signals and levels of risk. SQL is written from these, never from strings of its own."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class SnapshotState(StrEnum):
    """Coverage state of one block of one response (`lineage.snapshots.state`)."""

    FOUND = "found"
    CLEAN = "clean"
    PARTIAL = "partial"
    UNCONFIRMED = "unconfirmed"
    UNAVAILABLE = "unavailable"
    MISSING = "missing"
    FAILED = "failed"


EVIDENCE: Final = (SnapshotState.FOUND, SnapshotState.CLEAN, SnapshotState.PARTIAL)
"""States that make a version: something is known of the block."""
COMPLETE: Final = (SnapshotState.FOUND, SnapshotState.CLEAN)
"""Evidence that shows absence too."""
NO_EVIDENCE: Final = (
    SnapshotState.UNCONFIRMED,
    SnapshotState.UNAVAILABLE,
    SnapshotState.MISSING,
    SnapshotState.FAILED,
)
NEVER_ASKED: Final = "never asked"
"""Stands for the state in marts where no snapshot exists."""
STALE: Final = "stale"
"""Evidence older than the policy allows: the reason of an unknown signal, and what pages show in place of the state."""
OLDER_ANSWER: Final = "older_answer"
"""Reason of a snapshot: the service collected the answer before what is known, and it says something else."""


class CallState(StrEnum):
    """State of one call in the ledger. Only `reserved` is open; `unknown` may still be reconciled."""

    RESERVED = "reserved"
    SETTLED = "settled"
    FREE = "free"
    UNKNOWN = "unknown"
    RELEASED = "released"


class MemberEntry(StrEnum):
    """How a record of a portfolio member came about (archive files of `members`)."""

    FILE = "file"
    """A portfolio file lists it; members that the file does not list have left."""
    ADDITION = "addition"
    """It was named by itself; the other members stay."""
    REMOVAL = "removal"
    """It was removed from the portfolio."""


class SignalState(StrEnum):
    """What is known of one risk fact (`mart.risk_signals.state`).

    `NOT_OFFERED` also stands for the state of a block where the service has no method for it and the kind of INN.
    """

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    NEVER_REQUESTED = "never requested"
    NOT_OFFERED = "not offered"


class Level(StrEnum):
    """Level of risk of one INN (`mart.risk_score.level`), worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNKNOWN = "unknown"


RANKED_LEVELS: Final = (Level.LOW, Level.MEDIUM, Level.HIGH, Level.CRITICAL)
"""Levels that can be compared, best first; `unknown` is neither better nor worse."""
LEVEL_SIGNAL: Final = "level"
"""Stands for a signal in `lineage.signal_changes` where the level changed."""


def sql_list(states: Iterable[StrEnum]) -> str:
    """States as the right-hand side of `IN` in SQL: `('found', 'clean')`."""
    return "(" + ", ".join(f"'{state}'" for state in states) + ")"
