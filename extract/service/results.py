"""What the client hands back."""

from dataclasses import dataclass

from innspect.extract.service.charging import State


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of a planned call; of repeated ones, of the last. Money in kopecks, `charged` None while unknown.

    `response_id` is that of the answer in the outbox, None where there is none. `reason` says why there is no usable
    answer, None where there is one. `attempts` counts the GETs.
    """

    call_id: str
    response_id: str | None
    inn: str
    method: str
    state: State
    expected: int
    charged: int | None
    http_status: int | None
    reason: str | None
    balance: int | None
    attempts: int


@dataclass(frozen=True, slots=True)
class Account:
    """What the account method says: the balance in kopecks, None where the answer does not name one."""

    balance: int | None
