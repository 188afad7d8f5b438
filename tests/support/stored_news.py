"""Compare the news that a warehouse shows with the news computed from all changes."""

from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import queries_without_findings


def wrong_news(warehouse: Warehouse) -> list[dict[str, object]]:
    """Some rows that only one of the two has: `mart.news`, and the news computed now."""
    return warehouse.query(
        "WITH shown AS MATERIALIZED (FROM mart.news), "
        f"computed AS MATERIALIZED ({queries_without_findings()['news']}) "
        "SELECT * FROM ((SELECT *, 'only shown' AS place FROM (FROM shown EXCEPT ALL FROM computed)) "
        "UNION ALL (SELECT *, 'only computed' FROM (FROM computed EXCEPT ALL FROM shown))) ORDER BY ALL LIMIT 4"
    ).to_dicts()
