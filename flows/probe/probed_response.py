"""The responses of a probe, each with its interpretation by the transforms of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from innspect.extract.service.charging import is_success
from innspect.extract.service.envelope import UNAVAILABLE, read_envelope
from innspect.flows.executors import split_with_digests
from innspect.flows.probe import body_shape
from innspect.flows.probe.probe_plan import ProbeCall, Purpose
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.declaration import ANY_LENGTH
from innspect.schemas.decoders import ENVELOPE, Conventions
from innspect.schemas.frames import Batch
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import EVIDENCE, SnapshotState
from innspect.transforms.pipeline import transform
from innspect.transforms.split import META, STATUS_REASON, VERIFIED_EMPTY

NOT_JSON_REASON = "not_json"
"""Reason of a call whose response is complete and is no JSON."""
ROOT, UNDER_DATA, ARRAY, NOT_JSON = "at the root", "under data", "as an array without envelope", "not JSON"


@dataclass(frozen=True, slots=True)
class ProbeResponse:
    """The outcome of one call of a probe; money in kopecks, None if unknown.

    `body` is None if no response is stored. `balance_drop`: by how much the balance of the account fell with the call.
    """

    call: ProbeCall
    response_id: str
    state: str
    http_status: int | None
    reason: str | None
    charged: int | None
    sent_at: datetime
    seconds: float | None
    body: bytes | None
    balance_drop: int | None

    @property
    def is_usable(self) -> bool:
        """Whether a payload may be in it: the response is a success, and complete."""
        is_complete = self.body is not None and self.reason in (None, UNAVAILABLE, NOT_JSON_REASON)
        return is_complete and is_success(self.http_status)

    @property
    def name(self) -> str:
        """Method and kind of INN, in words."""
        if self.call.purpose is Purpose.METHOD and METHODS[self.call.method].digits != ANY_LENGTH:
            return self.call.method
        return f"{self.call.method} ({self.call.inn_kind})"


@dataclass(slots=True)
class ProbedResponse:
    """A response with its interpretation; `body` is decoded, None if it is not JSON."""

    response: ProbeResponse
    batch: Batch | None
    body: Any = None

    @property
    def states(self) -> list[tuple[str, str, str]]:
        """Block, state and reason of each snapshot."""
        if self.batch is None:
            return []
        return self.batch.snapshots.select("block", "state", pl.col("reason").fill_null("")).rows()

    @property
    def has_evidence(self) -> bool:
        """Whether any block is evidence."""
        return any(state in EVIDENCE for _, state, _ in self.states)

    @property
    def has_content(self) -> bool:
        """Whether any block was found."""
        return any(state in (SnapshotState.FOUND, SnapshotState.PARTIAL) for _, state, _ in self.states)

    @property
    def price(self) -> int | None:
        """The price that the response names, in kopecks."""
        return None if self.response.body is None else read_envelope(self.response.body).price

    @property
    def catalogue_price(self) -> int:
        """The price of the catalogue, in kopecks."""
        return METHODS[self.response.call.method].price

    @property
    def is_free_unavailable(self) -> bool:
        """Whether the response says that its source was unavailable, and is documented as free then."""
        response = self.response
        if not response.is_usable or not METHODS[response.call.method].free_if_unavailable:
            return False
        return read_envelope(response.body or b"").is_unavailable

    @property
    def is_error_body(self) -> bool:
        """Whether a response with a success status holds an error in place of a payload."""
        has_no_field = all(state == SnapshotState.FAILED or reason == "no_field" for _, state, reason in self.states)
        if not has_no_field and not any(reason.startswith(STATUS_REASON) for _, _, reason in self.states):
            return False
        if not isinstance(self.body, dict):
            return not isinstance(self.body, list)
        layers = [self.body, *(inner for inner in self.body.values() if isinstance(inner, dict))]
        is_named = any(layer.get(name) for layer in layers for name in ("error", "errors", "detail", "code"))
        return is_named or self.body.get("status") == "error"

    @property
    def position(self) -> str:
        """Where the payload is."""
        if isinstance(self.body, list):
            return ARRAY
        if not isinstance(self.body, dict):
            return NOT_JSON
        is_nested = isinstance(self.body.get("data"), dict | list) and META not in self.body
        return UNDER_DATA if is_nested else ROOT

    @property
    def own_fields(self) -> frozenset[str]:
        """The fields at the root of the body that belong to the payload, as far as they are declared."""
        if self.position == UNDER_DATA:
            return frozenset({"data"})
        method = METHODS[self.response.call.method]
        if method.name == FULL_CHECK:
            keys = {block.full_check_key for block in BLOCKS.values() if block.full_check_key}
            return frozenset({*keys, META, VERIFIED_EMPTY})
        return frozenset(BLOCKS[method.block].row_parts)

    @property
    def envelope(self) -> dict[str, Any]:
        """The declared fields of the envelope, with their values."""
        if not isinstance(self.body, dict):
            return {}
        return {name: self.body[name] for name in ENVELOPE if name in self.body and name not in self.own_fields}

    @property
    def payload(self) -> Any:
        """The body without the declared fields of the envelope."""
        if self.position == UNDER_DATA:
            return self.body["data"]
        if self.position == ROOT:
            return {name: value for name, value in self.body.items() if name not in self.envelope}
        return self.body

    @property
    def undeclared_fields(self) -> frozenset[str]:
        """The fields at the root of the body that are neither the payload's nor the envelope's."""
        if not isinstance(self.body, dict):
            return frozenset()
        return frozenset(self.body) - self.own_fields - {*ENVELOPE}


def interpret(responses: Sequence[ProbeResponse], conventions: Conventions) -> list[ProbedResponse]:
    """Interpret each response alone, as a run does, so that every issue belongs to one method."""
    return [
        ProbedResponse(
            response,
            None if response.body is None else _transform(response, conventions),
            None if response.body is None else body_shape.decode_json(response.body),
        )
        for response in responses
    ]


def _transform(response: ProbeResponse, conventions: Conventions) -> Batch:
    row = dict.fromkeys(ARCHIVE["answers"]) | {
        "response_id": response.response_id,
        "run_id": "probe",
        "inn": response.call.inn,
        "method": response.call.method,
        "asked_at": response.sent_at,
        "http_status": response.http_status,
        "body": response.body,
    }
    frame = pl.DataFrame([row], schema=dict(ARCHIVE["answers"]))
    return transform(split_with_digests(frame, conventions), conventions.zone)
