"""What an answer says of itself: price, balance and status, read from any bytes; and the key blotted out of them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote

import msgspec

UNAVAILABLE = "unavailable"
MOST_ROUBLES = 10**12
_SHORTEST_TAIL = 4
_NO_CREDIT = re.compile(
    r"(insufficient|not[ _-]?enough|too[ _-]?low|exhausted|\bno|\blow)[ _-]*(balance|funds|money|credit)"
    r"|(balance|funds|money|credit)[ _-]*(is[ _-])?(exhausted|empty|insufficient|too[ _-]?low|used[ _-]?up)"
    r"|payment[ _-]required|недостаточно\s+(денеж\w*\s+)?средств|недостаточн\w*\s+баланс|баланс\w*\s+исчерпан",
    re.IGNORECASE,
)
_KEY_IS_TEXT = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Envelope:
    """What the envelope says; money in kopecks, None where it does not say.

    `whole`: the body is one complete JSON document. `says` is whatever words stand where errors are told.
    """

    price: int | None = None
    balance: int | None = None
    status: str = ""
    says: str = ""
    whole: bool = False

    @property
    def unavailable(self) -> bool:
        """Whether the answer says that its source did not answer."""
        return self.status == UNAVAILABLE

    @property
    def no_credit(self) -> bool:
        """Whether its status says that the balance is used up."""
        return _NO_CREDIT.search(self.status) is not None

    @property
    def tells_no_credit(self) -> bool:
        """Whether any of its words say that the balance is used up: fit for answers that are errors anyway."""
        return self.no_credit or _NO_CREDIT.search(self.says) is not None


class _Fields(msgspec.Struct):
    price: msgspec.Raw = msgspec.Raw()
    balance: msgspec.Raw = msgspec.Raw()
    status: msgspec.Raw = msgspec.Raw()
    message: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    code: msgspec.Raw = msgspec.Raw()
    detail: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()


_FIELDS = msgspec.json.Decoder(_Fields)
_ANYTHING = msgspec.json.Decoder(msgspec.Raw)
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError, ArithmeticError)


def read_envelope(body: bytes) -> Envelope:
    """The envelope around a payload, beside it at the root or with the payload under `data`. Never raises.

    Of a body that ends too early it reads the fields that came whole.
    """
    root, whole = _read(body)
    if root is None:
        return Envelope(whole=whole)
    inner = _read(bytes(root.data))[0] if bytes(root.data)[:1] == b"{" else None
    layers = (root,) if inner is None else (root, inner)
    statuses = [_text(layer.status) for layer in layers]
    said = (text for layer in layers for text in _words(layer))
    return Envelope(
        price=_first(_price(layer.price) for layer in layers),
        balance=_first(_balance(layer.balance) for layer in layers),
        status=UNAVAILABLE if UNAVAILABLE in statuses else statuses[0],
        says=" ".join(said),
        whole=whole,
    )


def _read(body: bytes) -> tuple[_Fields | None, bool]:
    """The fields of an object, and whether the bytes are one JSON document."""
    try:
        return _FIELDS.decode(body), True
    except msgspec.ValidationError:
        pass
    except _UNREADABLE:
        return _beginning(body), False
    try:
        _ANYTHING.decode(body)
    except _UNREADABLE:
        return None, False
    return None, True


def _beginning(body: bytes) -> _Fields | None:
    """The fields of an object that breaks off, as far as they came."""
    text = body.decode("utf-8", errors="replace").lstrip()
    if not text.startswith("{"):
        return None
    found: dict[str, msgspec.Raw] = {}
    try:
        for name, value in _members(text):
            if name in _Fields.__struct_fields__:
                found[name] = msgspec.Raw(json.dumps(value).encode())
    except _UNREADABLE:
        pass
    return _Fields(**found)


def _members(text: str) -> Iterator[tuple[str, Any]]:
    at = 1
    while True:
        name, at = _KEY_IS_TEXT.raw_decode(text, _past_space(text, at))
        at = _past_space(text, at)
        if not isinstance(name, str) or text[at : at + 1] != ":":
            return
        value, at = _KEY_IS_TEXT.raw_decode(text, _past_space(text, at + 1))
        at = _past_space(text, at)
        # A number at the very end may have lost digits.
        if text[at : at + 1] not in (",", "}"):
            return
        yield name, value
        if text[at] == "}":
            return
        at += 1


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _plain(raw: msgspec.Raw) -> Any:
    try:
        return json.loads(bytes(raw), parse_float=Decimal, parse_int=Decimal) if bytes(raw) else None
    except _UNREADABLE:
        return None


def _text(raw: msgspec.Raw) -> str:
    value = _plain(raw)
    return value.strip().lower() if isinstance(value, str) else ""


def _words(fields: _Fields) -> Iterator[str]:
    for raw in (fields.status, fields.message, fields.error, fields.code, fields.detail):
        value = _plain(raw)
        inner: list[Any] = [*value.values()] if isinstance(value, dict) else [value]
        yield from (text for text in inner if isinstance(text, str))


def _amount(raw: msgspec.Raw) -> Decimal | None:
    value = _plain(raw)
    if isinstance(value, str):
        try:
            value = Decimal(re.sub(r"\s", "", value).replace(",", "."))
        except InvalidOperation:
            return None
    if not isinstance(value, Decimal) or not value.is_finite() or value.copy_abs() > MOST_ROUBLES:
        return None
    return value


def _price(raw: msgspec.Raw) -> int | None:
    roubles = _amount(raw)
    if roubles is None or roubles < 0:
        return None
    # A part of a kopeck counts as a whole one: never less than was charged.
    return int((roubles * 100).to_integral_value(ROUND_CEILING))


def _balance(raw: msgspec.Raw) -> int | None:
    roubles = _amount(raw)
    return None if roubles is None else int((roubles * 100).to_integral_value(ROUND_FLOOR))


def _first(values: Iterator[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)


def blotted(body: bytes, key: str) -> tuple[bytes, bool]:
    """The body with the key replaced by as many asterisks, in whatever way JSON or an address spell it; and whether."""
    found = False
    for spelled in _spellings(key):
        if spelled in body:
            body, found = body.replace(spelled, b"*" * len(spelled)), True
    return body, found


def blotted_end(body: bytes, key: str) -> tuple[bytes, bool]:
    """`blotted` for a body that breaks off: the beginning of a key at its end goes too."""
    body, found = blotted(body, key)
    plain = key.encode()
    for length in range(min(len(plain), len(body)), _SHORTEST_TAIL - 1, -1):
        if body.endswith(plain[:length]):
            return body[:-length] + b"*" * length, True
    return body, found


def _spellings(key: str) -> set[bytes]:
    if not key:
        return set()
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    inside = json.dumps(key)[1:-1]
    upper = "".join(f"\\u{ord(letter):04X}" for letter in key)
    return {text.encode() for text in (key, inside, inside.replace("/", "\\/"), quote(key, safe=""), escaped, upper)}
