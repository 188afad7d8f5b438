"""Read the response to one GET: its body, limited in size before and after decompression, and its time headers."""

import zlib
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from innspect.extract.clock import to_utc
from innspect.extract.service.charging import Failure

MAX_RETRY_AFTER_SECONDS = 600.0
ENCODINGS = ("gzip", "x-gzip", "deflate")
"""Content encodings that are decoded; a body in any other is kept as received."""
_ZLIB_OR_GZIP_HEADER = 32 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """The response to one GET, complete or not.

    `status` is None if no head was received; `body` is what was received of it, decompressed; `failure` is None for a
    complete response. `received_at` is this machine's clock, `service_time` the service's `Date` header, both UTC.
    """

    received_at: datetime
    status: int | None = None
    body: bytes = b""
    failure: Failure | None = None
    retry_after: float | None = None
    service_time: datetime | None = None

    @property
    def clock_ahead(self) -> float | None:
        """The seconds by which this clock is ahead of the service's; None if the service does not report its time."""
        return None if self.service_time is None else (self.received_at - self.service_time).total_seconds()


class BoundedDecoder:
    """Streaming decompressor with a size limit.

    httpx's decoding is not used: it does not limit memory and does not detect a truncated stream
    (docs/decisions/0006-response-decoding.md).
    """

    def __init__(self, encoding: str, max_bytes: int) -> None:
        is_encoded = encoding.strip().lower() in ENCODINGS
        self._decompressor = zlib.decompressobj(_ZLIB_OR_GZIP_HEADER) if is_encoded else None
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._received = 0

    def add(self, part: bytes) -> Failure | None:
        """Add the next part; TOO_LARGE or BROKEN if the body cannot be completed."""
        self._received += len(part)
        if self._decompressor is not None:
            if self._decompressor.eof:
                # zlib would keep bytes after the end of the stream and copy all of them for every part.
                return None
            try:
                part = self._decompressor.decompress(part, self._max_bytes - self._size + 1)
            except zlib.error:
                return Failure.BROKEN
        # What fits is kept: the response may have been charged, and its price is mostly at the beginning.
        self._parts.append(part[: self._max_bytes - self._size])
        self._size += len(part)
        return Failure.TOO_LARGE if self._size > self._max_bytes else None

    def finish(self, content_length: str | None) -> Failure | None:
        """BROKEN if the compressed stream is incomplete or the body does not have its `Content-Length`."""
        if content_length is not None and content_length.isdecimal() and int(content_length) != self._received:
            return Failure.BROKEN
        if self._decompressor is not None and self._received and not self._decompressor.eof:
            return Failure.BROKEN
        return None

    @property
    def body(self) -> bytes:
        """The bytes received so far, decompressed, at most `max_bytes`."""
        return b"".join(self._parts)


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """The seconds in a `Retry-After` header, at most `MAX_RETRY_AFTER_SECONDS`; None if it is not readable."""
    if header is None:
        return None
    text = header.strip()
    if text.isdecimal():
        return min(MAX_RETRY_AFTER_SECONDS, float(text[:9]))
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return min(MAX_RETRY_AFTER_SECONDS, max(0.0, (to_utc(until) - to_utc(now)).total_seconds()))


def parse_date(header: str | None) -> datetime | None:
    """The instant (UTC) in a `Date` header; None if it is not readable."""
    try:
        return None if header is None else to_utc(parsedate_to_datetime(header.strip()))
    except ValueError:
        return None
