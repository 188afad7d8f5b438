"""A warehouse made for other declarations: what is new is added, what is gone or another type asks for a rebuild."""

import pytest

from innspect.flows.load import load_responses
from innspect.schemas.errors import Exit, WarehouseError
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS, Response, response_frame

BRIEF = {"inn": "7707083893", "ogrn": "1027700132195", "name": "A", "status": "active", "director": "B"}
VIEWS = "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1"


def older(path, *statements: str) -> int:
    """Make the file look as one made for other declarations; how many views it had."""
    with Warehouse(path) as warehouse:
        load_responses(warehouse, response_frame([Response("brief", BRIEF)]), CONVENTIONS)
        views = warehouse.query(VIEWS).height
        warehouse.connection.execute("DROP VIEW current.company CASCADE")
        for statement in statements:
            warehouse.connection.execute(statement)
        warehouse.connection.execute("DELETE FROM lineage._declarations")
    return views


@pytest.mark.long
def test_new_field_becomes_a_column_at_opening(tmp_path):
    path = tmp_path / "warehouse.duckdb"
    views = older(path, "ALTER TABLE core.company DROP COLUMN director")
    with Warehouse(path) as warehouse:
        assert warehouse.added_columns == ["core.company.director"]
        assert warehouse.query("SELECT name, director FROM current.company").rows() == [("A", None)]
        assert warehouse.query("SELECT director FROM as_of.company(TIMESTAMP '2030-01-01')").height == 1
        assert warehouse.query(VIEWS).height == views
        later = {**BRIEF, "director": "C"}
        load_responses(warehouse, response_frame([Response("brief", later)], file="later", start=1), CONVENTIONS)
        assert warehouse.query("SELECT director FROM current.company").rows() == [("C",)]
    with Warehouse(path) as warehouse:
        assert warehouse.added_columns == []


@pytest.mark.long
def test_rebuild_fills_a_new_column(tmp_path):
    older(tmp_path / "old.duckdb", "ALTER TABLE core.company DROP COLUMN director")
    with Warehouse(tmp_path / "old.duckdb") as warehouse:
        assert warehouse.query("SELECT director FROM core.company").rows() == [(None,)]
    with Warehouse(tmp_path / "new.duckdb") as warehouse:
        load_responses(warehouse, response_frame([Response("brief", BRIEF)]), CONVENTIONS)
        assert warehouse.query("SELECT director FROM core.company").rows() == [("B",)]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE core.company ADD COLUMN astrological_sign VARCHAR",
        "ALTER TABLE core.company ALTER COLUMN director TYPE BLOB USING director::BLOB",
    ],
)
def test_removed_or_retyped_column_requires_a_rebuild(tmp_path, change):
    path = tmp_path / "warehouse.duckdb"
    older(path, change)
    with pytest.raises(
        WarehouseError, match=r"core\.company .*(astrological_sign|director).*`innspect rebuild`"
    ) as caught:
        Warehouse(path)
    assert caught.value.exit_code is Exit.FAULT
    assert caught.value.message.count(". ") == 0
    # Nothing was changed, and the file is free for the rebuild.
    with Warehouse(path, read_only=True) as warehouse:
        assert warehouse.query("SELECT name FROM core.company").rows() == [("A",)]
