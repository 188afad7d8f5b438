"""What alerts are about: signals that appeared and levels that became worse, and their description as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import polars as pl

from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import Translations, translations
from innspect.reports.news_query import news_as_json, news_of_snapshots
from innspect.schemas.states import LEVEL_SIGNAL
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import fill_states, members

SIGNAL_CHANGES = """
SELECT inn, signal, severity, from_state, to_state, evidence, run_id, snapshot_id, policy_version, assessed_at
FROM lineage.signal_changes
WHERE assessed_at >= $since AND from_state IS NOT NULL
      AND CASE signal WHEN {level_signal} THEN list_contains({ranked_levels}, from_state)
                      AND list_position({ranked_levels}, to_state) > list_position({ranked_levels}, from_state)
          ELSE to_state = {signal.present} END
ORDER BY assessed_at, inn, signal, run_id
"""
RESPONSES = """
SELECT run_id, count(*) FROM lineage.responses GROUP BY run_id HAVING max(asked_at) >= $since
"""
DESCRIPTIONS = f"""
WITH {members()}
SELECT coalesce(n.short_name, n.name, m.name) AS name, coalesce(m.portfolios, []) AS portfolios, g.title, g.title_ru,
       g.block, g.since, v.version_id, s.level, s.level_known, s.level_at_most,
       coalesce(s.unknown_blocks, []) AS unknown_blocks, s.policy_version, s.assessed_at
FROM alert_causes w
LEFT JOIN mart.risk_score s ON s.inn = w.inn
LEFT JOIN mart.risk_signals g ON g.inn = w.inn AND g.signal = w.signal
LEFT JOIN members m ON m.inn = w.inn
LEFT JOIN current.company n ON n.inn = w.inn
LEFT JOIN lineage.snapshots v ON v.snapshot_id = w.snapshot_id
ORDER BY w.number
"""


NEWS_FIELDS = ("news_id", "severity", "sentence", "sentence_ru")
"""What an alert says of each news of the snapshot that shows its cause."""


class AlertKind(StrEnum):
    """What an alert is about."""

    SIGNAL = "signal"
    LEVEL = "level"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AlertCause:
    """Why an alert is sent; instants are UTC.

    A signal that appeared, or a further fact of it (`from_state` and `to_state` are both present); a level that became
    worse; or a required block that has been unknown for too long: `block`, `since` when, and no run.
    """

    kind: AlertKind
    inn: str
    severity: str
    to_state: str
    policy_version: str
    assessed_at: datetime
    signal: str | None = None
    block: str | None = None
    from_state: str | None = None
    evidence: str | None = None
    since: datetime | None = None
    run_id: str | None = None
    snapshot_id: str | None = None


def find_signal_causes(warehouse: Warehouse, since: datetime) -> list[AlertCause]:
    """The signals that appeared and the levels that became worse in assessments since an instant, oldest first.

    The first assessment of an INN is none, nor is a level that became unknown or known.
    """
    rows = warehouse.query(fill_states(SIGNAL_CHANGES), {"since": since}).to_dicts()
    return [
        AlertCause(kind=AlertKind.LEVEL if row["signal"] == LEVEL_SIGNAL else AlertKind.SIGNAL, **row) for row in rows
    ]


def count_responses(warehouse: Warehouse, since: datetime) -> dict[str, int]:
    """The number of responses that are loaded, by run, of the runs with a request since an instant."""
    return dict(warehouse.query(RESPONSES, {"since": since}).iter_rows())


def describe_causes(warehouse: Warehouse, causes: Sequence[AlertCause]) -> list[dict[str, Any] | None]:
    """The causes as JSON, each with the level of its INN now and the required blocks that are unknown now.

    None for a block that has been answered meanwhile. Instants are UTC.
    """
    wanted = pl.DataFrame(
        {
            "number": range(len(causes)),
            "inn": [cause.inn for cause in causes],
            "signal": [cause.signal for cause in causes],
            "snapshot_id": [cause.snapshot_id for cause in causes],
        },
        schema={"number": pl.Int64, "inn": pl.String, "signal": pl.String, "snapshot_id": pl.String},
    )
    with warehouse.register(alert_causes=wanted):
        rows = warehouse.query(DESCRIPTIONS).to_dicts()
    snapshots = sorted({cause.snapshot_id for cause in causes if cause.snapshot_id is not None})
    news: dict[str, list[dict[str, Any]]] = {}
    for entry in news_as_json(news_of_snapshots(warehouse, snapshots)) if snapshots else []:
        news.setdefault(entry["snapshot_id"], []).append({name: entry[name] for name in NEWS_FIELDS})
    texts = {"title": translations("en", "UTC"), "title_ru": translations("ru", "UTC")}
    return [
        _describe(cause, {**row, "news": news.get(cause.snapshot_id or "", [])}, texts)
        for cause, row in zip(causes, rows, strict=True)
    ]


def _describe(cause: AlertCause, row: dict[str, Any], texts: dict[str, Translations]) -> dict[str, Any] | None:
    if cause.kind is AlertKind.UNKNOWN and cause.block not in row["unknown_blocks"]:
        return None
    titles = {name: _title(cause, row[name], t) for name, t in texts.items()}
    since = row["since"] if cause.kind is AlertKind.SIGNAL else cause.since
    return {
        "kind": str(cause.kind),
        "severity": cause.severity,
        "inn": cause.inn,
        "name": row["name"],
        "portfolios": row["portfolios"],
        "signal": cause.signal,
        "block": cause.block or row["block"],
        **titles,
        "from_state": cause.from_state,
        "to_state": cause.to_state,
        "evidence": cause.evidence,
        "news": row["news"],
        "since": utc_text(since),
        "level": row["level"],
        "level_known": row["level_known"],
        "level_at_most": row["level_at_most"],
        "unknown_blocks": row["unknown_blocks"],
        "run_id": cause.run_id,
        "snapshot_id": cause.snapshot_id,
        "version_id": row["version_id"],
        "policy_version": cause.policy_version,
        "assessed_at": utc_text(cause.assessed_at),
    }


def _title(cause: AlertCause, title: str | None, t: Translations) -> str | None:
    """The title of a signal, else words for a worse level or an unknown block."""
    match cause.kind:
        case AlertKind.SIGNAL:
            return title or cause.signal
        case AlertKind.LEVEL:
            return t(
                "alert.level", before=t.label("level", str(cause.from_state)), now=t.label("level", cause.to_state)
            )
        case AlertKind.UNKNOWN:
            return t("alert.unknown", block=t.label("block", str(cause.block)))
