"""The warehouse as it was: the same answers as the warehouse itself, and the policy of then."""

import re
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.as_of import open_as_of
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_store import store_policies
from tests.support.builders import FIRST, INN, Response, load_responses

OTHER, FOUNDER = "7710140679", "7736050003"
NOW = FIRST + timedelta(days=2)
SCORE = "SELECT level, level_known, score, score_at_most, unknown_blocks, reasons FROM mart.risk_score WHERE inn = $inn"


def card(inn: str, status: str = "active") -> Response:
    body = {"inn": inn, "ogrn": "1027700132195", "name": inn, "status": status}
    return Response("brief", {**body, "founders": [{"name": "Ф", "inn": FOUNDER}]}, inn)


@pytest.fixture
def linked(tmp_path, create_empty_warehouse):
    """Two members with the same founder; the other one is later declared bankrupt."""
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card(INN), card(OTHER), card(OTHER, "bankruptcy"), card(OTHER, "liquidated"))
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, first_seen_at, last_seen_at) "
            "VALUES ('mine', $1, $3, $3), ('mine', $2, $3, $3)",
            [INN, OTHER, FIRST],
        )
        yield warehouse


def score_at(warehouse, moment, inn=INN) -> pl.DataFrame:
    with open_as_of(warehouse, inn, moment) as (past, _):
        return past.query(SCORE, {"inn": inn})


@pytest.mark.long
def test_it_judges_as_the_warehouse_does(linked):
    linked.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{NOW}'")
    for inn in (INN, OTHER):
        assert score_at(linked, NOW, inn).equals(linked.query(SCORE, {"inn": inn}))
    assert score_at(linked, NOW)["score"][0] > score_at(linked, FIRST + timedelta(hours=1, minutes=30))["score"][0]


def test_nothing_later_is_in_it(linked):
    with open_as_of(linked, OTHER, FIRST + timedelta(hours=1, minutes=30)) as (past, _):
        assert past.query("SELECT DISTINCT status FROM core.company WHERE inn = $inn", {"inn": OTHER}).rows() == [
            ("active",)
        ]
        assert past.query("SELECT max(asked_at) <= TIMESTAMP '2026-11-20 11:30:00' FROM lineage.snapshots").item()
        assert past.query("SELECT count(*) FROM lineage.changes").item() == 0


@pytest.mark.long
def test_the_policy_of_then_judges(linked, tmp_path):
    built_in = linked.query("SELECT policy_version FROM lineage.policies").item()
    linked.connection.execute("UPDATE lineage.policies SET first_used_at = $1", [FIRST])
    file = tmp_path / "risk.toml"
    text = Path("configs/risk.toml").read_text("utf-8")
    file.write_text(re.sub(r"(?m)^medium = \d+", "medium = 1", text, count=1), "utf-8")
    with linked.transaction():
        store_policies(linked.connection, load_policies(file))
    linked.connection.execute(
        "UPDATE lineage.policies SET first_used_at = $1 WHERE policy_version <> $2",
        [FIRST + timedelta(days=1), built_in],
    )
    for moment, is_current, is_known in (
        (FIRST + timedelta(hours=5), False, True),
        (NOW, True, True),
        (FIRST - timedelta(days=1), False, False),
    ):
        with open_as_of(linked, INN, moment) as (past, policy):
            judged = past.query("SELECT DISTINCT policy_version FROM mart.risk_rules").item()
            assert (judged == built_in, policy.is_current, policy.is_known) == (not is_current, is_current, is_known)
