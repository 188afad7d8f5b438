-- How risky a counterparty is by the documented weights, and how much of that is known: one row per INN.
-- inn: INN of a portfolio's member, or that was ever asked.
-- score: Weights of the signals that are present, together.
-- score_confirmed: Of those, the ones that the latest answers support.
-- score_unknown: Weights of the signals that are not confirmed or were never asked, together.
-- score_most: The score if all of those were present.
-- confirmed_share: Weight of the signals that are confirmed, present or absent, over the weight of all; 0 to 1.
-- level: critical from a score of 60, high from 30, medium from 10, low below; unknown instead of low where less than half of the weight is confirmed.
-- present: Signals present.
-- absent: Signals confirmed absent.
-- not_confirmed: Signals asked without an answer that tells.
-- never_asked: Signals whose block was never asked.
-- reasons: Titles of the signals present, the heaviest first.
-- reasons_ru: The same in Russian.
-- unknown_signals: Signals not confirmed or never asked, the heaviest first.
-- checked_at: When the oldest of what is known was last confirmed, UTC; NULL where nothing is known.
SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
       confirmed_weight / weight AS confirmed_share,
       CASE WHEN score >= 60 THEN 'critical' WHEN score >= 30 THEN 'high' WHEN score >= 10 THEN 'medium'
            WHEN 2 * confirmed_weight < weight THEN 'unknown' ELSE 'low' END AS level,
       present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
FROM (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = 'present'), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = 'present' AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN ('not confirmed', 'never asked')), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = 'present') AS present,
           count(*) FILTER (state = 'absent') AS absent,
           count(*) FILTER (state = 'not confirmed') AS not_confirmed,
           count(*) FILTER (state = 'never asked') AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN ('not confirmed', 'never asked')), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM mart.risk_signals GROUP BY inn
)
