-- State of each risk signal: one row per INN and signal that makes sense for its kind of INN.
-- question it answers: Which risk signals does a counterparty have, and which are not known?
-- depends on: all
-- moves with requests: checked_at, collected_at, source_date, snapshot_id by inn, block
-- inn: INN that is a member of a portfolio or was ever requested.
-- signal: Signal of mart.risk_rules.
-- title: Title, English.
-- title_ru: Title, Russian.
-- severity: info, notice or alert.
-- weight: What it adds to the score if present; of a group the largest weight counts once.
-- group: Group of signals that state the same fact.
-- state: {signal_states}. Unknown and never requested signals may be present; not offered ones are not counted.
-- confirmed: Whether the latest response of the block supports the state and is not stale; false if only an earlier response does, or if a partial response may have carried earlier data over.
-- reason: Why it is not confirmed; NULL if it is.
-- since: Start by the data, otherwise the time since when it was seen without interruption, UTC; NULL unless present.
-- since_seen: Whether since is when innspect saw it, as the data give no start: it may have been so before. NULL without since.
-- evidence: What shows it, in short; NULL unless present. Of a partial or capped list it ends with "(the list is incomplete)": its counts and sums are lower bounds.
-- block: Block that decides.
-- checked_at: Time of the latest request with evidence of the block, UTC; NULL if there is none.
-- collected_at: When the service collected that evidence, UTC.
-- source_date: Day of the published data set that it comes from; NULL for other sources.
-- age_days: Days since collected_at, up to now; NULL if there is no evidence.
-- version_id: Version that shows it present or absent.
-- snapshot_id: Snapshot that shows it; the latest snapshot if it is unknown; NULL if there is none.
-- policy_version: Version of the policy that judged it.
WITH {block_states},
{signals}
SELECT inn, signal, title, title_ru, severity, weight, group_name AS "group", state, confirmed, reason, since,
       since_seen, evidence, block, checked_at, collected_at, source_date, age_days, version_id, snapshot_id, policy_version
FROM signals
