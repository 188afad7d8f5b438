"""Streaming decoding with a memory limit, directly and over HTTP; values of `Retry-After`."""

import asyncio
import gzip
import tracemalloc
import zlib
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.charging import Failure
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.paid_calls import PaidCalls
from innspect.extract.service.response_reader import MAX_RETRY_AFTER_SECONDS, BoundedDecoder, parse_retry_after
from innspect.schemas.settings.sections import Service
from innspect.schemas.states import CallState

MEGABYTE = 1024 * 1024
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
JSON = b'{"price": 3, "name": "x", "numbers": [1, 2, 3]}'
COMPRESSED = gzip.compress(JSON, mtime=0)


@given(st.binary(max_size=3000), st.sampled_from(["", "gzip", "deflate", " GZIP "]), st.integers(1, 400))
def test_body_is_decoded_however_it_is_split(body, encoding, step):
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding.strip().lower(), bytes)
    sent = pack(body)
    decoder = BoundedDecoder(encoding, 3000)
    assert [decoder.add(sent[at : at + step]) for at in range(0, len(sent), step)] == [None] * -(-len(sent) // step)
    assert decoder.finish(str(len(sent))) is None
    assert decoder.body == body


def test_decompression_bomb_stays_within_the_memory_limit():
    bomb = gzip.compress(bytes(200 * MEGABYTE))
    tracemalloc.start()
    try:
        failure = BoundedDecoder("gzip", MEGABYTE).add(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert failure is Failure.TOO_LARGE
    assert peak < 8 * MEGABYTE


@pytest.mark.parametrize(("size", "failure"), [(100, None), (101, Failure.TOO_LARGE)])
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_size_limit_is_exact(size, failure, encoding):
    sent = gzip.compress(bytes(size)) if encoding else bytes(size)
    decoder = BoundedDecoder(encoding, 100)
    assert (decoder.add(sent), decoder.body) == (failure, bytes(100))


@pytest.mark.parametrize(
    ("encoding", "sent"), [("", b"12345"), ("gzip", gzip.compress(b"12345", mtime=0))], ids=["plain", "gzip"]
)
def test_truncated_body_is_broken(encoding, sent):
    decoder = BoundedDecoder(encoding, 100)
    decoder.add(sent[:-2])
    assert decoder.finish(str(len(sent))) is Failure.BROKEN


def test_truncated_compression_is_broken_without_content_length():
    decoder = BoundedDecoder("gzip", 100)
    decoder.add(gzip.compress(b"12345")[:-2])
    assert decoder.finish(None) is Failure.BROKEN


def test_bytes_after_the_compressed_stream_are_counted_and_dropped():
    decoder = BoundedDecoder("gzip", 100)
    tracemalloc.start()
    try:
        decoder.add(gzip.compress(b"12345"))
        for _ in range(100):
            assert decoder.add(bytes(MEGABYTE)) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * MEGABYTE
    assert decoder.body == b"12345"
    assert decoder.finish("5") is Failure.BROKEN


@asynccontextmanager
async def call_server(ledger, head, body):
    """The result of one call to a server on loopback that sends these bytes and closes the connection."""

    async def respond(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        try:
            writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body)
            await writer.drain()
        except ConnectionError:
            pass  # the client gave up
        finally:
            writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    service = Service(base_url=f"http://{host}:{port}", max_body_mb=1)
    async with (
        server,
        AsyncLedger(ledger, Caps()) as async_ledger,
        ServiceClient(service, SecretStr("key"), lambda: NOW) as client,
        PaidCalls(client, async_ledger, {}) as calls,
    ):
        yield await calls.request("run", "7707083893", "brief")


GZIP, CHUNKED = b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n"
ENDED_EARLY = {
    "plain, Content-Length": (b"Content-Length: 900\r\n", JSON),
    "gzip, Content-Length": (GZIP + b"Content-Length: 900\r\n", COMPRESSED),
    "gzip without its last byte": (GZIP, COMPRESSED[:-1]),
    # The JSON is complete; only the checksum and the length of the stream are missing.
    "gzip without its trailer": (GZIP, COMPRESSED[:-8]),
    "gzip without its trailer, Content-Length": (
        GZIP + b"Content-Length: %d\r\n" % len(COMPRESSED[:-8]),
        COMPRESSED[:-8],
    ),
    "gzip with a wrong checksum": (GZIP, COMPRESSED[:-8] + bytes(4) + COMPRESSED[-4:]),
    "chunked without the last chunk": (CHUNKED, b"%x\r\n%s\r\n" % (len(JSON), JSON)),
    "chunk cut": (CHUNKED, b"900\r\n" + JSON),
}


@pytest.mark.parametrize("sent", ENDED_EARLY.values(), ids=ENDED_EARLY)
async def test_truncated_body_is_never_accepted_as_complete(ledger, sent):
    async with call_server(ledger, *sent) as result:
        assert result.reason == "broken"
        assert result.charged in {300, None}


@pytest.mark.parametrize(
    ("head", "body", "kept"),
    [
        (b"", JSON, JSON),
        (GZIP, COMPRESSED, JSON),
        (GZIP + b"Content-Length: %d\r\n" % len(COMPRESSED), COMPRESSED, JSON),
        (b"Content-Encoding: identity\r\n", JSON, JSON),
        # Encodings that the client does not request, including some that httpx decodes.
        (b"Content-Encoding: nosuch\r\n", JSON, JSON),
        (b"Content-Encoding: zstd\r\n", zstandard.compress(JSON), zstandard.compress(JSON)),
        (b"Content-Encoding: gzip, gzip\r\n", gzip.compress(COMPRESSED, mtime=0), gzip.compress(COMPRESSED, mtime=0)),
    ],
    ids=["plain", "gzip", "gzip, Content-Length", "identity", "unknown", "zstd", "gzip twice"],
)
async def test_body_is_stored_decoded_or_unchanged_in_an_unknown_encoding(ledger, head, body, kept):
    async with call_server(ledger, head, body) as result:
        assert (result.state, result.reason) == (
            (CallState.SETTLED, None) if kept == JSON else (CallState.UNKNOWN, "not_json")
        )
    assert ledger.outbox_responses()["body"].to_list() == [kept]


def zeros_gzipped(mebibytes):
    """A gzip stream of this many MiB of zeros, built from one compressed MiB."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    first, block = (compressor.compress(bytes(MEGABYTE)) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    checksum = 0
    for _ in range(mebibytes):
        checksum = zlib.crc32(bytes(MEGABYTE), checksum)
    trailer = checksum.to_bytes(4, "little") + (mebibytes * MEGABYTE % 2**32).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\2\xff" + first + block * (mebibytes - 1) + compressor.flush() + trailer


def test_zeros_are_a_gzip_stream():
    assert gzip.decompress(zeros_gzipped(3)) == bytes(3 * MEGABYTE)


async def test_bomb_over_http_stays_within_the_memory_limit(ledger):
    bomb = zeros_gzipped(1024)
    tracemalloc.start()
    try:
        async with call_server(ledger, GZIP + b"Content-Length: %d\r\n" % len(bomb), bomb) as result:
            _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (result.state, result.reason) == (CallState.UNKNOWN, "too_large")
    assert ledger.outbox_responses()["body"].to_list() == [bytes(MEGABYTE)]
    assert len(bomb) < 2 * MEGABYTE
    assert peak < 16 * MEGABYTE


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 0 ", 0.0),
        ("99999999999999999999", MAX_RETRY_AFTER_SECONDS),
        ("Fri, 20 Nov 2026 12:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("-5", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_values(header, seconds):
    assert parse_retry_after(header, NOW) == seconds
