"""The warehouse can be deleted and comes back from the archive, offline, identical in every table."""

from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from innspect.extract.archive.archive import Archive
from innspect.flows import rebuild
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file
from innspect.schemas.settings import load_settings
from tests.support.cli import COMPANIES, PERSONS, Cli, assert_fails, write_portfolio
from tests.support.command_process import serve_sandbox

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
APART = (date(2026, 11, 1), date(2027, 1, 20), date(2027, 6, 5))
MONTH = tuple(date(2026, 11, 1) + timedelta(days=number) for number in range(30))
SCHEMAS = ("core", "current", "lineage", "mart", "raw")


def everything(cli: Cli) -> dict:
    """Every row of every table and view."""
    return cli.tables(*SCHEMAS, without=volatile)


def volatile(schema: str, table: str) -> tuple[str, ...]:
    """Ages and the time of the judgement depend on the time of the query."""
    return ("age_days", "assessed_at") if schema == "mart" and table != "risk_history" else ()


def differing(one: dict, other: dict) -> dict:
    assert list(one) == list(other)
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def run_days(cli: Cli, portfolio: Path, days: tuple[date, ...], faults: Path) -> None:
    """A run on each day, taking turns in how they ask: all in one call, or what changes often by its own methods."""
    for number, day in enumerate(days):
        with serve_sandbox(["--day", str(day), "--faults", str(faults)]) as cli.url:
            for profile in ("full", "monitor") if len(days) < 5 else (("full", "full", "monitor")[number % 3],):
                assert cli.run(portfolio, "--refresh", "--profile", profile).code in (0, 6)


@pytest.mark.parametrize(
    ("count", "days"),
    [
        pytest.param(6, APART[:2], marks=pytest.mark.long, id="few"),
        pytest.param(10, MONTH[::3], marks=pytest.mark.long(first=True), id="every third day"),
        pytest.param(10, MONTH, marks=pytest.mark.vast, id="month"),
        pytest.param(200, APART, marks=pytest.mark.vast, id="many"),
    ],
)
def test_rebuild_after_outages_and_bad_data_is_identical(tmp_path, count, days):
    faults = tmp_path / "faults.toml"
    faults.write_text(ROUGH)
    inns = [*COMPANIES[:4], *PERSONS[:2]] if count == 6 else sample_inns(count, 5, persons=0.1)
    cli = Cli(tmp_path / "home", environ={"INNSPECT_SERVICE__BATCH": str(count // 2)})
    cli.environ["INNSPECT_BUDGET__RUN_RUB"] = "100000"
    run_days(cli, write_portfolio(tmp_path / "some.csv", inns), days, faults)
    before = everything(cli)
    for some in (
        "lineage.changes",
        # Two days of six INNs have no partial response that lacks a known row.
        *(["lineage.kept_rows"] if count > 6 else []),
        "lineage.signal_changes WHERE from_state IS NOT NULL",
        "mart.risk_history WHERE change <> 'first'",
        "lineage.violations",
        "lineage.drift",
        "lineage.snapshots WHERE state = 'partial'",
        "lineage.snapshots WHERE state = 'unavailable' OR state = 'unconfirmed'",
        "lineage.calls WHERE state = 'unknown'",
    ):
        assert cli.value(f"SELECT count(*) FROM {some}") > 0, some
    assert cli.value("SELECT count(*) FROM lineage.runs") >= len(days)
    for _ in range(2):
        done = cli("rebuild", "--json", INNSPECT_BASE_URL="http://127.0.0.1:9", INNSPECT_API_KEY="")
        assert done.code == 0, done
        assert differing(before, everything(cli)) == {}
        cli.warehouse.unlink()
    assert done.json["snapshots"] == len(before["lineage.snapshots"])
    assert done.json["core_rows"] == sum(len(rows) for name, rows in before.items() if name.startswith("core."))


@pytest.mark.long
def test_records_that_lack_memory_after_some_were_committed_are_loaded_again(
    cli, service, small_portfolio, monkeypatch
):
    for _ in range(2):
        assert cli.run(small_portfolio, "--refresh").code == 0
    before = everything(cli)
    loaded, load_records = [], rebuild.load_records

    def load_and_refuse_once(warehouse, kind, rows, file):
        load_records(warehouse, kind, rows, file)
        loaded.append(file)
        if len(loaded) == 4:
            raise duckdb.OutOfMemoryException

    monkeypatch.setattr(rebuild, "MAX_UNCOMMITTED_RECORDS", 1)
    monkeypatch.setattr(rebuild, "load_records", load_and_refuse_once)
    settings = load_settings(None, {"INNSPECT_HOME": str(cli.home)}, {})
    rebuild.rebuild_warehouse(settings, Archive(cli.home / "archive"))
    assert loaded[4:8] == loaded[:4]
    assert differing(before, everything(cli)) == {}


@pytest.mark.long
def test_failed_rebuild_keeps_the_old_file(cli, service, small_portfolio):
    assert cli.run(small_portfolio).code == 0
    before = everything(cli)
    killed = cli("rebuild", INNSPECT_FAULT_POINT="before rebuild replace")
    assert killed.code == -9
    assert everything(cli) == before
    (sealed,) = (cli.home / "archive" / "answers").glob("*.parquet")
    aside = sealed.with_suffix(".aside")
    sealed.rename(aside)
    sealed.write_bytes(b"PAR1 but not quite PAR1")
    assert_fails(cli("rebuild"), 1, sealed.name)
    # Only `raw` reads the damaged file.
    kept = SCHEMAS[:-1]
    assert cli.tables(*kept, without=volatile) == {name: rows for name, rows in before.items() if name.startswith(kept)}
    aside.rename(sealed)
    assert cli("rebuild").code == 0
    assert everything(cli) == before
    assert sorted(path.name for path in cli.home.glob(".*rebuild*")) == []


def test_rebuild_without_an_archive_is_reported(tmp_path):
    cli = Cli(tmp_path / "nobody")
    assert_fails(cli("rebuild"), 2, "archive", "--home")
    assert_fails(cli("status"), 2, "ledger", "--home")
    assert_fails(cli("sql", "SELECT 1"), 2, "warehouse", "--home")


@pytest.mark.long
def test_policies_of_earlier_times_come_back(cli, service, small_portfolio, tmp_path):
    """The policy that judged then judges a dossier of then, also after a rebuild without the old file."""
    assert cli.run(small_portfolio, "--profile", "light").code == 0
    known = "SELECT policy_version, name, position, portfolios, tags, policy, first_used_at FROM lineage.policies"
    policy = tmp_path / "other.toml"
    text = built_in_file().read_text("utf-8")
    policy.write_text(text.replace("critical = 60", "critical = 90", 1), encoding="utf-8")
    cli.environ["INNSPECT_RISK_POLICY"] = str(policy)
    assert cli("policy", "--apply").code == 0
    before = cli.sql(f"{known} ORDER BY first_used_at")
    assert len(before) == 2
    cli.warehouse.unlink()
    assert cli("rebuild").code == 0
    assert cli.sql(f"{known} ORDER BY first_used_at") == before
    # One that was never used before judges since the rebuild.
    policy.write_text(text.replace("critical = 60", "critical = 80", 1), encoding="utf-8")
    assert cli("rebuild").code == 0
    after = cli.sql(f"{known} ORDER BY first_used_at")
    assert [row[0] for row in after[:2]] == [row[0] for row in before]
    assert after[2][-1] > before[1][-1]
    assert [row[2] for row in after] == [None, None, 1]


@pytest.mark.long
def test_members_who_joined_later_have_no_history_of_before(cli, service, tmp_path):
    companies = [inn for inn in sample_inns(40, 7) if len(inn) == 10][:12]
    assert cli.run(write_portfolio(tmp_path / "first.csv", companies)).code == 0
    linked = cli.sql(
        "SELECT DISTINCT person_inn FROM mart.people JOIN mart.risk_score USING (inn) "
        "WHERE length(person_inn) = 12 AND level_known IN ('high', 'critical') ORDER BY 1 LIMIT 2"
    )
    assert linked
    assert cli.run(write_portfolio(tmp_path / "second.csv", [inn for (inn,) in linked])).code in (0, 6)
    assessed = "SELECT run_id, inn, level, score FROM lineage.assessments ORDER BY ALL"
    before = cli.sql(assessed)
    assert cli("rebuild").code == 0
    assert cli.sql(assessed) == before
