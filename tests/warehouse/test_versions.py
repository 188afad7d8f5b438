"""What makes a version, what is merged into one, and what counts as a change."""

import json
import random
from typing import Any

import pytest

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.warehouse.database import Warehouse
from tests.support.builders import BODIES, OWN_METHOD, Response, full_check_body, load_responses, version_responses
from tests.support.strategies import BodyGenerator, encode_exact


def case(number: str, **fields: Any) -> dict[str, Any]:
    return {"case_id": f"id-{number}", "case_number": number, "claim_sum": 100.5, "role": "respondent", **fields}


def arbitration(*cases: dict[str, Any], **fields: Any) -> Response:
    counted = {"total_cases": len(cases), "as_respondent": len(cases), "total_claim_sum": 100.5 * len(cases)}
    return Response("arbitration", {**counted, "cases": list(cases), **fields})


def changes(warehouse: Warehouse) -> list[tuple[str, ...]]:
    return warehouse.query(
        "SELECT table_name, row_key, change, column_name, old_value, new_value, severity FROM lineage.changes "
        "ORDER BY seen_at, table_name, row_key, column_name"
    ).rows()


def number(warehouse: Warehouse, query: str) -> Any:
    return warehouse.query(query).item()


def versions(warehouse: Warehouse) -> int:
    return int(number(warehouse, "SELECT count(*) FROM lineage.versions"))


def shuffle_lists(value: Any, chance: random.Random) -> Any:
    """The same JSON with every list and every object in another order."""
    if isinstance(value, dict):
        return {key: shuffle_lists(value[key], chance) for key in chance.sample(list(value), len(value))}
    if isinstance(value, list):
        return [shuffle_lists(each, chance) for each in chance.sample(value, len(value))]
    return value


@pytest.mark.parametrize("block", [name for name in OWN_METHOD if name != "contacts"])
def test_order_of_lists_makes_no_version(block: str) -> None:
    chance = random.Random(block)
    body = json.loads((BODIES / f"{block}.full.json").read_bytes())
    quirks = json.loads((BODIES / f"{block}.quirks.json").read_bytes())
    invented = json.loads(encode_exact(BodyGenerator(chance, is_complete=True).body(block)))
    for each in (body, quirks, invented):
        for leaves in ("efrsb_messages", "timeline", "news", "mchs"):
            if isinstance(each, dict) and leaves in each:
                each[leaves] = each[leaves][:1]
        # JSON kept as it came, and leaves without documented fields, have the order that they have.
        if block == "company":
            each.update(
                connections_graph={}, beneficiaries=[], social_profiles={}, timeline=[], news=[], efrsb_messages=[]
            )
        if block == "licenses":
            each["mchs"] = []
        answers = [
            Response(OWN_METHOD[block], encode_exact(body))
            for body in (each, shuffle_lists(each, chance), shuffle_lists(each, chance))
        ]
        found = version_responses(*answers).snapshots
        assert found["version_id"].n_unique() == 1
        assert found["state"].n_unique() == 1


MARKS = [
    (
        "tax-debts",
        {"status": "idle", "snapshot_date": "20260401", "records": [{"debt_type": "x", "sum": 5}], "total": 1},
        {
            "status": "loaded",
            "snapshot_date": "20260701",
            "_from_local": True,
            "_local_fetched_at": "2026-11-01 00:00:00",
        },
    ),
    (
        "tax-offences",
        {"status": "idle", "records": [{"sum": 5, "decision_date": "01.04.2026"}], "total": 1},
        {"records": [{"sum": 5, "decision_date": "01.07.2026"}]},
    ),
    (
        "freezes",
        {"available": True, "items": [], "found": False, "count": 0},
        {"_inquiry": {"price": 2, "attempts": 5}},
    ),
    ("brief", {"name": "x"}, {"_source_local": "base", "_source_fetched_at": "2026-01-01 00:00:00", "raw": {"a": 1}}),
    (
        "general-courts",
        {"courts_searched": 5, "courts_in_region": 5, "cases": [{"case_number": "1"}], "total_cases": 1},
        {
            "courts_searched": 6,
            "courts_in_region": 6,
            "cases_found_now": 1,
            "cases": [{"case_number": "1", "_from_store": True}],
        },
    ),
    ("arbitration", {"total_cases": 1, "cases": [case("1")]}, {"raw": {"enrichment_completed_at": 1793500000}}),
    ("sanctions", {"name": "x", "hits": []}, {"name": "y", "sources_checked": ["UK_FCDO"]}),
    ("pledges", {"total_pledges": 1, "fetched": 1, "pledges": [{"id": "1"}]}, {"raw": {"answered": True, "x": 1}}),
]


@pytest.mark.parametrize(("method", "body", "other"), MARKS, ids=[mark[0] for mark in MARKS])
def test_changed_mark_makes_no_version_and_no_change(method: str, body: Any, other: Any, warehouse: Warehouse) -> None:
    load_responses(warehouse, Response(method, body))
    load_responses(warehouse, Response(method, {**body, **other}), start=1)
    assert versions(warehouse) == 1
    assert changes(warehouse) == []
    marks = warehouse.query("SELECT marks, from_local, source_date FROM lineage.snapshots ORDER BY asked_at").rows()
    assert marks[0] != marks[1] or method in ("tax-offences", "general-courts", "sanctions", "brief")


def test_change_is_recorded_once_with_old_and_new_value(warehouse: Warehouse) -> None:
    load_responses(warehouse, arbitration(case("1"), case("2", plaintiffs=[{"name": "A"}])))
    load_responses(
        warehouse, arbitration(case("1", result="lost"), case("3", plaintiffs=[{"name": "B"}, {"name": "C"}])), start=1
    )
    got = changes(warehouse)
    assert [(c[0], c[1], c[2], c[3], c[4] if c[3] else None, c[5] if c[3] else None) for c in got] == [
        ("arbitration__cases", "1", "changed", "result", None, "lost"),
        ("arbitration__cases", "2", "removed", None, None, None),
        ("arbitration__cases", "3", "added", None, None, None),
    ]
    assert [change[-1] for change in got] == ["notice", "info", "notice"]
    assert json.loads(got[1][4])["case_id"] == "id-2"
    assert json.loads(got[2][5])["claim_sum"] in ("100.50", 100.5)
    load_responses(
        warehouse, arbitration(case("3", plaintiffs=[{"name": "C"}, {"name": "B"}]), case("1", result="lost")), start=2
    )
    assert len(changes(warehouse)) == 3


def test_children_of_an_unchanged_row_have_their_own_changes(warehouse: Warehouse) -> None:
    load_responses(
        warehouse, arbitration(case("1", plaintiffs=[{"name": "A"}], instances=[{"name": "I", "events": []}]))
    )
    events = [{"date": "01.03.2024", "description": "x"}]
    load_responses(
        warehouse,
        arbitration(case("1", plaintiffs=[{"name": "B"}], instances=[{"name": "I", "events": events}])),
        start=1,
    )
    assert [change[:3] for change in changes(warehouse)] == [
        ("arbitration__cases__instances__events", "1 / I / 2024-03-01 | x", "added"),
        ("arbitration__cases__plaintiffs", "1 / A | ", "removed"),
        ("arbitration__cases__plaintiffs", "1 / B | ", "added"),
    ]


def test_partial_response_removes_nothing_and_counts_the_merged_rows(warehouse: Warehouse) -> None:
    load_responses(warehouse, arbitration(case("1", plaintiffs=[{"name": "A"}]), case("2"), as_third=4))
    partial = arbitration(case("2", court="Суд", claim_sum=0), case("3"), sources_failed=["third"], as_third=0)
    load_responses(warehouse, partial, start=1)
    root = warehouse.query("SELECT total_cases, as_third, total_claim_sum FROM current.arbitration").row(0)
    assert (root[0], root[1], str(root[2])) == (3, 4, "301.50")
    rows = warehouse.query(
        "SELECT case_number, court, claim_sum::VARCHAR FROM current.arbitration__cases ORDER BY 1"
    ).rows()
    assert rows == [("1", None, "100.50"), ("2", "Суд", "100.50"), ("3", None, "100.50")]
    joined = warehouse.query(
        "SELECT c.case_number, p.name FROM current.arbitration__cases c "
        "JOIN current.arbitration__cases__plaintiffs p USING (version_id, cases_no)"
    ).rows()
    assert joined == [("1", "A")]
    assert [change[:4] for change in changes(warehouse)] == [
        ("arbitration", "", "changed", "as_respondent"),
        ("arbitration", "", "changed", "total_cases"),
        ("arbitration", "", "changed", "total_claim_sum"),
        ("arbitration__cases", "2", "changed", "court"),
        ("arbitration__cases", "3", "added", None),
    ]


def test_full_partial_full_is_one_version_without_changes(warehouse: Warehouse) -> None:
    whole = arbitration(case("1", plaintiffs=[{"name": "A"}, {"name": "A"}]), case("2"))
    load_responses(warehouse, whole)
    load_responses(warehouse, arbitration(case("2"), sources_failed=["main"]), start=1)
    load_responses(warehouse, arbitration(case("1"), case("2"), sources_failed=["main"]), start=2)
    load_responses(warehouse, arbitration(sources_failed=["main"]), start=3)
    load_responses(warehouse, whole, start=4)
    states = warehouse.query("SELECT state FROM lineage.snapshots ORDER BY asked_at")["state"].to_list()
    assert states == ["found", "partial", "partial", "unconfirmed", "found"]
    assert versions(warehouse) == 1
    assert changes(warehouse) == []


def test_rows_missing_from_a_first_partial_response_are_no_additions(warehouse: Warehouse) -> None:
    load_responses(warehouse, arbitration(case("1"), sources_failed=["main"]))
    assert versions(warehouse) == 1
    load_responses(warehouse, arbitration(case("1", result="lost"), case("2")), start=1)
    assert versions(warehouse) == 2
    assert [change[2] for change in changes(warehouse) if change[2] != "changed"] == []
    load_responses(warehouse, arbitration(case("1", result="lost"), case("2"), case("3")), start=2)
    assert [change[1] for change in changes(warehouse) if change[2] == "added"] == ["3"]


@pytest.mark.parametrize("block", sorted(set(OWN_METHOD) - {"contacts"}))
def test_partial_repetition_changes_nothing(block: str, warehouse: Warehouse) -> None:
    """A full answer, the same again but with an error, and the full one once more."""
    if "error" not in BLOCKS[block].row_parts:
        degraded = {"risk_flags": {"mass_check_unavailable": True}, "freezes": {"count": 30}}.get(block)
        if degraded is None:
            assert block in ("timeline", "founded_companies")
            return
    else:
        degraded = {"error": "boom"}
    body = json.loads((BODIES / f"{block}.full.json").read_bytes())
    if block == "freezes":
        body["count"] = 30 if degraded is None else body["count"]
        degraded = {"items": "x"}
    method = OWN_METHOD[block]
    load_responses(warehouse, Response(method, body))
    load_responses(warehouse, Response(method, {**body, **degraded}), start=1)
    load_responses(warehouse, Response(method, body), start=2)
    states = warehouse.query("SELECT state FROM lineage.snapshots ORDER BY asked_at")["state"].to_list()
    assert (states[0], states[2]) in (("found", "found"), ("partial", "partial"))
    assert states[1] == "partial"
    assert versions(warehouse) == 1
    assert changes(warehouse) == []


FLAGS = {"mass_director": True, "mass_founder": False, "mass_address": False, "disqualified_persons": False,
         "mass_check_unavailable": False, "mass_source": "s", "disqualified_records": [],
         "linked_companies": [{"inn": "7700000041", "name": "Б", "role": "связан", "connections": []}]}  # fmt: skip
MORE = {"authorized_capital": 10000, "status_name": "Действующее", "employee_count": 5, "sme_category": "",
        "okved_list": [{"code": "62.01", "name": ""}], "employees_history": [{"year": 2025, "count": 5}],
        "founder_shares": [{"name": "А", "inn": "", "share_pct": 50, "share_rub": 5000, "date": ""}],
        "efrsb_messages": []}  # fmt: skip
WHOLE = Response(FULL_CHECK, full_check_body({"risk_flags": FLAGS}))
ALONE = Response("risk-flags", {**FLAGS, **MORE})


def flag_versions(warehouse: Warehouse) -> list[str]:
    return warehouse.query("SELECT version_id FROM lineage.snapshots WHERE block = 'risk_flags' ORDER BY asked_at")[
        "version_id"
    ].to_list()


def test_alternating_methods_give_one_version(warehouse: Warehouse) -> None:
    for start, answer in enumerate((ALONE, WHOLE, ALONE, WHOLE, ALONE)):
        load_responses(warehouse, answer, start=start)
    assert len(set(flag_versions(warehouse))) == 1
    assert changes(warehouse) == []


def test_alternating_methods_in_one_batch_give_one_version(warehouse: Warehouse) -> None:
    load_responses(warehouse, ALONE, WHOLE, ALONE, WHOLE)
    assert len(set(flag_versions(warehouse))) == 1
    assert changes(warehouse) == []


def test_version_of_the_narrow_method_is_completed_by_the_other(warehouse: Warehouse) -> None:
    for start, answer in enumerate((WHOLE, ALONE, WHOLE)):
        load_responses(warehouse, answer, start=start)
    ids = flag_versions(warehouse)
    assert ids[0] != ids[1] == ids[2]
    assert changes(warehouse) == []


def test_unchecked_flags_keep_their_value(warehouse: Warehouse) -> None:
    load_responses(warehouse, ALONE)
    unchecked = {**FLAGS, **MORE, "mass_director": False, "mass_check_unavailable": True, "mass_check_reason": "no_fio"}
    load_responses(warehouse, Response("risk-flags", unchecked), start=1)
    assert warehouse.query("SELECT mass_director, mass_founder FROM current.risk_flags").row(0) == (True, False)
    assert len(set(flag_versions(warehouse))) == 1
    assert changes(warehouse) == []


def test_responses_of_one_batch_are_versioned_in_order(warehouse: Warehouse) -> None:
    outcome = load_responses(
        warehouse,
        arbitration(case("1")),
        arbitration(case("2"), sources_failed=["main"]),
        arbitration(case("3"), sources_failed=["main"]),
        arbitration(case("3")),
        arbitration(case("3")),
    )
    assert (outcome.loaded.new_versions, outcome.loaded.unchanged) == (4, 1)
    assert [change[1:3] for change in changes(warehouse) if change[0] == "arbitration__cases"] == [
        ("2", "added"),
        ("3", "added"),
        ("1", "removed"),
        ("2", "removed"),
    ]


def test_full_checks_of_one_batch_are_versioned_in_order(warehouse: Warehouse) -> None:
    one_by_one = [arbitration(case("1")), arbitration(case("2")), arbitration(case("2"), case("3"))]
    load_responses(warehouse, *one_by_one)
    together = changes(warehouse)
    assert [change[1:3] for change in together if change[0] == "arbitration__cases"] == [
        ("1", "removed"),
        ("2", "added"),
        ("3", "added"),
    ]


SEVERITIES = [
    ("brief", {"name": "x", "status": "active"}, {"status": "liquidating"}, "alert"),
    ("brief", {"name": "x", "status": "liquidating"}, {"status": "active"}, "notice"),
    ("brief", {"name": "x", "disqualified_persons": False}, {"disqualified_persons": True}, "alert"),
    ("brief", {"name": "x", "address": "a"}, {"address": "b"}, "notice"),
    ("brief", {"name": "x", "okpo": "1"}, {"okpo": "2"}, "info"),
    ("bankruptcy", {"status": "", "has_bankruptcy": False, "total_cases": 0}, {"status": "observation"}, "alert"),
    ("bankruptcy", {"has_intention": False, "total_cases": 0}, {"has_intention": True}, "alert"),
    (
        "freezes",
        {"available": True, "found": False, "count": 0, "items": []},
        {"items": [{"decision_num": "1"}]},
        "alert",
    ),
    ("sanctions", {"name": "x", "hits": []}, {"hits": [{"source": "UK_FCDO", "name": "X"}]}, "alert"),
    ("rnp", {"total": 0, "records": []}, {"records": [{"reg_number": "1"}]}, "alert"),
    (
        "fssp",
        {"completed_no_assets": 0, "total_proceedings": 1, "proceedings": [{"exe_production": "1"}]},
        {"completed_no_assets": 1},
        "alert",
    ),
    ("risk-flags", FLAGS | {"disqualified_persons": False}, {"disqualified_persons": True}, "alert"),
    ("risk-flags", FLAGS, {"disqualified_records": [{"matched_name": "И", "birth_date": "01.01.1970"}]}, "alert"),
    ("trademarks", {"total": 0, "trademarks": []}, {"trademarks": [{"number": "1"}]}, "info"),
]


@pytest.mark.parametrize(("method", "body", "other", "severity"), SEVERITIES)
def test_severity_of_changes(method: str, body: Any, other: Any, severity: str, warehouse: Warehouse) -> None:
    load_responses(warehouse, Response(method, body))
    load_responses(warehouse, Response(method, {**body, **other}), start=1)
    name = next(iter(other))
    told = [c[-1] for c in changes(warehouse) if c[3] == name or c[0].endswith(f"__{name}")]
    assert told == [severity]


def test_ended_enforcement_is_an_alert_only_without_assets(warehouse: Warehouse) -> None:
    def fssp(reason: str) -> Response:
        return Response(
            "fssp", {"total_proceedings": 1, "proceedings": [{"exe_production": "1", "completion_reason": reason}]}
        )

    for start, reason in enumerate(("", "paid", "no_assets")):
        load_responses(warehouse, fssp(reason), start=start)
    assert [(change[5], change[-1]) for change in changes(warehouse)] == [("paid", "info"), ("no_assets", "alert")]


def test_alternating_clean_and_found_reuse_their_versions(warehouse: Warehouse) -> None:
    found = Response("rnp", {"total": 1, "active": 1, "historic": 0, "records": [{"reg_number": "1", "law": "FZ44"}]})
    clean = Response(FULL_CHECK, full_check_body({}, ["rnp"]))
    zeros = Response("rnp", {"total": 0, "active": 0, "historic": 0, "records": [], "error": ""})
    for start, answer in enumerate((clean, found, zeros, found)):
        load_responses(warehouse, answer, start=start)
    assert number(warehouse, "SELECT count(*) FROM lineage.versions WHERE block = 'rnp'") == 2
    told = [change[:4] for change in changes(warehouse)]
    assert told.count(("rnp__records", "1", "added", None)) == 2
    assert told.count(("rnp__records", "1", "removed", None)) == 1


def test_rows_with_the_same_key_are_matched(warehouse: Warehouse) -> None:
    twice = [case("1", court="А"), case("1", court="Б")]
    load_responses(warehouse, arbitration(*twice))
    load_responses(warehouse, arbitration(*reversed(twice)), start=1)
    assert versions(warehouse) == 1
    load_responses(warehouse, arbitration(*twice, sources_failed=["main"]), start=2)
    assert versions(warehouse) == 1
    assert changes(warehouse) == []


def test_only_the_changed_one_of_rows_with_the_same_key_is_recorded(warehouse: Warehouse) -> None:
    load_responses(warehouse, arbitration(case("1", court="А"), case("1", court="Б"), case("1", court="В")))
    load_responses(
        warehouse, arbitration(case("1", court="В"), case("1", court="Б", result="lost"), case("1", court="А")), start=1
    )
    assert [(change[2], change[3], change[5]) for change in changes(warehouse)] == [("changed", "result", "lost")]
