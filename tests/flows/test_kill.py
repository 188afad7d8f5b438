"""A process killed without warning at any point: nothing received is lost or paid twice, and the next start goes on."""

import re
import sqlite3

import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.stored_links import STATE_TABLE, content_query
from tests.support.cli import (
    COMPANIES,
    PERSONS,
    Cli,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
    write_portfolio,
)
from tests.support.stored_links import wrong_links

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
    "before batch seal",
    "after batch seal",
    "before batch load",
    "after batch load",
}
RUN_TIMES = {"checked_at", "collected_at", "asked_at", "run_id", "first_seen_at", "last_seen_at"}
"""What differs between two runs of the same day."""
OVERLAPPING = (
    "before batch seal 2",
    "after batch seal 2",
    "before batch load 2",
    "before warehouse commit",
    "after batch load",
)
"""Places between the stages of the pipeline, with other batches before and after them."""
ONE_BY_ONE = {"INNSPECT_SERVICE__CONCURRENCY": "1"}


def content(cli: Cli) -> dict:
    """What is known, without when."""
    return cli.tables("core", "current", without=lambda *_: RUN_TIMES)


def ledger_rows(cli: Cli, query: str) -> list[tuple]:
    path = cli.home / "ledger.sqlite"
    if not path.exists():
        return []
    ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return ledger.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []  # killed before the tables were there
    finally:
        ledger.close()


def received(cli: Cli) -> set[tuple]:
    """Every answer that the ledger has an outcome of."""
    query = "SELECT run_id, inn, method FROM calls WHERE state IN ('settled', 'free') AND http_status = 200"
    return set(ledger_rows(cli, query))


def killed(cli: Cli, portfolio, point: int | str, *words: str) -> str | None:
    """Run until the n-th point, or the first of a name; its name, or None where the run came to its end before."""
    done = cli.run(portfolio, "--budget", BUDGET, *words, INNSPECT_FAULT_POINT=str(point))
    if done.code != -9:
        assert done.code == 0, done
        return None
    return re.search(r"^killed at (.*)$", done.err, re.MULTILINE)[1]


def go_on(cli: Cli, service, portfolio, kills: int = 1) -> None:
    """The next start after a kill, and everything that has to hold then."""
    before = received(cli)
    done = cli.run(portfolio, "--budget", BUDGET)
    assert done.code == 0, done
    assert_money_adds_up(cli, service, (kills + 1) * BUDGET)
    assert before <= received(cli) == set(cli.sql("SELECT run_id, inn, method FROM lineage.responses"))
    charged = [(one["inn"], one["method"]) for one in service.charges()]
    unknown = cli.value("SELECT count(*) FROM lineage.calls WHERE state = 'unknown'")
    assert len(charged) - len(set(charged)) <= unknown == cli.status()["unknown_calls"]
    of_runs = cli.sql("SELECT run_id, charged_rub, unknown_rub FROM lineage.runs ORDER BY run_id")
    of_calls = cli.sql(
        "SELECT r.run_id, coalesce(sum(c.charged_rub), 0), coalesce(sum(expected_rub) FILTER (c.state = 'unknown'), 0) "
        "FROM lineage.runs r LEFT JOIN lineage.calls c ON c.run_id = r.run_id GROUP BY r.run_id ORDER BY r.run_id"
    )
    assert of_runs == of_calls
    assert {run for run, _, _ in of_runs} == {run for (run,) in ledger_rows(cli, "SELECT run_id FROM runs")}
    assert cli.sql("SELECT DISTINCT exit_code FROM lineage.runs WHERE exit_code NOT IN (0, 130)") == []


@pytest.fixture(scope="module")
def undisturbed(start_sandbox, tmp_path_factory):
    """What a run that nobody disturbs knows in the end."""
    folder = tmp_path_factory.mktemp("undisturbed")
    cli = Cli(folder / "home", start_sandbox().url)
    assert cli.run(write_portfolio(folder / "few.csv", [*COMPANIES[:3], PERSONS[0]])).code == 0
    return content(cli)


@pytest.mark.parametrize(
    "point", [SPREAD[1], *(pytest.param(point, marks=pytest.mark.long) for point in (SPREAD[0], *SPREAD[2:]))]
)
def test_kill_at_some_failpoints(cli, service, small_portfolio, undisturbed, point):
    cli.environ["INNSPECT_SERVICE__CONCURRENCY"] = "2"
    assert killed(cli, small_portfolio, point) is not None
    go_on(cli, service, small_portfolio)
    assert content(cli) == undisturbed


@pytest.mark.long
@pytest.mark.parametrize(
    "point",
    [
        OVERLAPPING[2],
        *(pytest.param(point, marks=pytest.mark.long) for point in OVERLAPPING if point != OVERLAPPING[2]),
    ],
)
def test_kill_between_two_stages_while_another_batch_is_requested(cli, service, small_portfolio, undisturbed, point):
    # A batch takes a second: the first one is sealed long before the last one's responses have arrived.
    slowly = {"CONCURRENCY": "2", "BATCH": "1", "REQUESTS_PER_SECOND": "2"}
    cli.environ |= {f"INNSPECT_SERVICE__{key}": value for key, value in slowly.items()}
    assert killed(cli, small_portfolio, point) == point.removesuffix(" 2")
    begun = {inn for (inn,) in ledger_rows(cli, "SELECT inn FROM calls")}
    loaded = {inn for (inn,) in cli.sql("SELECT inn FROM lineage.responses")}
    # The calls of a batch are made before the one before it is loaded.
    assert loaded < begun
    go_on(cli, service, small_portfolio)
    assert content(cli) == undisturbed


@pytest.mark.long
def test_a_plan_after_a_kill_stores_the_links_that_reports_read(cli, tmp_path, small_portfolio):
    assert cli.run(write_portfolio(tmp_path / "one.csv", COMPANIES[:1]), "--budget", BUDGET).code == 0
    assert killed(cli, small_portfolio, "before warehouse load") is not None
    assert cli("plan", small_portfolio).code == 0
    with Warehouse(cli.warehouse, read_only=True) as warehouse:
        assert warehouse.query("SELECT count(DISTINCT inn) FROM lineage.snapshots").item() > 1
        assert warehouse.query(f"SELECT content FROM {STATE_TABLE}").item() == warehouse.query(content_query()).item()
        assert wrong_links(warehouse) == []


@pytest.mark.vast
def test_kill_at_every_failpoint(tmp_path, service, small_portfolio, undisturbed):
    names = {}
    for point in range(1, MOST):
        service.reset()
        cli = Cli(tmp_path / f"home{point}", service.url, ONE_BY_ONE)
        names[point] = killed(cli, small_portfolio, point)
        if names[point] is None:
            break
        go_on(cli, service, small_portfolio)
        assert content(cli) == undisturbed, names[point]
    assert names[point] is None
    assert set(names.values()) == POINTS | {None}


@pytest.mark.vast
def test_repeated_kills_also_during_recovery(cli, service, small_portfolio, undisturbed):
    kills = 0
    for point in range(1, MOST, 3):
        if killed(cli, small_portfolio, point) is None:
            break
        kills += 1
    assert kills > 5
    go_on(cli, service, small_portfolio, kills)
    assert content(cli) == undisturbed


SILENT = """
[[script]]
fault = "sources_down"
method = "full-check"
nth = 0
blocks = ["freezes", "rnp"]
"""


@pytest.mark.long
def test_next_run_makes_the_repairs_of_a_killed_run(start_faulty_sandbox, tmp_path, small_portfolio):
    service = start_faulty_sandbox(SILENT)
    cli = Cli(tmp_path / "home", service.url)
    assert killed(cli, small_portfolio, "before warehouse load") == "before warehouse load"
    assert service.bill_total() == 120
    planned = cli("plan", small_portfolio, "--json").json
    assert (planned["planned_calls"], planned["expected_rub"], planned["maximum_rub"]) == (0, "0.00", "33.00")
    without = cli.run(small_portfolio, "--no-repair")
    assert (without.code, without.json["calls"]) == (0, 0)
    go_on(cli, service, small_portfolio)
    repaired = [(one["inn"], one["method"]) for one in service.charges() if one["method"] in ("freezes", "rnp")]
    assert sorted(repaired) == sorted((inn, method) for inn in COMPANIES[:3] for method in ("freezes", "rnp"))
    again = cli.run(small_portfolio)
    assert (again.code, again.json["calls"]) == (0, 0)


@pytest.mark.long
def test_home_moved_after_a_kill_is_recovered(cli, service, small_portfolio, undisturbed):
    assert killed(cli, small_portfolio, 40) is not None
    moved = Cli(cli.home.with_name("elsewhere"), service.url)
    cli.home.rename(moved.home)
    go_on(moved, service, small_portfolio)
    assert content(moved) == undisturbed


@pytest.mark.long
def test_outbox_is_not_shared_between_homes_of_one_ledger(tmp_path, service, small_portfolio, undisturbed):
    shared = {"INNSPECT_STORES__LEDGER": f"sqlite:///{tmp_path / 'shared.sqlite'}"}
    one, other = (Cli(tmp_path / name, service.url, dict(shared)) for name in ("one", "other"))
    assert killed(one, small_portfolio, "before archive rename 2")
    waiting = one.status()["outbox"]
    assert waiting > 0
    done = other.run(write_portfolio(tmp_path / "another.csv", [COMPANIES[4]]), "--no-repair")
    assert done.code == 0, done
    assert other.sql("SELECT DISTINCT inn FROM lineage.responses") == [(COMPANIES[4],)]
    assert one.status()["outbox"] == waiting
    done = one.run(small_portfolio)
    assert done.code == 0, done
    assert_no_call_paid_twice(service)
    assert content(one) == undisturbed
    assert one.value("SELECT count(*) FROM lineage.calls WHERE inn = ?", COMPANIES[4]) == 0
    assert assert_money_adds_up(one, service) == (service.bill_total(), 0)


@pytest.mark.long
def test_another_ledger_is_refused_while_the_one_of_the_home_has_responses(cli, tmp_path, service, small_portfolio):
    # The other ledger does not have them: the whole portfolio was paid for again.
    assert killed(cli, small_portfolio, "before batch seal")
    other = {"INNSPECT_STORES__LEDGER": f"sqlite:///{tmp_path / 'other.sqlite'}"}
    known, charges = {call[1:] for call in received(cli)}, len(service.charges())
    message = assert_fails(cli.run(small_portfolio, **other), 2, "ledger.sqlite", "stores.ledger", "1 unfinished run")
    assert "paid responses" in message
    assert len(service.charges()) == charges
    assert cli("plan", small_portfolio).code == 0
    assert cli.run(small_portfolio, **other).code == 0
    assert known
    assert not known & {(charge["inn"], charge["method"]) for charge in service.charges()[charges:]}


@pytest.mark.long
def test_torn_last_write_of_the_ledger_is_ignored(cli, service, small_portfolio, undisturbed):
    cli.environ |= ONE_BY_ONE
    point = 23
    while killed(cli, small_portfolio, point) != "after ledger commit":
        point += 1
        assert point < 40
    log = cli.home / "ledger.sqlite-wal"
    log.write_bytes(log.read_bytes()[:-1000])
    go_on(cli, service, small_portfolio, 20)
    assert content(cli) == undisturbed


@pytest.mark.long
def test_missing_warehouse_or_log_is_restored_from_the_archive(cli, service, small_portfolio, undisturbed):
    cli.environ |= ONE_BY_ONE | {"INNSPECT_SERVICE__BATCH": "2"}
    assert killed(cli, small_portfolio, "after warehouse commit")
    log = cli.warehouse.with_name("warehouse.duckdb.wal")
    assert log.stat().st_size
    log.unlink()
    go_on(cli, service, small_portfolio)
    assert content(cli) == undisturbed
    billed = service.bill_total()
    whole = cli.tables("core", "current", "lineage")
    cli.warehouse.unlink()
    again = cli.run(small_portfolio)
    assert again.code == 0
    assert again.json["calls"] == 0
    assert service.bill_total() == billed
    assert content(cli) == undisturbed
    for name in ("lineage.responses", "lineage.snapshots", "lineage.versions", "lineage.changes", "lineage.calls"):
        assert cli.tables("lineage")[name] == whole[name]


@pytest.mark.long
def test_flipped_byte_in_the_archive_is_detected_and_never_loaded(cli, service, small_portfolio):
    assert cli.run(small_portfolio).code == 0
    (sealed,) = (cli.home / "archive" / "answers").glob("*.parquet")
    data = bytearray(sealed.read_bytes())
    data[len(data) // 2] ^= 0x10
    sealed.write_bytes(data)
    findings = cli("doctor", "--json")
    assert findings.code == 1
    (archive,) = [one for one in findings.json["checks"] if one["check"] == "archive"]
    assert not archive["ok"]
    assert sealed.name in archive["says"]
    (calls,) = (cli.home / "archive" / "calls").glob("*.parquet")
    record = bytearray(calls.read_bytes())
    record[200] ^= 1
    calls.write_bytes(record)
    says = [one["says"] for one in cli("doctor", "--json").json["checks"] if one["check"] == "archive"]
    assert [sealed.name in said or calls.name in said for said in says] == [True, True]
    before = cli.warehouse.read_bytes()
    assert_fails(cli("rebuild"), 1, sealed.name, "restore")
    assert cli.warehouse.read_bytes() == before
    assert [path.name for path in cli.home.glob("*rebuild*")] == []
    cli.warehouse.unlink()
    assert_fails(cli.run(small_portfolio), 1, sealed.name, "restore")
    assert cli.value("SELECT count(*) FROM lineage.responses") == 0
    data[len(data) // 2] ^= 0x10
    sealed.write_bytes(data)
    record[200] ^= 1
    calls.write_bytes(record)
    assert cli.run(small_portfolio).json["calls"] == 0
    assert cli.value("SELECT count(*) FROM current.company") == 4


def write_ledger(cli: Cli, statement: str) -> None:
    ledger = sqlite3.connect(cli.home / "ledger.sqlite")
    with ledger:
        ledger.execute(statement)
    ledger.close()


@pytest.mark.long
def test_a_damaged_response_in_the_outbox_holds_up_no_other(cli, service, small_portfolio):
    assert killed(cli, small_portfolio, "before batch seal", "--profile", "light") is not None
    outbox = ledger_rows(cli, "SELECT response_id, hex(body) FROM outbox ORDER BY seq")
    (damaged, intact), others = outbox[0], {response for response, _ in outbox[1:]}
    assert others
    write_ledger(cli, f"UPDATE outbox SET body = x'{intact[:-8]}00000000' WHERE response_id = '{damaged}'")
    planned = cli("plan", small_portfolio, "--profile", "light")
    assert planned.code == 0
    assert f"Warning: 1 response in the ledger's outbox cannot be read: {damaged}" in planned.err
    assert {response for (response,) in cli.sql("SELECT response_id FROM lineage.responses")} == others
    assert f"cannot be read: {damaged}" in cli("doctor").out
    # As docs/operations.md describes, with the body of a copy: the paid response is not paid for again.
    write_ledger(cli, f"UPDATE outbox SET body = x'{intact}' WHERE response_id = '{damaged}'")
    done = cli.run(small_portfolio, "--profile", "light")
    assert done.code == 0
    assert "Warning" not in done.err
    assert {damaged} | others <= {response for (response,) in cli.sql("SELECT response_id FROM lineage.responses")}
    assert_money_adds_up(cli, service)
    assert_no_call_paid_twice(service)


@pytest.mark.long
def test_a_response_damaged_during_a_run_makes_it_incomplete(cli, service, small_portfolio):
    assert cli("plan", small_portfolio).code == 0
    write_ledger(
        cli,
        "CREATE TRIGGER damage AFTER INSERT ON outbox "
        f"WHEN (SELECT inn FROM calls WHERE call_id = NEW.call_id) = '{COMPANIES[0]}' "
        "BEGIN UPDATE outbox SET body = x'00' WHERE response_id = NEW.response_id; END",
    )
    assert cli.run(small_portfolio).code == 6
    asked = {inn for (inn,) in ledger_rows(cli, "SELECT DISTINCT inn FROM calls")}
    assert {inn for (inn,) in cli.sql("SELECT inn FROM lineage.responses")} == asked - {COMPANIES[0]}
    assert cli.value("SELECT sum(charged_rub) FROM lineage.calls") == service.bill_total()
    write_ledger(cli, "DROP TRIGGER damage")
    again = cli.run(small_portfolio)
    assert again.code == 0
    assert "Warning: " in again.err
    assert "in the ledger's outbox cannot be read" in again.err
    assert cli.value(f"SELECT count(*) FROM lineage.responses WHERE inn = '{COMPANIES[0]}'") > 0
