-- Risk of each INN by the documented weights, and how much of it is known: one row per INN.
-- inn: INN that is a member of a portfolio or was ever requested.
-- score: Sum of the weights of the signals present.
-- score_confirmed: Part of it that the latest responses support.
-- score_unknown: Sum of the weights of the signals that are not confirmed or were never requested.
-- score_most: The score if all of those were present.
-- confirmed_share: Weight of the confirmed signals, present or absent, divided by the weight of all; 0 to 1.
-- level: critical from a score of 60, high from 30, medium from 10, low below; unknown instead of low if less than half of the weight is confirmed.
-- present: Number of signals present.
-- absent: Number of signals confirmed absent.
-- not_confirmed: Number of signals whose block was requested without a conclusive response.
-- never_asked: Number of signals whose block was never requested.
-- reasons: Titles of the signals present, by descending weight.
-- reasons_ru: The same in Russian.
-- unknown_signals: Signals not confirmed or never requested, by descending weight.
-- checked_at: Oldest of the confirmation times of the blocks with evidence, UTC; NULL if there is none.
WITH {block_states},
{signals},
{scores}
SELECT * FROM scores
