"""The score: sums of weights, what of it is confirmed, and when nothing can be said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from innspect.sandbox.options import DEFAULT_DAY
from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import mart_comments
from innspect.warehouse.risk.policy_sql import RULES
from tests.marts.bodies import (
    KEYS,
    PLAIN,
    START,
    add_members,
    all_blocks,
    blocks,
    full_check_response,
    load,
    rows,
    single_row,
)
from tests.support.builders import Response, full_check_body, lose_call, sandbox_responses

COMPANY, OTHER, PERSON = "7707083893", "7736050003", "770000000017"
POLICY = load_policies(None).default
REQUIRED = list(POLICY.required.company)


def most(*signals: str, digits: int = 10) -> int:
    """The score if these signals were present, or all of companies."""
    groups: dict[str, int] = {}
    for rule in RULES:
        policy = POLICY.rules[rule.signal]
        if digits in rule.digits and (not signals or rule.signal in signals):
            group = policy.group or rule.signal
            groups[group] = max(groups.get(group, 0), policy.weight)
    return sum(groups.values())


SCORE = "FROM mart.risk_score WHERE inn = ?"
UNKNOWN = "SELECT signal FROM mart.risk_signals WHERE inn = ? AND state IN ('unknown', 'never requested')"
SIGNAL = "FROM mart.risk_signals WHERE inn = ? AND signal = ?"
LOST = {"completion_reason": "no_assets", "is_active": False, "exe_production": "1"}


def test_score_is_the_sum_of_its_reasons(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks(company={"illegal_finance": True}, freezes={"found": True, "count": 1,
        "items": [{"decision_num": "1", "decision_date": "01.10.2026", "bik": "044525225"}]})))  # fmt: skip
    unknown = [row[0] for row in rows(warehouse, UNKNOWN, COMPANY)]
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["score"], row["score_confirmed"], row["level"]) == (65, 65, "critical")
    assert row["reasons"] == ["Accounts suspended", "Flag under the anti-money-laundering law"]
    assert row["reasons_ru"] == ["Блокировка счетов", "Признак по закону 115-ФЗ"]
    assert sorted(row["unknown_signals"]) == sorted(unknown)
    assert {"no_revenue", "negative_equity", "bankruptcy_message", "director_changed"} < set(unknown)
    assert row["score_at_most"] == 65 + most(*unknown)
    assert (row["level_known"], row["level_at_most"], row["unknown_blocks"]) == ("critical", "critical", [])
    assert (row["present"], row["unknown"], row["not_offered"]) == (2, len(unknown) - row["never_requested"], 0)


def test_one_fact_counts_once(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks(
        company={"mass_address": True, "status": "bankruptcy"}, risk_flags={"mass_address": True},
        bankruptcy={"has_bankruptcy": False, "has_intention": True})))  # fmt: skip
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["score"], row["present"]) == (10 + 40, 4)


def test_missing_evidence_removes_the_confirmation_but_not_the_score(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks(company={"illegal_finance": True, "invalid_data": True})))
    load(warehouse, full_check_response(COMPANY, {}), start=5)
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["score"], row["score_confirmed"], row["level"]) == (45, 0, "high")
    assert row["score_at_most"] == most()
    assert (row["present"], row["absent"]) == (2, 0)
    assert row["known_part"] == "none"
    assert row["unknown_blocks"] == REQUIRED


def test_score_and_profile_name_times_alike(warehouse: Warehouse) -> None:
    later = START + timedelta(hours=5)
    load(warehouse, full_check_response(COMPANY, all_blocks(), at=START))
    load(warehouse, full_check_response(COMPANY, {"fssp": PLAIN["fssp"]}, at=later))
    times = "SELECT newest_checked_at, oldest_checked_at FROM mart.company_profile"
    assert rows(warehouse, times) == [(later, START)]
    assert rows(warehouse, "SELECT oldest_checked_at FROM mart.risk_score") == [(START,)]
    for mart in ("company_profile", "risk_score"):
        assert "checked_at" not in mart_comments()[mart][1], "of several blocks a time says which it is"


def test_level_is_unknown_without_evidence(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["score"], row["level"], row["level_known"], row["level_at_most"]) == (0, "unknown", "low", "critical")
    assert (row["score_at_most"], row["reasons"], row["unknown_blocks"]) == (most(), [], REQUIRED)
    assert row["oldest_checked_at"] is None
    assert row["never_requested"] == len(row["unknown_signals"])
    assert row["never_requested_blocks"] == row["unknown_blocks"] != []
    assert row["known_part"] == "none"


def test_part_that_is_known_beside_the_unknown_blocks(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, {}))
    assert single_row(warehouse, SCORE, COMPANY)["known_part"] == "none"
    content = {key: value for key, value in all_blocks().items() if key != KEYS["fssp"]}
    load(warehouse, full_check_response(COMPANY, content), start=5)
    row = single_row(warehouse, SCORE, COMPANY)
    block_of = {rule.signal: rule.block for rule in RULES}
    assert {block_of[signal] for signal in row["unknown_signals"]} > {"fssp"} == set(row["unknown_blocks"])
    assert row["known_part"] == "some"
    profile = single_row(warehouse, "FROM mart.company_profile WHERE inn = ?", COMPANY)
    assert profile["known_part"] == "some"


def test_all_is_known_beside_the_unknown_blocks(warehouse: Warehouse) -> None:
    inns = ["2360359350", "5040327731", COMPANY]
    load(warehouse, *sandbox_responses(inns, DEFAULT_DAY))
    block_of = {rule.signal: rule.block for rule in RULES}
    part = {}
    for inn in inns:
        row = single_row(warehouse, SCORE, inn)
        has_more = {block_of[signal] for signal in row["unknown_signals"]} - set(row["unknown_blocks"])
        assert row["known_part"] == ("some" if has_more else "all"), inn
        part[inn] = row["known_part"]
    assert part == {"2360359350": "all", "5040327731": "all", COMPANY: "some"}


@pytest.mark.parametrize(
    ("block", "content"),
    [
        ("bankruptcy", {"has_bankruptcy": None, "has_intention": False}),
        ("company", {"name": "ООО", "status": "suspended"}),
    ],
)
def test_an_answer_that_leaves_open_what_alone_is_critical_is_none(
    warehouse: Warehouse, block: str, content: dict
) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks(**{block: content})))
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["level"], row["level_known"], row["unknown_blocks"]) == ("unknown", "low", [block])


@pytest.mark.parametrize("block", REQUIRED)
def test_a_silent_required_block_makes_the_level_unknown(warehouse: Warehouse, block: str) -> None:
    content = {key: value for key, value in all_blocks().items() if key != KEYS[block]}
    load(warehouse, full_check_response(COMPANY, content))
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["level"], row["level_known"], row["unknown_blocks"]) == ("unknown", "low", [block])
    assert row["never_requested_blocks"] == []


def test_stale_evidence_is_unknown(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks(), at=START - timedelta(days=8)))
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["level"], row["unknown_blocks"], row["stale_blocks"]) == ("unknown", ["freezes"], ["freezes"])


def test_block_of_the_services_store_without_a_date_is_stale(warehouse: Warehouse) -> None:
    """A list, or an empty block, has no place for the date of its collection."""
    content = {**all_blocks(), "timeline": [], "rnp": {}}
    restored = ["rnp", "timeline"]
    collected = int(START.replace(tzinfo=UTC).timestamp())
    body = full_check_body(content, ["rnp"], inn=COMPANY, fetched_at=collected, restored_from_local=restored)
    add_members(warehouse, COMPANY)
    load(warehouse, Response(FULL_CHECK, body, COMPANY))
    score = single_row(warehouse, SCORE, COMPANY)
    assert (score["level"], score["stale_blocks"]) == ("unknown", restored)
    assert score["unknown_since"] == [None for _ in score["unknown_blocks"]] != []
    for block, signal in {"rnp": "rnp_active", "timeline": "bankruptcy_event"}.items():
        row = single_row(warehouse, SIGNAL, COMPANY, signal)
        assert (row["state"], row["reason"], row["collected_at"]) == ("unknown", "stale", None)
        shown = "SELECT state, stale, age_days, collected_at FROM mart.coverage WHERE inn = ? AND block = ?"
        assert rows(warehouse, shown, COMPANY, block) == [("clean", True, None, None)]


def test_an_old_data_set_is_stale(warehouse: Warehouse) -> None:
    day = f"{START - timedelta(days=500):%Y%m%d}"
    load(warehouse, full_check_response(COMPANY, all_blocks(tax_debts={"snapshot_date": day})))
    row = single_row(warehouse, SIGNAL, COMPANY, "tax_debt")
    assert (row["state"], row["reason"], row["source_date"]) == (
        "unknown",
        "stale",
        (START - timedelta(days=500)).date(),
    )


def test_the_card_replaces_a_mass_check_that_did_not_run(warehouse: Warehouse) -> None:
    unchecked = {"mass_check_unavailable": True}
    load(warehouse, full_check_response(COMPANY, all_blocks(risk_flags=unchecked)))
    assert single_row(warehouse, SCORE, COMPANY)["unknown_blocks"] == []
    load(
        warehouse, full_check_response(OTHER, all_blocks(risk_flags=unchecked, company={"disqualified_persons": None}))
    )
    assert single_row(warehouse, SCORE, OTHER)["unknown_blocks"] == ["risk_flags"]


@pytest.mark.parametrize(
    ("content", "score", "level"),
    [
        (all_blocks(), 0, "low"),
        (all_blocks(inspections={"total": 1, "with_violations": 1, "inspections": [{"number": "1"}]}), 5, "low"),
        (all_blocks(company={"mass_director": True, "mass_founder": True}), 10, "medium"),
        (all_blocks(company={"illegal_finance": True}, leasing={"total_contracts": 1, "contracts": [{}]}), 26, "medium"),
        (all_blocks(company={"sanctions": True}), 30, "high"),
        (all_blocks(company={"status": "liquidating"}, risk_flags={"mass_address": True}, rnp={"historic": 1, "total": 1,
               "records": [{"reg_number": "1", "status": "Исключено"}]}), 55, "high"),
        (all_blocks(company={"liquidation_date": "2025-01-02"}), 60, "critical"),
        (blocks(company={}), 0, "unknown"),
        (blocks(company={"mass_director": True, "mass_founder": True}), 10, "unknown"),
    ],
)  # fmt: skip
def test_levels(warehouse: Warehouse, content: dict, score: int, level: str) -> None:
    load(warehouse, full_check_response(COMPANY, content))
    row = single_row(warehouse, SCORE, COMPANY)
    assert (row["score"], row["level"]) == (score, level)


def test_partial_response_confirms_presence_but_not_absence(warehouse: Warehouse) -> None:
    partial = {"total_proceedings": 1, "proceedings": [LOST], "completed_no_assets": 1, "sources_failed": ["x"]}
    load(warehouse, full_check_response(COMPANY, blocks(fssp=partial)))
    found = single_row(warehouse, SIGNAL, COMPANY, "enforcement_no_assets")
    assert (found["state"], found["confirmed"]) == ("present", True)
    quiet = single_row(warehouse, SIGNAL, COMPANY, "enforcement_active")
    assert (quiet["state"], quiet["confirmed"]) == ("unknown", False)
    assert quiet["reason"].startswith("partial: sources_failed")


def test_values_kept_by_a_partial_response_are_not_confirmed(warehouse: Warehouse) -> None:
    going = {"exe_production": "2", "is_active": True, "sum": 5}
    load(
        warehouse,
        full_check_response(
            COMPANY, blocks(fssp={"total_proceedings": 1, "completed_no_assets": 1, "proceedings": [LOST]})
        ),
    )
    partial = {"total_proceedings": 1, "active_proceedings": 1, "active_debt_rub": 5, "proceedings": [going]}
    load(warehouse, full_check_response(COMPANY, blocks(fssp={**partial, "sources_failed": ["x"]})), start=5)
    old = single_row(warehouse, SIGNAL, COMPANY, "enforcement_no_assets")
    assert (old["state"], old["confirmed"], old["reason"]) == ("present", False, "partial: sources_failed")
    new = single_row(warehouse, SIGNAL, COMPANY, "enforcement_active")
    assert (new["state"], new["confirmed"]) == ("present", True)


def test_evidence_over_an_incomplete_list_says_so(warehouse: Warehouse) -> None:
    """Without the remark, `cases: 2` of a partial list reads as the number of all cases."""
    counts = {"total_proceedings": 1, "active_proceedings": 1, "active_debt_rub": 5_000_000}
    going = {**counts, "proceedings": [{"exe_production": "2", "is_active": True, "sum": 5_000_000}]}
    card = {"invalid_data": True, "sources_failed": ["x"]}

    def evidence_of(number: int, fssp: dict[str, Any], *signals: str) -> list[str]:
        load(warehouse, full_check_response(COMPANY, blocks(company=card, fssp=fssp), at=START + timedelta(number)))
        refresh_risk(warehouse)
        return [single_row(warehouse, SIGNAL, COMPANY, signal)["evidence"] for signal in signals]

    partial = evidence_of(0, {**going, "sources_failed": ["x"]}, "enforcement_active", "enforcement_large")
    whole = evidence_of(1, going, "enforcement_active", "enforcement_large")
    assert whole == ["proceedings: 1, 5 000 000.00 RUB", "5 000 000.00 RUB"]
    assert partial == [f"{text} (the list is incomplete)" for text in whole]
    assert evidence_of(2, {**going, "sources_failed": ["x"]}, "enforcement_active") == partial[:1]


def test_unchecked_flags_are_not_confirmed(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(risk_flags={"mass_director": True})))
    load(
        warehouse,
        full_check_response(COMPANY, blocks(risk_flags={"mass_director": False, "mass_check_unavailable": True})),
        start=5,
    )
    kept = single_row(warehouse, SIGNAL, COMPANY, "mass_director")
    assert (kept["state"], kept["confirmed"], kept["reason"]) == ("present", False, "partial: mass_check_unavailable")
    for signal in ("mass_founder", "mass_address", "disqualified_persons"):
        row = single_row(warehouse, SIGNAL, COMPANY, signal)
        assert (row["state"], row["confirmed"]) == ("unknown", False)


@pytest.mark.long
def test_since_is_the_start_of_the_uninterrupted_signal(warehouse: Warehouse) -> None:
    def card(hour: int, **cells: object) -> None:
        load(
            warehouse,
            full_check_response(COMPANY, blocks(company=cells), at=START + timedelta(hours=hour), name=f"a{hour}"),
        )

    def since() -> object:
        return single_row(warehouse, SIGNAL, COMPANY, "card_mass_director")["since"]

    card(1, mass_director=True, address="а, 1")
    card(2, mass_director=True, address="а, 2")
    assert since() == START + timedelta(hours=1)
    card(3, mass_director=False, address="а, 3")
    assert since() is None
    card(4, mass_director=True, address="а, 4")
    card(5, mass_director=True, address="а, 5")
    assert since() == START + timedelta(hours=4)


def test_call_without_response_makes_signals_not_confirmed(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(rnp={})))
    later = datetime.now() + timedelta(days=1)
    lose_call(warehouse, COMPANY, "rnp", later)
    row = single_row(warehouse, SIGNAL, COMPANY, "rnp_active")
    assert (row["state"], row["confirmed"], row["reason"]) == ("unknown", False, "failed: unknown")
    assert row["snapshot_id"] is None


def test_score_has_one_row_per_inn_and_sole_proprietors_fewer_blocks(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY, PERSON)
    add_members(warehouse, COMPANY, portfolio="q")
    load(warehouse, Response("person-brief", {"ogrn": "304770000000010", "name": "ИП", "status": "active"}, PERSON),
        full_check_response(OTHER, {}))  # fmt: skip
    assert rows(warehouse, "SELECT inn FROM mart.risk_score ORDER BY inn") == [(PERSON,), (COMPANY,), (OTHER,)]
    row = single_row(warehouse, SCORE, PERSON)
    told = [row[name] for name in ("present", "absent", "unknown", "never_requested", "not_offered")]
    assert sum(told) == sum(12 in rule.digits for rule in RULES)
    assert row["not_offered"] > 0
