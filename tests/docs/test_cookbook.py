"""Every query of the cookbook and of the README prints on a new demo warehouse what the page shows."""

import re

import pytest

from tests.docs.cookbook import PAGE, load_day, parse_recipes, run_both_days, run_recipes
from tests.docs.readme import DAY, QUERIES, parse_commands
from tests.support.cli import Cli

COOKBOOK = parse_recipes(PAGE.read_text("utf-8"))
CLOCK_FUNCTIONS = ("now(", "current_date", "current_timestamp", "today(")


def test_there_are_thirty_recipes_with_a_question_and_a_text():
    page = PAGE.read_text("utf-8")
    assert [recipe.title.partition(".")[0] for recipe in COOKBOOK] == [str(number) for number in range(1, 31)]
    assert page.count("```sql") == len(COOKBOOK)
    assert page.count("\n### ") == len(COOKBOOK)
    assert {recipe.is_second_day for recipe in COOKBOOK} == {False, True}
    for recipe in COOKBOOK:
        assert recipe.title.endswith("?"), recipe.title
        assert len(recipe.text) > 60, recipe.title
        assert len(recipe.text.splitlines()) <= 3, recipe.title


@pytest.mark.parametrize("recipe", COOKBOOK, ids=lambda recipe: recipe.title.partition(":")[0])
def test_query_names_its_columns_and_its_order(recipe):
    assert not re.search(r"SELECT\s+\*", recipe.query, re.IGNORECASE)
    assert not any(word in recipe.query.lower() for word in CLOCK_FUNCTIONS), "the result would change with the clock"
    last = [line for line in recipe.query.splitlines() if line.startswith("ORDER BY")]
    assert last, "without ORDER BY the order of rows is undefined"
    assert max(map(len, recipe.query.splitlines())) <= 120
    assert len(recipe.result.splitlines()) > 1


def find_differences(results: dict[str, str]) -> str:
    """The recipes whose result differs from the page, with their result."""
    pages = {recipe.title: recipe.result for recipe in COOKBOOK}
    return "\n".join(f"{title}\n{result}" for title, result in results.items() if result != pages[title])


@pytest.fixture
def cli(tmp_path) -> Cli:
    """The command line with an empty home; each day starts its own sandbox."""
    return Cli(tmp_path / "home")


@pytest.mark.long
def test_pages_show_the_results_of_the_demo_warehouse(cli):
    load_day(cli, second=False)
    assert_readme_is_up_to_date(cli)
    results = run_recipes(cli, [recipe for recipe in COOKBOOK if not recipe.is_second_day])
    load_day(cli, second=True)
    results |= run_recipes(cli, [recipe for recipe in COOKBOOK if recipe.is_second_day])
    assert len(results) == len(COOKBOOK)
    stale = find_differences(results)
    assert not stale, f"run python -m tests.docs.cookbook and read the difference:\n{stale}"


def assert_readme_is_up_to_date(cli: Cli) -> None:
    """Its queries return rows; its commands print what the page shows, dates aside."""
    assert QUERIES
    for title, result in run_recipes(cli, QUERIES).items():
        assert len(result.splitlines()) > 1, title
    shown = parse_commands(cli)
    assert shown
    for command, expected in shown:
        done = command()
        assert done.code == 0, done.err
        found = "".join(f"{line.rstrip()}\n" for line in done.out.splitlines())
        assert DAY.sub("day", found) == DAY.sub("day", expected)


@pytest.mark.long
def test_published_copy_gives_the_same_results(cli):
    recipes = [recipe for recipe in COOKBOOK if "raw." not in recipe.query]
    assert len(recipes) == len(COOKBOOK) - 1
    results = run_both_days(cli, recipes, copy=True)
    assert len(results) == len(recipes)
    assert not find_differences(results)
