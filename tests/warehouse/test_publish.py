"""The published copy: it stands by itself, its figures are the warehouse's, and what is left out is nowhere in it."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import Any

import duckdb
import polars as pl
import pytest
import sqlalchemy

from innspect.schemas.errors import DiskFull, SettingsError, StoreError
from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import tables
from innspect.warehouse.database import RAISED_MEMORY_LIMIT, Warehouse
from innspect.warehouse.ddl import published_tables
from innspect.warehouse.marts.registry import mart_comments
from innspect.warehouse.publish import copy_builder, parquet
from innspect.warehouse.publish.copy_builder import BuiltCopy, CopyInfo, build_copy, translate_publish_errors
from innspect.warehouse.publish.exclude import Exclusion, parse_exclusion
from innspect.warehouse.publish.marts import live_columns
from innspect.warehouse.publish.parquet import write_parquet_files
from innspect.warehouse.publish.xlsx import write_workbook
from tests.conftest import SMALL_DISK_BYTES
from tests.support.builders import INN, Response, load_responses
from tests.support.published_copies import differing_relations

OTHER = "7814060153"
DIRECTOR, LATER, ACCOUNT = "Потаённая Аглая", "Сокрытый Ермолай", "044500017"
CARD = {
    "inn": INN,
    "ogrn": "1027700132195",
    "name": "ООО Ромашка",
    "status": "active",
    "director": DIRECTOR,
    "founders": [{"name": "Учредитель Незримый", "inn": "770000000017", "share_percent": 100}],
}
FREEZE = {
    "decision_date": "09.10.2026",
    "decision_num": "17",
    "bik": ACCOUNT,
    "bank": "Банк",
    "authority": "",
    "code": "01",
}
STAMP = CopyInfo(datetime(2026, 11, 21, 9), "1.0+abc")


OUT = ("current.company.director", "core.freezes__items", "core.company__founders.*", "raw.*", "mart.spend",
    "mart.coverage.name")  # fmt: skip


DEPENDENT = {
    "company_profile.director",
    *(f"changes.{name}" for name in ("new_value", "old_value", "row_key")),
    *(f"news.{name}" for name in ("sentence_en", "sentence_ru")),
    *(f"company_profile.{name}" for name in (
        "blocks_stale", "known_part", "level", "level_at_most", "level_known", "never_requested_blocks", "score",
        "score_at_most", "stale_blocks", "unknown_blocks", "unknown_since",
    )),
}  # fmt: skip
"""The columns of marts that depend on `OUT`."""


def fill(warehouse: Warehouse) -> None:
    """Two companies, a change of director, a broken cell, an unknown field, frozen accounts."""
    load_responses(
        warehouse,
        Response("brief", CARD),
        Response("brief", {**CARD, "inn": OTHER, "name": "АО Лютик"}, inn=OTHER),
        Response("freezes", {"available": True, "found": True, "count": 1, "items": [FREEZE]}),
        Response("brief", {**CARD, "director": LATER, "registration_date": "31.31.2020", "zzz": f"sample {DIRECTOR}"}),
        Response("freezes", {"available": True, "found": False, "count": 0, "items": []}),
    )
    warehouse.connection.execute(
        "INSERT INTO lineage.portfolio_members (portfolio, inn, name) VALUES ('p', ?, 'Ромашка'), ('p', ?, 'Лютик')",
        [INN, OTHER],
    )


@dataclass
class Copied:
    """A copy read as any reader does, the warehouse that it is of, and what was said of it."""

    path: Path
    built: BuiltCopy
    said: list[str]
    copy: duckdb.DuckDBPyConnection
    true: duckdb.DuckDBPyConnection


def publish(folder: Path, create_empty_warehouse: Callable[[Path], Path], patterns: tuple[str, ...]) -> Copied:
    archive = folder / "archive"
    (archive / "answers").mkdir(parents=True)
    sealed = archive / "answers" / "a.parquet"
    pl.DataFrame({"response_id": ["r"], "body": [b"bytes"]}).write_parquet(sealed)
    with Warehouse(create_empty_warehouse(folder / "warehouse.duckdb"), archive) as warehouse:
        fill(warehouse)
        # The copy is made, and read, without the archive that raw.responses reads.
        sealed.unlink()
        built = build_copy(
            warehouse, folder / "copy.duckdb", parse_exclusion(patterns), replace(STAMP, exclude=patterns)
        )
    true = duckdb.connect(str(folder / "warehouse.duckdb"), read_only=True)
    copy = duckdb.connect(str(folder / "copy.duckdb"), read_only=True)
    return Copied(folder / "copy.duckdb", built, built.left_out, copy, true)


@pytest.fixture(scope="module")
def full_copy(tmp_path_factory, create_empty_warehouse) -> Copied:
    """Everything published."""
    return publish(tmp_path_factory.mktemp("whole"), create_empty_warehouse, ())


@pytest.fixture(scope="module")
def reduced_copy(tmp_path_factory, create_empty_warehouse) -> Copied:
    """Published without what `OUT` names."""
    return publish(tmp_path_factory.mktemp("less"), create_empty_warehouse, OUT)


def everything(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple]]:
    """Every cell of every table and view, as text."""
    names = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema <> 'information_schema'"
    ).fetchall()
    return {
        f"{schema}.{name}": connection.execute(f'SELECT COLUMNS(*)::VARCHAR FROM {schema}."{name}"').fetchall()
        for schema, name in names
    }


def where(connection: duckdb.DuckDBPyConnection, value: str) -> set[str]:
    """The tables and views that show a value anywhere."""
    return {
        name
        for name, rows in everything(connection).items()
        if any(cell is not None and value in cell for row in rows for cell in row)
    }


def test_copy_needs_no_other_file(full_copy):
    copy, true = full_copy.copy, full_copy.true
    assert full_copy.said == []
    schemas = {name for (name,) in copy.execute("SELECT DISTINCT schema_name FROM duckdb_tables()").fetchall()}
    assert schemas == {"core", "lineage", "mart"}
    assert copy.execute("SELECT director FROM current.company WHERE inn = ?", [INN]).fetchall() == [(LATER,)]
    then = "SELECT director FROM as_of.company(TIMESTAMP '2026-11-20 11:30:00') WHERE inn = ?"
    assert copy.execute(then, [INN]).fetchall() == [(DIRECTOR,)]
    for schema, name in published_tables():
        here = copy.execute(f'SELECT count(*) FROM {schema}."{name}"').fetchone()
        assert here == true.execute(f'SELECT count(*) FROM {schema}."{name}"').fetchone(), name
    assert copy.execute("FROM lineage.published").fetchall() == [(STAMP.published_at, None, "1.0+abc", [])]
    tags = copy.execute("SELECT tags['storage_version'] FROM duckdb_databases() WHERE NOT internal").fetchone()
    assert str(tags[0]).startswith("v1.0.0")


def test_marts_of_the_copy_equal_those_of_the_warehouse(full_copy):
    copy, true = full_copy.copy, full_copy.true
    marts = {
        name for (name,) in copy.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'").fetchall()
    }
    assert marts == set(mart_comments())
    for name in marts:
        query = f"SELECT COLUMNS(c -> c NOT LIKE '%age_%' AND c <> 'assessed_at')::VARCHAR FROM mart.\"{name}\""
        here, there = copy.execute(query).fetchall(), true.execute(query).fetchall()
        assert sorted(map(repr, here)) == sorted(map(repr, there)), name
    assert copy.execute("SELECT count(*) FROM mart.coverage").fetchone()[0] > 40


def test_findings_are_not_published(full_copy, reduced_copy):
    for copied in (full_copy, reduced_copy):
        names = copied.copy.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'lineage'").fetchall()
        assert not {"findings", "_finding_limits"} & {name for (name,) in names}
    assert full_copy.true.execute("SELECT count(*) > 0 FROM lineage.findings").fetchone() == (True,)


def test_comments_are_kept(full_copy):
    copy = full_copy.copy
    kept = {
        (schema, table, column): comment
        for schema, table, column, comment in copy.execute(
            "SELECT schema_name, table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    }
    for (schema, table), (_, columns) in published_tables().items():
        for column in columns:
            assert kept[schema, table, column.name] == column.comment
            if schema == "core":
                assert kept["current", table, column.name] == column.comment
    for mart, (_, columns) in mart_comments().items():
        assert {name: kept["mart", mart, name] for name in columns} == columns
    assert all(kept.values())


@pytest.mark.parametrize(
    "mart", [name for name, (_, columns) in mart_comments().items() if "age_days" in live_columns(columns)]
)
def test_age_is_computed_from_its_row(full_copy, mart):
    same = "abs(age_days - (epoch(now()) - epoch(collected_at)) / 86400) < 0.001"
    query = (
        f"SELECT bool_and(coalesce({same}, age_days IS NULL AND collected_at IS NULL)), count(age_days), count(*) "
        f"FROM mart.{mart}"
    )
    here, there = full_copy.copy.execute(query).fetchone(), full_copy.true.execute(query).fetchone()
    assert here == there
    is_same, aged, rows = here
    assert is_same
    assert 0 < aged < rows


def test_age_grows_in_the_copy(full_copy):
    copy = full_copy.copy
    query = "SELECT max(age_days), max((epoch(now()) - epoch(collected_at)) / 86400) FROM mart.coverage"
    first, true = copy.execute(query).fetchone()
    assert first == pytest.approx(true)
    time.sleep(0.1)
    later, _ = copy.execute(query).fetchone()
    assert later > first


def test_excluded_values_are_nowhere(full_copy, reduced_copy, tmp_path):
    named = {
        "core.company",
        "current.company",
        "lineage.changes",
        "lineage.drift",
        "mart.changes",
        "mart.company_profile",
    }
    assert named <= where(full_copy.copy, DIRECTOR) | where(full_copy.copy, LATER)
    assert {"core.freezes__items", "lineage.changes", "mart.changes"} <= where(full_copy.copy, ACCOUNT)
    for value in (DIRECTOR, LATER, ACCOUNT):
        assert where(reduced_copy.copy, value) == set()
    path = reduced_copy.path
    folder = tmp_path / "parquet"
    folder.mkdir()
    write_parquet_files(path, folder, reduced_copy.built)
    for file in folder.rglob("*.parquet"):
        text = repr(pl.read_parquet(file).to_dict(as_series=False))
        assert not [value for value in (DIRECTOR, LATER, ACCOUNT) if value in text], file
    write_workbook(path, tmp_path / "marts.xlsx")
    for sheet in pl.read_excel(tmp_path / "marts.xlsx", sheet_id=0, infer_schema_length=0).values():
        text = repr(sheet.to_dict(as_series=False))
        assert not [value for value in (DIRECTOR, LATER, ACCOUNT) if value in text]
    values = [value.encode() for value in (DIRECTOR, LATER, ACCOUNT)]
    assert not [value for value in values if value in path.read_bytes()]
    assert all(value in full_copy.path.read_bytes() for value in values)


def test_excluded_columns_are_absent(reduced_copy):
    copy = reduced_copy.copy
    for query in (
        "SELECT director FROM core.company",
        "SELECT director FROM current.company",
        "SELECT director FROM as_of.company(now()::TIMESTAMP)",
        "FROM core.freezes__items",
        "FROM current.freezes__items",
        "FROM as_of.freezes__items(now()::TIMESTAMP)",
    ):
        with pytest.raises(duckdb.Error, match=r"director|freezes__items"):
            copy.execute(query)
    assert copy.execute("SELECT count(*) FROM current.company").fetchone() == (2,)
    changes = copy.execute(
        "SELECT table_name, change, column_name, row_key, old_value, new_value FROM lineage.changes "
        "WHERE column_name = 'director' OR table_name = 'freezes__items' ORDER BY ALL"
    ).fetchall()
    assert changes == [
        ("company", "changed", "director", "", None, None),
        ("freezes__items", "removed", None, None, None, None),
    ]


@pytest.mark.long
def test_exclusion_changes_no_other_value(reduced_copy):
    """A column is as in the warehouse or NULL all through; a mart whose rows would differ is not there, and is named."""
    copy = reduced_copy.copy
    rows = copy.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'").fetchall()
    there = {name for (name,) in rows}
    assert {"company_profile", "coverage", "changes"} <= there
    missing = {mart for mart in mart_comments() if mart not in there} - {"spend"}
    assert {sentence.split()[2] for sentence in reduced_copy.said} == missing
    # Rules of risk read directors, founders and suspended accounts.
    assert {"risk_score", "risk_signals"} <= missing
    nulled = set()
    for mart in there:
        for column, *_ in copy.execute(f"DESCRIBE mart.{mart}").fetchall():
            if column.startswith("age_") or column == "assessed_at":
                continue
            query = f'SELECT "{column}"::VARCHAR FROM mart.{mart}'
            here, true = (sorted(one.execute(query).fetchall(), key=repr) for one in (copy, reduced_copy.true))
            if here != true:
                assert {value for (value,) in here} == {None}, (mart, column)
                nulled.add((mart, column))
    assert {("company_profile", "director"), ("changes", "new_value")} <= nulled
    comments = copy.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'mart' AND comment LIKE 'Excluded from this copy%'"
    ).fetchall()
    assert nulled <= set(comments)
    assert {f"{mart}.{column}" for mart, column in nulled} <= DEPENDENT


@pytest.mark.parametrize("of", ["full_copy", "reduced_copy"])
def test_mart_columns_have_the_types_of_the_warehouse(of, request):
    copied = request.getfixturevalue(of)
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'mart'"
    here, true = (set(one.execute(query).fetchall()) for one in (copied.copy, copied.true))
    assert here
    assert here - true == set()


def test_marts_and_their_columns_can_be_excluded(reduced_copy):
    copy = reduced_copy.copy
    assert copy.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'spend'").fetchone() == (0,)
    assert "name" not in [row[0] for row in copy.execute("DESCRIBE mart.coverage").fetchall()]
    assert "name" in [row[0] for row in copy.execute("DESCRIBE mart.changes").fetchall()]
    assert copy.execute("SELECT exclude FROM lineage.published").fetchone() == (list(OUT),)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("core.compny", "no table or column"),
        ("company", "no table or column"),
        ("core.company.phon", "no table or column"),
        ("lineage.snapshots", "every .current. view"),
        ("lineage.*", "every .current. view"),
        ("lineage.snapshots.asked_at", "every .current. view"),
        ("core.company.inn", "by which rows are joined"),
        ("current.fssp__proceedings.version_id", "by which rows are joined"),
    ],
)
def test_invalid_pattern_is_reported(pattern, words):
    with pytest.raises(SettingsError, match=words) as error:
        parse_exclusion([pattern])
    assert pattern in error.value.message


def test_pattern_matches_a_table_in_all_schemas():
    for schema in ("core", "current", "as_of"):
        assert parse_exclusion([f"{schema}.contacts__leaves"]) == Exclusion(frozenset({("core", "contacts__leaves")}))
        assert parse_exclusion([f"{schema}.company.phone"]) == Exclusion(
            columns=frozenset({("core", "company", "phone")})
        )
    assert not parse_exclusion(["raw.*", "raw.responses"])
    every = parse_exclusion(["core.company__founders.*"])
    # What risk rules read is not published as what they judged, either.
    assert every.tables == {("lineage", "assessments"), ("lineage", "signal_changes")}
    assert {column for *_, column in every.columns} == {column.name for column in tables()["company__founders"].columns}


def test_parquet_equals_the_copy(full_copy, tmp_path):
    folder = tmp_path / "parquet"
    folder.mkdir()
    manifest = write_parquet_files(full_copy.path, folder, replace(full_copy.built, left_out=["A sentence."]))
    assert json.loads((folder / "manifest.json").read_text("utf-8")) == manifest
    assert manifest["published_at"] == "2026-11-21T09:00:00Z"
    assert manifest["left_out"] == ["A sentence."]
    assert {entry["schema"] for entry in manifest["tables"]} == {"core", "current", "lineage", "mart", "portfolio"}
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json",
        *(f"{entry['schema']}.{entry['name']}" for entry in manifest["tables"]),
    }
    copy = full_copy.copy
    for entry in manifest["tables"]:
        (file,) = entry["files"]
        path = folder / file["file"]
        assert (path.name == "data.parquet") is (entry["schema"] not in ("core", "lineage") or is_rewritten(entry))
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert entry["comment"]
        assert all(column["comment"] for column in entry["columns"]), entry["name"]
        described = duckdb.sql(f"DESCRIBE FROM read_parquet('{path}')").fetchall()
        assert [(column["name"], column["type"]) for column in entry["columns"]] == [row[:2] for row in described]
        rows = copy.execute(f'SELECT count(*) FROM {entry["schema"]}."{entry["name"]}"').fetchone()
        assert (entry["rows"],) == rows == duckdb.sql(f"SELECT count(*) FROM read_parquet('{path}')").fetchone()
        codecs = duckdb.sql(f"SELECT DISTINCT compression FROM parquet_metadata('{path}')").fetchall()
        assert codecs in ([("ZSTD",)], [])


def is_rewritten(entry: dict) -> bool:
    return entry["schema"] == "lineage" and not (entry["name"] in LINEAGE and LINEAGE[entry["name"]].is_append_only)


def test_parquet_needs_no_more_than_the_memory_of_the_machine(full_copy, tmp_path, monkeypatch):
    """A relation that cannot be written within the limit of memory is written with a higher one, with all rows."""
    limits: list[str] = []
    limit_memory = parquet._limit_memory

    def limit(connection: duckdb.DuckDBPyConnection, value: str) -> None:
        limits.append(value)
        limit_memory(connection, value)

    monkeypatch.setattr(parquet, "_limit_memory", limit)
    monkeypatch.setattr(parquet, "MEMORY_MEGABYTES", 5)
    folder = tmp_path / "parquet"
    folder.mkdir()
    (own_limit,) = full_copy.copy.execute("SELECT current_setting('memory_limit')").fetchone()
    manifest = write_parquet_files(full_copy.path, folder, full_copy.built, "marts")
    assert limits.pop() == own_limit
    raised = limits.count(RAISED_MEMORY_LIMIT)
    assert 0 < raised < len(manifest["tables"])
    # The next relation has the lower one again.
    assert limits == (["5MB", RAISED_MEMORY_LIMIT] * (raised + 1))[: len(limits)]
    for entry in manifest["tables"]:
        (file,) = entry["files"]
        copied, stored = (
            duckdb.sql(f"SELECT count(*) FROM read_parquet('{folder / file['file']}')").fetchone(),
            full_copy.copy.execute(f'SELECT count(*) FROM {entry["schema"]}."{entry["name"]}"').fetchone(),
        )
        assert copied == stored == (entry["rows"],), entry["name"]


def test_many_rows_are_written_after_the_connection_that_counted_them_was_closed(full_copy, tmp_path, monkeypatch):
    """To count rows, DuckDB keeps in memory which rows of all tables were deleted."""
    counting: list[duckdb.DuckDBPyConnection] = []
    count_all_rows, write_in_bounds = parquet._count_all_rows, parquet._write_in_bounds

    def count(connection: duckdb.DuckDBPyConnection, stored: list[tuple[str, str]]) -> int:
        counting.append(connection)
        return count_all_rows(connection, stored)

    def write(*arguments: Any) -> list[parquet.DataFile]:
        with pytest.raises(duckdb.ConnectionException):
            counting[0].execute("SELECT 1")
        return write_in_bounds(*arguments)

    monkeypatch.setattr(parquet, "_count_all_rows", count)
    monkeypatch.setattr(parquet, "_write_in_bounds", write)
    monkeypatch.setattr(parquet, "REOPENED_ROWS", 100)
    assert write_parquet_files(full_copy.path, tmp_path, full_copy.built, "marts")["tables"]
    assert len(counting) == 1


def test_parquet_of_marts_or_of_nothing(full_copy, tmp_path):
    for scope, schemas in (("none", set()), ("marts", {"mart", "portfolio"})):
        folder = tmp_path / scope
        folder.mkdir()
        manifest = write_parquet_files(full_copy.path, folder, full_copy.built, scope)
        assert {entry["schema"] for entry in manifest["tables"]} == schemas
        assert {path.name.split(".")[0] for path in folder.iterdir()} == {"manifest", *schemas}
        assert manifest["copy"]["relations"] > 200


@pytest.mark.long
def test_bi_sees_marts_and_views_with_types_and_comments(full_copy, tmp_path):
    path = tmp_path / "copy.duckdb"  # a file of its own: within one process, all that open one agree on how
    copyfile(full_copy.path, path)
    engine = sqlalchemy.create_engine(
        f"duckdb:///{path}", connect_args={"read_only": True}, poolclass=sqlalchemy.NullPool
    )
    seen = sqlalchemy.inspect(engine)
    for mart, (comment, columns) in mart_comments().items():
        assert mart in seen.get_table_names(schema="mart")
        assert seen.get_table_comment(mart, schema="mart")["text"].startswith(comment)
        reflected = {column["name"]: column for column in seen.get_columns(mart, schema="mart")}
        assert {name: reflected[name]["comment"] for name in columns} == columns
        assert not [c["name"] for c in reflected.values() if isinstance(c["type"], sqlalchemy.types.NullType)]
    for table in tables().values():
        assert table.name in seen.get_view_names(schema="current")
    for name in ("company", "freezes__items", "financial__lines"):
        assert seen.get_table_comment(name, schema="current")["text"].startswith("Latest confirmed")
        reflected = seen.get_columns(name, schema="current")
        assert all(column["comment"] for column in reflected)
        assert not [c["name"] for c in reflected if isinstance(c["type"], sqlalchemy.types.NullType)]
    with engine.connect() as connection:
        age = sqlalchemy.Table("coverage", sqlalchemy.MetaData(), schema="mart", autoload_with=connection).c.age_days
        assert connection.execute(sqlalchemy.select(sqlalchemy.func.max(age))).scalar() > 0
    engine.dispose()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (duckdb.IOException('Could not write file "x": No space left on device'), DiskFull),
        (OSError(28, "No space left on device"), DiskFull),
        (duckdb.IOException("Permission denied"), StoreError),
        (RuntimeError("Query interrupted"), KeyboardInterrupt),
    ],
)
def test_duckdb_errors_are_translated(fault, kind):
    with pytest.raises(kind) as error, translate_publish_errors(Path("/x/published/innspect.duckdb")):
        raise fault
    if kind is not KeyboardInterrupt:
        assert type(error.value) is kind
        assert "innspect publish" in error.value.message


@pytest.mark.parametrize("patterns", [(), pytest.param(OUT, marks=pytest.mark.long)])
@pytest.mark.parametrize("at", ["the start", "the commit"])
def test_full_disk_is_reported_and_the_warehouse_stays_usable(warehouse, small_disk, at, patterns):
    fill(warehouse)
    copy, ballast, out = small_disk / "copy.duckdb", small_disk / "ballast", parse_exclusion(patterns)
    if at == "the start":
        ballast.write_bytes(bytes(SMALL_DISK_BYTES - 500_000))
    else:
        bulk = Random(1).randbytes(10_000_000).hex()
        warehouse.connection.execute("INSERT INTO lineage.rejected_inputs (run_id, value) VALUES ('bulk', ?)", [bulk])
    with pytest.raises(DiskFull, match="free some and run `innspect publish`"):
        build_copy(warehouse, copy, out, STAMP)
    ballast.unlink(missing_ok=True)
    copy.unlink()
    warehouse.connection.execute("DELETE FROM lineage.rejected_inputs")
    said = build_copy(warehouse, copy, out, STAMP).left_out
    assert bool(said) is bool(patterns)
    assert not copy.with_name("copy.duckdb.wal").exists()
    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM mart.company_profile").fetchall() == [(2,)]


def test_publishing_needs_no_more_than_the_memory_of_the_machine(
    full_copy: Copied, tmp_path: Path, create_empty_warehouse: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
):
    """Where the limit of memory is not enough, the copy is built once more with a higher one, and is the same."""
    attempts: list[str | None] = []
    build_within = copy_builder._build_within

    def build(limit: str | None, *others: Any, **options: Any) -> BuiltCopy:
        attempts.append(limit)
        return build_within(limit, *others, **options)

    monkeypatch.setattr(copy_builder, "_build_within", build)
    monkeypatch.setattr(copy_builder, "MEMORY_MEGABYTES", 20)
    copied = publish(tmp_path, create_empty_warehouse, ())
    copied.copy.close()
    copied.true.close()
    assert attempts == ["20MB", RAISED_MEMORY_LIMIT]
    assert copied.said == full_copy.said
    assert differing_relations(copied.path, full_copy.path) == []
