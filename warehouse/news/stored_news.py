"""SQL of the stored news: what `mart.news` says of each change, kept until something new concerns it.

`lineage._news` has the news of all INNs, without their names and portfolios. A load notes in `lineage._news_notes` the
INNs and blocks of which it loaded another version or a late one, and since when: their news from then on are computed
when they are read. So are all news while `lineage._news_state` has no row. A missing note would be wrong, a superfluous
one costs time.
"""

from importlib.resources import files

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import NEWS, NEWS_NOTES, NEWS_STATE, NEWS_TYPES, identifier
from innspect.warehouse.news.news_sql import PERSON_TABLES, news_changes

NEWS_TABLE = f"lineage.{identifier(NEWS)}"
NOTES_TABLE = f"lineage.{identifier(NEWS_NOTES)}"
STATE_TABLE = f"lineage.{identifier(NEWS_STATE)}"
NEWS_COLUMNS = ", ".join(NEWS_TYPES[NEWS])
PERSON_BLOCKS = tuple(sorted({tables()[name].block for name in PERSON_TABLES}))
"""Blocks whose news name persons, by any version of these blocks that has the name of an INN."""
UNSTORED = f"""
SELECT inn, block, min(since) AS since FROM (
    FROM {NOTES_TABLE}
    UNION ALL SELECT DISTINCT inn, block, '-infinity'::TIMESTAMP FROM lineage.changes
    WHERE NOT EXISTS (FROM {STATE_TABLE})
) GROUP BY inn, block""".strip()
"""SQL of the INNs and blocks whose stored news are not valid from `since` on."""


def unstored_changes(unstored: str) -> str:
    """SQL of the changes whose news are not stored; `unstored`: a relation like `UNSTORED`."""
    return (
        f"SELECT c.* FROM lineage.changes c JOIN {unstored} u "
        "ON u.inn = c.inn AND u.block = c.block AND c.seen_at >= u.since"
    )


def live_news(changes: str = "lineage.changes") -> str:
    """CTE `news`: the news of a relation of changes, which has all changes of a response or none; with placeholders."""
    sql = files("innspect.warehouse.news").joinpath("news.sql").read_text("utf-8")
    return f"news AS (\n{sql.replace('{news_changes}', news_changes(changes))})"


def current_news() -> str:
    """CTE `news`: the stored news that are valid, and those that are not, computed; with placeholders."""
    columns = ", ".join(f"n.{name}" for name in NEWS_TYPES[NEWS])
    return f"""unstored_news AS MATERIALIZED ({UNSTORED}),
live_news AS (WITH {live_news(f"({unstored_changes('unstored_news')})")} SELECT {NEWS_COLUMNS} FROM news),
news AS (
    SELECT {columns} FROM {NEWS_TABLE} n LEFT JOIN unstored_news u ON u.inn = n.inn AND u.block = n.block
    WHERE u.since IS NULL OR n.seen_at < u.since
    UNION ALL SELECT {NEWS_COLUMNS} FROM live_news
)"""
