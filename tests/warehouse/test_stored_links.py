"""Stored links equal all links computed from nothing, after whatever was loaded."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.links import links_sql
from innspect.warehouse.links import refresh_links as refresh_module
from innspect.warehouse.links.refresh_links import refresh_links
from tests.marts.bodies import blocks, full_check_response
from tests.support.builders import Response, load_responses
from tests.support.random_portfolio import COMPANIES, START, RandomPortfolio
from tests.support.stored_links import wrong_links

STEPS: tuple[Callable[[RandomPortfolio], None], ...] = (
    RandomPortfolio.answer_some, RandomPortfolio.answer_some, RandomPortfolio.answer_late, RandomPortfolio.answer_nothing, RandomPortfolio.name_member,
    RandomPortfolio.lose_call, RandomPortfolio.settle_call, RandomPortfolio.do_nothing,
)  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
def test_stored_links_equal_computed_ones_after_every_step(warehouse, seed):
    portfolio = RandomPortfolio(warehouse, seed)
    for number in range(10):
        step = portfolio.random.choice(STEPS)
        step(portfolio)
        assert wrong_links(warehouse, "mart.links") == [], f"{number} {step.__name__}, before the refresh"
        assert refresh_links(warehouse, chunk_inns=portfolio.random.choice((2, 100)))
        assert wrong_links(warehouse) == [], f"{number} {step.__name__}"
        assert wrong_links(warehouse, "mart.links") == [], f"{number} {step.__name__}, after the refresh"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_keys_that_become_common_or_cease_to_be_link_nobody_or_again(warehouse, seed, monkeypatch):
    # The view has the limit of 25 INNs, so only the stored links are compared.
    for module in (links_sql, refresh_module):
        monkeypatch.setattr(module, "MAX_SHARING_INNS", 3)
    portfolio = RandomPortfolio(warehouse, seed)
    shared: set[int] = set()
    for number in range(14):
        portfolio.answer(portfolio.random.choice(COMPANIES[:6]))
        assert refresh_links(warehouse)
        assert wrong_links(warehouse) == [], number
        shared.add(warehouse.query("SELECT count(*) FROM lineage._links WHERE matched_by <> 'inn'").item())
    assert len(shared) > 2


class Killed(Exception):
    """In place of the end of a process."""


@pytest.mark.long
def test_links_are_right_after_a_refresh_that_was_killed_between_two_parts(warehouse, monkeypatch):
    portfolio = RandomPortfolio(warehouse, 1)
    for inn in COMPANIES[:6]:
        portfolio.answer(inn)
    assert refresh_links(warehouse)
    for inn in COMPANIES[2:5]:
        portfolio.answer(inn)
    real = refresh_module.commit_part

    def commit_and_die(one: Warehouse) -> None:
        real(one)
        raise Killed

    monkeypatch.setattr(refresh_module, "commit_part", commit_and_die)
    with pytest.raises(Killed):
        refresh_links(warehouse, chunk_inns=1)
    monkeypatch.undo()
    assert wrong_links(warehouse), "a part was stored"
    assert wrong_links(warehouse, "mart.links") == []
    assert refresh_links(warehouse)
    assert wrong_links(warehouse) == []


def test_an_inn_that_becomes_known_by_a_block_without_links_gets_a_name(warehouse):
    named, naming = sorted(COMPANIES)[:2]
    card = {"founders": [{"name": "ООО Н", "inn": named}]}
    load_responses(warehouse, replace(full_check_response(naming, blocks(company=card)), asked_at=START, name="naming"))
    assert refresh_links(warehouse)
    load_responses(
        warehouse,
        Response("msp", {"status": "loaded", "record": None}, named, asked_at=START + timedelta(days=1), name="named"),
    )
    assert refresh_links(warehouse)
    assert wrong_links(warehouse, "mart.links") == []
    assert warehouse.query("SELECT inn FROM mart.links")["inn"].to_list() == [named], "the smaller INN comes first"
