"""A run prepares the published copy while it requests: the result is the same, whatever ends it."""

import json
from pathlib import Path
from signal import SIGINT

import pytest

from innspect.extract.failpoints import VARIABLE
from innspect.flows.prepared_copy import PREPARED
from tests.support.cli import COMPANIES, Cli, write_portfolio
from tests.support.published_copies import differing_parquet, differing_relations

REFRESH = ("--profile", "light", "--refresh")
OFTEN = {"INNSPECT_PUBLISH__PREPARE_INNS": "2", "INNSPECT_SERVICE__BATCH": "4"}
"""A preparation after each batch."""


@pytest.fixture
def portfolio(tmp_path) -> Path:
    return write_portfolio(tmp_path / "some.csv", COMPANIES[:6])


@pytest.fixture
def preparing(cli, portfolio) -> Cli:
    """A home with a published copy, whose runs prepare the next one."""
    cli.environ |= {"INNSPECT_PUBLISH__AFTER_RUN": "true", "INNSPECT_PUBLISH__PARQUET": "all"}
    assert cli.run(portfolio, "--profile", "light").code == 0
    cli.environ |= OFTEN
    return cli


def preparations(cli: Cli) -> list[str]:
    """The events of preparations in the log."""
    lines = map(json.loads, (cli.home / "innspect.log").read_text("utf-8").splitlines())
    return [line["event"] for line in lines if line["event"] in ("copy.prepared", "copy.not_prepared")]


def differing(cli: Cli, tmp_path: Path) -> list[str]:
    """What differs between the copy, its Parquet files, and a copy that is built from nothing."""
    folder = cli.home / "published"
    assert not [path.name for path in folder.iterdir() if ".prepared" in path.name or ".part" in path.name]
    other = tmp_path / "other"
    done = cli("publish", INNSPECT_STORES__PUBLISHED=str(other))
    assert done.code == 0, done
    copy = folder / "innspect.duckdb"
    return differing_relations(copy, other / "innspect.duckdb") + differing_parquet(copy, folder / "parquet")


def test_prepared_copy_is_that_of_its_end(preparing, portfolio, tmp_path):
    done = preparing.run(portfolio, *REFRESH)
    assert done.code == 0, done
    assert preparations(preparing).count("copy.prepared") >= 2
    assert differing(preparing, tmp_path) == []
