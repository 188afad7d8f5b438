"""What counts as content about the requested company, and what belongs to the envelope."""

import json

import polars as pl
import pytest

from tests.support.builders import INN, PERSON, Response, full_check_body, transform_responses

STORED = {"_from_local": True, "_local_fetched_at": "2026-10-01 10:00:00"}
ENVELOPE = {"price": 4, "balance": 9.5, "status": "ok", "message": "", "last_updated_at": 1793500000}
OTHER = "7736050003"


def state(answer: Response, block: str) -> tuple[str, str | None]:
    return transform_responses(answer).snapshots.filter(pl.col("block") == block).select("state", "reason").row(0)


@pytest.mark.parametrize(
    ("key", "block"),
    [
        ("fssp", "fssp"),
        ("freezes", "freezes"),
        ("financial", "financial"),
        ("tax_debts_bulk", "tax_debts"),
        ("general_courts", "general_courts"),
    ],
)
def test_verified_empty_block_restored_from_the_store_is_clean(key: str, block: str) -> None:
    batch = transform_responses(
        Response("full-check", full_check_body({key: STORED}, [key], restored_from_local=[key]))
    )
    one = batch.snapshots.filter(pl.col("block") == block)
    assert one.select("state", "reason", "from_local").row(0) == ("clean", None, True)
    assert str(one["collected_at"][0]) == "2026-10-01 07:00:00"
    assert batch.rows[block].height == 1
    assert batch.drift.is_empty()


def test_store_marks_without_verified_empty_confirm_nothing() -> None:
    assert state(Response("full-check", full_check_body({"fssp": STORED})), "fssp") == ("unconfirmed", "no_field")


def test_verified_empty_block_with_content_is_evaluated_by_its_content() -> None:
    held = {"available": False, "items": [], **STORED}
    assert state(Response("full-check", full_check_body({"freezes": held}, ["freezes"])), "freezes")[0] == "unconfirmed"


def test_envelope_status_is_not_used_as_the_payloads() -> None:
    payload = {"has_bankruptcy": False, "has_intention": False, "total_cases": 0, "cases": [], "raw": {}, "error": ""}
    batch = transform_responses(Response("bankruptcy", payload | ENVELOPE))
    assert batch.snapshots["state"].to_list() == ["clean"]
    assert batch.violations.is_empty()
    assert batch.drift.select("path", "kind").rows() == [("status", "missing_field")]


@pytest.mark.parametrize("extra", [{}, {"extra": 1}])
def test_envelope_status_is_not_used_as_the_cards(extra: dict[str, int]) -> None:
    batch = transform_responses(
        Response("brief", {"inn": INN, "ogrn": "1027700132195", "name": "X"} | extra | ENVELOPE)
    )
    assert batch.rows["company"].select("name", "status").row(0) == ("X", None)
    assert batch.violations.is_empty()


def test_status_of_the_payload_is_kept() -> None:
    own = ENVELOPE | {"status": "proceedings"}
    assert transform_responses(Response("bankruptcy", own)).rows["bankruptcy"]["status"][0] == "proceedings"


def test_contacts_with_only_the_inn_are_clean() -> None:
    batch = transform_responses(Response("contacts", {"inn": INN, "phones": []} | ENVELOPE))
    assert batch.snapshots["state"].to_list() == ["clean"]
    found = transform_responses(Response("contacts", {"inn": INN, "phones": [{"value": "1"}]}))
    assert found.rows["contacts__leaves"].select("path", "value").rows() == [("$.phones[0].value", "1")]


@pytest.mark.parametrize(
    ("method", "asked", "body"),
    [
        ("contacts", INN, {"inn": OTHER, "phones": [{"value": "1"}]}),
        ("arbitration", INN, {"inn": OTHER, "total_cases": 1, "cases": [{"case_number": "1"}]}),
        ("person-arbitration", PERSON, {"inn": "500100732259", "total_cases": 1, "cases": [{"case_number": "1"}]}),
    ],
)
def test_response_about_another_inn_is_failed(method: str, asked: str, body: dict) -> None:
    batch = transform_responses(Response(method, body, inn=asked))
    assert batch.snapshots.select("state", "reason").row(0) == ("failed", "another_inn")
    assert all(frame.is_empty() for frame in batch.rows.values())


def test_undocumented_echo_of_the_inn_is_only_drift() -> None:
    batch = transform_responses(Response("fssp", {"inn": INN, "total_proceedings": 0, "proceedings": []}))
    assert batch.snapshots["state"].to_list() == ["clean"]
    assert ("inn", "unknown_field") in batch.drift.select("path", "kind").rows()


@pytest.mark.parametrize("method", ["employees", "revexp", "msp"])
def test_empty_record_is_no_row(method: str) -> None:
    body = {"inn": INN, "record": {}, "snapshot_date": "20260701", "status": "idle", "error": ""}
    body |= {"snapshot_date": "01072026"} if method == "msp" else {}
    assert state(Response(method, body), method) == ("clean", None)


@pytest.mark.parametrize("nested", [False, True])
def test_unavailable_full_check_has_no_missing_blocks(nested: bool) -> None:
    root = {"status": "unavailable", "message": "later", "price": 0} | ({"data": None} if nested else {})
    batch = transform_responses(Response("full-check", root))
    assert set(batch.snapshots["state"]) == {"unavailable"}


def test_marks_keep_the_nesting_of_the_service() -> None:
    inquiry = {"price": 0.5, "balance": 1234.5, "credit": 0, "speed": 3, "attempts": 1}
    body = {"available": True, "found": False, "count": 0, "items": [], "_inquiry": inquiry}
    marks = json.loads(transform_responses(Response("freezes", body)).snapshots["marks"][0])
    assert marks == {"available": True, "_inquiry": inquiry}


def test_every_snapshot_has_the_progress_of_its_collection() -> None:
    walk = {"total_cases": 0, "cases_found_now": 0, "cases_from_store": 0, "errors": 0, "cases": []}
    full = Response("general-courts", walk | {"courts_searched": 40, "courts_in_region": 40})
    short = Response("general-courts", walk | {"courts_searched": 39, "courts_in_region": 0})
    first, second = map(json.loads, transform_responses(full, short).snapshots["marks"])
    assert (first["courts_searched"], first["courts_in_region"]) == (40, 40)
    assert second["courts_searched"] == 39
    assert "courts_in_region" not in second
