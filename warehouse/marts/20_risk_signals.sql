-- What is known of each signal: one row per INN and signal that can be asked of its kind of INN.
-- inn: INN of a portfolio's member, or that was ever asked.
-- signal: Signal of mart.risk_rules.
-- title: Signal in words, English.
-- title_ru: Signal in words, Russian.
-- severity: info, notice or alert.
-- weight: What it adds to the score when present.
-- state: present, absent, 'not confirmed' or 'never asked'.
-- confirmed: Whether the latest answer of its block supports the state; false for what only an earlier answer says, and for what a partial answer may have left as it was.
-- since: When it began by the facts, else when it was first seen without a break since, UTC; NULL unless present.
-- evidence: What shows it, in short words; NULL unless present.
-- block: Block that decides.
-- reason: Why it is not confirmed; NULL where it is.
-- checked_at: When what is known of the block was last asked and found so, UTC; NULL where nothing is known.
-- age_days: Days since then, up to now; NULL where nothing is known.
-- version_id: Version that shows it present or absent.
-- snapshot_id: Answer that says so; the latest answer where it is not confirmed; NULL without one.
WITH {knowledge},
{signals}
SELECT inn, signal, title, title_ru, severity, weight, state, confirmed, since, evidence, block, reason, checked_at,
       date_diff('second', checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days, version_id, snapshot_id
FROM signals
