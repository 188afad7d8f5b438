"""Generated files that are checked in are up to date and complete."""

import re

import pytest

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import core_columns, stored_tables
from innspect.warehouse.marts.registry import mart_comments
from tests.project_rules.generate import STEPS, stale_files
from tests.project_rules.goldens import COMMANDS, GOLDEN, ROOT


@pytest.mark.long
@pytest.mark.parametrize("step", [step for step in STEPS if step != "frames"])
def test_generated_files_are_up_to_date(step):
    stale = [str(path.relative_to(ROOT)) for path in stale_files(step)]
    assert not stale, f"{stale} are stale; run `make generate` and read the difference"


def test_views_and_marts_run(warehouse):
    names = [f"mart.{name}" for name in mart_comments()]
    names += [f'{schema}."{name}"' for name in tables() for schema in ("core", "current")]
    names += [f"as_of.\"{name}\"(TIMESTAMP '2026-01-01')" for name in tables()]
    for name in names:
        assert warehouse.connection.execute(f"FROM {name} LIMIT 1").description, name


def test_every_command_has_a_golden_help_with_an_example():
    helps = (GOLDEN / "cli-help.txt").read_text("utf-8").split("$ innspect ")
    listed = re.findall(r"^  (\w+) {2,}", helps[1].partition("Commands:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(command for command in COMMANDS if " " not in command)
    for text in helps[2:]:
        assert "innspect" in text.lower() or "curl" in text
        assert "Example" in text or "example" in text, text


def test_dictionary_contains_every_table_and_column():
    text = (ROOT / "docs" / "data-dictionary.md").read_text("utf-8")
    for table in tables().values():
        _, found, rest = text.partition(f"### core.{table.name}\n")
        assert found
        section = rest.partition("\n### ")[0].partition("\n## ")[0]
        for column in core_columns(table):
            assert f"| `{column.name}` | {column.sql} |" in section, (table.name, column.name)


def test_every_table_and_column_has_a_comment():
    for (schema, name), (comment, columns) in stored_tables().items():
        assert comment.strip(), (schema, name)
        for column in columns:
            assert re.search(r"\w", column.comment), (schema, name, column.name)
    for mart, (comment, columns) in mart_comments().items():
        assert comment, mart
        assert columns, mart


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_locks_have_hashes_and_no_addresses(name):
    text = (ROOT / name).read_text("utf-8")
    assert "--hash=sha256:" in text
    assert "://" not in text
    assert not (ROOT / "uv.lock").exists()
