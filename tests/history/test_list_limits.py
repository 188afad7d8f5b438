"""What a list no longer has room for, of a case or by year, is no removal and stays known."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from innspect.flows.load import load_batch
from innspect.warehouse.database import Warehouse
from tests.history.test_unchanged_blocks import tables
from tests.marts.bodies import PLAIN, load, rows
from tests.support.builders import Response, load_responses, transform_responses

CHANGED_ROWS = (
    "SELECT table_name, change, count(*) FROM lineage.changes WHERE column_name IS NULL GROUP BY ALL ORDER BY ALL"
)
VERSIONS = "SELECT count(*) FROM lineage.versions"


def numbered(name: str, first: int, count: int, **cells: Any) -> list[dict[str, Any]]:
    return [{name: f"{name} {number}", **cells} for number in range(first, first + count)]


def arbitration(*, other: Any = "1", **parts: Any) -> Response:
    cases = [{"case_number": "2", **parts}, {"case_number": other, "movements": numbered("description", 0, 1)}]
    return Response("arbitration", {**PLAIN["arbitration"], "total_cases": 2, "as_third": 0, "cases": cases})


def general_courts(first: int, count: int, **cells: Any) -> Response:
    case = {"case_number": "2-1", "court": "x", "movements": numbered("event", first, count), **cells}
    return Response("general-courts", {**PLAIN["general_courts"], "total_cases": 1, "cases": [case]})


def counts(warehouse: Warehouse, *names: str) -> list[int]:
    return [rows(warehouse, f"SELECT count(*) FROM current.{name}")[0][0] for name in names]


LIMITED = (
    ("movements", "description", 20),
    ("plaintiffs", "name", 10),
    ("respondents", "name", 10),
    ("third_parties", "name", 10),
)


@pytest.mark.parametrize(("part", "cell", "cap"), LIMITED)
def test_row_that_leaves_a_full_list_of_a_case_stays(warehouse: Warehouse, part: str, cell: str, cap: int) -> None:
    table = f"arbitration__cases__{part}"
    for start, (first, count) in enumerate([(0, cap), (1, cap), (0, cap)]):
        load(warehouse, arbitration(**{part: numbered(cell, first, count)}), start=start)
    assert rows(warehouse, CHANGED_ROWS) == [(table, "added", 1)]
    assert rows(warehouse, f"SELECT count(*) FROM current.{table} t WHERE cases_no = 1") == [(cap + 1,)]
    assert rows(warehouse, VERSIONS) == [(2,)]
    # The rest of the response replaces, and so does a list with room left.
    load(warehouse, arbitration(other="3", **{part: numbered(cell, 2, cap)}), start=3)
    load(warehouse, arbitration(other="3", **{part: numbered(cell, 2, cap - 1)}), start=4)
    assert rows(warehouse, CHANGED_ROWS) == [
        ("arbitration__cases", "added", 1),
        ("arbitration__cases", "removed", 1),
        (table, "added", 2),
        (table, "removed", 3),
    ]
    assert rows(warehouse, f"SELECT count(*) FROM current.{table} WHERE cases_no = 1") == [(cap - 1,)]


def test_instance_that_leaves_a_full_list_keeps_its_steps(warehouse: Warehouse) -> None:
    def instances(first: int, *texts: str) -> list[dict[str, Any]]:
        events = [{"date": "01.02.2026", "description": text} for text in texts]
        return numbered("name", first, 5, events=events)

    for start, parts in enumerate([instances(0, "a", "b"), instances(1, "a"), instances(1, "a")]):
        load(warehouse, arbitration(instances=parts), start=start)
    assert rows(warehouse, CHANGED_ROWS) == [
        ("arbitration__cases__instances", "added", 1),
        ("arbitration__cases__instances__events", "removed", 4),
    ]
    steps = "SELECT name, list(description ORDER BY description) FROM current.arbitration__cases__instances i "
    steps += (
        "JOIN current.arbitration__cases__instances__events e USING (version_id, cases_no, instances_no) GROUP BY 1"
    )
    assert dict(rows(warehouse, steps)) == {"name 0": ["a", "b"], **{f"name {n}": ["a"] for n in range(1, 6)}}


def test_cells_of_a_case_with_a_full_list_are_those_of_the_response(warehouse: Warehouse) -> None:
    full = {"movements": numbered("description", 0, 20)}
    load(warehouse, arbitration(result="won", claim_sum=5, claim_sum_unavailable=True, **full))
    load(warehouse, arbitration(**full), start=1)
    cells = "SELECT result, claim_sum, claim_sum_unavailable FROM current.arbitration__cases WHERE cases_no = 1"
    assert rows(warehouse, cells) == [(None, None, None)]


def test_step_that_leaves_a_full_list_of_a_general_court_stays(warehouse: Warehouse) -> None:
    for start, (first, count) in enumerate([(0, 20), (1, 20), (1, 20)]):
        load(warehouse, general_courts(first, count), start=start)
    # Another case field changes with the same 20 steps.
    load(warehouse, general_courts(1, 20, result="x"), start=3)
    assert counts(warehouse, "general_courts__cases__movements") == [21]
    assert rows(warehouse, CHANGED_ROWS) == [("general_courts__cases__movements", "added", 1)]
    assert rows(warehouse, VERSIONS) == [(3,)]
    load(warehouse, general_courts(1, 19), start=4)
    assert counts(warehouse, "general_courts__cases__movements") == [19]


def test_party_is_new_only_if_it_was_not_known(warehouse: Warehouse) -> None:
    def parties(*numbers: int, **inns: str) -> Response:
        named = [{"name": f"ООО {number}", "inn": inns.get(f"n{number}", "")} for number in numbers]
        return arbitration(respondents=named)

    load(warehouse, parties(*range(10)), parties(*range(1, 11)))
    news = "SELECT sentence_ru FROM mart.news ORDER BY 1"
    found = rows(warehouse, news)
    assert len(found) == 1
    assert "новый ответчик: ООО 10" in found[0][0]
    # The first one returns, with its INN.
    load(warehouse, parties(*range(10), n0="7707083893"), start=10)
    assert [sentence for (sentence,) in rows(warehouse, news) if "новый ответчик" in sentence] == [found[0][0]]
    names = "SELECT count(*), count(DISTINCT name), max(item_inn) FROM current.arbitration__cases__respondents"
    assert rows(warehouse, names) == [(11, 11, "7707083893")]


Statements = Mapping[str, Any]


def statements(years: Sequence[int], *, amount: int = 7, **more: Any) -> Response:
    """Statements of these years, newest first; details of the two newest."""
    detailed = years[:2]
    body: Statements = {
        "has_data": True,
        "years": years,
        "revenue": {str(year): 1000 * year for year in years},
        "tax_burden_pct": {str(year): 1.5 for year in years},
        "employees_history": [{"year": year, "count": 5} for year in years],
        "profit_before_tax": {str(year): 10 * year for year in detailed},
        "balance_lines": {str(year): {"1600": 5, "1210": amount} for year in detailed},
        "income_lines": {str(year): {"2110": 5, "2120": -3} for year in detailed},
        **more,
    }
    return Response("financial", json.loads(json.dumps(body)))


FIVE_YEARS = range(2024, 2019, -1)
NEXT_FIVE = range(2025, 2020, -1)
LATER_FIVE = range(2026, 2021, -1)


def test_year_before_the_oldest_listed_one_stays(warehouse: Warehouse) -> None:
    load(warehouse, statements([*FIVE_YEARS]), statements([*NEXT_FIVE]))
    assert {change for _, change, _ in rows(warehouse, CHANGED_ROWS)} == {"added"}
    assert not [text for (text,) in rows(warehouse, "SELECT sentence_en FROM mart.news") if "no longer" in text]
    figures = (
        "SELECT year, revenue_rub::INT, cost_rub::INT, inventories_rub::INT, profit_before_tax_rub::INT, confirmed"
    )
    found = rows(warehouse, f"{figures} FROM mart.financials ORDER BY year DESC")
    assert found == [
        (2025, 2025000, -3, 7, 20250, True),
        (2024, 2024000, -3, 7, 20240, True),
        (2023, 2023000, -3, 7, 20230, True),
        (2022, 2022000, None, None, None, True),
        (2021, 2021000, None, None, None, True),
        (2020, 2020000, None, None, None, False),
    ]
    assert counts(warehouse, "financial__years", "financial__tax_burden_pct", "financial__employees_history") == [6] * 3
    assert rows(warehouse, "SELECT count(base_version_id) FROM lineage.snapshots") == [(1,)]
    # The same statements in other words.
    load(warehouse, statements([*NEXT_FIVE], raw={}), start=10)
    assert rows(warehouse, VERSIONS) == [(2,)]


def test_correction_of_a_listed_year_replaces(warehouse: Warehouse) -> None:
    load(warehouse, statements([*FIVE_YEARS]), statements([*NEXT_FIVE]))
    corrected = {"2025": {"1600": 5}, "2024": {"1600": 6}}
    load(warehouse, statements([2025, 2024, 2022, 2021], balance_lines=corrected), start=10)
    removed = "SELECT table_name, count(*) FROM lineage.changes WHERE change = 'removed' GROUP BY 1 ORDER BY 1"
    assert rows(warehouse, removed) == [
        ("financial__employees_history", 1),
        ("financial__indicators", 1),
        ("financial__lines", 2),
        ("financial__tax_burden_pct", 1),
        ("financial__years", 1),
    ]
    lines = "SELECT year, line_code, amount::INT FROM current.financial__lines WHERE form = 'balance' ORDER BY ALL"
    assert rows(warehouse, lines) == [(2023, "1210", 7), (2023, "1600", 5), (2024, "1600", 6), (2025, "1600", 5)]
    assert rows(warehouse, "SELECT value FROM current.financial__years WHERE value IN (2020, 2023)") == [(2020,)]


def test_form_that_is_not_given_is_gone_for_the_newest_year_only(warehouse: Warehouse) -> None:
    load(warehouse, statements([*FIVE_YEARS], cash_flow_lines={"2024": {"4100": 1}, "2023": {"4100": 1}}))
    load(warehouse, statements([*NEXT_FIVE]), start=1)
    lines = "SELECT year FROM current.financial__lines WHERE form = 'cash_flow' ORDER BY ALL"
    assert rows(warehouse, lines) == [(2023,), (2024,)]
    load(warehouse, statements([*FIVE_YEARS]), start=2)
    assert rows(warehouse, lines) == [(2023,)]


def test_capital_of_an_old_balance_is_not_compared(warehouse: Warehouse) -> None:
    with_capital = {str(year): {"1310": 10, "1600": 5} for year in (2024, 2023)}
    load(warehouse, Response("brief", {**PLAIN["company"], "authorized_capital": 10}))
    compared = "SELECT left_value, right_value FROM mart.cross_checks WHERE check_name = 'capital'"
    load(warehouse, statements([*FIVE_YEARS], balance_lines=with_capital), start=1)
    assert rows(warehouse, compared) == [("10", "10")]
    load(warehouse, statements([*NEXT_FIVE]), start=2)
    assert rows(warehouse, "SELECT year FROM current.financial__lines WHERE line_code = '1310'") == [(2023,)]
    assert rows(warehouse, compared) == [("10", None)]


@pytest.mark.parametrize(
    "answers",
    [
        [statements([*FIVE_YEARS]), statements([*NEXT_FIVE], amount=8), statements([*LATER_FIVE]), statements([2026])],
        [arbitration(movements=numbered("description", first, 20)) for first in (0, 3, 1, 3)],
        [general_courts(first, count) for first, count in ((0, 20), (5, 20), (5, 19), (6, 20))],
    ],
    ids=["statements", "arbitration", "general_courts"],
)
@pytest.mark.long
def test_loading_at_once_and_step_by_step_gives_the_same_tables(
    answers: list[Response], tmp_path_factory: pytest.TempPathFactory, create_empty_warehouse: Any
) -> None:
    folder = tmp_path_factory.mktemp("limits")
    with (
        Warehouse(create_empty_warehouse(folder / "steps.duckdb")) as steps,
        Warehouse(create_empty_warehouse(folder / "once.duckdb")) as once,
    ):
        for start, answer in enumerate(answers):
            load_responses(steps, answer, start=start)
        with once.transaction():
            load_batch(once, transform_responses(*answers), is_new=True)
        found, expected = tables(once), tables(steps)
    assert [name for name in expected if not expected[name].equals(found[name])] == []
