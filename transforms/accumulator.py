"""Answers to raw columns, portion by portion.

Bodies, and the objects that they make, take many times the memory of columns: each portion lets go of its own. What is
done with columns costs by the call, so it is left until all portions are columns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Field, Inline, Leaves, List, Map
from innspect.schemas.decoders import ABSENT
from innspect.transforms.decode import decode, reread
from innspect.transforms.flatten.columns import SNAP, Flat, flatten
from innspect.transforms.issues import Findings
from innspect.transforms.split import Piece, take_apart
from innspect.transforms.unchanged_blocks import BODIES, RECALLED, Memory, digests, recalled


@dataclass(slots=True)
class Lane:
    """The raw frames of one block, by table, as one lane read them; `exact` where amounts are exact already."""

    exact: bool
    parts: dict[str, list[pl.DataFrame]] = field(default_factory=dict[str, list[pl.DataFrame]])
    missing: list[tuple[str, list[int]]] = field(default_factory=list[tuple[str, list[int]]])
    """Paths of documented keys that were absent or null, with the snapshots."""

    def add(self, flat: Flat, findings: Findings) -> None:
        """Add what one portion brought."""
        for name, frame in flat.frames.items():
            self.parts.setdefault(name, []).append(frame)
        self.missing += flat.missing
        findings.drift.extend(flat.drift)

    def frame(self, table: str) -> pl.DataFrame:
        """The raw frame of a table, and no longer here: nothing is kept twice."""
        parts = self.parts.pop(table)
        return parts[0] if len(parts) == 1 else pl.concat(parts)


@dataclass(slots=True)
class OfBlock:
    """One block of all portions: its pieces that are not recalled, and what the lanes read of them."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    fast: Lane = field(default_factory=lambda: Lane(exact=False))
    careful: Lane = field(default_factory=lambda: Lane(exact=True))
    silent: list[int] = field(default_factory=list[int])
    """Snapshots whose body has none of the fields that tell of the company."""

    @property
    def lanes(self) -> list[Lane]:
        """The lanes of which there are frames: the fast one always."""
        return [self.fast, self.careful] if self.careful.parts else [self.fast]

    @property
    def missing(self) -> list[tuple[str, list[int]]]:
        """Paths of documented keys that were absent or null, with the snapshots."""
        return self.fast.missing + self.careful.missing


@dataclass(slots=True)
class Gathered:
    """What all portions say, block by block, unread. The pieces, in their order, have neither bytes nor bodies left."""

    answers: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    pieces: list[Piece] = field(default_factory=list[Piece])
    blocks: dict[str, OfBlock] = field(default_factory=dict[str, OfBlock])
    bodies: list[pl.DataFrame] = field(default_factory=lambda: [pl.DataFrame(schema=BODIES)])
    known: list[pl.DataFrame] = field(default_factory=lambda: [pl.DataFrame(schema=RECALLED)])


def gather(portions: Iterable[pl.DataFrame], memory: Memory | None, findings: Findings) -> Gathered:
    """Take answers (frames of `ARCHIVE["answers"]`) apart and make columns of them.

    Snapshots and answers are numbered through all portions. Only of one portion, or where nothing is recalled, may an
    INN come twice.
    """
    gathered = Gathered()
    for answers in portions:
        _portion(answers, gathered, memory, findings)
    return gathered


def _portion(answers: pl.DataFrame, gathered: Gathered, memory: Memory | None, findings: Findings) -> None:
    first = sum(frame.height for frame in gathered.answers)
    pieces = take_apart(answers, findings, first_snap=len(gathered.pieces), first_answer=first)
    bodies = digests(pieces, memory)
    known = recalled(pieces, bodies, memory)
    is_known = set(known[SNAP].to_list())
    by_block: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.snap not in is_known:
            by_block.setdefault(piece.block, []).append(piece)
    # From here on the bodies live in the pieces alone, and each block lets go of its own.
    gathered.answers.append(answers.drop("body"))
    del answers
    for block, of_block in by_block.items():
        there = gathered.blocks.setdefault(block, OfBlock())
        there.pieces += of_block
        _flatten(block, of_block, there, findings)
        there.silent += [piece.snap for piece in of_block if piece.body is not None and _is_silent(piece)]
        for piece in of_block:
            piece.raw = piece.body = None
    gathered.pieces += pieces
    gathered.bodies.append(bodies)
    gathered.known.append(known)


def _flatten(block: str, pieces: Sequence[Piece], there: OfBlock, findings: Findings) -> None:
    fast, careful = decode(block, pieces, findings)
    flat = flatten(block, fast, exact=False)
    if flat.too_large:
        careful += reread([piece for piece in fast if piece.snap in flat.too_large], findings)
        flat = flatten(block, [piece for piece in fast if piece.snap not in flat.too_large], exact=False)
    there.fast.add(flat, findings)
    if careful:
        there.careful.add(flatten(block, careful, exact=True), findings)


def _is_silent(piece: Piece) -> bool:
    """Whether the body has none of the fields that tell of the company, where that is not the sign of an empty one."""
    telling = _telling(piece.block)
    return bool(telling) and all(getattr(piece.body, name) in (None, ABSENT) for name in telling)


@cache
def _telling(block_name: str) -> tuple[str, ...]:
    """The fields of a block that tell of the company; none where having none of them is the sign of an empty one."""
    block = BLOCKS[block_name]
    record = any(isinstance(part, Inline) and part.record for part in block.row_parts.values())
    if block.undocumented or block.evidence.empty_is_clean or record:
        return ()
    return tuple(
        name for name, part in block.row_parts.items() if isinstance(part, Field | List | Map | Leaves | Inline)
    )
