"""A run prepares the published copy while it requests: the result is the same, whatever ends it."""

import json
from collections import Counter
from errno import ENOSPC
from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace

import duckdb
import polars as pl
import pytest

from innspect.extract.failpoints import VARIABLE
from innspect.flows.prepared_copy import MEMORY_MEGABYTES, MIN_INNS, PREPARED, PreparedCopy
from innspect.flows.publish import publish_copy
from innspect.schemas.settings import load_settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish import copy_builder, file_clone
from innspect.warehouse.publish.copy_builder import BuiltCopy
from innspect.warehouse.publish.file_clone import FileClone, clone_file
from tests.support.cli import COMPANIES, Cli, Service, assert_money_adds_up, interrupt_when, rub, write_portfolio
from tests.support.published_copies import differing_parquet, differing_relations

OFTEN = {
    "INNSPECT_PUBLISH__PREPARE_INNS": "1",
    "INNSPECT_SERVICE__BATCH": "1",
    "INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2",
}
"""A preparation after each load, and time for one of them."""
SLOWLY = {"INNSPECT_SERVICE__REQUESTS_PER_SECOND": "1"}
"""Time for two preparations on a machine under load."""


@pytest.fixture
def portfolio(tmp_path) -> Path:
    return write_portfolio(tmp_path / "some.csv", COMPANIES[:6])


@pytest.fixture
def preparing(cli, portfolio) -> Cli:
    """A home with a published copy, whose runs prepare the next one."""
    cli.environ |= {"INNSPECT_PUBLISH__AFTER_RUN": "true", "INNSPECT_PUBLISH__PARQUET": "all"}
    done, events = run(cli, portfolio, INNSPECT_PUBLISH__PREPARE_INNS="1")
    assert done.code == 0, done
    assert events == [], "there is no copy to continue"
    cli.environ |= OFTEN
    return cli


def run(cli: Cli, portfolio: Path, *arguments: str, **environ: str):
    """The result of a run that requests everything again, and the events of its preparations."""
    log = cli.home.with_name("run.log")
    log.unlink(missing_ok=True)
    profile = ("--profile", "light", "--refresh", "--no-repair")
    done = cli("run", portfolio, "--direct", "--json", *profile, *arguments, "--log-file", log, **environ)
    events = [json.loads(line)["event"] for line in log.read_text("utf-8").splitlines()]
    return done, [event for event in events if event in ("copy.prepared", "copy.not_prepared", "copy.completed")]


def assert_money_is_right(cli: Cli, service: Service) -> None:
    """Assert that the bill is what the runs know of, and that no answer was paid twice after the first run."""
    charged, unknown = assert_money_adds_up(cli, service)
    assert charged <= service.bill_total() <= charged + unknown
    calls = Counter((charge["inn"], charge["method"]) for charge in service.charges())
    lost = set(cli.sql("SELECT inn, method FROM lineage.calls WHERE state = 'unknown'"))
    assert {call for call, number in calls.items() if number > 2} <= lost


def differing(cli: Cli, tmp_path: Path) -> list[str]:
    """What differs between the copy, its Parquet files, and a copy that is built from nothing."""
    folder = cli.home / "published"
    assert [path.name for path in folder.glob(".*") if "prepared" in path.name or ".part" in path.name] == []
    copy = folder / "innspect.duckdb"
    parquet = differing_parquet(copy, folder / "parquet")
    copyfile(copy, kept := tmp_path / "kept.duckdb")
    (folder / ".watermark.json").unlink()
    done = cli("publish", "--json")
    assert done.json["delta"] is False
    return parquet + differing_relations(kept, copy)


@pytest.mark.long
def test_prepared_copy_equals_one_from_nothing(preparing, portfolio, tmp_path):
    done, events = run(preparing, portfolio, **SLOWLY)
    assert done.code == 0, done
    assert events.count("copy.prepared") >= 2
    assert "copy.not_prepared" not in events
    assert events[-1] == "copy.completed", "the end of the run continues it"
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_prepared_copy_with_exclusions_equals_one_from_nothing(preparing, portfolio, tmp_path):
    preparing.environ["INNSPECT_PUBLISH__EXCLUDE"] = '["core.company.director", "mart.coverage.name"]'
    done, events = run(preparing, portfolio)
    assert done.code == 0, done
    assert events == [], "another exclusion: there is no copy to continue"
    done, events = run(preparing, portfolio, **SLOWLY)
    assert done.code == 0, done
    assert events.count("copy.prepared") >= 2
    assert events[-1] == "copy.completed"
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_a_run_of_few_inns_continues_a_clone_of_the_published_copy(preparing, portfolio, tmp_path):
    done, events = run(preparing, portfolio, INNSPECT_PUBLISH__PREPARE_INNS="9000")
    assert done.code == 0, done
    assert events == ["copy.completed"]
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("has_space", [True, False])
def test_clone_that_fails_or_has_no_space_is_left(preparing, portfolio, tmp_path, monkeypatch, has_space):
    def fail(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    assert preparing.run(portfolio, "--profile", "light", "--refresh", INNSPECT_PUBLISH__AFTER_RUN="false").code == 0
    settings = load_settings(None, {"INNSPECT_HOME": str(preparing.home)}, {})
    with Warehouse(preparing.warehouse, preparing.home / "archive") as warehouse:
        with PreparedCopy(settings, warehouse) as prepared, monkeypatch.context() as patch:
            if has_space:
                patch.setattr(file_clone, "clone_file", fail)
            else:
                patch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1_000_000))
            prepared.add_loaded(6)
            assert prepared.take(tmp_path / "copy.duckdb") is None
        assert publish_copy(settings, warehouse).is_delta, "it continues the published copy"
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_ctrl_c_while_the_end_of_a_run_waits_for_the_clone_ends_the_run(preparing, portfolio, tmp_path, monkeypatch):
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    assert preparing.run(portfolio, "--profile", "light", "--refresh", INNSPECT_PUBLISH__AFTER_RUN="false").code == 0
    settings = load_settings(None, {"INNSPECT_HOME": str(preparing.home)}, {})
    monkeypatch.setattr(FileClone, "finish", interrupt)
    with (
        Warehouse(preparing.warehouse, preparing.home / "archive") as warehouse,
        PreparedCopy(settings, warehouse) as prepared,
    ):
        prepared.add_loaded(6)
        with pytest.raises(KeyboardInterrupt):
            prepared.take(tmp_path / "copy.duckdb")
    assert not (preparing.home / "published" / PREPARED).exists()


@pytest.mark.parametrize("is_in_kernel", [True, False])
def test_clone_that_is_cancelled_ends(tmp_path, monkeypatch, is_in_kernel):
    if not is_in_kernel:
        monkeypatch.delattr("os.copy_file_range", raising=False)
    (source := tmp_path / "source").write_bytes(b"content")
    clone_file(source, target := tmp_path / "target", lambda: True)
    assert target.read_bytes() == b""
    FileClone(source, target).finish()
    assert target.read_bytes() == b"content"


@pytest.mark.long
def test_wrong_exclusion_does_not_stop_a_run(preparing, portfolio):
    done, events = run(preparing, portfolio, INNSPECT_PUBLISH__EXCLUDE='["core.compny"]')
    assert events == []
    assert "The run is loaded, but not published. publish.exclude names core.compny" in done.err
    assert done.json["calls"] == 18


@pytest.mark.long
def test_calls_are_recorded_in_parts(start_faulty_sandbox, make_cli, portfolio):
    """Each call is in one file of the archive: one that a part could not have as it was settled is in the last."""
    lost = COMPANIES[0]
    service = start_faulty_sandbox(f'[[script]]\nfault = "never_sent"\nmethod = "brief"\ninn = "{lost}"\nnth = 2\n')
    cli = make_cli(service.url, {"INNSPECT_PUBLISH__AFTER_RUN": "true", "INNSPECT_BUDGET__ACCOUNT_IS_OURS": "true"})
    assert run(cli, portfolio)[0].code == 0
    done, events = run(cli, portfolio, **OFTEN | SLOWLY)
    assert events.count("copy.prepared") >= 2, done
    files = sorted((cli.home / "archive" / "calls").glob(f"{done.json['run_id']}-*.parquet"))
    assert len(files) > 2
    recorded = pl.concat([pl.read_parquet(file) for file in files])
    assert recorded["call_id"].is_unique().all()
    assert recorded.height == done.json["calls"] == 3 * len(COMPANIES[:6])
    last = pl.read_parquet(files[-1]).filter(pl.col("reason").is_not_null())
    assert last.select("inn", "method", "state").rows() == [(lost, "brief", "settled")]
    assert rub(recorded["charged_rub"].sum()) == rub(done.json["charged_rub"])
    loaded = "SELECT call_id, state, charged_rub FROM lineage.calls WHERE run_id = ? ORDER BY ALL"
    assert cli.sql(loaded, done.json["run_id"]) == sorted(recorded.select("call_id", "state", "charged_rub").rows())
    assert_money_is_right(cli, service)


@pytest.mark.long
@pytest.mark.parametrize(
    "point",
    ["after calls seal", "before copy preparation", "after copy preparation", "after copy preparation 2"],
)
def test_kill_during_the_preparation_loses_nothing(preparing, portfolio, service, tmp_path, point):
    done, _ = run(preparing, portfolio, **{VARIABLE: point}, **(SLOWLY if point.endswith("2") else {}))
    assert done.code == -9, done
    assert f"killed at {point.removesuffix(' 2')}" in done.err
    assert (preparing.home / "published" / PREPARED).exists(), "its clone began with the first load"
    done = preparing.run(portfolio, "--profile", "light", "--no-repair")
    assert done.code == 0, done
    assert_money_is_right(preparing, service)
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_interrupted_preparation_loses_nothing(preparing, portfolio, service, tmp_path):
    log = tmp_path / "interrupted.log"
    words = ("--direct", "--json", "--profile", "light", "--refresh", "--no-repair", "--log-file", log)
    running = preparing.start("run", portfolio, *words)
    # Another preparation begins soon after the first one.
    interrupt_when(running, lambda: log.exists() and "copy.prepared" in log.read_text("utf-8"))
    done = preparing.run(portfolio, "--profile", "light", "--no-repair")
    assert done.code == 0, done
    assert_money_is_right(preparing, service)
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_a_copy_that_cannot_be_prepared_is_made_at_the_end(preparing, portfolio, tmp_path):
    obstacle = preparing.home / "published" / PREPARED
    obstacle.mkdir()
    done, events = run(preparing, portfolio)
    assert done.code == 0, done
    assert events == ["copy.not_prepared"]
    obstacle.rmdir()
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_prepared_copy_that_cannot_be_continued_is_left(preparing, portfolio, tmp_path):
    assert preparing.run(portfolio, "--profile", "light", "--refresh", INNSPECT_PUBLISH__AFTER_RUN="false").code == 0
    settings = load_settings(None, {"INNSPECT_HOME": str(preparing.home), **OFTEN}, {})
    with Warehouse(preparing.warehouse, preparing.home / "archive") as warehouse:
        with PreparedCopy(settings, warehouse) as prepared:
            prepared.add_loaded(6)
            assert prepared.is_due(100, 1000)
            prepared.advance()
            assert not prepared.is_due(100, 1000)
            (settings.published_folder / PREPARED).write_bytes(b"no database")
            published = publish_copy(settings, warehouse, prepared)
        assert published.is_delta, "it continues the published copy"
        assert published.copy.stat().st_size > 1_000_000
    assert differing(preparing, tmp_path) == []


@pytest.mark.long
def test_after_the_first_preparation_as_many_inns_as_are_still_to_be_requested_are_enough(preparing, portfolio):
    assert preparing.run(portfolio, "--profile", "light", "--refresh", INNSPECT_PUBLISH__AFTER_RUN="false").code == 0
    settings = load_settings(None, {"INNSPECT_HOME": str(preparing.home), **OFTEN}, {"publish": {"prepare_inns": 9000}})
    with (
        Warehouse(preparing.warehouse, preparing.home / "archive") as warehouse,
        PreparedCopy(settings, warehouse) as prepared,
    ):
        prepared.add_loaded(8999)
        assert not prepared.is_due(1, 1000), "a run of fewer INNs prepares nothing"
        prepared.add_loaded(1)
        assert prepared.is_due(90_000, 1000)
        prepared.advance()
        prepared.add_loaded(4000)
        assert not prepared.is_due(5000, 1000)
        assert prepared.is_due(4000, 1000)
        assert not prepared.is_due(4000, 0.001), "the last calls would wait for it"
        prepared.add_loaded(5000)
        assert prepared.is_due(90_000, 1000)
        prepared.advance()
        prepared.add_loaded(MIN_INNS - 1)
        assert not prepared.is_due(1, 1000)
        prepared.add_loaded(1)
        assert prepared.is_due(1, 1000)


@pytest.mark.long
def test_preparation_is_not_repeated_without_a_limit_of_memory(preparing, portfolio, tmp_path, monkeypatch):
    assert preparing.run(portfolio, "--profile", "light", "--refresh", INNSPECT_PUBLISH__AFTER_RUN="false").code == 0
    settings = load_settings(None, {"INNSPECT_HOME": str(preparing.home), **OFTEN}, {})
    limits: list[str | None] = []

    def build(limit: str | None, *_: object, **__: object) -> BuiltCopy:
        limits.append(limit)
        raise duckdb.OutOfMemoryException("Out of Memory Error")

    monkeypatch.setattr(copy_builder, "_build_within", build)
    with (
        Warehouse(preparing.warehouse, preparing.home / "archive") as warehouse,
        PreparedCopy(settings, warehouse) as prepared,
    ):
        prepared.add_loaded(6)
        prepared.advance()
        assert prepared.take(tmp_path / "copy.duckdb") is None
    assert limits == [f"{MEMORY_MEGABYTES}MB"]
