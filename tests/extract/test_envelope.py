"""Price, balance and status from any bytes, and keys blotted out."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.service.envelope import Envelope, read_envelope
from innspect.extract.service.redaction import mask_key, mask_truncated_key


@pytest.mark.parametrize("wrap", [lambda fields: fields | {"cases": []}, lambda fields: {"data": fields}])
def test_envelope_at_the_root_and_under_data(wrap):
    body = json.dumps(wrap({"price": 12, "balance": 99988.5, "status": "Unavailable"})).encode()
    envelope = read_envelope(body)
    assert (envelope.price, envelope.balance, envelope.is_complete) == (1200, 9998850, True)
    assert envelope.is_unavailable


@pytest.mark.parametrize(
    ("body", "is_unavailable"),
    [
        (b'{"price":12,"status":"ok","unavailable":true,"cases":[]}', True),
        (b'{"unavailable" : true }', True),
        (b'{"price":12,"status":"ok","data":{"cases":[],"unavailable": true}}', True),
        (b'{"data":{"unavailable":true}}', True),
        (b'{"status":"ok","unavailable":false}', False),
        (b'{"status":"unavailable","unavailable":false}', True),
        (b'{"unavailable":"true"}', False),
        (b'{"unavailable":1}', False),
        (b'{"unavailable":null,"data":null}', False),
        (b'{"cases":[{"unavailable":true}],"raw":{"unavailable":true}}', False),
        (b'{"arbitration":{"unavailable":true}}', False),
        (b'{"data":[{"unavailable":true}]}', False),
        (b'{"data":{"data":{"unavailable":true}}}', False),
        (b'[{"unavailable":true}]', False),
        (b'{"cases":[],"note":"\\"unavailable\\":true"}', False),
    ],
)
def test_unavailable_of_the_payload_at_the_root_and_under_data(body, is_unavailable):
    envelope = read_envelope(body)
    assert envelope.is_unavailable is is_unavailable
    assert envelope.is_complete


@pytest.mark.parametrize("wrap", [lambda fields: fields, lambda fields: {"price": 12, "data": fields}])
def test_a_large_payload_is_not_decoded_into_objects(wrap):
    cases = [{"case_number": f"A40-{number}", "sides": [number, None, "x" * 40]} for number in range(60_000)]
    body = json.dumps(wrap({"cases": cases, "unavailable": True})).encode()
    del cases
    read_envelope(b"{}")
    tracemalloc.start()
    try:
        envelope = read_envelope(body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert envelope.is_unavailable
    assert len(body) > 4_000_000
    assert peak < 100_000


def test_the_root_takes_precedence_over_data():
    envelope = read_envelope(b'{"price":0,"status":"ok","data":{"price":7,"status":"idle","balance":1}}')
    assert (envelope.price, envelope.status, envelope.balance) == (0, "ok", 100)


@pytest.mark.parametrize(
    ("raw", "kopecks"),
    [
        (b"12", 1200), (b"12.5", 1250), (b'"12.00"', 1200), (b'"1 234,5"', 123450), (b"0", 0), (b"1.8e1", 1800),
        (b"0.001", 1), (b"4.000000000000001", 401), (b"null", None), (b"true", None), (b"-3", None), (b'"free"', None),
        (b"1e999999999", None), (b"[]", None), (b'"NaN"', None), (b'"Infinity"', None), (b"9" * 6000, None),
    ],
)  # fmt: skip
def test_spellings_of_prices(raw, kopecks):
    assert read_envelope(b'{"price":' + raw + b"}").price == kopecks


def test_a_balance_may_be_negative():
    assert read_envelope(b'{"balance":-0.015}').balance == -2


def test_complete_fields_of_a_truncated_body_are_read():
    truncated = b'{"status":"ok","price":18,"cases":[{"price":1,"x":"'
    assert read_envelope(truncated) == Envelope(price=1800, status="ok", message="ok", is_complete=False)
    assert read_envelope(b'{"status":"ok","price":18').price is None
    assert read_envelope(b'{"price":18,"data":{"balance":5,').price == 1800


def test_truncated_body_is_read_in_little_memory():
    body = b'{"price":18,"data":[' + b"123456789," * 4_000_000
    tracemalloc.start()
    try:
        envelope = read_envelope(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (envelope.price, envelope.is_complete) == (1800, False)
    assert peak < len(body)


@pytest.mark.parametrize(
    ("body", "is_complete"),
    [(b"[]", True), (b"null", True), (b"", False), (b"<html>", False), (b"{}x", False), (b"[1", False),
     (b'{"a":' * 100_000, False), (b"[" * 200_000, False), (b"\xff\xfe", False), (b"{'price':1}", False)],
)  # fmt: skip
def test_bodies_without_an_envelope(body, is_complete):
    assert read_envelope(body) == Envelope(is_complete=is_complete)


@given(st.binary(max_size=300) | st.text(alphabet='{}[]":, \\pricedatbln0123456789.eE-', max_size=120).map(str.encode))
def test_no_input_raises(body):
    assert isinstance(read_envelope(body), Envelope)


@given(st.integers(0, 10**13), st.integers(-(10**13), 10**13))
def test_kopecks_are_exact(price, balance):
    sign, size = "-" * (balance < 0), abs(balance)
    body = f'{{"price": {price // 100}.{price % 100:02}, "balance": {sign}{size // 100}.{size % 100:02}}}'.encode()
    envelope = read_envelope(body)
    assert (envelope.price, envelope.balance) == (price, balance)


def escaped(key: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in key)


@given(
    st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40),
    st.sampled_from([str, escaped, lambda key: json.dumps(key)[1:-1]]),
)
def test_an_echoed_key_is_masked_without_changing_the_length(key, spell):
    body = f'{{"message":"no such key {spell(key)}!"}}'.encode()
    redacted, masked = mask_key(body, key)
    assert masked
    assert len(redacted) == len(body)
    assert set(spell(key)) == {"*"} or spell(key).encode() not in redacted


def test_a_body_without_the_key_does_not_change():
    assert mask_key(b'{"a":1}', "secret-key") == (b'{"a":1}', False)
    assert mask_key(b'{"a":1}', "") == (b'{"a":1}', False)


def test_the_beginning_of_a_key_at_a_truncated_end_is_masked():
    assert mask_truncated_key(b'{"message":"secret-', "secret-key") == (b'{"message":"*******', True)
    assert mask_truncated_key(b'{"a":"sec', "secret-key") == (b'{"a":"sec', False)
