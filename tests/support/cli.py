"""The command line as a process of its own, the sandbox behind a socket, and SQL on the warehouse of a home."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import httpx

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.ddl import LINK_TYPES, NEWS_TYPES
from tests.support.command_process import run_command

ROOT = Path(__file__).parents[2]
INNS = sample_inns(12, 3, persons=0.25)
COMPANIES = [inn for inn in INNS if len(inn) == 10]
PERSONS = [inn for inn in INNS if len(inn) == 12]
PASSED_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE")
COMMAND_TIMEOUT_SECONDS = 300
TIMED_TABLES = ("_loads", "_risk_scores", "_risk_news", "_risk_checks", *LINK_TYPES, *NEWS_TYPES)
"""Internal tables that say when something was stored, and links and news, which are stored only before they are published."""


@dataclass(frozen=True)
class Service:
    """A running sandbox."""

    url: str

    def charges(self) -> list[dict]:
        """Every charge, in order."""
        return httpx.get(f"{self.url}/sandbox/bill").json()["calls"]

    def bill_total(self) -> Decimal:
        """The sum of all charges, in roubles."""
        return rub(httpx.get(f"{self.url}/sandbox/bill").json()["total"])

    def reset(self) -> None:
        """Empty the bill."""
        httpx.post(f"{self.url}/sandbox/reset").raise_for_status()


@dataclass(frozen=True)
class Result:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The only error sentence of the command; asserts that there is no traceback."""
        lines = [line for line in self.err.splitlines() if line.startswith("innspect: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err, self.err
        assert "Traceback" not in self.out, self.out
        return lines[0].removeprefix("innspect: ")


@dataclass
class Cli:
    """The command line with one home folder, and SQL on its warehouse."""

    home: Path
    url: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    timeout_seconds: float = COMMAND_TIMEOUT_SECONDS
    started_at: datetime | None = None
    """The time in UTC at which the clock of each command starts; default now."""

    def command(self, *arguments: object, **environ: str) -> tuple[list[str], dict[str, str]]:
        """The command and its environment."""
        env = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
        env |= {"INNSPECT_API_KEY": "sandbox", "INNSPECT_HOME": str(self.home)}
        env |= {"INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2000"}
        # Drawing the report takes seconds that only its own tests need.
        env |= {"INNSPECT_REPORT__AFTER_RUN": "false", "INNSPECT_PUBLISH__AFTER_RUN": "false"}
        if self.url:
            env["INNSPECT_BASE_URL"] = self.url
        if self.started_at:
            env["INNSPECT_SERVICE__MAX_CLOCK_SKEW_SECONDS"] = "0"
        env |= self.environ | environ
        return [sys.executable, "-m", "innspect.cli.main", *map(str, arguments)], env

    def start(self, *arguments: object, **environ: str) -> subprocess.Popen:
        """Start a command and do not wait for its end."""
        command, env = self.command(*arguments, **environ)
        return subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def __call__(self, *arguments: object, stdin: str | None = None, **environ: str) -> Result:
        command, env = self.command(*arguments, **environ)
        return Result(*run_command(command[3:], env, ROOT, stdin or "", self.timeout_seconds, self.started_at))

    def run(self, portfolio: Path, *arguments: object, **environ: str) -> Result:
        """`innspect run` without Prefect, its result as JSON."""
        return self("run", portfolio, "--direct", "--json", *arguments, **environ)

    def status(self) -> dict:
        """`innspect status --json`."""
        return self("status", "--json").json

    @property
    def warehouse(self) -> Path:
        return self.home / "warehouse.duckdb"

    def sql(self, query: str, *values: object) -> list[tuple]:
        """The rows of a query."""
        with duckdb.connect(str(self.warehouse), read_only=True) as connection:
            return connection.execute(query, list(values)).fetchall()

    def value(self, query: str, *values: object) -> object:
        """The single value of a query."""
        ((value,),) = self.sql(query, *values)
        return value

    def tables(self, *schemas: str, without: Callable[[str, str], tuple[str, ...]] = lambda *_: ()) -> dict:
        """The rows of every table and view of some schemas, sorted, as text, without some columns.

        `TIMED_TABLES` are left out.
        """
        tables = {}
        with duckdb.connect(str(self.warehouse), read_only=True) as connection:
            columns = connection.execute(
                "SELECT table_schema, table_name, list(column_name ORDER BY ordinal_position) "
                "FROM information_schema.columns WHERE table_schema IN (SELECT unnest(?)) "
                f"AND table_name NOT IN {TIMED_TABLES} GROUP BY ALL ORDER BY ALL",
                [list(schemas)],
            ).fetchall()
            for schema, table, names in columns:
                selected = [f'"{name}"' for name in names if name not in without(schema, table)]
                rows = connection.execute(f'SELECT {", ".join(selected)} FROM {schema}."{table}"').fetchall()
                tables[f"{schema}.{table}"] = sorted(map(repr, rows))
        return tables


def rub(amount: object) -> Decimal:
    """An amount in roubles, rounded to the kopeck."""
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def write_portfolio(path: Path, inns: list[str]) -> Path:
    """Write a portfolio file of these INNs."""
    path.write_text("inn\n" + "\n".join(inns) + "\n")
    return path


def assert_fails(result: Result, code: int, *words: str) -> str:
    """Assert the exit code and that these words are in the only error sentence; return the sentence."""
    assert result.code == code, result
    error = result.error
    for word in words:
        assert word in error
    assert error.endswith(".")
    return error


def assert_money_adds_up(cli: Cli, service: Service, cap: object = None) -> tuple[Decimal, Decimal]:
    """Assert settled <= bill <= settled + unknown <= cap, and nothing reserved or unsealed; return settled, unknown."""
    status = cli.status()
    settled, unknown = rub(status["settled_rub"]), rub(status["unknown_rub"])
    assert settled <= service.bill_total() <= settled + unknown
    assert status["reserved_rub"] == "0.00"
    assert status["outbox"] == 0
    if cap is not None:
        assert settled + unknown <= rub(cap)
    return settled, unknown


def interrupt_when(running: subprocess.Popen, is_time: Callable[[], object], seconds: float = 90) -> None:
    """Send Ctrl-C to a command when `is_time`; assert that it ends as an interrupted one, with one sentence."""
    until = time.monotonic() + seconds
    while not is_time():
        assert time.monotonic() < until
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.splitlines()[-1].startswith("innspect: Interrupted")
    assert "Traceback" not in err


def assert_no_call_paid_twice(service: Service) -> None:
    """Assert that no call is on the bill twice."""
    calls = [(charge["inn"], charge["method"]) for charge in service.charges()]
    assert len(calls) == len(set(calls))
