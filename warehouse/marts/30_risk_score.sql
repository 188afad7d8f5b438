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
WITH {knowledge},
{signals},
{scores}
SELECT * FROM scores
