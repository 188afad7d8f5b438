"""Bad data: what cannot be read is reported and kept; the rest of the response is loaded."""

import json
from typing import Any

import polars as pl
import pytest

from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.errors import WarehouseError
from innspect.schemas.frames import Batch
from innspect.warehouse.load.load import check_row_counts
from tests.support.builders import INN, Response, full_check_body, transform_responses, version_responses

CASE = {"case_number": "А40-1/2024", "role": "plaintiff"}


def arbitration(**fields: Any) -> Response:
    return Response("arbitration", {"total_cases": 1, "cases": [], **fields})


def noted(batch: Batch) -> list[tuple[str, str, str, str, str]]:
    return batch.violations.select("table_name", "row_path", "column_name", "rule", "value").rows()


def drifted(batch: Batch, *kinds: str) -> list[tuple[str, str, str, int]]:
    return batch.drift.filter(pl.col("kind").is_in(kinds)).select("path", "kind", "sample", "occurrences").rows()


def test_leaf_of_another_type_is_converted_if_exact() -> None:
    cases = [
        {**CASE, "claim_sum": "12.50", "claim_sum_unavailable": "true", "judge": 5},
        {**CASE, "case_number": 7, "claim_sum": "0.10"},
    ]
    batch = transform_responses(arbitration(total_cases="2", won=1.0, cases=cases))
    assert [str(v) for v in batch.rows["arbitration__cases"]["claim_sum"]] == ["12.50", "0.10"]
    assert batch.rows["arbitration__cases"].select("case_number", "judge").rows() == [("А40-1/2024", "5"), ("7", None)]
    assert batch.rows["arbitration__cases"]["claim_sum_unavailable"].to_list() == [True, None]
    assert batch.rows["arbitration"].select("total_cases", "won").row(0) == (2, 1)
    assert noted(batch) == []
    assert sorted(drifted(batch, "type_changed")) == [
        ("cases[].case_number", "type_changed", "7", 1),
        ("cases[].claim_sum", "type_changed", "12.50", 2),
        ("cases[].claim_sum_unavailable", "type_changed", "true", 1),
        ("cases[].judge", "type_changed", "5", 1),
        ("total_cases", "type_changed", "2", 1),
        ("won", "type_changed", "1.0", 1),
    ]


UNREADABLE = [
    ("total_cases", "many", "arbitration", "type", "many"),
    ("total_cases", 1.5, "arbitration", "type", "1.5"),
    ("total_cases", True, "arbitration", "type", "true"),
    ("total_cases", 10**20, "arbitration", "type", "100000000000000000000"),
    ("total_claim_sum", "1 000,50", "arbitration", "type", "1 000,50"),
    ("total_claim_sum", "1e3", "arbitration", "type", "1e3"),
    ("total_claim_sum", False, "arbitration", "type", "false"),
]


@pytest.mark.parametrize(("name", "value", "table", "rule", "shown"), UNREADABLE)
def test_unreadable_leaf_is_null_and_a_violation(name: str, value: Any, table: str, rule: str, shown: str) -> None:
    batch = transform_responses(arbitration(**{"cases": [CASE], name: value}))
    assert batch.rows["arbitration"][name].to_list() == [None]
    assert noted(batch) == [(table, "$", name, rule, shown)]
    assert batch.snapshots["state"].to_list() == ["found"]


SHAPES = [
    (
        {"cases": [{**CASE, "judge": {"name": "x"}}]},
        ("arbitration__cases", "$.cases[0]", "judge", "shape", '{"name":"x"}'),
    ),
    ({"cases": [{**CASE, "claim_sum": []}]}, ("arbitration__cases", "$.cases[0]", "claim_sum", "shape", "[]")),
    ({"cases": [{**CASE, "plaintiffs": "x"}]}, ("arbitration__cases", "$.cases[0]", "plaintiffs", "shape", "x")),
    ({"cases": [CASE], "total_cases": {}}, ("arbitration", "$", "total_cases", "shape", "{}")),
    ({"cases": [CASE], "raw": []}, ("arbitration", "$", "raw", "shape", "[]")),
]


@pytest.mark.parametrize(("fields", "violation"), SHAPES)
def test_value_of_another_structure_makes_the_block_partial(fields: Any, violation: tuple[str, ...]) -> None:
    batch = transform_responses(arbitration(**fields))
    assert batch.snapshots.select("state", "reason").rows() == [("partial", "shape")]
    assert noted(batch) == [violation]
    assert batch.rows["arbitration__cases"].height == 1


def test_object_in_place_of_a_list_confirms_nothing() -> None:
    batch = transform_responses(arbitration(cases={"0": CASE}, total_cases=0))
    assert batch.snapshots.select("state", "reason").rows() == [("unconfirmed", "shape")]
    assert noted(batch)[0][2:4] == ("cases", "shape")


MAPS = [
    (
        "contracts",
        {"by_year": {"2024": 5, "2023": {"count": 1, "amount": 2}}},
        "contracts__by_year",
        1,
        "$.by_year.2024",
    ),
    (
        "financial",
        {"has_data": True, "revenue": {"2024": [1], "2023": 2}},
        "financial__indicators",
        2,
        "$.revenue.2024",
    ),
    (
        "financial",
        {"has_data": True, "balance_lines": {"2024": 7, "2023": {"1600": 2}}},
        "financial__lines",
        1,
        "$.balance_lines.2024",
    ),
    ("financial", {"has_data": True, "revenue": [1], "equity": {"2023": 2}}, "financial__indicators", 1, "$.revenue"),
    (
        "brief",
        {"name": "x", "social_profiles": {"vk": {"url": "u"}, "ok": [{"url": "u"}]}},
        "company__social_profiles",
        1,
        "$.social_profiles.vk",
    ),
    (
        "brief",
        {"name": "x", "tax_payments_by_year": {"2024": 1, "2023": {"НДС": 1}}},
        "company__tax_payments_by_year",
        1,
        "$.tax_payments_by_year.2024",
    ),
]


@pytest.mark.parametrize(("method", "body", "table", "rows", "path"), MAPS)
def test_invalid_map_entry_does_not_affect_others(method: str, body: Any, table: str, rows: int, path: str) -> None:
    batch = transform_responses(Response(method, body))
    assert batch.rows[table].height == rows
    assert [(row[0], row[1], row[3]) for row in noted(batch)] == [(table, path, "shape")]
    assert batch.snapshots["state"].to_list() == ["partial"]


def test_null_map_entry_gives_no_row() -> None:
    body = {"has_data": True, "revenue": {"2024": None}, "balance_lines": {"2024": None, "2023": {"1600": None}}}
    batch = transform_responses(
        Response("financial", body), Response("contracts", {"by_year": {"2024": None}, "total_contracts": 0})
    )
    assert batch.snapshots["state"].to_list() == ["found", "clean"]
    assert batch.rows["financial__indicators"].select("year", "amount").rows() == [(2024, None)]
    assert batch.rows["financial__lines"].select("year", "line_code", "amount").rows() == [(2023, "1600", None)]
    assert batch.violations.is_empty()


def test_cells_outside_their_domain_are_kept() -> None:
    shares = [{"name": "x", "share_pct": 250.0}, {"name": "y", "share_pct": -1}]
    batch = transform_responses(
        Response(
            "brief",
            {"name": "x", "kpp": "12", "founder_shares": shares, "employees_history": [{"year": 3000, "count": -5}]},
        )
    )
    assert batch.rows["company__founder_shares"]["share_pct"].to_list() == [250.0, -1.0]
    assert batch.rows["company__employees_history"].select("year", "count").rows() == [(3000, -5)]
    assert sorted(noted(batch)) == [
        ("company", "$", "kpp", "pattern", "12"),
        ("company__employees_history", "$.employees_history[0]", "count", "bounds", "-5"),
        ("company__employees_history", "$.employees_history[0]", "year", "bounds", "3000"),
        ("company__founder_shares", "$.founder_shares[0]", "share_pct", "bounds", "250.0"),
        ("company__founder_shares", "$.founder_shares[1]", "share_pct", "bounds", "-1.0"),
    ]


def test_row_without_key_is_quarantined_with_its_children() -> None:
    keyless = {
        "case_id": "",
        "case_number": "",
        "court": "Суд",
        "claim_sum": 1.5,
        "plaintiffs": [{"name": "A"}, {"name": "B"}],
        "instances": [
            {"name": "Первая инстанция", "events": [{"date": "01.03.2024", "description": "x"}]},
            {"name": ""},
        ],
    }
    kept = {**CASE, "plaintiffs": [{"name": "C"}]}
    batch = version_responses(arbitration(cases=[kept, keyless, {**CASE, "case_number": "2"}]))
    apart = batch.quarantine.select("table_name", "row_path", "rule").rows()
    assert sorted(apart) == [
        ("arbitration__cases", "$.cases[1]", "no_key"),
        ("arbitration__cases__instances", "$.cases[1].instances[0]", "parent_quarantined"),
        ("arbitration__cases__instances", "$.cases[1].instances[1]", "parent_quarantined"),
        ("arbitration__cases__instances__events", "$.cases[1].instances[0].events[0]", "parent_quarantined"),
        ("arbitration__cases__plaintiffs", "$.cases[1].plaintiffs[0]", "parent_quarantined"),
        ("arbitration__cases__plaintiffs", "$.cases[1].plaintiffs[1]", "parent_quarantined"),
    ]
    row = json.loads(batch.quarantine.filter(pl.col("rule") == "no_key")["row"][0])
    assert (row["court"], row["claim_sum"]) == ("Суд", "1.50")
    assert batch.rows["arbitration__cases"]["cases_no"].to_list() == [1, 3]
    assert batch.rows["arbitration__cases__plaintiffs"].select("cases_no", "name").rows() == [(1, "C")]
    check_row_counts(batch)


def test_list_element_that_is_not_an_object_is_quarantined() -> None:
    batch = version_responses(arbitration(cases=[CASE, None, "x", 5, ["y"], {**CASE, "plaintiffs": [None]}]))
    assert batch.rows["arbitration__cases"].height == 2
    assert batch.quarantine.select("row_path", "rule", "row").rows() == [
        ("$.cases[1]", "not_an_object", "null"),
        ("$.cases[2]", "not_an_object", '"x"'),
        ("$.cases[3]", "not_an_object", "5"),
        ("$.cases[4]", "not_an_object", '["y"]'),
        ("$.cases[5].plaintiffs[0]", "not_an_object", "null"),
    ]
    check_row_counts(batch)


def test_blank_enforcement_proceedings_are_rows() -> None:
    writs = [{"date": "", "number": "", "e_id": "", "status": "", "recipient": ""}] * 2
    body = {
        "courts_searched": 1,
        "courts_in_region": 1,
        "cases": [{"case_number": "1", "writs": writs}],
        "total_cases": 1,
    }
    batch = transform_responses(Response("general-courts", body))
    assert batch.quarantine.is_empty()
    assert batch.rows["general_courts__cases__writs"].height == 2


def test_undeclared_field_is_one_drift_finding_with_a_count() -> None:
    batch = transform_responses(
        arbitration(cases=[{**CASE, "colour": "red"}, {**CASE, "case_number": "2", "colour": 5}], surprise={"a": [1]}),
        arbitration(cases=[{**CASE, "colour": None}]),
        Response("freezes", {"available": True, "items": [], "extra": 1, "_inquiry": {"price": 1, "shift": 2}}),
        Response(FULL_CHECK, full_check_body({"new_block": {"a": 1}})),
        Response(
            "fssp", {"total_proceedings": 0, "proceedings": [], "price": 1, "balance": 2, "status": "ok", "message": ""}
        ),
    )
    assert sorted(drifted(batch, "unknown_field")) == [
        ("_inquiry.shift", "unknown_field", "2", 1),
        ("cases[].colour", "unknown_field", "red", 3),
        ("extra", "unknown_field", "1", 1),
        ("new_block", "unknown_field", '{"a": 1}', 1),
        ("surprise", "unknown_field", '{"a":[1]}', 1),
    ]
    seen = batch.drift.filter(pl.col("path") == "cases[].colour").select("first_seen_at", "last_seen_at").row(0)
    assert seen[1] > seen[0]


RESERVED = [
    ("contracts", {"contracts": [], "as_participant": 3}, "as_participant", "3"),
    ("contracts", {"contracts": [], "purchases": [1]}, "purchases", "[1]"),
    ("contracts", {"contracts": [], "fas_complaints": {"a": 1}}, "fas_complaints", '{"a":1}'),
    ("contracts", {"contracts": [{"reg_num": "1" * 19, "status": "x"}]}, "contracts[].status", "x"),
    ("risk-flags", {"mass_director": False, "sanctions": True}, "sanctions", "true"),
    ("risk-flags", {"mass_director": False, "phone": "1"}, "phone", "1"),
    ("pledges", {"pledges": [{"id": "1", "properties": [{"vin": "X"}]}]}, "pledges[].properties[].vin", "X"),
    ("tax-debts", {"records": [{"debt_type": "x", "ogrn": "1"}], "status": "idle"}, "records[].ogrn", "1"),
    ("revexp", {"record": {"ogrn": "1"}, "status": "idle"}, "record.ogrn", "1"),
]


@pytest.mark.parametrize(("method", "body", "path", "sample"), RESERVED, ids=[f"{r[0]}-{r[2]}" for r in RESERVED])
def test_reserved_field_with_a_value_is_drift(method: str, body: Any, path: str, sample: str) -> None:
    assert drifted(transform_responses(Response(method, body)), "reserved_filled") == [
        (path, "reserved_filled", sample, 1)
    ]


def test_different_duplicate_is_drift() -> None:
    proceedings = [
        {"exe_production": "1", "document_type": "Акт", "doc_type": "Акт"},
        {"exe_production": "2", "document_type": "Акт", "doc_type": "Лист"},
        {"exe_production": "3", "document_type": "Акт", "doc_type": ""},
    ]
    batch = transform_responses(Response("fssp", {"total_proceedings": 3, "proceedings": proceedings}))
    assert drifted(batch, "duplicate_differs") == [("proceedings[].doc_type", "duplicate_differs", "Лист", 1)]


def test_missing_field_of_evidence_is_drift() -> None:
    assert ("won", "missing_field", None, 1) in drifted(transform_responses(arbitration(cases=[CASE])), "missing_field")
    careful = transform_responses(arbitration(cases=[CASE], total_cases="1"))
    assert ("won", "missing_field", None, 1) in drifted(careful, "missing_field")
    assert drifted(transform_responses(arbitration(unavailable=True)), "missing_field") == []
    person = Response("person-arbitration", {"cases": [CASE]}, inn="770000000017")
    assert drifted(transform_responses(person), "missing_field") == []


def test_fields_that_the_full_check_never_has_are_no_drift() -> None:
    flags = {"mass_director": True, "mass_founder": False, "mass_address": False, "disqualified_persons": False}
    body = {**flags, "disqualified_records": [], "linked_companies": [], "mass_check_unavailable": False}
    assert (
        drifted(transform_responses(Response(FULL_CHECK, full_check_body({"risk_flags": body}))), "missing_field") == []
    )
    alone = {path for path, *_ in drifted(transform_responses(Response("risk-flags", body)), "missing_field")}
    assert {"okved_list", "authorized_capital", "status_name"} <= alone


def test_undocumented_block_becomes_leaves() -> None:
    for body in ({"a": [1, {"b": None}], "c d": "x"}, [{"a": 1}, "x"]):
        batch = version_responses(Response("contacts", body))
        assert batch.snapshots["state"].to_list() == ["found"]
        check_row_counts(batch)
    assert batch.rows["contacts__leaves"].select("path", "value", "type").rows() == [
        ("$[0].a", "1", "number"),
        ("$[1]", "x", "string"),
    ]


LICENCES = b'{"inn":"%s","total":0,"health":[],"mchs":%%s,"sources_checked":["ROSZ","MCHS"]}' % INN.encode()


def test_empty_leaves_give_no_rows() -> None:
    for nothing in (b"[]", b"[ ]", b"{ }", b'""'):
        batch = version_responses(Response("licenses", LICENCES % nothing), Response("licenses", LICENCES % b"[]"))
        assert batch.snapshots["state"].to_list() == ["clean", "clean"]
        assert batch.snapshots["version_id"].n_unique() == 1
        assert batch.rows["licenses__leaves"].is_empty()


def test_element_without_readable_leaves_is_content() -> None:
    for mchs, leaves in ((b'[""]', 1), (b"[[], {}]", 2), (b'[{"a": null}]', 1)):
        batch = version_responses(Response("licenses", LICENCES % mchs))
        assert batch.snapshots["state"].to_list() == ["found"]
        assert batch.rows["licenses__leaves"].height == leaves
    batch = version_responses(Response("contacts", {"phones": [{"value": ""}]}), Response("contacts", {"phones": []}))
    assert batch.snapshots["state"].to_list() == ["found", "clean"]


def test_leaves_that_are_no_list_have_the_wrong_shape() -> None:
    batch = version_responses(Response("licenses", LICENCES % b'{"a": 1}'))
    assert batch.snapshots.select("state", "reason").rows() == [("partial", "shape")]
    assert batch.violations.select("column_name", "rule").rows() == [("mchs", "shape")]


@pytest.mark.parametrize("table", ["arbitration__cases", "arbitration__cases__plaintiffs"])
@pytest.mark.parametrize("times", [0, 2], ids=["lost", "doubled"])
def test_batch_with_lost_or_duplicate_rows_is_refused(table: str, times: int) -> None:
    batch = version_responses(arbitration(cases=[{**CASE, "plaintiffs": [{"name": "A"}, {"name": "B"}]}]))
    check_row_counts(batch)
    first = batch.rows[table].head(1)
    rest = batch.rows[table].slice(1)
    batch.rows[table] = pl.concat([first] * times + [rest])
    with pytest.raises(WarehouseError, match="nothing was loaded"):
        check_row_counts(batch)
