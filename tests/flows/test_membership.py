"""Who is a member of a portfolio: the latest file decides, whatever was loaded first, and history stays."""

from datetime import timedelta
from itertools import permutations

import polars as pl
import pytest

from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import MemberEntry
from innspect.warehouse.load.records import load_records
from tests.support.builders import FIRST
from tests.support.cli import COMPANIES, PERSONS, assert_fails

FILE, ADDITION, REMOVAL = MemberEntry.FILE, MemberEntry.ADDITION, MemberEntry.REMOVAL
LIGHT = ("--profile", "light")
A, B, C, PERSON = *COMPANIES[:3], PERSONS[0]

HISTORIES = {
    "left": ([(FILE, "ab"), (FILE, "a")], {"a": None, "b": 1}),
    "back again": ([(FILE, "ab"), (FILE, "a"), (FILE, "ab")], {"a": None, "b": None}),
    "left twice": ([(FILE, "ab"), (FILE, "a"), (FILE, "ab"), (FILE, "a")], {"a": None, "b": 3}),
    "left long ago": ([(FILE, "ab"), (FILE, "a"), (FILE, "a"), (FILE, "a")], {"a": None, "b": 1}),
    "addition removes nobody": ([(FILE, "ab"), (ADDITION, "c")], {"a": None, "b": None, "c": None}),
    "file without the addition": ([(FILE, "a"), (ADDITION, "c"), (FILE, "a")], {"a": None, "c": 2}),
    "only additions": ([(ADDITION, "a"), (ADDITION, "b")], {"a": None, "b": None}),
    "removal": ([(FILE, "ab"), (REMOVAL, "b"), (FILE, "a")], {"a": None, "b": 1}),
    "removal and back": ([(FILE, "ab"), (REMOVAL, "ab"), (FILE, "b")], {"a": 1, "b": None}),
    "removal of nobody": ([(FILE, "a"), (REMOVAL, "c")], {"a": None}),
}


def record(number, entry, inns):
    at = FIRST + timedelta(days=number)
    rows = [("run-" + str(number), "p", inn, None, None, None, None, at, entry) for inn in inns]
    return pl.DataFrame(rows, schema=dict(ARCHIVE["members"]), orient="row")


@pytest.mark.long
@pytest.mark.parametrize("history", HISTORIES)
def test_members_do_not_depend_on_the_order_of_loading(warehouse, history):
    steps, expected = HISTORIES[history]
    records = [record(number, *step) for number, step in enumerate(steps)]
    orders = list(permutations(range(len(records))))
    for order in orders:
        if history.startswith("removal") and order.index(0) > order.index(1):
            # Nobody can be removed before being listed: such a record names members that are known.
            continue
        warehouse.connection.execute("DELETE FROM lineage.portfolio_members; DELETE FROM lineage.portfolio_listings")
        for number in order:
            load_records(warehouse, "members", records[number], f"members/{number}")
        left = dict(warehouse.connection.execute("SELECT inn, left_at FROM lineage.portfolio_members").fetchall())
        assert left == {inn: None if day is None else FIRST + timedelta(days=day) for inn, day in expected.items()}
        listed = warehouse.connection.execute("SELECT listed_at, members FROM lineage.portfolio_listings ORDER BY 1")
        assert listed.fetchall() == [
            (FIRST + timedelta(days=number), len(inns)) for number, (entry, inns) in enumerate(steps) if entry is FILE
        ]


def members(cli):
    rows = cli.sql("SELECT portfolio, inn, left_at IS NULL FROM lineage.portfolio_members")
    return {(portfolio, inn): is_member for portfolio, inn, is_member in rows}


def test_latest_file_is_the_membership(cli, service, tmp_path):
    path = tmp_path / "firms.csv"
    path.write_text(f"ИНН;Наименование;Метки\n{A};Первая;важный\n{B};Вторая;\n{PERSON};;\n")
    assert cli.run(path, *LIGHT, "--portfolio", "suppliers").code == 0
    paid = len(service.charges())
    path.write_text(f"ИНН;Наименование\n{A};Первая\n{PERSON};\n")
    plan = cli("plan", path, *LIGHT, "--portfolio", "suppliers")
    assert f"0 new, 1 left ({B}) since the file before" in plan.out
    assert "Columns: inn from ИНН, name from Наименование." in plan.out
    assert members(cli)["suppliers", B], "a plan changes nothing"

    assert cli.run(path, *LIGHT, "--portfolio", "suppliers").code == 0
    assert len(service.charges()) == paid
    assert members(cli) == {("suppliers", A): True, ("suppliers", B): False, ("suppliers", PERSON): True}
    assert {inn for (inn,) in cli.sql("SELECT DISTINCT inn FROM mart.coverage")} == {A, PERSON}
    profile = dict(cli.sql("SELECT inn, portfolios FROM mart.company_profile"))
    assert profile == {A: ["suppliers"], B: [], PERSON: ["suppliers"]}
    assert cli.sql("SELECT count(*) FROM mart.risk_score WHERE inn = ?", B) == [(1,)], "history stays"
    assert cli("report", "--portfolio", "suppliers").code == 0
    page = (cli.home / "reports" / "suppliers.html").read_text(encoding="utf-8")
    assert A in page
    assert B not in page

    shown = cli("portfolio", "show", "suppliers", "--former", "--json").json["members"]
    assert {row["inn"]: row["left_at"] is None for row in shown} == {A: True, PERSON: True, B: False}
    scores = dict(cli.sql("SELECT inn, {'blocks': unknown_blocks, 'most': level_at_most} FROM mart.risk_score"))
    assert all(scores[row["inn"]] == {"blocks": row["unknown_blocks"], "most": row["level_at_most"]} for row in shown)
    assert any(row["unknown_blocks"] for row in shown)
    printed = cli("portfolio", "show", "suppliers", INNSPECT_REPORT__LANGUAGE="en").out
    assert "what is not known" in printed
    assert "never requested" in printed
    russian = cli("portfolio", "show", "suppliers").out
    assert "что неизвестно" in russian
    assert "не запрашивалось" in russian
    (listed,) = cli("portfolio", "list", "--json").json["portfolios"]
    assert (listed["portfolio"], listed["members"], listed["persons"], listed["former"]) == ("suppliers", 2, 1, 1)

    path.write_text(f"ИНН\n{A}\n{B}\n{C}\n")
    assert cli.run(path, *LIGHT, "--portfolio", "suppliers").code == 0
    assert members(cli) == {
        ("suppliers", A): True,
        ("suppliers", B): True,
        ("suppliers", C): True,
        ("suppliers", PERSON): False,
    }


@pytest.mark.long
def test_rename_and_drop_survive_a_rebuild(cli, service, tmp_path):
    path = tmp_path / "firms.csv"
    path.write_text(f"inn,name,tags,manager\n{A},First,key,Anna\n{B},Second,,Boris\n")
    assert cli.run(path, *LIGHT).code == 0
    assert cli("portfolio", "rename", "firms", "key accounts").code == 0
    kept = "SELECT inn, name, tags, extra::VARCHAR FROM lineage.portfolio_members WHERE portfolio = ? ORDER BY inn"
    assert cli.sql(kept, "key accounts") == cli.sql(kept, "firms")
    assert dict(cli.sql("SELECT inn, portfolios FROM mart.company_profile")) == {
        A: ["key accounts"],
        B: ["key accounts"],
    }
    assert cli.sql("SELECT DISTINCT portfolio FROM lineage.runs") == [("firms",)]
    assert_fails(cli("portfolio", "rename", "nobody", "x"), 2, "nobody", "key accounts")
    assert_fails(cli("portfolio", "drop", "key accounts"), 2, "--yes")
    assert cli("portfolio", "drop", "key accounts", "--yes").code == 0
    assert not any(members(cli).values())
    state = cli.sql("FROM lineage.portfolio_members ORDER BY ALL")
    assert cli("rebuild").code == 0
    assert cli.sql("FROM lineage.portfolio_members ORDER BY ALL") == state
    assert len(service.charges()) > 0
    assert cli.run(path, *LIGHT).code == 0
    assert members(cli)["firms", A], "listed again"


@pytest.mark.long
def test_rename_takes_whom_expansions_found_along(cli, service, tmp_path):
    path = tmp_path / "firms.csv"
    path.write_text(f"inn\n{A}\n{B}\n")
    assert cli.run(path, *LIGHT, "--expand", "directors", "--budget", 400).code == 0
    found = cli.sql(
        "SELECT inn, extra::VARCHAR FROM lineage.portfolio_members WHERE portfolio = 'firms/expanded' ORDER BY inn"
    )
    assert found
    paid = len(service.charges())
    renamed = cli("portfolio", "rename", "firms", "buyers", "--json").json
    assert (renamed["members"], renamed["expanded_members"]) == (2, len(found))
    kept = (
        "SELECT inn, extra::VARCHAR FROM lineage.portfolio_members WHERE portfolio = ? AND left_at IS NULL ORDER BY inn"
    )
    assert cli.sql(kept, "buyers/expanded") == found
    assert cli.sql(kept, "firms/expanded") == []
    state = cli.sql("FROM lineage.portfolio_members ORDER BY ALL")
    assert cli("rebuild").code == 0
    assert cli.sql("FROM lineage.portfolio_members ORDER BY ALL") == state
    # A name that has members is in use, that of the derived portfolio too.
    assert cli.run(path, *LIGHT).code == 0
    other = tmp_path / "sellers.csv"
    other.write_text(f"inn\n{C}\n")
    assert cli.run(other, *LIGHT, "--portfolio", "sellers/expanded").code == 0
    assert_fails(cli("portfolio", "rename", "buyers", "sellers"), 2, "sellers/expanded")
    assert members(cli)["buyers", A], "nothing was renamed"
    assert len(service.charges()) > paid
    dropped = cli("portfolio", "drop", "buyers", "--yes").out
    assert "buyers/expanded keeps" in dropped


@pytest.mark.long
def test_former_portfolios_do_not_exist_for_commands(cli, tmp_path):
    path = tmp_path / "firms.csv"
    path.write_text(f"inn\n{A}\n")
    assert cli.run(path, *LIGHT).code == 0
    assert cli("portfolio", "rename", "firms", "buyers").code == 0
    for words in (
        ("coverage", "firms"),
        ("coverage", str(path)),
        ("changes", "--portfolio", "firms"),
        ("report", "--portfolio", "firms"),
        ("dossier", "--portfolio", "firms"),
        ("portfolio", "show", "firms"),
        ("portfolio", "drop", "firms", "--yes"),
        ("portfolio", "rename", "firms", "again"),
    ):
        failed = cli(*words)
        assert_fails(failed, 2, "firms has no members any more", "existing portfolios: buyers.")
    assert_fails(cli("coverage", "nobody"), 2, "existing portfolios: buyers.")
    assert [row["inn"] for row in cli("portfolio", "show", "firms", "--former", "--json").json["members"]] == [A]
    assert cli("portfolio", "drop", "buyers", "--yes").code == 0
    assert_fails(cli("coverage", "buyers"), 2, "existing portfolios: none.")
    assert_fails(cli("report"), 2, "no portfolio with members")
