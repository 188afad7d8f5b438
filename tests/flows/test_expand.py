"""`--expand`: a second wave of whom the answers name, with its money, its members, its reasons and its recovery."""

import json
import sqlite3
from decimal import Decimal

import pytest

from tests.support.cli import (
    COMPANIES,
    PERSONS,
    Cli,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
    rub,
    write_portfolio,
)

MEMBERS = [*COMPANIES[:4], PERSONS[0]]
WORDS = ("--profile", "light", "--expand", "directors,founders")
NAMED = """
SELECT inn, item_inn, 'director' FROM current.company__directors WHERE list_contains($members, inn)
UNION SELECT inn, item_inn, 'founder' FROM current.company__founders WHERE list_contains($members, inn)
UNION SELECT inn, item_inn, 'founder' FROM current.company__founder_shares WHERE list_contains($members, inn)
"""
REASONS = """
SELECT n ->> 'inn', m.inn, n ->> 'role' FROM lineage.portfolio_members m,
       unnest(from_json(m.extra -> 'named_by', '["json"]')) t(n)
WHERE m.portfolio = 'few/expanded'
"""
PERSON_METHODS = {"person-brief", "msp"}


def named_inns(cli: Cli, members: list[str] = MEMBERS) -> set[tuple]:
    """Who names whom as what, by the warehouse: rows with an INN, members aside."""
    import duckdb

    with duckdb.connect(str(cli.warehouse), read_only=True) as connection:
        rows = connection.execute(NAMED, {"members": members}).fetchall()
    return {(by, inn, role) for by, inn, role in rows if inn is not None and inn not in members}


def expanded_members(cli: Cli) -> set[str]:
    return {inn for (inn,) in cli.sql("SELECT inn FROM lineage.portfolio_members WHERE portfolio = 'few/expanded'")}


@pytest.fixture
def few(tmp_path):
    return write_portfolio(tmp_path / "few.csv", MEMBERS)


@pytest.mark.long
def test_expansion_requests_whom_the_answers_name_once(cli, service, few):
    planned = cli("plan", few, *WORDS, "--json").json
    done = cli.run(few, *WORDS, "--budget", 400)
    assert done.code == 0, done
    result = done.json
    (wave,) = result["expansion"]
    named = named_inns(cli)
    found = {inn for _, inn, _ in named}
    assert len(found) > len(MEMBERS)
    assert expanded_members(cli) == found
    assert set(cli.sql(REASONS)) == named
    assert (wave["portfolio"], wave["accepted"]) == ("few/expanded", len(found))

    charges = service.charges()
    assert {charge["inn"] for charge in charges} == found | set(MEMBERS)
    assert {
        charge["method"] for charge in charges if charge["inn"] in found and len(charge["inn"]) == 12
    } == PERSON_METHODS
    assert_no_call_paid_twice(service)
    settled, _ = assert_money_adds_up(cli, service, 400)
    assert rub(result["charged_rub"]) + rub(wave["charged_rub"]) == settled
    assert rub(result["budget_left_rub"]) == 400 - settled
    # The plan said before what it could become.
    assert planned["expansion"]["waves"] == []
    assert len(found) <= planned["expansion"]["unknown_inns"]
    assert rub(wave["charged_rub"]) <= rub(planned["expansion"]["bound_rub"])
    runs = cli.sql("SELECT portfolio, exit_code, budget_rub FROM lineage.runs ORDER BY started_at, run_id")
    assert [(name, code) for name, code, _ in runs] == [("few", 0), ("few/expanded", 0)]
    assert runs[1][2] == 400 - rub(result["charged_rub"])
    # Facts at both ends: every director or founder is a known INN now.
    linked = cli.sql(
        "SELECT inn, other_inn FROM mart.links WHERE matched_by = 'inn' AND NOT shared AND kind IN ('director', 'founder')"
    )
    pairs = {frozenset(pair) for pair in linked}
    assert {frozenset((by, inn)) for by, inn, _ in named} <= pairs
    known = {inn for (inn,) in cli.sql("SELECT inn FROM current.company")}
    assert found <= known

    service.reset()
    later = cli("plan", few, *WORDS, "--json").json["expansion"]
    assert (later["expected_rub"], later["unknown_inns"], later["bound_rub"]) == ("0.00", 0, "0.00")
    again = cli.run(few, *WORDS).json
    assert (again["calls"], again["expansion"][0]["calls"]) == (0, 0)
    assert service.charges() == []
    assert set(cli.sql(REASONS)) == named


@pytest.mark.long
def test_an_expansion_stays_within_its_part_of_the_budget(cli, service, few):
    cli.environ["INNSPECT_PROFILES__LIGHT__EXPAND_BUDGET_RUB"] = "30"
    first = cli.run(few, *WORDS, "--budget", 400)
    assert first.code == 3, first
    (wave,) = first.json["expansion"]
    assert 0 < rub(wave["charged_rub"]) <= 30 == rub(wave["budget_rub"])
    assert wave["skipped_for_budget"] > 0
    assert "expand_budget_rub" in first.error
    # What the members cost is no room of the expansion, however large its own budget is.
    spent = sum(Decimal(str(charge["price"])) for charge in service.charges() if charge["inn"] in MEMBERS)
    cli.environ["INNSPECT_PROFILES__LIGHT__EXPAND_BUDGET_RUB"] = "none"
    service.reset()
    rest = cli("check", *MEMBERS, "--portfolio", "few", "--direct", "--json", *WORDS, "--budget", 13)
    assert rest.code == 3, rest
    assert rub(rest.json["charged_rub"]) == 0 < spent
    assert service.bill_total() <= 13
    assert_no_call_paid_twice(service)
    members_of_check = cli.sql("SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY 1")
    assert members_of_check == [("few",), ("few/expanded",)]


def test_wrong_expansions_are_refused_before_anything_is_spent(cli, service, few):
    assert_fails(cli.run(few, "--expand", "neighbours"), 2, "expand")
    assert_fails(cli.run(few, "--depth", 2), 2, "--depth", "--expand")
    assert service.charges() == []


@pytest.mark.long
def test_second_wave_of_depth_two_and_erasure_of_a_naming_inn(cli, service, few):
    cli.environ["INNSPECT_PROFILES__LIGHT__EXPAND_LIMIT"] = "2"
    done = cli.run(few, "--profile", "light", "--expand", "founders,directors", "--depth", 2, "--budget", 1000)
    assert done.code == 0, done
    assert_no_call_paid_twice(service)
    assert_money_adds_up(cli, service, 1000)
    waves = dict(cli.sql(
        "SELECT (extra ->> 'wave')::INTEGER AS wave, count(*) FROM lineage.portfolio_members "
        "WHERE portfolio = 'few/expanded' GROUP BY wave"
    ))  # fmt: skip
    assert set(waves) == {1, 2}
    assert [wave["accepted"] for wave in done.json["expansion"]] == [waves[1], waves[2]]
    per_member = cli.sql(f"SELECT by_inn, count(DISTINCT inn) FROM ({REASONS}) r(by_inn, inn, role) GROUP BY ALL")
    assert all(count <= 2 for _, count in per_member)
    naming = per_member[0][0]
    assert cli("forget", naming, "--yes").code == 0
    rows = cli.sql("SELECT inn, extra::VARCHAR FROM lineage.portfolio_members")
    assert not [row for row in rows if naming in str(row)]
    archived = [path for path in cli.home.rglob("*.parquet") if naming.encode() in path.read_bytes()]
    assert archived == []


def ledger_runs(cli: Cli) -> list[str]:
    with sqlite3.connect(f"file:{cli.home / 'ledger.sqlite'}?mode=ro", uri=True) as ledger:
        return [name for (name,) in ledger.execute("SELECT portfolio FROM runs ORDER BY run_id")]


@pytest.mark.parametrize(
    "point",
    [
        "after receive 15",
        *(
            pytest.param(point, marks=pytest.mark.long)
            for point in ("before send 15", "before warehouse commit 2", "after archive seal 6", "after batch load 2")
        ),
    ],
)
@pytest.mark.long
def test_killed_in_the_second_wave_goes_on_without_paying_twice(cli, service, few, point):
    cli.environ |= {"INNSPECT_SERVICE__CONCURRENCY": "1", "INNSPECT_SERVICE__BATCH": "10"}
    killed = cli.run(few, *WORDS, "--budget", 400, INNSPECT_FAULT_POINT=point)
    assert killed.code == -9, killed
    assert sorted(ledger_runs(cli)) == ["few", "few/expanded"]
    before = len(service.charges())
    done = cli.run(few, *WORDS, "--budget", 400)
    assert done.code == 0, done
    named = named_inns(cli)
    assert expanded_members(cli) == {inn for _, inn, _ in named}
    assert set(cli.sql(REASONS)) == named
    assert 0 < before <= len(service.charges())
    charged = [(charge["inn"], charge["method"]) for charge in service.charges()]
    unknown = cli.status()["unknown_calls"]
    assert len(charged) - len(set(charged)) <= unknown <= 1
    assert {inn for inn, _ in charged} == {inn for _, inn, _ in named} | set(MEMBERS)
    assert_money_adds_up(cli, service, 800)
    assert json.loads(done.out)["calls"] == 0
