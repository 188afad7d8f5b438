"""The envelope of a payload: its fields next to the payload's at the root, or the payload under `data`."""

from dataclasses import dataclass

import msgspec

from innspect.sandbox.options import Envelope
from innspect.sandbox.world.random_streams import on_wire
from innspect.schemas.decoders import ENVELOPE

UNAVAILABLE = "unavailable"
_SILENT = "Источник не ответил, запрос не тарифицируется"


@dataclass(frozen=True, slots=True)
class Body:
    """An encoded payload; `own_fields`: fields of the envelope that the payload has itself.

    `has_status`: the envelope has `price`, `status` and `message`; `status`: what it says of an available payload.
    """

    payload: bytes
    own_fields: frozenset[str]
    unavailable: bool
    fetched_at: int
    has_status: bool = True
    status: str = "ok"

    @property
    def is_array(self) -> bool:
        """Whether the payload is an array."""
        return self.payload.startswith(b"[")


def encode_payload(payload: object, fetched_at: int, *, unavailable: bool = False) -> Body:
    """Encode a payload."""
    own = frozenset(name for name in ENVELOPE if isinstance(payload, dict) and name in payload)
    return Body(msgspec.json.encode(payload), own, unavailable, fetched_at)


def wrap_payload(body: Body, style: Envelope, *, price: int, balance: int) -> bytes:
    """The response body; an array at the root has no envelope. Money is in kopecks."""
    if style == "root" and body.is_array:
        return body.payload
    fields: dict[str, object] = {
        "price": on_wire(price),
        "balance": on_wire(balance),
        "status": UNAVAILABLE if body.unavailable else body.status,
        "message": _SILENT if body.unavailable else "",
        "last_updated_at": body.fetched_at,
    }
    if not body.has_status:
        fields = {name: fields[name] for name in ("balance", "last_updated_at")}
    if style == "data":
        return msgspec.json.encode(fields)[:-1] + b',"data":' + body.payload + b"}"
    envelope = msgspec.json.encode({name: value for name, value in fields.items() if name not in body.own_fields})
    if body.payload == b"{}":
        return envelope
    return body.payload[:-1] + b"," + envelope[1:]
