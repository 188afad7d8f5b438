"""Results in docs/risk.md: `python -m tests.docs.risk_example` updates them, `--check` fails if they are stale.

Each query of the page runs on a warehouse of its two companies, checked on the sandbox's default day and judged the day
after: levels depend on the day of the judgement, so the marts get this day instead of the clock.
"""

import re
import sys
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from innspect.flows.sandbox_process import run_sandbox
from innspect.sandbox.options import DEFAULT_DAY
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import mart_queries
from innspect.warehouse.risk.signals import NOW
from tests.docs.cookbook import format_result
from tests.support.cli import ROOT, Cli, write_portfolio

PAGE = ROOT / "docs" / "risk.md"
JUDGED_AT = f"TIMESTAMP '{DEFAULT_DAY + timedelta(days=1)} 09:00:00'"
QUERY = re.compile(r"^```sql\n(?P<query>.*?)```\n\n```text\n(?P<result>.*?)```$", re.MULTILINE | re.DOTALL)
INN = re.compile(r"'(\d{10}|\d{12})'")


def example_inns(page: str) -> list[str]:
    """The INNs that the queries of the page name."""
    return sorted({inn for found in QUERY.finditer(page) for inn in INN.findall(found["query"])})


def check_companies(home: Path, inns: list[str]) -> Cli:
    """Check the companies by the sandbox, and let the marts judge them at `JUDGED_AT`. Raises RuntimeError."""
    cli = Cli(home)
    with run_sandbox() as url:
        cli.url = url
        done = cli.run(write_portfolio(home.with_suffix(".csv"), inns), "--budget", "100")
    if done.code:
        raise RuntimeError(done.err)
    with Warehouse(cli.warehouse) as warehouse:
        for name, query in mart_queries().items():
            warehouse.connection.execute(f"CREATE OR REPLACE VIEW mart.{name} AS {query.replace(NOW, JUDGED_AT)}")
    return cli


def update_page(page: str, home: Path) -> str:
    """The page with current results."""
    cli = check_companies(home, example_inns(page))
    with Warehouse(cli.warehouse, read_only=True) as warehouse:

        def replace_result(found: re.Match[str]) -> str:
            start = found.start("result") - found.start()
            return found[0][:start] + format_result(warehouse, found["query"]) + "```"

        return QUERY.sub(replace_result, page)


def main(arguments: list[str]) -> int:
    """Update the page, or check it."""
    page = PAGE.read_text("utf-8")
    with TemporaryDirectory() as folder:
        updated = update_page(page, Path(folder) / "home")
    if "--check" in arguments:
        if updated != page:
            print(f"{PAGE.relative_to(ROOT)} is stale; run python -m tests.docs.risk_example.", file=sys.stderr)
        return int(updated != page)
    PAGE.write_text(updated, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
