"""Responses that say nothing about their block confirm nothing, whatever surrounds the payload."""

import random
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.schemas.declaration import Mark
from innspect.schemas.states import EVIDENCE
from tests.support.builders import FULL_CHECK_KEYS, OWN_METHOD, Response, full_check_body, transform_responses
from tests.support.strategies import BodyGenerator, encode_exact

AROUND = {"price": 5, "balance": 100.5, "message": "later", "last_updated_at": 1793500000}
WORDS = ("in_progress", "pending", "error", "success", "done", "queued")
NOTHING: tuple[Any, ...] = (None, {}, [], "")
ENVELOPES = ("flat", "null", "object", "array", "text")


def envelope_only(style: str, status: str) -> dict[str, Any]:
    """A response without a payload."""
    around = {**AROUND, "status": status}
    return around if style == "flat" else {**around, "data": NOTHING[ENVELOPES.index(style) - 1]}


@pytest.mark.parametrize("style", ENVELOPES)
@pytest.mark.parametrize("block", OWN_METHOD)
def test_envelope_with_an_undeclared_status_confirms_nothing(block: str, style: str) -> None:
    for word in WORDS:
        batch = transform_responses(Response(OWN_METHOD[block], envelope_only(style, word)))
        assert batch.snapshots.select("state", "reason").rows() == [("unconfirmed", f"status:{word}")]
        assert all(frame.is_empty() for frame in batch.rows.values())
        assert (block, "status", "new_value", word) in batch.drift.select("block", "path", "kind", "sample").rows()


@pytest.mark.parametrize("block", OWN_METHOD)
def test_undeclared_status_around_a_payload_costs_no_content(block: str) -> None:
    body = BodyGenerator(random.Random(7), is_complete=True).body(block)
    nested = Response(OWN_METHOD[block], encode_exact({**AROUND, "status": "in_progress", "data": body}))
    bare = Response(OWN_METHOD[block], encode_exact(body))
    states = transform_responses(nested, bare).snapshots.select("state", "reason").rows()
    assert states[0] == states[1]
    assert states[0][0] in ("found", "partial")


@pytest.mark.parametrize("block", ["bankruptcy", "company"])
@pytest.mark.parametrize("place", ["flat", "nested", "full-check"])
def test_undeclared_status_beside_content_is_a_violation_and_no_value(block: str, place: str) -> None:
    body = {"bankruptcy": {"has_intention": True, "cases": []}, "company": {"ogrn": "1230000000017"}}[block]
    body = {**body, "status": "in_progress"}
    content = {
        "flat": {**AROUND, **body},
        "nested": {**AROUND, "data": body},
        "full-check": full_check_body({FULL_CHECK_KEYS[block]: body}),
    }
    batch = transform_responses(Response(FULL_CHECK if place == "full-check" else OWN_METHOD[block], content[place]))
    assert batch.snapshots.filter(pl.col("block") == block)["state"].to_list() == ["found"]
    assert batch.rows[block]["status"].to_list() == [None]
    assert batch.violations.select("column_name", "rule", "value").rows() == [("status", "one_of", "in_progress")]
    assert batch.drift.filter(pl.col("kind") == "new_value").select("block", "path", "sample").rows() == [
        (block, "status", "in_progress")
    ]


@pytest.mark.parametrize("word", ["OK", "Ok", "Success", "200", 200])
def test_status_words_of_good_responses_are_a_setting(word: Any) -> None:
    empty = {"total_cases": 0, "cases": []}
    responses = [
        Response("arbitration", {**AROUND, "status": word, **empty}),
        Response("arbitration", {**AROUND, "status": word, "data": empty}),
        Response("bankruptcy", {**AROUND, "status": word, "has_bankruptcy": False, "cases": []}),
        Response("bankruptcy", {**AROUND, "status": word, "data": {"has_bankruptcy": False, "cases": []}}),
        Response("trademarks", {**AROUND, "status": word, "data": {}}),
        Response("timeline", {**AROUND, "status": word, "data": []}),
        Response(FULL_CHECK, {**AROUND, "status": word, "data": full_check_body({"trademarks": {}}, ["fssp"])}),
        Response("arbitration", {**AROUND, "status": word}),
    ]
    is_ok = str(word).lower() == "ok"
    for words in (("ok",), ("ok", "success", "200")):
        snapshots = transform_responses(*responses, ok_statuses=words).snapshots
        states = snapshots.select("response", "block", "state", "reason").rows()
        clean = ("clean", None) if is_ok or len(words) > 1 else ("unconfirmed", f"status:{word}")
        named = [state[2:] for state in states if state[0] < 6 or state[:2] == (6, "trademarks")]
        assert named == [clean] * 7
        assert [state[2:] for state in states if state[:2] == (6, "fssp")] == [("clean", None)]
        assert states[-1][2:] == ("unconfirmed", "no_field" if clean[0] == "clean" else f"status:{word}")


@pytest.mark.parametrize("word", ["unavailable", "Unavailable", "UNAVAILABLE"])
def test_unavailable_is_read_in_any_case(word: str) -> None:
    responses = [
        Response("arbitration", {"status": word, "price": 0}),
        Response(FULL_CHECK, {"status": word, "data": None}),
    ]
    states = transform_responses(*responses).snapshots.select("state", "reason").unique().rows()
    assert states == [("unavailable", "unavailable")]


@pytest.mark.parametrize("nothing", [None, {}, [], "", " "])
@pytest.mark.parametrize(
    ("word", "state"), [("ok", ("missing", "absent")), ("queued", ("unconfirmed", "status:queued"))]
)
def test_full_check_without_blocks_confirms_nothing(nothing: Any, word: str, state: tuple[str, str]) -> None:
    bodies = [{**AROUND, "status": word, "data": nothing}, {**AROUND, "status": word}]
    states = transform_responses(*(Response(FULL_CHECK, body) for body in bodies)).snapshots.select("state", "reason")
    assert set(states.rows()) == {state}


@pytest.mark.parametrize("block", ["arbitration", "contacts", "trademarks", "sanctions", "leasing"])
def test_undeclared_status_alone_in_a_payload_confirms_nothing(block: str) -> None:
    body = {"status": "in_progress"}
    key = FULL_CHECK_KEYS.get(block)
    responses = [Response(FULL_CHECK, full_check_body({key: body}))] if key else []
    responses += [Response(OWN_METHOD[block], {**AROUND, "data": body})] if block in OWN_METHOD else []
    snapshots = transform_responses(*responses).snapshots.filter(pl.col("block") == block)
    assert set(snapshots.select("state", "reason").rows()) == {("unconfirmed", "status:in_progress")}


def test_full_check_with_an_undeclared_status_confirms_what_it_names_only() -> None:
    content = full_check_body({"trademarks": {}, "freezes": {"available": True, "found": False, "items": []}}, ["fssp"])
    snapshots = transform_responses(Response(FULL_CHECK, {**content, "status": "in_progress"})).snapshots
    states = dict(snapshots.select("block", pl.concat_list("state", "reason")).rows())
    assert states.pop("fssp") == ["clean", None]
    assert {tuple(state) for state in states.values()} == {("unconfirmed", "status:in_progress")}


@pytest.mark.parametrize("leaves", [{}, {"inn": "7707083893"}, dict(AROUND), [], None])
def test_contacts_without_a_leaf_confirm_nothing(leaves: Any) -> None:
    content = {**AROUND, "status": "ok", "data": leaves}
    snapshots = transform_responses(Response("contacts", content)).snapshots
    assert snapshots.select("state", "reason").rows() == [("unconfirmed", "no_field")]


def silent_payload(chance: random.Random, block: str, body: Any) -> Any:
    """Something without content in place of a body of the block: nothing, its marks, or fields of other blocks."""
    kept = body if isinstance(body, dict) else {}
    marks = {name for name, part in BLOCKS[block].row_parts.items() if isinstance(part, Mark) and name != "status"}
    marks |= {"inn", "raw"}
    choices: list[Any] = [
        *NOTHING,
        {name: value for name, value in kept.items() if name in marks},
        {"raw": kept.get("raw", {})},
        {"error": ""},
        {"inn": "7707083893"},
        {"unheard_of": chance.choice((0, None, "", [], {}, "x"))},
        {"status": chance.choice(WORDS)},
    ]
    return chance.choice(choices)


def may_confirm(block: str, payload: Any) -> bool:
    """Whether the payload is a documented empty form, or has leaves of a block whose fields are not documented."""
    match block:
        case "timeline":
            return payload == []
        case "trademarks":
            return isinstance(payload, dict) and payload.keys() <= BLOCKS[block].row_parts.keys()
        case "contacts":
            return isinstance(payload, dict) and not payload.keys() <= {*BLOCKS[block].row_parts, "status"}
        case _:
            return False


SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("block", BLOCKS)
@given(seed=SEEDS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_payload_without_content_is_no_evidence(block: str, seed: int) -> None:
    chance = random.Random(seed)
    payload = silent_payload(chance, block, BodyGenerator(chance, is_complete=True).body(block))
    status = chance.choice(("ok", "", *WORDS))
    around = {**AROUND, "status": status}
    responses: list[Response] = []
    if block in OWN_METHOD:
        responses.append(Response(OWN_METHOD[block], encode_exact({**around, "data": payload})))
        responses.append(Response(OWN_METHOD[block], encode_exact(payload)))
        if isinstance(payload, dict):
            responses.append(Response(OWN_METHOD[block], encode_exact({**around, **payload})))
    if block in FULL_CHECK_KEYS:
        content = {**full_check_body({FULL_CHECK_KEYS[block]: payload}), **around}
        responses.append(Response(FULL_CHECK, encode_exact(content)))
    batch = transform_responses(*responses)
    states = batch.snapshots.filter(pl.col("block") == block).select("method", "state", "reason").rows()
    assert may_confirm(block, payload) or [state for state in states if state[1] in EVIDENCE] == []
