"""Somebody is forgotten: gone from every file of the home, whatever is cut short; the money stays; nothing comes back."""

import json
import shutil
import sqlite3
from pathlib import Path

import duckdb
import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from tests.flows.conftest import COMPANIES, PERSONS, House, told, written
from tests.flows.test_rebuild import SCHEMAS, differing, everything, volatile

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


def telling(house: House) -> set[str]:
    """What only the answers about the person say: its INN, names, addresses, numbers of cases."""
    archive = Archive(house.home / "archive", read_only=True)
    rows = [row for file in archive.files("answers") for row in archive.read(file).select("inn", "body").rows()]
    others = b"\n".join(body for inn, body in rows if inn != PERSON).decode()
    own = {text for inn, body in rows if inn == PERSON for text in texts(json.loads(body))}
    # Moments and plain numbers may be anybody's.
    found = {text for text in own if len(text) >= 8 and text not in others and any(map(str.isalpha, text))}
    assert len(found) >= 3, own
    return found | {PERSON}


def told_by(path: Path) -> str:
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


def files_that_tell(house: House, what: set[str]) -> dict[str, list[str]]:
    """The files of the home that say any of it."""
    found = {}
    for path in sorted(house.home.rglob("*")):
        if path.is_file():
            said = told_by(path)
            if hits := sorted(text for text in what if text in said):
                found[str(path.relative_to(house.home))] = hits[:3]
    return found


def known(house: House) -> dict:
    """Every table but the names of files that were loaded: some of those that came back have nothing to load."""
    found = house.tables(*SCHEMAS[:-1], without=volatile)
    del found["lineage._record_files"]
    return found


def money(house: House) -> tuple:
    by_run = house.sql("SELECT run_id, sum(charged_rub) FROM lineage.calls GROUP BY ALL ORDER BY ALL")
    spent = house.sql("SELECT run_id, sum(charged_rub) FROM mart.spend GROUP BY ALL ORDER BY ALL")
    figures = house.status()
    return by_run, spent, figures["settled_rub"], figures["unknown_rub"]


@pytest.fixture(scope="module")
def lived(starting, tmp_path_factory) -> House:
    """A home after two runs, the last one published and with its report; each test works on a copy."""
    folder = tmp_path_factory.mktemp("lived")
    house = House(folder / "home", environ={"INNSPECT_SERVICE__BATCH": "2"})
    portfolio = written(folder / "few.csv", [*COMPANIES[:2], PERSON, f"{PERSON}.0"])
    for day, environ in (("2026-11-01", {}), ("2027-06-05", SHOWN)):
        house.url = starting("--day", day).url
        assert house.run(portfolio, "--refresh", **environ).code == 0
    return house


@pytest.fixture
def copied(lived, tmp_path) -> House:
    shutil.copytree(lived.home, tmp_path / "home", symlinks=True)
    shutil.copy(lived.home.parent / "few.csv", tmp_path / "few.csv")
    return House(tmp_path / "home", lived.url, lived.environ)


@pytest.mark.long
def test_nothing_of_a_person_is_left_but_the_money(copied, tmp_path):
    what, spent = telling(copied), money(copied)
    before = files_that_tell(copied, what)
    kinds = {name.split("/")[0] for name in before}
    assert kinds >= {"archive", "ledger.sqlite", "published", "warehouse.duckdb"}, before
    companies = copied.sql("SELECT * FROM current.company WHERE inn <> ? ORDER BY inn", PERSON)
    assert copied("company", PERSON).code == 0

    done = copied("forget", PERSON, "--json")
    assert done.code == 0, done
    removed = done.json
    assert (removed["calls"], removed["answers"], removed["members"], removed["rejected"]) == (10, 10, 2, 2)
    assert (removed["is_rebuilt"], removed["is_published"], removed["pages_anew"]) == (True, True, 1)
    assert files_that_tell(copied, what) == {}
    assert money(copied) == spent
    assert copied.sql("SELECT * FROM current.company ORDER BY inn") == companies
    assert copied.one("SELECT count(*) FROM lineage.calls WHERE inn LIKE 'forgotten:%'") == 10
    assert copied.one("SELECT count(*) FROM mart.coverage WHERE inn LIKE 'forgotten%'") == 0
    checks = {check["check"]: check for check in copied("doctor", "--json").json["checks"]}
    assert all(checks[name]["ok"] for name in ("ledger", "archive", "warehouse")), checks

    whole = everything(copied)
    assert copied("rebuild").code == 0
    assert differing(whole, everything(copied)) == {}
    again = copied("forget", PERSON, "--json")
    assert (again.json["calls"], again.json["files"], again.json["is_rebuilt"]) == (0, 0, False)
    assert copied("forget", PERSON).out.startswith("There was nothing to remove.")


@pytest.mark.long
def test_who_was_forgotten_is_not_asked_again(copied, service, tmp_path):
    copied.url = service.url
    assert copied("forget", PERSON).code == 0
    done = copied.run(tmp_path / "few.csv", "--refresh")
    assert (done.code, done.json["accepted"], done.json["rejected"]) == (0, 2, 2)
    assert service.billed() > 0
    assert PERSON not in {charge["inn"] for charge in service.charges()}
    refused = copied.sql("SELECT line, reason, value FROM lineage.rejected_inputs ORDER BY run_id, line")
    assert [(line, reason) for line, reason, _ in refused] == [(4, "forgotten"), (5, "duplicate")]
    assert all(value.startswith("forgotten:") for _, _, value in refused)
    assert copied("plan", tmp_path / "few.csv", "--json").json["rejected"] == 2
    assert files_that_tell(copied, {PERSON}) == {}
    alone = copied.run(written(tmp_path / "alone.csv", [PERSON]), "--refresh")
    assert (alone.code, alone.json["planned_calls"], alone.json["accepted"]) == (0, 0, 0)


def cut_short(house: House, point: object) -> str | None:
    done = house("forget", PERSON, INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return done.err.split("killed at ")[1].splitlines()[0]


def is_finished(house: House, what: set[str], spent: tuple, few: Path) -> None:
    """The next start, whatever it is, brings it to its end; where it had not begun, it is asked for again."""
    if not (house.home / "tombstones.json").exists():
        assert house("forget", PERSON).code == 0
    assert house("plan", few).code == 0
    assert files_that_tell(house, what) == {}
    assert money(house) == spent


@pytest.mark.long
@pytest.mark.parametrize("point", [SPREAD[2], SPREAD[0], SPREAD[4]])
def test_cut_short_the_next_start_finishes_it(copied, tmp_path, point):
    what, spent = telling(copied), money(copied)
    assert cut_short(copied, point) == point
    told_of = [check["says"] for check in copied("doctor", "--json").json["checks"] if check["check"] == "tombstones"]
    assert ["innspect forget" in says for says in told_of] == [True]
    is_finished(copied, what, spent, tmp_path / "few.csv")


@pytest.mark.vast
def test_cut_short_at_every_point(copied, tmp_path):
    what, spent, names = telling(copied), money(copied), set()
    shutil.rmtree(copied.home / "reports")
    for point in range(1, MOST):
        house = House(tmp_path / f"home{point}", copied.url, copied.environ)
        shutil.copytree(copied.home, house.home, symlinks=True)
        name = cut_short(house, point)
        if name is None:
            break
        names.add(name)
        is_finished(house, what, spent, tmp_path / "few.csv")
        shutil.rmtree(house.home)
    assert name is None
    assert names >= set(SPREAD)


@pytest.mark.long
def test_what_a_restored_copy_brings_back_is_not_loaded_and_goes_again(copied, tmp_path):
    what = telling(copied)
    shutil.copytree(copied.home / "archive", tmp_path / "copy")
    assert copied("forget", PERSON).code == 0
    before = known(copied)
    shutil.rmtree(copied.home / "archive")
    shutil.copytree(tmp_path / "copy", copied.home / "archive")
    copied.warehouse.unlink()
    assert copied("plan", tmp_path / "few.csv").code == 0
    assert differing(before, known(copied)) == {}
    says = [check["says"] for check in copied("doctor", "--json").json["checks"] if check["check"] == "tombstones"]
    assert ["innspect forget" in one for one in says] == [True]
    assert copied("rebuild").code == 0
    assert differing(before, known(copied)) == {}
    done = copied("forget", "--json")
    assert (done.code, done.json["answers"]) == (0, 10)
    assert files_that_tell(copied, what) == {}


@pytest.mark.long
def test_answers_that_wait_are_forgotten_too(house, service, tmp_path):
    few = written(tmp_path / "few.csv", [COMPANIES[0], PERSON])
    killed = house.run(few, INNSPECT_FAULT_POINT="before archive rename 2")
    assert killed.code == -9
    assert house.status()["outbox"] > 0
    billed = service.billed()
    assert house("forget", PERSON).code == 0
    assert files_that_tell(house, {PERSON}) == {}
    assert house.one("SELECT count(*) FROM lineage.responses WHERE inn = ?", COMPANIES[0]) > 0
    figures = house.status()
    assert float(figures["settled_rub"]) + float(figures["unknown_rub"]) >= float(billed)
    assert service.billed() == billed


@pytest.mark.long
def test_wrong_words_remove_nothing(copied, tmp_path):
    told(copied("forget", "12345"), 2, "12345", "INN")
    assert not (copied.home / "tombstones.json").exists()
    told(House(tmp_path / "nobody")("forget", PERSON), 2, "home", "--home")
    done = copied("forget", "--json")
    assert (done.code, done.json["answers"], done.json["is_rebuilt"]) == (0, 0, False)
