"""Payloads to typed objects: by the strict decoder, or by the lenient one where the strict one refuses."""

from collections.abc import Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import msgspec

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Field, Inline, Leaves, List, Map, Mark, Part, Zero
from innspect.schemas.decoders import ENVELOPE, decoder, struct
from innspect.schemas.tables import echo_paths
from innspect.transforms.issues import Drift, Issues, Violation
from innspect.transforms.lenient_decoder import EXACT_JSON, LenientDecoder
from innspect.transforms.split import DECODE_ERRORS, EMPTY_BODIES, BlockPayload, is_empty_json, status_word


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
            (lenient if _has_other_leaves(block, payload.body) else strict).append(payload)
    lenient = decode_leniently(lenient, issues)
    _check_statuses(block, (*strict, *lenient), issues)
    for decoded, is_declared in ((strict, True), (lenient, False)):
        for payload in decoded:
            payload.is_bare = is_bare(payload, is_declared=is_declared)
            _replace_unset_records(payload)
    return refuse_other_inns(block, strict), refuse_other_inns(block, lenient)


def _has_other_leaves(block: str, body: Any) -> bool:
    """Whether leaves are not in a list, as the documents have them; the lenient decoder reports that."""
    leaves = (bytes(getattr(body, name)) for name, part in _descriptive_parts(block) if isinstance(part, Leaves))
    return any(raw[:1] != b"[" and not is_empty_json(raw) for raw in leaves)


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


def decode_again(payloads: Iterable[BlockPayload], issues: Issues) -> list[BlockPayload]:
    """Decode payloads leniently that the strict decoder decoded already."""
    decoded = decode_leniently(payloads, issues)
    for payload in decoded:
        remove_undeclared_status(payload)
        _replace_unset_records(payload)
    return decoded


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


def is_bare(payload: BlockPayload, *, is_declared: bool) -> bool:
    """Whether the payload has none of the fields by which its block describes the company.

    `is_declared`: the payload has nothing but what is declared; then it may be the documented empty object.
    """
    block, body = BLOCKS[payload.block], payload.body
    if block.undocumented:
        return bytes(body.leaves) in EMPTY_BODIES
    if any(_is_given(part, getattr(body, name), body) for name, part in _descriptive_parts(payload.block)):
        return False
    return not (block.coverage.empty_is_clean and is_declared and _is_empty_object(payload))


def _is_empty_object(payload: BlockPayload) -> bool:
    """Whether the payload is an empty object, around which at most an envelope says that the response is good."""
    if getattr(payload.body, "error", None) is not None:
        return False
    if not payload.has_envelope:
        return True
    given = {name for name in ENVELOPE if not is_empty_json(bytes(getattr(payload.body, name)))}
    return not given or "status" in given


@cache
def _descriptive_parts(block_name: str) -> tuple[tuple[str, Part], ...]:
    """The fields of a block that describe the company, not the response."""
    return tuple(
        (name, part)
        for name, part in BLOCKS[block_name].row_parts.items()
        if (isinstance(part, Field) and part.content)
        or isinstance(part, List | Map | Leaves)
        or (isinstance(part, Inline) and part.record)
    )


def _is_given(part: Part, value: Any, body: Any) -> bool:
    """Whether the value says something about the company: no null, no empty text, no zero for 'not obtained'.

    A record is given if it is null or empty too: the source has none.
    """
    match part:
        case Inline():
            return value is not msgspec.UNSET and (is_empty_record(value) or has_values(part, value))
        case Field():
            is_unknown = value is None or value == "" or (part.zero is not Zero.REAL and value == 0)
            return not is_unknown and not _is_unchecked(part, body)
        case Leaves():
            return bytes(value) not in (b"", b"null")
        case _:
            return value is not None


def _is_unchecked(field: Field, body: Any) -> bool:
    """Whether the marks of the payload say that the field's value was not checked."""
    if not field.null_while:
        return False
    mark = getattr(body, field.null_while)
    return bool(mark) if mark is not None else bool(field.null_without) and not getattr(body, field.null_without)


def is_empty_record(record: Any) -> bool:
    """Whether a record is null or an empty object."""
    return record is None or all(getattr(record, name) is None for name in record.__struct_fields__)


def has_values(part: Inline, record: Any) -> bool:
    """Whether a record has a value besides its echoed INN."""
    names = (name for name, field in part.of.row_parts.items() if isinstance(field, Field))
    return record is not None and any(getattr(record, name) not in (None, "") for name in names)


def _replace_unset_records(payload: BlockPayload) -> None:
    """Make a record that the payload lacks None, like one that is null."""
    for name, part in _descriptive_parts(payload.block):
        if isinstance(part, Inline) and getattr(payload.body, name) is msgspec.UNSET:
            setattr(payload.body, name, None)


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
