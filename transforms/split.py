"""Responses split into block payloads: one for each block that a response should carry."""

import gc
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.decoders import (
    ABSENT,
    ENVELOPE,
    MAX_STATUS_CHARS,
    OK_STATUSES,
    UNAVAILABLE_STATUS,
    envelope_statuses,
)
from innspect.schemas.frames import BLOCK_DIGESTS
from innspect.schemas.states import SnapshotState
from innspect.transforms.issues import Drift

META: Final = "_meta"
VERIFIED_EMPTY: Final = "_verified_empty_blocks"
MAX_UNIX_SECONDS: Final = 2**32
"""Latest plausible start of a collection (year 2106)."""
EXTRA_STACK_FRAMES: Final = 100
"""Payloads are split this much deeper in the stack than they are decoded, so that a later step never meets a nesting
that is too deep: the split refuses it."""
MAX_SAMPLE_BYTES: Final = 200
EMPTY_BODIES: Final = (b"", b"{}", b"null", b'""', b"[]")
MAX_EMPTY_BYTES: Final = 64
"""Size below which a body may be empty but for blanks."""
STATUS_REASON: Final = "status:"
"""Start of the reason of a snapshot without content, before the status word that is not declared."""
FAILURE_MARKS: Final = ("error", "unavailable", "filter_bypassed", "sources_failed", "available")
"""Marks by which any payload may say that a source failed; they count where a block does not declare them, too."""
MAX_ERROR_CHARS: Final = 200
STORE_MARKS: Final = frozenset({"_from_local", "_local_fetched_at"})
MAX_STORE_MARKS_BYTES: Final = 200
"""Size below which an object may hold nothing but the marks of the service's local store."""
DIGEST_BYTES: Final = 8


class Meta(msgspec.Struct):
    """Fields of `_meta` that are used. They may have any type; each is checked when it is read."""

    inn: Any = None
    fetched_at: Any = None
    restored_from_local: Any = None


@dataclass(slots=True)
class BlockPayload:
    """One block of one response: the unit of coverage. `snap` numbers it, `response` the response, within the batch.

    `state` and `reason` are set if the response determines them before the content is read. `collected_at` is the
    start of the collection in unix seconds. `has_envelope`: the body may have envelope fields besides the block's own.
    `envelope_statuses`: values of `status` that are the envelope's (lower case). `status_word`: the status of the
    response or of the payload, if it is none of them and no status that the block declares. `failure`: the reason if a
    mark that the block does not declare says that a source failed. `is_bare`: the payload has no field that describes
    the company.
    """

    snap: int
    response: int
    inn: str
    block: str
    in_full_check: bool
    has_envelope: bool = False
    is_person: bool = False
    raw: bytes | None = None
    state: SnapshotState | None = None
    reason: str = ""
    from_store: bool = False
    collected_at: int | None = None
    envelope_statuses: frozenset[str] = envelope_statuses(OK_STATUSES)
    status_word: str = ""
    failure: str = ""
    is_bare: bool = False
    body: Any = field(default=None, repr=False)

    def refuse(self, reason: str) -> None:
        """Mark the payload as failed, unless the response says that the source was unavailable."""
        self.body, self.raw = None, None
        if self.state != SnapshotState.UNAVAILABLE:
            self.state, self.reason = SnapshotState.FAILED, reason

    @property
    def doubt(self) -> str:
        """The reason why the response confirms nothing without content, from its status; empty if there is none."""
        return f"{STATUS_REASON}{self.status_word}" if self.status_word else ""

    def digest(self, key: bytes) -> int:
        """Digest of the bytes and of everything else that determines the result.

        SHA-256: processors have instructions for it, which makes it faster than BLAKE2.
        """
        context = (
            self.inn, self.block, self.in_full_check, self.has_envelope, self.is_person, self.from_store,
            str(self.state or ""), self.reason, self.status_word, self.failure,
        )  # fmt: skip
        digest = sha256(key + repr(context).encode())
        digest.update(b"" if self.raw is None else self.raw)
        return int.from_bytes(digest.digest()[:DIGEST_BYTES])


@dataclass(frozen=True, slots=True)
class SplitResponses:
    """Responses without their bodies, their payloads in order, the payloads' digests (`BLOCK_DIGESTS`), and drift."""

    responses: pl.DataFrame
    payloads: list[BlockPayload]
    digests: pl.DataFrame
    drift: list[Drift]


_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_META = msgspec.json.Decoder(Meta)
_ANY = msgspec.json.Decoder(Any)
_SKIP = msgspec.json.Decoder(msgspec.Raw)
DECODE_ERRORS = (msgspec.MsgspecError, RecursionError, ValueError, ArithmeticError)
_FULL_CHECK_BLOCKS = {block.full_check_key: name for name, block in BLOCKS.items() if block.full_check_key}
_FULL_CHECK_FIELDS = frozenset({META, VERIFIED_EMPTY, "data", *ENVELOPE})


@contextmanager
def pause_gc() -> Generator[None]:
    """Pause the cyclic GC: what is decoded has no cycles, and searching it takes a third of the decoding time."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


@pause_gc()
def split_responses(
    responses: pl.DataFrame, digest_key: bytes | None = None, ok_statuses: tuple[str, ...] = OK_STATUSES
) -> SplitResponses:
    """Split responses (frame of `ARCHIVE["answers"]`) into payloads, numbered from 0.

    `ok_statuses`: the envelope's `status` of a response with its payload. `digest_key` identifies the software, the
    declarations and the settings that decide how bytes are read. Without it there are no digests.
    """
    drift: list[Drift] = []
    statuses = envelope_statuses(ok_statuses)
    payloads = _call_deeper(lambda: _payloads(responses, statuses, drift), EXTRA_STACK_FRAMES)
    digested = payloads if digest_key is not None else []
    digests = {
        "snap": [payload.snap for payload in digested],
        "inn": [payload.inn for payload in digested],
        "block": [payload.block for payload in digested],
        "digest": [payload.digest(digest_key or b"") for payload in digested],
    }
    return SplitResponses(responses.drop("body"), payloads, pl.DataFrame(digests, schema=BLOCK_DIGESTS), drift)


def _call_deeper(step: Callable[[], list[BlockPayload]], frames: int) -> list[BlockPayload]:
    return _call_deeper(step, frames - 1) if frames else step()


def _payloads(responses: pl.DataFrame, statuses: frozenset[str], drift: list[Drift]) -> list[BlockPayload]:
    payloads: list[BlockPayload] = []
    columns = responses.select("inn", "method", "http_status", "body").iter_rows()
    for response, (inn, method, status, stored) in enumerate(columns):
        body = stored.removeprefix(BOM_UTF8)
        is_usable = status is not None and 200 <= status < 300
        if method == FULL_CHECK:
            new = _split_full_check(response, inn, body, statuses, drift) if is_usable else f"http_{status}"
        elif METHODS[method].block:
            new = _split_standalone(response, inn, method, body, statuses, drift) if is_usable else f"http_{status}"
        else:
            continue
        if isinstance(new, str):
            new = _failed_payloads(response, inn, method, new)
        for payload in new:
            payload.snap = len(payloads)
            payloads.append(payload)
    return payloads


def _failed_payloads(response: int, inn: str, method: str, reason: str) -> list[BlockPayload]:
    blocks = list(_FULL_CHECK_BLOCKS.values()) if method == FULL_CHECK else [METHODS[method].block]
    return [
        BlockPayload(
            0, response, inn, block, in_full_check=method == FULL_CHECK, state=SnapshotState.FAILED, reason=reason
        )
        for block in blocks
    ]


def _decode_failure(error: Exception) -> str:
    return "too_deep" if isinstance(error, RecursionError) else "not_json"


def _unix_seconds(value: Any) -> int | None:
    """The value if it is a plausible time in unix seconds, else None."""
    is_time = isinstance(value, int) and not isinstance(value, bool) and 0 < value < MAX_UNIX_SECONDS
    return value if is_time else None


def _decode_any(raw: msgspec.Raw | None) -> Any:
    """The decoded value; None if it is absent or not JSON."""
    if raw is None or not bytes(raw):
        return None
    try:
        return _ANY.decode(raw)
    except DECODE_ERRORS:
        return None


def status_word(status: Any, known: frozenset[str]) -> str:
    """The status as text if it is neither empty nor one of the `known` words, which are in lower case."""
    text = "" if status is None else status if isinstance(status, str) else msgspec.json.encode(status).decode()
    return "" if not text or text.casefold() in known else text[:MAX_STATUS_CHARS]


def _is_unavailable(status: Any) -> bool:
    return isinstance(status, str) and status.casefold() == UNAVAILABLE_STATUS


def _split_standalone(
    response: int, inn: str, method: str, body: bytes, statuses: frozenset[str], drift: list[Drift]
) -> list[BlockPayload] | str:
    """The payload of a standalone method, or the reason why there is none."""
    payload = BlockPayload(
        0, response, inn, METHODS[method].block, in_full_check=False, has_envelope=True, raw=body,
        is_person=method.startswith("person-"), envelope_statuses=statuses,
    )  # fmt: skip
    try:
        if body.lstrip()[:1] != b"{":
            _SKIP.decode(body)
            return [payload]
        root = _OBJECT.decode(body)
    except DECODE_ERRORS as error:
        return _decode_failure(error)
    nested, status = bytes(root.get("data", ABSENT)), _decode_any(root.get("status"))
    payload.collected_at = _unix_seconds(_decode_any(root.get("last_updated_at")))
    payload.status_word = status_word(status, statuses)
    if nested[:1] in (b"{", b"["):
        payload.raw, payload.has_envelope = nested, False
        payload.failure = _read_envelope(root, payload.block, response, drift)
        if _is_other_inn(_decode_any(root.get("inn")), inn):
            return "another_inn"
    if payload.status_word and _has_no_payload(payload.block, nested, root):
        drift.append(Drift(payload.block, "status", "new_value", payload.status_word, response))
        payload.raw, payload.state, payload.reason = None, SnapshotState.UNCONFIRMED, payload.doubt
    if _is_unavailable(status):
        payload.state, payload.reason = SnapshotState.UNAVAILABLE, SnapshotState.UNAVAILABLE.value
    return [payload]


def _read_envelope(root: dict[str, msgspec.Raw], block: str, response: int, drift: list[Drift]) -> str:
    """Report the undeclared fields around a nested payload; the reason if one says that a source failed, else empty."""
    others = {key: raw for key, raw in root.items() if key not in (*ENVELOPE, "data", "inn")}
    drift += [Drift(block, key, "unknown_field", _sample(raw), response) for key, raw in others.items()]
    return find_failure({key: _decode_any(raw) for key, raw in others.items() if key in FAILURE_MARKS})


def find_failure(marks: Mapping[str, Any]) -> str:
    """The reason if one of the marks says that a source failed: the error's text or the mark's name; else empty."""
    error = marks.get("error")
    if error:
        text = error if isinstance(error, str) else msgspec.json.encode(error).decode()
        return text[:MAX_ERROR_CHARS]
    flags = (name for name in FAILURE_MARKS[1:-1] if marks.get(name))
    return next(flags, "not_available" if marks.get("available") is False else "")


def _is_other_inn(received: Any, inn: str) -> bool:
    return (str(received) if isinstance(received, int) else received) not in (None, "", inn)


def _has_no_payload(block: str, nested: bytes, root: dict[str, msgspec.Raw]) -> bool:
    """Whether a response is nothing but its envelope, where the decoder of the block cannot tell."""
    is_empty = is_empty_json(nested) if nested else bool(BLOCKS[block].rows_at_root)
    return is_empty and root.keys() <= {*ENVELOPE, "data"}


def _split_full_check(
    response: int, inn: str, body: bytes, statuses: frozenset[str], drift: list[Drift]
) -> list[BlockPayload] | str:
    """The payloads of a full check, one per block, or the reason why there are none."""
    try:
        root = _OBJECT.decode(body)
        status = _decode_any(root.get("status"))
        nested, failure = root.get("data"), ""
        if nested is not None and META not in root and not is_empty_json(bytes(nested)):
            updated_at = _unix_seconds(_decode_any(root.get("last_updated_at")))
            failure = _read_envelope(root, FULL_CHECK, response, drift)
            if _is_other_inn(_decode_any(root.get("inn")), inn):
                return "another_inn"
            root = _OBJECT.decode(nested)
            root.setdefault("last_updated_at", msgspec.Raw(b"null" if updated_at is None else b"%d" % updated_at))
    except DECODE_ERRORS as error:
        return _decode_failure(error)
    meta = _decode_meta(root.get(META), response, drift)
    if _is_other_inn(meta.inn, inn):
        return "another_inn"
    verified = _strings(_decode_any(root.get(VERIFIED_EMPTY)))
    from_store = _strings(meta.restored_from_local)
    collected_at = _unix_seconds(meta.fetched_at) or _unix_seconds(_decode_any(root.get("last_updated_at")))
    word, is_unavailable = status_word(status, statuses), _is_unavailable(status)
    if word:
        drift.append(Drift(FULL_CHECK, "status", "new_value", word, response))
    elif is_unavailable:
        word, failure = UNAVAILABLE_STATUS, failure or UNAVAILABLE_STATUS
    payloads: list[BlockPayload] = []
    for key, block in _FULL_CHECK_BLOCKS.items():
        names = {key, block}
        payload = BlockPayload(
            0, response, inn, block, in_full_check=True, collected_at=collected_at,
            from_store=not names.isdisjoint(from_store), envelope_statuses=statuses,
            status_word=word, failure=failure,
        )  # fmt: skip
        is_verified_empty = not names.isdisjoint(verified)
        _set_content(payload, root.pop(key, None), is_verified_empty=is_verified_empty)
        if (word or failure) and _is_silent(payload, is_verified_empty=is_verified_empty):
            payload.state, payload.reason = SnapshotState.UNCONFIRMED, payload.doubt or failure
            if is_unavailable:
                payload.state, payload.reason = SnapshotState.UNAVAILABLE, SnapshotState.UNAVAILABLE.value
        payloads.append(payload)
    for key, raw in root.items():
        if key not in _FULL_CHECK_FIELDS:
            drift.append(Drift(FULL_CHECK, key, "unknown_field", _sample(raw), response))
    return payloads


def _is_silent(payload: BlockPayload, *, is_verified_empty: bool) -> bool:
    """Whether a full check has nothing about the block."""
    is_empty = payload.state == SnapshotState.CLEAN and not is_verified_empty
    return is_empty or payload.state == SnapshotState.MISSING


def _decode_meta(raw: msgspec.Raw | None, response: int, drift: list[Drift]) -> Meta:
    """The fields of `_meta`. One of the wrong type is ignored, so that the blocks still count."""
    try:
        return Meta() if raw is None else _META.decode(raw)
    except DECODE_ERRORS:
        drift.append(Drift(FULL_CHECK, META, "type_changed", _sample(raw), response))
        return Meta()


def is_empty_json(body: bytes) -> bool:
    """Whether the JSON is absent, null, or an empty object, array or text."""
    return body in EMPTY_BODIES or (len(body) < MAX_EMPTY_BYTES and b"".join(body.split()) in EMPTY_BODIES)


def _sample(raw: msgspec.Raw | None) -> str:
    return bytes(raw or b"")[:MAX_SAMPLE_BYTES].decode("utf-8", "replace")


def _set_content(payload: BlockPayload, raw: msgspec.Raw | None, *, is_verified_empty: bool) -> None:
    """Give the payload its bytes, or the state that the full check determines without them."""
    body = b"null" if raw is None else bytes(raw)
    is_empty = is_empty_json(body)
    block = BLOCKS[payload.block]
    # An empty array is the content of a block that is an array. Only an object may mean "not collected".
    is_empty_list = body[:1] == b"[" and block.rows_at_root
    if is_verified_empty and is_empty:
        payload.state = SnapshotState.CLEAN
    elif is_verified_empty and _has_only_store_marks(body):
        payload.state, payload.raw = SnapshotState.CLEAN, body
    elif is_empty and not is_empty_list:
        if body[:1] == b"{" and block.coverage.empty_is_clean:
            payload.state = SnapshotState.CLEAN
        elif body[:1] in (b"{", b"n"):
            payload.state, payload.reason = SnapshotState.MISSING, "absent" if raw is None else "not_named_empty"
        else:
            payload.state, payload.reason = SnapshotState.FAILED, "wrong_type"
    else:
        payload.raw = body


def _has_only_store_marks(body: bytes) -> bool:
    try:
        return len(body) < MAX_STORE_MARKS_BYTES and _OBJECT.decode(body).keys() <= STORE_MARKS
    except DECODE_ERRORS:
        return False


def _strings(value: Any) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, list) else frozenset()  # pyright: ignore[reportUnknownVariableType]
