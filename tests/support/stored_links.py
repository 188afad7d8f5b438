"""Compare the stored links with all links computed from nothing."""

from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.links_sql import LINK_COLUMNS, live_links
from innspect.warehouse.links.stored_links import LINKS_TABLE


def wrong_links(warehouse: Warehouse, shown: str = LINKS_TABLE) -> list[dict[str, object]]:
    """Some rows that only one of the two has: links of the relation `shown`, and those computed now."""
    columns = ", ".join(LINK_COLUMNS)
    return warehouse.query(
        f"WITH shown AS MATERIALIZED (SELECT {columns} FROM {shown}), "
        f"computed AS MATERIALIZED (WITH {live_links()} SELECT {columns} FROM links) "
        "SELECT * FROM ((SELECT *, 'only shown' AS place FROM (FROM shown EXCEPT ALL FROM computed)) "
        "UNION ALL (SELECT *, 'only computed' FROM (FROM computed EXCEPT ALL FROM shown))) ORDER BY ALL LIMIT 4"
    ).to_dicts()
