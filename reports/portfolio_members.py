"""Portfolios and their members, as the latest files list them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from innspect.reports.change_query import LEVEL_COLUMNS
from innspect.schemas.settings.relations import EXPANDED_SUFFIX
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

PORTFOLIOS = """
SELECT m.portfolio, count(*) FILTER (m.left_at IS NULL) AS members,
       count(*) FILTER (m.left_at IS NULL AND length(m.inn) = 10) AS companies,
       count(*) FILTER (m.left_at IS NULL AND length(m.inn) = 12) AS persons,
       count(*) FILTER (m.left_at IS NOT NULL) AS former,
       any_value(l.listed_at) AS listed_at, any_value(r.checked_at) AS checked_at
FROM lineage.portfolio_members m
LEFT JOIN (SELECT portfolio, max(listed_at) AS listed_at FROM lineage.portfolio_listings GROUP BY portfolio) l
     ON l.portfolio = m.portfolio
LEFT JOIN (SELECT portfolio, max(started_at) AS checked_at FROM lineage.runs
           WHERE run_id IN (SELECT run_id FROM lineage.responses) GROUP BY portfolio) r ON r.portfolio = m.portfolio
GROUP BY m.portfolio ORDER BY m.portfolio
"""
MEMBERS = """
SELECT inn, name, priority, tags, extra::VARCHAR AS extra FROM lineage.portfolio_members
WHERE portfolio = $portfolio AND left_at IS NULL ORDER BY inn
"""
SHOWN_MEMBERS = f"""
SELECT m.inn, p.name, m.name AS portfolio_name, {", ".join(f"s.{name}" for name in LEVEL_COLUMNS)},
       m.priority, m.tags, m.extra::VARCHAR AS extra, m.first_seen_at, m.left_at
FROM lineage.portfolio_members m
LEFT JOIN mart.risk_score s ON s.inn = m.inn LEFT JOIN mart.company_profile p ON p.inn = m.inn
WHERE m.portfolio = $portfolio AND (m.left_at IS NULL OR $former)
ORDER BY m.left_at IS NOT NULL, m.priority DESC NULLS LAST, m.inn
"""
OWN_COLUMNS = f"""
WITH members AS (
    SELECT inn, arg_max(name, last_seen_at) AS name, arg_max(extra, last_seen_at) AS extra
    FROM lineage.portfolio_members
    WHERE left_at IS NULL AND CASE WHEN $portfolio IS NULL THEN NOT ends_with(portfolio, '{EXPANDED_SUFFIX}')
                                   ELSE portfolio = $portfolio END
    GROUP BY inn
)
SELECT inn, nullif(trim(name), '') AS own_name, map_keys(cells) AS names, map_values(cells) AS texts
FROM (SELECT *, extra::MAP(VARCHAR, VARCHAR) AS cells FROM members) ORDER BY inn
"""


@dataclass(frozen=True, slots=True)
class OwnColumns:
    """What the user's own file says about its members.

    `names`: the columns that innspect has no use for and that have a value, named and ordered as in the file.
    `members`: one row per INN, `inn`, `own_name` (the name of the firm in the file) and `cells`, the texts in the order
    of `names`; None where the file has none.
    """

    names: tuple[str, ...]
    members: pl.DataFrame

    def find(self, inns: Collection[str]) -> dict[str, tuple[str | None, dict[str, str]]]:
        """By INN of these: the name in the file, and the own columns that have a value."""
        chosen = self.members.filter(pl.col("inn").is_in(list(inns)))
        return {
            inn: (own_name, {name: cell for name, cell in zip(self.names, cells, strict=True) if cell is not None})
            for inn, own_name, cells in chosen.select("inn", "own_name", "cells").iter_rows()
        }


def own_text(official_name: str | None, own_name: str | None, cells: Mapping[str, str]) -> str:
    """The name in the file, if it differs from the official one, and the own columns, on one line; empty if none."""
    differs = own_name is not None and own_name != official_name
    texts = [f"{name}: {cell}" for name, cell in cells.items()]
    return "; ".join([own_name, *texts] if differs and own_name else texts)


def list_own_columns(source: Warehouse | PublishedCopy, portfolio: str | None = None) -> OwnColumns:
    """The own names and columns of the members of a portfolio; without one of all members, by their latest file.

    All members: except those that only an expansion has found, which are in no file.
    """
    rows = source.query(OWN_COLUMNS, {"portfolio": portfolio})
    cells = [
        dict(zip(names or (), texts or (), strict=True)) for names, texts in rows.select("names", "texts").iter_rows()
    ]
    filled = {name for row in cells for name, text in row.items() if text}
    names = tuple(name for name in dict.fromkeys(chain.from_iterable(cells)) if name in filled)
    lists = pl.Series("cells", [[row.get(name) or None for name in names] for row in cells], dtype=pl.List(pl.String))
    return OwnColumns(names, rows.select("inn", "own_name", lists))


def list_portfolios(warehouse: Warehouse) -> list[dict[str, Any]]:
    """Each portfolio with numbers of members and former members, and when its file was last read and checked (UTC)."""
    return warehouse.query(PORTFOLIOS).to_dicts()


def list_members(warehouse: Warehouse, name: str) -> pl.DataFrame:
    """The members of a portfolio: `inn`, `name`, `priority`, `tags`, `extra`; one row per INN."""
    return warehouse.query(MEMBERS, {"portfolio": name})


def describe_members(warehouse: Warehouse, name: str, *, with_former: bool) -> list[dict[str, Any]]:
    """The members with official name, level and what is not known of it; with `with_former` also who has left, when."""
    return warehouse.query(SHOWN_MEMBERS, {"portfolio": name, "former": with_former}).to_dicts()
