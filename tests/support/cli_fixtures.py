"""Fixtures of tests that run commands; `tests/conftest.py` loads them for all folders."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.cli import COMPANIES, INNS, PERSONS, Cli, Service, write_portfolio
from tests.support.command_process import serve_sandbox


@pytest.fixture(scope="session")
def start_sandbox() -> Iterator[Callable[..., Service]]:
    """Start a sandbox with these options; it ends with the tests."""
    with ExitStack() as stack:

        def start(*options: object) -> Service:
            return Service(stack.enter_context(serve_sandbox([*map(str, options)])))

        yield start


@pytest.fixture(scope="session")
def reliable_sandbox(start_sandbox: Callable[..., Service]) -> Service:
    """A sandbox without faults; its bill accumulates over the session."""
    return start_sandbox()


@pytest.fixture
def service(reliable_sandbox: Service) -> Service:
    """A sandbox without faults, with an empty bill."""
    reliable_sandbox.reset()
    return reliable_sandbox


@pytest.fixture
def start_faulty_sandbox(start_sandbox: Callable[..., Service], tmp_path: Path) -> Callable[..., Service]:
    """Start a sandbox with this fault plan."""

    def start(faults: str, *options: object) -> Service:
        path = tmp_path / "faults.toml"
        path.write_text(faults)
        return start_sandbox("--faults", path, *options)

    return start


@pytest.fixture
def cli_without_home(tmp_path: Path, service: Service) -> Cli:
    """The command line with a home folder that does not exist yet, and a sandbox without faults."""
    return Cli(tmp_path / "home", service.url)


@pytest.fixture
def make_cli(tmp_path: Path, create_empty_warehouse: Callable[[Path], Path]) -> Callable[..., Cli]:
    """Make a command line whose home has an empty warehouse, a copy: creating one takes as long as a small run."""

    def make(url: str, environ: dict[str, str] | None = None) -> Cli:
        cli = Cli(tmp_path / "home", url, environ or {})
        create_empty_warehouse(cli.warehouse)
        return cli

    return make


@pytest.fixture
def cli(make_cli: Callable[..., Cli], service: Service) -> Cli:
    """The command line with an empty warehouse and a sandbox without faults."""
    return make_cli(service.url)


@pytest.fixture
def portfolio(tmp_path: Path) -> Path:
    """A portfolio of a dozen INNs, three of them of persons."""
    return write_portfolio(tmp_path / "dozen.csv", INNS)


@pytest.fixture
def small_portfolio(tmp_path: Path) -> Path:
    """A portfolio of three companies and a person."""
    return write_portfolio(tmp_path / "few.csv", [*COMPANIES[:3], PERSONS[0]])
