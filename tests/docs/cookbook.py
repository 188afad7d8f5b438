"""The cookbook's results: `python -m tests.docs.cookbook` writes them anew, with `--check` it fails when they are stale.

The page itself holds questions and queries; after each query stands what it prints on the demo warehouse, as
`innspect sql --format table` does. Questions under the heading `SECOND` are asked once a second day has been loaded.
"""

import re
import sys
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from innspect.cli._console import PLAIN_WIDTH, table
from innspect.flows.sandbox_process import sandbox
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.query import Query
from innspect.warehouse.publish.reader import Published
from tests.flows.conftest import ROOT, Done, House

PAGE = ROOT / "docs" / "sql-cookbook.md"
PORTFOLIO = ROOT / "configs" / "portfolios" / "sample.csv"
FAULTS = Path(__file__).with_name("second-day.toml")
SECOND = "# After a second day"
RECIPE = re.compile(
    r"^### (?P<title>[^\n]+)\n(?P<words>.*?)```sql\n(?P<query>.*?)```\n\n```text\n(?P<printed>.*?)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Recipe:
    """A question of the page: its heading, its sentences, its query, what the page prints, and on which day it is."""

    title: str
    words: str
    query: str
    printed: str
    second: bool


def recipes(page: str) -> list[Recipe]:
    """The questions of a page, in order."""
    turn = page.index(SECOND)
    return [
        Recipe(found["title"], found["words"].strip(), found["query"], found["printed"], found.start() > turn)
        for found in RECIPE.finditer(page)
    ]


def printed(warehouse: Warehouse | Published, query: str) -> str:
    """What `innspect sql --format table` prints, without the blanks at the ends of lines."""
    names, rows = Query(warehouse, query).rows()
    out = StringIO()
    Console(file=out, highlight=False, markup=False, color_system=None, width=PLAIN_WIDTH).print(
        table(names, list(rows), null="NULL")
    )
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def first_day(house: House) -> Done:
    """The demo: the sample portfolio, everything, under the demo's budget."""
    with sandbox() as url:
        house.url = url
        return house.run(PORTFOLIO, "--budget", "1500")


def second_day(house: House) -> Done:
    """Seven weeks later: what moves is asked again, on a day when some answers go wrong."""
    with sandbox(("--day", "2026-12-20", "--faults", str(FAULTS))) as url:
        house.url = url
        return house.run(PORTFOLIO, "--profile", "monitor", "--refresh", "--budget", "1000")


def opened(house: House, *, copy: bool) -> Warehouse | Published:
    """The warehouse for reading, or a copy of it that is published now."""
    if not copy:
        return Warehouse(house.warehouse, read_only=True)
    done = house("publish")
    if done.code:
        raise RuntimeError(done.err)
    return Published(house.home / "published" / "innspect.duckdb")


def live(house: House, *, second: bool) -> None:
    """Load one of the two days, and see that it ended as it should."""
    done = second_day(house) if second else first_day(house)
    if done.code != (6 if second else 0):
        raise RuntimeError(done.err)


def answers(house: House, asked: list[Recipe], *, copy: bool = False) -> dict[str, str]:
    """What these questions print, by title."""
    with opened(house, copy=copy) as warehouse:
        return {recipe.title: printed(warehouse, recipe.query) for recipe in asked}


def both_days(house: House, asked: list[Recipe], *, copy: bool = False) -> dict[str, str]:
    """Load both days one after the other, and what each question prints on its own."""
    found: dict[str, str] = {}
    for second in (False, True):
        live(house, second=second)
        found |= answers(house, [recipe for recipe in asked if recipe.second == second], copy=copy)
    return found


def rewritten(page: str, home: Path) -> str:
    """The page with the results of today's code."""
    results = both_days(House(home), recipes(page))

    def renew(found: re.Match[str]) -> str:
        start = found.start("printed") - found.start()
        return found[0][:start] + results[found["title"]] + "```"

    return RECIPE.sub(renew, page)


def main(words: list[str]) -> int:
    """Write the page anew, or check it."""
    page = PAGE.read_text("utf-8")
    with TemporaryDirectory() as folder:
        fresh = rewritten(page, Path(folder) / "home")
    if "--check" in words:
        if fresh != page:
            print(f"{PAGE.relative_to(ROOT)} is stale; run python -m tests.docs.cookbook.", file=sys.stderr)
        return int(fresh != page)
    PAGE.write_text(fresh, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
