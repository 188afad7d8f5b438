-- The risk rules: one row per signal, grouped by block.
-- signal: Name of the signal.
-- title: Title, English.
-- title_ru: Title, Russian.
-- condition: When the signal is present.
-- severity: info, notice or alert.
-- weight: What it adds to the score if present: 60 alone is critical, 30 high, 10 medium.
-- block: Block whose latest response decides.
-- source: Fields that the rule reads, as block.field.
-- companies: Whether it applies to companies (INN of 10 digits).
-- persons: Whether it applies to persons and sole proprietors (INN of 12 digits).
-- unseen: Reason of a partial response that did not check this; NULL if there is none.
-- partial_shows: Whether every partial response of the block contains this; otherwise earlier data may have been carried over.
-- number: Position in the table.
SELECT signal, title, title_ru, condition, severity, weight, block, source,
       list_contains(digits, 10) AS companies, list_contains(digits, 12) AS persons, nullif(unseen, '') AS unseen,
       partial_shows, number
FROM {risk_rules}
