"""Which marts may depend on excluded data: all that read it, by the plans of DuckDB, and few others."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from innspect.warehouse.ddl import published_tables
from innspect.warehouse.marts.registry import (
    STORED_RISK_MARTS,
    mart_comments,
    queries_over_stored_marts,
    queries_without_findings,
)
from innspect.warehouse.publish.exclude import (
    STRUCTURAL_COLUMNS,
    Exclusion,
    find_affected_marts,
    find_left_out,
    parse_exclusion,
)

RISK = {"risk_score", "risk_signals"}


def read_columns(node: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Schema, table and column of everything that the scans of a plan read."""
    info = node["extra_info"]
    if "Table" in info:
        schema, table = info["Table"].split(".")[-2:]
        words = re.findall(r"\w+", f"{info.get('Projections', '')} {info.get('Filters', '')}")
        yield from ((schema, table.strip('"'), word) for word in words)
    for child in node["children"]:
        yield from read_columns(child)


@pytest.mark.parametrize("mart", mart_comments())
def test_every_mart_that_reads_a_column_is_affected(warehouse, mart):
    queries = queries_without_findings() if mart in STORED_RISK_MARTS else queries_over_stored_marts()
    plans = warehouse.connection.execute(f"EXPLAIN (FORMAT json) {queries[mart]}").fetchall()
    columns = {key: {column.name for column in specs} for key, (_, specs) in published_tables().items()}
    read = {
        (schema, table, column)
        for _, plan in plans
        for node in json.loads(plan)
        for schema, table, column in read_columns(node)
        if column in columns.get((schema, table), ()) and not (schema == "core" and column in STRUCTURAL_COLUMNS)
    }
    assert read or mart == "risk_rules"
    assert [column for column in read if mart not in find_affected_marts(Exclusion(columns=frozenset({column})))] == []
    tables = {(schema, table) for schema, table, _ in read}
    assert [table for table in tables if mart not in find_affected_marts(Exclusion(frozenset({table})))] == []


@pytest.mark.parametrize(
    ("patterns", "affected", "left_out"),
    [
        (["mart.spend", "mart.coverage.name"], set(), set()),
        (["lineage.portfolio_members.extra"], {"company_profile"}, set()),
        (["lineage.calls"], {"spend"}, {"spend"}),
        (["core.company.phone"], {"changes", "contacts", "links", "news"}, {"links"}),
        (["core.trademarks__trademarks"], {"changes", "news", "trademarks"}, set()),
        (
            ["core.company.director"],
            {"changes", "company_profile", "cross_checks", "links", "news", "people", "risk_history", *RISK},
            {"links", *RISK},
        ),
    ],
)
def test_few_marts_are_affected(patterns, affected, left_out):
    exclusion = parse_exclusion(patterns)
    assert find_affected_marts(exclusion) == affected
    assert find_left_out(exclusion) == left_out
