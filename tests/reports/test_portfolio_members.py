"""Own names and columns of a portfolio file, for every page that shows them."""

import polars as pl

from innspect.reports.portfolio_members import list_own_columns
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import MemberEntry
from innspect.warehouse.load.records import load_records
from tests.support.builders import FIRST
from tests.support.cli import COMPANIES

A, B, C = COMPANIES[:3]


def load_members(warehouse, portfolio, *members):
    rows = [("run", portfolio, inn, name, None, None, extra, FIRST, MemberEntry.FILE) for inn, name, extra in members]
    load_records(
        warehouse,
        "members",
        pl.DataFrame(rows, schema=dict(ARCHIVE["members"]), orient="row"),
        f"members/{portfolio}",
    )


def test_own_columns_are_named_and_ordered_as_in_the_file(warehouse):
    load_members(
        warehouse,
        "suppliers",
        (A, "Acme", '{"Отдел": "", "select \\"x\\"": "1", "note": null, "Empty": ""}'),
        (B, " ", '{"Отдел": "ОМТС", "select \\"x\\"": null, "note": [1, 2], "Empty": null}'),
        (C, None, None),
    )
    load_members(warehouse, "others", (A, "Second", '{"code": 7}'))
    own = list_own_columns(warehouse, "suppliers")
    assert own.names == ("Отдел", 'select "x"', "note")
    assert sorted(own.members.rows()) == sorted([
        (A, "Acme", [None, "1", None]),
        (B, None, ["ОМТС", None, "[1,2]"]),
        (C, None, [None, None, None]),
    ])  # fmt: skip
    assert list_own_columns(warehouse, "others").members.rows() == [(A, "Second", ["7"])]
    assert list_own_columns(warehouse).members.height == 3
    assert list_own_columns(warehouse, "nobody").names == ()
