"""Split responses to raw columns, portion by portion.

Payloads and their decoded objects take many times the memory of columns, so each portion is released before the next
one is decoded. Operations on columns have a cost per call, so they wait until all portions are columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from innspect.schemas.frames import BLOCK_DIGESTS, KNOWN_PAYLOADS, SNAP
from innspect.transforms.decode import decode, decode_again
from innspect.transforms.flatten.columns import FlatBlock, flatten
from innspect.transforms.issues import Issues
from innspect.transforms.split import BlockPayload, SplitResponses
from innspect.transforms.unchanged_blocks import reusable_payloads


@dataclass(slots=True)
class DecodedColumns:
    """Raw frames of one block by table, of one decoder. `exact`: amounts are exact decimals (lenient decoder)."""

    exact: bool
    frames: dict[str, list[pl.DataFrame]] = field(default_factory=dict[str, list[pl.DataFrame]])
    missing: list[tuple[str, list[int]]] = field(default_factory=list[tuple[str, list[int]]])
    """Paths of documented keys that are absent or null, with the snapshots."""

    def add(self, flat: FlatBlock, issues: Issues) -> None:
        """Add the frames of one portion."""
        for name, frame in flat.frames.items():
            self.frames.setdefault(name, []).append(frame)
        self.missing += flat.missing
        issues.drift.extend(flat.drift)

    def take(self, table: str) -> pl.DataFrame:
        """Remove and return the raw frame of a table."""
        frames = self.frames.pop(table)
        return frames[0] if len(frames) == 1 else pl.concat(frames)


@dataclass(slots=True)
class BlockAccumulator:
    """Columns of one block over all portions, by decoder, and its payloads that are not known."""

    payloads: list[BlockPayload] = field(default_factory=list[BlockPayload])
    strict: DecodedColumns = field(default_factory=lambda: DecodedColumns(exact=False))
    lenient: DecodedColumns = field(default_factory=lambda: DecodedColumns(exact=True))

    @property
    def by_decoder(self) -> list[DecodedColumns]:
        """The columns of the strict decoder, and those of the lenient one if it was needed."""
        return [self.strict, self.lenient] if self.lenient.frames else [self.strict]

    @property
    def missing(self) -> list[tuple[str, list[int]]]:
        """Paths of documented keys that are absent or null, with the snapshots."""
        return self.strict.missing + self.lenient.missing

    def add(self, block: str, payloads: Sequence[BlockPayload], issues: Issues) -> None:
        """Decode the payloads of one portion, keep their columns, and release their bytes and objects."""
        self.payloads += payloads
        strict, lenient = decode(block, payloads, issues)
        flat = flatten(block, strict, exact=False)
        if flat.too_large:
            lenient += decode_again([payload for payload in strict if payload.snap in flat.too_large], issues)
            flat = flatten(block, [payload for payload in strict if payload.snap not in flat.too_large], exact=False)
        self.strict.add(flat, issues)
        if lenient:
            self.lenient.add(flatten(block, lenient, exact=True), issues)
        for payload in payloads:
            payload.raw = payload.body = None


@dataclass(slots=True)
class Accumulator:
    """Columns of all portions, by block. Its payloads, in order, have neither bytes nor decoded objects."""

    responses: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    payloads: list[BlockPayload] = field(default_factory=list[BlockPayload])
    blocks: dict[str, BlockAccumulator] = field(default_factory=dict[str, BlockAccumulator])
    digests: list[pl.DataFrame] = field(default_factory=lambda: [pl.DataFrame(schema=BLOCK_DIGESTS)])
    known: list[pl.DataFrame] = field(default_factory=lambda: [pl.DataFrame(schema=KNOWN_PAYLOADS)])

    def add(
        self,
        split: SplitResponses,
        known: pl.DataFrame | None,
        issues: Issues,
        check_interruption: Callable[[], None] = lambda: None,
    ) -> None:
        """Add a portion; snapshots and responses are numbered on. Payloads that are `known` are not decoded.

        `check_interruption` is called for each block.
        """
        reusable = reusable_payloads(split.digests, known)
        skipped = set(reusable[SNAP].to_list())
        first_snap, first_response = len(self.payloads), sum(frame.height for frame in self.responses)
        by_block: dict[str, list[BlockPayload]] = {}
        for payload in split.payloads:
            if payload.snap in skipped:
                payload.raw = None
            else:
                by_block.setdefault(payload.block, []).append(payload)
            payload.snap += first_snap
            payload.response += first_response
        issues.drift += [replace(drift, response=drift.response + first_response) for drift in split.drift]
        for block, payloads in by_block.items():
            check_interruption()
            self.blocks.setdefault(block, BlockAccumulator()).add(block, payloads, issues)
        self.responses.append(split.responses)
        self.payloads += split.payloads
        number = (pl.col(SNAP) + first_snap).cast(pl.UInt32)
        self.digests.append(split.digests.with_columns(number))
        self.known.append(reusable.with_columns(number))
