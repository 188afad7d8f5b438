"""Every query of the cookbook, and those of the README, on a fresh demo warehouse: they print what the pages say."""

import re

import pytest

from tests.docs.cookbook import PAGE, answers, both_days, live, recipes
from tests.docs.readme import DAY, QUERIES, commands
from tests.flows.conftest import House

COOKBOOK = recipes(PAGE.read_text("utf-8"))
MOVING = ("now(", "current_date", "current_timestamp", "today(")


def test_there_are_twenty_questions_with_words_of_their_own():
    page = PAGE.read_text("utf-8")
    assert [recipe.title.partition(".")[0] for recipe in COOKBOOK] == [str(number) for number in range(1, 21)]
    assert page.count("```sql") == len(COOKBOOK)
    assert page.count("\n### ") == len(COOKBOOK)
    assert {recipe.second for recipe in COOKBOOK} == {False, True}
    for recipe in COOKBOOK:
        assert recipe.title.endswith("?"), recipe.title
        assert len(recipe.words) > 60, recipe.title
        assert len(recipe.words.splitlines()) <= 3, recipe.title


@pytest.mark.parametrize("recipe", COOKBOOK, ids=lambda recipe: recipe.title.partition(":")[0])
def test_a_query_says_what_it_wants_and_in_which_order(recipe):
    assert not re.search(r"SELECT\s+\*", recipe.query, re.IGNORECASE)
    assert not any(word in recipe.query.lower() for word in MOVING), "what it prints would change by itself"
    last = [line for line in recipe.query.splitlines() if line.startswith("ORDER BY")]
    assert last, "without an order it prints the same rows differently"
    assert max(map(len, recipe.query.splitlines())) <= 120
    assert len(recipe.printed.splitlines()) > 1


def different(told: dict[str, str]) -> str:
    """The questions that do not print what the page says, with what they print."""
    pages = {recipe.title: recipe.printed for recipe in COOKBOOK}
    return "\n".join(f"{title}\n{result}" for title, result in told.items() if result != pages[title])


@pytest.fixture
def house(tmp_path) -> House:
    """An empty home; the sandboxes of both days are started for it one after the other."""
    return House(tmp_path / "home")


@pytest.mark.long
def test_the_pages_print_what_the_demo_warehouse_holds(house):
    live(house, second=False)
    the_readme_holds(house)
    told = answers(house, [recipe for recipe in COOKBOOK if not recipe.second])
    live(house, second=True)
    told |= answers(house, [recipe for recipe in COOKBOOK if recipe.second])
    assert len(told) == len(COOKBOOK)
    stale = different(told)
    assert not stale, f"run python -m tests.docs.cookbook and read the difference:\n{stale}"


def the_readme_holds(house: House) -> None:
    """Its queries run and find something; its commands print what stands there, but for the day of the check."""
    assert QUERIES
    for title, result in answers(house, QUERIES).items():
        assert len(result.splitlines()) > 1, title
    shown = commands(house)
    assert shown
    for command, expected in shown:
        done = command()
        assert done.code == 0, done.err
        found = "".join(f"{line.rstrip()}\n" for line in done.out.splitlines())
        assert DAY.sub("day", found) == DAY.sub("day", expected)


@pytest.mark.long
def test_the_published_copy_prints_the_same(house):
    asked = [recipe for recipe in COOKBOOK if "raw." not in recipe.query]
    assert len(asked) == len(COOKBOOK) - 1
    told = both_days(house, asked, copy=True)
    assert len(told) == len(asked)
    assert not different(told)
