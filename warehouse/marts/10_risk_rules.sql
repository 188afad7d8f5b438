-- The rules that risk_signals is made of: one row per signal, grouped by block.
-- signal: Name of the signal.
-- title: Signal in words, English.
-- title_ru: Signal in words, Russian.
-- condition: When it is present.
-- severity: info, notice or alert.
-- weight: What it adds to the score when present: 60 alone is critical, 30 high, 10 medium.
-- block: Block whose latest answer decides.
-- source: Fields that it reads, as block.field.
-- companies: Whether it is asked of companies (INN of 10 digits).
-- persons: Whether it is asked of persons and sole proprietors (INN of 12 digits).
-- unseen: Reason of a partial answer that did not look at this; NULL where there is none.
-- partial_shows: Whether a partial answer of the block always shows it; else what was known before may stand in it.
-- number: Place in the table.
SELECT signal, title, title_ru, condition, severity, weight, block, source,
       list_contains(digits, 10) AS companies, list_contains(digits, 12) AS persons, nullif(unseen, '') AS unseen,
       partial_shows, number
FROM {risk_rules}
