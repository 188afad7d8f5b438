"""The front door: the command line as a process of its own, a sandbox behind a socket, the warehouse read with SQL."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import duckdb
import httpx
import pytest

from innspect.sandbox.world.inn_samples import sample

ROOT = Path(__file__).parents[2]
INNS = sample(12, 3, persons=0.25)
COMPANIES = [inn for inn in INNS if len(inn) == 10]
PERSONS = [inn for inn in INNS if len(inn) == 12]
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "SSL_CERT_FILE")
LONGEST = 300


@dataclass(frozen=True)
class Service:
    """A running sandbox."""

    url: str

    def charges(self) -> list[dict]:
        """Every charge, in order."""
        return httpx.get(f"{self.url}/sandbox/bill").json()["calls"]

    def billed(self) -> Decimal:
        """All that was charged, in roubles."""
        return rub(httpx.get(f"{self.url}/sandbox/bill").json()["total"])

    def reset(self) -> None:
        httpx.post(f"{self.url}/sandbox/reset").raise_for_status()


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one error of the command."""
        lines = [line for line in self.err.splitlines() if line.startswith("innspect: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err, self.err
        assert "Traceback" not in self.out, self.out
        return lines[0].removeprefix("innspect: ")


@dataclass
class House:
    """A home folder, and the command line that works on it."""

    home: Path
    url: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    patience: float = LONGEST

    def command(self, *words: object, **environ: str) -> tuple[list[str], dict[str, str]]:
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env |= {"INNSPECT_API_KEY": "sandbox", "INNSPECT_HOME": str(self.home)}
        env |= {"INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2000"}
        # Drawing takes seconds that only the tests of the report want to spend.
        env |= {"INNSPECT_REPORT__AFTER_RUN": "false", "INNSPECT_PUBLISH__AFTER_RUN": "false"}
        if self.url:
            env["INNSPECT_BASE_URL"] = self.url
        env |= self.environ | environ
        return [sys.executable, "-m", "innspect.cli.main", *map(str, words)], env

    def start(self, *words: object, **environ: str) -> subprocess.Popen:
        command, env = self.command(*words, **environ)
        return subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def __call__(self, *words: object, stdin: str | None = None, **environ: str) -> Done:
        command, env = self.command(*words, **environ)
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            input=stdin or "",
            timeout=self.patience,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def run(self, portfolio: Path, *words: object, **environ: str) -> Done:
        """`innspect run` without Prefect, its result as JSON."""
        return self("run", portfolio, "--direct", "--json", *words, **environ)

    def status(self) -> dict:
        return self("status", "--json").json

    @property
    def warehouse(self) -> Path:
        return self.home / "warehouse.duckdb"

    def sql(self, query: str, *values: object) -> list[tuple]:
        with duckdb.connect(str(self.warehouse), read_only=True) as connection:
            return connection.execute(query, list(values)).fetchall()

    def one(self, query: str, *values: object) -> object:
        ((value,),) = self.sql(query, *values)
        return value

    def tables(self, *schemas: str, without: Callable[[str, str], tuple[str, ...]] = lambda *_: ()) -> dict:
        """The rows of every table and view of some schemas, sorted, as text; some columns left out."""
        found = {}
        with duckdb.connect(str(self.warehouse), read_only=True) as connection:
            columns = connection.execute(
                "SELECT table_schema, table_name, list(column_name ORDER BY ordinal_position) "
                "FROM information_schema.columns WHERE table_schema IN (SELECT unnest(?)) GROUP BY ALL ORDER BY ALL",
                [list(schemas)],
            ).fetchall()
            for schema, table, names in columns:
                kept = [f'"{name}"' for name in names if name not in without(schema, table)]
                rows = connection.execute(f'SELECT {", ".join(kept)} FROM {schema}."{table}"').fetchall()
                found[f"{schema}.{table}"] = sorted(map(repr, rows))
        return found


def rub(amount: object) -> Decimal:
    """Roubles, to the kopeck."""
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def told(done: Done, code: int, *words: str) -> str:
    """The sentence of a command that ended so."""
    assert done.code == code, done
    sentence = done.sentence
    for word in words:
        assert word in sentence
    assert sentence.endswith(".")
    return sentence


def money_holds(house: House, service: Service, cap: object = None) -> tuple[Decimal, Decimal]:
    """What was billed is at most what is settled and unknown, and that at most the cap; settled and unknown."""
    told = house.status()
    settled, unknown, billed = rub(told["settled_rub"]), rub(told["unknown_rub"]), service.billed()
    assert settled <= billed <= settled + unknown
    assert told["reserved_rub"] == "0.00"
    assert told["outbox"] == 0
    if cap is not None:
        assert settled + unknown <= rub(cap)
    return settled, unknown


def not_paid_twice(service: Service) -> None:
    """No call is on the bill twice."""
    asked = [(one["inn"], one["method"]) for one in service.charges()]
    assert len(asked) == len(set(asked))


@pytest.fixture(scope="session")
def starting() -> Iterator[Callable[..., Service]]:
    """Start a sandbox with these options; it ends with the tests."""
    with ExitStack() as stack:

        def start(*options: object) -> Service:
            command = [sys.executable, "-m", "innspect.sandbox", "--port", "0", *map(str, options)]
            server = stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
            stack.callback(server.terminate)
            return Service(server.stdout.readline().removeprefix("listening on ").strip())

        yield start


@pytest.fixture(scope="session")
def _calm(starting) -> Service:
    return starting()


@pytest.fixture
def service(_calm) -> Service:
    """A sandbox where nothing goes wrong, its bill empty."""
    _calm.reset()
    return _calm


@pytest.fixture
def faulty(starting, tmp_path) -> Callable[..., Service]:
    """Start a sandbox with such a fault file."""

    def start(faults: str, *options: object) -> Service:
        path = tmp_path / "faults.toml"
        path.write_text(faults)
        return starting("--faults", path, *options)

    return start


@pytest.fixture
def bare(tmp_path, service) -> House:
    """A home that is not there yet; it asks the calm sandbox."""
    return House(tmp_path / "home", service.url)


@pytest.fixture
def settling(tmp_path, laid_out) -> Callable[..., House]:
    """Make a home with an empty warehouse, which takes as long to make as all else in a small run."""

    def settle(url: str, environ: dict[str, str] | None = None) -> House:
        made = House(tmp_path / "home", url, environ or {})
        laid_out(made.warehouse)
        return made

    return settle


@pytest.fixture
def house(settling, service) -> House:
    """A home with an empty warehouse; it asks the calm sandbox."""
    return settling(service.url)


def written(path: Path, inns: list[str]) -> Path:
    """A portfolio file of these INNs."""
    path.write_text("inn\n" + "\n".join(inns) + "\n")
    return path


@pytest.fixture
def portfolio(tmp_path) -> Path:
    """A dozen INNs, three of them of people."""
    return written(tmp_path / "dozen.csv", INNS)


@pytest.fixture
def few(tmp_path) -> Path:
    """Three companies and a person."""
    return written(tmp_path / "few.csv", [*COMPANIES[:3], PERSONS[0]])
