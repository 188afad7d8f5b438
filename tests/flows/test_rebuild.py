"""The warehouse can be deleted and comes back from the archive, offline, identical in every table."""

import pytest

from tests.flows.conftest import COMPANIES, PERSONS, House, told, written

ROUGH = """
seed = 3
slow_seconds = 0.1
retry_after_seconds = 0
[rates]
cut = 0.04
truncated = 0.04
wrong_type = 0.15
unknown_field = 0.1
other_inn = 0.04
http_500 = 0.02
[sources_down]
arbitration = 0.3
fssp = 0.3
risk_flags = 0.3
sanctions = 0.3
general_courts = 0.3
"""
DAYS = ("2026-11-01", "2027-01-20", "2027-06-05")
SCHEMAS = ("core", "current", "lineage", "mart", "raw")


def everything(house: House) -> dict:
    """Every row of every table and view."""
    return house.tables(*SCHEMAS, without=volatile)


def volatile(schema: str, table: str) -> tuple[str, ...]:
    """Ages move with the clock of whoever looks."""
    return ("age_days",) if schema == "mart" else ()


def differing(one: dict, other: dict) -> dict:
    assert list(one) == list(other)
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def lived(house: House, portfolio, addresses: list[str]) -> None:
    """Several runs over the days, taking turns in how they ask."""
    for url in addresses:
        house.url = url
        assert house.run(portfolio, "--refresh").code in (0, 6)
        assert house.run(portfolio, "--refresh", "--profile", "monitor").code in (0, 6)


@pytest.mark.parametrize(
    ("count", "days"),
    [pytest.param(6, DAYS[:2], marks=pytest.mark.long), pytest.param(200, DAYS, marks=pytest.mark.vast)],
    ids=["few", "many"],
)
def test_rebuilt_after_days_of_outages_and_bad_data_it_is_identical(starting, tmp_path, count, days):
    from sandbox.inns import sample

    faults = tmp_path / "faults.toml"
    faults.write_text(ROUGH)
    inns = [*COMPANIES[:4], *PERSONS[:2]] if count == 6 else sample(count, 5, persons=0.1)
    house = House(tmp_path / "home", environ={"INNSPECT_SERVICE__BATCH": str(count // 2)})
    house.environ["INNSPECT_BUDGET__RUN_RUB"] = "100000"
    lived(house, written(tmp_path / "some.csv", inns), [starting("--day", day, "--faults", faults).url for day in days])
    before = everything(house)
    assert house.one("SELECT count(*) FROM lineage.changes") > 0
    assert house.one("SELECT count(*) FROM lineage.snapshots WHERE state = 'partial'") > 0
    for _ in range(2):
        done = house("rebuild", "--json", INNSPECT_BASE_URL="http://127.0.0.1:9", INNSPECT_API_KEY="")
        assert done.code == 0, done
        assert differing(before, everything(house)) == {}
        house.warehouse.unlink()
    assert done.json["snapshots"] == len(before["lineage.snapshots"])
    assert done.json["core_rows"] == sum(len(rows) for name, rows in before.items() if name.startswith("core."))


@pytest.mark.long
def test_a_rebuild_that_fails_leaves_the_old_file(house, service, few):
    assert house.run(few).code == 0
    before = everything(house)
    killed = house("rebuild", INNSPECT_FAULT_POINT="before rebuild replace")
    assert killed.code == -9
    assert everything(house) == before
    (sealed,) = (house.home / "archive" / "answers").glob("*.parquet")
    aside = sealed.with_suffix(".aside")
    sealed.rename(aside)
    sealed.write_bytes(b"PAR1 but not quite PAR1")
    told(house("rebuild"), 1, sealed.name)
    # Only `raw` reads the damaged file.
    kept = SCHEMAS[:-1]
    assert house.tables(*kept, without=volatile) == {
        name: rows for name, rows in before.items() if name.startswith(kept)
    }
    aside.rename(sealed)
    assert house("rebuild").code == 0
    assert everything(house) == before
    assert sorted(path.name for path in house.home.glob(".*rebuild*")) == []


def test_without_an_archive_there_is_nothing_to_rebuild_from(tmp_path):
    house = House(tmp_path / "nobody")
    told(house("rebuild"), 2, "archive", "--home")
    told(house("status"), 2, "ledger", "--home")
    told(house("sql", "SELECT 1"), 2, "warehouse", "--home")
