"""`lineage.kept_rows` names the rows of a version that its snapshot did not contain."""

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from innspect.flows.load import load_batch
from innspect.flows.load import load_responses as load_answers
from innspect.reports.dossier.queries import EVIDENCE
from innspect.schemas.catalogue import FULL_CHECK
from innspect.warehouse.database import Warehouse
from tests.history.test_unchanged_blocks import tables
from tests.support.builders import (
    CONVENTIONS,
    INN,
    Response,
    full_check_body,
    load_responses,
    response_frame,
    transform_responses,
)

UNCONFIRMED = """
    SELECT t.case_number FROM lineage.snapshots s JOIN core.arbitration__cases t USING (version_id)
    JOIN lineage.kept_rows k ON k.snapshot_id = s.snapshot_id AND k.table_name = 'arbitration__cases'
        AND (k.row_no IS NULL OR k.row_no = t.cases_no)
    WHERE s.response_id = $response ORDER BY ALL
"""


def arbitration(*numbers: str, is_whole: bool = False, **cells: Any) -> Response:
    cases = [{"case_number": number, "role": "third", **cells} for number in numbers]
    failed = [] if is_whole else ["main"]
    return Response("arbitration", {"total_cases": len(cases), "cases": cases, "sources_failed": failed})


def unconfirmed_cases(warehouse: Warehouse, number: int) -> list[str]:
    return warehouse.query(UNCONFIRMED, {"response": f"r{number}"})["case_number"].to_list()


def load_all(warehouse: Warehouse, *responses: Response) -> None:
    for start, response in enumerate(responses):
        load_responses(warehouse, response, start=start)


def test_rows_that_the_response_lacks_are_named_by_their_stored_position(warehouse: Warehouse) -> None:
    load_all(
        warehouse,
        arbitration("1", "2", "3", is_whole=True),
        # The same content as before: its rows are stored in the order of the first response.
        arbitration("3"),
        arbitration("4"),
        arbitration("2", "4"),
        # The content of the first response, which is no longer the latest version.
        arbitration("3", "2", "1", is_whole=True),
        arbitration("2"),
        arbitration("9", is_whole=True),
    )
    assert [unconfirmed_cases(warehouse, number) for number in range(7)] == [
        [], ["1", "2"], ["1", "2", "3"], ["1", "3"], [], ["1", "3"], []
    ]  # fmt: skip
    versions = warehouse.query("SELECT count(*) FROM lineage.versions").item()
    assert versions == 3


@pytest.mark.long
def test_version_of_an_earlier_content_keeps_the_positions_of_its_rows(warehouse: Warehouse) -> None:
    whole = [arbitration("1", "2", is_whole=True), arbitration("2", "1", is_whole=True, result="won")]
    load_all(warehouse, *whole, arbitration("1", result="lost"), arbitration("2", result="lost"))
    load_responses(warehouse, *whole, start=4)
    load_responses(warehouse, arbitration("2", result="lost"), start=6)
    load_responses(warehouse, arbitration("1", result="lost"), start=7)
    assert [unconfirmed_cases(warehouse, number) for number in (2, 3, 6, 7)] == [["2"], ["1"], ["1"], ["2"]]


def test_rows_with_the_same_key_are_told_apart(warehouse: Warehouse) -> None:
    def fines(*sums: int, error: str = "") -> Response:
        records = [{"sum": each, "name": "x"} for each in sums]
        return Response("tax-offences", {"status": "idle", "total": len(sums), "records": records, "error": error})

    load_all(warehouse, fines(5, 5, 7), fines(5, error="x"))
    kept = warehouse.query(
        "SELECT r.sum::INTEGER FROM lineage.kept_rows k JOIN lineage.snapshots s USING (snapshot_id) "
        "JOIN core.tax_offences__records r ON r.version_id = s.version_id AND r.records_no = k.row_no ORDER BY 1"
    )
    assert kept.rows() == [(5,), (7,)]


def test_list_that_the_method_does_not_carry_has_one_entry(warehouse: Warehouse) -> None:
    flags = {"mass_director": True, "mass_source": "s", "linked_companies": [{"inn": "7700000041"}]}
    more = {"status_name": "x", "okved_list": [{"code": "62.01"}, {"code": "62.02"}], "efrsb_messages": []}
    load_all(
        warehouse,
        Response("risk-flags", {**flags, **more}),
        Response(FULL_CHECK, full_check_body({"risk_flags": {**flags, "linked_companies": []}}, fetched_at=1893456000)),
    )
    kept = warehouse.query("SELECT block, table_name, row_no FROM lineage.kept_rows ORDER BY ALL").rows()
    # The list that the method carries is as the response has it.
    assert kept == [("risk_flags", "risk_flags__okved_list", None)]


def test_row_that_leaves_a_full_list_is_no_removal(warehouse: Warehouse) -> None:
    def freezes(first: int, count: int) -> Response:
        items = [{"decision_num": str(number), "bik": "044525999"} for number in range(first, first + count)]
        return Response("freezes", {"available": True, "found": True, "count": count, "items": items})

    def flags(first: int, count: int) -> Response:
        messages = [{"number": str(number), "type": "x"} for number in range(first, first + count)]
        return Response("risk-flags", {"mass_director": True, "mass_source": "s", "efrsb_messages": messages})

    found = (
        "SELECT table_name, change, count(*) FROM lineage.changes WHERE column_name IS NULL GROUP BY ALL ORDER BY ALL"
    )
    load_all(warehouse, freezes(0, 29), flags(0, 20), freezes(5, 30), flags(2, 20))
    added = [("freezes__items", "added", 6), ("risk_flags__efrsb_messages", "added", 2)]
    assert warehouse.query(found).rows() == added
    states = warehouse.query("SELECT state FROM lineage.snapshots WHERE response_id IN ('r2', 'r3') ORDER BY block")
    assert states["state"].to_list() == ["partial", "found"]
    load_responses(warehouse, freezes(5, 29), flags(2, 19), start=4)
    assert warehouse.query(f"FROM ({found}) WHERE change = 'removed'").rows() == [
        ("freezes__items", "removed", 6), ("risk_flags__efrsb_messages", "removed", 3)
    ]  # fmt: skip


FORMS = st.tuples(st.lists(st.sampled_from("123"), min_size=1, max_size=3, unique=True), st.booleans(), st.booleans())


@pytest.mark.long
@given(forms=st.lists(FORMS, min_size=2, max_size=6))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_loading_at_once_and_step_by_step_gives_the_same_tables(
    forms: list[tuple[list[str], bool, bool]], tmp_path_factory: pytest.TempPathFactory, create_empty_warehouse: Any
) -> None:
    responses = [
        arbitration(*numbers, is_whole=is_whole, result="won" if is_won else "") for numbers, is_whole, is_won in forms
    ]
    folder = tmp_path_factory.mktemp("kept")
    with (
        Warehouse(create_empty_warehouse(folder / "steps.duckdb")) as steps,
        Warehouse(create_empty_warehouse(folder / "once.duckdb")) as once,
    ):
        load_all(steps, *responses)
        with once.transaction():
            load_batch(once, transform_responses(*responses), is_new=True)
        found, expected = tables(once), tables(steps)
    assert [name for name in expected if not expected[name].equals(found[name])] == []


def test_what_is_kept_leads_to_the_response_that_contains_it(warehouse):
    """By the query of README.md: the versions that a version was merged with, and theirs."""

    def cases(*numbers, **marks):
        found = [{"case_number": number, "date": "01.02.2026", "role": "respondent"} for number in numbers]
        return Response("arbitration", {"total_cases": len(found), "cases": found, **marks})

    failed = {"sources_failed": ["main"]}
    answers = cases("1", "2"), cases("3", **failed), cases("3", **failed), cases("4", **failed), cases("1", "3", "4")
    sources = """
        WITH RECURSIVE sources AS (
            SELECT version_id FROM current.arbitration
            UNION
            SELECT s.base_version_id FROM lineage.snapshots s JOIN sources USING (version_id)
            WHERE s.base_version_id IS NOT NULL
        )
        SELECT r.archive_file FROM sources JOIN lineage.snapshots USING (version_id)
        JOIN lineage.responses r USING (response_id) ORDER BY r.archive_file
    """
    found, used = [], []
    for number, answer in enumerate(answers):
        load_answers(warehouse, response_frame([answer], file=str(number), start=number), CONVENTIONS)
        found.append("".join(warehouse.query(sources)["archive_file"]))
        proof = warehouse.query(EVIDENCE, {"inn": INN}).filter(pl.col("used_blocks").list.len() > 0)
        used.append("".join(sorted(proof["archive_file"])))
    assert found == ["0", "01", "012", "0123", "4"]
    # The dossier names the latest response, and those that first showed what it lacks.
    assert used == ["0", "01", "012", "013", "4"]
    assert warehouse.query("SELECT count(*) FROM current.arbitration__cases").item() == 3
