"""Pieces to typed objects: the strict decoder first, the careful reader for what it refuses."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.decoders import ENVELOPE_STATUSES, decoder, struct
from innspect.schemas.tables import echoes
from innspect.transforms.issues import Findings
from innspect.transforms.lenient_decoder import EXACT, Careful
from innspect.transforms.split import UNREADABLE, Piece, refuse


def decode(block: str, pieces: Iterable[Piece], findings: Findings) -> tuple[list[Piece], list[Piece]]:
    """Give each piece of one block its body; those of the fast lane, and those that were read with care.

    A piece whose body is about another INN, or is of the wrong type, is marked failed and is in neither list.
    """
    fast: list[Piece] = []
    careful: list[Piece] = []
    plain, standalone = decoder(block), decoder(block, standalone=True)
    undocumented, wrap = BLOCKS[block].undocumented, BLOCKS[block].rows_at_root
    for piece in pieces:
        if piece.raw is None:
            continue
        if undocumented:
            careful.append(piece)
            continue
        try:
            body = (standalone if piece.standalone else plain).decode(piece.raw)
        except msgspec.ValidationError:
            careful.append(piece)
        except UNREADABLE:
            refuse(piece, "not_json")
        else:
            piece.body = struct(BLOCKS[block])(**{wrap: body}) if wrap else body
            fast.append(piece)
    careful = reread(careful, findings)
    if "status" in BLOCKS[block].row_parts:
        for piece in (*fast, *careful):
            if piece.standalone and piece.body.status in ENVELOPE_STATUSES:
                piece.body.status = None
    return asked(block, fast), asked(block, careful)


def reread(pieces: Iterable[Piece], findings: Findings) -> list[Piece]:
    """Read pieces with care, leaf by leaf; those that have a body."""
    for piece in pieces:
        try:
            value = EXACT.decode(piece.raw or b"null")
        except UNREADABLE:
            refuse(piece, "not_json")
        else:
            piece.body = Careful(piece, findings).build(value)
    return [piece for piece in pieces if piece.body is not None]


def asked(block: str, pieces: list[Piece]) -> list[Piece]:
    """The pieces whose echoes of the INN, where there are any, are those of the INN that was asked."""
    paths = echoes(block)
    if not paths:
        return pieces
    getters = [(attrgetter(path[0]), path[1:]) for path in paths]
    kept: list[Piece] = []
    for piece in pieces:
        if all(_matches(getter(piece.body), rest, piece.inn) for getter, rest in getters):
            kept.append(piece)
        else:
            refuse(piece, "another_inn")
    return kept


def _matches(value: Any, rest: Sequence[str], inn: str) -> bool:
    if not value:
        return True
    if not rest:
        return value == inn
    if isinstance(value, list):
        return all(_matches(getattr(each, rest[0]), (), inn) for each in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return _matches(getattr(value, rest[0]), (), inn)
