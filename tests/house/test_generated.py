"""What is generated and checked in is what the declarations make today."""

import re
from pathlib import Path

import pytest

from schemas.tables import tables
from warehouse.ddl import base_tables, core_columns, statements
from warehouse.dictionary import documents
from warehouse.mart_files import mart_comments, mart_statements

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "golden"


def test_documents_are_fresh():
    stale = [str(path) for path, text in documents().items() if (ROOT / path).read_text("utf-8") != text]
    assert not stale, f"{stale} are stale; run `make generate`"


def test_ddl_is_fresh():
    text = ";\n".join([*statements(), *mart_statements()]) + ";\n"
    assert (GOLDEN / "ddl.sql").read_text("utf-8") == text, "run `make generate`"


def test_the_dictionary_names_every_table_and_column():
    text = (ROOT / "docs" / "data-dictionary.md").read_text("utf-8")
    for table in tables().values():
        _, found, rest = text.partition(f"### core.{table.name}\n")
        assert found
        section = rest.partition("\n### ")[0].partition("\n## ")[0]
        for column in core_columns(table):
            assert f"| `{column.name}` | {column.sql} |" in section, (table.name, column.name)


def test_every_table_and_column_has_a_comment():
    for (schema, name), (comment, columns) in base_tables().items():
        assert comment.strip(), (schema, name)
        for column in columns:
            assert re.search(r"\w", column.comment), (schema, name, column.name)
    for mart, (comment, columns) in mart_comments().items():
        assert comment, mart
        assert columns, mart


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_have_hashes_and_no_addresses(name):
    text = (ROOT / name).read_text("utf-8")
    assert "--hash=sha256:" in text
    assert "://" not in text
    assert not (ROOT / "uv.lock").exists()
