"""A copy that continues the previous one equals a copy that is built from nothing, after whatever was loaded."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count, cycle
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import Any

import duckdb
import polars as pl
import pytest

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.load import update_archive_files
from innspect.warehouse.marts.registry import mart_blocks, mart_comments, mart_moving_columns
from innspect.warehouse.publish import copy_builder, inn_marts, marts, parquet, watermark
from innspect.warehouse.publish.copy_builder import BuiltCopy, CopyInfo, build_copy
from innspect.warehouse.publish.exclude import parse_exclusion
from innspect.warehouse.publish.parquet import MAX_FILES, find_previous_files, write_parquet_files
from innspect.warehouse.publish.watermark import PreviousCopy, find_previous
from innspect.warehouse.risk.policy_store import store_policies
from tests.support.builders import Response, load_record, load_responses
from tests.support.published_copies import differing_parquet, differing_relations
from tests.support.stored_links import wrong_links
from tests.support.stored_news import wrong_news
from tests.support.stored_risk import wrong_risk

INNS = sample_inns(6, 5)
START = datetime(2026, 11, 1)
EXCLUDED = ("core.company.director", "lineage.snapshots.reason", "mart.spend")
Step = Callable[["History"], None]


class History:
    """A warehouse that grows step by step, published after each."""

    def __init__(self, warehouse: Warehouse, folder: Path, patterns: tuple[str, ...] = ()) -> None:
        self.warehouse, self.folder, self.patterns = warehouse, folder, patterns
        self.numbers = count()
        self.publications = count()
        self.parquet: Path | None = None
        self.previous_token = ""
        self.max_files = MAX_FILES
        self.files: dict[str, list[dict[str, object]]] = {}
        """Parquet files of the tables of `core`."""
        self.record = folder / "watermark.json"
        self.copy = folder / "copy.duckdb"

    def build(self, path: Path, previous: PreviousCopy | None, chunk_inns: int | None = None) -> BuiltCopy:
        info = CopyInfo(datetime(2026, 11, 21, 9), "1.0+abc", self.patterns)
        return build_copy(self.warehouse, path, parse_exclusion(self.patterns), info, previous, chunk_inns)

    def publish(self, *, compare: bool = True) -> bool:
        """Publish with two INNs at once, compare with a copy built from nothing with all INNs at once.

        Returns whether the former was a delta.
        """
        new = self.folder / "new.duckdb"
        built = self.build(new, find_previous(self.copy, self.record), 2)
        if compare:
            complete = self.folder / "complete.duckdb"
            assert self.build(complete, None).left_out == built.left_out
            assert differing_relations(new, complete) == []
            complete.unlink()
        self.publish_parquet(new, built, compare=compare)
        new.replace(self.copy)
        self.record.write_bytes(built.watermark.with_file(self.copy).encode())
        return built.is_delta

    def publish_parquet(self, copy: Path, built: BuiltCopy, *, compare: bool) -> None:
        """Write Parquet files and compare them with the copy."""
        folder = self.folder / f"parquet-{next(self.publications)}"
        folder.mkdir()
        previous = self.parquet and find_previous_files(self.parquet, self.previous_token)
        manifest = write_parquet_files(copy, folder, built, "all", previous, self.max_files)
        self.parquet, self.previous_token = folder, built.watermark.token
        self.files = {entry["name"]: entry["files"] for entry in manifest["tables"] if entry["schema"] == "core"}
        if compare:
            assert differing_parquet(copy, folder) == []

    def find_mart_inodes(self) -> dict[str, int]:
        """The inode of the Parquet file of each mart; it has the same rows as the copy, which `publish` compared."""
        assert self.parquet is not None
        return {path.parent.name.removeprefix("mart."): path.stat().st_ino for path in self.parquet.glob("mart.*/*")}

    def copied(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of a query of the copy."""
        with duckdb.connect(str(self.copy), read_only=True) as connection:
            return connection.execute(query).fetchall()

    def find_orders(self) -> dict[str, str]:
        """The INNs of each mart in the order of its rows: another one if rows of some of them were written again."""
        inns = "SELECT string_agg(inn, ' ' ORDER BY rowid) FROM mart"
        return {name: str(self.copied(f"{inns}.{name}")[0][0]) for name in mart_moving_columns()}

    def load(self, day: int, inns: list[str], *methods: str, asked: int | None = None) -> None:
        """Load responses of a sandbox day, requested on that day or on the day `asked`."""
        bodies = ResponseCache(0, (DEFAULT_DAY + timedelta(days=day)).toordinal(), 1 << 20)
        at = START + timedelta(days=day if asked is None else asked)
        number = next(self.numbers)
        answers = [
            Response(
                method,
                bodies.body(inn, method).payload,
                inn,
                asked_at=at + timedelta(minutes=number),
                name=f"{number}-{inn}-{method}",
            )
            for inn in inns
            for method in methods or ("full-check",)
        ]
        load_responses(self.warehouse, *answers)

    def load_record(self, kind: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Load records of a run."""
        load_record(self.warehouse, kind, *rows, file=f"{kind}/{next(self.numbers)}.parquet")


def check_all(history: History) -> None:
    history.load(0, INNS)


def check_again(history: History) -> None:
    history.load(1, INNS[:3])


def check_later(history: History) -> None:
    history.load(45, INNS, "full-check", "fssp")


def check_without_news(history: History) -> None:
    history.load(45, INNS, "full-check", asked=91)
    history.load(75, [INNS[1]], "msp", "tax-debts", asked=92)


def change_back(history: History) -> None:
    history.load(0, INNS[2:4], asked=50)


def load_late_file(history: History) -> None:
    history.load(30, INNS[:2], asked=-20)


def check_new_inn(history: History) -> None:
    history.load(60, sample_inns(8, 5)[6:])


def answer_partially(history: History) -> None:
    late = START + timedelta(days=70)
    freezes = {"available": True, "found": True, "count": 30, "items": []}
    load_responses(
        history.warehouse,
        Response("fssp", b"no JSON", INNS[0], asked_at=late, name="broken"),
        Response("freezes", {**freezes, "zzz": 1}, INNS[1], asked_at=late, name="counted"),
        Response(
            "risk-flags", {"mass_check_unavailable": True, "linked_companies": []}, INNS[2], asked_at=late, name="flags"
        ),
    )


def ask_single_blocks(history: History) -> None:
    for inn, methods in zip(INNS, (("freezes",), ("msp", "tax-debts"), ("contracts", "rnp")), strict=False):
        history.load(75, [inn], *methods)


def rename_a_company(history: History) -> None:
    number = next(history.numbers)
    card = {"ogrn": "1027700132195", "inn": INNS[0], "name": f"ООО {number}", "short_name": f"ООО {number}"}
    at = START + timedelta(days=76, minutes=number)
    load_responses(history.warehouse, Response("brief", card, INNS[0], asked_at=at, name=f"renamed-{number}"))


def lose_a_call(history: History) -> None:
    call = {"call_id": "lost", "run_id": "r1", "inn": INNS[1], "method": "full-check", "state": "unknown"}
    history.load_record("calls", [{**call, "reserved_at": START + timedelta(days=80), "expected_rub": 3}])


def settle_the_call(history: History) -> None:
    call = {"call_id": "lost", "run_id": "r1", "inn": INNS[1], "method": "full-check", "state": "settled"}
    history.load_record("calls", [{**call, "reserved_at": START + timedelta(days=80), "charged_rub": 3}])


def start_run(history: History) -> None:
    run = {"run_id": "r1", "started_at": START, "portfolio": "p", "profile": "full", "exit_code": None}
    history.load_record("runs", [run])
    history.load_record("runs", [{**run, "finished_at": START + timedelta(hours=1), "exit_code": 0}])


def name_members(history: History) -> None:
    number = next(history.numbers)
    member = {"portfolio": "p", "priority": 1.0, "tags": "a,b", "seen_at": START + timedelta(days=number)}
    history.load_record(
        "members", [{**member, "inn": inn, "name": f"Name {number}"} for inn in (*INNS[:4], "7707083893")]
    )


def add_portfolio(history: History) -> None:
    member = {"portfolio": "q", "inn": INNS[1], "name": "Other", "seen_at": START + timedelta(days=90)}
    history.load_record("members", [member])


def list_in_turn(history: History) -> None:
    """List the same members in one of two portfolios, each of which has a name of its own for them."""
    number = next(history.numbers)
    portfolio = "pq"[number // 2 % 2]
    listed = {"portfolio": portfolio, "seen_at": START + timedelta(days=100 + number), "name": f"Name in {portfolio}"}
    history.load_record("members", [{**listed, "inn": inn} for inn in INNS[:3]])


def reject_a_line(history: History) -> None:
    history.load_record("rejected", [{"run_id": "r1", "portfolio": "p", "line": 7, "value": "x", "reason": "no INN"}])


def edit_policy(history: History) -> None:
    with history.warehouse.transaction() as connection:
        path = history.folder / "risk.toml"
        path.write_text(
            built_in_file().read_text("utf-8").replace("high = 30", f"high = {20 + next(history.numbers)}", 1), "utf-8"
        )
        store_policies(connection, load_policies(path))


def compact_archive(history: History) -> None:
    responses = history.warehouse.query("SELECT response_id FROM lineage.responses ORDER BY ALL LIMIT 5")
    name = f"answers/compacted-{next(history.numbers)}.parquet"
    with history.warehouse.transaction():
        update_archive_files(history.warehouse, responses.with_columns(pl.lit(name).alias("archive_file")))


def do_nothing(history: History) -> None:
    assert history.warehouse


STEPS: tuple[Step, ...] = (
    check_again, check_later, check_without_news, change_back, load_late_file, check_new_inn, answer_partially, ask_single_blocks,
    rename_a_company, lose_a_call, settle_the_call, start_run, name_members, add_portfolio, list_in_turn, reject_a_line, edit_policy,
    compact_archive, do_nothing,
)  # fmt: skip


@pytest.fixture
def history(warehouse, tmp_path, monkeypatch) -> History:
    monkeypatch.setattr(marts, "MOVED_ROWS", 200)
    monkeypatch.setattr(inn_marts, "CHUNK_CHANGES", 10)
    # The copy is opened again after every second part.
    fits = cycle((True, False))
    monkeypatch.setattr(Warehouse, "fits_into", lambda *_: next(fits))
    monkeypatch.setattr(parquet, "REOPENED_ROWS", 1_000)
    monkeypatch.setattr(inn_marts, "MOVING_INNS", len(INNS))
    monkeypatch.setattr(inn_marts, "MOVED_SHARE", 4)
    return History(warehouse, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "committed_chunks", "patterns", "refusals"),
    [
        (check_later, 1, (), 3),
        (check_later, 1, EXCLUDED, 1),
        # Only this step shows that columns depend on excluded data; their values of other INNs are removed then.
        (answer_partially, 100, ("lineage.snapshots.reason", "core.freezes.*"), 1),
    ],
)
def test_a_mart_that_exceeds_the_limit_of_memory_is_written_again_with_a_higher_one(
    history, monkeypatch, step, committed_chunks, patterns, refusals
):
    """Its rows are what they are at once, whatever the first attempts wrote and committed."""
    history.patterns = patterns
    history.load(0, INNS)
    assert not history.publish(compare=False)
    step(history)
    limits = dict[str, list[str]]()
    write = marts._MartWriter.write

    def refuse(writer: marts._MartWriter, name: str, *, is_first: bool) -> bool:
        of_mart = limits.setdefault(name, [])
        of_mart.append(str(writer.connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]))
        is_written = write(writer, name, is_first=is_first)
        if len(of_mart) <= refusals:
            raise duckdb.OutOfMemoryException("Out of Memory Error")
        return is_written

    monkeypatch.setattr(marts, "COMMITTED_CHUNKS", committed_chunks)
    with monkeypatch.context() as patched:
        patched.setattr(marts._MartWriter, "write", refuse)
        built = history.build(
            history.folder / "again.duckdb", find_previous(history.copy, history.record), chunk_inns=2
        )
    own = history.warehouse.query("SELECT current_setting('memory_limit')").item()
    assert set(map(tuple, limits.values())) == {("381.4 MiB", "524.5 MiB", "1.0 GiB", own)[: refusals + 1]}
    assert len(limits) > 20
    complete = history.folder / "complete.duckdb"
    assert history.build(complete, None).left_out == built.left_out
    assert built.is_delta
    assert differing_relations(history.folder / "again.duckdb", complete) == []


@pytest.mark.long
@pytest.mark.parametrize("refusal", ["checkpoint", "statement", "commit"])
def test_a_mart_whose_commit_exceeds_the_limit_of_memory_is_written_again(history, monkeypatch, refusal):
    """DuckDB's errors: of a statement; of a commit; of a durable commit, after which the copy cannot be used."""
    history.load(0, INNS)
    assert not history.publish(compare=False)
    check_later(history)
    write_mart, write = marts._MartWriter.write, copy_builder._Filler._write
    names = list[str]()
    failed = set[str]()

    def name_mart(writer: marts._MartWriter, name: str, *, is_first: bool) -> bool:
        names.append(name)
        return write_mart(writer, name, is_first=is_first)

    def fail_once(filler: copy_builder._Filler, statement: str) -> None:
        if refusal == "checkpoint" and failed == {"COMMIT"} and statement.startswith("CHECKPOINT"):
            failed.add("CHECKPOINT")
            raise duckdb.IOException('IO Error: Database "copy" has been invalidated because checkpointing failed.')
        if names[-1:] == ["pledges"] and not failed:
            failed.add(statement)
            if refusal == "checkpoint":
                write(filler, statement)
                raise duckdb.IOException(
                    "IO Error: Transaction COMMIT succeeded and is durable, but the autocheckpoint failed. "
                    "Original error: failed to pin block of size 256.0 KiB (400.4 MiB/400.5 MiB used)"
                )
            filler.connection.execute("ROLLBACK")
            if refusal == "commit":
                raise duckdb.TransactionException(
                    "TransactionContext Error: Failed to commit: could not allocate block of size 256.0 KiB"
                )
            raise duckdb.OutOfMemoryException("Out of Memory Error")
        write(filler, statement)

    monkeypatch.setattr(marts, "COMMITTED_CHUNKS", 1)
    monkeypatch.setattr(marts._MartWriter, "write", name_mart)
    monkeypatch.setattr(copy_builder._Filler, "_write", fail_once)
    assert history.publish()
    assert failed == ({"COMMIT", "CHECKPOINT"} if refusal == "checkpoint" else {"COMMIT"})
    # Each mart is written for the copy and for the complete one that it is compared with.
    assert {name: names.count(name) for name in names} == dict.fromkeys(names, 2) | {"pledges": 3}


@pytest.mark.long
def test_the_copy_is_opened_again_where_more_than_half_of_the_limit_of_memory_is_in_use(history, monkeypatch):
    history.load(0, INNS)
    assert not history.publish(compare=False)
    check_later(history)
    limits, opened = list[str](), list[int]()
    reopen = copy_builder._Filler._reopen

    def fits_into(_: Warehouse, limit: str) -> bool:
        limits.append(limit)
        return len(limits) != 2

    def count_reopened(filler: copy_builder._Filler) -> None:
        opened.append(len(limits))
        reopen(filler)

    monkeypatch.setattr(Warehouse, "fits_into", fits_into)
    monkeypatch.setattr(copy_builder._Filler, "_reopen", count_reopened)
    history.build(history.folder / "new.duckdb", find_previous(history.copy, history.record), chunk_inns=2)
    assert set(limits) == {"200MB"}
    assert opened == [2]


@pytest.mark.long
def test_delta_equals_a_complete_copy(history):
    check_all(history)
    assert not history.publish()
    for step in (start_run, name_members, lose_a_call, check_later, load_late_file, compact_archive):
        step(history)
    assert history.publish()
    for step in (settle_the_call, add_portfolio, answer_partially, change_back, edit_policy):
        step(history)
    assert history.publish()


@pytest.mark.long
def test_marts_follow_the_portfolio_that_listed_an_inn_last(history):
    history.load(0, INNS[:3])
    assert not history.publish(compare=False)
    # From the third time on only the order of the times differs.
    for _ in range(4):
        list_in_turn(history)
        assert history.publish()
    assert history.warehouse.query("SELECT DISTINCT portfolio FROM lineage.portfolio_members").height == 2


@pytest.mark.long
def test_marts_follow_single_blocks_and_names(history):
    history.load(0, INNS[:3])
    assert not history.publish(compare=False)
    for step in (ask_single_blocks, rename_a_company):
        step(history)
        assert history.publish(), step.__name__
    of_other_blocks = [name for name, blocks in mart_blocks().items() if "company" not in blocks]
    named = [name for name in of_other_blocks if "name" in mart_comments()[name][1]]
    rows = " UNION ALL ".join(f"SELECT name FROM mart.{name} WHERE inn = '{INNS[0]}'" for name in named)
    names = history.warehouse.query(f"SELECT DISTINCT name FROM ({rows})").to_series().to_list()
    assert [name[:4] for name in names] == ["ООО "], "marts of other blocks have the name of the latest card"


@pytest.mark.long
def test_responses_without_news_only_move_times(history):
    history.load(0, INNS[:4])
    assert not history.publish(compare=False)
    orders = history.find_orders()
    history.load(0, INNS[:3], asked=5)
    history.load(0, INNS[:1], "msp", asked=6)
    history.load(9, INNS[2:3], "freezes")
    assert history.publish()
    moved = {name for name, order in history.find_orders().items() if order == orders[name]}
    assert {"taxes", "licences", "state_contracts", "financials", "people"} <= moved
    history.load(0, INNS[:1], "risk-flags", asked=10)
    history.load(0, INNS[1:2], "brief", asked=11)
    assert history.publish(), "people are computed again if their blocks moved apart"
    history.load(0, INNS[:3], asked=12)
    assert history.publish()
    times = history.copied("SELECT inn, max(checked_at)::DATE - DATE '2026-11-01' FROM mart.headcounts GROUP BY ALL")
    assert dict(times) == dict(zip(INNS, (12, 12, 12, 0), strict=False))


@pytest.mark.long
def test_rows_that_each_response_lacks_are_no_news(history):
    history.load(0, INNS[:4])
    history.load(500, INNS[:4], "financial", asked=1)
    assert not history.publish(compare=False)
    order = history.find_orders()["financials"]
    kept = history.copied("SELECT DISTINCT inn FROM lineage.kept_rows WHERE table_name = 'financial__years'")
    assert {inn for (inn,) in kept} - {order.split()[-1]}, "rows that are written again move to the end"
    history.load(500, INNS[:4], "financial", asked=5)
    assert history.publish()
    assert history.find_orders()["financials"] == order
    assert history.copied("SELECT count(*) FROM mart.financials WHERE NOT confirmed")[0][0] > 0


@pytest.mark.long
def test_rows_of_few_inns_without_news_are_computed_again(history):
    history.load(0, INNS)
    assert not history.publish(compare=False)
    orders = history.find_orders()
    history.load(0, [min(INNS)], asked=5)
    assert history.publish()
    written = {name for name, order in history.find_orders().items() if order != orders[name]}
    assert {"risk_signals", "taxes", "people"} <= written
    history.load(0, INNS, asked=6)
    orders = history.find_orders()
    assert history.publish()
    moved = {name for name, order in history.find_orders().items() if order == orders[name]}
    assert {"taxes", "licences", "state_contracts", "financials", "people"} <= moved, "of many INNs times move"


@pytest.mark.long
def test_blocks_of_rows_are_merged_after_some_publications(history, monkeypatch):
    """After some publications of few INNs, or after one of all."""
    monkeypatch.setattr(copy_builder, "MERGED_AFTER", 4)

    def publish_changes(day: int, inns: list[str]) -> int:
        history.load(day, inns)
        assert history.publish()
        groups = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('mart.risk_signals')"
        return int(history.copied(groups)[0][0])

    history.load(0, INNS)
    assert not history.publish(compare=False)
    # 1/4 + 1/6 each, so the third reaches 1, and the fourth merges what all of them added.
    assert [publish_changes(9 * day, [INNS[day]]) for day in range(1, 6)] == [2, 3, 4, 1, 2]
    publish_changes(60, INNS)
    assert publish_changes(70, INNS[:1]) == 1


@pytest.mark.long
def test_an_interrupted_copy_is_closed_without_writing_its_log(history, monkeypatch):
    """Nobody waits for a copy that is removed; the warehouse's own log is written again when it is closed."""

    def interrupt(_connection: object, **_options: object) -> None:
        raise KeyboardInterrupt

    history.load(0, INNS)
    assert not history.publish(compare=False)
    history.load(9, INNS[:1])
    with monkeypatch.context() as patched:
        patched.setattr(Warehouse, "fits_into", lambda *_: True)
        patched.setattr(copy_builder, "refresh_portfolio_views", interrupt)
        with pytest.raises(KeyboardInterrupt):
            history.build(history.folder / "new.duckdb", find_previous(history.copy, history.record), chunk_inns=5)
    (log,) = history.folder.glob("new.duckdb.wal")
    assert log.stat().st_size
    log.unlink()
    assert history.publish()
    history.warehouse.close()
    assert not history.warehouse.path.with_name(f"{history.warehouse.path.name}.wal").exists()


@pytest.mark.long
def test_an_inn_seen_in_another_portfolio_moves_no_rows(history):
    """The card gives the name; the portfolios, which are seen in turn, give the same one, and no other columns."""

    def see_in(portfolio: str) -> None:
        number = next(history.numbers)
        seen = {"portfolio": portfolio, "seen_at": START + timedelta(days=100 + number), "name": "Same"}
        history.load_record("members", [{**seen, "inn": inn} for inn in INNS[:3]])

    history.load(0, INNS[:4])
    for portfolio in "pq":
        see_in(portfolio)
    assert not history.publish(compare=False)
    orders = history.find_orders()
    for portfolio in "pq":
        see_in(portfolio)
        assert history.publish()
    assert history.find_orders() == orders


@pytest.mark.long(first=True)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.vast) for seed in (1, 2))])
def test_delta_equals_a_complete_copy_after_every_step(history, seed):
    assert not history.publish(), "the warehouse is empty"
    steps = [check_all, *Random(seed).sample(STEPS, len(STEPS))]
    for step in steps:
        step(history)
        assert history.publish(), step.__name__
        assert wrong_risk(history.warehouse) == [], step.__name__
        assert wrong_links(history.warehouse) == [], step.__name__
        assert wrong_news(history.warehouse) == [], step.__name__


@pytest.mark.long(first=True)
def test_delta_equals_a_complete_copy_with_exclusions(warehouse, tmp_path):
    history = History(warehouse, tmp_path, EXCLUDED)
    check_all(history)
    assert not history.publish()
    for step in (check_later, edit_policy, name_members, answer_partially, load_late_file):
        step(history)
        assert history.publish(), step.__name__
        assert wrong_risk(history.warehouse) == [], step.__name__


@pytest.mark.long
def test_column_that_depended_once_is_hidden_until_a_copy_from_nothing(warehouse, tmp_path):
    """A column does not come and go with the data."""
    history = History(warehouse, tmp_path, ("lineage.portfolio_members.extra", "mart.spend"))

    def publish_member(day: int, extra: str | None, previous: bool = True) -> tuple[set[Any], bool]:
        member = {"portfolio": "p", "inn": INNS[0], "name": "N", "extra": extra, "seen_at": START + timedelta(days=day)}
        history.load_record("members", [member])
        if not previous:
            history.record.unlink()
        assert history.publish(compare=False) is (previous and day > 0)
        query = "SELECT comment FROM duckdb_columns() WHERE table_name = 'company_profile' AND column_name = 'extra'"
        ((comment,),) = history.copied(query)
        values = {value for (value,) in history.copied("SELECT extra FROM mart.company_profile")}
        return values, comment.startswith("Excluded from this copy")

    check_all(history)
    assert publish_member(0, None) == ({None}, False)
    assert publish_member(1, '{"branch": "north"}') == ({None}, True)
    assert publish_member(2, None) == ({None}, True)
    assert publish_member(3, None, previous=False) == ({None}, False)


@pytest.mark.long
def test_copy_that_does_not_belong_to_the_warehouse_is_built_from_nothing(history, create_empty_warehouse, monkeypatch):
    check_all(history)
    assert not history.publish(compare=False)
    assert history.publish(compare=False)
    with monkeypatch.context() as patch:
        patch.setattr(watermark, "code_fingerprint", lambda *_: "of other software")
        assert not history.publish(compare=False), "other software"
    history.patterns = ("core.company.director",)
    assert not history.publish(compare=False), "another exclusion"
    history.patterns = ()
    assert not history.publish(compare=False)
    with Warehouse(create_empty_warehouse(history.folder / "rebuilt.duckdb")) as rebuilt:
        history.warehouse = rebuilt
        check_all(history)
        assert not history.publish(compare=False), "another history with the same number of loads"


@pytest.mark.long
def test_copy_that_somebody_wrote_to_is_built_from_nothing(history):
    check_all(history)
    assert not history.publish(compare=False)
    with duckdb.connect(str(history.copy)) as connection:
        connection.execute("UPDATE core.company SET name = 'X'")
    assert not history.publish(compare=False)
    history.copy.with_name(f"{history.copy.name}.wal").touch()
    assert not history.publish(compare=False)
    history.copy.with_name(f"{history.copy.name}.wal").unlink()
    history.record.write_bytes(history.record.read_bytes()[:-9])
    assert not history.publish(compare=False)
    assert history.publish(compare=False)


@pytest.mark.long
def test_restored_warehouse_is_not_continued_after_other_loads(history):
    check_all(history)
    history.warehouse.connection.execute("CHECKPOINT")
    backup = history.folder / "backup.duckdb"
    copyfile(history.warehouse.path, backup)
    check_again(history)
    assert not history.publish(compare=False)
    with Warehouse(backup) as restored:
        history.warehouse = restored
        check_later(history)
        check_new_inn(history)
        assert not history.publish(compare=False)


@pytest.mark.long
def test_links_are_copied_only_with_ends_of_which_something_is_new(history):
    check_all(history)
    history.publish()
    history.load(1, INNS[:1])
    assert history.publish()
    ends = history.warehouse.query("SELECT inn, load_no FROM lineage._link_ends").rows()
    (first, _), *others = sorted(ends, key=lambda end: end[1])
    assert first is None, "the first time all links are stored"
    assert [inn for inn, _ in others] == INNS[:1]
    before = history.warehouse.query("SELECT count(*) FROM lineage._loads").item()
    assert history.publish()
    assert history.warehouse.query("SELECT count(*) FROM lineage._loads").item() == before, "nothing is stored again"


@pytest.mark.long
def test_parquet_of_a_mart_is_written_again_if_a_row_differs(history):
    check_all(history)
    history.publish()
    before = history.find_mart_inodes()
    check_again(history)
    assert history.publish()
    after = history.find_mart_inodes()
    assert after["risk_rules"] == before["risk_rules"], "a link, not a copy"
    assert after["financials"] != before["financials"], "its rows have the time of the check"


@pytest.mark.long
def test_parquet_files_are_added_and_compacted(history):
    history.max_files = 2
    check_all(history)
    history.publish()
    (first,) = history.files["company"]
    inode = (history.parquet / first["file"]).stat().st_ino
    history.load(0, sample_inns(7, 5)[6:], "brief")
    assert history.publish()
    assert [file["rows"] for file in history.files["company"]] == [len(INNS), 1]
    assert history.files["company"][0] == first
    assert (history.parquet / first["file"]).stat().st_ino == inode, "a link, not a copy"
    assert len(history.files["freezes"]) == 1, "without new rows"
    history.load(0, sample_inns(8, 5)[7:], "brief")
    assert history.publish()
    assert [file["rows"] for file in history.files["company"]] == [len(INNS) + 2]
