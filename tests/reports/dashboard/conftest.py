"""A home with two portfolios, a dashboard over what was published of it, and a browser in front of it."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from innspect.warehouse.publish.reader import PublishedCopy
from tests.support.cli import Cli, Service

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 60_000
LATER = "2026-12-31"
SANCTIONED, LIQUIDATED, NEW_DIRECTOR, SILENT = "7857212763", "5092146006", "5071594423", "6632454881"
"""By the later day the first has a match in a sanctions list, and so on; of the last one source never answers."""
LIGHT = ("4024652877", "0571981622")
PORTFOLIO = f"""inn;tags;manager;region/area
{SANCTIONED};key,supplier;Ivanova;north
{LIQUIDATED};supplier;Petrov;south
{NEW_DIRECTOR};;Ivanova;south
{SILENT};buyer;Petrov;
"""
FAULTS = f"""
[[script]]
inn = "{SILENT}"
nth = 0
fault = "sources_down"
blocks = ["freezes"]
"""


@dataclass
class Site:
    """A home, its dashboard's address, and the browser's page; what the page has asked of the world outside."""

    cli: Cli
    faults: Path
    url: str = ""
    page: object = None
    outside: list[str] = field(default_factory=list)

    @property
    def copy(self) -> Path:
        return self.cli.home / "published" / "innspect.duckdb"

    def query(self, query: str) -> object:
        """The one value that SQL gives on the published copy."""
        with PublishedCopy(self.copy) as copy:
            return copy.query(query).item()


def check(site: Site, service: Service, name: str, *words: str) -> None:
    """A run that publishes."""
    file = site.cli.home.parent / name
    site.cli.url = service.url
    done = site.cli.run(file, *words, INNSPECT_PUBLISH__AFTER_RUN="true")
    assert done.code == 0, done.err


@pytest.fixture(scope="module")
def checked(tmp_path_factory, start_sandbox) -> Site:
    """A full check of four companies and a light one of two, published."""
    folder = tmp_path_factory.mktemp("dashboard")
    (folder / "watched.csv").write_text(PORTFOLIO)
    (folder / "light.csv").write_text("\n".join(("inn", *LIGHT)))
    faults = folder / "faults.toml"
    faults.write_text(FAULTS)
    site = Site(Cli(folder / "home"), faults)
    service = start_sandbox("--faults", faults)
    check(site, service, "watched.csv", "--profile", "full")
    check(site, service, "light.csv", "--profile", "light")
    return site


@contextmanager
def serving(cli: Cli) -> Iterator[str]:
    """The dashboard of a home as a process; its address."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    process = cli.start("dashboard", "--port", str(port))
    try:
        end = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < end:
            assert process.poll() is None, process.communicate()
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def site(checked) -> Iterator[Site]:
    """The dashboard, open in a browser."""
    pytest.importorskip("streamlit", reason="the dashboard's extra is not installed: make dashboard")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    browser_path = os.environ.get("CHROMIUM") or (CHROMIUM if CHROMIUM.exists() else shutil.which("chromium"))
    if not browser_path:
        pytest.skip("there is no Chromium to look at the dashboard with")
    with serving(checked.cli) as url, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(browser_path), args=list(FLAGS))
        page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
        page.set_default_timeout(PATIENCE)
        own = (url, url.replace("http", "ws"), "data:", "blob:")
        page.on("request", lambda asked: asked.url.startswith(own) or checked.outside.append(asked.url))
        checked.url, checked.page = url, page
        yield checked
        browser.close()


@pytest.fixture
def port() -> Iterator[int]:
    """A port that somebody else listens at."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        yield door.getsockname()[1]


def run_without(cli: Cli, module: str, *words: str) -> subprocess.CompletedProcess:
    """The command line where a library is not installed."""
    command, env = cli.command(*words)
    code = f"import sys; sys.modules[{module!r}] = None; from innspect.cli.main import main; main({list(words)!r})"
    return subprocess.run(
        [command[0], "-c", code],
        env=env,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
