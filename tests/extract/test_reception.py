"""Bodies taken part by part, within bounds of memory; and waits that are asked for."""

import gzip
import tracemalloc
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.reception import LONGEST_WAIT, Intake, wait_asked
from extract.verdict import Failure

MEGABYTE = 1024 * 1024
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@given(st.binary(max_size=3000), st.sampled_from(["", "gzip", "deflate", " GZIP "]), st.integers(1, 400))
def test_a_body_comes_out_as_it_was_however_it_is_cut(body, packing, step):
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(packing.strip().lower(), bytes)
    sent = pack(body)
    intake = Intake(packing, 3000)
    assert [intake.take(sent[at : at + step]) for at in range(0, len(sent), step)] == [None] * -(-len(sent) // step)
    assert intake.end(str(len(sent))) is None
    assert intake.body == body


def test_a_bomb_takes_no_more_memory_than_the_bound():
    bomb = gzip.compress(bytes(200 * MEGABYTE))
    tracemalloc.start()
    try:
        failure = Intake("gzip", MEGABYTE).take(bomb)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert failure is Failure.TOO_LARGE
    assert peak < 8 * MEGABYTE


@pytest.mark.parametrize(("size", "failure"), [(100, None), (101, Failure.TOO_LARGE)])
@pytest.mark.parametrize("packing", ["", "gzip"])
def test_the_bound_is_exact(size, failure, packing):
    sent = gzip.compress(bytes(size)) if packing else bytes(size)
    assert Intake(packing, 100).take(sent) is failure


@pytest.mark.parametrize(
    ("packing", "sent"), [("", b"12345"), ("gzip", gzip.compress(b"12345", mtime=0))], ids=["plain", "gzip"]
)
def test_a_body_that_ends_early_is_broken(packing, sent):
    intake = Intake(packing, 100)
    intake.take(sent[:-2])
    assert intake.end(str(len(sent))) is Failure.BROKEN


def test_a_packing_that_ends_early_is_broken_without_an_announced_length():
    intake = Intake("gzip", 100)
    intake.take(gzip.compress(b"12345")[:-2])
    assert intake.end(None) is Failure.BROKEN


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 0 ", 0.0),
        ("99999999999999999999", LONGEST_WAIT),
        ("Fri, 20 Nov 2026 12:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0.0),
        ("-5", None),
        ("soon", None),
        ("", None),
    ],
)
def test_waits_that_are_asked_for(header, seconds):
    assert wait_asked(header, NOW) == seconds
