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
statements AS ({statements}),
partly AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN knowledge k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = 'partial' AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
judging AS (
    SELECT inn, block, state, reason, last_snapshot_id, version_id, snapshot_id, checked_at, NULL AS first_seen_at,
           NULL AS last_seen_at, true AS latest
    FROM knowledge
    UNION ALL BY NAME
    SELECT v.inn, v.block, v.version_id, v.first_seen_at, v.last_seen_at, false AS latest
    FROM lineage.versions v ANTI JOIN knowledge k ON k.version_id = v.version_id
),
found AS MATERIALIZED (SELECT * EXCLUDE (found), unnest(found) FROM ({risk_found})),
past AS (SELECT inn, number, version_id, present, first_seen_at, last_seen_at FROM found WHERE NOT latest),
gone AS (SELECT inn, number, max(last_seen_at) AS gone_at FROM past WHERE NOT coalesce(present, false) GROUP BY ALL),
ran AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past p LEFT JOIN gone g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.gone_at IS NULL OR p.first_seen_at > g.gone_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (began, first_seen_at),
           coalesce(f.began, least(CASE WHEN g.gone_at IS NULL OR v.first_seen_at > g.gone_at THEN v.first_seen_at END,
                                   n.first_seen_at), g.gone_at) AS since,
           f.state = 'partial' AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM found f
    JOIN lineage.versions v ON v.version_id = f.version_id
    LEFT JOIN gone g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN ran n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN partly w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.began IS NULL OR f.state = 'partial')
    UNION ALL BY NAME
    SELECT * EXCLUDE (began, first_seen_at), began AS since, false AS carried
    FROM found WHERE latest AND NOT (coalesce(present, false) AND (began IS NULL OR state = 'partial'))
),
stated AS (
    SELECT d.*, r.* EXCLUDE (number, block),
           CASE WHEN d.present THEN 'present'
                WHEN d.state = 'never asked' THEN 'never asked'
                WHEN NOT d.present AND d.state IN ('found', 'clean') THEN 'absent'
                ELSE 'not confirmed' END AS word,
           d.state IN ('found', 'clean')
           OR (d.state = 'partial' AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, r.unseen), false)) AS heard
    FROM dated d JOIN mart.risk_rules r ON r.number = d.number
    WHERE CASE WHEN length(d.inn) = 10 THEN r.companies ELSE r.persons END
)
SELECT inn, signal, title, title_ru, severity, weight, word AS state,
       word = 'absent' OR (word = 'present' AND heard) AS confirmed,
       CASE WHEN present THEN since END AS since,
       CASE WHEN present THEN evidence END AS evidence,
       block,
       CASE WHEN word = 'never asked' OR word = 'absent' OR (word = 'present' AND heard) THEN NULL
            WHEN state IN ('found', 'clean') THEN 'the answer does not tell'
            ELSE concat_ws(': ', state, reason) END AS reason,
       checked_at,
       date_diff('second', checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days,
       CASE WHEN word IN ('present', 'absent') THEN version_id END AS version_id,
       CASE WHEN word IN ('present', 'absent') THEN snapshot_id ELSE last_snapshot_id END AS snapshot_id
FROM stated
