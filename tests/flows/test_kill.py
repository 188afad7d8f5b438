"""A process killed without warning at any point: nothing received is lost or paid twice, and the next start goes on."""

import re
import sqlite3

import pytest

from tests.flows.conftest import COMPANIES, PERSONS, House, money_holds, not_paid_twice, told, written

BUDGET = 400
MOST = 300
# The first archive file of a run names its members, the second holds its answers.
SPREAD = (14, "after receive 3", "before archive rename 2", "after archive rename 2", "before warehouse commit")
POINTS = {
    "before ledger commit",
    "after ledger commit",
    "before send",
    "after receive",
    "before archive fsync",
    "before archive rename",
    "after archive rename",
    "after archive seal",
    "before warehouse load",
    "before warehouse commit",
    "after warehouse commit",
}
RUN_TIMES = {"checked_at", "collected_at", "asked_at", "run_id", "first_seen_at", "last_seen_at"}
"""What differs between two runs of the same day."""
ONE_BY_ONE = {"INNSPECT_SERVICE__CONCURRENCY": "1"}


def content(house: House) -> dict:
    """What is known, without when."""
    return house.tables("core", "current", without=lambda *_: RUN_TIMES)


def ledger_rows(house: House, query: str) -> list[tuple]:
    path = house.home / "ledger.sqlite"
    if not path.exists():
        return []
    ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return ledger.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []  # killed before the tables were there
    finally:
        ledger.close()


def received(house: House) -> set[tuple]:
    """Every answer that the ledger has an outcome of."""
    query = "SELECT run_id, inn, method FROM calls WHERE state IN ('settled', 'free') AND http_status = 200"
    return set(ledger_rows(house, query))


def killed(house: House, portfolio, point: int | str, *words: str) -> str | None:
    """Run until the n-th point, or the first of a name; its name, or None where the run came to its end before."""
    done = house.run(portfolio, "--budget", BUDGET, *words, INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return re.search(r"^killed at (.*)$", done.err, re.MULTILINE)[1]


def go_on(house: House, service, portfolio, kills: int = 1) -> None:
    """The next start after a kill, and everything that has to hold then."""
    before = received(house)
    done = house.run(portfolio, "--budget", BUDGET)
    assert done.code == 0, done
    money_holds(house, service, (kills + 1) * BUDGET)
    assert before <= received(house) == set(house.sql("SELECT run_id, inn, method FROM lineage.responses"))
    charged = [(one["inn"], one["method"]) for one in service.charges()]
    unknown = house.one("SELECT count(*) FROM lineage.calls WHERE state = 'unknown'")
    assert len(charged) - len(set(charged)) <= unknown == house.status()["unknown_calls"]
    of_runs = house.sql("SELECT run_id, charged_rub, unknown_rub FROM lineage.runs ORDER BY run_id")
    of_calls = house.sql(
        "SELECT r.run_id, coalesce(sum(c.charged_rub), 0), coalesce(sum(expected_rub) FILTER (c.state = 'unknown'), 0) "
        "FROM lineage.runs r LEFT JOIN lineage.calls c ON c.run_id = r.run_id GROUP BY r.run_id ORDER BY r.run_id"
    )
    assert of_runs == of_calls
    assert {run for run, _, _ in of_runs} == {run for (run,) in ledger_rows(house, "SELECT run_id FROM runs")}
    assert house.sql("SELECT DISTINCT exit_code FROM lineage.runs WHERE exit_code NOT IN (0, 130)") == []


@pytest.fixture(scope="module")
def undisturbed(starting, tmp_path_factory):
    """What a run that nobody disturbs knows in the end."""
    folder = tmp_path_factory.mktemp("undisturbed")
    house = House(folder / "home", starting().url)
    assert house.run(written(folder / "few.csv", [*COMPANIES[:3], PERSONS[0]])).code == 0
    return content(house)


@pytest.mark.parametrize(
    "point", [SPREAD[1], *(pytest.param(point, marks=pytest.mark.long) for point in (SPREAD[0], *SPREAD[2:]))]
)
def test_killed_at_some_points(house, service, few, undisturbed, point):
    house.environ["INNSPECT_SERVICE__CONCURRENCY"] = "2"
    assert killed(house, few, point) is not None
    go_on(house, service, few)
    assert content(house) == undisturbed


@pytest.mark.vast
def test_killed_at_every_point(tmp_path, service, few, undisturbed):
    names = {}
    for point in range(1, MOST):
        service.reset()
        house = House(tmp_path / f"home{point}", service.url, ONE_BY_ONE)
        names[point] = killed(house, few, point)
        if names[point] is None:
            break
        go_on(house, service, few)
        assert content(house) == undisturbed, names[point]
    assert names[point] is None
    assert set(names.values()) == POINTS | {None}


@pytest.mark.vast
def test_killed_again_and_again_also_while_it_mends(house, service, few, undisturbed):
    kills = 0
    for point in range(1, MOST, 3):
        if killed(house, few, point) is None:
            break
        kills += 1
    assert kills > 5
    go_on(house, service, few, kills)
    assert content(house) == undisturbed


SILENT = """
[[script]]
fault = "sources_down"
method = "full-check"
nth = 0
blocks = ["freezes", "rnp"]
"""


@pytest.mark.long
def test_repairs_that_a_killed_run_did_not_come_to_are_made_by_the_next(faulty, tmp_path, few):
    service = faulty(SILENT)
    house = House(tmp_path / "home", service.url)
    assert killed(house, few, "before warehouse load") == "before warehouse load"
    assert service.billed() == 120
    planned = house("plan", few, "--json").json
    assert (planned["planned_calls"], planned["expected_rub"], planned["maximum_rub"]) == (0, "0.00", "33.00")
    without = house.run(few, "--no-repair")
    assert (without.code, without.json["calls"]) == (0, 0)
    go_on(house, service, few)
    repaired = [(one["inn"], one["method"]) for one in service.charges() if one["method"] in ("freezes", "rnp")]
    assert sorted(repaired) == sorted((inn, method) for inn in COMPANIES[:3] for method in ("freezes", "rnp"))
    again = house.run(few)
    assert (again.code, again.json["calls"]) == (0, 0)


@pytest.mark.long
def test_a_home_that_was_moved_after_a_kill_is_still_the_same(house, service, few, undisturbed):
    assert killed(house, few, 40) is not None
    moved = House(house.home.with_name("elsewhere"), service.url)
    house.home.rename(moved.home)
    go_on(moved, service, few)
    assert content(moved) == undisturbed


@pytest.mark.long
def test_what_one_home_has_received_is_not_for_another_that_shares_its_ledger(tmp_path, service, few, undisturbed):
    shared = {"INNSPECT_STORES__LEDGER": f"sqlite:///{tmp_path / 'shared.sqlite'}"}
    one, other = (House(tmp_path / name, service.url, dict(shared)) for name in ("one", "other"))
    assert killed(one, few, "before archive rename 2")
    waiting = one.status()["outbox"]
    assert waiting > 0
    done = other.run(written(tmp_path / "another.csv", [COMPANIES[4]]), "--no-repair")
    assert done.code == 0, done
    assert other.sql("SELECT DISTINCT inn FROM lineage.responses") == [(COMPANIES[4],)]
    assert one.status()["outbox"] == waiting
    done = one.run(few)
    assert done.code == 0, done
    not_paid_twice(service)
    assert content(one) == undisturbed
    assert one.one("SELECT count(*) FROM lineage.calls WHERE inn = ?", COMPANIES[4]) == 0
    assert money_holds(one, service) == (service.billed(), 0)


@pytest.mark.long
def test_a_torn_last_write_of_the_ledger_is_as_if_it_had_not_been(house, service, few, undisturbed):
    house.environ |= ONE_BY_ONE
    point = 23
    while killed(house, few, point) != "after ledger commit":
        point += 1
        assert point < 40
    log = house.home / "ledger.sqlite-wal"
    log.write_bytes(log.read_bytes()[:-1000])
    go_on(house, service, few, 20)
    assert content(house) == undisturbed


@pytest.mark.long
def test_a_warehouse_or_its_log_that_is_gone_comes_back_from_the_archive(house, service, few, undisturbed):
    house.environ |= ONE_BY_ONE | {"INNSPECT_SERVICE__BATCH": "2"}
    assert killed(house, few, "after warehouse commit")
    log = house.warehouse.with_name("warehouse.duckdb.wal")
    assert log.stat().st_size
    log.unlink()
    go_on(house, service, few)
    assert content(house) == undisturbed
    billed = service.billed()
    whole = house.tables("core", "current", "lineage")
    house.warehouse.unlink()
    again = house.run(few)
    assert again.code == 0
    assert again.json["calls"] == 0
    assert service.billed() == billed
    assert content(house) == undisturbed
    for name in ("lineage.responses", "lineage.snapshots", "lineage.versions", "lineage.changes", "lineage.calls"):
        assert house.tables("lineage")[name] == whole[name]


@pytest.mark.long
def test_a_flipped_byte_in_the_archive_is_found_and_never_loaded(house, service, few):
    assert house.run(few).code == 0
    (sealed,) = (house.home / "archive" / "answers").glob("*.parquet")
    data = bytearray(sealed.read_bytes())
    data[len(data) // 2] ^= 0x10
    sealed.write_bytes(data)
    findings = house("doctor", "--json")
    assert findings.code == 1
    (archive,) = [one for one in findings.json["checks"] if one["check"] == "archive"]
    assert not archive["ok"]
    assert sealed.name in archive["says"]
    (calls,) = (house.home / "archive" / "calls").glob("*.parquet")
    record = bytearray(calls.read_bytes())
    record[200] ^= 1
    calls.write_bytes(record)
    says = [one["says"] for one in house("doctor", "--json").json["checks"] if one["check"] == "archive"]
    assert [sealed.name in said or calls.name in said for said in says] == [True, True]
    before = house.warehouse.read_bytes()
    told(house("rebuild"), 1, sealed.name, "restore")
    assert house.warehouse.read_bytes() == before
    assert [path.name for path in house.home.glob("*rebuild*")] == []
    house.warehouse.unlink()
    told(house.run(few), 1, sealed.name, "restore")
    assert house.one("SELECT count(*) FROM lineage.responses") == 0
    data[len(data) // 2] ^= 0x10
    sealed.write_bytes(data)
    record[200] ^= 1
    calls.write_bytes(record)
    assert house.run(few).json["calls"] == 0
    assert house.one("SELECT count(*) FROM current.company") == 4
