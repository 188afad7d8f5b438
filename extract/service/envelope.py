"""The envelope of a response: price, balance and status, read from any bytes."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Any

import msgspec

UNAVAILABLE = "unavailable"
MAX_ROUBLES = 10**12
_NO_CREDIT = re.compile(
    r"(insufficient|not[ _-]?enough|too[ _-]?low|exhausted|\bno|\blow)[ _-]*(balance|funds|money|credit)"
    r"|(balance|funds|money|credit)[ _-]*(is[ _-])?(exhausted|empty|insufficient|too[ _-]?low|used[ _-]?up)"
    r"|payment[ _-]required|недостаточно\s+(денеж\w*\s+)?средств|недостаточн\w*\s+баланс|баланс\w*\s+исчерпан",
    re.IGNORECASE,
)
_JSON_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Envelope:
    """Fields of an envelope; money in kopecks, None if the response does not name it.

    `is_complete`: the body is one complete JSON document. `message` joins the texts of the fields for errors.
    `payload_unavailable`: the payload's own `unavailable` is true.
    """

    price: int | None = None
    balance: int | None = None
    status: str = ""
    message: str = ""
    is_complete: bool = False
    payload_unavailable: bool = False

    @property
    def is_unavailable(self) -> bool:
        """Whether the service reports, in the envelope or in the payload, that its source did not respond."""
        return self.status == UNAVAILABLE or self.payload_unavailable

    @property
    def has_credit_status(self) -> bool:
        """Whether the status means that the balance is used up."""
        return _NO_CREDIT.search(self.status) is not None

    @property
    def has_credit_message(self) -> bool:
        """Whether any text means that the balance is used up; only valid for error responses."""
        return self.has_credit_status or _NO_CREDIT.search(self.message) is not None


class _Fields(msgspec.Struct):
    price: msgspec.Raw = msgspec.Raw()
    balance: msgspec.Raw = msgspec.Raw()
    status: msgspec.Raw = msgspec.Raw()
    message: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    code: msgspec.Raw = msgspec.Raw()
    detail: msgspec.Raw = msgspec.Raw()
    unavailable: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()


_FIELDS = msgspec.json.Decoder(_Fields)
_ANYTHING = msgspec.json.Decoder(msgspec.Raw)
_MAX_TRUNCATED_BYTES = 4 * 1024 * 1024
"""How much of a truncated body is read: its values become objects of Python, of many times its size."""
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError, ArithmeticError)


def read_envelope(body: bytes) -> Envelope:
    """The envelope of a response, with the payload at the root or under `data`. Never raises.

    From a truncated body it reads the fields that are complete. Other fields are skipped without decoding them, and the
    payload under `data` is read in place, so that a body of several MB costs little.
    """
    root, is_complete = _read_fields(body.removeprefix(BOM_UTF8))
    if root is None:
        return Envelope(is_complete=is_complete)
    inner = _read_fields(root.data)[0] if bytes(memoryview(root.data)[:1]) == b"{" else None
    layers = (root,) if inner is None else (root, inner)
    statuses = [_text(layer.status) for layer in layers]
    return Envelope(
        price=_first(_price(layer.price) for layer in layers),
        balance=_first(_balance(layer.balance) for layer in layers),
        status=UNAVAILABLE if UNAVAILABLE in statuses else statuses[0],
        message=" ".join(text for layer in layers for text in _messages(layer)),
        is_complete=is_complete,
        # An object under `data` is the payload; without one the root is.
        payload_unavailable=any(bytes(layer.unavailable) == b"true" for layer in layers),
    )


def _read_fields(body: bytes | msgspec.Raw) -> tuple[_Fields | None, bool]:
    """The fields of an object, None for another JSON value; and whether the bytes are one JSON document."""
    try:
        return _FIELDS.decode(body), True
    except msgspec.ValidationError:
        pass
    except _UNREADABLE:
        return _read_truncated(bytes(memoryview(body)[:_MAX_TRUNCATED_BYTES])), False
    try:
        _ANYTHING.decode(body)
    except _UNREADABLE:
        return None, False
    return None, True


def _read_truncated(body: bytes) -> _Fields | None:
    """The complete fields of a truncated object."""
    text = body.decode("utf-8", errors="replace").lstrip()
    if not text.startswith("{"):
        return None
    fields: dict[str, msgspec.Raw] = {}
    try:
        for name, value in _members(text):
            if name in _Fields.__struct_fields__:
                fields[name] = msgspec.Raw(json.dumps(value).encode())
    except _UNREADABLE:
        pass
    return _Fields(**fields)


def _members(text: str) -> Iterator[tuple[str, Any]]:
    at = 1
    while True:
        name, at = _JSON_DECODER.raw_decode(text, _skip_space(text, at))
        at = _skip_space(text, at)
        if not isinstance(name, str) or text[at : at + 1] != ":":
            return
        value, at = _JSON_DECODER.raw_decode(text, _skip_space(text, at + 1))
        at = _skip_space(text, at)
        # A number at the end of the text may be truncated.
        if text[at : at + 1] not in (",", "}"):
            return
        yield name, value
        if text[at] == "}":
            return
        at += 1


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _decode_value(raw: msgspec.Raw) -> Any:
    try:
        return json.loads(bytes(raw), parse_float=Decimal, parse_int=Decimal) if bytes(raw) else None
    except _UNREADABLE:
        return None


def _text(raw: msgspec.Raw) -> str:
    value = _decode_value(raw)
    return value.strip().lower() if isinstance(value, str) else ""


def _messages(fields: _Fields) -> Iterator[str]:
    for raw in (fields.status, fields.message, fields.error, fields.code, fields.detail):
        value = _decode_value(raw)
        inner: list[Any] = [*value.values()] if isinstance(value, dict) else [value]
        yield from (text for text in inner if isinstance(text, str))


def parse_roubles(value: Any) -> Decimal | None:
    """An amount in roubles, of a number or of a text; None for any other value, and for amounts out of range."""
    if isinstance(value, str):
        try:
            value = Decimal(re.sub(r"\s", "", value).replace(",", "."))
        except InvalidOperation:
            return None
    if not isinstance(value, Decimal) or not value.is_finite() or value.copy_abs() > MAX_ROUBLES:
        return None
    return value


def _price(raw: msgspec.Raw) -> int | None:
    return parse_charge(_decode_value(raw))


def parse_charge(value: Any) -> int | None:
    """An amount that was charged, in kopecks; None for a value that is none, such as a negative one."""
    roubles = parse_roubles(value)
    if roubles is None or roubles < 0:
        return None
    # Round up: never less than was charged.
    return int((roubles * 100).to_integral_value(ROUND_CEILING))


def _balance(raw: msgspec.Raw) -> int | None:
    roubles = parse_roubles(_decode_value(raw))
    return None if roubles is None else int((roubles * 100).to_integral_value(ROUND_FLOOR))


def _first(values: Iterator[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)
