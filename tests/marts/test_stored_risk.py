"""The stored risk equals a judgement from nothing, whatever was loaded, and on whatever day it is read."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from random import Random

import polars as pl
import pytest

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.schemas.states import CallState, MemberEntry
from innspect.warehouse.assessments import assess_runs as runs_module
from innspect.warehouse.assessments import judge_inns, part_inputs, store_risk
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.assessments.assessed_inns import AssessedRun
from innspect.warehouse.assessments.store_risk import CHECKED, find_outdated, refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import LOADS_TABLE
from innspect.warehouse.load.records import load_records
from innspect.warehouse.risk.policy_store import store_policies
from innspect.warehouse.risk.signals import NOW
from innspect.warehouse.risk.stored_risk import CHECKS_TABLE, RISK_NEWS_TABLE, SCORES_TABLE
from tests.marts.bodies import START, all_blocks, full_check_response, load, rows
from tests.support.builders import lose_call, sandbox_responses
from tests.support.stored_risk import wrong_risk

INNS = ("7707083893", "7736050003", "7704407589", "7710140679")
HIGH = {"company": {"illegal_finance": True, "invalid_data": True}}
SHARED = {"directors": [{"name": "ИВАНОВ ИВАН", "inn": "500100732259"}]}
FREEZE = {"freezes": {"found": True, "count": 1, "items": [{"decision_num": "1", "decision_date": "01.10.2026"}]}}
OTHER_DIRECTOR = {"directors": [{"name": "ПЕТРОВ ПЁТР", "inn": "504404744801"}]}


class Course:
    """A warehouse that a random course of events changes; `number` counts the responses."""

    def __init__(self, warehouse: Warehouse, seed: int, tmp_path) -> None:
        self.warehouse, self.chance, self.number, self.folder = warehouse, Random(seed), 0, tmp_path

    def check(self, *, late: bool = False) -> None:
        """One full check of some INN, by a run of its own; `late`: requested before all others."""
        self.number += 1
        inn = self.chance.choice(INNS)
        card = {**self.chance.choice([{}, HIGH["company"]]), **self.chance.choice([SHARED, SHARED, OTHER_DIRECTOR, {}])}
        content = all_blocks(company=card, **self.chance.choice([{}, FREEZE]))
        for key in self.chance.sample(sorted(content), self.chance.choice([0, 0, 1, 5])):
            del content[key]
        at = START + timedelta(minutes=-self.number if late else self.number)
        response = full_check_response(inn, content, at=at, name=f"{self.number}-{inn}")
        load(self.warehouse, replace(response, run_id=f"run-{self.number}"))

    def check_late(self) -> None:
        self.check(late=True)

    def assess(self) -> None:
        self.warehouse.run_in_transaction(lambda: assess_runs(self.warehouse))

    def refresh(self) -> None:
        refresh_risk(self.warehouse)

    def join(self) -> None:
        inn, portfolio = self.chance.choice(INNS), f"p{self.number}"
        self.warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES ($portfolio, $inn, NULL, NULL, $tag, NULL, $at, $at, NULL)",
            {"inn": inn, "portfolio": portfolio, "tag": self.chance.choice(["", "key"]), "at": START},
        )

    def leave(self) -> None:
        self.warehouse.connection.execute(
            "UPDATE lineage.portfolio_members SET left_at = $at WHERE portfolio = "
            "(SELECT max(portfolio) FROM lineage.portfolio_members WHERE inn = $inn AND left_at IS NULL)",
            {"at": START, "inn": self.chance.choice(INNS)},
        )

    def lose_call(self) -> None:
        self.number += 1
        inn, at = self.chance.choice(INNS), START + timedelta(minutes=self.number)
        lose_call(self.warehouse, inn, "full-check", at, call_id=f"call-{self.number}")

    def edit_policy(self) -> None:
        path = self.folder / "risk.toml"
        text = built_in_file().read_text("utf-8")
        path.write_text(text.replace("high = 30", f"high = {self.chance.choice([20, 25, 30, 40])}", 1), "utf-8")
        with self.warehouse.transaction() as connection:
            store_policies(connection, load_policies(path))

    def wait(self) -> None:
        """Read and judge up to some months later from now on."""
        self.warehouse.connection.execute(
            f"SET VARIABLE assessed_at = TIMESTAMP '{START + timedelta(days=self.chance.choice([2, 20, 120]))}'"
        )


def check_news(warehouse: Warehouse) -> None:
    """The INNs that are found by their news and dates are those that a check of all INNs finds."""
    moment = rows(warehouse, f"SELECT {NOW}")[0][0]
    run = AssessedRun("", moment, is_now=True)
    with suppress(Undo), warehouse.transaction() as connection:
        found = find_outdated(warehouse, run)
        connection.execute(f"DELETE FROM {CHECKS_TABLE}")
        assert found == find_outdated(warehouse, run)
        raise Undo


def check_one_inn(warehouse: Warehouse, inn: str) -> None:
    """An INN has the same risk where no other is judged while it is read."""
    marts = ("risk_signals", "risk_score", "company_profile")
    # Without what passes from one query to the next.
    shown = "COLUMNS(lambda name: name NOT IN ('age_days', 'age_years', 'assessed_at'))"
    for query in (f"SELECT {shown} FROM mart.{mart} WHERE inn = '{inn}' ORDER BY ALL" for mart in marts):
        judged = rows(warehouse, query)
        with warehouse.judge_only(inn):
            assert rows(warehouse, query) == judged


class Undo(Exception):
    """It ends a transaction without effect."""


STEPS: tuple[Callable[[Course], None], ...] = (
    Course.check, Course.check, Course.check, Course.check_late, Course.assess, Course.refresh, Course.refresh, Course.join,
    Course.leave, Course.lose_call, Course.edit_policy, Course.wait,
)  # fmt: skip


def follow(course: Course, steps: int) -> None:
    taken: list[str] = []
    for _ in range(steps):
        step = course.chance.choice(STEPS)
        taken.append(step.__name__)
        step(course)
        assert wrong_risk(course.warehouse) == [], taken
        check_news(course.warehouse)
        check_one_inn(course.warehouse, course.chance.choice(INNS))


@pytest.mark.long
def test_marts_equal_a_judgement_from_nothing_after_every_step(warehouse, tmp_path):
    follow(Course(warehouse, 1, tmp_path), 12)


@pytest.mark.vast
@pytest.mark.parametrize("seed", [100, 101])
def test_marts_equal_a_judgement_from_nothing_over_long_courses(warehouse, tmp_path, seed):
    follow(Course(warehouse, seed, tmp_path), 25)


@pytest.mark.long
def test_content_that_comes_back_between_two_judgements(warehouse):
    """The latest response is as it was; that another one came between them is known all the same."""
    plain, flagged = all_blocks(), all_blocks(**HIGH)
    for number, content in enumerate((plain, flagged, plain)):
        at = START + timedelta(hours=number)
        load(warehouse, full_check_response(INNS[0], content, at=at, name=str(number)))
        if number == 0:
            refresh_risk(warehouse)
    assert wrong_risk(warehouse) == []


def test_unchanged_recheck_keeps_the_stored_risk(warehouse):
    """Only what moves with each request differs: the row is read as it was stored."""
    load(warehouse, full_check_response(INNS[0], all_blocks(), at=START, name="first"))
    refresh_risk(warehouse)
    warehouse.connection.execute(f"UPDATE {SCORES_TABLE} SET score = 999")
    later = START + timedelta(hours=3)
    load(warehouse, full_check_response(INNS[0], all_blocks(), at=later, name="second"))
    refresh_risk(warehouse)
    assert rows(warehouse, "SELECT score, oldest_checked_at FROM mart.risk_score") == [(999, later)]
    times = "SELECT DISTINCT checked_at, collected_at = ? FROM mart.risk_signals WHERE version_id IS NOT NULL"
    collected = rows(warehouse, "SELECT max(collected_at) FROM lineage.snapshots")[0][0]
    assert rows(warehouse, times, collected) == [(later, True)]
    load(warehouse, full_check_response(INNS[0], all_blocks(**HIGH), at=START + timedelta(hours=4), name="third"))
    assert rows(warehouse, "SELECT level FROM mart.risk_score") == [("high",)]


@pytest.mark.long
def test_evidence_that_moves_behind_a_lost_call(warehouse):
    """What is not known has been unknown since its last evidence, also if that is a response before the lost call."""
    load(warehouse, full_check_response(INNS[0], all_blocks(), at=START, name="first"))
    lose_call(warehouse, INNS[0], "full-check", START + timedelta(hours=10))
    refresh_risk(warehouse)
    load(warehouse, full_check_response(INNS[0], all_blocks(), at=START + timedelta(hours=3), name="second"))
    assert wrong_risk(warehouse) == []
    refresh_risk(warehouse)
    assert wrong_risk(warehouse) == []


@pytest.mark.long
def test_other_level_of_a_member_reaches_those_linked_to_it(warehouse):
    for inn in INNS[:2]:
        load(warehouse, full_check_response(inn, all_blocks(company=SHARED), at=START, name=inn))
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES ('p', $inn, NULL, NULL, NULL, NULL, $at, $at, NULL)",
            {"inn": inn, "at": START - timedelta(days=1)},
        )
    refresh_risk(warehouse)
    linked = "SELECT state FROM mart.risk_signals WHERE signal = 'linked_to_high_risk' AND inn = ?"
    assert rows(warehouse, linked, INNS[1]) != [("present",)]
    bad = all_blocks(company={**SHARED, **HIGH["company"]})
    load(warehouse, full_check_response(INNS[0], bad, at=START + timedelta(hours=1), name="bad"))
    assert rows(warehouse, linked, INNS[1]) == [("present",)], "before it is stored"
    check_one_inn(warehouse, INNS[1])
    with warehouse.judge_only(INNS[1]):
        assert rows(warehouse, linked, INNS[1]) == [("present",)]
        assert rows(warehouse, linked, INNS[0]) == [], "it would be judged, and is not stored"
    refresh_risk(warehouse)
    assert rows(warehouse, linked, INNS[1]) == [("present",)]
    assert wrong_risk(warehouse) == []


@pytest.mark.long
def test_crash_between_two_parts_leaves_nothing_wrong(warehouse, monkeypatch):
    """The rows of INNs that are linked to a judged one are not valid until they are judged too."""
    for inn in INNS[:3]:
        load(warehouse, full_check_response(inn, all_blocks(company=SHARED), at=START, name=inn))
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES ('p', $inn, NULL, NULL, NULL, NULL, $at, $at, NULL)",
            {"inn": inn, "at": START - timedelta(days=1)},
        )
    refresh_risk(warehouse)
    bad = all_blocks(company={**SHARED, **HIGH["company"]})
    load(warehouse, full_check_response(min(INNS[:3]), bad, at=START + timedelta(hours=1), name="bad"))
    monkeypatch.setattr(store_risk, "CHUNK_INNS", 1)
    monkeypatch.setattr(store_risk, "CHUNKS_AT_ONCE", 1)
    real, calls = store_risk.judge_chunk, count(1)

    def judge_once(*arguments, **options):
        if next(calls) > 1:
            raise KeyboardInterrupt
        real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(store_risk, "judge_chunk", judge_once)
        with pytest.raises(KeyboardInterrupt):
            refresh_risk(warehouse)
    assert rows(warehouse, f"SELECT count(*) FROM {SCORES_TABLE} WHERE basis IS NOT NULL") == [(1,)]
    assert wrong_risk(warehouse) == []
    refresh_risk(warehouse)
    assert wrong_risk(warehouse) == []


@pytest.mark.long
@pytest.mark.parametrize("part_inns", [3, part_inputs.MAX_PART_INNS])
def test_inns_with_a_common_director_are_judged_in_small_chunks(warehouse, monkeypatch, part_inns):
    """However many share a director, the chunk does not grow; the levels of the others are known all the same."""
    monkeypatch.setattr(part_inputs, "MAX_PART_INNS", part_inns)
    for module in (store_risk, judge_inns, runs_module):
        monkeypatch.setattr(module, "CHUNK_INNS", 2)
    inns = [inn for inn in sample_inns(40, 0) if len(inn) == 10][:9]
    for number, inn in enumerate(inns):
        card = {**SHARED, **(HIGH["company"] if number == 0 else {})}
        response = full_check_response(inn, all_blocks(company=card), at=START, name=inn)
        load(warehouse, replace(response, run_id="run-1"))
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES ('p', $inn, NULL, NULL, NULL, NULL, $at, $at, NULL)",
            {"inn": inn, "at": START - timedelta(days=1)},
        )
    linked = "SELECT count(*) FROM mart.risk_signals WHERE signal = 'linked_to_high_risk' AND state = 'present'"
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    assert rows(warehouse, linked) == [(8,)]
    assert rows(warehouse, f"SELECT count(*) FROM {SCORES_TABLE} WHERE basis IS NOT NULL") == [(9,)]
    assert wrong_risk(warehouse) == []
    # Only this one is judged again; the own levels of the others are read from the stored rows.
    better = full_check_response(inns[0], all_blocks(company=SHARED), at=START + timedelta(hours=1), name="better")
    load(warehouse, replace(better, run_id="run-2"))
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    assert rows(warehouse, linked) == [(0,)]
    assert wrong_risk(warehouse) == []
    warehouse.connection.execute(f"UPDATE {SCORES_TABLE} SET basis = NULL WHERE inn IN ('{inns[3]}', '{inns[4]}')")
    refresh_risk(warehouse)
    assert rows(warehouse, f"SELECT count(*) FROM {SCORES_TABLE} WHERE basis IS NOT NULL") == [(9,)]
    assert wrong_risk(warehouse) == []


@pytest.mark.long
def test_run_that_is_assessed_again_does_not_replace_a_later_judgement(warehouse):
    content = all_blocks()
    late = {key: content.pop(key) for key in list(content)[:1]}
    load(warehouse, replace(full_check_response(INNS[0], content, at=START, name="first"), run_id="run-1"))
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    judged = f"SELECT judged_at, basis IS NOT NULL FROM {SCORES_TABLE}"
    assert rows(warehouse, judged) == [(START, True)]
    warehouse.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{START + timedelta(days=100)}'")
    refresh_risk(warehouse)
    assert rows(warehouse, judged) == [(START + timedelta(days=100), True)]
    earlier = full_check_response(INNS[0], late, at=START - timedelta(hours=1), name="late")
    load(warehouse, replace(earlier, run_id="run-0"))
    assert warehouse.run_in_transaction(lambda: assess_runs(warehouse)) == 2
    assert rows(warehouse, judged) == [(START + timedelta(days=100), False)]
    assert wrong_risk(warehouse) == []


def members(*inns: str, seen_at: datetime = START, portfolio: str = "p", tags: str = "") -> pl.DataFrame:
    """Records of members of one portfolio file."""
    cells = {"run_id": "r", "portfolio": portfolio, "name": None, "priority": None, "tags": tags, "extra": None}
    frame = pl.DataFrame({"inn": inns}).with_columns(
        *(pl.lit(cell).alias(name) for name, cell in cells.items()),
        pl.lit(seen_at).alias("seen_at"),
        pl.lit(MemberEntry.FILE).alias("entry"),
    )
    return frame.select(pl.col(name).cast(kind) for name, kind in ARCHIVE["members"].items())


def calls(inn: str, state: CallState) -> pl.DataFrame:
    """The record of one call."""
    row = dict.fromkeys(ARCHIVE["calls"]) | {
        "call_id": "call", "run_id": "r", "inn": inn, "method": "full-check", "state": state,
        "reserved_at": START + timedelta(hours=1),
    }  # fmt: skip
    return pl.DataFrame([row], schema=dict(ARCHIVE["calls"]))


def checked(warehouse: Warehouse) -> list[str]:
    """The INNs whose stored risk a refresh would check now."""
    found: list[str] = []
    with suppress(Undo), warehouse.transaction():
        find_outdated(warehouse, AssessedRun("", rows(warehouse, f"SELECT {NOW}")[0][0], is_now=True))
        found = [inn for (inn,) in rows(warehouse, f"SELECT inn FROM {CHECKED} ORDER BY inn")]
        raise Undo
    return found


@pytest.mark.long
def test_only_inns_with_news_are_checked(warehouse):
    """Writing responses, members and calls of unknown outcome is news; a check without news writes nothing."""
    warehouse.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{START + timedelta(hours=9)}'")
    load(warehouse, *(full_check_response(inn, all_blocks(), at=START, name=inn) for inn in INNS))
    assert checked(warehouse) == sorted(INNS)
    refresh_risk(warehouse)
    assert checked(warehouse) == []

    load(warehouse, full_check_response(INNS[0], all_blocks(), at=START + timedelta(hours=1), name="again"))
    assert checked(warehouse) == [INNS[0]]
    refresh_risk(warehouse)

    def load_one(kind: str, frame: pl.DataFrame) -> None:
        warehouse.run_in_transaction(lambda: load_records(warehouse, kind, frame, f"{kind}/file"))

    load_one("members", members(*INNS[:2]))
    assert checked(warehouse) == sorted(INNS[:2])
    refresh_risk(warehouse)
    load_one("members", members(*INNS[1:3], seen_at=START + timedelta(hours=2)))
    assert checked(warehouse) == sorted([INNS[0], INNS[2]]), "one has left, one has joined"
    refresh_risk(warehouse)
    for state, expected in ((CallState.UNKNOWN, [INNS[3]]), (CallState.SETTLED, [INNS[3]]), (CallState.SETTLED, [])):
        load_one("calls", calls(INNS[3], state))
        assert checked(warehouse) == expected
        check_news(warehouse)
        refresh_risk(warehouse)
        assert wrong_risk(warehouse) == []
    loads = rows(warehouse, f"SELECT max(load_no) FROM {LOADS_TABLE}")
    refresh_risk(warehouse)
    assert rows(warehouse, f"SELECT max(load_no) FROM {LOADS_TABLE}") == loads
    assert rows(warehouse, f"SELECT count(*) FROM {RISK_NEWS_TABLE}") == [(0,)]


def test_rows_that_were_written_without_a_note_are_noticed(warehouse):
    load(warehouse, *(full_check_response(inn, all_blocks(), at=START, name=inn) for inn in INNS))
    refresh_risk(warehouse)
    warehouse.connection.execute(
        "INSERT INTO lineage.portfolio_members VALUES ('p', $inn, NULL, NULL, NULL, NULL, $at, $at, NULL)",
        {"inn": INNS[1], "at": START},
    )
    assert checked(warehouse) == sorted(INNS)
    refresh_risk(warehouse)
    assert checked(warehouse) == []
    assert wrong_risk(warehouse) == []


def load_days(warehouse: Warehouse, inns: list[str]) -> None:
    """The companies on three days of the sandbox, so that there are earlier versions."""
    for day in (-200, -60, 0):
        load(warehouse, *sandbox_responses(inns, DEFAULT_DAY + timedelta(days=day)))


def days_of(warehouse: Warehouse, chance: Random, pairs: int) -> None:
    """Judge on a day, read on a later one; both drawn within two years."""
    (newest,) = rows(warehouse, "SELECT max(asked_at) FROM lineage.snapshots")[0]
    for _ in range(pairs):
        first = chance.randrange(700)
        later = first + chance.choice([1, 1, 3, 10, 40, 200])
        for day in (first, later):
            moment = newest + timedelta(days=day, minutes=1)
            warehouse.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{moment}'")
            if day == later:
                assert wrong_risk(warehouse) == [], (first, later)
                check_news(warehouse)
            refresh_risk(warehouse)
        assert wrong_risk(warehouse) == [], (first, later)


@pytest.mark.long
def test_findings_that_turn_by_themselves(warehouse):
    load_days(warehouse, sample_inns(25, 3))
    days_of(warehouse, Random(1), 2)


@pytest.mark.vast
def test_findings_that_turn_by_themselves_of_many_companies(warehouse):
    load_days(warehouse, sample_inns(200, 4))
    days_of(warehouse, Random(2), 8)
