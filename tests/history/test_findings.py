"""What counts as a change, and how much it matters."""

import polars as pl

from innspect.flows.load import load_responses
from innspect.schemas.change_severity import SEVERITY_RANKS, SEVERITY_RULES, meaning, severity
from innspect.schemas.tables import tables
from tests.support.builders import CONVENTIONS, Response, full_check_body, response_frame

FLAGS = {
    "mass_director": False,
    "mass_founder": False,
    "mass_address": False,
    "disqualified_persons": False,
    "mass_check_unavailable": False,
    "linked_companies": [{"inn": "7700000041", "name": "B", "role": "связан", "connections": []}],
}
CARD = {
    "authorized_capital": 10000,
    "status_name": "active",
    "sme_category": "Микропредприятие",
    "okved_list": [{"code": "62.01", "name": "x"}],
}


def load(warehouse, *answers):
    for number, answer in enumerate(answers):
        load_responses(warehouse, response_frame([answer], file=f"{number}", start=number), CONVENTIONS)


def changes(warehouse):
    return warehouse.query(
        "SELECT table_name, row_key, change, column_name, old_value, new_value FROM lineage.changes ORDER BY ALL"
    ).rows()


def test_alternating_methods_give_no_changes(warehouse):
    whole = Response("full-check", full_check_body({"risk_flags": FLAGS}))
    alone = Response("risk-flags", {**FLAGS, **CARD})
    load(warehouse, whole, alone, whole, alone, whole)
    assert changes(warehouse) == []
    capital = warehouse.query("SELECT authorized_capital::INTEGER AS rub FROM current.risk_flags")["rub"].item()
    assert capital == 10000


def test_change_between_standalone_responses_is_recorded_across_a_full_check(warehouse):
    whole = Response("full-check", full_check_body({"risk_flags": FLAGS}))
    later = {**FLAGS, **CARD, "authorized_capital": 20000, "okved_list": [{"code": "62.02", "name": "y"}]}
    load(warehouse, Response("risk-flags", {**FLAGS, **CARD}), whole, Response("risk-flags", later))
    assert [(row[0], row[2], row[3], row[5]) for row in changes(warehouse) if row[3]] == [
        ("risk_flags", "changed", "authorized_capital", "20000.00")
    ]
    assert sorted(row[1:3] for row in changes(warehouse) if not row[3]) == [("62.01", "removed"), ("62.02", "added")]


def test_first_checked_flag_is_no_change(warehouse):
    unchecked = Response("risk-flags", {**FLAGS, **CARD, "mass_check_unavailable": True})
    listed = Response("risk-flags", {**FLAGS, **CARD, "mass_address": True})
    load(warehouse, unchecked, Response("risk-flags", {**FLAGS, **CARD}), unchecked, listed)
    assert [row[3:] for row in changes(warehouse)] == [("mass_address", "false", "true")]


def test_outage_of_a_source_gives_no_change(warehouse):
    found = Response("freezes", {"available": True, "found": True, "count": 1, "items": [{"decision_num": "1"}]})
    silent = Response("freezes", {"available": False, "items": []})
    load(warehouse, found, silent, silent, found)
    assert changes(warehouse) == []
    assert warehouse.query("SELECT count(*) AS n FROM lineage.versions")["n"].item() == 1


def cards(*regions):
    rows = [{"ogrn": "1027700132195", "region": region, "case_number": "", "status": "x"} for region in regions]
    return {"has_bankruptcy": False, "has_intention": False, "status": "", "total_cases": len(rows), "cases": rows}


def test_rows_with_the_same_key_are_matched_by_content(warehouse):
    intention = {**cards("B", "A"), "has_intention": True}
    load(warehouse, Response("bankruptcy", cards("A", "B")), Response("bankruptcy", intention))
    assert [row[3] for row in changes(warehouse)] == ["has_intention"]


def test_partial_response_does_not_overwrite_one_of_two_similar_rows(warehouse):
    partial = {**cards("B"), "error": "timeout"}
    load(warehouse, Response("bankruptcy", cards("A", "B")), Response("bankruptcy", partial))
    assert changes(warehouse) == []
    assert sorted(warehouse.query("SELECT region FROM current.bankruptcy__cases")["region"]) == ["A", "B"]


def test_every_severity_rule_names_existing_columns():
    for rule in SEVERITY_RULES:
        assert rule.severity in SEVERITY_RANKS
        assert rule.meaning.endswith(".")
        assert rule.table == "*" or rule.table in tables()
        if rule.column != "*":
            assert rule.column in {column.name for column in tables()[rule.table].columns}


ALERTS = [
    ("company", "changed", "status", "active", "liquidating"),
    ("company", "changed", "liquidation_date", None, "2026-11-01"),
    ("bankruptcy", "changed", "has_intention", "false", "true"),
    ("bankruptcy", "changed", "has_bankruptcy", "false", "true"),
    ("bankruptcy", "changed", "status", "observation", "proceedings"),
    ("freezes__items", "added", None, None, "{}"),
    ("sanctions__hits", "added", None, None, "{}"),
    ("rnp__records", "added", None, None, "{}"),
    ("fssp", "changed", "completed_no_assets", "1", "2"),
    ("fssp__proceedings", "changed", "completion_reason", None, "no_assets"),
    ("fssp__proceedings", "added", None, None, '{"exe_production":"1","completion_reason":"no_assets"}'),
    ("risk_flags", "changed", "disqualified_persons", "false", "true"),
]
LESS = [
    ("company", "changed", "status", "active", None),
    ("company", "changed", "liquidation_date", "2026-11-01", None),
    ("bankruptcy", "changed", "has_intention", "true", "false"),
    ("bankruptcy", "changed", "status", "observation", None),
    ("freezes__items", "removed", None, "{}", None),
    ("fssp", "changed", "completed_no_assets", "2", "1"),
    ("fssp__proceedings", "added", None, None, '{"exe_production":"1","completion_reason":"paid"}'),
    ("risk_flags", "changed", "disqualified_persons", "true", "false"),
]


def test_severities():
    names = ["table_name", "change", "column_name", "old_value", "new_value"]
    found = pl.DataFrame([*ALERTS, *LESS], schema=dict.fromkeys(names, pl.String), orient="row")
    levels = found.select(severity().alias("severity"), meaning().alias("meaning"))
    assert levels["severity"].to_list()[: len(ALERTS)] == ["alert"] * len(ALERTS)
    assert "alert" not in levels["severity"].to_list()[len(ALERTS) :]
    assert levels.filter(pl.col("meaning").is_null())["severity"].unique().to_list() == ["info"]


def dated(day, name="A"):
    card = {"ogrn": "1027700132195", "name": name, "registration_date": day}
    return Response("full-check", full_check_body({"company": card}))


def test_unreadable_cell_is_no_change(warehouse):
    """Neither when it appears nor when the same value returns."""
    load(warehouse, dated("2001-02-03"), dated("03.02.20O1"), dated("2001-02-03"))
    assert changes(warehouse) == []
    assert warehouse.query("FROM lineage.violations").height == 1


def test_value_after_an_unreadable_one_is_compared_with_the_last_readable(warehouse):
    load(warehouse, dated("2001-02-03"), dated("20010203x"), dated("??"), dated("2001-02-04"))
    assert [(row[3:]) for row in changes(warehouse)] == [("registration_date", "2001-02-03", "2001-02-04")]


def test_first_readable_value_is_no_change(warehouse):
    load(warehouse, dated("??"), dated("2001-02-03"))
    assert changes(warehouse) == []


def test_other_cells_of_a_row_with_an_unreadable_one_are_compared(warehouse):
    load(warehouse, dated("2001-02-03"), dated("??", "B"), dated("2001-02-05", "B"))
    assert sorted(row[3:] for row in changes(warehouse)) == [
        ("name", "A", "B"),
        ("registration_date", "2001-02-03", "2001-02-05"),
    ]


def test_list_rows_use_the_last_readable_cell(warehouse):
    """Matched by the rows' keys, though the list comes in another order each time."""

    def listed(*records):
        shown = [{"case_number": number, "date": day} for number, day in records]
        return Response("full-check", full_check_body({"arbitration": {"total_cases": len(shown), "cases": shown}}))

    load(
        warehouse,
        listed(("A1", "01.01.2024"), ("A2", "02.02.2024")),
        listed(("A2", "0X.02.2024"), ("A1", "01.01.2024")),
        listed(("A1", "01.01.2024"), ("A2", "03.02.2024")),
    )
    assert [row[2:] for row in changes(warehouse)] == [("changed", "date", "2024-02-02", "2024-02-03")]


def test_an_entry_listed_twice_is_neither_added_nor_removed(warehouse):
    def freezes(*numbers):
        items = [{"decision_num": number, "decision_date": "01.11.2026"} for number in numbers]
        return Response("freezes", {"found": bool(items), "available": True, "count": len(items), "items": items})

    load(warehouse, freezes("1", "2"), freezes("1", "2", "1"), freezes("2", "1"), freezes("1", "1", "1"))
    assert [row[1:3] for row in changes(warehouse) if row[2] != "changed"] == [("2 | 2026-11-01 | ", "removed")]
    assert {row[0] for row in changes(warehouse) if row[2] == "changed"} == {"freezes"}


def test_another_spelling_of_a_key_is_no_other_entry(warehouse):
    def cases(*numbers):
        found = [{"case_number": number, "date": "01.02.2026", "role": "respondent"} for number in numbers]
        return Response("arbitration", {"total_cases": len(found), "cases": found})

    # Cyrillic and Latin А; case and white space.
    load(warehouse, cases("А40-1/2026", "А41-2/2026"), cases("A40-1/2026", "а41-2/2026  "))
    assert {row[2] for row in changes(warehouse)} == {"changed"}
    news = warehouse.query("SELECT sentence_en, changes FROM mart.news")
    assert news["changes"].to_list() == [1]
