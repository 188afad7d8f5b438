"""The queries of a dossier over the warehouse as of its moment; `$inn` is the INN."""

from innspect.schemas.states import SignalState, SnapshotState
from innspect.warehouse.latest import LATEST_TABLE
from innspect.warehouse.marts.fragments import block_states

PROFILE = "SELECT * EXCLUDE (age_years, extra) FROM mart.company_profile WHERE inn = $inn"
CARD = "SELECT * EXCLUDE (connections_graph) FROM current.company WHERE inn = $inn"
SCORE = "SELECT * FROM mart.risk_score WHERE inn = $inn"
POLICY = "SELECT min(first_used_at) AS first_used_at FROM lineage.policies WHERE policy_version = {version}"
SIGNALS = f"""
SELECT signal, title, title_ru, severity, weight, "group", state, confirmed, reason, since, since_seen, evidence,
       block, checked_at, collected_at, source_date, snapshot_id
FROM mart.risk_signals WHERE inn = $inn
ORDER BY list_position({[str(state) for state in SignalState]}, state), weight DESC, signal
"""
BLOCK_COLUMNS = (
    "block", "state", "reason", "method", "asked_at", "checked_at", "collected_at", "source_date", "stale", "complete",
)  # fmt: skip
BLOCKS = f"""
WITH {block_states()},
stale AS (SELECT unnest(stale_blocks) AS block FROM mart.risk_score WHERE inn = $inn)
SELECT b.block, b.state, b.reason, b.method, b.asked_at, b.checked_at, b.collected_at, b.source_date,
       b.version_id IS NOT NULL AND s.block IS NOT NULL AS stale, b.complete
FROM block_states b LEFT JOIN stale s ON s.block = b.block WHERE b.inn = $inn ORDER BY b.block
"""
COURT_YEARS = """
SELECT year(filed_on) AS year, court_kind,
       CASE WHEN role IN ('plaintiff', 'respondent') THEN role ELSE 'other' END AS role,
       CASE WHEN result IN ('won', 'lost') THEN result WHEN result IN ('partial', 'settled', 'dismissed') THEN 'other'
            WHEN open THEN 'open' WHEN NOT open THEN 'ended' ELSE 'undetermined' END AS outcome,
       count(*) AS cases
FROM mart.litigation WHERE inn = $inn GROUP BY ALL ORDER BY year NULLS LAST, court_kind, role, outcome
"""
HISTORY = """
SELECT * FROM (
    SELECT seen_at AS happened_at, 'change' AS kind, severity, block, news_id, sentence_ru, sentence_en, known_until,
           NULL AS text, NULL AS source, NULL AS level_before, NULL AS level, NULL::VARCHAR[] AS appeared,
           NULL::VARCHAR[] AS disappeared, NULL::VARCHAR[] AS unknown_blocks, run_id
    FROM mart.news WHERE inn = $inn
    UNION ALL BY NAME
    SELECT assessed_at AS happened_at, 'level' AS kind, level_before, level, appeared, disappeared, unknown_blocks,
           run_id
    FROM mart.risk_history WHERE inn = $inn
    UNION ALL BY NAME
    SELECT coalesce(happened_at, happened_on::TIMESTAMP) AS happened_at, 'event' AS kind, block,
           coalesce(event, text) AS text, kind AS source
    FROM mart.events WHERE inn = $inn
) ORDER BY happened_at DESC NULLS LAST, kind, block, news_id, text, source
"""
EVIDENCE = f"""
WITH RECURSIVE latest AS (
    SELECT snapshot_id FROM {LATEST_TABLE} WHERE inn = $inn
    UNION SELECT evidence_id FROM {LATEST_TABLE} WHERE inn = $inn AND evidence_id IS NOT NULL
),
-- The first snapshot of a version shows what is new in it; the rest is in the version that it was merged with.
first_of_versions AS (
    SELECT version_id, snapshot_id, method, base_version_id
    FROM lineage.snapshots WHERE inn = $inn AND version_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY version_id ORDER BY asked_at, snapshot_id) = 1
),
kept AS (
    SELECT f.snapshot_id, f.base_version_id
    FROM lineage.snapshots s SEMI JOIN latest USING (snapshot_id)
    JOIN first_of_versions f ON f.version_id = s.version_id
    WHERE s.state = '{SnapshotState.PARTIAL}' OR s.method <> f.method OR f.base_version_id IS NOT NULL
    UNION
    SELECT f.snapshot_id, f.base_version_id FROM kept k JOIN first_of_versions f ON f.version_id = k.base_version_id
),
used AS (
    FROM latest UNION SELECT snapshot_id FROM kept
),
blocks AS (
    SELECT s.response_id, list(s.block ORDER BY s.block) AS blocks, min(s.collected_at) AS collected_at,
           list(s.block ORDER BY s.block) FILTER (u.snapshot_id IS NOT NULL) AS used_blocks
    FROM lineage.snapshots s LEFT JOIN used u ON u.snapshot_id = s.snapshot_id
    WHERE s.inn = $inn GROUP BY s.response_id
)
SELECT r.response_id, r.method, r.asked_at, b.collected_at, r.http_status, c.charged_rub, r.bytes, r.sha256,
       r.archive_file, r.run_id, coalesce(b.blocks, []) AS blocks, coalesce(b.used_blocks, []) AS used_blocks,
       n.software_version
FROM lineage.responses r LEFT JOIN blocks b ON b.response_id = r.response_id
LEFT JOIN lineage.runs n ON n.run_id = r.run_id LEFT JOIN lineage.calls c ON c.call_id = r.call_id
WHERE r.inn = $inn
ORDER BY len(coalesce(b.used_blocks, [])) = 0, r.asked_at DESC, r.response_id
"""
"""One row per response; `used_blocks` are those whose state or content the dossier shows from it,
also rows and values that a later partial response lacks."""
