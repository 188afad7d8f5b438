"""Results in docs/sql-cookbook.md: `python -m tests.docs.cookbook` updates them, `--check` fails if they are stale.

Every recipe is a question, a query and its result on the demo warehouse as `innspect sql --format table` prints it.
Recipes below `SECOND_DAY_HEADING` run after a second day has been loaded. Requests are made on the day after the
sandbox's, and signals and levels judged an hour later, whatever the real day is.
"""

import re
import sys
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from rich.console import Console

from innspect.cli._console import PLAIN_WIDTH, make_table
from innspect.flows.publish import publish_copy
from innspect.flows.sandbox_process import run_sandbox
from innspect.sandbox.options import DEFAULT_DAY
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.query import Query
from tests.support.cli import ROOT, Cli, Result

PAGE = ROOT / "docs" / "sql-cookbook.md"
PORTFOLIO = ROOT / "configs" / "portfolios" / "sample.csv"
FAULTS = Path(__file__).with_name("second-day.toml")
SECOND_DAY = date(2026, 12, 20)
JUDGED_AT, SECOND_JUDGED_AT = (datetime.combine(day + timedelta(days=1), time(9)) for day in (DEFAULT_DAY, SECOND_DAY))
REQUESTED_AT, SECOND_REQUESTED_AT = JUDGED_AT - timedelta(hours=1), SECOND_JUDGED_AT - timedelta(hours=1)
SECOND_DAY_HEADING = "# After a second day"
RECIPE = re.compile(
    r"^### (?P<title>[^\n]+)\n(?P<text>.*?)```sql\n(?P<query>.*?)```\n\n```text\n(?P<result>.*?)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Recipe:
    """A recipe of the page: the question as its title, explanatory text, query, result, and the day on which it runs."""

    title: str
    text: str
    query: str
    result: str
    is_second_day: bool


def parse_recipes(page: str) -> list[Recipe]:
    """The recipes of a page, in order."""
    second_day = page.index(SECOND_DAY_HEADING)
    return [
        Recipe(found["title"], found["text"].strip(), found["query"], found["result"], found.start() > second_day)
        for found in RECIPE.finditer(page)
    ]


def format_result(warehouse: Warehouse, query: str) -> str:
    """The output of `innspect sql --format table`, without trailing blanks."""
    names, rows = Query(warehouse, query).rows()
    out = StringIO()
    Console(file=out, highlight=False, markup=False, color_system=None, width=PLAIN_WIDTH).print(
        make_table(names, list(rows), null="NULL")
    )
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def run_first_day(cli: Cli) -> Result:
    """Run the demo: the sample portfolio with the demo's budget."""
    with run_sandbox() as url:
        cli.url = url
        return cli.run(PORTFOLIO, "--budget", "1500")


def run_second_day(cli: Cli) -> Result:
    """Run the profile `monitor` seven weeks later, with a fault plan."""
    with run_sandbox(("--day", f"{SECOND_DAY}", "--faults", str(FAULTS))) as url:
        cli.url = url
        return cli.run(PORTFOLIO, "--profile", "monitor", "--refresh", "--budget", "1000")


class DatedWarehouse(Warehouse):
    """A warehouse whose marts judge at `judged_at` instead of now."""

    def __init__(self, path: Path, judged_at: datetime, *, read_only: bool) -> None:
        self.judged_at = judged_at
        super().__init__(path, read_only=read_only)
        self._set_clock(self.connection)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A second connection with the same clock: variables belong to a connection."""
        return self._set_clock(super().cursor())

    def _set_clock(self, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{self.judged_at}'")
        return connection


def open_warehouse(cli: Cli, judged_at: datetime, *, copy: bool) -> Warehouse:
    """Open the warehouse, or a newly published copy of it, for reading."""
    warehouse = DatedWarehouse(cli.warehouse, judged_at, read_only=not copy)
    if not copy:
        return warehouse
    with warehouse:
        published = publish_copy(load_settings(None, {"INNSPECT_HOME": str(cli.home)}, {}), warehouse)
    return Warehouse(published.copy, read_only=True)


def load_day(cli: Cli, *, second: bool) -> None:
    """Run one of the two days. Raises RuntimeError if its exit code is not the expected one."""
    cli.started_at = SECOND_REQUESTED_AT if second else REQUESTED_AT
    done = run_second_day(cli) if second else run_first_day(cli)
    cli.started_at = None
    if done.code != (6 if second else 0):
        raise RuntimeError(done.err)


def run_recipes(cli: Cli, recipes: list[Recipe], *, copy: bool = False) -> dict[str, str]:
    """The results of the recipes, by title."""
    judged_at = SECOND_JUDGED_AT if any(recipe.is_second_day for recipe in recipes) else JUDGED_AT
    with open_warehouse(cli, judged_at, copy=copy) as warehouse:
        return {recipe.title: format_result(warehouse, recipe.query) for recipe in recipes}


def run_both_days(cli: Cli, recipes: list[Recipe], *, copy: bool = False) -> dict[str, str]:
    """Run both days and the recipes of each; the results by title."""
    found: dict[str, str] = {}
    for second in (False, True):
        load_day(cli, second=second)
        found |= run_recipes(cli, [recipe for recipe in recipes if recipe.is_second_day == second], copy=copy)
    return found


def update_page(page: str, home: Path) -> str:
    """The page with current results."""
    results = run_both_days(Cli(home), parse_recipes(page))

    def replace_result(found: re.Match[str]) -> str:
        start = found.start("result") - found.start()
        return found[0][:start] + results[found["title"]] + "```"

    return RECIPE.sub(replace_result, page)


def main(arguments: list[str]) -> int:
    """Update the page, or check it."""
    page = PAGE.read_text("utf-8")
    with TemporaryDirectory() as folder:
        updated = update_page(page, Path(folder) / "home")
    if "--check" in arguments:
        if updated != page:
            print(f"{PAGE.relative_to(ROOT)} is stale; run python -m tests.docs.cookbook.", file=sys.stderr)
        return int(updated != page)
    PAGE.write_text(updated, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
