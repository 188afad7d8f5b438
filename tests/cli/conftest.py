"""A home whose warehouse is loaded from hand-written responses."""

import pytest

from innspect.warehouse.database import Warehouse
from tests.cli.responses import OTHER, card, freezes, unconfirmed_freezes
from tests.support.builders import FIRST, INN, load_responses


@pytest.fixture
def two_companies(tmp_path, create_empty_warehouse):
    """A company with changes whose latest freezes are unconfirmed, and one with only a card."""
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(
            warehouse,
            card("active", director="A"),
            freezes(0),
            card("active", OTHER),
            card("liquidating", director="B"),
            freezes(1),
            unconfirmed_freezes(),
        )
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, name, first_seen_at, last_seen_at) "
            "VALUES ('mine', $1, 'M', $2, $2), ('theirs', $3, 'T', $2, $2)",
            [INN, FIRST, OTHER],
        )
    return tmp_path
