"""SQL of the stored links: the rows of `mart.links`, kept until something they rest on changes.

`lineage._links` has the links, and `_link_names`, `_link_persons`, `_link_values` and `_link_companies` the facts of
each INN that they rest on. `_links_state` has one row: what the warehouse contained when they were stored. They are
valid while it contains the same; otherwise `mart.links` computes all links. So links that nobody has refreshed cost
time and are never wrong.
"""

from innspect.warehouse.ddl import (
    LINK_COMPANIES,
    LINK_ENDS,
    LINK_NAMES,
    LINK_PERSONS,
    LINK_VALUES,
    LINKS,
    LINKS_STATE,
    identifier,
)
from innspect.warehouse.latest import unanswered_calls
from innspect.warehouse.links.links_sql import LINK_COLUMNS, fact_ctes, link_ctes

LINKS_TABLE = f"lineage.{identifier(LINKS)}"
STATE_TABLE = f"lineage.{identifier(LINKS_STATE)}"
ENDS_TABLE = f"lineage.{identifier(LINK_ENDS)}"
"""The INNs whose links a transaction stored again, and its number; NULL in place of an INN stands for all of them."""
FACT_TABLES = {
    "names": f"lineage.{identifier(LINK_NAMES)}",
    "persons": f"lineage.{identifier(LINK_PERSONS)}",
    "contact_values": f"lineage.{identifier(LINK_VALUES)}",
    "companies": f"lineage.{identifier(LINK_COMPANIES)}",
}
"""The table of each CTE of `fact_ctes`."""


def content_query() -> str:
    """SQL of what links rest on: the number of snapshots, which are only added, and digests of members and calls."""
    members = "hash(inn, name, last_seen_at, left_at)"
    calls = "hash(inn, block, asked_at, state)"
    return (
        "SELECT concat_ws(' ', (SELECT count(*) FROM lineage.snapshots), "
        f"(SELECT coalesce(sum({members}::HUGEINT), 0) FROM lineage.portfolio_members), "
        f"(SELECT coalesce(sum({calls}::HUGEINT), 0) FROM ({unanswered_calls()}))) AS content"
    )


def facts_near(own: str) -> str:
    """CTEs of the stored facts, as `fact_ctes` has them, that links with an end in the relation `own` rest on.

    A selection from each table comes first: few INNs have few links, and the tables are large.
    """
    names, persons, values, companies = FACT_TABLES.values()
    of_own = f"IN (SELECT inn FROM {own})"
    return f"""
names AS NOT MATERIALIZED (FROM {names}),
persons_of_own AS MATERIALIZED (FROM {persons} SEMI JOIN {own} USING (inn)),
persons AS MATERIALIZED (
    FROM {persons} WHERE inn {of_own} OR item_inn {of_own}
    OR item_inn IN (SELECT item_inn FROM persons_of_own WHERE item_inn IS NOT NULL)
    OR name_key IN (SELECT name_key FROM persons_of_own WHERE name_key IS NOT NULL)
),
contact_values AS MATERIALIZED (
    FROM {values} SEMI JOIN (SELECT kind, key FROM {values} SEMI JOIN {own} USING (inn)) USING (kind, key)
),
companies AS MATERIALIZED (FROM {companies} WHERE inn {of_own} OR other_inn {of_own})""".strip()


def current_links() -> str:
    """CTE `links`: the stored links if they are valid, otherwise all links computed."""
    columns = ", ".join(LINK_COLUMNS)
    is_stored = "(SELECT is_stored FROM links_state)"
    state = f"coalesce((SELECT content FROM {STATE_TABLE}) = ({content_query()}), false)"
    return (
        f"links_state AS MATERIALIZED (SELECT {state} AS is_stored),\n"
        f"{fact_ctes(only_if=f'NOT {is_stored}')},\n{link_ctes('live_links')},\n"
        f"links AS (SELECT {columns} FROM {LINKS_TABLE} WHERE {is_stored}\n"
        f"    UNION ALL SELECT {columns} FROM live_links)"
    )
