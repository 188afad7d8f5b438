"""Answers of many INNs, multiplied from those of a few, for the benchmark of very many INNs."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from stdnum.ru import inn as inn_number

from benchmarks.multiplied_answers import MultipliedAnswers, SealedRun
from innspect.extract.archive.archive import Archive
from tests.support.cli import Cli

AT = datetime(2026, 11, 20, 10)
BASE = 40


def answers_of(count: int, *, is_one_each: bool = False) -> MultipliedAnswers:
    return MultipliedAnswers(count, is_one_each=is_one_each, base=BASE)


@pytest.mark.long
def test_copies_are_loaded_as_distinct_companies_that_share_nobody(tmp_path: Path):
    answers, archive = answers_of(3 * BASE), Archive(tmp_path / "home" / "archive")
    SealedRun("first", "all", AT).seal(archive, answers, range(3 * BASE), has_other_debts=False)
    cli = Cli(tmp_path / "home")
    assert cli("rebuild").code == 0
    assert cli.sql("SELECT count(*), count(DISTINCT inn), count(DISTINCT sha256) FROM lineage.responses") == [
        (9 * BASE, 3 * BASE, 9 * BASE)
    ]
    inns = [inn for (inn,) in cli.sql("SELECT inn FROM mart.company_profile")]
    assert sorted(inns) == sorted(answers.inns)
    assert all(inn_number.is_valid(inn) for inn in inns)
    for table in ("violations", "quarantine", "drift"):
        assert cli.sql(f"SELECT count(*) FROM lineage.{table}") == [(0,)]
    names = "SELECT inn, item_inn FROM core.company__directors WHERE item_inn IS NOT NULL"
    directors = cli.sql(names)
    copy_of = {inn: number // BASE for number, inn in enumerate(answers.inns)}
    copies = {}
    for inn, director in directors:
        assert inn_number.is_valid(director)
        copies.setdefault(director, set()).add(copy_of[inn])
    assert len(copies) > BASE
    assert all(len(found) == 1 for found in copies.values())


@pytest.mark.long
def test_only_the_debts_of_the_changed_change(tmp_path: Path):
    answers, archive = answers_of(2 * BASE), Archive(tmp_path / "home" / "archive")
    changed = answers.changed(0.1)
    assert len(changed) == 2 * BASE / 10
    SealedRun("first", "all", AT).seal(archive, answers, range(2 * BASE), has_other_debts=False)
    SealedRun("second", "part", AT + timedelta(days=1)).seal(archive, answers, changed, has_other_debts=True)
    cli = Cli(tmp_path / "home")
    assert cli("rebuild").code == 0
    found = cli.sql("SELECT DISTINCT inn, block FROM lineage.changes ORDER BY inn")
    assert found == sorted((answers.inns[number], "tax_debts") for number in changed)
    assert cli.sql("SELECT run_id, portfolio, exit_code FROM lineage.runs ORDER BY run_id") == [
        ("first", "all", 0),
        ("second", "part", 0),
    ]
    assert cli.sql("SELECT count(*) FROM lineage.calls") == [(6 * BASE + 3 * len(changed),)]


def test_one_answer_each_in_turn():
    answers = answers_of(6, is_one_each=True)
    assert [answers.methods(number) for number in range(4)] == [("brief",), ("msp",), ("tax-debts",), ("brief",)]
    assert all("tax-debts" in answers.methods(number) for number in answers.changed(0.5))
