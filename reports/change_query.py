"""Changes of the warehouse, cell by cell: their selection, and one change as JSON."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from innspect.reports.format import utc_text
from innspect.schemas.change_severity import SEVERITY_RANKS, meaning
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

LEVEL_COLUMNS = (
    "level", "level_known", "level_at_most", "known_part", "unknown_blocks", "unknown_since", "never_requested_blocks",
    "stale_blocks",
)  # fmt: skip
NAMES = """
SELECT inn, any_value(name) AS name FROM (
    SELECT inn, coalesce(short_name, name) AS name FROM current.company
    UNION ALL
    SELECT m.inn, max_by(m.name, m.last_seen_at) FROM lineage.portfolio_members m
    ANTI JOIN (SELECT inn FROM current.company WHERE coalesce(short_name, name) IS NOT NULL) c USING (inn)
    GROUP BY m.inn
) GROUP BY inn
"""
CHANGES = f"""
WITH names AS ({NAMES}),
evidence AS (SELECT DISTINCT inn, block, asked_at FROM lineage.snapshots WHERE version_id IS NOT NULL)
SELECT c.*, n.name, e.asked_at AS known_until
FROM lineage.changes c
LEFT JOIN names n USING (inn)
ASOF LEFT JOIN evidence e ON e.inn = c.inn AND e.block = c.block AND c.seen_at > e.asked_at
WHERE c.seen_at >= $since AND ($inn IS NULL OR c.inn = $inn) AND ($portfolio IS NULL OR c.inn IN
    (SELECT inn FROM lineage.portfolio_members WHERE portfolio = $portfolio AND left_at IS NULL))
ORDER BY c.seen_at DESC, n.name, c.inn, c.block, c.table_name, c.row_key, c.column_name
"""
COMPARED = """
SELECT count(DISTINCT inn) AS inns FROM (
    SELECT inn FROM lineage.snapshots
    WHERE version_id IS NOT NULL AND ($portfolio IS NULL OR inn IN
        (SELECT inn FROM lineage.portfolio_members WHERE portfolio = $portfolio AND left_at IS NULL))
    GROUP BY inn, block HAVING count(DISTINCT response_id) > 1 AND max(asked_at) >= $since
)
"""


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Selects changes seen since a moment in UTC, of a minimum severity, of one portfolio or INN, or of all."""

    since: datetime
    severity: str = "info"
    portfolio: str | None = None
    inn: str | None = None


def find_changes(warehouse: Warehouse, selection: ChangeFilter) -> pl.DataFrame:
    """The selected changes, most severe and then latest first: `lineage.changes` with three more columns.

    `name` of the counterparty; `meaning` in words; `known_until`, when the previous content was last confirmed, UTC.
    """
    parameters = {"since": selection.since, "portfolio": selection.portfolio, "inn": selection.inn}
    changes = warehouse.query(CHANGES, parameters).with_columns(meaning().alias("meaning"))
    level = pl.col("severity").replace_strict(SEVERITY_RANKS, return_dtype=pl.Int64)
    return changes.filter(level >= SEVERITY_RANKS[selection.severity]).sort(level, descending=True, maintain_order=True)


def count_compared(warehouse: Warehouse, since: datetime, portfolio: str | None) -> int:
    """Number of INNs with a block that was answered since a moment (UTC), and at least once before that answer."""
    return warehouse.query(COMPARED, {"since": since, "portfolio": portfolio})["inns"].item()


def find_scores(warehouse: Warehouse, inns: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The present level and score of INNs, by INN: their rows of mart.risk_score that `level_text` reads."""
    query = f"SELECT inn, score, {', '.join(LEVEL_COLUMNS)} FROM mart.risk_score WHERE list_contains($inns, inn)"
    return {row["inn"]: row for row in warehouse.query(query, {"inns": sorted({*inns})}).to_dicts()}


def parse_since(text: str, zone: str, now: datetime) -> datetime:
    """The moment in UTC of a date (`2026-11-01`: its midnight in the time zone) or of a number of days before now.

    Raises UsageError for any other text and for the future.
    """
    try:
        if re.fullmatch(r"\d{1,5}", text.strip()):
            return now - timedelta(days=int(text))
        day = datetime.fromisoformat(text.strip()).replace(hour=0, minute=0, second=0, microsecond=0)
        moment = day.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text} is neither a date nor a number of days; write --since 2026-11-01 or --since 7.", since=text
        ) from None
    if moment > now:
        raise UsageError(f"{text} is in the future; name a day up to today with --since.", since=text)
    return moment


def resolve_portfolio(warehouse: Warehouse | PublishedCopy, portfolio: str, *, with_former: bool = False) -> str:
    """The name of a portfolio with members, given as its name or its file.

    `with_former`: also of one that all members have left, because it was dropped or renamed. Raises UsageError with the
    existing names.
    """
    query = "SELECT portfolio, bool_or(left_at IS NULL) FROM lineage.portfolio_members GROUP BY ALL ORDER BY ALL"
    names = {str(name): bool(has_members) for name, has_members in warehouse.query(query).iter_rows()}
    existing = [name for name, has_members in names.items() if has_members]
    found = [name for name in (portfolio, Path(portfolio).stem) if name in names]
    for name in found:
        if with_former or names[name]:
            return name
    listed = f"existing portfolios: {', '.join(existing) or 'none'}."
    if found:
        raise UsageError(
            f"The portfolio {found[0]} has no members any more: it was dropped or renamed; {listed} Who left it is "
            f"shown by `innspect portfolio show {quote(found[0])} --former`.",
            portfolio=portfolio,
        )
    raise UsageError(f"There is no portfolio {portfolio} in this warehouse; {listed}", portfolio=portfolio)


def changes_as_json(changes: pl.DataFrame) -> list[dict[str, Any]]:
    """Changes for JSON: instants in UTC, added and removed rows as objects."""
    return [
        {
            "severity": row["severity"],
            "inn": row["inn"],
            "name": row["name"],
            "meaning": row["meaning"],
            "block": row["block"],
            "table": row["table_name"],
            "row": row["row_key"] or None,
            "change": row["change"],
            "field": row["column_name"],
            "old": _json_value(row, "old_value"),
            "new": _json_value(row, "new_value"),
            "seen_at": utc_text(row["seen_at"]),
            "known_until": utc_text(row["known_until"]),
            "run_id": row["run_id"],
            "snapshot_id": row["snapshot_id"],
        }
        for row in changes.iter_rows(named=True)
    ]


def _json_value(row: Mapping[str, Any], name: str) -> Any:
    """A cell as text, a whole row as an object."""
    text = row[name]
    return json.loads(text) if text is not None and row["column_name"] is None else text
