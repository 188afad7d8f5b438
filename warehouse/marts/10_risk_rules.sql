-- The risk rules of the current policies: one row per policy and signal, grouped by block.
-- question it answers: Which rules are there, with which weights and limits?
-- depends on: all
-- policy: Name of the policy; `default` judges the INNs that no other policy names.
-- policy_version: Version of the policy.
-- number: Position in the table.
-- signal: Name of the signal.
-- title: Title, English.
-- title_ru: Title, Russian.
-- condition: When the signal is present; `limits.<name>` are limits of the policy.
-- severity: info, notice or alert.
-- weight: What it adds to the score if present; of a group the largest weight counts once.
-- group: Signals of one group state the same fact.
-- stop: Whether it makes the level critical by itself.
-- substitute: Whether it replaces a rule of its group that a partial response did not check.
-- limits: Limits of the rule, JSON.
-- block: Block whose latest response decides.
-- source: Fields that the rule reads, as block.field.
-- companies: Whether it applies to companies (INN of 10 digits).
-- persons: Whether it applies to persons and sole proprietors (INN of 12 digits).
-- unseen: Reason of a partial response that did not check this; NULL if there is none.
-- partial_shows: Whether every partial response of the block contains this; otherwise earlier data may have been carried over.
WITH {policies}
SELECT j.policy_name AS policy, j.policy_version, r.number, r.signal, r.title, r.title_ru, w.condition, r.severity,
       r.weight, r.group_name AS "group", r.stop, r.substitute, r.limits, r.block, w.source, r.companies, r.persons,
       nullif(r.unseen, '') AS unseen, r.partial_shows
FROM policy_rules r JOIN judges j ON j.position = r.position JOIN {rule_texts} ON w.number = r.number
