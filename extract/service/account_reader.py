"""Read a response of `account`. The documents do not show its fields, so this module alone decides what is recognised.

The payload is the object under `data`, otherwise the root. Members of nested objects count, those of arrays do not. A
name is split into words (`spend30Days` has three), and the names of the objects around a member count as its words too.

Access status: a text whose name contains `access`, `status` or `state`, or a flag whose name contains `access`; no text
without a letter, no name with a word of `NOT_STATUS`. Ranks: names with both words; one of them alone; other names.
`status` at the root with a word of the envelope is the envelope's.

Spend of 30 days: an amount in roubles, as number or as text, that is not negative, whose name consists of the words of
`SPEND`, `PERIOD`, `NEUTRAL` and `30` only. Ranks: a word of `SPEND` and `30`; a word of `SPEND` without `PERIOD`; `30`.

The members of the best rank decide. Different values among them are ambiguous: nothing is recognised then.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from innspect.extract.ledger.account import AccountResponse
from innspect.extract.service.envelope import UNAVAILABLE, parse_charge, read_envelope

MAX_TEXT_CHARACTERS = 16_384
"""Characters of a response that are kept."""
MAX_STATUS_CHARACTERS = 100
STATUS = frozenset(("status", "state"))
ACCESS = "access"
NOT_STATUS = frozenset(
    (
        "at", "code", "date", "days", "expire", "expires", "from", "http", "id", "message", "since", "till", "time",
        "to", "until", "url",
    )
)  # fmt: skip
SECRETS = frozenset(("key", "password", "secret", "token"))
"""Words of a secret; `key_status` is none."""
ENVELOPE_STATUSES = frozenset(("ok", "success", "error", UNAVAILABLE))
SPEND = frozenset(
    ("charged", "charges", "cost", "costs", "expense", "expenses", "spend", "spending", "spendings", "spends", "spent")
)
THIRTY = "30"
PERIOD = frozenset(("d", "day", "days", "last", "past", "per", "period", "total"))
NEUTRAL = frozenset(
    (
        "access", "account", "amount", "billing", "for", "in", "of", "over", "rouble", "roubles", "rub", "ruble",
        "rubles", "rur", "stat", "statistics", "stats", "sum", "summary", "the", "usage", "value", "within",
    )
)  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MAX_READ_BYTES = 2**20
_MAX_MEMBERS = 1000
_MAX_DEPTH = 5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Member:
    """A value of the payload with the words of its name, and those of the objects around it added (`words`)."""

    path: tuple[str, ...]
    own_words: frozenset[str]
    words: frozenset[str]
    value: Any
    is_envelope: bool


def read_account(body: bytes, received_at: datetime) -> AccountResponse:
    """The response of `account` with this body, in which the API key is masked. Never raises."""
    # PostgreSQL stores no NUL in a text.
    text = body.decode("utf-8", errors="replace").replace("\x00", "\ufffd")
    members = _read_members(body)
    return AccountResponse(
        received_at=received_at,
        text=text[:MAX_TEXT_CHARACTERS],
        is_truncated=len(text) > MAX_TEXT_CHARACTERS,
        balance=read_envelope(body).balance,
        access_status=_find_unambiguous(_rank_statuses(members)),
        spend_30_days=_find_unambiguous(_rank_spends(members)),
    )


def _read_members(body: bytes) -> list[_Member]:
    """The members of the payload that are no objects; none if the body is no JSON object."""
    if len(body) > _MAX_READ_BYTES:
        return []
    try:
        document = json.loads(body, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError, ArithmeticError):
        return []
    if not isinstance(document, dict):
        return []
    data = document.get("data")
    is_root = not isinstance(data, dict)
    return list(_walk(document if is_root else data, is_root=is_root))


def _walk(payload: dict[str, Any], *, is_root: bool) -> Iterator[_Member]:
    """The members of the payload, the outer ones first."""
    objects: deque[tuple[tuple[str, ...], dict[str, Any]]] = deque([((), payload)])
    count = 0
    while objects:
        outer, members = objects.popleft()
        for name, value in members.items():
            count += 1
            if count > _MAX_MEMBERS:
                return
            path = (*outer, name)
            if isinstance(value, dict):
                if len(path) < _MAX_DEPTH:
                    objects.append((path, value))
                continue
            words = frozenset(word for part in path for word in _split_words(part))
            yield _Member(path, frozenset(_split_words(name)), words, value, is_root and len(path) == 1)


def _split_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _rank_statuses(members: Iterable[_Member]) -> Iterator[tuple[int, str]]:
    for member in members:
        own = member.own_words
        has_status, has_access = bool(own & STATUS), ACCESS in own
        text = _status_text(member.value, is_flag=has_access)
        if text is None or own & NOT_STATUS or not (has_status or has_access) or (own & SECRETS and not has_status):
            continue
        if member.is_envelope and member.path == ("status",) and text.lower() in ENVELOPE_STATUSES:
            continue
        if ACCESS in member.words and member.words & STATUS:
            yield 0, text
        else:
            yield 1 if own <= {ACCESS, *STATUS} and member.words <= own | {"account"} else 2, text


def _status_text(value: Any, *, is_flag: bool) -> str | None:
    if isinstance(value, bool):
        return str(value).lower() if is_flag else None
    if not isinstance(value, str) or len(value) > MAX_STATUS_CHARACTERS or not re.search(r"[^\W\d_]", value):
        return None
    # JSON may escape control characters and half surrogates, which no database and no terminal should get.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in value.strip())


def _rank_spends(members: Iterable[_Member]) -> Iterator[tuple[int, int]]:
    for member in members:
        words = member.words
        amount = parse_charge(member.value)
        if amount is None or not words <= SPEND | PERIOD | NEUTRAL | {THIRTY}:
            continue
        if words & SPEND and THIRTY in words:
            yield 0, amount
        elif words & SPEND and not words & PERIOD:
            yield 1, amount
        elif THIRTY in words:
            yield 2, amount


def _find_unambiguous(ranked: Iterable[tuple[int, T]]) -> T | None:
    """The value of the best rank; None if there is none, or if several differ."""
    candidates = list(ranked)
    best = min((rank for rank, _ in candidates), default=None)
    values = {value for rank, value in candidates if rank == best}
    return values.pop() if len(values) == 1 else None
