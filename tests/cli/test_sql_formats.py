"""Output formats of `innspect sql`: exact values, typed cells, and no text that a spreadsheet executes."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innspect.cli import main
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.csv_json import is_formula, write_csv
from innspect.warehouse.export.query import Query
from innspect.warehouse.export.xlsx import MAX_SHEET_ROWS, open_workbook
from tests.support.cli import ROOT, Cli, assert_fails
from tests.support.commands import Terminal, run_here

MIXED = """
SELECT '0077000000' AS inn, DATE '2026-11-20' AS day, TIMESTAMP '2026-11-20 10:00:00' AS instant,
       1234567.89::DECIMAL(18,2) AS amount, 12::BIGINT AS count, true AS flag, 0.25::DOUBLE AS share,
       '=1+1' AS formula, ['=a', 'b'] AS list, '{"k": 1.10}'::JSON AS tree, NULL::VARCHAR AS nothing, '' AS empty,
       9999999999999999.99::DECIMAL(18,2) AS large, 1234567890123456789::BIGINT AS long, DATE '1899-01-01' AS early,
       '+7 495 123-45-67' AS phone
UNION ALL SELECT '770000000017', NULL, NULL, -5, -1, false, NULL, '-5', [], NULL, 'x', 'y', 0, 0, NULL, '@x'
"""
HOSTILE = ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3+cmd|x", "\t=1", "\r=1", "\n=1", "＝1+1", "'=1", "''@x")
HARMLESS = ("-5", "+7 (495) 123-45-67", "-12.50", "a=b", "", "'quoted'", "ООО Ромашка", "1-2", "-", " =1")


@pytest.fixture
def read(warehouse_file):
    with Warehouse(warehouse_file, read_only=True) as warehouse:
        yield lambda sql, **options: Query(warehouse, sql, **options)


@pytest.fixture(scope="module")
def warehouse_file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "warehouse.duckdb"
    duckdb.connect(str(path)).close()
    return path


@pytest.fixture
def cli(warehouse_file, tmp_path) -> Cli:
    """The command line with an empty warehouse."""
    return Cli(tmp_path / "home", environ={"INNSPECT_STORES__WAREHOUSE": str(warehouse_file)})


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def as_csv(query: Query) -> list[list[str]]:
    out = io.BytesIO()
    query.stream(out, "csv")
    return list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))


def back(cell: str) -> str:
    """Read such a CSV as docs/bi.md says: remove the apostrophe before text that would be a formula."""
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_escapes_text_that_a_spreadsheet_would_execute(read, text):
    ((head,), (cell,)) = as_csv(read(f"SELECT {literal(text)} AS cell"))
    assert (head, cell) == ("cell", "'" + text)
    assert back(cell) == text
    assert as_csv(read(f"SELECT {literal(text)} AS cell", raw_text=True))[1] == [text]


@pytest.mark.parametrize("text", HARMLESS)
def test_csv_keeps_harmless_text(read, text):
    assert as_csv(read(f"SELECT {literal(text)} AS cell, 1 AS one"))[1] == [text, "1"]


def test_csv_keeps_numbers_and_escapes_column_names(read):
    rows = as_csv(read("SELECT -5 AS a, -5.50::DECIMAL(9,2) AS b, 'x' AS \"=cmd|x\", -1e300 AS d"))
    assert rows == [["a", "b", "'=cmd|x", "d"], ["-5", "-5.50", "x", "-1e+300"]]


@pytest.mark.long
@settings(deadline=None)
@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=8)
    | st.text("'=+-@\t\r\n 1a|", max_size=6)
)
def test_csv_text_round_trips(text):
    out = io.BytesIO()
    write_csv(duckdb.connect(), f"SELECT {literal(text)} AS cell, 1 AS one", out)
    _, (cell, _) = csv.reader(io.StringIO(out.getvalue().decode(), newline=""))
    assert back(cell) == text
    assert not re.match(r"[=@＝＠＋－\t\r\n]", cell)
    assert not (re.match(r"[+-]", cell) and re.search(r"[^0-9 ().,+-]", cell))


def test_csv_distinguishes_null_from_empty_text(read):
    out = io.BytesIO()
    read("SELECT NULL AS a, '' AS b, 'x' AS c").stream(out, "csv")
    assert out.getvalue() == b'a,b,c\n,"",x\n'


def test_json_keeps_every_digit(read):
    out = io.BytesIO()
    read(MIXED).stream(out, "json")
    first, second = json.loads(out.getvalue())
    assert first["amount"] == "1234567.89"
    assert first["large"] == "9999999999999999.99"
    assert first["long"] == 1234567890123456789
    assert (first["day"], first["instant"], first["flag"]) == ("2026-11-20", "2026-11-20T10:00:00", True)
    assert (first["formula"], first["list"], first["tree"]) == ("=1+1", ["=a", "b"], {"k": 1.10})
    assert (first["nothing"], first["empty"]) == (None, "")
    assert (second["phone"], second["inn"]) == ("@x", "770000000017")


def test_duplicate_column_names_are_kept(read, tmp_path):
    query = "SELECT 1 AS a, 2 AS a"
    assert as_csv(read(query))[1] == ["1", "2"]
    out = io.BytesIO()
    read(query).stream(out, "json")
    assert sorted(json.loads(out.getvalue())[0].values()) == [1, 2]
    read(query).write(tmp_path / "a.xlsx", "xlsx")
    assert pl.read_excel(tmp_path / "a.xlsx", has_header=False).width == 2


@pytest.mark.parametrize("layout", ["csv", "json"])
def test_file_and_screen_have_the_same_bytes(read, tmp_path, layout):
    out = io.BytesIO()
    read(MIXED).stream(out, layout)
    assert read(MIXED).write(tmp_path / "out", layout) == 2
    assert (tmp_path / "out").read_bytes() == out.getvalue()


def test_parquet_is_exact(read, tmp_path):
    path = tmp_path / "out.parquet"
    assert read(MIXED).write(path, "parquet") == 2
    connection = duckdb.connect()
    assert connection.execute(f"FROM '{path}'").fetchall() == connection.execute(MIXED).fetchall()
    described = "SELECT column_name, replace(column_type, 'JSON', 'VARCHAR') FROM (DESCRIBE {})"
    types = connection.execute(described.format(MIXED)).fetchall()
    assert connection.execute(described.format(f"FROM '{path}'")).fetchall() == types
    assert pl.Binary not in pl.read_parquet_schema(path).values(), "JSON is text for every reader"


def parts(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as book:
        return {name: book.read(name).decode() for name in book.namelist()}


def test_xlsx_cells_have_types(read, tmp_path):
    path = tmp_path / "out.xlsx"
    assert read(MIXED).write(path, "xlsx") == 2
    first, second = pl.read_excel(path).rows(named=True)
    assert first["inn"] == "0077000000"
    assert first["day"] == date(2026, 11, 20)
    assert first["instant"] == datetime(2026, 11, 20, 10)
    assert (first["amount"], first["count"], first["flag"], first["share"]) == (1234567.89, 12, True, 0.25)
    assert (first["formula"], first["list"], first["phone"]) == ("=1+1", '["=a","b"]', "+7 495 123-45-67")
    assert (first["nothing"], first["early"]) == (None, "1899-01-01")
    assert (second["inn"], second["formula"], second["flag"]) == ("770000000017", "-5", False)
    # A number with more digits than a spreadsheet keeps is written as text.
    assert Decimal(first["large"]) == Decimal("9999999999999999.99")
    assert first["long"] == "1234567890123456789"


def test_xlsx_has_no_formulas_and_keeps_text_as_text(read, tmp_path):
    path = tmp_path / "out.xlsx"
    query = " UNION ALL ".join(f"SELECT {literal(text)} AS cell" for text in (*HOSTILE, *HARMLESS))
    read(query + " UNION ALL SELECT '=HYPERLINK(\"http://x\")' UNION ALL SELECT 'http://x'").write(path, "xlsx")
    book = parts(path)
    sheet = book["xl/worksheets/sheet1.xml"]
    assert "<f>" not in sheet
    assert "<f " not in sheet
    assert "hyperlink" not in sheet
    assert not [name for name in book if "external" in name.lower()]
    cells = re.findall(r"<c [^>]*>", sheet)
    assert all('t="inlineStr"' in cell for cell in cells)
    assert 'quotePrefix="1"' in book["xl/styles.xml"]


def test_long_result_continues_in_further_sheets(tmp_path):
    path = tmp_path / "out.xlsx"
    with open_workbook(path, sheet_rows=4) as book:
        assert book.add_sheets(duckdb.connect(), "SELECT range AS n, 'x' AS t FROM range(10)", "result") == 10
        assert book.add_sheets(duckdb.connect(), "SELECT range AS n FROM range(4)", "whole") == 4
        assert book.add_sheets(duckdb.connect(), "SELECT 1 AS n WHERE false", "empty") == 0
    sheets = pl.read_excel(path, sheet_id=0, raise_if_empty=False)
    assert {name: sheet.height for name, sheet in sheets.items()} == {
        "result": 4, "result 2": 4, "result 3": 2, "whole": 4, "empty": 0,
    }  # fmt: skip
    numbers = [n for name in ("result", "result 2", "result 3") for n in sheets[name]["n"].to_list()]
    assert numbers == list(range(10))
    assert MAX_SHEET_ROWS + 1 == 2**20


def test_text_too_long_for_a_cell_is_truncated_with_a_message(cli, tmp_path):
    path = tmp_path / "out.xlsx"
    done = cli("sql", "SELECT repeat('я', 40000) AS long, 'short' AS short", "--out", path)
    assert done.code == 0
    assert "1 row written" in done.err
    assert "1 text was too long for a cell and ends with …" in done.err
    cell = pl.read_excel(path)["long"][0]
    assert len(cell) == 32_767
    assert cell.endswith("я…")


@pytest.mark.parametrize(
    "query", ["SELECT 1 AS a -- note", "SELECT 1 AS a; -- note;", "SELECT ';ж' AS a ;", "FROM (VALUES (1)) t(a)",
              "WITH t AS (SELECT 1 AS a) FROM t", "DESCRIBE SELECT 1", "SHOW TABLES"],
)  # fmt: skip
def test_every_kind_of_reading_query_can_be_written(read, query):
    out = io.BytesIO()
    read(query).stream(out, "csv")
    assert out.getvalue()


@pytest.mark.parametrize(
    "query", ["SELECT 1; SELECT 2", "CREATE TABLE t (a INT)", "COPY (SELECT 1) TO 'x.csv'", "SELEC 1"]
)
def test_only_one_select_is_accepted(read, query):
    with pytest.raises(UsageError):
        read(query)


def test_rows_keep_their_order(read):
    rows = as_csv(read("SELECT range AS n FROM range(30000) ORDER BY n DESC"))
    assert [int(cell) for (cell,) in rows[1:]] == list(range(29999, -1, -1))


def test_missing_folder_of_a_file_is_created(read, tmp_path):
    assert read("SELECT 1 AS a").write(tmp_path / "new" / "deep" / "out.csv", "csv") == 1
    assert (tmp_path / "new" / "deep" / "out.csv").read_text() == "a\n1\n"


@pytest.mark.parametrize("layout", ["csv", "json", "parquet", "xlsx"])
def test_unwritable_file_is_an_error_in_usage(capsys, two_companies, tmp_path, layout):
    (tmp_path / "none").touch()
    (tmp_path / f"folder.{layout}").mkdir()
    files = (
        tmp_path / "none" / f"x.{layout}",
        tmp_path / f"folder.{layout}",
        f"/proc/x.{layout}",
        f"{'x' * 255}.{layout}",
    )
    for file in files:
        code, _, err = run_here(capsys, "sql", "SELECT 1 AS a", "--home", two_companies, "--out", file)
        assert (code, err.startswith(f"innspect: The result {file} cannot be written (")) == (2, True), err
        assert err.endswith("); name another file with --out.\n")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_failing_query_leaves_no_file(read, tmp_path):
    query = "SELECT CASE WHEN range = 25000 THEN error('halt') ELSE range::VARCHAR END AS n FROM range(30000)"
    for layout in ("csv", "json", "parquet", "xlsx"):
        (tmp_path / f"out.{layout}").write_text("what was there")
        with pytest.raises(UsageError, match="halt"):
            read(query).write(tmp_path / f"out.{layout}", layout)
        assert (tmp_path / f"out.{layout}").read_text() == "what was there"
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("layout", ["csv", "parquet", "xlsx"])
def test_ctrl_c_leaves_no_partial_file(cli, tmp_path, layout):
    out = tmp_path / "files" / f"out.{layout}"
    out.parent.mkdir()
    process = cli.start("sql", "SELECT range AS n, md5(range::VARCHAR) AS t FROM range(500000000)", "--out", out)
    try:
        while process.poll() is None and not list(out.parent.iterdir()):
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()  # It would write for minutes more.
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert list(out.parent.iterdir()) == []


def test_reader_may_close_the_pipe(cli):
    command, env = cli.command("sql", "SELECT range AS n FROM range(3000000)", "--format", "csv")
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"n\n"
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (0, b"")


def test_explain_is_for_the_screen_only(cli, tmp_path):
    done = cli("sql", "EXPLAIN SELECT 1")
    assert done.code == 0
    assert "PROJECTION" in done.out
    assert_fails(cli("sql", "EXPLAIN SELECT 1", "--out", tmp_path / "x.csv"), 2, "EXPLAIN", "--out")
    assert_fails(cli("sql", "SELECT 1", "--format", "table", "--out", tmp_path / "x.csv"), 2, "for the screen")
    assert not (tmp_path / "x.csv").exists()


def test_extension_of_another_format_is_an_error(cli, tmp_path):
    assert_fails(cli("sql", "SELECT 1", "--format", "csv", "--out", tmp_path / "x.json"), 2, "--format csv", "x.json")
    assert_fails(cli("sql", "SELECT 1", "--out", tmp_path / "x.doc"), 2, "x.doc", "--format csv or json")
    assert cli("sql", "SELECT 1", "--format", "csv", "--out", tmp_path / "x.txt").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.vast
@pytest.mark.parametrize(
    ("layout", "rows"), [("csv", 1_000_000), ("json", 500_000), ("parquet", 1_000_000), ("xlsx", 200_000)]
)
def test_memory_does_not_grow_with_the_number_of_rows(cli, tmp_path, layout, rows):
    script = (
        "import resource, sys; from innspect.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as end: code = end.code\n"
        "print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )

    def peak(rows: int) -> int:
        query = f"SELECT range AS n, md5(range::VARCHAR) AS t, (range / 7)::DECIMAL(18,2) AS m FROM range({rows})"
        _, env = cli.command()
        command = [sys.executable, "-c", script, "sql", query, "--out", str(tmp_path / f"{rows}.{layout}")]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
        code, kilobytes = done.stdout.split()
        assert code == "0"
        return int(kilobytes)

    assert peak(rows) < peak(rows // 10) + 60_000  # kilobytes; all rows together take several times that


def test_query_is_read_from_a_file_or_standard_input(capsys, monkeypatch, two_companies, tmp_path):
    path = tmp_path / "query.sql"
    path.write_text("-- all\nSELECT count(*) AS n\nFROM current.company;\n", encoding="utf-8")
    command = ("sql", "--home", two_companies, "--format", "csv")
    expected = (0, "n\n2\n", "")
    assert run_here(capsys, *command, "-f", path) == expected
    for arguments in ((), ("-",)):
        monkeypatch.setattr("sys.stdin", io.StringIO(path.read_text()))
        assert run_here(capsys, *command, *arguments) == expected
    code, _, err = run_here(capsys, *command, "-f", tmp_path / "none.sql")
    assert (code, "none.sql cannot be read" in err) == (2, True)
    assert run_here(capsys, *command, "SELECT 1", "-f", path)[0] == 2
    monkeypatch.setattr("sys.stdin", Terminal())
    code, _, err = run_here(capsys, *command)
    assert (code, "There is no query" in err) == (2, True)


@pytest.mark.parametrize("columns", ["40", "200"])
def test_wide_result_on_a_terminal_has_one_column_per_line(monkeypatch, two_companies, columns):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout", terminal := Terminal())
    query = "SELECT repeat('x', 30) AS first, NULL AS second, 7 AS third FROM range(2)"
    with pytest.raises(SystemExit) as left:
        main.main(["sql", query, "--home", str(two_companies)])
    lines = re.sub(r"\x1b\[\d+m", "", terminal.getvalue()).split("\n")
    assert left.value.code == 0
    if columns == "40":
        assert [line.split() for line in lines[:5]] == [
            ["row", "1"],
            ["first", "x" * 30],
            ["second", "NULL"],
            ["third", "7"],
            ["row", "2"],
        ]
    else:
        assert [line.split() for line in lines[:2]] == [["first", "second", "third"], ["x" * 30, "NULL", "7"]]


def test_wide_table_in_a_pipe_has_every_value_whole_and_one_line_per_row(capsys, two_companies):
    values = ", ".join(f"'value {column} ' || repeat('x', 30) AS column_{column}" for column in range(40))
    query = f"SELECT {values}, repeat('a b ', 50000) AS long, 'a\tb' AS tab FROM range(2)"
    code, out, _ = run_here(capsys, "sql", query, "--home", two_companies, "--format", "table")
    head, *rows = out.splitlines()
    assert code == 0
    assert head.split() == [*(f"column_{column}" for column in range(40)), "long", "tab"]
    assert len(rows) == 2
    for row in rows:
        assert all(f"value {column} {'x' * 30} " in row for column in range(40))
        assert "a b " * 50_000 in row
        assert row.rstrip().endswith("a       b")
