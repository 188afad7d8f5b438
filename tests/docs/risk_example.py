"""Results in docs/risk.md: `python -m tests.docs.risk_example` updates them, `--check` fails if they are stale.

Each query of the page runs on a warehouse of its two companies, checked and judged on the day after the sandbox's default
day.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from innspect.flows.sandbox_process import run_sandbox
from tests.docs.cookbook import JUDGED_AT, REQUESTED_AT, DatedWarehouse, format_result
from tests.support.cli import ROOT, Cli, write_portfolio

PAGE = ROOT / "docs" / "risk.md"
QUERY = re.compile(r"^```sql\n(?P<query>.*?)```\n\n```text\n(?P<result>.*?)```$", re.MULTILINE | re.DOTALL)
INN = re.compile(r"'(\d{10}|\d{12})'")


def example_inns(page: str) -> list[str]:
    """The INNs that the queries of the page name."""
    return sorted({inn for found in QUERY.finditer(page) for inn in INN.findall(found["query"])})


def update_page(page: str, home: Path) -> str:
    """The page with current results. Raises RuntimeError if the companies cannot be checked."""
    cli = Cli(home, started_at=REQUESTED_AT)
    with run_sandbox() as url:
        cli.url = url
        done = cli.run(write_portfolio(home.with_suffix(".csv"), example_inns(page)), "--budget", "100")
    if done.code:
        raise RuntimeError(done.err)
    with DatedWarehouse(cli.warehouse, JUDGED_AT, read_only=True) as warehouse:

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
