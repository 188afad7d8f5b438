"""SQL of the stored news: what `mart.news` says of each change, kept until something new concerns the INN.

`lineage._news` has the news of all INNs, without their names and portfolios. A load notes in `lineage._news_inns` the
INNs of which it loaded something else than the latest response again: the news of these INNs are computed when they
are read. So are all news while `lineage._news_state` has no row. A missing note would be wrong, a superfluous one
costs time.
"""

from importlib.resources import files

from innspect.warehouse.ddl import NEWS, NEWS_INNS, NEWS_STATE, NEWS_TYPES, identifier
from innspect.warehouse.news.news_sql import news_changes

NEWS_TABLE = f"lineage.{identifier(NEWS)}"
INNS_TABLE = f"lineage.{identifier(NEWS_INNS)}"
STATE_TABLE = f"lineage.{identifier(NEWS_STATE)}"
NEWS_COLUMNS = ", ".join(NEWS_TYPES[NEWS])
UNSTORED = f"""
SELECT inn FROM {INNS_TABLE} SEMI JOIN lineage.changes USING (inn)
UNION SELECT inn FROM lineage.changes WHERE NOT EXISTS (FROM {STATE_TABLE})
""".strip()
"""SQL of the INNs with changes whose stored news are not valid."""


def live_news(changes: str = "lineage.changes") -> str:
    """CTE `news`: the news of a relation of changes, which has all changes of a response or none; with placeholders."""
    sql = files("innspect.warehouse.news").joinpath("news.sql").read_text("utf-8")
    return f"news AS (\n{sql.replace('{news_changes}', news_changes(changes))})"


def current_news() -> str:
    """CTE `news`: the stored news, and computed ones of the INNs whose stored news are not valid; with placeholders."""
    unstored = "SELECT * FROM lineage.changes SEMI JOIN unstored_news USING (inn)"
    return f"""unstored_news AS MATERIALIZED (SELECT unnest(list(inn)) AS inn FROM ({UNSTORED})),
live_news AS (WITH {live_news(f"({unstored})")} SELECT {NEWS_COLUMNS} FROM news),
news AS (
    SELECT {NEWS_COLUMNS} FROM {NEWS_TABLE} ANTI JOIN unstored_news USING (inn)
    UNION ALL SELECT {NEWS_COLUMNS} FROM live_news
)"""
