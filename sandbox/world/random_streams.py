"""Reproducible random streams: the draws depend only on the labels of the stream."""

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws, the same on every machine and in every process for the same labels.

    Only `Random.random` is used, since Python guarantees its sequence across versions.
    """

    __slots__ = ("unit",)

    def __init__(self, *labels: str | int) -> None:
        text = "\x1f".join(map(str, labels))
        digest = blake2b(text.encode(), digest_size=16).digest()
        self.unit = Random(int.from_bytes(digest, "big")).random  # noqa: S311  # no secrets

    def chance(self, share: float) -> bool:
        """True in that share of the streams."""
        return self.unit() < share

    def integer(self, low: int, high: int) -> int:
        """An integer between `low` and `high`, both included."""
        return low + int(self.unit() * (high - low + 1))

    def pick(self, of: Sequence[T]) -> T:
        """One element."""
        return of[int(self.unit() * len(of))]

    def some(self, of: Sequence[T], count: int) -> list[T]:
        """`count` distinct elements in the order of the sequence, or all of them."""
        marked = sorted(range(len(of)), key=lambda _: self.unit())[:count]
        return [of[index] for index in sorted(marked)]

    def digits(self, count: int) -> str:
        """Decimal digits as text, the first never 0."""
        return str(self.integer(10 ** (count - 1), 10**count - 1))

    def kopecks(self, low: int, high: int, *, roubles_share: float = 0.5) -> int:
        """An amount in kopecks between two amounts in roubles, small ones more likely; a share is in full roubles."""
        amount = low * (high / low) ** self.unit()
        return int(amount) * 100 if self.chance(roubles_share) else round(amount * 100)

    def roubles(self, low: int, high: int) -> float:
        """An amount in roubles with at most two decimals, as in JSON."""
        return on_wire(self.kopecks(low, high))

    def uuid(self) -> str:
        """A text with the format of a version 4 UUID."""
        text = f"{int(self.unit() * 2**52):013x}{int(self.unit() * 2**52):013x}{int(self.unit() * 2**24):06x}"
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def on_wire(kopecks: int) -> float:
    """Kopecks as a number of roubles for JSON."""
    return round(kopecks / 100, 2)
