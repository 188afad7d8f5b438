"""Blocks whose very bytes came before: what they say is known, so they are not transformed again.

What a block says is a function of its bytes, of how the answer came, and of the declarations. Where the warehouse
knows the version that the same bytes made, and that version is still the latest of its INN and block, the new snapshot
points at it; so it does for a partial answer, for what it brought is in that version. Bytes that were no evidence are
none again. Everything else is transformed, also a block with findings, which are told of every answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import polars as pl

from innspect.transforms.coverage import JUDGED
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.snapshot_metadata import FACTS
from innspect.transforms.split import Piece

BODIES: dict[str, pl.DataType] = {SNAP: pl.UInt32(), "digest": pl.UInt64()}
"""What is remembered of the blocks of a batch."""
RECALLED: dict[str, pl.DataType] = {
    SNAP: pl.UInt32(),
    "state": pl.String(),
    "reason": pl.String(),
    "from_local": pl.Boolean(),
    "collected_at": pl.Datetime("us"),
    "source_date": pl.Date(),
    "marks": pl.String(),
    "version_id": pl.String(),
}
"""What is known of a block that came before with the same bytes."""
DIGEST_BYTES: Final = 8
SEED_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Memory:
    """What a warehouse remembers. `seed` stands for all that decides what bytes say, apart from the bytes.

    `recall` is given blocks (`snap`, `inn`, `block`, `digest`), and gives those that it knows (`RECALLED`), of the ones
    with a version those whose version is the latest of their INN and block.
    """

    seed: bytes
    recall: Callable[[pl.DataFrame], pl.DataFrame]


def seed(*words: str) -> bytes:
    """The seed that these words make."""
    return blake2b("\n".join(words).encode(), digest_size=SEED_BYTES).digest()


def digests(pieces: list[Piece], memory: Memory | None) -> pl.DataFrame:
    """The number of each piece's bytes (`BODIES`), the same for the same INN, block and way of coming only."""
    if memory is None:
        return pl.DataFrame(schema=BODIES)
    numbers = [_digest(piece, memory.seed) for piece in pieces]
    return pl.DataFrame({SNAP: [piece.snap for piece in pieces], "digest": numbers}, schema=BODIES)


def _digest(piece: Piece, key: bytes) -> int:
    way = (piece.inn, piece.block, piece.full, piece.standalone, piece.person, piece.stored, piece.given, piece.reason)
    digest = blake2b(repr(way).encode(), digest_size=DIGEST_BYTES, key=key)
    digest.update(b"" if piece.raw is None else piece.raw)
    return int.from_bytes(digest.digest())


def recalled(pieces: list[Piece], bodies: pl.DataFrame, memory: Memory | None) -> pl.DataFrame:
    """The pieces that need no transforming, with what is known of them (`RECALLED`).

    Of an INN and block that the batch has several times either all are known or none counts: what is transformed
    between two of them would have to be compared with rows that are not here.
    """
    if memory is None or bodies.is_empty():
        return pl.DataFrame(schema=RECALLED)
    pairs = {"inn": [piece.inn for piece in pieces], "block": [piece.block for piece in pieces]}
    arriving = bodies.with_columns(pl.Series(name, values, pl.String) for name, values in pairs.items())
    known = memory.recall(arriving).cast(pl.Schema(RECALLED))
    strange = arriving.join(known, on=SNAP, how="anti").select("inn", "block")
    whole = arriving.join(strange, on=["inn", "block"], how="anti").select(SNAP)
    return known.join(whole, on=SNAP, how="semi", maintain_order="left").sort(SNAP)


def judged(known: pl.DataFrame) -> pl.DataFrame:
    """The states of recalled pieces, as if they had been judged."""
    return known.select(list(JUDGED))


def told(known: pl.DataFrame) -> pl.DataFrame:
    """What the snapshots of recalled pieces keep of the answer."""
    return known.with_columns(pl.when("from_local").then("collected_at").alias("fetched_at")).select(list(FACTS))


def worth_remembering(
    snapshots: pl.DataFrame, bodies: pl.DataFrame, known: pl.DataFrame, noticed: Callable[[], pl.DataFrame]
) -> pl.DataFrame:
    """The bodies that are not `known` and say all there is to say, nothing having been `noticed` (`snap`) in them.

    What came from the local store without its time is left out, for the time is then that of the answer.
    """
    if bodies.is_empty():
        return bodies
    told_by_answer = pl.col("from_local") & pl.col("fetched_at").is_null()
    without_time = snapshots.filter(told_by_answer).select(SNAP)
    others = pl.concat([known.select(SNAP), without_time, noticed()])
    return bodies.join(others, on=SNAP, how="anti", maintain_order="left")
