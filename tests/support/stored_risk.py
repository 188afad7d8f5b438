"""Compare the risk marts, which read the stored risk, with a judgement of everything from nothing."""

from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import STORED_RISK_MARTS, queries_without_findings


def wrong_risk(warehouse: Warehouse) -> list[str]:
    """The risk marts whose rows differ from those that all rules give for all INNs now, with an example."""
    wrong: list[str] = []
    for mart in STORED_RISK_MARTS:
        # One query, because the moment of judgement is that of the query.
        found = warehouse.query(
            f"WITH shown AS MATERIALIZED (FROM mart.{mart}), "
            f"judged AS MATERIALIZED ({queries_without_findings()[mart]}) "
            "SELECT * FROM ((FROM shown EXCEPT ALL FROM judged) UNION ALL (FROM judged EXCEPT ALL FROM shown)) "
            "ORDER BY ALL LIMIT 2"
        )
        if found.height:
            wrong.append(f"{mart}: {found.to_dicts()}")
    return wrong
