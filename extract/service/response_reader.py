"""What came over the wire of one GET: the bytes, bounded also after unpacking, or why there are none."""

import zlib
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from innspect.extract.planner.freshness import utc
from innspect.extract.service.charging import Failure

LONGEST_WAIT = 600.0
PACKINGS = ("gzip", "x-gzip", "deflate")
"""Packings that are asked for or unpacked; a body in any other is kept as it came."""
_EITHER_HEAD = 32 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, whole or not. `status` is None without a head; `retry_after` is the wait asked for, in seconds.

    `said_at` is the service's own clock (UTC), None where the answer does not tell it.
    """

    status: int | None = None
    body: bytes = b""
    failure: Failure | None = None
    retry_after: float | None = None
    said_at: datetime | None = None


class Intake:
    """Takes the parts of a body as they come and unpacks them, never holding more than `most` bytes.

    httpx's own decoding is not used: it does not bound memory and does not notice a stream that ends early
    (docs/decisions/0006-response-decoding.md).
    """

    def __init__(self, packing: str, most: int) -> None:
        self._unpacker = zlib.decompressobj(_EITHER_HEAD) if packing.strip().lower() in PACKINGS else None
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self._came = 0

    def take(self, part: bytes) -> Failure | None:
        """Take the next part; a failure where the body is too large or its packing is broken."""
        self._came += len(part)
        if self._unpacker is not None:
            if self._unpacker.eof:
                # zlib would keep what follows the stream, and copy all of it for every part.
                return None
            try:
                part = self._unpacker.decompress(part, self._most - self._size + 1)
            except zlib.error:
                return Failure.BROKEN
        self._size += len(part)
        if self._size > self._most:
            self._parts.clear()
            return Failure.TOO_LARGE
        self._parts.append(part)
        return None

    def end(self, announced: str | None) -> Failure | None:
        """A failure where the body ended before its packing did, or is not as long as its head announced."""
        if announced is not None and announced.isdecimal() and int(announced) != self._came:
            return Failure.BROKEN
        if self._unpacker is not None and self._came and not self._unpacker.eof:
            return Failure.BROKEN
        return None

    @property
    def body(self) -> bytes:
        """What has come so far, unpacked."""
        return b"".join(self._parts)


def wait_asked(header: str | None, now: datetime) -> float | None:
    """The seconds that a `Retry-After` asks for, at most `LONGEST_WAIT`; None where it says nothing readable."""
    if header is None:
        return None
    text = header.strip()
    if text.isdecimal():
        return min(LONGEST_WAIT, float(text[:9]))
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return min(LONGEST_WAIT, max(0.0, (utc(until) - utc(now)).total_seconds()))


def told_at(header: str | None) -> datetime | None:
    """The moment (UTC) in a `Date` header; None where it says nothing readable."""
    try:
        return None if header is None else utc(parsedate_to_datetime(header.strip()))
    except ValueError:
        return None
