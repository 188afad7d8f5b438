"""Coverage states: one case per rule of each block."""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from innspect.schemas.blocks.sanctions import LISTS
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from tests.support.builders import (
    BODIES,
    FULL_CHECK_KEYS,
    INN,
    OWN_METHOD,
    PERSON,
    Response,
    full_check_body,
    transform_responses,
)

OTHER = "7707083900"


def body(block: str, sort: str = "full", **changes: Any) -> Any:
    """A body of tests/data, with some keys changed; a key with `__` is one level deeper."""
    made = json.loads((BODIES / f"{block}.{sort}.json").read_bytes())
    for name, value in changes.items():
        holder, _, inner = name.partition("__") if not name.startswith("_") else (name, "", "")
        if inner:
            made.setdefault(holder, {})[inner] = value
        else:
            made[holder] = value
    return made


States = dict[str, tuple[str, str | None]]


def states_of_all(answers: Sequence[Response]) -> list[States]:
    """State and reason of each block of each response."""
    found: list[States] = [{} for _ in answers]
    snapshots = transform_responses(*answers).snapshots.select("response", "block", "state", "reason")
    for answer, block, state, reason in snapshots.iter_rows():
        found[answer][block] = (state, reason)
    return found


def states_of(method: str, content: Any, status: int = 200, *, inn: str = INN) -> States:
    """State and reason of each block of one response."""
    return states_of_all([Response(method, content, inn, status)])[0]


OPEN_DATA = ("tax_debts", "tax_offences", "employees", "revexp", "msp")
CASES: list[tuple[str, str, dict[str, Any], str, str | None]] = [
    # block, body of tests/data, changes, state, reason
    ("arbitration", "full", {"error": "", "sources_failed": [], "raw": {}}, "found", None),
    ("arbitration", "empty", {}, "clean", None),
    ("arbitration", "empty", {"unavailable": True}, "unavailable", "unavailable"),
    (
        "arbitration",
        "full",
        {"unavailable": True, "raw": {}, "error": "", "sources_failed": []},
        "partial",
        "unavailable",
    ),
    ("arbitration", "empty", {"raw__all_sources_dead": True}, "unconfirmed", "all_sources_dead"),
    ("arbitration", "empty", {"sources_failed": ["main"]}, "unconfirmed", "sources_failed"),
    ("arbitration", "full", {"sources_failed": ["main"], "raw": {}, "error": ""}, "partial", "sources_failed"),
    ("arbitration", "full", {"raw": {"enrichment_pending": True}, "error": ""}, "partial", "enrichment_pending"),
    ("arbitration", "empty", {"raw__enrichment_pending": True}, "unconfirmed", "enrichment_pending"),
    ("arbitration", "empty", {"total_cases": 3}, "unconfirmed", "counted_not_listed"),
    ("arbitration", "empty", {"raw": {"source_proxy_dead": True}}, "clean", None),
    ("arbitration", "empty", {"raw": {"fallback_no_money": True}}, "clean", None),
    (
        "arbitration",
        "empty",
        {"raw": {"source_proxy_dead": True, "fallback_no_money": True}},
        "unconfirmed",
        "all_sources_dead",
    ),
    ("arbitration", "empty", {"unavailable": 1}, "unconfirmed", "shape"),
    ("fssp", "full", {"sources_failed": [], "error": ""}, "found", None),
    ("fssp", "empty", {"unavailable": True}, "unconfirmed", "unavailable"),
    ("fssp", "full", {"unavailable": True, "sources_failed": [], "error": ""}, "partial", "unavailable"),
    ("fssp", "empty", {"available": False}, "unconfirmed", "not_available"),
    ("fssp", "empty", {"filter_bypassed": True}, "unconfirmed", "filter_bypassed"),
    ("fssp", "empty", {}, "clean", None),
    ("fssp", "empty", {"sources_failed": ["site_inn"]}, "unconfirmed", "sources_failed"),
    ("fssp", "full", {"sources_failed": ["site_inn"], "error": ""}, "partial", "sources_failed"),
    ("fssp", "empty", {"total_proceedings": 3}, "unconfirmed", "counted_not_listed"),
    ("fssp", "empty", {"active_debt_rub": 1.5}, "unconfirmed", "counted_not_listed"),
    (
        "fssp",
        "empty",
        {"total_proceedings": 3, "sources_failed": ["site_inn"]},
        "unconfirmed",
        "sources_failed,counted_not_listed",
    ),
    ("general_courts", "empty", {"courts_searched": 30, "courts_in_region": 30}, "clean", None),
    ("general_courts", "empty", {"unavailable": True}, "unavailable", "unavailable"),
    (
        "general_courts",
        "empty",
        {"courts_searched": 0, "courts_in_region": 5},
        "unconfirmed",
        "no_court_searched,courts_missed",
    ),
    ("general_courts", "empty", {"courts_searched": 5, "courts_in_region": 0}, "unconfirmed", "region_unknown"),
    (
        "general_courts",
        "full",
        {"courts_searched": 5, "courts_in_region": 0, "errors": 0},
        "partial",
        "region_unknown",
    ),
    ("general_courts", "full", {"courts_searched": 30, "courts_in_region": 30, "errors": 0}, "found", None),
    (
        "general_courts",
        "full",
        {"courts_searched": 9, "courts_in_region": 9, "from_store_only": True},
        "partial",
        "from_store_only",
    ),
    ("general_courts", "full", {"courts_searched": 9, "courts_in_region": 9, "errors": 1}, "partial", "courts_failed"),
    ("general_courts", "full", {"courts_searched": 9, "courts_in_region": 10, "errors": 0}, "partial", "courts_missed"),
    ("general_courts", "empty", {"courts_searched": 9, "courts_in_region": 10}, "unconfirmed", "courts_missed"),
    (
        "general_courts",
        "empty",
        {"courts_searched": 9, "courts_in_region": 9, "errors": 1},
        "unconfirmed",
        "courts_failed",
    ),
    ("freezes", "full", {}, "found", None),
    ("freezes", "empty", {}, "clean", None),
    ("freezes", "full", {"count": 30}, "partial", "list_full"),
    ("freezes", "full", {"available": False}, "unconfirmed", "not_available"),
    ("freezes", "empty", {"available": None}, "unconfirmed", "not_available"),
    ("freezes", "empty", {"found": None}, "unconfirmed", "found_not_stated"),
    ("freezes", "full", {"found": None}, "found", None),
    ("freezes", "empty", {"count": 2}, "unconfirmed", "counted_not_listed"),
    ("freezes", "empty", {"found": True}, "partial", "counted_not_listed"),
    ("freezes", "empty", {"found": True, "count": 2}, "partial", "counted_not_listed"),
    ("financial", "full", {}, "found", None),
    ("financial", "empty", {"has_data": False}, "unconfirmed", "no_data"),
    ("financial", "empty", {"has_data": True}, "partial", "counted_not_listed"),
    ("financial", "full", {"has_data": False}, "unconfirmed", "no_data"),
    ("contracts", "full", {"sources_failed": []}, "found", None),
    ("contracts", "empty", {"total_contracts": 3}, "unconfirmed", "counted_not_listed"),
    ("contracts", "empty", {}, "clean", None),
    (
        "contracts",
        "empty",
        {"unavailable": True, "error": "all_gov_sources_blocked"},
        "unavailable",
        "unavailable,all_gov_sources_blocked",
    ),
    ("contracts", "full", {"total_contracts": 5000, "sources_failed": []}, "partial", "list_full"),
    ("contracts", "full", {"sources_failed": ["plan_44"]}, "partial", "sources_failed"),
    ("contracts", "empty", {"sources_failed": ["plan_44"]}, "unconfirmed", "sources_failed"),
    ("contracts", "full", {"sources_ok": ["aggregator"]}, "partial", "main_source_missed"),
    ("contracts", "empty", {"sources_ok": ["aggregator"]}, "unconfirmed", "main_source_missed"),
    ("contracts", "empty", {"raw__all_sources_dead": True}, "unconfirmed", "all_sources_dead"),
    ("contracts", "empty", {"raw__ext_sources_timeout": True}, "unconfirmed", "ext_sources_timeout"),
    ("contracts", "empty", {"raw__ext_sources_timeout": ["plan_44"]}, "unconfirmed", "ext_sources_timeout"),
    ("contracts", "empty", {"raw__ext_sources_timeout": False}, "clean", None),
    ("contracts", "empty", {"raw__sources": {"aggregator": 0}}, "clean", None),
    ("contracts", "full", {"raw__ext_sources_timeout": True}, "partial", "ext_sources_timeout"),
    ("risk_flags", "full", {"mass_check_unavailable": False}, "found", None),
    ("risk_flags", "empty", {"mass_check_unavailable": False}, "clean", None),
    (
        "risk_flags",
        "full",
        {"mass_check_unavailable": True, "mass_check_reason": "no_fio"},
        "partial",
        "mass_check_unavailable",
    ),
    ("risk_flags", "empty", {"mass_check_unavailable": True}, "partial", "mass_check_unavailable"),
    ("risk_flags", "empty", {"mass_check_unavailable": None, "mass_source": ""}, "partial", "mass_check_unknown"),
    ("risk_flags", "full", {"mass_check_unavailable": None, "mass_source": ""}, "partial", "mass_check_unknown"),
    ("risk_flags", "empty", {"mass_check_unavailable": None}, "clean", None),
    ("risk_flags", "full", {"linked_companies": [{"inn": f"77{n:08}"} for n in range(249)]}, "found", None),
    ("risk_flags", "full", {"linked_companies": [{"inn": f"77{n:08}"} for n in range(250)]}, "found", "list_full"),
    ("risk_flags", "full", {"linked_companies": [{"via_name": f"П{n}"} for n in range(14)]}, "found", None),
    ("risk_flags", "full", {"linked_companies": [{"via_name": f"П{n}"} for n in range(15)]}, "found", "list_full"),
    ("sanctions", "full", {"hits": [{"match_confidence": "low"} for _ in range(24)]}, "found", None),
    ("sanctions", "full", {"hits": [{"match_confidence": "low"} for _ in range(25)]}, "found", "list_full"),
    ("sanctions", "full", {"sources_failed": []}, "found", None),
    ("sanctions", "empty", {}, "clean", None),
    ("sanctions", "empty", {"sources_failed": ["UK_FCDO"]}, "unconfirmed", "sources_failed"),
    ("sanctions", "full", {"sources_failed": ["UK_FCDO"]}, "partial", "sources_failed"),
    ("inspections", "full", {"total": 1}, "found", None),
    ("inspections", "empty", {}, "clean", None),
    ("inspections", "full", {"total": 4000}, "partial", "not_all_fetched"),
    ("rnp", "full", {}, "found", None),
    ("rnp", "empty", {}, "clean", None),
    ("rnp", "empty", {"filter_bypassed": True}, "unconfirmed", "filter_bypassed"),
    ("rnp", "full", {"total": 30}, "partial", "list_full"),
    ("pledges", "full", {"fetched": 1, "total_pledges": 1}, "found", None),
    ("pledges", "empty", {}, "clean", None),
    ("pledges", "empty", {"raw__sources": ["notary"]}, "unconfirmed", "register_missed"),
    ("pledges", "empty", {"raw__sources": []}, "unconfirmed", "register_missed"),
    ("pledges", "empty", {"raw": {}}, "unconfirmed", "register_missed"),
    (
        "pledges",
        "full",
        {"raw__sources": ["fedresurs"], "fetched": 1, "total_pledges": 1},
        "partial",
        "register_missed",
    ),
    ("pledges", "empty", {"unavailable": True}, "unavailable", "unavailable"),
    ("pledges", "empty", {"raw__answered": False}, "unconfirmed", "not_answered"),
    ("pledges", "full", {"fetched": 1, "total_pledges": 2}, "partial", "not_all_fetched"),
    ("pledges", "empty", {"total_pledges": 2}, "unconfirmed", "not_all_fetched,counted_not_listed"),
    ("licenses", "full", {"sources_failed": []}, "found", None),
    ("licenses", "empty", {}, "clean", None),
    ("licenses", "empty", {"sources_failed": ["MCHS"]}, "unconfirmed", "sources_failed"),
    ("licenses", "full", {"sources_failed": ["MCHS"]}, "partial", "sources_failed"),
    ("licenses", "empty", {"mchs": [{"n": 1}], "total": 1}, "found", None),
    ("licenses", "empty", {"sources_checked": []}, "unconfirmed", "no_register_checked"),
    ("licenses", "full", {"sources_checked": [], "sources_failed": []}, "partial", "no_register_checked"),
    ("licenses", "empty", {"sources_checked": ["ROSZ"]}, "unconfirmed", "register_missed"),
    ("licenses", "full", {"sources_checked": ["MCHS"], "sources_failed": []}, "partial", "register_missed"),
    ("licenses", "empty", {"sources_checked": ["ROSZ"], "sources_failed": ["MCHS"]}, "unconfirmed", "sources_failed"),
    ("licenses", "empty", {"total": 2}, "unconfirmed", "counted_not_listed"),
    ("sanctions", "empty", {"available": False}, "unconfirmed", "not_available"),
    ("msp", "empty", {"status": "loaded"}, "unconfirmed", "no_record"),
    ("trademarks", "empty", {"total": 2}, "unconfirmed", "counted_not_listed"),
    ("trademarks", "full", {}, "found", None),
    ("trademarks", "empty", {}, "clean", None),
    ("bankruptcy", "empty", {"total_cases": 1}, "unconfirmed", "counted_not_listed"),
    ("bankruptcy", "empty", {"total_cases": 1, "status": "observation"}, "partial", "counted_not_listed"),
    ("bankruptcy", "empty", {"status": "observation"}, "found", None),
    ("bankruptcy", "empty", {"has_intention": True}, "found", None),
    ("bankruptcy", "empty", {}, "clean", None),
    ("company", "full", {"ogrn": "", "name": "ООО"}, "found", None),
    ("company", "full", {"ogrn": "1230000000017", "name": ""}, "found", None),
    ("company", "empty", {"ogrn": "", "name": "", "mass_address": True}, "unconfirmed", "no_identity"),
    ("company", "empty", {}, "unconfirmed", "no_identity"),
    ("company", "full", {"status": "in_progress"}, "found", None),
    ("company", "empty", {"status": "in_progress"}, "unconfirmed", "status:in_progress"),
    ("company", "empty", {"status": "in_progress", "mass_address": True}, "unconfirmed", "status:in_progress"),
    ("bankruptcy", "empty", {"status": "in_progress"}, "unconfirmed", "status:in_progress"),
    ("bankruptcy", "full", {"status": "in_progress"}, "found", None),
    ("timeline", "full", {}, "found", None),
    ("timeline", "empty", {}, "clean", None),
    ("contacts", "full", {}, "found", None),
    ("contacts", "empty", {}, "clean", None),
    ("contacts", "empty", {"error": "boom"}, "unconfirmed", "boom"),
    ("contacts", "full", {"error": "boom"}, "partial", "boom"),
    *[("minjust_check", sort, {}, "found" if sort == "full" else "clean", None) for sort in ("full", "empty")],
    ("minjust_check", "empty", {"sources_checked": []}, "unconfirmed", "no_source_checked"),
    ("minjust_check", "full", {"sources_checked": []}, "partial", "no_source_checked"),
    *[(block, "full", {"status": status}, "found", None) for block in OPEN_DATA for status in ("idle", "loaded")],
    *[
        (block, "full", {"status": status}, "unconfirmed", "index_not_ready")
        for block in OPEN_DATA
        for status in ("downloading", "failed", "")
    ],
    *[(block, "empty", {"status": "idle"}, "clean", None) for block in OPEN_DATA],
]


def name_of(case: Any) -> str:
    return f"{case[0]}-{case[1]}-{','.join(f'{k}={str(v)[:60]}' for k, v in case[2].items()) or 'as-it-is'}"


STANDALONE = [case for case in CASES if case[0] in OWN_METHOD]
CHECKED = {"sanctions": {"sources_checked": list(LISTS)}}
"""What the standalone method leaves empty, and the full check has."""
ABROAD = ["OFAC_SDN", "OFAC_CONSOL", "UK_FCDO"]
FULL_CHECK_ONLY = [
    ("sanctions", "empty", {"sources_checked": []}, "unconfirmed", "no_source_checked"),
    ("sanctions", "full", {"sources_checked": []}, "partial", "no_source_checked"),
    ("sanctions", "empty", {"sources_checked": ABROAD[:1]}, "unconfirmed", "list_missed"),
    ("sanctions", "full", {"sources_checked": ABROAD}, "partial", "list_missed"),
    ("sanctions", "full", {"sources_checked": [*ABROAD[:2], "ROSFIN"]}, "partial", "list_missed"),
    ("sanctions", "empty", {"sources_checked": [*ABROAD, "ROSFIN"]}, "clean", None),
    ("sanctions", "empty", {"sources_checked": [*ABROAD, "FEDSFM_TERR", "FEDSFM_OMU"]}, "clean", None),
]
IN_FULL_CHECK = [
    *(
        (b, sort, {**CHECKED.get(b, {}), **changes}, *end)
        for b, sort, changes, *end in CASES
        if BLOCKS[b].full_check_key
    ),
    *FULL_CHECK_ONLY,
]
WITH_ERROR = (
    "arbitration",
    "fssp",
    "general_courts",
    "bankruptcy",
    "contracts",
    "sanctions",
    "inspections",
    "rnp",
    "pledges",
    "licenses",
    "company",
    "trademarks",
    *OPEN_DATA,
)


@pytest.fixture(scope="module")
def standalone_states() -> list[States]:
    """The cases as responses of standalone methods."""
    return states_of_all([Response(OWN_METHOD[b], body(b, sort, **changes)) for b, sort, changes, _, _ in STANDALONE])


@pytest.fixture(scope="module")
def nested_states() -> list[States]:
    """The cases as nested payloads of standalone methods."""
    return states_of_all(
        [
            Response(OWN_METHOD[b], {"price": 5, "status": "ok", "data": body(b, sort, **changes)})
            for b, sort, changes, _, _ in STANDALONE
        ]
    )


@pytest.fixture(scope="module")
def full_check_states() -> list[States]:
    """The cases as the one block of a full check."""
    return states_of_all(
        [
            Response(FULL_CHECK, full_check_body({BLOCKS[b].full_check_key: body(b, sort, **changes)}))
            for b, sort, changes, _, _ in IN_FULL_CHECK
        ]
    )


@pytest.mark.parametrize("number", range(len(STANDALONE)), ids=map(name_of, STANDALONE))
def test_row_of_the_block(number: int, standalone_states: list[States]) -> None:
    block, _, _, state, reason = STANDALONE[number]
    assert standalone_states[number] == {block: (state, reason)}


@pytest.mark.parametrize("number", range(len(STANDALONE)), ids=map(name_of, STANDALONE))
def test_same_states_within_an_envelope(number: int, nested_states: list[States]) -> None:
    block, _, _, state, reason = STANDALONE[number]
    assert nested_states[number] == {block: (state, reason)}


@pytest.mark.parametrize("number", range(len(IN_FULL_CHECK)), ids=map(name_of, IN_FULL_CHECK))
def test_same_states_within_a_full_check(number: int, full_check_states: list[States]) -> None:
    block, _, _, state, reason = IN_FULL_CHECK[number]
    states = dict(full_check_states[number])
    assert states.pop(block) == (state, reason)
    assert set(states.values()) == {("missing", "absent")}


@pytest.fixture(scope="module")
def error_states() -> tuple[list[States], list[States]]:
    """Responses with an error, with content and without."""
    full, empty = (
        states_of_all([Response(OWN_METHOD[block], body(block, sort, error="boom")) for block in WITH_ERROR])
        for sort in ("full", "empty")
    )
    return full, empty


@pytest.mark.parametrize("block", WITH_ERROR)
def test_error_with_content_is_partial_and_without_content_unconfirmed(
    block: str, error_states: tuple[list[States], list[States]]
) -> None:
    found, silent = (each[WITH_ERROR.index(block)][block] for each in error_states)
    assert (found[0], silent[0]) == ("partial", "unconfirmed")
    assert "boom" in (found[1] or "")
    assert "boom" in (silent[1] or "")


CARRIED = {name: block.full_check_key for name, block in BLOCKS.items() if block.full_check_key}
EMPTY = {key: [] if BLOCKS[name].rows_at_root else {} for name, key in CARRIED.items()}
SILENCES: dict[str, tuple[Any, tuple[str, str | None]]] = {
    "empty-and-named": (full_check_body(EMPTY, CARRIED.values()), ("clean", None)),
    "absent-and-named": (full_check_body({}, CARRIED.values()), ("clean", None)),
    "null": (full_check_body(dict.fromkeys(CARRIED.values())), ("missing", "not_named_empty")),
    "absent": (full_check_body({}), ("missing", "absent")),
    "empty-not-named": (full_check_body(EMPTY), ("missing", "not_named_empty")),
    "named-but-filled": (
        full_check_body({"freezes": {"available": False, "items": []}}, CARRIED.values()),
        ("clean", None),
    ),
}
EXCEPTIONS = {
    ("empty-not-named", "trademarks"): ("clean", None),
    ("empty-not-named", "timeline"): ("clean", None),
    ("named-but-filled", "freezes"): ("unconfirmed", "not_available"),
}


@pytest.fixture(scope="module")
def silences() -> dict[str, States]:
    """What the absence of a block in a full check means."""
    answers = [Response(FULL_CHECK, content) for content, _ in SILENCES.values()]
    return dict(zip(SILENCES, states_of_all(answers), strict=True))


@pytest.mark.parametrize("how", SILENCES)
@pytest.mark.parametrize("block", CARRIED)
def test_blocks_that_a_full_check_omits(how: str, block: str, silences: dict[str, States]) -> None:
    assert silences[how][block] == EXCEPTIONS.get((how, block), SILENCES[how][1])


def test_verified_empty_block_may_have_its_own_name() -> None:
    assert states_of(FULL_CHECK, full_check_body({"sanctions_check": {}}, ["sanctions"]))["sanctions"] == (
        "clean",
        None,
    )


def test_block_of_a_wrong_type_fails_without_others() -> None:
    states = states_of(
        FULL_CHECK, full_check_body({"fssp": "oops", "rnp": 5, "timeline": {"x": 1}, "freezes": body("freezes")})
    )
    assert {states["fssp"], states["rnp"], states["timeline"]} == {("failed", "wrong_type")}
    assert states["freezes"] == ("found", None)


@pytest.mark.parametrize("block", ["arbitration", "general_courts", "contracts", "pledges"])
@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
def test_unavailable_at_the_root(block: str, *, nested: bool) -> None:
    payload = body(block, "empty", unavailable=True)
    around = {"status": "unavailable", "message": "later", "price": 0, "balance": 10}
    content = {**around, "data": payload} if nested else {**payload, **around}
    assert states_of(OWN_METHOD[block], content)[block][0] == "unavailable"
    assert states_of(OWN_METHOD[block], around)[block] == ("unavailable", "unavailable")
    assert states_of(OWN_METHOD[block], {**around, "data": []})[block] == ("unavailable", "unavailable")


@pytest.mark.parametrize("sort", ["full", "empty", "quirks"])
def test_both_forms_of_the_envelope_give_the_same_state(sort: str) -> None:
    around = {"price": 5.0, "balance": 100.5, "status": "ok", "message": "", "last_updated_at": 1793500000}
    bodies = [(OWN_METHOD[block], body(block, sort)) for block in sorted(OWN_METHOD)]
    columns = ("block", "state", "reason", "marks", "source_date")
    bare = transform_responses(*[Response(method, payload) for method, payload in bodies])
    nested = transform_responses(*[Response(method, {**around, "data": payload}) for method, payload in bodies])
    flat = transform_responses(
        *[Response(m, {**around, **payload} if isinstance(payload, dict) else payload) for m, payload in bodies]
    )
    for batch in (nested, flat):
        assert batch.snapshots.select(columns).equals(bare.snapshots.select(columns))
        assert all(frame.equals(bare.rows[name]) for name, frame in batch.rows.items())
        assert batch.violations.equals(bare.violations)
    started = nested.snapshots.filter(~pl.col("from_local"))["collected_at"].unique().to_list()
    assert [moment.isoformat() for moment in started] == ["2026-11-01T02:26:40"]


def test_unavailable_source_of_freezes_gives_no_false() -> None:
    batch = transform_responses(Response("freezes", {"available": False, "items": []}))
    assert batch.snapshots.select("state", "reason").rows() == [("unconfirmed", "not_available")]
    assert all(frame.is_empty() for frame in batch.rows.values())


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422, 429, 500, 502, 503, 302])
def test_other_http_status_is_failed(status: int) -> None:
    assert states_of("freezes", body("freezes"), status) == {"freezes": ("failed", f"http_{status}")}
    states = states_of(FULL_CHECK, full_check_body({"freezes": body("freezes")}), status)
    assert set(states.values()) == {("failed", f"http_{status}")}
    assert len(states) == len(FULL_CHECK_KEYS)


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b'{"a":', b'{"available": true, "items": [}', b"\xff\xfe", b"nonsense", b'{"a":1} x'],
    ids=["empty", "html", "cut", "broken", "bytes", "word", "more"],
)
def test_invalid_json_is_failed(content: bytes) -> None:
    assert states_of("freezes", content)["freezes"][0] == "failed"
    assert {state for state, _ in states_of(FULL_CHECK, content).values()} == {"failed"}


@pytest.mark.parametrize("depth", [970, 2000, 100_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'], ids=["arrays", "objects"])
def test_too_deeply_nested_body_fails_without_others(depth: int, opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    deep = opening * depth + b"1" + closing * depth
    batch = transform_responses(
        Response("contacts", b'{"a":%s}' % deep),
        Response("brief", b'{"ogrn":"1230000000017","connections_graph":%s}' % deep),
        Response("brief", body("company")),
    )
    assert batch.snapshots["state"].to_list() == ["failed", "failed", "found"]
    assert batch.snapshots["reason"].to_list()[:2] == ["too_deep", "too_deep"]


@pytest.mark.parametrize("content", [b"[]", b'"text"', b"5", b"null", b"true"])
def test_body_of_another_type_is_failed(content: bytes) -> None:
    assert states_of("freezes", content)["freezes"][0] == "failed"
    assert {state for state, _ in states_of(FULL_CHECK, content).values()} == {"failed"}


ECHOES = [
    ("company", {"inn": OTHER}),
    ("licenses", {"inn": OTHER}),
    ("sanctions", {"inn": OTHER}),
    ("rnp", {"inn": OTHER}),
    ("tax_debts", {"inn": OTHER}),
    ("tax_debts", {"records": [{"inn": INN, "debt_type": "НДС"}, {"inn": OTHER, "debt_type": "УСН"}]}),
    ("tax_offences", {"records": [{"inn": OTHER, "sum": 1}]}),
    ("employees", {"record": {"inn": OTHER, "headcount": 5}}),
    ("revexp", {"record": {"inn": OTHER}}),
    ("msp", {"record": {"inn": OTHER}}),
    ("minjust_check", {"inn": OTHER}),
]


@pytest.mark.parametrize(("block", "changes"), ECHOES, ids=[f"{b}-{next(iter(c))}" for b, c in ECHOES])
def test_block_about_another_inn_fails_without_others(block: str, changes: dict[str, Any]) -> None:
    content = full_check_body({BLOCKS[block].full_check_key: body(block, **changes), "freezes": body("freezes")})
    states = states_of(FULL_CHECK, content)
    assert (states[block], states["freezes"]) == (("failed", "another_inn"), ("found", None))
    if block in OWN_METHOD:
        batch = transform_responses(Response(OWN_METHOD[block], body(block, **changes)))
        assert batch.snapshots["reason"].to_list() == ["another_inn"]
        assert all(frame.is_empty() for frame in batch.rows.values())


def test_meta_about_another_inn_fails_the_response() -> None:
    states = states_of(FULL_CHECK, full_check_body({"freezes": body("freezes")}, inn=OTHER))
    assert set(states.values()) == {("failed", "another_inn")}


@pytest.mark.parametrize(
    "meta", [None, [], "x", {"inn": int(INN)}, {"inn": ""}, {}, {"inn": INN, "fetched_at": 10**30}]
)
def test_invalid_meta_fails_nothing(meta: Any) -> None:
    batch = transform_responses(Response(FULL_CHECK, {"freezes": body("freezes"), "_meta": meta}))
    row = batch.snapshots.filter(pl.col("block") == "freezes").row(0, named=True)
    assert (row["state"], row["collected_at"]) == ("found", row["asked_at"])
    wrong = meta is None or not isinstance(meta, dict)
    assert (("full-check", "_meta", "type_changed") in batch.drift.select("block", "path", "kind").rows()) == wrong


def test_response_without_any_field_of_its_block_is_unconfirmed() -> None:
    envelope = {"price": 12, "balance": 1, "status": "ok", "message": "", "last_updated_at": 1793500000}
    assert states_of("arbitration", envelope)["arbitration"] == ("unconfirmed", "no_field")
    assert states_of("arbitration", {**envelope, "data": {}})["arbitration"] == ("unconfirmed", "no_field")
    stored = {"_from_local": True, "_local_fetched_at": "2026-11-01 03:15:00"}
    assert states_of(FULL_CHECK, full_check_body({"arbitration": stored}))["arbitration"] == ("unconfirmed", "no_field")
    strange = {"price": 10, "hasBankruptcy": False}
    assert states_of("person-bankruptcy", strange, inn=PERSON)["bankruptcy"] == ("unconfirmed", "no_field")
    assert states_of("trademarks", envelope)["trademarks"] == ("clean", None)


def test_collection_time_of_the_local_store_is_used() -> None:
    stored = body("freezes", _from_local=True, _local_fetched_at="2026-11-01 03:15:00")
    content = full_check_body({"freezes": stored, "rnp": body("rnp", "empty")}, restored_from_local=["freezes"])
    snapshots = transform_responses(Response(FULL_CHECK, content)).snapshots
    rows = {row["block"]: row for row in snapshots.iter_rows(named=True)}
    assert rows["freezes"]["from_local"] is True
    assert rows["freezes"]["collected_at"].isoformat() == "2026-11-01T00:15:00"
    assert rows["rnp"]["from_local"] is False
    assert rows["rnp"]["collected_at"].isoformat() == "2026-11-01T02:26:40"


def test_every_state_has_the_source_date() -> None:
    for status in ("idle", "downloading"):
        snapshots = transform_responses(
            Response("tax-debts", body("tax_debts", status=status, snapshot_date="20261001"))
        ).snapshots
        assert str(snapshots["source_date"][0]) == "2026-10-01"


def test_methods_of_sole_proprietors() -> None:
    for block in ("arbitration", "fssp", "bankruptcy"):
        assert states_of(f"person-{block}", body(block, "empty"), inn=PERSON)[block] == ("clean", None)
    assert states_of("person-brief", body("company", inn=PERSON), inn=PERSON)["company"] == ("found", None)


def test_flag_missing_from_a_clean_response_is_null() -> None:
    """Omitted fields stay unknown; given fields, and blocks named as verified empty, are known."""
    told = {"mass_director": False, "mass_address": False, "mass_source": "ФНС", "linked_companies": []}
    short = transform_responses(Response("full-check", full_check_body({"risk_flags": told})))
    named = transform_responses(Response("full-check", full_check_body({}, ["risk_flags"])))
    flags = ["mass_director", "mass_founder"]
    states = [b.snapshots.filter(pl.col("block") == "risk_flags")["state"].item() for b in (short, named)]
    assert states == ["clean", "clean"]
    assert short.rows["risk_flags"].select(flags).rows() == [(False, None)]
    assert named.rows["risk_flags"].select(flags).rows() == [(False, False)]


BARE: list[tuple[str, Any, str, str | None]] = [
    # method, payload, state, reason
    *[
        (method, payload, state, reason)
        for method in ("employees", "revexp", "msp")
        for payload, state, reason in (
            ({"status": "idle"}, "unconfirmed", "no_field"),
            ({"status": "idle", "snapshot_date": "20260901"}, "unconfirmed", "no_field"),
            ({"status": "idle", "record": None}, "clean", None),
            ({"status": "idle", "record": {}}, "clean", None),
            ({"status": "idle", "record": {"inn": INN}}, "unconfirmed", "no_field"),
            ({"status": "idle", "record": "x"}, "unconfirmed", "shape"),
        )
    ],
    *[
        (method, payload, state, reason)
        for method in ("tax-debts", "tax-offences")
        for payload, state, reason in (
            ({"status": "idle"}, "unconfirmed", "no_field"),
            ({"status": "idle", "snapshot_date": "20260901"}, "unconfirmed", "no_field"),
            ({"status": "idle", "total": None, "records": None}, "unconfirmed", "no_field"),
            ({"status": "idle", "total": 0}, "clean", None),
            ({"status": "idle", "records": []}, "clean", None),
        )
    ],
    ("general-courts", {"courts_searched": 30, "courts_in_region": 30, "errors": 0}, "unconfirmed", "no_field"),
    ("general-courts", {"courts_searched": 30, "courts_in_region": 30, "cases": []}, "clean", None),
    ("pledges", {"raw": {"answered": True, "sources": ["notary", "fedresurs"]}}, "unconfirmed", "no_field"),
    ("licenses", {"sources_checked": ["ROSZ", "MCHS"]}, "unconfirmed", "no_field"),
    ("freezes", {"available": True}, "unconfirmed", "found_not_stated"),
    ("freezes", {"available": True, "items": []}, "unconfirmed", "found_not_stated"),
    ("freezes", {"available": True, "found": False}, "clean", None),
    ("sanctions", {"name": "ООО"}, "unconfirmed", "no_field"),
    ("sanctions", {"name": "ООО", "hits": []}, "clean", None),
    ("arbitration", {"total_claim_sum": 0}, "unconfirmed", "no_field"),
    ("bankruptcy", {"status": ""}, "unconfirmed", "no_field"),
    ("bankruptcy", {"has_bankruptcy": False}, "clean", None),
    ("risk-flags", {"mass_check_unavailable": True, "mass_director": False}, "unconfirmed", "no_field"),
    ("risk-flags", {"mass_director": False}, "unconfirmed", "no_field"),
    ("risk-flags", {"mass_source": "x", "mass_director": False}, "clean", None),
    ("risk-flags", {"mass_source": "x", "authorized_capital": 0, "status_name": ""}, "unconfirmed", "no_field"),
    ("risk-flags", {"mass_check_unavailable": True, "linked_companies": []}, "partial", "mass_check_unavailable"),
    *[
        ("risk-flags", {"mass_source": "x", **content}, "found", None)
        for content in (
            {"status_name": "Действующее"},
            {"sme_category": "Микропредприятие"},
            {"authorized_capital": 10000},
            {"employee_count": 5},
        )
    ],
    ("brief", {"ogrn": "1230000000017"}, "found", None),
    ("brief", {"name": "ООО"}, "found", None),
    ("brief", {"mass_address": True, "phones": ["1"]}, "unconfirmed", "no_identity"),
    ("trademarks", {"error": ""}, "unconfirmed", "no_field"),
    ("trademarks", {"unheard_of": 1}, "unconfirmed", "no_field"),
    ("trademarks", {"price": 5, "status": "ok"}, "clean", None),
    ("trademarks", {"price": 5, "status": None}, "unconfirmed", "no_field"),
    ("trademarks", {"price": 5}, "unconfirmed", "no_field"),
    ("trademarks", {}, "clean", None),
    ("arbitration", {"status": "ok", "error": "x", "data": {"cases": []}}, "unconfirmed", "x"),
    ("arbitration", {"status": "ok", "unavailable": True, "data": {"cases": []}}, "unconfirmed", "unavailable"),
    ("arbitration", {"status": "ok", "request_id": "1", "data": {"cases": []}}, "clean", None),
    ("arbitration", {"status": "ok", "inn": OTHER, "data": {"cases": []}}, "failed", "another_inn"),
    ("timeline", {"status": "ok", "error": "x", "data": []}, "unconfirmed", "x"),
]


@pytest.fixture(scope="module")
def bare_states() -> list[States]:
    return states_of_all([Response(method, payload) for method, payload, _, _ in BARE])


@pytest.mark.parametrize("number", range(len(BARE)), ids=[f"{case[0]}-{case[1]}" for case in BARE])
def test_payload_is_evidence_only_with_a_field_that_describes_the_company(
    number: int, bare_states: list[States]
) -> None:
    assert list(bare_states[number].values()) == [BARE[number][2:]]


def test_unavailable_full_check_confirms_only_what_it_names() -> None:
    payloads = {"trademarks": {}, "timeline": [], "arbitration": {"total_cases": 0, "cases": []}}
    body_of_all = full_check_body({**payloads, "bankruptcy": {"has_intention": True}}, ["fssp"])
    for content in ({"status": "unavailable", **body_of_all}, {"status": "unavailable", "data": body_of_all}):
        states = states_of(FULL_CHECK, content)
        assert states.pop("fssp") == ("clean", None)
        assert states.pop("bankruptcy") == ("partial", "unavailable")
        assert {states.pop("timeline"), states.pop("arbitration")} == {("unconfirmed", "status:unavailable")}
        assert set(states.values()) == {("unavailable", "unavailable")}


def test_every_coverage_rule_has_a_case() -> None:
    named = {(case[0], reason) for case in [*CASES, *FULL_CHECK_ONLY] for reason in (case[4] or "").split(",")}
    for name, block in BLOCKS.items():
        rules = block.coverage
        for group in (rules.unavailable, rules.unconfirmed, rules.incomplete, rules.partial):
            assert {(name, reason) for reason in group} <= named


@pytest.mark.parametrize(("mark", "reason"), [({"error": "boom"}, "boom"), ({"unavailable": True}, "unavailable")])
def test_failure_around_a_full_check_confirms_only_what_it_names(mark: dict[str, Any], reason: str) -> None:
    payloads = {"trademarks": {}, "timeline": [], "bankruptcy": {"has_intention": True}}
    states = states_of(FULL_CHECK, {"status": "ok", **mark, "data": full_check_body(payloads, ["fssp"])})
    assert states.pop("fssp") == ("clean", None)
    assert states.pop("bankruptcy") == ("partial", reason)
    assert set(states.values()) == {("unconfirmed", reason)}
