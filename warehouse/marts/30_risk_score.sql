-- Risk of each INN by its policy, and how much of it is known: one row per INN.
-- question it answers: How risky is a counterparty, and how sure is that?
-- depends on: all
-- inn: INN that is a member of a portfolio or was ever requested.
-- level: The headline: level_known if it is critical or high; otherwise unknown if a required block of the policy has no fresh answer; otherwise level_known.
-- level_known: Level of the signals that are present: by score, or critical by a stop factor.
-- level_at_most: Level if every unknown or never requested signal were present.
-- score: Sum over groups of the largest weight of a signal that is present.
-- score_confirmed: The same over the signals that are present and confirmed.
-- score_at_most: The score if every unknown or never requested signal were present.
-- unknown_blocks: Required blocks without a fresh answer, or whose answer leaves open what alone is critical.
-- unknown_since: When the service collected the last evidence of each of them, UTC; NULL if there is none, if it is not known, or if an answer that is not stale leaves a severe rule open.
-- never_requested_blocks: Those of unknown_blocks that were never requested.
-- stale_blocks: Blocks whose evidence is older than the policy allows.
-- known_part: How much is known of what is not in unknown_blocks: all; some (other signals are unknown too); none (no answer of now shows or denies a signal, so level_known says nothing of now).
-- reasons: Titles of the signals present, by descending weight.
-- reasons_ru: The same in Russian.
-- unknown_signals: Signals unknown or never requested, by descending weight.
-- present: Number of signals present.
-- absent: Number of signals confirmed absent.
-- unknown: Number of signals whose block was requested without fresh evidence that looked at the fact.
-- never_requested: Number of signals whose block was never requested.
-- not_offered: Number of signals whose block the service does not have for this kind of INN.
-- oldest_checked_at: Oldest of the confirmation times of the blocks with evidence that rules read, UTC; NULL if there is none.
-- policy: Name of the policy that judged.
-- policy_version: Its version.
-- assessed_at: Time of the judgement, UTC: of the query, or of the copy.
WITH {block_states},
{scores}
FROM scores
