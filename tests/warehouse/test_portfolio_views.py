"""Own columns of a portfolio file as columns of a view, whatever their names are."""

import duckdb
import polars as pl
import pytest

from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.states import MemberEntry
from innspect.warehouse.load.records import load_records
from innspect.warehouse.marts.portfolio_views import FIXED_COLUMNS
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy
from innspect.warehouse.publish.exclude import parse_exclusion
from innspect.warehouse.publish.parquet import JSON_NOTE, write_parquet_files
from tests.support.builders import FIRST
from tests.support.cli import COMPANIES

A, B = COMPANIES[:2]
STRANGE = 'north "& co"/2026'
OWN = {"Отдел закупок": "ОМТС", 'select "x"': "1", "a/b~c": "path", "Name": "collides", "NAME": "again", "empty": ""}


def load_members(warehouse, portfolio, number, **members):
    rows = [
        ("run", portfolio, inn, "Own name", 1.0, "key", extra, FIRST, MemberEntry.FILE)
        for inn, extra in members.items()
    ]
    frame = pl.DataFrame(rows, schema=dict(ARCHIVE["members"]), orient="row")
    load_records(warehouse, "members", frame.with_columns(pl.col("seen_at").dt.offset_by(f"{number}d")), f"m/{number}")


def read(connection, view, select="*"):
    rows = connection.sql(f"SELECT {select} FROM portfolio.{view} ORDER BY inn").pl()
    return rows.columns, rows.rows()


@pytest.fixture
def two_portfolios(warehouse):
    """A portfolio with columns that need quotes, and one with others."""
    own = pl.DataFrame([OWN]).select(pl.struct(pl.all()).struct.json_encode()).item()
    load_members(warehouse, STRANGE, 0, **{A: own, B: None})
    load_members(warehouse, "suppliers", 1, **{A: '{"segment": "retail", "since": 2024}'})
    return warehouse


def test_each_portfolio_has_its_own_columns_as_columns(two_portfolios):
    view = '"' + STRANGE.replace('"', '""') + '"'
    names, rows = read(two_portfolios.connection, view)
    own = ["Отдел закупок", 'select "x"', "a/b~c", "Name_2", "NAME_3", "empty"]
    assert names == [*FIXED_COLUMNS, *own]
    assert rows[[row[0] for row in rows].index(A)][-6:] == ("ОМТС", "1", "path", "collides", "again", None)
    assert rows[[row[0] for row in rows].index(B)][-6:] == (None,) * 6
    names, rows = read(two_portfolios.connection, "suppliers", "inn, own_name, level, segment, since")
    assert rows == [(A, "Own name", "unknown", "retail", "2024")]
    query = "SELECT level_at_most, unknown_blocks FROM {} WHERE inn = ?"
    (view, score) = (
        two_portfolios.connection.execute(query.format(name), [A]).fetchone()
        for name in ("portfolio.suppliers", "mart.risk_score")
    )
    assert view == score
    assert "bankruptcy" in view[1]
    load_members(two_portfolios, "suppliers", 2, **{B: '{"since": 2025, "region": null}'})
    names, rows = read(two_portfolios.connection, "suppliers")
    assert (names[-2:], rows[0][0], rows[0][-2:]) == (["since", "region"], B, ("2025", None))
    comment = "SELECT comment FROM duckdb_columns() WHERE schema_name = 'portfolio' AND column_name = 'since'"
    assert two_portfolios.connection.execute(comment).fetchall() == [("Your own column since, as text.",)]


def _assert_types(folder, manifest):
    """Every Parquet column has the type of the manifest for DuckDB, and is no bytes for polars; JSON is text."""
    json_columns = set()
    for entry in manifest["tables"]:
        path = folder / entry["files"][0]["file"]
        types = {name: kind for name, kind, *_ in duckdb.sql(f"DESCRIBE FROM '{path}'").fetchall()}
        assert types == {column["name"]: column["type"] for column in entry["columns"]}
        assert pl.Binary not in pl.read_parquet_schema(path).values()
        noted = {column["name"] for column in entry["columns"] if column["comment"].endswith(JSON_NOTE)}
        named = duckdb.sql(f"SELECT decode(value) FROM parquet_kv_metadata('{path}') WHERE key = 'json_columns'")
        assert noted == {name for (names,) in named.fetchall() for name in names.split(",")}
        json_columns |= {f"{entry['schema']}.{entry['name']}.{name}" for name in noted}
    assert {"mart.company_profile.extra", "core.company.connections_graph", "lineage.quarantine.row"} <= json_columns
    (extra,) = {row["files"][0]["file"] for row in manifest["tables"] if row["name"] == "company_profile"}
    cells = pl.read_parquet(folder / extra)["extra"].str.json_path_match("$.segment")
    assert cells.drop_nulls().to_list() == ["retail"]


@pytest.mark.long
def test_published_copy_has_the_views(two_portfolios, tmp_path):
    info = CopyInfo(FIRST, "test")
    built = build_copy(two_portfolios, tmp_path / "copy.duckdb", parse_exclusion([]), info)
    folder = tmp_path / "parquet"
    folder.mkdir()
    manifest = write_parquet_files(tmp_path / "copy.duckdb", folder, built)
    files = {entry["name"]: entry["files"] for entry in manifest["tables"] if entry["schema"] == "portfolio"}
    assert files.keys() == {STRANGE, "suppliers"}
    for name, (file,) in files.items():
        with duckdb.connect(str(tmp_path / "copy.duckdb"), read_only=True) as copy:
            view = '"' + name.replace('"', '""') + '"'
            assert sorted(pl.read_parquet(folder / file["file"]).rows()) == sorted(read(copy, view)[1])
    _assert_types(folder, manifest)
    reduced = parse_exclusion(["lineage.portfolio_members.extra"])
    build_copy(two_portfolios, tmp_path / "reduced.duckdb", reduced, CopyInfo(FIRST, "test", reduced and ("x",)))
    with duckdb.connect(str(tmp_path / "reduced.duckdb"), read_only=True) as copy:
        assert copy.execute("SELECT count(*) FROM duckdb_views() WHERE schema_name = 'portfolio'").fetchall() == [(0,)]
