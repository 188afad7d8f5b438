"""Erasure of an INN, killed at any point: no file of the home contains it; the charges stay; nothing returns."""

import json
import shutil
import sqlite3
from pathlib import Path

import duckdb
import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from tests.flows.test_rebuild import SCHEMAS, differing, everything, volatile
from tests.support.cli import COMPANIES, PERSONS, Cli, assert_fails, write_portfolio

PERSON = PERSONS[0]
SPREAD = (
    "after tombstones rename",
    "before ledger scrub",
    "after archive rename",
    "before rebuild replace",
    "between publish swaps",
    "after publishing what is left",
)
MOST = 200
SHOWN = {"INNSPECT_PUBLISH__AFTER_RUN": "true", "INNSPECT_REPORT__AFTER_RUN": "true"}


def texts(value: object) -> set[str]:
    """Every text in a JSON value."""
    if isinstance(value, dict):
        return {text for part in value.values() for text in texts(part)}
    if isinstance(value, list):
        return {text for part in value for text in texts(part)}
    return {value} if isinstance(value, str) else set()


def find_identifying_texts(cli: Cli) -> set[str]:
    """What only the answers about the person say: its INN, names, addresses, numbers of cases."""
    archive = Archive(cli.home / "archive", read_only=True)
    rows = [row for file in archive.files("answers") for row in archive.read_rows(file).select("inn", "body").rows()]
    others = b"\n".join(body for inn, body in rows if inn != PERSON).decode()
    own = {text for inn, body in rows if inn == PERSON for text in texts(json.loads(body))}
    # Moments and plain numbers may be anybody's.
    found = {text for text in own if len(text) >= 8 and text not in others and any(map(str.isalpha, text))}
    assert len(found) >= 3, own
    return found | {PERSON}


def read_texts(path: Path) -> str:
    """All that a file says: its bytes, and what is in it where it is a table, a database or a book."""
    said = path.read_bytes().decode("utf-8", "replace")
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        for name, kind in frame.schema.items():
            column = frame[name]
            said += "\n".join(map(str, column.to_list()))
            if kind == pl.Binary:
                said += "\n".join(body.decode("utf-8", "replace") for body in column.drop_nulls())
    elif path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as connection:
            names = connection.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
            ).fetchall()
            for schema, table in names:
                said += repr(connection.execute(f'SELECT * FROM "{schema}"."{table}"').fetchall())
    elif path.name == "ledger.sqlite":
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            said += "\n".join(connection.iterdump())
    return said


def find_files_with(cli: Cli, what: set[str]) -> dict[str, list[str]]:
    """The files of the home that say any of it."""
    found = {}
    for path in sorted(cli.home.rglob("*")):
        if path.is_file():
            said = read_texts(path)
            if hits := sorted(text for text in what if text in said):
                found[str(path.relative_to(cli.home))] = hits[:3]
    return found


def read_known_tables(cli: Cli) -> dict:
    """Every table but the names of files that were loaded: some of those that came back have nothing to load.

    The first use of a policy is the earliest request that is loaded, which may be an erased one.
    """
    found = cli.tables(*SCHEMAS[:-1], without=lambda schema, table: (*volatile(schema, table), "first_used_at"))
    del found["lineage._record_files"]
    return found


def money(cli: Cli) -> tuple:
    by_run = cli.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    spent = cli.sql("SELECT run_id, sum(charged_rub) FROM mart.spend GROUP BY ALL ORDER BY ALL")
    figures = cli.status()
    return by_run, spent, figures["settled_rub"], figures["unknown_rub"]


@pytest.fixture(scope="module")
def history(start_sandbox, tmp_path_factory) -> Cli:
    """A home after two runs, the last one published and with its report; each test works on a copy."""
    folder = tmp_path_factory.mktemp("lived")
    cli = Cli(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "2"})
    portfolio = write_portfolio(folder / "few.csv", [*COMPANIES[:2], PERSON, f"{PERSON}.0"])
    for day, environ in (("2026-11-01", {}), ("2027-06-05", SHOWN)):
        cli.url = start_sandbox("--day", day).url
        assert cli.run(portfolio, "--refresh", **environ).code == 0
    return cli


@pytest.fixture
def history_copy(history, tmp_path) -> Cli:
    shutil.copytree(history.home, tmp_path / "home", symlinks=True)
    shutil.copy(history.home.parent / "few.csv", tmp_path / "few.csv")
    return Cli(tmp_path / "home", history.url, history.environ)


@pytest.mark.long
def test_erasure_removes_everything_but_the_money(history_copy, tmp_path):
    what, spent = find_identifying_texts(history_copy), money(history_copy)
    before = find_files_with(history_copy, what)
    kinds = {name.split("/")[0] for name in before}
    assert kinds >= {"archive", "ledger.sqlite", "published", "warehouse.duckdb"}, before
    companies = history_copy.sql("SELECT * FROM current.company WHERE inn <> ? ORDER BY inn", PERSON)
    assert history_copy("company", PERSON).code == 0
    assert history_copy("dossier", PERSON).code == 0
    dossiers = history_copy.home / "reports" / "dossiers"
    assert len(list(dossiers.iterdir())) == 1

    done = history_copy("forget", "--yes", PERSON, "--json")
    assert done.code == 0, done
    removed = done.json
    assert (removed["calls"], removed["answers"], removed["members"], removed["rejected"]) == (10, 10, 2, 2)
    assert (removed["is_rebuilt"], removed["is_published"], removed["pages_anew"]) == (True, True, 1)
    assert find_files_with(history_copy, what) == {}
    assert list(dossiers.iterdir()) == []
    assert money(history_copy) == spent
    assert history_copy.sql("SELECT * FROM current.company ORDER BY inn") == companies
    assert history_copy.value("SELECT count(*) FROM lineage.calls WHERE inn LIKE 'forgotten:%'") == 10
    assert history_copy.value("SELECT count(*) FROM mart.coverage WHERE inn LIKE 'forgotten%'") == 0
    checks = {check["check"]: check for check in history_copy("doctor", "--json").json["checks"]}
    assert all(checks[name]["ok"] for name in ("ledger", "archive", "warehouse")), checks

    whole = everything(history_copy)
    assert history_copy("rebuild").code == 0
    assert differing(whole, everything(history_copy)) == {}
    again = history_copy("forget", "--yes", PERSON, "--json")
    assert (again.json["calls"], again.json["files"], again.json["is_rebuilt"]) == (0, 0, False)
    assert_fails(history_copy("check", PERSON), 2, f"refused: {PERSON};", "leave these INNs out")
    assert history_copy("forget", "--yes", PERSON).out.startswith("There was nothing to erase.")


@pytest.mark.long
def test_erased_inn_is_not_requested_again(history_copy, service, tmp_path):
    history_copy.url = service.url
    assert history_copy("forget", "--yes", PERSON).code == 0
    done = history_copy.run(tmp_path / "few.csv", "--refresh")
    assert (done.code, done.json["accepted"], done.json["rejected"]) == (0, 2, 2)
    assert service.bill_total() > 0
    assert PERSON not in {charge["inn"] for charge in service.charges()}
    refused = history_copy.sql("SELECT line, reason, value FROM lineage.rejected_inputs ORDER BY run_id, line")
    assert [(line, reason) for line, reason, _ in refused] == [(4, "forgotten"), (5, "duplicate")]
    assert all(value.startswith("forgotten:") for _, _, value in refused)
    assert history_copy("plan", tmp_path / "few.csv", "--json").json["rejected"] == 2
    assert find_files_with(history_copy, {PERSON}) == {}
    alone = history_copy.run(write_portfolio(tmp_path / "alone.csv", [PERSON]), "--refresh")
    assert (alone.code, alone.json["planned_calls"], alone.json["accepted"]) == (0, 0, 0)


def cut_short(cli: Cli, point: object) -> str | None:
    done = cli("forget", "--yes", PERSON, INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return done.err.split("killed at ")[1].splitlines()[0]


def is_finished(cli: Cli, what: set[str], spent: tuple, small_portfolio: Path) -> None:
    """The next start, whatever it is, brings it to its end; where it had not begun, it is asked for again."""
    if not (cli.home / "tombstones.json").exists():
        assert cli("forget", "--yes", PERSON).code == 0
    assert cli("plan", small_portfolio).code == 0
    assert find_files_with(cli, what) == {}
    assert money(cli) == spent


@pytest.mark.long
@pytest.mark.parametrize("point", [SPREAD[2], SPREAD[0], SPREAD[4]])
def test_next_start_completes_an_interrupted_erasure(history_copy, tmp_path, point):
    what, spent = find_identifying_texts(history_copy), money(history_copy)
    assert cut_short(history_copy, point) == point
    told_of = [
        check["says"] for check in history_copy("doctor", "--json").json["checks"] if check["check"] == "tombstones"
    ]
    assert ["innspect forget" in says for says in told_of] == [True]
    is_finished(history_copy, what, spent, tmp_path / "few.csv")


@pytest.mark.vast
def test_kill_at_every_failpoint_of_the_command(history_copy, tmp_path):
    what, spent, names = find_identifying_texts(history_copy), money(history_copy), set()
    shutil.rmtree(history_copy.home / "reports")
    for point in range(1, MOST):
        cli = Cli(tmp_path / f"home{point}", history_copy.url, history_copy.environ)
        shutil.copytree(history_copy.home, cli.home, symlinks=True)
        name = cut_short(cli, point)
        if name is None:
            break
        names.add(name)
        is_finished(cli, what, spent, tmp_path / "few.csv")
        shutil.rmtree(cli.home)
    assert name is None
    assert names >= set(SPREAD)


@pytest.mark.long
def test_erased_responses_of_a_restored_backup_are_removed_again(history_copy, tmp_path):
    what = find_identifying_texts(history_copy)
    shutil.copytree(history_copy.home / "archive", tmp_path / "copy")
    assert history_copy("forget", "--yes", PERSON).code == 0
    before = read_known_tables(history_copy)
    shutil.rmtree(history_copy.home / "archive")
    shutil.copytree(tmp_path / "copy", history_copy.home / "archive")
    history_copy.warehouse.unlink()
    assert history_copy("plan", tmp_path / "few.csv").code == 0
    assert differing(before, read_known_tables(history_copy)) == {}
    says = [
        check["says"] for check in history_copy("doctor", "--json").json["checks"] if check["check"] == "tombstones"
    ]
    assert ["innspect forget" in one for one in says] == [True]
    assert history_copy("rebuild").code == 0
    assert differing(before, read_known_tables(history_copy)) == {}
    done = history_copy("forget", "--json")
    assert (done.code, done.json["answers"]) == (0, 10)
    assert find_files_with(history_copy, what) == {}


@pytest.mark.long
def test_erasure_reaches_the_outbox(cli, service, tmp_path):
    small_portfolio = write_portfolio(tmp_path / "few.csv", [COMPANIES[0], PERSON])
    killed = cli.run(small_portfolio, INNSPECT_FAULT_POINT="before archive rename 2")
    assert killed.code == -9
    assert cli.status()["outbox"] > 0
    billed = service.bill_total()
    assert cli("forget", "--yes", PERSON).code == 0
    assert find_files_with(cli, {PERSON}) == {}
    assert cli.value("SELECT count(*) FROM lineage.responses WHERE inn = ?", COMPANIES[0]) > 0
    figures = cli.status()
    assert float(figures["settled_rub"]) + float(figures["unknown_rub"]) >= float(billed)
    assert service.bill_total() == billed


@pytest.mark.long
def test_invalid_arguments_remove_nothing(history_copy, tmp_path):
    assert_fails(history_copy("forget", "--yes", "12345"), 2, "12345", "INN")
    assert not (history_copy.home / "tombstones.json").exists()
    assert_fails(Cli(tmp_path / "nobody")("forget", "--yes", PERSON), 2, "home", "--home")
    done = history_copy("forget", "--json")
    assert (done.code, done.json["answers"], done.json["is_rebuilt"]) == (0, 0, False)
