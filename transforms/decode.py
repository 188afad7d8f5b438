"""Payloads to typed objects: by the strict decoder, or by the lenient one where the strict one refuses."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Field, Mark
from innspect.schemas.decoders import decoder, struct
from innspect.schemas.tables import echo_paths
from innspect.transforms.issues import Drift, Issues, Violation
from innspect.transforms.lenient_decoder import EXACT_JSON, LenientDecoder
from innspect.transforms.split import DECODE_ERRORS, BlockPayload, status_word


def decode(
    block: str, payloads: Iterable[BlockPayload], issues: Issues
) -> tuple[list[BlockPayload], list[BlockPayload]]:
    """Decode the payloads of one block; those of the strict decoder, and those of the lenient one.

    A payload about another INN, or of the wrong type, is marked as failed and is in neither list.
    """
    strict: list[BlockPayload] = []
    lenient: list[BlockPayload] = []
    plain, with_envelope = decoder(block), decoder(block, with_envelope=True)
    is_undocumented, root_list = BLOCKS[block].undocumented, BLOCKS[block].rows_at_root
    for payload in payloads:
        if payload.raw is None:
            continue
        if is_undocumented:
            lenient.append(payload)
            continue
        try:
            body = (with_envelope if payload.has_envelope else plain).decode(payload.raw)
        except msgspec.ValidationError:
            lenient.append(payload)
        except DECODE_ERRORS:
            payload.refuse("not_json")
        else:
            payload.body = struct(BLOCKS[block])(**{root_list: body}) if root_list else body
            strict.append(payload)
    lenient = decode_leniently(lenient, issues)
    _check_statuses(block, (*strict, *lenient), issues)
    return refuse_other_inns(block, strict), refuse_other_inns(block, lenient)


def _check_statuses(block: str, payloads: Iterable[BlockPayload], issues: Issues) -> None:
    """Remove statuses that the block does not declare, and report words that no status has."""
    for payload in payloads:
        removed = remove_undeclared_status(payload)
        if removed:
            issues.violations.append(Violation(payload.snap, block, "$", "status", "one_of", removed))
        if removed or (payload.status_word and not payload.in_full_check):
            word = removed or payload.status_word
            issues.drift.append(Drift(block, "status", "new_value", word, payload.response))


def remove_undeclared_status(payload: BlockPayload) -> str:
    """Remove the payload's status if its block does not declare the value; the value, unless it is the envelope's."""
    part = BLOCKS[payload.block].row_parts.get("status")
    status = payload.body.status if isinstance(part, Field | Mark) else None
    if not isinstance(part, Field | Mark) or not status:
        return ""
    if status in part.kind.values:
        # At the root, the status of the payload takes the place of the envelope's.
        payload.status_word = "" if payload.has_envelope else payload.status_word
        return ""
    payload.body.status = None
    word = status_word(status, payload.envelope_statuses)
    if payload.has_envelope and not word:
        return ""
    payload.status_word = word or payload.status_word
    return status


def decode_leniently(payloads: Iterable[BlockPayload], issues: Issues) -> list[BlockPayload]:
    """Decode payloads field by field; those that could be decoded."""
    decoded: list[BlockPayload] = []
    for payload in payloads:
        try:
            value = EXACT_JSON.decode(payload.raw or b"null")
        except DECODE_ERRORS:
            payload.refuse("not_json")
            continue
        payload.body = LenientDecoder(payload, issues).decode(value)
        if payload.body is not None:
            decoded.append(payload)
    return decoded


def refuse_other_inns(block: str, payloads: list[BlockPayload]) -> list[BlockPayload]:
    """The payloads whose echoed INNs, if any, are the requested INN; the others are marked as failed."""
    paths = echo_paths(block)
    if not paths:
        return payloads
    getters = [(attrgetter(path[0]), path[1:]) for path in paths]
    matching: list[BlockPayload] = []
    for payload in payloads:
        if all(_matches(getter(payload.body), rest, payload.inn) for getter, rest in getters):
            matching.append(payload)
        else:
            payload.refuse("another_inn")
    return matching


def _matches(value: Any, rest: Sequence[str], inn: str) -> bool:
    if not value:
        return True
    if not rest:
        return value == inn
    if isinstance(value, list):
        return all(_matches(getattr(each, rest[0]), (), inn) for each in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return _matches(getattr(value, rest[0]), (), inn)
