-- {askable_blocks}
('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)

-- {latest_attempts}
SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block

-- {requested_of_persons}
SELECT inn, block FROM lineage._latest WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts') UNION SELECT inn, block FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts')

-- {block_states}
block_states AS (
    SELECT s.inn, s.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at,
           l.source_date, CASE WHEN l.version_id IS NULL THEN NULL WHEN l.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(l.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END AS complete
    FROM (
        SELECT i.inn, b.block
        FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
              UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) i
        JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(i.inn)
        UNION ALL SELECT inn, block FROM lineage._latest WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts') UNION SELECT inn, block FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts')
    ) s
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = s.block
)

-- {risk_rules}
(VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a date of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: the register holds a record that the address is unreliable.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders are on sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it is on sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it is in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Minimum authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the legal minimum, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A bankruptcy stage is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The most severe recognised stage is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of intention to file for bankruptcy is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list matches it by INN or by its full name, or without a stated confidence.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Possibly on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists match only single words of its name (low confidence): to be checked manually.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A current manager or founder is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three or more linked companies are liquidated or inactive, and these are at least half of all.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, without those of leasing.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: assets in use are not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended without assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding is active.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings amount to 1 000 000 RUB or more; not known if they amount to less and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it without an outcome claim 1 000 000 RUB or more in total; not known if they claim less and some have no amount.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It is accused in a criminal case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is charged in an administrative case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses in two consecutive years', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows)

-- {signals}
earlier_evidence AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN block_states k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = {snapshot.partial} AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
evaluated AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = {snapshot.partial} AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM block_states k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('freezes', 13), ('general_courts', 14), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('leasing', 21), ('minjust_check', 24)) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
findings AS MATERIALIZED (SELECT k.*,
       unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END, CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END, CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END, CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END THEN [{'began': (t.liquidation_date)::TIMESTAMP, 'evidence': (concat_ws('; ', t.status_description, t.termination_reason))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.authorized_capital)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."company" t ON t.version_id = k.version_id
WHERE k.block_no = 1
UNION ALL
SELECT k.*,
       unnest([34, 35, 36]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END THEN [{'began': (a.no_assets_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.completed_no_assets, a.no_assets))::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.active_proceedings, a.active) || ', ' || replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."fssp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (completion_reason = 'no_assets') AS no_assets,
       min(process_date) FILTER (completion_reason = 'no_assets') AS no_assets_since,
       count(*) FILTER (is_active) AS active, min(process_date) FILTER (is_active) AS active_since,
       count(*) FILTER (is_active AND sum IS NULL) AS active_unpriced
FROM core.fssp__proceedings GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 2
UNION ALL
SELECT k.*,
       unnest([40, 41, 42, 43, 44]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('cases lost: ' || t.lost)::VARCHAR}, {'began': (a.bankruptcy_since)::TIMESTAMP, 'evidence': ('case ' || a.bankruptcy_case)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."arbitration" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(date) FILTER (against) AS since, sum(claim_sum) FILTER (lately) AS claims,
       count(*) FILTER (lately) AS claimed, count(*) FILTER (lately AND claim_sum IS NULL) AS unpriced,
       min(date) FILTER (lately) AS claims_since,
       count(*) FILTER (insolvent) AS bankruptcy, min(date) FILTER (insolvent) AS bankruptcy_since,
       max_by(case_number, coalesce(date, DATE '1900-01-01')) FILTER (insolvent) AS bankruptcy_case
FROM (SELECT *, role = 'respondent' AS against,
             role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent,
             role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство'
             AND coalesce(date > (now() AT TIME ZONE 'UTC')::DATE - INTERVAL 3 YEAR, true) AS lately
      FROM core.arbitration__cases) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 3
UNION ALL
SELECT k.*,
       unnest([17, 18, 19]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (concat_ws(', ', t.status, 'case ' || a.case_number))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('case ' || a.case_number)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."bankruptcy" t ON t.version_id = k.version_id
LEFT JOIN (SELECT version_id, max(case_number) AS case_number FROM core.bankruptcy__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 4
UNION ALL
SELECT k.*,
       unnest([48, 49, 50, 51, 52, 53]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END, CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END THEN [{'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year - 1, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.profit_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.equity)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.revenue)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.revenue_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."financial" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT l.version_id, l.year,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = l.year) AS profit,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year < l.year) AS profit_before,
       max(i.amount) FILTER (i.indicator = 'equity' AND i.year = l.year) AS equity,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = l.year) AS revenue,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year < l.year) AS revenue_before,
       max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = l.year) AS current_assets,
       max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = l.year) AS short_term_liabilities
FROM (SELECT version_id, max(year) AS year FROM core.financial__indicators GROUP BY version_id) l
JOIN core.financial__indicators i ON i.version_id = l.version_id AND i.year >= l.year - 1
WHERE i.indicator IN ('net_profit', 'equity', 'revenue', 'current_assets', 'short_term_liabilities')
GROUP BY l.version_id, l.year) a ON a.version_id = k.version_id
WHERE k.block_no = 6
UNION ALL
SELECT k.*,
       unnest([32]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('notices: ' || a.pledged)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."pledges" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (source IS DISTINCT FROM 'fedresurs') AS pledged,
       count(*) FILTER (source = 'fedresurs') AS leased,
       min(reg_date) FILTER (source IS DISTINCT FROM 'fedresurs') AS since
FROM core.pledges__pledges GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 7
UNION ALL
SELECT k.*,
       unnest([31]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || t.total)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."inspections" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS violations, max(start_date) AS since
FROM core.inspections__inspections WHERE has_violations GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 8
UNION ALL
SELECT k.*,
       unnest([26, 27, 28, 29, 30]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.unknown_status, 0) >= 3 AND a.unknown_status > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.unknown_status, 0) >= 3 AND a.unknown_status > 0 THEN NULL ELSE false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('linked companies: ' || a.linked || ', closed: ' || a.closed)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."risk_flags" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT v.version_id, d.since, d.until, d.name, l.linked, l.closed, l.unknown_status
FROM (SELECT version_id FROM core.risk_flags) v
LEFT JOIN (SELECT version_id, min(start_date) AS since, max(end_date) AS until,
                  min_by(coalesce(matched_name, queried_name), disqualified_records_no) AS name
           FROM core.risk_flags__disqualified_records GROUP BY version_id) d USING (version_id)
LEFT JOIN (SELECT version_id, count(*) AS linked, count(*) FILTER (historic) AS closed,
                  count(*) FILTER (historic IS NULL) AS unknown_status
           FROM core.risk_flags__linked_companies GROUP BY version_id) l USING (version_id)) a ON a.version_id = k.version_id
WHERE k.block_no = 9
UNION ALL
SELECT k.*,
       unnest([24, 25]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('No. ' || a.number || coalesce(', ' || a.reason, ''))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('excluded entries: ' || t.historic)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."rnp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS active, min(inclusion_date) AS since, min_by(reg_number, records_no) AS number,
       min_by(reason, records_no) AS reason
FROM core.rnp__records WHERE status IS DISTINCT FROM 'Исключено' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 10
UNION ALL
SELECT k.*,
       unnest([21, 22]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(': ', a.list, a.name))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('matches of low confidence: ' || a.unsure)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."sanctions" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (sure) AS sure, count(*) FILTER (NOT sure) AS unsure,
       min(designated_at) FILTER (sure) AS since,
       min_by(coalesce(list_label, source), hits_no) FILTER (sure) AS list,
       min_by(coalesce(name, name_ru), hits_no) FILTER (sure) AS name
FROM (SELECT *, coalesce(match_confidence, '') <> 'low' AS sure FROM core.sanctions__hits) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 11
UNION ALL
SELECT k.*,
       unnest([20]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', 'decisions: ' || coalesce(a.items, t.count), 'No. ' || a.number || ' of ' || a.latest, a.bank))::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."freezes" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS items, min(decision_date) AS since, max(decision_date) AS latest,
       max_by(decision_num, coalesce(decision_date, DATE '1900-01-01')) AS number,
       max_by(bank, coalesce(decision_date, DATE '1900-01-01')) AS bank
FROM core.freezes__items GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 13
UNION ALL
SELECT k.*,
       unnest([45, 46, 47]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END THEN [{'began': (a.respondent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.respondent)::VARCHAR}, {'began': (a.accused_since)::TIMESTAMP, 'evidence': ('cases: ' || a.accused)::VARCHAR}, {'began': (a.called_since)::TIMESTAMP, 'evidence': ('cases: ' || a.called)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."general_courts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (role IN ('ответчик', 'должник')) AS respondent,
       min(date) FILTER (role IN ('ответчик', 'должник')) AS respondent_since,
       count(*) FILTER (role = 'подсудимый') AS accused, min(date) FILTER (role = 'подсудимый') AS accused_since,
       count(*) FILTER (role = 'привлекаемое лицо') AS called,
       min(date) FILTER (role = 'привлекаемое лицо') AS called_since,
       count(*) FILTER (role IS NULL) AS unknown_role
FROM core.general_courts__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 14
UNION ALL
SELECT k.*,
       unnest([37, 38]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."tax_debts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(record_date) AS since FROM core.tax_debts__records GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 16
UNION ALL
SELECT k.*,
       unnest([39]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."tax_offences" t ON t.version_id = k.version_id
WHERE k.block_no = 17
UNION ALL
SELECT k.*,
       unnest([55]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END THEN [{'began': (t.publish_date)::TIMESTAMP, 'evidence': ('headcount ' || t.headcount)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."employees" t ON t.version_id = k.version_id
WHERE k.block_no = 18
UNION ALL
SELECT k.*,
       unnest([54]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END THEN [{'began': (t.period)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' against ' || replace(format('{:,.2f}', (t.expense)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."revexp" t ON t.version_id = k.version_id
WHERE k.block_no = 19
UNION ALL
SELECT k.*,
       unnest([33]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('contracts: ' || t.total_contracts)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."leasing" t ON t.version_id = k.version_id
WHERE k.block_no = 21
UNION ALL
SELECT k.*,
       unnest([23]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('matches: ' || a.hits)::VARCHAR}] END) AS shown
FROM evaluated k LEFT JOIN core."minjust_check" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(DISTINCT regexp_extract(path, '^\$\.hits\[\d+\]')) AS hits
FROM core.minjust_check__leaves WHERE path LIKE '$.hits[%' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 24),
past_findings AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM findings WHERE NOT latest
),
last_absence AS (
    SELECT inn, number, max(ended_at) AS last_absent_at
    FROM past_findings WHERE NOT coalesce(present, false) GROUP BY ALL
),
first_presence AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past_findings p LEFT JOIN last_absence g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.last_absent_at IS NULL OR p.first_seen_at > g.last_absent_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.last_absent_at IS NULL OR f.first_seen_at > g.last_absent_at
                               THEN f.first_seen_at END, n.first_seen_at), g.last_absent_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM findings f
    LEFT JOIN last_absence g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN first_presence n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN earlier_evidence w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past_findings e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM findings WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
evaluated_signals AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN {signal.present}
                WHEN d.state = {never_asked} THEN {signal.never_asked}
                WHEN NOT d.present AND d.state IN {complete_states} THEN {signal.absent}
                ELSE {signal.not_confirmed} END AS signal_state,
           d.state IN {complete_states}
           OR (d.state = {snapshot.partial} AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS supported
    FROM dated d
    JOIN (VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a date of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: the register holds a record that the address is unreliable.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders are on sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it is on sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it is in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Minimum authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the legal minimum, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A bankruptcy stage is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The most severe recognised stage is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of intention to file for bankruptcy is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list matches it by INN or by its full name, or without a stated confidence.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Possibly on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists match only single words of its name (low confidence): to be checked manually.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A current manager or founder is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three or more linked companies are liquidated or inactive, and these are at least half of all.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, without those of leasing.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: assets in use are not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended without assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding is active.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings amount to 1 000 000 RUB or more; not known if they amount to less and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it without an outcome claim 1 000 000 RUB or more in total; not known if they claim less and some have no amount.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It is accused in a criminal case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is charged in an administrative case; not known if a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses in two consecutive years', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows) ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, signal_state AS state,
           signal_state = {signal.absent} OR (signal_state = {signal.present} AND supported) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN signal_state IN ({signal.never_asked}, {signal.absent})
                     OR (signal_state = {signal.present} AND supported) THEN NULL
                WHEN state IN {complete_states} THEN 'not stated in the response'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN version_id END AS version_id,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN snapshot_id
                ELSE last_snapshot_id END AS snapshot_id
    FROM evaluated_signals
)

-- {scores}
weighed AS (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = {signal.present}), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = {signal.present} AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN {not_confirmed_signals}), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = {signal.present}) AS present,
           count(*) FILTER (state = {signal.absent}) AS absent,
           count(*) FILTER (state = {signal.not_confirmed}) AS not_confirmed,
           count(*) FILTER (state = {signal.never_asked}) AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN {not_confirmed_signals}), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn
),
scores AS (
    SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
           confirmed_weight / weight AS confirmed_share,
           CASE WHEN score >= 60 THEN {level.critical} WHEN score >= 30 THEN {level.high}
                WHEN score >= 10 THEN {level.medium}
                WHEN 2 * confirmed_weight < weight THEN {level.unknown} ELSE {level.low} END AS level,
           present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
    FROM weighed
)

-- {change_meaning}
CASE WHEN table_name = 'company' AND column_name = 'status' AND change = 'changed' AND old_value IN ('active') AND new_value IS NOT NULL THEN 'The company is no longer active.'
WHEN table_name = 'company' AND column_name = 'status' AND change = 'changed' THEN 'The status changed.'
WHEN table_name = 'company' AND column_name = 'liquidation_date' AND change = 'changed' AND new_value IS NOT NULL THEN 'A date of termination was entered.'
WHEN table_name = 'company' AND column_name = 'liquidation_date' AND change = 'changed' THEN 'The date of termination was removed.'
WHEN table_name = 'company' AND column_name = 'disqualified_persons' AND change = 'changed' AND new_value IN ('true') THEN 'A disqualified person is in charge.'
WHEN table_name = 'company' AND column_name = 'sanctions' AND change = 'changed' AND new_value IN ('true') THEN 'The company is on a sanctions list.'
WHEN table_name = 'company' AND column_name = 'sanctions_founders' AND change = 'changed' AND new_value IN ('true') THEN 'A founder is on a sanctions list.'
WHEN table_name = 'company' AND column_name = 'unfair_supplier' AND change = 'changed' AND new_value IN ('true') THEN 'The company is an unfair supplier.'
WHEN table_name = 'company' AND column_name = 'invalid_data' AND change = 'changed' AND new_value IN ('true') THEN 'The register calls its data unreliable.'
WHEN table_name = 'company' AND column_name = 'invalid_address' AND change = 'changed' AND new_value IN ('true') THEN 'The register calls the address unreliable.'
WHEN table_name = 'company' AND column_name = 'illegal_finance' AND change = 'changed' AND new_value IN ('true') THEN 'A flag under the anti-money-laundering law.'
WHEN table_name = 'bankruptcy' AND column_name = 'has_bankruptcy' AND change = 'changed' AND new_value IN ('true') THEN 'A bankruptcy stage was recognised.'
WHEN table_name = 'bankruptcy' AND column_name = 'has_intention' AND change = 'changed' AND new_value IN ('true') THEN 'An intention to file for bankruptcy was published.'
WHEN table_name = 'bankruptcy' AND column_name = 'status' AND change = 'changed' AND new_value IS NOT NULL THEN 'The bankruptcy stage changed.'
WHEN table_name = 'bankruptcy' AND change = 'changed' THEN 'The bankruptcy card changed.'
WHEN table_name = 'bankruptcy__cases' AND change = 'added' THEN 'A debtor card; a card alone is not a bankruptcy.'
WHEN table_name = 'freezes' AND column_name = 'found' AND change = 'changed' AND new_value IN ('true') THEN 'Accounts were suspended.'
WHEN table_name = 'freezes' AND column_name = 'found' AND change = 'changed' THEN 'Suspensions were lifted.'
WHEN table_name = 'freezes__items' AND change = 'added' THEN 'A decision to suspend accounts.'
WHEN table_name = 'freezes__items' AND change = 'removed' THEN 'A suspension was lifted.'
WHEN table_name = 'sanctions__hits' AND change = 'added' THEN 'A match in a sanctions list.'
WHEN table_name = 'sanctions__hits' THEN 'A match in a sanctions list changed.'
WHEN table_name = 'minjust_check__leaves' AND change = 'added' THEN 'A match in the register of foreign agents.'
WHEN table_name = 'rnp__records' AND change = 'added' THEN 'An entry in the unfair-supplier register.'
WHEN table_name = 'rnp__records' THEN 'An entry in the unfair-supplier register changed.'
WHEN table_name = 'fssp' AND column_name = 'completed_no_assets' AND change = 'changed' AND coalesce(try_cast(new_value AS DOUBLE), 0) > coalesce(try_cast(old_value AS DOUBLE), 0) THEN 'An enforcement proceeding ended: no assets were found.'
WHEN table_name = 'fssp__proceedings' AND column_name = 'completion_reason' AND change = 'changed' AND new_value IN ('no_assets') THEN 'An enforcement proceeding ended: no assets were found.'
WHEN table_name = 'fssp__proceedings' AND change = 'added' AND strpos(new_value, '"completion_reason":"no_assets"') > 0 THEN 'An enforcement proceeding ended: no assets were found.'
WHEN table_name = 'fssp__proceedings' AND change = 'added' THEN 'A new enforcement proceeding.'
WHEN table_name = 'fssp__proceedings' AND column_name = 'is_active' AND change = 'changed' THEN 'An enforcement proceeding ended or was resumed.'
WHEN table_name = 'risk_flags' AND column_name = 'disqualified_persons' AND change = 'changed' AND new_value IN ('true') THEN 'A disqualified person is in charge.'
WHEN table_name = 'risk_flags__disqualified_records' AND change = 'added' THEN 'A disqualified person.'
WHEN table_name = 'risk_flags' AND change = 'changed' AND new_value IN ('true') THEN 'A risk flag changed.'
WHEN table_name = 'company' AND column_name = 'director' AND change = 'changed' THEN 'The director changed.'
WHEN table_name = 'company__directors' THEN 'The managers changed.'
WHEN table_name = 'company' AND column_name = 'address' AND change = 'changed' THEN 'The address changed.'
WHEN table_name = 'company' AND column_name = 'name' AND change = 'changed' THEN 'The name changed.'
WHEN table_name = 'company__founders' THEN 'The founders changed.'
WHEN table_name = 'company__founder_shares' THEN 'The shares changed.'
WHEN table_name = 'company' AND column_name = 'authorized_capital' AND change = 'changed' THEN 'The authorized capital changed.'
WHEN table_name = 'company__ip_records' THEN 'A registration as sole proprietor changed.'
WHEN table_name = 'arbitration__cases' AND change = 'added' THEN 'A new arbitration case.'
WHEN table_name = 'arbitration__cases' AND column_name = 'result' AND change = 'changed' THEN 'A case has a result.'
WHEN table_name = 'general_courts__cases' AND change = 'added' THEN 'A new case in a general court.'
WHEN table_name = 'tax_debts__records' THEN 'Tax debts changed.'
WHEN table_name = 'tax_offences__records' AND change = 'added' THEN 'A tax offence.'
WHEN table_name = 'pledges__pledges' AND change = 'added' THEN 'A new pledge.'
WHEN table_name = 'licenses__health' AND change = 'removed' THEN 'A licence was removed.'
WHEN table_name = 'inspections__inspections' AND column_name = 'has_violations' AND change = 'changed' AND new_value IN ('true') THEN 'An inspection found violations.'
ELSE 'Any other change.' END

-- {address_key}
trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(' ' || trim(regexp_replace(regexp_replace(replace(lower(trim(w.value)), 'ё', 'е'), '^[0-9]{6}[ ,]*', ''), '[^0-9a-zа-я/-]+', ' ', 'g')) || ' ', ' город ', ' г '), ' гор ', ' г '), ' улица ', ' ул '), ' проспект ', ' пр-кт '), ' просп ', ' пр-кт '), ' пр-т ', ' пр-кт '), ' переулок ', ' пер '), ' площадь ', ' пл '), ' шоссе ', ' ш '), ' набережная ', ' наб '), ' бульвар ', ' б-р '), ' бул ', ' б-р '), ' область ', ' обл '), ' район ', ' р-н '), ' дом ', ' д '), ' корпус ', ' к '), ' корп ', ' к '), ' строение ', ' стр '), ' квартира ', ' кв '), ' офис ', ' оф '), ' помещение ', ' помещ '), ' пом ', ' помещ '), ' комната ', ' ком '), ' этаж ', ' эт '), ' литера ', ' лит '))

-- {list_complete}
CASE WHEN s.version_id IS NULL THEN NULL WHEN s.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(s.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END

-- {max_sharing_inns}
25
