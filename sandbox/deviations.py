"""Deviations: how every response of the sandbox differs from what the documents of the service say."""

import re
from codecs import BOM_UTF8
from collections.abc import Container
from enum import StrEnum
from typing import Any

import msgspec

_DMY = re.compile(r"(\d{2})\.(\d{2})\.(\d{4})")


class ErrorBodies(StrEnum):
    """Form of the responses that refuse a call."""

    JSON = "json"
    HTML = "html"
    TEXT = "text"
    SUCCESS = "success"
    """The JSON body with the HTTP status 200, charged like a payload."""


class Deviations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table `deviations` of a fault file.

    `status_word`: the envelope's `status` in place of `ok`. `envelope_fields`: names of further fields of the envelope.
    `omit`: names of payload fields that are absent at any depth. `dates`: separator in place of the dots of dates
    `DD.MM.YYYY`. `prices`: roubles by method in place of the catalogue's. `charge_unavailable`: unavailable responses
    are charged. `any_length`: methods accept INNs of both lengths. `errors`, `error_status`: form and status of
    the response to an INN that is refused. `byte_order_mark`: payloads begin with that of UTF-8.
    """

    status_word: str = ""
    envelope_fields: tuple[str, ...] = ()
    omit: tuple[str, ...] = ()
    dates: str = ""
    prices: dict[str, float] = msgspec.field(default_factory=dict)
    charge_unavailable: bool = False
    any_length: bool = False
    errors: ErrorBodies = ErrorBodies.JSON
    error_status: int = 422
    byte_order_mark: bool = False

    def price(self, method: str, catalogue: int) -> int:
        """The price of a call in kopecks."""
        return round(self.prices[method] * 100) if method in self.prices else catalogue


AS_DOCUMENTED = Deviations()


def change_content(content: bytes, own_fields: Container[str], deviations: Deviations) -> bytes:
    """The response body with the deviations of payload and envelope; `own_fields`: root fields of the payload."""
    if deviations == AS_DOCUMENTED:
        return content
    tree = msgspec.json.decode(content)
    if deviations.omit or deviations.dates:
        tree = _change_payload(tree, deviations)
    if isinstance(tree, dict):
        if deviations.status_word and "status" not in own_fields and tree.get("status") == "ok":
            tree["status"] = deviations.status_word
        tree |= {name: f"{name}-{len(content)}" for name in deviations.envelope_fields}
    return BOM_UTF8 * deviations.byte_order_mark + msgspec.json.encode(tree)


def _change_payload(value: Any, deviations: Deviations) -> Any:
    match value:
        case dict():
            kept = ((name, inner) for name, inner in value.items() if name not in deviations.omit)
            return {name: _change_payload(inner, deviations) for name, inner in kept}
        case list():
            return [_change_payload(inner, deviations) for inner in value]
        case str() if deviations.dates and (found := _DMY.fullmatch(value)):
            return deviations.dates.join(found.groups())
        case _:
            return value


def refusal_body(error: str, message: str, style: ErrorBodies) -> tuple[bytes, str]:
    """The body that refuses a call, and its media type."""
    match style:
        case ErrorBodies.HTML:
            page = f"<html><head><title>{error}</title></head><body><h1>{message}</h1></body></html>"
            return page.encode(), "text/html"
        case ErrorBodies.TEXT:
            return message.encode(), "text/plain"
        case _:
            body = {"status": "error", "error": error, "message": message}
            return msgspec.json.encode(body), "application/json"
