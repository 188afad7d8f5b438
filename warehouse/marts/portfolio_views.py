"""A view for each portfolio, with one column for each of the user's own columns, named as in the file.

Portfolios have different columns, so these views are made from the members, not from a file of this package. They are
in a schema of their own: neither the name of a portfolio nor that of a column can hide a mart.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import duckdb

from innspect.schemas.states import Level
from innspect.warehouse.ddl import identifier, literal

SCHEMA = "portfolio"
FIXED_COLUMNS: Mapping[str, tuple[str, str]] = {
    "inn": ("m.inn", "INN, a member of this portfolio now."),
    "name": ("p.name", "Official name; that of the file if the card is not known."),
    "own_name": ("nullif(trim(m.name), '')", "Name in the file."),
    "status": ("p.status", "Status by the card."),
    "level": (f"coalesce(p.level, '{Level.UNKNOWN}')", "Level of risk, as in mart.risk_score."),
    "level_at_most": ("p.level_at_most", "The level if every signal that is not known were present."),
    "unknown_blocks": ("p.unknown_blocks", "Required blocks without a fresh answer."),
    "score": ("p.score", "Score, as in mart.risk_score."),
    "newest_checked_at": ("p.newest_checked_at", "Newest confirmation of any block, UTC; NULL if there is none."),
    "priority": ("m.priority", "Priority in the file."),
    "tags": ("m.tags", "Tags in the file."),
}
"""The columns that every view begins with: expression and meaning."""
NEEDED = (
    ("lineage", "portfolio_members", ("portfolio", "inn", "name", "priority", "tags", "extra", "left_at")),
    ("mart", "company_profile", (
        "inn", "name", "status", "level", "level_at_most", "unknown_blocks", "score", "newest_checked_at",
    )),
)  # fmt: skip
"""What the views read."""
OWN_COLUMNS = """
SELECT portfolio, list(name ORDER BY position, name) FILTER (name IS NOT NULL)
FROM (
    SELECT portfolio, name, min(position) AS position
    FROM (
        SELECT portfolio, unnest(keys) AS name, generate_subscripts(keys, 1) AS position
        FROM (
            SELECT portfolio, coalesce(nullif(json_keys(extra), []), [NULL]) AS keys
            FROM lineage.portfolio_members WHERE left_at IS NULL
        )
    ) GROUP BY ALL
) GROUP BY portfolio ORDER BY portfolio
"""
STORED_VIEWS = f"""
SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()
WHERE schema_name = '{SCHEMA}' AND database_name = current_database() GROUP BY table_name
"""


def refresh_portfolio_views(connection: duckdb.DuckDBPyConnection, *, recreate: bool = False) -> None:
    """Bring the views of the current database in line with the members.

    A view whose columns are right stays as it is, unless `recreate`. There are none where a table or column that they
    read is missing, as in a copy that excludes it.
    """
    stored = dict(connection.execute(STORED_VIEWS).fetchall())
    wanted = dict(connection.execute(OWN_COLUMNS).fetchall()) if _has_needed(connection) else {}
    names = dict(zip(_distinct_names(wanted, ()), wanted, strict=True))
    for view in stored.keys() - names.keys():
        connection.execute(f"DROP VIEW {SCHEMA}.{identifier(view)}")
    for view, portfolio in names.items():
        own = wanted[portfolio] or []
        columns = list(zip(_distinct_names(own, FIXED_COLUMNS), own, strict=True))
        if recreate or stored.get(view) != [*FIXED_COLUMNS, *(name for name, _ in columns)]:
            connection.execute(";\n".join(_create_view(view, portfolio, columns)))


def _has_needed(connection: duckdb.DuckDBPyConnection) -> bool:
    rows = connection.execute(
        "SELECT schema_name, table_name, column_name FROM duckdb_columns() WHERE database_name = current_database() "
        "AND table_name IN ('portfolio_members', 'company_profile')"
    ).fetchall()
    return set(rows) >= {(schema, table, column) for schema, table, columns in NEEDED for column in columns}


def _distinct_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """The names in their order; one that differs from an earlier one only in case, as SQL reads it, gets a number."""
    used = {name.lower() for name in taken}
    distinct: list[str] = []
    for name in names:
        unique, number = name.strip() or "column", 1
        while unique.lower() in used:
            number += 1
            unique = f"{name.strip() or 'column'}_{number}"
        used.add(unique.lower())
        distinct.append(unique)
    return distinct


def _create_view(view: str, portfolio: str, columns: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The statements for one view; `columns`: column of the view, and its key in `extra`."""
    path = f"{SCHEMA}.{identifier(view)}"
    cells = [f"{sql} AS {identifier(name)}" for name, (sql, _) in FIXED_COLUMNS.items()]
    cells += [
        f"nullif(json_extract_string(m.extra, {_pointer(key)}), '') AS {identifier(name)}" for name, key in columns
    ]
    meanings = {name: meaning for name, (_, meaning) in FIXED_COLUMNS.items()}
    meanings |= {name: f"Your own column {key}, as text." for name, key in columns}
    query = (
        f"SELECT {', '.join(cells)} FROM lineage.portfolio_members m LEFT JOIN mart.company_profile p ON p.inn = m.inn "
        f"WHERE m.portfolio = {literal(portfolio)} AND m.left_at IS NULL"
    )
    comment = f"Members of the portfolio {portfolio}, one row each, with your own columns."
    yield f"CREATE OR REPLACE VIEW {path} AS {query}"
    yield f"COMMENT ON VIEW {path} IS {literal(comment)}"
    for name, meaning in meanings.items():
        yield f"COMMENT ON COLUMN {path}.{identifier(name)} IS {literal(meaning)}"


def _pointer(key: str) -> str:
    """The JSON pointer of a key, as an SQL literal."""
    return literal("/" + key.replace("~", "~0").replace("/", "~1"))
