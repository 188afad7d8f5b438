-- State of each risk signal: one row per INN and signal that applies to its kind of INN.
-- inn: INN that is a member of a portfolio or was ever requested.
-- signal: Signal of mart.risk_rules.
-- title: Title, English.
-- title_ru: Title, Russian.
-- severity: info, notice or alert.
-- weight: What it adds to the score if present.
-- state: {signal_states}.
-- confirmed: Whether the latest response of the block supports the state; false if only an earlier response does, or if a partial response may have carried earlier data over.
-- since: Start by the data, otherwise the time since when it was seen without interruption, UTC; NULL unless present.
-- evidence: What shows it, in short; NULL unless present.
-- block: Block that decides.
-- reason: Why it is not confirmed; NULL if it is.
-- checked_at: Time of the latest request with evidence of the block, UTC; NULL if there is none.
-- age_days: Days since then, up to now; NULL if there is no evidence.
-- version_id: Version that shows it present or absent.
-- snapshot_id: Snapshot that shows it; the latest snapshot if it is not confirmed; NULL if there is none.
WITH {block_states},
{signals}
SELECT inn, signal, title, title_ru, severity, weight, state, confirmed, since, evidence, block, reason, checked_at,
       date_diff('second', checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days, version_id, snapshot_id
FROM signals
