"""An answer taken apart: one piece for each block that it should bring."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.decoders import ABSENT
from innspect.transforms.issues import Drift, Findings

META, VERIFIED = "_meta", "_verified_empty_blocks"
UNAVAILABLE = "unavailable"
LATEST_SECOND = 2**32
"""No collection starts later (2106): a larger number is no time in seconds."""
SPARE_FRAMES = 100
"""How many calls deeper a body is taken apart than it is read: one that nests too deep is refused, whoever reads it."""
EMPTY = (b"", b"{}", b"null", b'""', b"[]")
STORE_MARKS = frozenset({"_from_local", "_local_fetched_at"})
SHORT = 200
"""Bytes within which an object may hold nothing but the marks of the local store."""


class Envelope(msgspec.Struct):
    """What stands around a standalone payload; `data` is there in the nested envelope only."""

    data: msgspec.Raw = ABSENT
    status: msgspec.Raw = ABSENT
    last_updated_at: msgspec.Raw = ABSENT


class Meta(msgspec.Struct):
    """The part of `_meta` that is used; its fields may be of any type, each is checked when read."""

    inn: Any = None
    fetched_at: Any = None
    restored_from_local: Any = None


@dataclass(slots=True)
class Piece:
    """One block of one answer: the unit of coverage. `snap` numbers it within the batch.

    `given` is the state that the answer decides before its content is looked at; `started` the start of the
    collection in unix seconds, where the answer tells it.
    """

    snap: int
    answer: int
    inn: str
    block: str
    full: bool
    standalone: bool = False
    person: bool = False
    raw: bytes | None = None
    given: str = ""
    reason: str = ""
    stored: bool = False
    started: int | None = None
    body: Any = field(default=None, repr=False)


_ENVELOPE = msgspec.json.Decoder(Envelope)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_META = msgspec.json.Decoder(Meta)
_ANY = msgspec.json.Decoder(Any)
_SKIP = msgspec.json.Decoder(msgspec.Raw)
UNREADABLE = (msgspec.MsgspecError, RecursionError, ValueError, ArithmeticError)
_FULL_BLOCKS: dict[str, str] = {}


def full_blocks() -> dict[str, str]:
    """The keys of the full check and the blocks that they bring."""
    if not _FULL_BLOCKS:
        _FULL_BLOCKS.update({block.full_check_key: name for name, block in BLOCKS.items() if block.full_check_key})
    return _FULL_BLOCKS


def take_apart(answers: pl.DataFrame, findings: Findings, *, first_snap: int = 0, first_answer: int = 0) -> list[Piece]:
    """Pieces of all answers (frame of `ARCHIVE["answers"]`), in their order, both numbered from the first given."""
    return _deeper(lambda: _pieces(answers, findings, first_snap, first_answer), SPARE_FRAMES)


def _deeper(step: Callable[[], list[Piece]], frames: int) -> list[Piece]:
    """Run a step so many frames deeper: what it can read there, later steps can read higher on the stack."""
    return _deeper(step, frames - 1) if frames else step()


def _pieces(answers: pl.DataFrame, findings: Findings, first_snap: int, first_answer: int) -> list[Piece]:
    pieces: list[Piece] = []
    columns = answers.select("inn", "method", "http_status", "body").iter_rows()
    for answer, (inn, method, status, body) in enumerate(columns, first_answer):
        if METHODS[method].block or method == FULL_CHECK:
            of = _of_full_check if method == FULL_CHECK else _of_standalone
            for piece in of(answer, inn, method, status, body, findings):
                piece.snap = first_snap + len(pieces)
                pieces.append(piece)
    return pieces


def _failed(answer: int, inn: str, method: str, reason: str) -> list[Piece]:
    if method == FULL_CHECK:
        return [
            Piece(0, answer, inn, block, full=True, given="failed", reason=reason) for block in full_blocks().values()
        ]
    return [Piece(0, answer, inn, METHODS[method].block, full=False, given="failed", reason=reason)]


def refuse(piece: Piece, reason: str) -> None:
    """Mark a piece as no usable answer; that a source was down stands, whatever came with it."""
    piece.body, piece.raw = None, None
    if piece.given != UNAVAILABLE:
        piece.given, piece.reason = "failed", reason


def _why(fault: Exception) -> str:
    return "too_deep" if isinstance(fault, RecursionError) else "not_json"


def _usable(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def _seconds(value: Any) -> int | None:
    """The value, if it can be a time in unix seconds."""
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 < value < LATEST_SECOND
    return value if sound else None


def _any(raw: msgspec.Raw | None) -> Any:
    if raw is None or not bytes(raw):
        return None
    try:
        return _ANY.decode(raw)
    except UNREADABLE:
        return None


def _of_standalone(
    answer: int, inn: str, method: str, status: int | None, body: bytes, _findings: Findings
) -> list[Piece]:
    if not _usable(status):
        return _failed(answer, inn, method, f"http_{status}")
    block = METHODS[method].block
    piece = Piece(0, answer, inn, block, full=False, standalone=True, raw=body, person=method.startswith("person-"))
    try:
        if body.lstrip()[:1] != b"{":
            _SKIP.decode(body)
            return [piece]
        envelope = _ENVELOPE.decode(body)
    except UNREADABLE as fault:
        return _failed(answer, inn, method, _why(fault))
    if bytes(envelope.data)[:1] in (b"{", b"["):
        piece.raw, piece.standalone = bytes(envelope.data), False
    piece.started = _seconds(_any(envelope.last_updated_at))
    if _any(envelope.status) == UNAVAILABLE:
        piece.given = piece.reason = UNAVAILABLE
    return [piece]


def _of_full_check(
    answer: int, inn: str, method: str, status: int | None, body: bytes, findings: Findings
) -> list[Piece]:
    if not _usable(status):
        return _failed(answer, inn, method, f"http_{status}")
    try:
        root = _OBJECT.decode(body)
        silent = _any(root.get("status")) == UNAVAILABLE
        nested = root.get("data")
        if nested is not None and META not in root and not (silent and bytes(nested) == b"null"):
            started = _seconds(_any(root.get("last_updated_at")))
            root = _OBJECT.decode(nested)
            root.setdefault("last_updated_at", msgspec.Raw(b"null" if started is None else str(started).encode()))
    except UNREADABLE as fault:
        return _failed(answer, inn, method, _why(fault))
    meta = _meta(root.get(META), answer, findings)
    if (str(meta.inn) if isinstance(meta.inn, int) else meta.inn) not in (None, "", inn):
        return _failed(answer, inn, method, "another_inn")
    verified = _words(_any(root.get(VERIFIED)))
    stored = _words(meta.restored_from_local)
    started = _seconds(meta.fetched_at) or _seconds(_any(root.get("last_updated_at")))
    pieces: list[Piece] = []
    for key, block in full_blocks().items():
        piece = Piece(0, answer, inn, block, full=True, started=started, stored=key in stored or block in stored)
        _place(piece, root.pop(key, None), named=key in verified or block in verified)
        if silent and piece.given == "missing":
            piece.given = piece.reason = UNAVAILABLE
        pieces.append(piece)
    for key, raw in root.items():
        if key not in _EXPECTED:
            findings.drift.append(Drift(FULL_CHECK, key, "unknown_field", _sample(raw), answer))
    return pieces


def _meta(raw: msgspec.Raw | None, answer: int, findings: Findings) -> Meta:
    """What `_meta` says; of the wrong type it says nothing, and the blocks beside it still count."""
    try:
        return Meta() if raw is None else _META.decode(raw)
    except UNREADABLE:
        findings.drift.append(Drift(FULL_CHECK, META, "type_changed", _sample(raw), answer))
        return Meta()


def _sample(raw: msgspec.Raw | None) -> str:
    return bytes(raw or b"")[:200].decode("utf-8", "replace")


_EXPECTED = frozenset({META, VERIFIED, "price", "balance", "status", "message", "last_updated_at", "data"})


def _place(piece: Piece, raw: msgspec.Raw | None, *, named: bool) -> None:
    """Decide what the full check says of a block before its content is looked at."""
    body = b"null" if raw is None else bytes(raw)
    empty = body in EMPTY or (len(body) < 64 and b"".join(body.split()) in EMPTY)
    # An array is what an array block always is: only an object can be the sign of something not collected.
    answered = body[:1] == b"[" and BLOCKS[piece.block].rows_at_root
    if named and empty:
        piece.given = "clean"
    elif named and _only_marks(body):
        piece.given, piece.raw = "clean", body
    elif empty and not answered:
        if body[:1] == b"{" and BLOCKS[piece.block].evidence.empty_is_clean:
            piece.given = "clean"
        elif body[:1] in (b"{", b"n"):
            piece.given, piece.reason = "missing", "absent" if raw is None else "not_named_empty"
        else:
            piece.given, piece.reason = "failed", "wrong_type"
    else:
        piece.raw = body


def _only_marks(body: bytes) -> bool:
    """Whether nothing but the marks of the local store stand in an object."""
    try:
        return len(body) < SHORT and _OBJECT.decode(body).keys() <= STORE_MARKS
    except UNREADABLE:
        return False


def _words(value: Any) -> frozenset[str]:
    return frozenset(word for word in value if isinstance(word, str)) if isinstance(value, list) else frozenset()  # pyright: ignore[reportUnknownVariableType]
