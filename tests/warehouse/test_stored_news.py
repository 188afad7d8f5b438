"""Stored news equal the news computed from all changes, after whatever was loaded."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from innspect.warehouse.news.refresh_news import refresh_news
from innspect.warehouse.news.stored_news import UNSTORED
from tests.marts.bodies import blocks, full_check_response
from tests.support.builders import Response, load_responses
from tests.support.random_portfolio import COMPANIES, START, RandomPortfolio
from tests.support.stored_news import wrong_news

STEPS: tuple[Callable[[RandomPortfolio], None], ...] = (
    RandomPortfolio.answer_some, RandomPortfolio.answer_some, RandomPortfolio.answer_late, RandomPortfolio.answer_late,
    RandomPortfolio.answer_nothing, RandomPortfolio.name_member, RandomPortfolio.lose_call, RandomPortfolio.do_nothing,
)  # fmt: skip


def unstored(warehouse) -> set[str]:
    """INNs whose news are computed when they are read."""
    return set(warehouse.query(UNSTORED)["inn"])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_news_equal_those_computed_from_all_changes_after_every_step(warehouse, seed):
    portfolio, chance = RandomPortfolio(warehouse, seed), Random(seed)
    for inn in COMPANIES:
        portfolio.answer(inn)
    for number in range(14):
        step = chance.choice(STEPS)
        step(portfolio)
        assert wrong_news(warehouse) == [], f"{number} {step.__name__}"
        if chance.random() < 0.7:
            refresh_news(warehouse, chunk_changes=chance.choice((1, 1000)))
            assert not unstored(warehouse)
            assert wrong_news(warehouse) == [], f"{number} {step.__name__}, after the refresh"
    assert warehouse.query("SELECT count(*) FROM mart.news").item() > 10


@pytest.mark.long
def test_only_news_of_an_inn_with_another_response_are_computed_again(warehouse):
    portfolio = RandomPortfolio(warehouse, 1)
    cards = {inn: portfolio.card() for inn in COMPANIES[:3]}
    for _ in range(2):
        for inn in cards:
            portfolio.answer(inn, company=portfolio.card())
    for inn, card in cards.items():
        portfolio.answer(inn, company=card)
    assert unstored(warehouse) == set(cards), "nothing is stored yet"
    refresh_news(warehouse)
    for inn, card in cards.items():
        portfolio.answer(inn, company=card)
    assert unstored(warehouse) == set(), "the same card again is no news"
    portfolio.answer(COMPANIES[0], company=portfolio.card())
    assert unstored(warehouse) == {COMPANIES[0]}
    refresh_news(warehouse)
    portfolio.answer(COMPANIES[0], msp={"category": "micro"})
    later = warehouse.query("SELECT since FROM lineage._news_notes")["since"].to_list()
    assert later == warehouse.query("SELECT max(asked_at) FROM lineage.snapshots").to_series().to_list()


class Killed(Exception):
    """In place of the end of a process."""


@pytest.mark.long
def test_news_are_right_after_a_refresh_that_was_killed_between_two_parts(warehouse):
    portfolio = RandomPortfolio(warehouse, 1)
    for inn in (*COMPANIES[:6], *COMPANIES[:6]):
        portfolio.answer(inn)

    def commit_and_die() -> None:
        warehouse.connection.execute("COMMIT; BEGIN")
        raise Killed

    def refresh_and_die() -> None:
        with pytest.raises(Killed), warehouse.transaction():
            refresh_news(warehouse, commit_and_die, chunk_changes=1)

    refresh_and_die()
    assert warehouse.query("SELECT count(*) FROM lineage._news").item(), "a part was stored"
    assert wrong_news(warehouse) == []
    refresh_news(warehouse)
    portfolio.answer(COMPANIES[0])
    portfolio.answer(COMPANIES[1])
    refresh_and_die()
    assert wrong_news(warehouse) == []
    refresh_news(warehouse)
    assert not unstored(warehouse)
    assert wrong_news(warehouse) == []


def test_a_first_response_of_another_block_may_name_a_person(warehouse):
    portfolio, person = RandomPortfolio(warehouse, 1), "500100732259"
    inn = COMPANIES[0]
    for share in (50, 60):
        portfolio.answer(inn, company={"founder_shares": [{"inn": person, "name": "", "share_pct": share}]})
    refresh_news(warehouse)
    (sentence,) = warehouse.query("SELECT sentence_ru FROM mart.news")["sentence_ru"]
    assert person in sentence
    flags = {"mass_source": "x", "founder_shares": [{"inn": person, "name": "Рюмин Семён Львович"}]}
    portfolio.answer(inn, risk_flags=flags)
    assert unstored(warehouse) == {inn}
    assert wrong_news(warehouse) == []
    assert "Рюмин" in warehouse.query("SELECT sentence_ru FROM mart.news")["sentence_ru"].item()


@pytest.mark.long
def test_earlier_news_of_persons_stay_until_a_version_names_them_otherwise(warehouse):
    portfolio, inn = RandomPortfolio(warehouse, 1), COMPANIES[0]

    def answer(share: int, name: str, address: str) -> None:
        founder = {"inn": "500100732259", "name": name, "share_pct": share}
        portfolio.answer(inn, company={"founder_shares": [founder], "address": address})

    def noted() -> list[bool]:
        query = "SELECT since > (SELECT min(asked_at) FROM lineage.snapshots) AS is_late FROM lineage._news_notes"
        return sorted(warehouse.query(query)["is_late"])

    for share in (50, 60):
        answer(share, "Рюмин Семён Львович", "г. Москва, ул. Мира, д. 1")
    refresh_news(warehouse)
    answer(60, "Рюмин Семён Львович", "г. Москва, ул. Мира, д. 2")
    assert noted() == [True], "only what this response says"
    refresh_news(warehouse)
    answer(60, "Рюмин Семён Маркович", "г. Москва, ул. Мира, д. 2")
    assert noted() == [False, False, True], "all times of both blocks that name persons"
    assert wrong_news(warehouse) == []
    assert "Маркович" in warehouse.query("SELECT arg_min(sentence_ru, seen_at) FROM mart.news").item()


def test_a_response_without_evidence_leaves_the_stored_news(warehouse):
    portfolio, inn = RandomPortfolio(warehouse, 1), COMPANIES[0]
    flags = portfolio.flags()
    for address in ("г. Москва, ул. Мира, д. 1", "г. Москва, ул. Мира, д. 2"):
        portfolio.answer(inn, company={"address": address}, risk_flags=flags)
    refresh_news(warehouse)
    assert warehouse.query("SELECT block FROM lineage._news")["block"].to_list() == ["company"]
    portfolio.answer(inn, risk_flags=flags)
    assert warehouse.query("SELECT state FROM lineage._latest WHERE block = 'company'").item() == "missing"
    assert unstored(warehouse) == set()
    assert wrong_news(warehouse) == []


@pytest.mark.parametrize("with_later", [False, True])
def test_a_late_response_moves_what_was_known_before_a_later_change(warehouse, with_later):
    inn = COMPANIES[0]

    def response(day: int, address: str) -> Response:
        answer = full_check_response(inn, blocks(company={"address": address}), name=f"day {day}")
        return replace(answer, asked_at=START + timedelta(days=day))

    load_responses(warehouse, response(1, "г. Москва, ул. Мира, д. 1"), response(10, "г. Москва, ул. Мира, д. 2"))
    refresh_news(warehouse)
    known_until = "SELECT known_until FROM mart.news WHERE seen_at = $at"
    changed_at = {"at": START + timedelta(days=10)}
    assert warehouse.query(known_until, changed_at).item() == START + timedelta(days=1)
    later = [response(12, "г. Москва, ул. Мира, д. 3")] if with_later else []
    load_responses(warehouse, response(5, "г. Москва, ул. Мира, д. 2"), *later)
    assert warehouse.query(known_until, changed_at).item() == START + timedelta(days=5)
    assert wrong_news(warehouse) == []
