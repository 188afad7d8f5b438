"""An edit of the policy changes what it names and nothing else; scores and levels are those of the design."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.schemas.risk_policy.policy_model import Policies, Policy
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import mart_queries, queries_without_findings
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE
from innspect.warehouse.risk.policy_store import try_policies
from tests.marts.bodies import START, add_members, all_blocks, full_check_response, load
from tests.support.builders import Response

COMPANIES = sample_inns(25, 31)
PERSONS = sample_inns(4, 32, persons=1.0)
NEVER = sample_inns(1, 33)
PERSON_METHODS = ("person-brief", "person-fssp", "person-arbitration", "person-bankruptcy")
SHIPPED = built_in_file().read_text("utf-8")
COUNTED = ("present", "unknown", "never requested")
LEVELS = ("critical", "high", "medium", "low")
UNCOMPARED = ("age_days", "policy_version", "assessed_at")
"""Columns that differ between two queries, or with every policy."""

Rows = Mapping[Any, Mapping[str, Any]]


@pytest.fixture(scope="module")
def checked(opening) -> Warehouse:
    """Companies and persons of the sandbox, some with a tag, and one that was never requested."""
    warehouse = opening()
    bodies = ResponseCache(0, START.toordinal(), 1 << 20)
    asked = [(inn, "full-check") for inn in COMPANIES]
    asked += [(inn, method) for inn in PERSONS for method in PERSON_METHODS]
    load(warehouse, *(Response(method, bodies.body(inn, method).payload, inn) for inn, method in asked))
    add_members(warehouse, *COMPANIES[:12], tags="key; big")
    add_members(warehouse, *COMPANIES[12:], *PERSONS, *NEVER)
    return warehouse


@pytest.fixture
def judge(checked, tmp_path: Path):
    """Signals by (INN, signal) and scores by INN under the shipped policy with an addition, and the policies."""

    def judge(addition: str = "", *replacements: tuple[str, str]) -> tuple[Rows, Rows, Policies]:
        text = SHIPPED + addition
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        path = tmp_path / "risk.toml"
        path.write_text(text, encoding="utf-8")
        policies = load_policies(path)
        with try_policies(checked.connection, policies) as table:
            signals, scores = (
                checked.query(queries_without_findings()[mart].replace(POLICIES_TABLE, table))
                for mart in ("risk_signals", "risk_score")
            )
        by_signal = {(row["inn"], row["signal"]): row for row in signals.iter_rows(named=True)}
        return by_signal, {row["inn"]: row for row in scores.iter_rows(named=True)}, policies

    return judge


def rule(signal: str, *lines: str, without: tuple[str, ...] = ()) -> tuple[str, str]:
    """The replacement of a rule's table by one with other lines of the same keys, or with further ones."""
    table = f"[rules.{signal}]\n"
    body = SHIPPED.partition(table)[2].partition("\n\n")[0]
    keys = {line.partition(" = ")[0] for line in lines} | set(without)
    kept = [line for line in body.splitlines() if line.partition(" = ")[0] not in keys]
    return table + body, table + "\n".join((*kept, *lines))


def differences(before: Rows, after: Rows) -> Iterator[tuple[Any, str]]:
    """Key and column of every cell that differs; `row` for a row that only one of them has."""
    for key in {**before, **after}:
        if key not in before or key not in after:
            yield key, "row"
            continue
        for column, value in before[key].items():
            if column not in UNCOMPARED and after[key][column] != value:
                yield key, column


def level_of(score: int, policy: Policy, *, stopped: bool) -> str:
    limits = policy.thresholds
    if stopped or score >= limits.critical:
        return "critical"
    return "high" if score >= limits.high else "medium" if score >= limits.medium else "low"


def assert_scores(signals: Rows, scores: Rows, policies: Policies) -> None:
    """Assert that the scores follow from the signals as docs/risk.md says."""
    for inn, found in scores.items():
        policy = policies.get(found["policy"])
        assert policy is not None
        assert found["policy_version"] == policy.version
        sums = {}
        for name, states in (("score", COUNTED[:1]), ("score_confirmed", COUNTED[:1]), ("score_at_most", COUNTED)):
            groups: dict[str, int] = {}
            for (owner, signal), row in signals.items():
                if owner == inn and row["state"] in states and (name != "score_confirmed" or row["confirmed"]):
                    group = policy.rules[signal].group or signal
                    groups[group] = max(groups.get(group, 0), policy.rules[signal].weight)
                    assert (row["weight"], row["group"]) == (policy.rules[signal].weight, group)
            sums[name] = sum(groups.values())
        assert {name: found[name] for name in sums} == sums, inn
        stops = {row["state"] for (owner, signal), row in signals.items() if owner == inn and policy.rules[signal].stop}
        known = level_of(sums["score"], policy, stopped="present" in stops)
        at_most = level_of(sums["score_at_most"], policy, stopped=bool(stops & set(COUNTED)))
        assert (found["level_known"], found["level_at_most"]) == (known, at_most), inn
        shown = known if known in LEVELS[:2] or not found["unknown_blocks"] else "unknown"
        assert found["level"] == shown, inn


@pytest.fixture(scope="module")
def shipped(checked):
    queries = mart_queries()
    signals, scores = (checked.query(queries[mart]) for mart in ("risk_signals", "risk_score"))
    by_signal = {(row["inn"], row["signal"]): row for row in signals.iter_rows(named=True)}
    return by_signal, {row["inn"]: row for row in scores.iter_rows(named=True)}, load_policies(None)


def test_scores_of_the_shipped_policy(shipped):
    assert_scores(*shipped)
    assert set(LEVELS[:2]) < {row["level"] for row in shipped[1].values()}


def test_one_rule_per_row_of_mart_risk_rules(checked, shipped):
    rules = {row["signal"]: row for row in checked.query("FROM mart.risk_rules").iter_rows(named=True)}
    default = shipped[2].default
    assert rules.keys() == default.rules.keys()
    for signal, row in rules.items():
        expected = default.rules[signal]
        assert (row["policy"], row["policy_version"]) == ("default", default.version)
        assert (row["title"], row["title_ru"], row["weight"], row["severity"], row["stop"], row["substitute"]) == (
            expected.title, expected.title_ru, expected.weight, expected.severity, expected.stop, expected.substitute,
        )  # fmt: skip


def present(signals: Rows, least: int = 2) -> list[str]:
    """Signals that several INNs have and others have not, by name."""
    counts: dict[str, int] = {}
    for (_, signal), row in signals.items():
        counts[signal] = counts.get(signal, 0) + (row["state"] == "present")
    return sorted(signal for signal, count in counts.items() if least <= count < len(COMPANIES) - 2)


@pytest.mark.long
def test_a_weight_changes_its_signal_alone(shipped, judge):
    for signal in present(shipped[0])[:3]:
        edited = judge("", rule(signal, "weight = 37"))
        assert_scores(*edited)
        assert {(key[1], column) for key, column in differences(shipped[0], edited[0])} == {(signal, "weight")}
        affected = {key[0] for key, row in edited[0].items() if key[1] == signal and row["state"] in COUNTED}
        assert {inn for inn, column in differences(shipped[1], edited[1]) if column != "reasons"} <= affected


def test_a_severity_changes_no_score(shipped, judge):
    signal = present(shipped[0])[0]
    old = shipped[2].default.rules[signal].severity
    edited = judge("", rule(signal, f'severity = "{"info" if old != "info" else "alert"}"'))
    assert {(key[1], column) for key, column in differences(shipped[0], edited[0])} == {(signal, "severity")}
    assert list(differences(shipped[1], edited[1])) == []


def test_a_limit_changes_its_signal_alone(shipped, judge):
    edited = judge("", rule("young", "limits.days = 36500"), rule("tiny_capital", "limits.amount_rub = 1000000000"))
    assert_scores(*edited)
    found = list(differences(shipped[0], edited[0]))
    assert {key[1] for key, _ in found} == {"young", "tiny_capital"}
    assert sum(column == "state" for _, column in found) > len(COMPANIES) / 2


def test_a_disabled_rule_counts_nowhere(shipped, judge):
    signals = present(shipped[0])[:2]
    edited = judge("", *(rule(signal, "enabled = false") for signal in signals))
    assert_scores(*edited)
    found = set(differences(shipped[0], edited[0]))
    assert {column for _, column in found} == {"row"}
    assert {key[1] for key, _ in found} == set(signals)
    titles = {shipped[2].default.rules[signal].title for signal in signals}
    assert not any(titles & set(row["reasons"]) for row in edited[1].values())


def test_a_group_counts_once(shipped, judge):
    first, second = next(
        (a, b)
        for a in present(shipped[0])
        for b in present(shipped[0])
        if a < b
        and not shipped[2].default.rules[a].group
        and not shipped[2].default.rules[b].group
        and any(
            shipped[0][inn, a]["state"] == shipped[0][inn, b]["state"] == "present"
            for inn in COMPANIES
            if (inn, a) in shipped[0] and (inn, b) in shipped[0]
        )
    )
    edited = judge("", *(rule(signal, 'group = "together"') for signal in (first, second)))
    assert_scores(*edited)
    found = {(key[1], column) for key, column in differences(shipped[0], edited[0])}
    assert found == {(first, "group"), (second, "group")}
    assert any(edited[1][inn]["score"] < shipped[1][inn]["score"] for inn in COMPANIES)


def test_a_stop_factor_decides_alone(shipped, judge):
    signal = present(shipped[0])[0]
    edited = judge("", rule(signal, "stop = true"))
    assert_scores(*edited)
    assert list(differences(shipped[0], edited[0])) == []
    for (inn, name), row in edited[0].items():
        if name == signal and row["state"] == "present":
            assert edited[1][inn]["level"] == "critical"
        if name == signal and row["state"] in COUNTED:
            assert edited[1][inn]["level_at_most"] == "critical"


def test_a_stop_factor_that_an_answer_leaves_open_makes_its_required_block_unknown(warehouse, tmp_path):
    inn, other = COMPANIES[:2]
    card = all_blocks(company={"illegal_finance": None})
    load(warehouse, full_check_response(inn, card), full_check_response(other, all_blocks()))
    expected = {"": ("low", []), "stop = true": ("unknown", ["company"])}
    for line, of_inn in expected.items():
        file = tmp_path / "risk.toml"
        file.write_text(SHIPPED.replace(*rule("illegal_finance", *([line] if line else []))), encoding="utf-8")
        with try_policies(warehouse.connection, load_policies(file)) as table:
            scores = warehouse.query(queries_without_findings()["risk_score"].replace(POLICIES_TABLE, table))
        levels = {row["inn"]: (row["level"], row["unknown_blocks"]) for row in scores.iter_rows(named=True)}
        assert levels == {inn: of_inn, other: ("low", [])}, line


def test_thresholds_change_levels_alone(shipped, judge):
    edited = judge("", ("critical = 60", "critical = 200"), ("high = 30", "high = 100"), ("medium = 10", "medium = 50"))
    assert_scores(*edited)
    assert list(differences(shipped[0], edited[0])) == []
    changed = {column for _, column in differences(shipped[1], edited[1])}
    # Whether a partial answer hides a rule that alone reaches high depends on the threshold.
    assert (
        {"level_known", "level"}
        <= changed
        <= {"level_known", "level", "level_at_most", "unknown_blocks", "unknown_since"}
    )


def test_required_blocks_decide_only_what_is_unknown(shipped, judge):
    company = '["company", "bankruptcy", "sanctions", "freezes", "rnp", "fssp", "arbitration", "risk_flags"]'
    edited = judge("", (f"company = {company}", "company = []"), ("person = [", 'person = ["sanctions", '))
    assert_scores(*edited)
    assert list(differences(shipped[0], edited[0])) == []
    assert {column for _, column in differences(shipped[1], edited[1])} <= {
        *("level", "unknown_blocks", "unknown_since", "never_requested_blocks")
    }
    assert {tuple(edited[1][inn]["unknown_blocks"]) for inn in (*COMPANIES, *NEVER)} == {()}


def test_an_age_limit_makes_its_block_stale(shipped, judge):
    edited = judge("", ("freezes = 7", "freezes = 0.01"))
    assert_scores(*edited)
    assert {edited[0][key]["block"] for key, _ in differences(shipped[0], edited[0])} <= {"freezes"}
    states = {edited[0][inn, "account_freeze"]["state"] for inn in COMPANIES}
    assert "absent" not in states
    assert all("freezes" in edited[1][inn]["unknown_blocks"] for inn in COMPANIES)


def test_a_named_policy_judges_its_members_alone(shipped, judge):
    text = '[policies.key]\ntags = ["KEY"]\nthresholds = {critical = 3, high = 2, medium = 1}\nage_days.fssp = 0.01\n'
    edited = judge(f"{text}rules.leasing.weight = 50\nrules.loss.enabled = false\n")
    assert_scores(*edited)
    assert {inn for inn, row in edited[1].items() if row["policy"] == "key"} == set(COMPANIES[:12])
    signals = list(differences(shipped[0], edited[0]))
    assert {inn for (inn, signal), _ in signals if signal != "linked_to_high_risk"} == set(COMPANIES[:12])
    # A member that shares a director or founder with one of them may be judged otherwise too.
    linked = {inn for (inn, signal), _ in signals if signal == "linked_to_high_risk"}
    assert {inn for inn, _ in differences(shipped[1], edited[1])} <= linked | set(COMPANIES[:12])


@pytest.mark.long
def test_of_several_policies_the_first_judges(judge):
    key = '[policies.key]\ntags = ["key"]\n'
    everyone = '[policies.everyone]\nportfolios = ["p"]\n'
    for text, names in ((key + everyone, ("key", "everyone")), (everyone + key, ("everyone", "everyone"))):
        _, scores, _ = judge(text)
        assert scores[COMPANIES[0]]["policy"] == names[0]
        assert scores[PERSONS[0]]["policy"] == names[1]
