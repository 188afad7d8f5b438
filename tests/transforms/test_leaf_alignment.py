"""Undocumented lists are compared by their elements, independent of their order."""

from itertools import permutations

from innspect.warehouse.database import Warehouse
from tests.support.builders import INN, Response, full_check_body, load_responses, version_responses


def phone(value: str, last: str = "2026-01-01") -> dict[str, str]:
    return {"value": value, "source": "site", "first_seen": "2020-01-01", "last_seen": last}


def licences(*mchs: dict, failed: tuple[str, ...] = ()) -> Response:
    body = {"inn": INN, "total": len(mchs), "health": [], "mchs": list(mchs), "sources_failed": failed, "error": ""}
    return Response("licenses", body)


def licence(number: str) -> dict:
    return {"number": number, "active": True, "works": ["a", "b"]}


def changes(warehouse: Warehouse) -> list[tuple]:
    query = (
        "SELECT row_key, change, old_value, new_value, severity FROM lineage.changes WHERE table_name LIKE '%leaves'"
    )
    return sorted(warehouse.query(query).rows())


def test_order_of_nested_lists_makes_no_version() -> None:
    works = [["a", "b"], ["b", "a"]]
    orders = [
        {"phones": list(phones), "sites": [{"value": 1, "seen": inner}, {"value": 2, "seen": inner[::-1]}]}
        for phones in permutations([phone("1"), phone("2"), phone("2")])
        for inner in works
    ]
    batch = version_responses(*(Response("contacts", body) for body in orders))
    assert batch.snapshots["version_id"].n_unique() == 1


def test_swapped_values_make_a_version() -> None:
    bodies = ({"phones": [{"v": a, "by": "x"}, {"v": b, "by": "y"}]} for a, b in (("1", "2"), ("2", "1")))
    assert version_responses(*(Response("contacts", body) for body in bodies)).snapshots["version_id"].n_unique() == 2


def test_paths_are_those_of_the_response() -> None:
    leaves = version_responses(licences(licence("B"), licence("A"))).rows["licenses__leaves"]
    assert ("$.mchs[0].number", "B") in leaves.select("path", "value").rows()


def test_moved_and_changed_element_is_one_changed_cell(warehouse: Warehouse) -> None:
    load_responses(warehouse, Response("contacts", {"phones": [phone("1"), phone("2"), phone("3")]}), start=0)
    load_responses(
        warehouse, Response("contacts", {"phones": [phone("3"), phone("2", "2026-02-02"), phone("1")]}), start=1
    )
    assert changes(warehouse) == [("$.phones[1].last_seen", "changed", "2026-01-01", "2026-02-02", "info")]


def test_new_hit_at_an_old_position_is_an_alert(warehouse: Warehouse) -> None:
    for start, number in enumerate((1, 2)):
        check = {"inn": INN, "name": "X", "hits": [{"number": number, "basis": f"act {number}"}], "error": ""}
        check["sources_checked"] = ["minjust"]
        load_responses(warehouse, Response("full-check", full_check_body({"minjust_check": check})), start=start)
    assert {(change, severity) for _, change, _, _, severity in changes(warehouse)} == {
        ("added", "alert"),
        ("removed", "info"),
    }


def test_partial_response_overwrites_no_element(warehouse: Warehouse) -> None:
    load_responses(warehouse, licences(licence("A"), licence("B")), start=0)
    load_responses(warehouse, licences(licence("C"), licence("B"), failed=("MCHS",)), start=1)
    assert [key for key, change, *_ in changes(warehouse) if change != "added"] == []
    kept = "SELECT path, value FROM current.licenses__leaves WHERE path LIKE '%number' ORDER BY path"
    assert warehouse.query(kept).rows() == [
        ("$.mchs[0].number", "C"),
        ("$.mchs[1].number", "B"),
        ("$.mchs[2].number", "A"),
    ]
    load_responses(warehouse, licences(licence("B"), licence("C"), licence("A")), start=2)
    # The complete response has the content that the merge gave, its number of licences included.
    assert warehouse.query("SELECT count(*), any_value(total) FROM current.licenses").row(0) == (1, 3)
    assert warehouse.query("SELECT count(*) FROM lineage.versions").item() == 2
    assert [key for key, change, *_ in changes(warehouse) if change == "removed"] == []


def test_paths_with_quoted_names_stay_distinct(warehouse: Warehouse) -> None:
    odd = {"a.b[0]": [{"it's": 1}, {"it's": 2}], "[1]": "x"}
    load_responses(warehouse, Response("contacts", odd), start=0)
    load_responses(warehouse, Response("contacts", odd | {"a.b[0]": odd["a.b[0]"][::-1]}), start=1)
    assert changes(warehouse) == []
    load_responses(warehouse, Response("contacts", odd | {"[1]": "y"}), start=2)
    assert changes(warehouse) == [("$['[1]']", "changed", "x", "y", "info")]
