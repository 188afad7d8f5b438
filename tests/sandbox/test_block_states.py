"""Every state of every block, requested over HTTP, and the coverage state that it gets: docs/sandbox.md."""

import json
from collections.abc import Iterable

import pytest

from innspect.sandbox.faults import FaultPlan, fault_plan
from innspect.sandbox.payloads.states import block_states
from innspect.sandbox.state_choices import ANY, StateChoice, parse_choice, unknown_inn
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.errors import SettingsError
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables_of
from tests.support.block_states import Case, cases, outcomes, request
from tests.support.builders import INN, OWN_METHOD, Response, transform_responses
from tests.support.cli import Cli

FULL = f"/api/v1/company/{INN}"
OTHER = sample_inns(1, 11)[0]
PERSON = sample_inns(1, 4, persons=1.0)[0]
CARRIED = [name for name, block in BLOCKS.items() if block.full_check_key]

EVERY_BLOCK = {
    "found": "found",
    "clean": "clean",
    "not_named": "missing not_named_empty",
    "absent": "missing absent",
    "stored": "found",
    "no_field": "unconfirmed no_field",
    "status": "unconfirmed status:WORD",
    "wrong_type": "failed wrong_type",
    "wrong_shape": "partial shape",
    "error": "partial WORD",
    "error_empty": "unconfirmed WORD",
    "another_inn": "failed another_inn",
    "counted_not_listed": "unconfirmed counted_not_listed",
    "not_all_listed": "partial not_all_listed",
    "unavailable": "unavailable unavailable",
    "sources_failed": "partial sources_failed",
    "sources_failed_empty": "unconfirmed sources_failed",
    "all_sources_dead": "partial all_sources_dead",
    "all_sources_dead_empty": "unconfirmed all_sources_dead",
    "list_full": "partial list_full",
    "index": "unconfirmed index_not_ready",
    "index_empty": "unconfirmed index_not_ready",
    "old_data_set": "found",
    "not_all_fetched": "partial not_all_fetched",
    "not_all_fetched_empty": "unconfirmed not_all_fetched,counted_not_listed",
}
OF_BLOCK = {
    "company": {
        "empty_card": "unconfirmed no_identity",
        "stored_record": "found",
        "no_field": "unconfirmed no_identity",
        "error_empty": "unconfirmed no_identity,WORD",
    },
    "fssp": {"confirmed_empty": "clean", "large_debt": "found"},
    "arbitration": {
        "enrichment_pending": "partial enrichment_pending",
        "enrichment_pending_empty": "unconfirmed enrichment_pending",
        "source_proxy_dead": "found",
        "source_proxy_dead_empty": "clean",
        "fallback_no_money": "found",
        "fallback_no_money_empty": "clean",
        "no_claim_sum": "found",
        "petition": "found",
    },
    "bankruptcy": {"intention": "found", "stage_only": "found", "card_only": "found"},
    "contracts": {
        "ext_sources_timeout": "partial ext_sources_timeout",
        "ext_sources_timeout_empty": "unconfirmed ext_sources_timeout",
        "main_source_missed": "partial main_source_missed",
        "main_source_missed_empty": "unconfirmed main_source_missed",
        "sources": "found",
        "sources_empty": "clean",
    },
    "financial": {
        "no_data": "unconfirmed no_data",
        "found_not_listed": "partial counted_not_listed",
        "no_field": "unconfirmed no_data",
        "error_empty": "unconfirmed no_data,WORD",
        # The first field is `has_data` itself.
        "wrong_shape": "unconfirmed no_data,shape",
    },
    "pledges": {
        "not_answered": "unconfirmed not_answered",
        "not_answered_empty": "unconfirmed not_answered",
        "register_missed": "partial register_missed",
        "register_missed_empty": "unconfirmed register_missed",
        "no_register": "partial register_missed",
        "no_register_empty": "unconfirmed register_missed",
        "list_full": "partial not_all_fetched",
        "no_field": "unconfirmed register_missed",
        "counted_not_listed": "unconfirmed not_all_fetched,counted_not_listed",
    },
    "inspections": {"counted_not_listed": "unconfirmed not_all_fetched,counted_not_listed"},
    "risk_flags": {
        "mass_check_unavailable": "partial mass_check_unavailable",
        "mass_check_unavailable_empty": "partial mass_check_unavailable",
        "mass_check_unknown": "partial mass_check_unknown",
        "mass_check_unknown_empty": "partial mass_check_unknown",
        "list_full": "found list_full",
        "persons_full": "found list_full",
        "publications_full": "found",
    },
    "rnp": {"filter_bypassed": "unconfirmed filter_bypassed", "excluded": "found"},
    "sanctions": {
        "namesake": "found",
        "low_hits_full": "found list_full",
        "list_missed": "partial list_missed",
        "list_missed_empty": "unconfirmed list_missed",
    },
    "licenses": {
        "register_missed": "partial register_missed",
        "register_missed_empty": "unconfirmed register_missed",
        "no_register_checked": "partial no_register_checked",
        "no_register_checked_empty": "unconfirmed no_register_checked",
        "no_field": "unconfirmed no_register_checked",
    },
    "freezes": {
        "not_available": "unconfirmed not_available",
        "no_field": "unconfirmed not_available",
        "found_not_listed": "partial counted_not_listed",
        "found_not_stated": "unconfirmed found_not_stated",
    },
    "general_courts": {
        "unavailable_with_cases": "partial unavailable",
        "no_court_searched": "partial no_court_searched,courts_missed",
        "no_court_searched_empty": "unconfirmed no_court_searched,courts_missed",
        "region_unknown": "partial region_unknown",
        "region_unknown_empty": "unconfirmed region_unknown",
        "from_store_only": "partial from_store_only",
        "from_store_only_empty": "unconfirmed from_store_only",
        "courts_failed": "partial courts_failed",
        "courts_failed_empty": "unconfirmed courts_failed",
        "courts_missed": "partial courts_missed",
        "courts_missed_empty": "unconfirmed courts_missed",
        "no_field": "unconfirmed no_court_searched,region_unknown",
    },
    "timeline": {"no_day": "found"},
    "tax_debts": {"no_field": "unconfirmed index_not_ready", "large_debt": "found"},
    "tax_offences": {"no_field": "unconfirmed index_not_ready"},
    "employees": {"no_field": "unconfirmed index_not_ready"},
    "revexp": {"no_field": "unconfirmed index_not_ready"},
    # Its documented statuses are `loaded` and `idle` only: without a record, another one is a word about nothing.
    "msp": {
        "no_field": "unconfirmed index_not_ready",
        "index_empty": "unconfirmed status:WORD",
        "loaded_without_record": "unconfirmed no_record",
    },
    "trademarks": {"no_field": "clean", "not_named": "clean", "empty_object": "clean"},
    "minjust_check": {
        "no_source_checked": "partial no_source_checked",
        "no_source_checked_empty": "unconfirmed no_source_checked",
        "no_field": "unconfirmed no_source_checked",
    },
}
"""State and reason by the documents (issue and coverage table), not by the code."""


def expected_outcome(case: Case) -> str:
    """The documented outcome of a case."""
    if case.name == "named_empty":
        other = {"company": "unconfirmed no_identity", "financial": "unconfirmed no_data"}
        return "clean" if case.method == FULL_CHECK else other.get(case.block, "clean")
    if case.block == "sanctions" and case.name in ("no_source_checked", "no_source_checked_empty", "no_field"):
        # The standalone method never names the checked lists.
        standalone = {"no_source_checked": "found", "no_source_checked_empty": "clean"}
        state = "partial" if case.name == "no_source_checked" else "unconfirmed"
        return (
            f"{state} no_source_checked"
            if case.method == FULL_CHECK
            else standalone.get(case.name, "unconfirmed no_field")
        )
    if case.block == "sanctions" and case.name.startswith("list_missed") and case.method != FULL_CHECK:
        return "clean" if case.name.endswith("_empty") else "found"
    if (case.block, case.name, case.method) == ("contracts", "unavailable", FULL_CHECK):
        return "unavailable unavailable,all_gov_sources_blocked"
    outcome = OF_BLOCK.get(case.block, {}).get(case.name) or EVERY_BLOCK[case.name]
    return outcome.replace("WORD", case.word)


def differences(found: dict[Case, tuple[str, str]], wanted: Iterable[Case]) -> dict[Case, str]:
    """The cases whose outcome is not the documented one, with what they got."""
    written = {case: " ".join(found[case]).strip() for case in wanted}
    return {case: outcome for case, outcome in written.items() if outcome != expected_outcome(case)}


@pytest.mark.parametrize("block", BLOCKS)
def test_every_state_gets_its_documented_coverage(block):
    assert differences(outcomes(), [case for case in cases() if case.block == block]) == {}


@pytest.mark.long
def test_states_are_the_same_with_the_payload_under_data():
    assert differences(outcomes("data"), cases()) == {}


@pytest.mark.parametrize("block", BLOCKS)
def test_every_rule_of_the_declarations_is_produced(block):
    rules = BLOCKS[block].coverage
    columns = tables_of(block)[0].columns
    wanted = {*rules.unavailable, *rules.unconfirmed, *rules.incomplete, *rules.partial}
    # Counters that only the standalone method has, or that a record contains, are beside content.
    wanted |= {"counted_not_listed"} if any(c.is_total and c.field.full_check for c in columns) else set()
    counts = [c for c in columns if c.is_total and not c.field.figure.column and c.field.figure.where is None]
    wanted |= {"not_all_listed"} if counts and "not_all_fetched" not in wanted else set()
    wanted |= set() if BLOCKS[block].undocumented else {"shape"}
    reasons = {reason for case, (_, text) in outcomes().items() if case.block == block for reason in text.split(",")}
    assert wanted <= reasons
    assert any(reason.startswith("status:") for reason in reasons)
    if "error" in BLOCKS[block].row_parts:
        assert "error_empty" in block_states()[block]
    if block in CARRIED:
        assert "absent" in reasons


def test_every_coverage_state_is_produced():
    assert {state for state, _ in outcomes().values()} == set(SnapshotState)


async def snapshots(choices: list[StateChoice], method: str, inn: str = INN) -> dict[str, tuple[str, str | None]]:
    """State and reason by block of one response."""
    batch = transform_responses(Response(method, await request(choices, method, inn), inn))
    return {
        block: (state, reason) for block, state, reason in batch.snapshots.select("block", "state", "reason").rows()
    }


async def test_company_in_no_register():
    full = await snapshots([unknown_inn(INN)], FULL_CHECK)
    assert set(full.values()) == {("clean", None)}
    empty = await snapshots([unknown_inn(INN), parse_choice(f"{INN}:company=empty_card")], FULL_CHECK)
    assert empty.pop("company") == ("unconfirmed", "no_identity")
    assert set(empty.values()) == {("clean", None)}
    card = json.loads(await request([unknown_inn(INN)], "brief"))
    assert (card["inn"], card["ogrn"], card["name"], card["status"]) == (INN, "", "", "")
    assert (await snapshots([unknown_inn(INN)], "fssp"))["fssp"] == ("clean", None)


async def test_person_without_data():
    found = {}
    for method in ("person-brief", "person-fssp", "person-arbitration", "person-bankruptcy"):
        found |= await snapshots([unknown_inn(PERSON)], method, PERSON)
    assert found.pop("company") == ("unconfirmed", "no_identity")
    assert set(found.values()) == {("clean", None)}
    assert len(found) == 3


async def test_state_of_one_inn_or_method_changes_no_other_response(client):
    choice = StateChoice("fssp", "sources_failed", INN, "fssp")
    async with client(faults=FaultPlan(state=(choice,))) as changed, client() as usual:
        for path in (FULL, f"/api/v1/company/{OTHER}/fssp", f"/api/v1/company/{OTHER}"):
            assert (await changed.get(path)).content == (await usual.get(path)).content
        body = (await changed.get(f"{FULL}/fssp")).json()
    assert body["sources_failed"] == ["parser_api"]
    assert body["total_proceedings"] == len(body["proceedings"]) > 0


async def test_state_of_one_block_leaves_the_others_of_a_full_check_as_they_are(client):
    async with client(faults=FaultPlan(state=(parse_choice("pledges=not_answered"),))) as changed, client() as usual:
        bodies = [(await service.get(FULL)).json() for service in (changed, usual)]
    assert bodies[0].pop("pledges") != bodies[1].pop("pledges")
    for body in bodies:
        body["_verified_empty_blocks"] = [key for key in body["_verified_empty_blocks"] if key != "pledges"]
        body["_meta"]["restored_from_local"] = [key for key in body["_meta"]["restored_from_local"] if key != "pledges"]
    assert bodies[0] == bodies[1]


async def test_named_block_and_last_choice_have_precedence(client):
    texts = ("fssp=clean", f"{ANY}=clean", "fssp=error_empty", "fssp=sources_failed_empty:site_name")
    async with client(faults=FaultPlan(state=tuple(map(parse_choice, texts)))) as service:
        body = (await service.get(FULL)).json()
    assert (body["fssp"]["sources_failed"], body["fssp"]["error"]) == (["site_name"], "")
    assert body["arbitration"]["total_cases"] == 0


@pytest.mark.parametrize("envelope", ["root", "data"])
async def test_any_status_word_and_nothing_else(client, envelope):
    async with client(faults=FaultPlan(state=(parse_choice("*=status:queued"),)), envelope=envelope) as service:
        for method in (FULL_CHECK, *OWN_METHOD.values()):
            body = (await service.get(METHODS[method].path.format(inn=INN))).json()
            assert body.pop("status") == "queued"
            assert body.pop("data", {}) == {}
            assert set(body) == {"price", "balance", "message", "last_updated_at"}


@pytest.mark.parametrize("state", ["unavailable", "status:unavailable"])
async def test_unavailable_states_of_the_four_methods_are_free(client, state):
    async with client(faults=FaultPlan(state=(StateChoice(ANY, state),))) as service:
        for method in METHODS.values():
            if method.free_if_unavailable and method.digits == 10:
                body = (await service.get(method.path.format(inn=INN))).json()
                assert (body["status"], body["price"]) == ("unavailable", 0), method.name
        assert (await service.get("/sandbox/bill")).json()["total"] == 0


async def test_old_store_date_and_old_data_set_are_the_given_ones(client):
    texts = ("company=stored:2021-02-03 04:05:06", "tax_debts=old_data_set", "msp=old_data_set:01012019")
    async with client(faults=FaultPlan(state=tuple(map(parse_choice, texts)))) as service:
        body = (await service.get(FULL)).json()
    assert body["company"]["_local_fetched_at"] == "2021-02-03 04:05:06"
    assert "company" in body["_meta"]["restored_from_local"]
    assert (body["tax_debts_bulk"]["snapshot_date"], body["rsmp_bulk"]["snapshot_date"]) == ("20200110", "01012019")


async def test_stored_record_has_no_mark_of_the_local_store(client):
    choice = parse_choice("company=stored_record:2021-02-03 04:05:06")
    async with client(faults=FaultPlan(state=(choice,))) as service:
        body = (await service.get(FULL)).json()
    assert body["company"]["_source_local"]
    assert body["company"]["_source_fetched_at"] == "2021-02-03 04:05:06"
    assert not {"_from_local", "_local_fetched_at"} & set(body["company"])
    assert "company" not in body["_meta"]["restored_from_local"]


def test_fault_file_has_states():
    table = {"state": [{"inn": INN, "block": "fssp", "state": "sources_failed_empty"}]}
    assert fault_plan(table).state == (StateChoice("fssp", "sources_failed_empty", INN),)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"block": "fsp", "state": "clean"}, "fssp, arbitration"),
        ({"block": "fssp", "state": "cleen"}, "clean, confirmed_empty"),
        ({"block": "fssp", "state": "clean:word"}, "confirmed_empty"),
        ({"block": "*", "state": "cleen"}, "sources_failed"),
        ({"block": "fssp", "state": "clean", "inn": "7707083890"}, "7707083890"),
        ({"block": "fssp", "state": "clean", "method": "bailiffs"}, "bailiffs"),
        ({"block": "fssp", "state": "clean", "nth": 2}, "nth"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(choice, words):
    with pytest.raises(SettingsError, match=words.replace("*", r"\*")):
        fault_plan({"state": [choice]}, "plan.toml")


@pytest.mark.long
def test_run_shows_the_state_that_was_chosen(make_cli, start_sandbox, tmp_path):
    portfolio = tmp_path / "two.csv"
    portfolio.write_text(f"inn\n{INN}\n{OTHER}\n")
    service = start_sandbox("--unknown-inn", INN, "--state", f"{OTHER}:fssp=sources_failed_empty",
                            "--state", f"{OTHER}:freezes=list_full")  # fmt: skip
    cli: Cli = make_cli(service.url)
    assert cli.run(portfolio, "--no-repair").code == 0
    listed = f"SELECT block, state, reason FROM mart.coverage WHERE inn = '{OTHER}' AND block IN ('fssp', 'freezes')"
    assert sorted(cli.sql(listed)) == [
        ("freezes", "partial", "list_full"),
        ("fssp", "unconfirmed", "sources_failed"),
    ]
    states = cli.sql(f"SELECT DISTINCT state FROM lineage.snapshots WHERE inn = '{INN}' AND method = 'full-check'")
    assert states == [("clean",)]
