"""Company methods that the provider confirmed for persons, through the front door."""

import json

import pytest

from innspect.schemas.catalogue import METHODS, available_blocks
from tests.support.cli import PERSONS, assert_money_adds_up

NAMES = ("rnp", "sanctions")
SETTING = {"INNSPECT_SERVICE__PERSON_METHODS": json.dumps(NAMES)}
ASKED = "SELECT DISTINCT inn, method FROM lineage.calls WHERE length(inn) = 12 AND method IN ('rnp', 'sanctions') ORDER BY ALL"
LISTED = (
    "SELECT inn, block, state FROM mart.coverage WHERE length(inn) = 12 AND block IN ('rnp', 'sanctions') ORDER BY ALL"
)
ASKABLE = "SELECT DISTINCT blocks_askable FROM mart.company_profile WHERE length(inn) = 12"


@pytest.fixture(scope="module")
def service(start_sandbox):
    return start_sandbox("--person-method", "rnp", "--person-method", "sanctions")


@pytest.mark.long
def test_confirmed_methods_are_requested_of_persons(make_cli, service, small_portfolio):
    service.reset()
    cli = make_cli(service.url)
    assert cli.run(small_portfolio).code == 0
    person = cli.value("SELECT DISTINCT inn FROM lineage.portfolio_members WHERE length(inn) = 12")
    assert person in PERSONS
    assert cli.sql(ASKED) == cli.sql(LISTED) == []
    assert cli.sql(ASKABLE) == [(len(available_blocks(12)),)]

    before = service.bill_total()
    cli.environ |= SETTING
    assert cli("plan", small_portfolio, "--json").json["calls"] == {"rnp": 1, "sanctions": 1}
    done = cli.run(small_portfolio)
    assert done.code == 0, done
    assert cli.sql(ASKED) == [(person, name) for name in NAMES]
    assert service.bill_total() - before == sum(METHODS[name].price for name in NAMES) / 100
    assert_money_adds_up(cli, service)
    listed = cli.sql(LISTED)
    assert [(inn, block) for inn, block, _ in listed] == [(person, name) for name in NAMES]
    assert {state for *_, state in listed} <= {"found", "clean", "partial"}
    assert cli.sql(ASKABLE) == [(len(available_blocks(12, NAMES)),)]
    assert cli.value(f"SELECT count(*) FROM current.rnp WHERE inn = '{person}'") == 1
    shown = {row["block"] for row in cli("company", person, "--json").json["coverage"]}
    assert shown == {*available_blocks(12, NAMES)}
    assert cli.run(small_portfolio).json["planned_calls"] == 0


def test_refused_person_method_costs_nothing_and_is_listed_as_failed(make_cli, reliable_sandbox, small_portfolio):
    reliable_sandbox.reset()
    cli = make_cli(reliable_sandbox.url, {**SETTING, "INNSPECT_PROFILES__FULL__BLOCKS": '["rnp"]'})
    done = cli.run(small_portfolio)
    assert done.code == 6, done
    assert cli.sql("SELECT state, reason FROM lineage.calls WHERE length(inn) = 12") == [("free", "http_422")]
    assert [row[1:] for row in cli.sql(LISTED)] == [("rnp", "failed")]


def test_unknown_person_method_is_refused(cli, small_portfolio):
    done = cli.run(small_portfolio, INNSPECT_SERVICE__PERSON_METHODS='["sanktions"]')
    assert done.code == 2
    for word in ("service.person_methods", "sanktions", "sanctions, licenses"):
        assert word in done.error
