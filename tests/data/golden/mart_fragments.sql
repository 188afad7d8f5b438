-- {askable_blocks}
('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)

-- {latest_attempts}
SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block

-- {requested_of_persons}
SELECT inn, block FROM lineage._latest WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts') UNION SELECT inn, block FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) WHERE length(inn) = 12 AND block IN ('contracts', 'financial', 'pledges', 'inspections', 'risk_flags', 'rnp', 'sanctions', 'licenses', 'freezes', 'general_courts', 'timeline', 'tax_debts', 'tax_offences', 'employees', 'revexp', 'leasing', 'trademarks', 'founded_companies', 'minjust_check', 'contacts')

-- {block_states}
block_states AS (
    SELECT s.inn, s.block, coalesce(l.state, 'never asked') AS state, l.reason, l.method, l.asked_at,
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

-- {policies}
judges AS MATERIALIZED (
    SELECT policy_version, name AS policy_name, position, policy::JSON AS policy,
           position = max(position) OVER () AS is_default,
           (policy->'thresholds'->>'critical')::INTEGER AS critical, (policy->'thresholds'->>'high')::INTEGER AS high,
           (policy->'thresholds'->>'medium')::INTEGER AS medium
    FROM lineage.policies WHERE position IS NOT NULL
),
named_policies AS MATERIALIZED (
    SELECT position, from_json(portfolios, '["VARCHAR"]') AS portfolios,
           list_transform(from_json(tags, '["VARCHAR"]'), lambda tag: lower(trim(tag))) AS tags
    FROM lineage.policies WHERE position IS NOT NULL AND (portfolios::VARCHAR <> '[]' OR tags::VARCHAR <> '[]')
),
inn_policies AS (
    SELECT m.inn, min(p.position) AS position
    FROM lineage.portfolio_members m
    JOIN named_policies p ON list_contains(p.portfolios, m.portfolio)
         OR list_has_any(p.tags, list_transform(string_split_regex(lower(m.tags), '[,;]'), lambda tag: trim(tag)))
    GROUP BY m.inn
),
policy_blocks AS MATERIALIZED (
    SELECT j.position, b.block, b.block_no,
           coalesce(policy->'age_days'->>b.block, policy->'age_days'->>'default')::DOUBLE AS max_age,
           coalesce(policy->'source_age_days'->>b.block, policy->'source_age_days'->>'default')::DOUBLE
               AS max_source_age,
           list_contains(from_json(policy->'required'->'company', '["VARCHAR"]'), b.block) AS of_companies,
           list_contains(from_json(policy->'required'->'person', '["VARCHAR"]'), b.block) AS of_persons
    FROM judges j CROSS JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('contracts', 5), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('licenses', 12), ('freezes', 13), ('general_courts', 14), ('timeline', 15), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('msp', 20), ('leasing', 21), ('trademarks', 22), ('founded_companies', 23), ('minjust_check', 24), ('contacts', 25)) b (block, block_no)
),
policy_rules AS MATERIALIZED (
    SELECT position, r.*, (rule->>'weight')::INTEGER AS weight, rule->>'severity' AS severity,
           coalesce(nullif(rule->>'group', ''), signal) AS group_name,
           coalesce((rule->>'stop')::BOOLEAN, false) AS stop,
           coalesce((rule->>'substitute')::BOOLEAN, false) AS substitute, rule->>'title' AS title,
           rule->>'title_ru' AS title_ru, rule->'limits' AS limits,
           (rule->'limits'->>'amount_rub')::DOUBLE AS amount_rub, (rule->'limits'->>'size_share')::DOUBLE AS size_share
    FROM (SELECT j.position, j.policy->'rules'->r.signal AS rule, r.* FROM judges j
          CROSS JOIN (VALUES (1, 'not_in_register', 'company', 1, [10, 12], True, True, '', False, False, False), (2, 'liquidated', 'company', 1, [10, 12], True, True, '', False, False, False), (3, 'liquidating', 'company', 1, [10, 12], True, True, '', False, False, False), (4, 'status_bankruptcy', 'company', 1, [10, 12], True, True, '', False, False, False), (5, 'reorganizing', 'company', 1, [10], True, False, '', False, False, False), (6, 'invalid_data', 'company', 1, [10, 12], True, True, '', False, False, False), (7, 'invalid_address', 'company', 1, [10], True, False, '', False, False, False), (8, 'illegal_finance', 'company', 1, [10, 12], True, True, '', False, False, False), (9, 'sanctions_founders', 'company', 1, [10], True, False, '', False, False, False), (10, 'card_sanctions', 'company', 1, [10, 12], True, True, '', False, False, False), (11, 'card_unfair_supplier', 'company', 1, [10, 12], True, True, '', False, False, False), (12, 'card_disqualified', 'company', 1, [10], True, False, '', False, False, False), (13, 'card_mass_director', 'company', 1, [10], True, False, '', False, False, False), (14, 'card_mass_founder', 'company', 1, [10], True, False, '', False, False, False), (15, 'card_mass_address', 'company', 1, [10], True, False, '', False, False, False), (16, 'young', 'company', 1, [10, 12], True, True, '', False, False, False), (17, 'tiny_capital', 'company', 1, [10], True, False, '', False, False, False), (18, 'low_salary', 'company', 1, [10], True, False, '', False, False, False), (19, 'terminated_registrations', 'company', 1, [12], False, True, '', False, False, False), (20, 'bankruptcy_stage', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (21, 'bankruptcy_completed', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (22, 'bankruptcy_intention', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (23, 'bankruptcy_card', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (24, 'bankruptcy_message', 'risk_flags', 9, [10, 12], True, True, '', False, True, False), (25, 'bankruptcy_event', 'timeline', 15, [10, 12], True, True, '', False, False, False), (26, 'account_freeze', 'freezes', 13, [10, 12], True, True, '', True, False, False), (27, 'sanctions_hit', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (28, 'sanctions_name', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (29, 'sanctions_namesake', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (30, 'foreign_agent', 'minjust_check', 24, [10, 12], True, True, '', False, False, False), (31, 'rnp_active', 'rnp', 10, [10, 12], True, True, '', False, False, False), (32, 'rnp_past', 'rnp', 10, [10, 12], True, True, '', False, False, False), (33, 'disqualified_persons', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (34, 'disqualification_expired', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (35, 'mass_director', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (36, 'mass_founder', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (37, 'mass_address', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (38, 'linked_closed', 'risk_flags', 9, [10], True, False, '', False, False, False), (39, 'inspection_violations', 'inspections', 8, [10, 12], True, True, '', False, False, False), (40, 'pledges', 'pledges', 7, [10, 12], True, True, '', False, False, False), (41, 'leasing', 'leasing', 21, [10, 12], True, True, '', False, False, False), (42, 'enforcement_no_assets', 'fssp', 2, [10, 12], True, True, '', False, False, False), (43, 'enforcement_active', 'fssp', 2, [10, 12], True, True, '', False, False, False), (44, 'enforcement_large', 'fssp', 2, [10, 12], True, True, '', False, False, True), (45, 'tax_debt', 'tax_debts', 16, [10, 12], True, True, '', False, False, False), (46, 'tax_debt_large', 'tax_debts', 16, [10, 12], True, True, '', False, False, True), (47, 'tax_fines', 'tax_offences', 17, [10, 12], True, True, '', False, False, False), (48, 'low_tax_burden', 'financial', 6, [10], True, False, '', False, False, False), (49, 'arbitration_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (50, 'arbitration_often_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (51, 'arbitration_claims', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (52, 'arbitration_lost', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (53, 'claims_lost_large', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (54, 'litigation_growing', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (55, 'bankruptcy_petition', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (56, 'court_respondent', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (57, 'court_accused', 'general_courts', 14, [12], False, True, '', False, False, False), (58, 'court_administrative', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (59, 'writs_issued', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (60, 'loss', 'financial', 6, [10], True, False, '', False, False, False), (61, 'loss_repeated', 'financial', 6, [10], True, False, '', False, False, False), (62, 'negative_equity', 'financial', 6, [10], True, False, '', False, False, False), (63, 'revenue_fall', 'financial', 6, [10], True, False, '', False, False, False), (64, 'no_revenue', 'financial', 6, [10], True, False, '', False, False, False), (65, 'statements_missing', 'financial', 6, [10], True, False, '', False, False, False), (66, 'illiquid', 'financial', 6, [10], True, False, '', False, False, False), (67, 'expense_over_income', 'revexp', 19, [10], True, False, '', False, False, False), (68, 'no_employees', 'employees', 18, [10], True, False, '', False, False, False), (69, 'director_changed', 'company', 1, [10], True, False, '', False, False, False), (70, 'founder_changed', 'company', 1, [10], True, False, '', False, False, False), (71, 'address_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (72, 'name_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (73, 'licence_lost', 'licenses', 12, [10, 12], True, True, '', False, False, False), (74, 'revenue_mismatch', 'financial', 6, [10], True, False, '', False, False, False), (75, 'contracts_without_staff', 'contracts', 5, [10], True, False, '', False, False, False), (76, 'linked_to_high_risk', 'company', 1, [10, 12], True, True, '', False, False, False))
          r (number, signal, block, block_no, digits, companies, persons, unseen, partial_shows, own_method, by_size)) r
    WHERE rule IS NOT NULL AND coalesce((rule->>'enabled')::BOOLEAN, true)
),
policy_limits AS MATERIALIZED (
    SELECT DISTINCT ON (policy_version) policy_version, (policy->'rules'->'young'->'limits'->>'days')::DOUBLE AS young__days, (policy->'rules'->'tiny_capital'->'limits'->>'amount_rub')::DOUBLE AS tiny_capital__amount_rub, (policy->'rules'->'low_salary'->'limits'->>'amount_rub')::DOUBLE AS low_salary__amount_rub, (policy->'rules'->'linked_closed'->'limits'->>'companies')::DOUBLE AS linked_closed__companies, (policy->'rules'->'linked_closed'->'limits'->>'share')::DOUBLE AS linked_closed__share, (policy->'rules'->'enforcement_large'->'limits'->>'amount_rub')::DOUBLE AS enforcement_large__amount_rub, (policy->'rules'->'enforcement_large'->'limits'->>'size_share')::DOUBLE AS enforcement_large__size_share, (policy->'rules'->'tax_debt_large'->'limits'->>'amount_rub')::DOUBLE AS tax_debt_large__amount_rub, (policy->'rules'->'tax_debt_large'->'limits'->>'size_share')::DOUBLE AS tax_debt_large__size_share, (policy->'rules'->'low_tax_burden'->'limits'->>'share')::DOUBLE AS low_tax_burden__share, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'cases')::DOUBLE AS arbitration_often_respondent__cases, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'share')::DOUBLE AS arbitration_often_respondent__share, (policy->'rules'->'arbitration_claims'->'limits'->>'amount_rub')::DOUBLE AS arbitration_claims__amount_rub, (policy->'rules'->'arbitration_claims'->'limits'->>'size_share')::DOUBLE AS arbitration_claims__size_share, (policy->'rules'->'arbitration_claims'->'limits'->>'years')::DOUBLE AS arbitration_claims__years, (policy->'rules'->'claims_lost_large'->'limits'->>'amount_rub')::DOUBLE AS claims_lost_large__amount_rub, (policy->'rules'->'claims_lost_large'->'limits'->>'size_share')::DOUBLE AS claims_lost_large__size_share, (policy->'rules'->'claims_lost_large'->'limits'->>'years')::DOUBLE AS claims_lost_large__years, (policy->'rules'->'litigation_growing'->'limits'->>'cases')::DOUBLE AS litigation_growing__cases, (policy->'rules'->'litigation_growing'->'limits'->>'months')::DOUBLE AS litigation_growing__months, (policy->'rules'->'litigation_growing'->'limits'->>'times')::DOUBLE AS litigation_growing__times, (policy->'rules'->'writs_issued'->'limits'->>'days')::DOUBLE AS writs_issued__days, (policy->'rules'->'revenue_fall'->'limits'->>'share')::DOUBLE AS revenue_fall__share, (policy->'rules'->'statements_missing'->'limits'->>'due_month')::DOUBLE AS statements_missing__due_month, (policy->'rules'->'no_employees'->'limits'->>'headcount')::DOUBLE AS no_employees__headcount, (policy->'rules'->'director_changed'->'limits'->>'days')::DOUBLE AS director_changed__days, (policy->'rules'->'founder_changed'->'limits'->>'days')::DOUBLE AS founder_changed__days, (policy->'rules'->'address_changed'->'limits'->>'days')::DOUBLE AS address_changed__days, (policy->'rules'->'name_changed'->'limits'->>'days')::DOUBLE AS name_changed__days, (policy->'rules'->'revenue_mismatch'->'limits'->>'times')::DOUBLE AS revenue_mismatch__times, (policy->'rules'->'contracts_without_staff'->'limits'->>'amount_rub')::DOUBLE AS contracts_without_staff__amount_rub, (policy->'rules'->'contracts_without_staff'->'limits'->>'headcount')::DOUBLE AS contracts_without_staff__headcount, (policy->'rules'->'contracts_without_staff'->'limits'->>'months')::DOUBLE AS contracts_without_staff__months, (policy->'rules'->'contracts_without_staff'->'limits'->>'size_times')::DOUBLE AS contracts_without_staff__size_times, (policy->'rules'->'contracts_without_staff'->'limits'->>'young_days')::DOUBLE AS contracts_without_staff__young_days FROM judges
)

-- {block_limits}
judges AS MATERIALIZED (
    SELECT policy_version, name AS policy_name, position, policy::JSON AS policy,
           position = max(position) OVER () AS is_default,
           (policy->'thresholds'->>'critical')::INTEGER AS critical, (policy->'thresholds'->>'high')::INTEGER AS high,
           (policy->'thresholds'->>'medium')::INTEGER AS medium
    FROM lineage.policies WHERE position IS NOT NULL
),
named_policies AS MATERIALIZED (
    SELECT position, from_json(portfolios, '["VARCHAR"]') AS portfolios,
           list_transform(from_json(tags, '["VARCHAR"]'), lambda tag: lower(trim(tag))) AS tags
    FROM lineage.policies WHERE position IS NOT NULL AND (portfolios::VARCHAR <> '[]' OR tags::VARCHAR <> '[]')
),
inn_policies AS (
    SELECT m.inn, min(p.position) AS position
    FROM lineage.portfolio_members m
    JOIN named_policies p ON list_contains(p.portfolios, m.portfolio)
         OR list_has_any(p.tags, list_transform(string_split_regex(lower(m.tags), '[,;]'), lambda tag: trim(tag)))
    GROUP BY m.inn
),
policy_blocks AS MATERIALIZED (
    SELECT j.position, b.block, b.block_no,
           coalesce(policy->'age_days'->>b.block, policy->'age_days'->>'default')::DOUBLE AS max_age,
           coalesce(policy->'source_age_days'->>b.block, policy->'source_age_days'->>'default')::DOUBLE
               AS max_source_age,
           list_contains(from_json(policy->'required'->'company', '["VARCHAR"]'), b.block) AS of_companies,
           list_contains(from_json(policy->'required'->'person', '["VARCHAR"]'), b.block) AS of_persons
    FROM judges j CROSS JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('contracts', 5), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('licenses', 12), ('freezes', 13), ('general_courts', 14), ('timeline', 15), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('msp', 20), ('leasing', 21), ('trademarks', 22), ('founded_companies', 23), ('minjust_check', 24), ('contacts', 25)) b (block, block_no)
)

-- {exceeds_age_limit}
(coalesce(date_diff('second', s.collected_at, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', s.source_date, (coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC'))::DATE), 0) > b.max_source_age)

-- {assessed_at}
coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')

-- {rule_texts}
(VALUES
(1, 'The register answered that it has no such INN; an empty card alone does not say so.', 'company.ogrn, name'),
(2, 'The status is liquidated, or a date of termination is entered.', 'company.status, liquidation_date'),
(3, 'The status is liquidating.', 'company.status'),
(4, 'The status is bankruptcy.', 'company.status'),
(5, 'The status is reorganizing.', 'company.status'),
(6, 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data'),
(7, 'The card''s flag invalid_address is set: the register holds a record that the address is unreliable.', 'company.invalid_address'),
(8, 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance'),
(9, 'The card''s flag sanctions_founders is set: founders are on sanctions lists.', 'company.sanctions_founders'),
(10, 'The card''s flag sanctions is set: it is on sanctions lists.', 'company.sanctions'),
(11, 'The card''s flag unfair_supplier is set: it is in the register of unfair suppliers.', 'company.unfair_supplier'),
(12, 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons'),
(13, 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director'),
(14, 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder'),
(15, 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address'),
(16, 'Registered less than limits.days ago, counted to the day of assessment.', 'company.registration_date'),
(17, 'The authorized capital is limits.amount_rub or less, and not 0.', 'company.authorized_capital'),
(18, 'The average salary on the card is below limits.amount_rub a month.', 'company.avg_salary'),
(19, 'An earlier registration as sole proprietor was terminated by force.', 'company.ip_records.termination_kind'),
(20, 'A bankruptcy stage is recognised that is not completed; an unknown word is no stage.', 'bankruptcy.has_bankruptcy, status'),
(21, 'The most severe recognised stage is completed, whether or not a bankruptcy is flagged.', 'bankruptcy.status'),
(22, 'A notice of intention to file for bankruptcy is published.', 'bankruptcy.has_intention'),
(23, 'The bankruptcy register has a debtor''s card without a recognised stage.', 'bankruptcy.cases, total_cases, status'),
(24, 'The bankruptcy register published a message; the full check does not carry these.', 'risk_flags.efrsb_messages'),
(25, 'The timeline has an event of the bankruptcy register.', 'timeline.events.source, type'),
(26, 'There is a decision in force to suspend accounts.', 'freezes.found, items'),
(27, 'A list has an entry with its INN (high confidence).', 'sanctions.hits.match_confidence, inn'),
(28, 'A list has its exact name without an INN (medium confidence, or none stated).', 'sanctions.hits.match_confidence'),
(29, 'Lists match only single words of its name (low confidence): check by hand.', 'sanctions.hits.match_confidence'),
(30, 'The register of foreign agents has a match.', 'minjust_check.hits'),
(31, 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status'),
(32, 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic'),
(33, 'A current manager or founder is disqualified, and the disqualification is in force.', 'risk_flags.disqualified_persons, disqualified_records.end_date'),
(34, 'A disqualification of a current manager or founder has ended.', 'risk_flags.disqualified_records.end_date'),
(35, 'The manager heads five entities or more.', 'risk_flags.mass_director'),
(36, 'A founder takes part in five entities or more.', 'risk_flags.mass_founder'),
(37, 'The address is a mass one.', 'risk_flags.mass_address'),
(38, 'limits.companies or more linked companies are liquidated or inactive, and these are limits.share of all or more; not known from 250 linked companies on.', 'risk_flags.linked_companies.historic'),
(39, 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations'),
(40, 'There are notices of pledge, without those of leasing.', 'pledges.pledges.source'),
(41, 'There are leasing contracts: assets in use are not owned.', 'leasing.total_contracts'),
(42, 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason'),
(43, 'A proceeding is active.', 'fssp.active_proceedings, proceedings.is_active'),
(44, 'Active proceedings amount to a large sum, from limits.size_share of its size, or from limits.amount_rub if its size is not known; not known if they are less and some have no amount.', 'fssp.active_debt_rub, proceedings.sum'),
(45, 'The tax authority''s data set has a debt.', 'tax_debts.total_sum'),
(46, 'The debt is large, from limits.size_share of its size, or from limits.amount_rub if its size is not known.', 'tax_debts.total_sum'),
(47, 'The tax authority''s data set has a fine.', 'tax_offences.total_sum'),
(48, 'The taxes paid of the latest year are below limits.share of the revenue.', 'financial.tax_burden_pct'),
(49, 'It is the respondent of an arbitration case.', 'arbitration.as_respondent'),
(50, 'It is the respondent of limits.cases cases or more, and of limits.share of all or more.', 'arbitration.as_respondent, total_cases'),
(51, 'Cases of the last limits.years years against it without an outcome claim a large sum, from limits.size_share of its size, or from limits.amount_rub if its size is not known; not known if they are less and some have no amount.', 'arbitration.cases.claim_sum, result, date'),
(52, 'It lost a case as respondent.', 'arbitration.lost'),
(53, 'Cases of the last limits.years years that it lost as respondent claimed a large sum, from limits.size_share of its size, or from limits.amount_rub if its size is not known; not known if they are less and some have no amount.', 'arbitration.cases.claim_sum, result, date'),
(54, 'Cases as respondent in the last limits.months months are limits.times those of the months before, and at least limits.cases.', 'arbitration.cases.role, date'),
(55, 'It is the respondent (debtor) of a bankruptcy case without an outcome.', 'arbitration.cases.type, role, result'),
(56, 'It is the respondent or debtor of a case; not known if a role is not recognised.', 'general_courts.cases.role'),
(57, 'It is accused in a criminal case; not known if a role is not recognised.', 'general_courts.cases.role'),
(58, 'It is charged in an administrative case; not known if a role is not recognised.', 'general_courts.cases.role'),
(59, 'A general court issued a writ of execution against it within limits.days; not known if a date or role is not given.', 'general_courts.cases.writs.date'),
(60, 'The net profit of the latest year is negative.', 'financial.indicators: net_profit'),
(61, 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit'),
(62, 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity'),
(63, 'The revenue of the latest year is lower than that of the year before by limits.share or more.', 'financial.indicators: revenue'),
(64, 'The revenue of the latest year is 0.', 'financial.indicators: revenue'),
(65, 'The newest year of statements is older than last year, or before limits.due_month than the year before last.', 'financial.years, indicators.year'),
(66, 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities'),
(67, 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense'),
(68, 'The average headcount of the data set is limits.headcount or less.', 'employees.headcount'),
(69, 'The director changed within limits.days, by the register''s date or between two versions; not known with a shorter history.', 'company.The director changed'),
(70, 'The founders changed within limits.days, by the register''s date or between two versions; not known with a shorter history.', 'company.The founders changed'),
(71, 'The address changed within limits.days, by the register''s date or between two versions; not known with a shorter history.', 'company.The address changed'),
(72, 'The name changed within limits.days, by the register''s date or between two versions; not known with a shorter history.', 'company.The name changed'),
(73, 'A licence known before is gone or no longer in force.', 'licenses.health.license_number, status'),
(74, 'Statements and tax data set differ limits.times or more for one year; not known without a common year.', 'financial.indicators: revenue, revexp.revenue'),
(75, 'State contracts signed as supplier in the last limits.months months amount to limits.amount_rub or more, with at most limits.headcount employees, or above limits.size_times its size, or younger than limits.young_days.', 'contracts.contracts.amount, sign_date; employees.headcount; revexp.revenue; company.registration_date'),
(76, 'It shares a director or founder, by INN, with a member whose level by its own signals is critical or high; not known if that member''s level may be that high, or if a director or founder has no INN.', 'company.directors, founders; mart.risk_score.level_known')
) w (number, condition, source)

-- {signals}
signals AS (
WITH judges AS MATERIALIZED (
    SELECT policy_version, name AS policy_name, position, policy::JSON AS policy,
           position = max(position) OVER () AS is_default,
           (policy->'thresholds'->>'critical')::INTEGER AS critical, (policy->'thresholds'->>'high')::INTEGER AS high,
           (policy->'thresholds'->>'medium')::INTEGER AS medium
    FROM lineage.policies WHERE position IS NOT NULL
),
named_policies AS MATERIALIZED (
    SELECT position, from_json(portfolios, '["VARCHAR"]') AS portfolios,
           list_transform(from_json(tags, '["VARCHAR"]'), lambda tag: lower(trim(tag))) AS tags
    FROM lineage.policies WHERE position IS NOT NULL AND (portfolios::VARCHAR <> '[]' OR tags::VARCHAR <> '[]')
),
inn_policies AS (
    SELECT m.inn, min(p.position) AS position
    FROM lineage.portfolio_members m
    JOIN named_policies p ON list_contains(p.portfolios, m.portfolio)
         OR list_has_any(p.tags, list_transform(string_split_regex(lower(m.tags), '[,;]'), lambda tag: trim(tag)))
    GROUP BY m.inn
),
policy_blocks AS MATERIALIZED (
    SELECT j.position, b.block, b.block_no,
           coalesce(policy->'age_days'->>b.block, policy->'age_days'->>'default')::DOUBLE AS max_age,
           coalesce(policy->'source_age_days'->>b.block, policy->'source_age_days'->>'default')::DOUBLE
               AS max_source_age,
           list_contains(from_json(policy->'required'->'company', '["VARCHAR"]'), b.block) AS of_companies,
           list_contains(from_json(policy->'required'->'person', '["VARCHAR"]'), b.block) AS of_persons
    FROM judges j CROSS JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('contracts', 5), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('licenses', 12), ('freezes', 13), ('general_courts', 14), ('timeline', 15), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('msp', 20), ('leasing', 21), ('trademarks', 22), ('founded_companies', 23), ('minjust_check', 24), ('contacts', 25)) b (block, block_no)
),
policy_rules AS MATERIALIZED (
    SELECT position, r.*, (rule->>'weight')::INTEGER AS weight, rule->>'severity' AS severity,
           coalesce(nullif(rule->>'group', ''), signal) AS group_name,
           coalesce((rule->>'stop')::BOOLEAN, false) AS stop,
           coalesce((rule->>'substitute')::BOOLEAN, false) AS substitute, rule->>'title' AS title,
           rule->>'title_ru' AS title_ru, rule->'limits' AS limits,
           (rule->'limits'->>'amount_rub')::DOUBLE AS amount_rub, (rule->'limits'->>'size_share')::DOUBLE AS size_share
    FROM (SELECT j.position, j.policy->'rules'->r.signal AS rule, r.* FROM judges j
          CROSS JOIN (VALUES (1, 'not_in_register', 'company', 1, [10, 12], True, True, '', False, False, False), (2, 'liquidated', 'company', 1, [10, 12], True, True, '', False, False, False), (3, 'liquidating', 'company', 1, [10, 12], True, True, '', False, False, False), (4, 'status_bankruptcy', 'company', 1, [10, 12], True, True, '', False, False, False), (5, 'reorganizing', 'company', 1, [10], True, False, '', False, False, False), (6, 'invalid_data', 'company', 1, [10, 12], True, True, '', False, False, False), (7, 'invalid_address', 'company', 1, [10], True, False, '', False, False, False), (8, 'illegal_finance', 'company', 1, [10, 12], True, True, '', False, False, False), (9, 'sanctions_founders', 'company', 1, [10], True, False, '', False, False, False), (10, 'card_sanctions', 'company', 1, [10, 12], True, True, '', False, False, False), (11, 'card_unfair_supplier', 'company', 1, [10, 12], True, True, '', False, False, False), (12, 'card_disqualified', 'company', 1, [10], True, False, '', False, False, False), (13, 'card_mass_director', 'company', 1, [10], True, False, '', False, False, False), (14, 'card_mass_founder', 'company', 1, [10], True, False, '', False, False, False), (15, 'card_mass_address', 'company', 1, [10], True, False, '', False, False, False), (16, 'young', 'company', 1, [10, 12], True, True, '', False, False, False), (17, 'tiny_capital', 'company', 1, [10], True, False, '', False, False, False), (18, 'low_salary', 'company', 1, [10], True, False, '', False, False, False), (19, 'terminated_registrations', 'company', 1, [12], False, True, '', False, False, False), (20, 'bankruptcy_stage', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (21, 'bankruptcy_completed', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (22, 'bankruptcy_intention', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (23, 'bankruptcy_card', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (24, 'bankruptcy_message', 'risk_flags', 9, [10, 12], True, True, '', False, True, False), (25, 'bankruptcy_event', 'timeline', 15, [10, 12], True, True, '', False, False, False), (26, 'account_freeze', 'freezes', 13, [10, 12], True, True, '', True, False, False), (27, 'sanctions_hit', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (28, 'sanctions_name', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (29, 'sanctions_namesake', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (30, 'foreign_agent', 'minjust_check', 24, [10, 12], True, True, '', False, False, False), (31, 'rnp_active', 'rnp', 10, [10, 12], True, True, '', False, False, False), (32, 'rnp_past', 'rnp', 10, [10, 12], True, True, '', False, False, False), (33, 'disqualified_persons', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (34, 'disqualification_expired', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (35, 'mass_director', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (36, 'mass_founder', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (37, 'mass_address', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (38, 'linked_closed', 'risk_flags', 9, [10], True, False, '', False, False, False), (39, 'inspection_violations', 'inspections', 8, [10, 12], True, True, '', False, False, False), (40, 'pledges', 'pledges', 7, [10, 12], True, True, '', False, False, False), (41, 'leasing', 'leasing', 21, [10, 12], True, True, '', False, False, False), (42, 'enforcement_no_assets', 'fssp', 2, [10, 12], True, True, '', False, False, False), (43, 'enforcement_active', 'fssp', 2, [10, 12], True, True, '', False, False, False), (44, 'enforcement_large', 'fssp', 2, [10, 12], True, True, '', False, False, True), (45, 'tax_debt', 'tax_debts', 16, [10, 12], True, True, '', False, False, False), (46, 'tax_debt_large', 'tax_debts', 16, [10, 12], True, True, '', False, False, True), (47, 'tax_fines', 'tax_offences', 17, [10, 12], True, True, '', False, False, False), (48, 'low_tax_burden', 'financial', 6, [10], True, False, '', False, False, False), (49, 'arbitration_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (50, 'arbitration_often_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (51, 'arbitration_claims', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (52, 'arbitration_lost', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (53, 'claims_lost_large', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (54, 'litigation_growing', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (55, 'bankruptcy_petition', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (56, 'court_respondent', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (57, 'court_accused', 'general_courts', 14, [12], False, True, '', False, False, False), (58, 'court_administrative', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (59, 'writs_issued', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (60, 'loss', 'financial', 6, [10], True, False, '', False, False, False), (61, 'loss_repeated', 'financial', 6, [10], True, False, '', False, False, False), (62, 'negative_equity', 'financial', 6, [10], True, False, '', False, False, False), (63, 'revenue_fall', 'financial', 6, [10], True, False, '', False, False, False), (64, 'no_revenue', 'financial', 6, [10], True, False, '', False, False, False), (65, 'statements_missing', 'financial', 6, [10], True, False, '', False, False, False), (66, 'illiquid', 'financial', 6, [10], True, False, '', False, False, False), (67, 'expense_over_income', 'revexp', 19, [10], True, False, '', False, False, False), (68, 'no_employees', 'employees', 18, [10], True, False, '', False, False, False), (69, 'director_changed', 'company', 1, [10], True, False, '', False, False, False), (70, 'founder_changed', 'company', 1, [10], True, False, '', False, False, False), (71, 'address_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (72, 'name_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (73, 'licence_lost', 'licenses', 12, [10, 12], True, True, '', False, False, False), (74, 'revenue_mismatch', 'financial', 6, [10], True, False, '', False, False, False), (75, 'contracts_without_staff', 'contracts', 5, [10], True, False, '', False, False, False), (76, 'linked_to_high_risk', 'company', 1, [10, 12], True, True, '', False, False, False))
          r (number, signal, block, block_no, digits, companies, persons, unseen, partial_shows, own_method, by_size)) r
    WHERE rule IS NOT NULL AND coalesce((rule->>'enabled')::BOOLEAN, true)
),
policy_limits AS MATERIALIZED (
    SELECT DISTINCT ON (policy_version) policy_version, (policy->'rules'->'young'->'limits'->>'days')::DOUBLE AS young__days, (policy->'rules'->'tiny_capital'->'limits'->>'amount_rub')::DOUBLE AS tiny_capital__amount_rub, (policy->'rules'->'low_salary'->'limits'->>'amount_rub')::DOUBLE AS low_salary__amount_rub, (policy->'rules'->'linked_closed'->'limits'->>'companies')::DOUBLE AS linked_closed__companies, (policy->'rules'->'linked_closed'->'limits'->>'share')::DOUBLE AS linked_closed__share, (policy->'rules'->'enforcement_large'->'limits'->>'amount_rub')::DOUBLE AS enforcement_large__amount_rub, (policy->'rules'->'enforcement_large'->'limits'->>'size_share')::DOUBLE AS enforcement_large__size_share, (policy->'rules'->'tax_debt_large'->'limits'->>'amount_rub')::DOUBLE AS tax_debt_large__amount_rub, (policy->'rules'->'tax_debt_large'->'limits'->>'size_share')::DOUBLE AS tax_debt_large__size_share, (policy->'rules'->'low_tax_burden'->'limits'->>'share')::DOUBLE AS low_tax_burden__share, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'cases')::DOUBLE AS arbitration_often_respondent__cases, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'share')::DOUBLE AS arbitration_often_respondent__share, (policy->'rules'->'arbitration_claims'->'limits'->>'amount_rub')::DOUBLE AS arbitration_claims__amount_rub, (policy->'rules'->'arbitration_claims'->'limits'->>'size_share')::DOUBLE AS arbitration_claims__size_share, (policy->'rules'->'arbitration_claims'->'limits'->>'years')::DOUBLE AS arbitration_claims__years, (policy->'rules'->'claims_lost_large'->'limits'->>'amount_rub')::DOUBLE AS claims_lost_large__amount_rub, (policy->'rules'->'claims_lost_large'->'limits'->>'size_share')::DOUBLE AS claims_lost_large__size_share, (policy->'rules'->'claims_lost_large'->'limits'->>'years')::DOUBLE AS claims_lost_large__years, (policy->'rules'->'litigation_growing'->'limits'->>'cases')::DOUBLE AS litigation_growing__cases, (policy->'rules'->'litigation_growing'->'limits'->>'months')::DOUBLE AS litigation_growing__months, (policy->'rules'->'litigation_growing'->'limits'->>'times')::DOUBLE AS litigation_growing__times, (policy->'rules'->'writs_issued'->'limits'->>'days')::DOUBLE AS writs_issued__days, (policy->'rules'->'revenue_fall'->'limits'->>'share')::DOUBLE AS revenue_fall__share, (policy->'rules'->'statements_missing'->'limits'->>'due_month')::DOUBLE AS statements_missing__due_month, (policy->'rules'->'no_employees'->'limits'->>'headcount')::DOUBLE AS no_employees__headcount, (policy->'rules'->'director_changed'->'limits'->>'days')::DOUBLE AS director_changed__days, (policy->'rules'->'founder_changed'->'limits'->>'days')::DOUBLE AS founder_changed__days, (policy->'rules'->'address_changed'->'limits'->>'days')::DOUBLE AS address_changed__days, (policy->'rules'->'name_changed'->'limits'->>'days')::DOUBLE AS name_changed__days, (policy->'rules'->'revenue_mismatch'->'limits'->>'times')::DOUBLE AS revenue_mismatch__times, (policy->'rules'->'contracts_without_staff'->'limits'->>'amount_rub')::DOUBLE AS contracts_without_staff__amount_rub, (policy->'rules'->'contracts_without_staff'->'limits'->>'headcount')::DOUBLE AS contracts_without_staff__headcount, (policy->'rules'->'contracts_without_staff'->'limits'->>'months')::DOUBLE AS contracts_without_staff__months, (policy->'rules'->'contracts_without_staff'->'limits'->>'size_times')::DOUBLE AS contracts_without_staff__size_times, (policy->'rules'->'contracts_without_staff'->'limits'->>'young_days')::DOUBLE AS contracts_without_staff__young_days, left(md5(concat_ws(',', '9df73afc678a', coalesce(((policy->'rules'->'arbitration_often_respondent'->'limits'->>'cases')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'arbitration_often_respondent'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'linked_closed'->'limits'->>'companies')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'linked_closed'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'low_salary'->'limits'->>'amount_rub')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'low_tax_burden'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'no_employees'->'limits'->>'headcount')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'revenue_fall'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'tiny_capital'->'limits'->>'amount_rub')::DOUBLE)::VARCHAR, 'none'))), 12) AS limits_version FROM judges
),
judged_by AS MATERIALIZED (
    SELECT k.inn, coalesce(i.position, d.position) AS position, coalesce(m.is_member, false) AS is_member
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage."_latest" UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) k LEFT JOIN inn_policies i ON i.inn = k.inn
    CROSS JOIN (SELECT position FROM judges WHERE is_default) d
    LEFT JOIN (SELECT inn, min(first_seen_at) <= coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AS is_member FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = k.inn
),
answers AS (
    SELECT inn, bit_xor(hash(block, state, reason, method, version_id, is_stale,
                             CASE WHEN is_stale OR state NOT IN {evidence_states} THEN collected_at END,
                             CASE WHEN state = {snapshot.partial} THEN asked_at END)) AS answers,
           bit_xor(hash(block, version_id)) FILTER (block IN ('company', 'risk_flags')) AS card
    FROM (SELECT k.*, k.version_id IS NOT NULL AND (coalesce(date_diff('second', k.collected_at, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC'))::DATE), 0) > b.max_source_age) AS is_stale FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) k
          JOIN judged_by i ON i.inn = k.inn JOIN policy_blocks b ON b.position = i.position AND b.block = k.block)
    GROUP BY inn
),
bases AS (
    SELECT i.inn, hash(j.policy_name, j.policy_text, i.is_member, a.answers) AS basis, hash(i.is_member, a.card) AS card
    FROM judged_by i JOIN (SELECT position, policy_name, md5(policy::VARCHAR) AS policy_text FROM judges) j
         ON j.position = i.position
    LEFT JOIN answers a ON a.inn = i.inn
),
outdated_inns AS MATERIALIZED (
    SELECT unnest(list(b.inn)) AS inn FROM bases b LEFT JOIN lineage."_risk_scores" r ON r.inn = b.inn AND r.basis = b.basis
         AND r.judged_at <= coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AND coalesce((coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC'))::DATE < r.valid_until, true)
    WHERE r.inn IS NULL
),
live_inns AS MATERIALIZED (SELECT unnest(list(inn)) AS inn FROM (SELECT inn FROM outdated_inns UNION SELECT inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT item_inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT v.version_id FROM lineage.versions v SEMI JOIN outdated_inns o ON o.inn = v.inn WHERE v.block IN ('company', 'risk_flags')) v ON v.version_id = n.version_id) p ON p.item_inn = n.item_inn)),
live_closure AS MATERIALIZED (SELECT unnest(list(inn)) AS inn FROM (SELECT inn FROM live_inns UNION SELECT inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT item_inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT v.version_id FROM lineage.versions v SEMI JOIN live_inns o ON o.inn = v.inn WHERE v.block IN ('company', 'risk_flags')) v ON v.version_id = n.version_id) p ON p.item_inn = n.item_inn)),
judged AS MATERIALIZED (
    SELECT k.inn, k.moment, k.moment::DATE AS day, k.block, b.block_no, j.position, j.policy_version, k.state, k.reason,
           k.method, k.last_snapshot_id, k.version_id, k.snapshot_id, k.checked_at, k.collected_at, k.source_date,
           date_diff('second', k.collected_at, k.moment) / 86400.0 AS age_days,
           k.version_id IS NOT NULL AND (coalesce(date_diff('second', k.collected_at, k.moment) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (k.moment)::DATE), 0) > b.max_source_age) AS is_stale,
           k.state IN {complete_states} AS is_complete,
           k.state IN {evidence_states} AND k.version_id IS NOT NULL AND NOT (coalesce(date_diff('second', k.collected_at, k.moment) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (k.moment)::DATE), 0) > b.max_source_age) AS is_fresh,
           v.first_seen_at
    FROM (WITH attempts AS MATERIALIZED (SELECT * FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) SEMI JOIN live_closure USING (inn))
    SELECT *, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AS moment FROM (SELECT s.inn, s.block, coalesce(l.state, 'never asked') AS state, l.reason, l.method, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at,
           l.source_date, CASE WHEN l.version_id IS NULL THEN NULL WHEN l.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(l.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END AS complete
    FROM (
        SELECT c.inn, b.block FROM live_closure c
        JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(c.inn)
        UNION SELECT inn, block FROM attempts
    ) s
    LEFT JOIN attempts l ON l.inn = s.inn AND l.block = s.block)) k
    LEFT JOIN lineage.versions v ON v.version_id = k.version_id
    LEFT JOIN inn_policies i ON i.inn = k.inn
    JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
    JOIN policy_blocks b ON b.position = j.position AND b.block = k.block
),
sizes AS MATERIALIZED (
    SELECT inn, moment, CASE WHEN data.revenue IS NOT NULL THEN data.revenue ELSE statements.revenue END AS size,
           CASE WHEN data.revenue IS NOT NULL THEN data.is_fresh
                ELSE coalesce(data.is_fresh, false) AND coalesce(statements.is_fresh, false) END AS is_fresh
    FROM (SELECT j.inn, j.moment,
                 any_value({'revenue': t.revenue::DOUBLE, 'is_fresh': j.is_fresh}) FILTER (j.block = 'revexp') AS data,
                 any_value({'revenue': y.revenue, 'is_fresh': j.is_fresh}) FILTER (j.block = 'financial') AS statements
          FROM judged j
          LEFT JOIN core.revexp t ON t.version_id = j.version_id
          LEFT JOIN (SELECT version_id, arg_max(amount, year)::DOUBLE AS revenue FROM core.financial__indicators
                     WHERE indicator = 'revenue' GROUP BY version_id) y ON y.version_id = j.version_id
          WHERE j.block IN ('revexp', 'financial') GROUP BY j.inn, j.moment)
),
earlier_evidence AS (
    SELECT k.inn, k.moment, k.block_no, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN judged k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = {snapshot.partial} AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
          AND s.asked_at <= k.moment
    GROUP BY k.inn, k.moment, k.block_no
),
past_versions AS MATERIALIZED (
    SELECT j.inn, j.moment, j.day, j.policy_version, j.block_no, v.version_id, v.first_seen_at,
           least(v.last_seen_at, j.moment) AS ended_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = j.block
    WHERE v.version_id <> j.version_id AND v.first_seen_at <= j.moment
),
evaluated AS MATERIALIZED (
    SELECT DISTINCT version_id, day, policy_version, block_no FROM (
        SELECT version_id, day, policy_version, block_no FROM judged WHERE version_id IS NOT NULL
        UNION ALL SELECT version_id, day, policy_version, block_no FROM past_versions)
),
card_histories AS MATERIALIZED (
    SELECT j.inn, j.moment, any_value(j.day) AS day, any_value(j.policy_version) AS policy_version,
           any_value(j.version_id) AS version_id, any_value(j.block_no) AS block_no,
           least(any_value(j.first_seen_at), min(p.first_seen_at)) AS known_since, count(p.version_id) > 0 AS has_past
    FROM judged j LEFT JOIN past_versions p ON p.inn = j.inn AND p.moment = j.moment AND p.block_no = j.block_no
    WHERE j.block = 'company' AND j.version_id IS NOT NULL GROUP BY j.inn, j.moment
),
findings AS MATERIALIZED (SELECT e.version_id, e.day, e.policy_version, r.number,
       CASE WHEN f.signal IS NOT NULL THEN f.present WHEN s.limits_version IS NOT NULL THEN false END AS present,
       CASE WHEN f.signal IS NOT NULL THEN f.amount WHEN s.limits_version IS NOT NULL THEN 0 END AS amount,
       CASE WHEN f.present OR f.amount > 0 THEN {'began': f.began, 'evidence': f.evidence, 'facts': f.facts} END
           AS shown
FROM evaluated e
JOIN policy_limits p ON p.policy_version = e.policy_version
JOIN (VALUES (1, 'not_in_register', 1), (2, 'liquidated', 1), (3, 'liquidating', 1), (4, 'status_bankruptcy', 1), (5, 'reorganizing', 1), (6, 'invalid_data', 1), (7, 'invalid_address', 1), (8, 'illegal_finance', 1), (9, 'sanctions_founders', 1), (10, 'card_sanctions', 1), (11, 'card_unfair_supplier', 1), (12, 'card_disqualified', 1), (13, 'card_mass_director', 1), (14, 'card_mass_founder', 1), (15, 'card_mass_address', 1), (17, 'tiny_capital', 1), (18, 'low_salary', 1), (19, 'terminated_registrations', 1), (20, 'bankruptcy_stage', 4), (21, 'bankruptcy_completed', 4), (22, 'bankruptcy_intention', 4), (23, 'bankruptcy_card', 4), (24, 'bankruptcy_message', 9), (25, 'bankruptcy_event', 15), (26, 'account_freeze', 13), (27, 'sanctions_hit', 11), (28, 'sanctions_name', 11), (29, 'sanctions_namesake', 11), (30, 'foreign_agent', 24), (31, 'rnp_active', 10), (32, 'rnp_past', 10), (35, 'mass_director', 9), (36, 'mass_founder', 9), (37, 'mass_address', 9), (38, 'linked_closed', 9), (39, 'inspection_violations', 8), (40, 'pledges', 7), (41, 'leasing', 21), (42, 'enforcement_no_assets', 2), (43, 'enforcement_active', 2), (44, 'enforcement_large', 2), (45, 'tax_debt', 16), (46, 'tax_debt_large', 16), (47, 'tax_fines', 17), (48, 'low_tax_burden', 6), (49, 'arbitration_respondent', 3), (50, 'arbitration_often_respondent', 3), (52, 'arbitration_lost', 3), (55, 'bankruptcy_petition', 3), (56, 'court_respondent', 14), (57, 'court_accused', 14), (58, 'court_administrative', 14), (60, 'loss', 6), (61, 'loss_repeated', 6), (62, 'negative_equity', 6), (63, 'revenue_fall', 6), (64, 'no_revenue', 6), (66, 'illiquid', 6), (67, 'expense_over_income', 19), (68, 'no_employees', 18)) r (number, signal, block_no) ON r.block_no = e.block_no
LEFT JOIN lineage."_finding_limits" s ON s.limits_version = p.limits_version
LEFT JOIN lineage.findings f ON f.version_id = e.version_id AND f.signal = r.signal
     AND f.limits_version = p.limits_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([16]) AS number, unnest([(t.registration_date > v.day - p.young__days::INTEGER)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (t.registration_date > v.day - p.young__days::INTEGER) THEN [CASE WHEN t.registration_date > v.day - p.young__days::INTEGER THEN {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 1) v JOIN core."company" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([33, 34]) AS number, unnest([(CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END), (CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END) OR (CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END) THEN [CASE WHEN CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END THEN {'began': (a.in_force_since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR, 'facts': coalesce(a.in_force_facts, [])::VARCHAR[]} END, CASE WHEN CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END THEN {'began': (a.expired_since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.expired_name, 'until ' || a.expired_until))::VARCHAR, 'facts': coalesce(a.expired_facts, [])::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 9) v JOIN core."risk_flags" t ON t.version_id = v.version_id
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f0.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 9) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, count(*) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force,
min(i.start_date) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force_since,
max(i.end_date) FILTER (i.end_date >= v.day) AS until,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (coalesce(i.end_date >= v.day, true)) AS name,
count(*) FILTER (i.end_date < v.day) AS expired,
max(i.end_date) FILTER (i.end_date < v.day) AS expired_until,
max(i.end_date) FILTER (i.end_date < v.day) AS expired_since,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (i.end_date < v.day) AS expired_name,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '')) FILTER (coalesce(i.end_date >= v.day, true)), [])) || list_transform(range(count(*) FILTER ((coalesce(i.end_date >= v.day, true)) AND nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS in_force_facts,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '')) FILTER (i.end_date < v.day), [])) || list_transform(range(count(*) FILTER ((i.end_date < v.day) AND nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS expired_facts
FROM (SELECT * FROM evaluated WHERE block_no = 9) v JOIN core.risk_flags__disqualified_records i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f0 ON f0.version_id = v.version_id AND f0.day = v.day AND f0.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([51, 53, 54]) AS number, unnest([(CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END), (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END), (CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END)]) AS present, unnest([(coalesce(a.claims, 0))::DOUBLE, (coalesce(a.lost_claims, 0))::DOUBLE, (NULL)::DOUBLE]) AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END) OR (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END) OR (CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END) OR (coalesce(a.claims, 0))::DOUBLE > 0 OR (coalesce(a.lost_claims, 0))::DOUBLE > 0 THEN [CASE WHEN (CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END) OR (coalesce(a.claims, 0)) > 0 THEN {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR, 'facts': coalesce(a.claim_facts, [])::VARCHAR[]} END, CASE WHEN (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END) OR (coalesce(a.lost_claims, 0)) > 0 THEN {'began': (a.lost_lately_since)::TIMESTAMP, 'evidence': ('cases lost: ' || a.lost || ', ' || replace(format('{:,.2f}', (a.lost_claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR, 'facts': coalesce(a.lost_lately_facts, [])::VARCHAR[]} END, CASE WHEN CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END THEN {'began': (a.recent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.recent || ', earlier: ' || a.before)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 3) v JOIN core."arbitration" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f0.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 3) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, sum(i.claim_sum) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claims,
count(*) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claimed,
count(*) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true) AND i.claim_sum IS NULL) AS unpriced,
min(i.date) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claims_since,
count(*) FILTER (i.is_lost) AS lost_ever,
count(*) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost,
sum(i.claim_sum) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost_claims,
count(*) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true) AND i.claim_sum IS NULL) AS lost_unpriced,
min(i.date) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost_lately_since,
count(*) FILTER (i.against AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER)) AS recent,
min(i.date) FILTER (i.against AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER)) AS recent_since,
count(*) FILTER (i.against AND i.date <= v.day - to_months(p.litigation_growing__months::INTEGER)
                 AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER) - to_months(p.litigation_growing__months::INTEGER)) AS before,
count(*) FILTER (i.against AND i.date IS NULL) AS undated,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '')) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)), [])) || list_transform(range(count(*) FILTER ((i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AND nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS lost_lately_facts,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '')) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)), [])) || list_transform(range(count(*) FILTER ((i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AND nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS claim_facts
FROM (SELECT * FROM evaluated WHERE block_no = 3) v JOIN policy_limits p ON p.policy_version = v.policy_version JOIN (SELECT *, role = 'respondent' AS against, role = 'respondent' AND result = 'lost' AS is_lost, role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent, role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство' AS pending FROM core.arbitration__cases) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f0 ON f0.version_id = v.version_id AND f0.day = v.day AND f0.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([59]) AS number, unnest([(CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END) THEN [CASE WHEN CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END THEN {'began': (a.writs_since)::TIMESTAMP, 'evidence': ('writs: ' || a.writs)::VARCHAR, 'facts': coalesce(a.writ_facts, [])::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 14) v JOIN core."general_courts" t ON t.version_id = v.version_id
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f1.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 14) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, count(*) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AS writs,
min(i.date) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AS writs_since,
count(*) FILTER (coalesce(i.against, true)
                 AND coalesce(i.date > v.day - p.writs_issued__days::INTEGER, true)) AS unclear_writs,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."number"::VARCHAR, i."e_id"::VARCHAR)), '')) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER), [])) || list_transform(range(count(*) FILTER ((i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AND nullif(concat_ws(', ', coalesce(i."number"::VARCHAR, i."e_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS writ_facts
FROM (SELECT * FROM evaluated WHERE block_no = 14) v JOIN policy_limits p ON p.policy_version = v.policy_version JOIN (SELECT w.*, c.role, c.role IN ('ответчик', 'должник') AS against FROM core.general_courts__cases__writs w JOIN core.general_courts__cases c ON c.version_id = w.version_id AND c.cases_no = w.cases_no) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f1 ON f1.version_id = v.version_id AND f1.day = v.day AND f1.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([65]) AS number, unnest([(a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END) THEN [CASE WHEN a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END THEN {'began': (make_date((a.newest + 2)::INTEGER, p.statements_missing__due_month::INTEGER, 1))::TIMESTAMP, 'evidence': ('newest year ' || a.newest)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 6) v JOIN core."financial" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f2.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 6) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, max(i.year) AS newest
FROM (SELECT * FROM evaluated WHERE block_no = 6) v JOIN (SELECT version_id, value AS year FROM core.financial__years UNION ALL SELECT version_id, year FROM core.financial__indicators) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f2 ON f2.version_id = v.version_id AND f2.day = v.day AND f2.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version),
history_findings AS (SELECT inn, moment, 69 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.director AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.director_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.director_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.director_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.director_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.director_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 70 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, (SELECT string_agg(coalesce(f.item_inn, f.name), ', ' ORDER BY coalesce(f.item_inn, f.name)) FROM core.company__founders f WHERE f.version_id = v.version_id) AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT version_id, date AS changed_on FROM core.company__founder_shares) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.founder_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.founder_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.founder_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.founder_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.founder_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 71 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.address AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.address_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.address_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.address_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.address_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.address_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 72 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.name AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.name_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.name_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.name_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.name_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.name_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 73 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': numbers::VARCHAR[]} AS shown FROM (WITH known AS (
    SELECT j.inn, j.moment, j.version_id AS latest, v.version_id, v.last_seen_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = 'licenses' AND v.first_seen_at <= j.moment
    WHERE j.block = 'licenses' AND j.version_id IS NOT NULL
),
items AS (
    SELECT k.inn, k.moment, h.license_number, bool_or(k.version_id = k.latest) AS is_there,
           bool_or(k.version_id = k.latest AND regexp_matches(lower(coalesce(h.status, '')),
                   'прекращ|аннул|приостан|не действ|недейств|переоформ')) AS is_ended,
           max(k.last_seen_at) AS last_seen_at
    FROM known k JOIN core.licenses__health h ON h.version_id = k.version_id
    WHERE h.license_number IS NOT NULL GROUP BY k.inn, k.moment, h.license_number
),
lost AS (
    SELECT inn, moment, count(*) FILTER (NOT is_there OR is_ended) AS lost,
           min(license_number) FILTER (NOT is_there OR is_ended) AS number,
           list(license_number ORDER BY license_number) FILTER (NOT is_there OR is_ended) AS numbers,
           max(last_seen_at) FILTER (NOT is_there) AS since
    FROM items GROUP BY inn, moment
)
SELECT k.inn, k.moment, coalesce(l.lost, 0) > 0 AS present, l.since AS began,
       concat_ws(', ', 'licences: ' || l.lost, 'No. ' || l.number) AS evidence, l.numbers
FROM (SELECT DISTINCT inn, moment FROM known) k LEFT JOIN lost l USING (inn, moment))
UNION ALL
SELECT inn, moment, 74 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (SELECT j.inn, j.moment,
       CASE WHEN i.amount IS NULL OR t.revenue IS NULL THEN NULL
            WHEN greatest(i.amount, t.revenue) > 0
                 AND greatest(i.amount, t.revenue) >= p.revenue_mismatch__times * least(i.amount, t.revenue) THEN true
            WHEN s.is_fresh AND s.is_complete THEN false END AS present,
       t.period::TIMESTAMP AS began,
       i.year || ': ' || replace(format('{:,.2f}', (i.amount)::DOUBLE), ',', ' ') || ' RUB' || ' in the statements, ' || replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' in the data set'
           AS evidence
FROM judged j JOIN policy_limits p ON p.policy_version = j.policy_version
JOIN judged s ON s.inn = j.inn AND s.moment = j.moment AND s.block = 'revexp'
JOIN core.revexp t ON t.version_id = s.version_id
LEFT JOIN core.financial__indicators i ON i.version_id = j.version_id AND i.indicator = 'revenue'
     AND i.year = year(t.period)
WHERE j.block = 'financial' AND j.version_id IS NOT NULL)
UNION ALL
SELECT inn, moment, 75 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH signed AS (
    SELECT j.inn, j.moment, j.policy_version, j.day,
           coalesce(sum(c.amount) FILTER (c.sign_date > j.begin), 0) AS amount,
           min(c.sign_date) FILTER (c.sign_date > j.begin) AS since,
           count(*) FILTER (coalesce(c.sign_date > j.begin, true)
                            AND (c.amount IS NULL OR c.sign_date IS NULL)) AS unclear,
           coalesce(any_value(t.as_supplier), 0) > count(c.version_id) AS is_unlisted
    FROM (SELECT u.*, u.day - to_months(p.contracts_without_staff__months::INTEGER) AS begin
          FROM judged u JOIN policy_limits p ON p.policy_version = u.policy_version) j
    JOIN core.contracts t ON t.version_id = j.version_id
    LEFT JOIN core.contracts__contracts c ON c.version_id = j.version_id AND coalesce(c.role, 'supplier') = 'supplier'
    WHERE j.block = 'contracts' GROUP BY j.inn, j.moment, j.policy_version, j.day
),
judgements AS (
    SELECT s.*, p.contracts_without_staff__amount_rub AS least,
           CASE WHEN e.headcount <= p.contracts_without_staff__headcount THEN true
                WHEN h.is_fresh AND e.headcount IS NOT NULL THEN false END AS is_unstaffed,
           CASE WHEN s.amount > p.contracts_without_staff__size_times * z.size THEN true
                WHEN z.is_fresh AND z.size IS NOT NULL THEN false END AS is_above_size,
           card.registration_date > s.day - p.contracts_without_staff__young_days::INTEGER AS is_young,
           e.headcount, z.size, card.registration_date
    FROM signed s JOIN policy_limits p ON p.policy_version = s.policy_version
    LEFT JOIN judged h ON h.inn = s.inn AND h.moment = s.moment AND h.block = 'employees'
    LEFT JOIN core.employees e ON e.version_id = h.version_id
    LEFT JOIN judged k ON k.inn = s.inn AND k.moment = s.moment AND k.block = 'company'
    LEFT JOIN core.company card ON card.version_id = k.version_id
    LEFT JOIN sizes z ON z.inn = s.inn AND z.moment = s.moment
)
SELECT inn, moment,
       CASE WHEN amount >= least THEN is_unstaffed OR is_above_size OR is_young
            WHEN (unclear > 0 OR is_unlisted) AND coalesce(is_unstaffed OR is_above_size OR is_young, true) THEN NULL
            ELSE false END AS present,
       since::TIMESTAMP AS began,
       concat_ws(', ', replace(format('{:,.2f}', (amount)::DOUBLE), ',', ' ') || ' RUB', CASE WHEN is_unstaffed THEN 'headcount ' || headcount END,
                 CASE WHEN is_above_size THEN 'size ' || replace(format('{:,.2f}', (size)::DOUBLE), ',', ' ') || ' RUB' END,
                 CASE WHEN is_young THEN 'registered ' || registration_date END) AS evidence
FROM judgements)),
past_findings AS MATERIALIZED (
    SELECT v.inn, v.moment, f.number, v.version_id, f.present, f.shown, v.first_seen_at, v.ended_at
    FROM past_versions v JOIN findings f ON f.version_id = v.version_id AND f.day = v.day
         AND f.policy_version = v.policy_version
),
last_absence AS (
    SELECT inn, moment, number, max(ended_at) AS last_absent_at
    FROM past_findings WHERE NOT coalesce(present, false) GROUP BY ALL
),
first_presence AS (
    SELECT p.inn, p.moment, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past_findings p LEFT JOIN last_absence g ON g.inn = p.inn AND g.moment = p.moment AND g.number = p.number
    WHERE p.present AND (g.last_absent_at IS NULL OR p.first_seen_at > g.last_absent_at)
    GROUP BY p.inn, p.moment, p.number
),
last_statement AS (
    SELECT inn, moment, number, arg_max(present, ended_at) AS present, arg_max(version_id, ended_at) AS version_id
    FROM past_findings WHERE present IS NOT NULL GROUP BY inn, moment, number
),
found AS (
    SELECT j.*, f.number, f.present, f.amount, f.shown
    FROM judged j JOIN findings f ON f.version_id = j.version_id AND f.day = j.day
         AND f.policy_version = j.policy_version
    UNION ALL BY NAME
    SELECT j.*, r.number, f.present, f.shown
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    LEFT JOIN history_findings f ON f.inn = j.inn AND f.moment = j.moment AND f.number = r.number
    WHERE j.version_id IS NOT NULL AND r.number IN (69, 70, 71, 72, 73, 74, 75)
),
sized AS (
    SELECT f.* EXCLUDE (present), r.* EXCLUDE (position, block, block_no, digits, companies, persons, number, limits),
           CASE WHEN NOT r.by_size THEN f.present
                WHEN f.amount > 0 AND f.amount >= CASE WHEN z.size > 0 THEN r.size_share * z.size ELSE r.amount_rub END
                THEN true
                WHEN f.present IS NULL THEN NULL
                WHEN f.amount = 0 OR coalesce(z.is_fresh AND z.size IS NOT NULL, false) THEN false END AS present
    FROM found f JOIN policy_rules r ON r.position = f.position AND r.number = f.number
    LEFT JOIN sizes z ON z.inn = f.inn AND z.moment = f.moment
    WHERE list_contains(r.digits, CASE WHEN length(f.inn) = 10 THEN 10 ELSE 12 END)
),
dated AS (
    SELECT s.* EXCLUDE (shown, present, first_seen_at),
           coalesce(s.present, CASE WHEN l.present THEN true END) AS present,
           coalesce(s.present IS NULL AND l.present, false) AS is_earlier, l.version_id AS shown_version_id,
           CASE WHEN s.present IS NULL THEN x.shown.evidence ELSE s.shown.evidence END AS evidence,
           CASE WHEN s.present IS NULL THEN x.shown.facts ELSE s.shown.facts END AS facts,
           coalesce(CASE WHEN s.present IS NULL THEN x.shown.began ELSE s.shown.began END,
                    least(CASE WHEN g.last_absent_at IS NULL OR s.first_seen_at > g.last_absent_at
                               THEN s.first_seen_at END, n.first_seen_at), g.last_absent_at) AS since,
           coalesce(s.state = {snapshot.partial} AND w.earlier_version_id IS NOT NULL
                    AND (w.earlier_version_id = s.version_id OR e.present), false) AS carried
    FROM sized s
    LEFT JOIN last_absence g ON g.inn = s.inn AND g.moment = s.moment AND g.number = s.number
    LEFT JOIN first_presence n ON n.inn = s.inn AND n.moment = s.moment AND n.number = s.number
    LEFT JOIN last_statement l ON l.inn = s.inn AND l.moment = s.moment
              AND l.number = CASE WHEN s.present IS NULL THEN s.number END
    LEFT JOIN past_findings x ON x.present AND x.inn = l.inn AND x.moment = l.moment AND x.number = l.number
         AND x.version_id = l.version_id
    LEFT JOIN earlier_evidence w ON w.inn = s.inn AND w.moment = s.moment AND w.block_no = s.block_no
    LEFT JOIN past_findings e ON e.inn = s.inn AND e.moment = s.moment AND e.number = s.number
         AND e.version_id = w.earlier_version_id
    UNION ALL BY NAME
    SELECT j.* EXCLUDE (first_seen_at), r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           NULL AS present, NULL AS evidence, NULL AS facts, NULL AS since, false AS carried, false AS is_earlier,
           NULL AS shown_version_id
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    WHERE j.version_id IS NULL AND r.number <> 76
          AND list_contains(r.digits, CASE WHEN length(j.inn) = 10 THEN 10 ELSE 12 END)
),
own_signals AS (
    SELECT d.*,
           CASE WHEN present THEN {signal.present}
                WHEN state = {never_asked} THEN {signal.never_requested}
                WHEN NOT present AND is_complete AND is_fresh AND NOT (own_method AND method = 'full-check')
                THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           is_fresh AND NOT is_earlier AND (is_complete OR (state = {snapshot.partial}
               AND (partial_shows OR NOT carried)
               AND NOT coalesce(contains(reason, nullif(unseen, '')), false))) AS supported
    FROM dated d
),
own_levels AS (
    SELECT g.inn, g.moment,
           CASE WHEN bool_or(g.is_stopped) OR sum(g.weight) >= any_value(j.high) THEN true
                WHEN bool_or(g.may_be_stopped) OR sum(g.most) >= any_value(j.high) THEN NULL ELSE false END AS is_high
    FROM (SELECT inn, moment, position, group_name,
                 coalesce(max(weight) FILTER (signal_state = {signal.present}), 0) AS weight, max(weight) AS most,
                 bool_or(stop AND signal_state = {signal.present}) AS is_stopped, bool_or(stop) AS may_be_stopped
          FROM own_signals WHERE signal_state <> {signal.absent} GROUP BY ALL) g
    JOIN judges j ON j.position = g.position GROUP BY g.inn, g.moment
),
persons AS MATERIALIZED (
    SELECT DISTINCT j.inn, j.moment, n.item_inn
    FROM (SELECT inn, moment, version_id FROM judged WHERE block IN ('company', 'risk_flags')) j
    JOIN (
        SELECT version_id, item_inn, name FROM core.company__directors UNION ALL SELECT version_id, item_inn, name FROM core.company__founders UNION ALL SELECT version_id, item_inn, name FROM core.company__founder_shares UNION ALL SELECT version_id, item_inn, name FROM core.risk_flags__founder_shares
    ) n ON n.version_id = j.version_id
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
),
sharing AS (
    SELECT p.item_inn, p.moment, count(*) FILTER (l.is_high) AS high, count(*) FILTER (l.is_high IS NULL) AS unclear,
           min(p.inn) FILTER (l.is_high) AS one, max(p.inn) FILTER (l.is_high) AS other
    FROM persons p
    SEMI JOIN lineage.portfolio_members m ON m.inn = p.inn AND m.first_seen_at <= p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    WHERE p.item_inn IS NOT NULL GROUP BY p.item_inn, p.moment HAVING count(*) >= 2
),
links AS (
    SELECT p.inn, p.moment, bool_or(p.item_inn IS NULL) AS is_unnamed,
           bool_or(coalesce(s.high, 0) > CASE WHEN coalesce(l.is_high, false) AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS is_linked,
           bool_or(coalesce(s.unclear, 0) > CASE WHEN l.is_high IS NULL AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS may_be_linked,
           min(CASE WHEN s.one <> p.inn THEN s.one WHEN s.other <> p.inn THEN s.other END) AS other_inn
    FROM persons p
    LEFT JOIN sharing s ON s.item_inn = p.item_inn AND s.moment = p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    LEFT JOIN (SELECT inn, min(first_seen_at) AS first_seen_at FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = p.inn AND m.first_seen_at <= p.moment
    GROUP BY p.inn, p.moment
),
linked_signals AS (
    SELECT j.*, r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           CASE WHEN j.version_id IS NULL THEN NULL WHEN k.is_linked THEN true
                WHEN k.is_unnamed OR k.may_be_linked THEN NULL ELSE false END AS present,
           'shared with ' || k.other_inn AS evidence, NULL::TIMESTAMP AS since,
           CASE WHEN j.version_id IS NOT NULL AND k.is_linked THEN {signal.present}
                WHEN j.state = {never_asked} THEN {signal.never_requested}
                WHEN j.version_id IS NOT NULL AND NOT coalesce(k.is_unnamed OR k.may_be_linked, false)
                     AND j.is_complete AND j.is_fresh THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           j.is_fresh AS supported
    FROM judged j
    JOIN policy_rules r ON r.position = j.position AND r.number = 76 AND r.block_no = j.block_no
    LEFT JOIN links k ON k.inn = j.inn AND k.moment = j.moment
),
judged_inns AS (SELECT DISTINCT inn, moment, position, policy_version FROM judged),
signals AS MATERIALIZED (
    SELECT inn, moment, position, signal, title, title_ru, severity, weight, group_name, stop, substitute,
           signal_state AS state, coalesce(signal_state = {signal.absent}
               OR (signal_state = {signal.present} AND supported), false) AS confirmed,
           CASE WHEN signal_state IN ({signal.never_requested}, {signal.absent})
                     OR (signal_state = {signal.present} AND supported) THEN NULL
                WHEN state NOT IN {evidence_states} OR version_id IS NULL THEN concat_ws(': ', state, reason)
                WHEN is_stale THEN 'stale'
                WHEN state = {snapshot.partial} THEN concat_ws(': ', state, reason)
                ELSE 'not told' END AS reason,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence,
           CASE WHEN present THEN facts END AS facts, block,
           state AS block_state, coalesce(own_method AND method = 'full-check', false) AS is_beyond_method, is_fresh,
           checked_at, collected_at, source_date, age_days,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent})
                THEN coalesce(shown_version_id, version_id) END AS version_id,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN snapshot_id
                ELSE last_snapshot_id END AS snapshot_id, policy_version
    FROM (FROM own_signals UNION ALL BY NAME FROM linked_signals)
    UNION ALL BY NAME
    SELECT i.inn, i.moment, i.position, r.signal, r.title, r.title_ru, r.severity, r.weight, r.group_name, r.stop,
           r.substitute, {signal.not_offered} AS state, false AS confirmed, r.block, i.policy_version
    FROM judged_inns i
    JOIN policy_rules r ON r.position = i.position
         AND list_contains(r.digits, CASE WHEN length(i.inn) = 10 THEN 10 ELSE 12 END)
    ANTI JOIN judged j ON j.inn = i.inn AND j.moment = i.moment AND j.block_no = r.block_no
)
SELECT r.inn, r.signal, r.title, r.title_ru, r.severity, r.weight, r.group_name, r.state, r.confirmed, r.reason,
       r.since, r.evidence, r.block, l.checked_at, l.collected_at, l.source_date,
       date_diff('second', l.collected_at, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days, r.version_id,
       CASE WHEN r.state IN ({signal.present}, {signal.absent}) THEN l.evidence_id
            ELSE l.snapshot_id END AS snapshot_id,
       r.policy_version
FROM lineage."_risk_signals" r ANTI JOIN live_inns t ON t.inn = r.inn
LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = r.inn AND l.block = CASE WHEN r.state <> {signal.not_offered} THEN r.block END
UNION ALL
SELECT inn, signal, title, title_ru, severity, weight, group_name, state, confirmed, reason, since, evidence, block,
       checked_at, collected_at, source_date, age_days, version_id, snapshot_id, policy_version
FROM signals SEMI JOIN live_inns USING (inn)
)

-- {scores}
scores AS (
WITH judges AS MATERIALIZED (
    SELECT policy_version, name AS policy_name, position, policy::JSON AS policy,
           position = max(position) OVER () AS is_default,
           (policy->'thresholds'->>'critical')::INTEGER AS critical, (policy->'thresholds'->>'high')::INTEGER AS high,
           (policy->'thresholds'->>'medium')::INTEGER AS medium
    FROM lineage.policies WHERE position IS NOT NULL
),
named_policies AS MATERIALIZED (
    SELECT position, from_json(portfolios, '["VARCHAR"]') AS portfolios,
           list_transform(from_json(tags, '["VARCHAR"]'), lambda tag: lower(trim(tag))) AS tags
    FROM lineage.policies WHERE position IS NOT NULL AND (portfolios::VARCHAR <> '[]' OR tags::VARCHAR <> '[]')
),
inn_policies AS (
    SELECT m.inn, min(p.position) AS position
    FROM lineage.portfolio_members m
    JOIN named_policies p ON list_contains(p.portfolios, m.portfolio)
         OR list_has_any(p.tags, list_transform(string_split_regex(lower(m.tags), '[,;]'), lambda tag: trim(tag)))
    GROUP BY m.inn
),
policy_blocks AS MATERIALIZED (
    SELECT j.position, b.block, b.block_no,
           coalesce(policy->'age_days'->>b.block, policy->'age_days'->>'default')::DOUBLE AS max_age,
           coalesce(policy->'source_age_days'->>b.block, policy->'source_age_days'->>'default')::DOUBLE
               AS max_source_age,
           list_contains(from_json(policy->'required'->'company', '["VARCHAR"]'), b.block) AS of_companies,
           list_contains(from_json(policy->'required'->'person', '["VARCHAR"]'), b.block) AS of_persons
    FROM judges j CROSS JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('contracts', 5), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('licenses', 12), ('freezes', 13), ('general_courts', 14), ('timeline', 15), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('msp', 20), ('leasing', 21), ('trademarks', 22), ('founded_companies', 23), ('minjust_check', 24), ('contacts', 25)) b (block, block_no)
),
policy_rules AS MATERIALIZED (
    SELECT position, r.*, (rule->>'weight')::INTEGER AS weight, rule->>'severity' AS severity,
           coalesce(nullif(rule->>'group', ''), signal) AS group_name,
           coalesce((rule->>'stop')::BOOLEAN, false) AS stop,
           coalesce((rule->>'substitute')::BOOLEAN, false) AS substitute, rule->>'title' AS title,
           rule->>'title_ru' AS title_ru, rule->'limits' AS limits,
           (rule->'limits'->>'amount_rub')::DOUBLE AS amount_rub, (rule->'limits'->>'size_share')::DOUBLE AS size_share
    FROM (SELECT j.position, j.policy->'rules'->r.signal AS rule, r.* FROM judges j
          CROSS JOIN (VALUES (1, 'not_in_register', 'company', 1, [10, 12], True, True, '', False, False, False), (2, 'liquidated', 'company', 1, [10, 12], True, True, '', False, False, False), (3, 'liquidating', 'company', 1, [10, 12], True, True, '', False, False, False), (4, 'status_bankruptcy', 'company', 1, [10, 12], True, True, '', False, False, False), (5, 'reorganizing', 'company', 1, [10], True, False, '', False, False, False), (6, 'invalid_data', 'company', 1, [10, 12], True, True, '', False, False, False), (7, 'invalid_address', 'company', 1, [10], True, False, '', False, False, False), (8, 'illegal_finance', 'company', 1, [10, 12], True, True, '', False, False, False), (9, 'sanctions_founders', 'company', 1, [10], True, False, '', False, False, False), (10, 'card_sanctions', 'company', 1, [10, 12], True, True, '', False, False, False), (11, 'card_unfair_supplier', 'company', 1, [10, 12], True, True, '', False, False, False), (12, 'card_disqualified', 'company', 1, [10], True, False, '', False, False, False), (13, 'card_mass_director', 'company', 1, [10], True, False, '', False, False, False), (14, 'card_mass_founder', 'company', 1, [10], True, False, '', False, False, False), (15, 'card_mass_address', 'company', 1, [10], True, False, '', False, False, False), (16, 'young', 'company', 1, [10, 12], True, True, '', False, False, False), (17, 'tiny_capital', 'company', 1, [10], True, False, '', False, False, False), (18, 'low_salary', 'company', 1, [10], True, False, '', False, False, False), (19, 'terminated_registrations', 'company', 1, [12], False, True, '', False, False, False), (20, 'bankruptcy_stage', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (21, 'bankruptcy_completed', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (22, 'bankruptcy_intention', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (23, 'bankruptcy_card', 'bankruptcy', 4, [10, 12], True, True, '', False, False, False), (24, 'bankruptcy_message', 'risk_flags', 9, [10, 12], True, True, '', False, True, False), (25, 'bankruptcy_event', 'timeline', 15, [10, 12], True, True, '', False, False, False), (26, 'account_freeze', 'freezes', 13, [10, 12], True, True, '', True, False, False), (27, 'sanctions_hit', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (28, 'sanctions_name', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (29, 'sanctions_namesake', 'sanctions', 11, [10, 12], True, True, '', False, False, False), (30, 'foreign_agent', 'minjust_check', 24, [10, 12], True, True, '', False, False, False), (31, 'rnp_active', 'rnp', 10, [10, 12], True, True, '', False, False, False), (32, 'rnp_past', 'rnp', 10, [10, 12], True, True, '', False, False, False), (33, 'disqualified_persons', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (34, 'disqualification_expired', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (35, 'mass_director', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (36, 'mass_founder', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (37, 'mass_address', 'risk_flags', 9, [10], True, False, 'mass_check_unavailable', False, False, False), (38, 'linked_closed', 'risk_flags', 9, [10], True, False, '', False, False, False), (39, 'inspection_violations', 'inspections', 8, [10, 12], True, True, '', False, False, False), (40, 'pledges', 'pledges', 7, [10, 12], True, True, '', False, False, False), (41, 'leasing', 'leasing', 21, [10, 12], True, True, '', False, False, False), (42, 'enforcement_no_assets', 'fssp', 2, [10, 12], True, True, '', False, False, False), (43, 'enforcement_active', 'fssp', 2, [10, 12], True, True, '', False, False, False), (44, 'enforcement_large', 'fssp', 2, [10, 12], True, True, '', False, False, True), (45, 'tax_debt', 'tax_debts', 16, [10, 12], True, True, '', False, False, False), (46, 'tax_debt_large', 'tax_debts', 16, [10, 12], True, True, '', False, False, True), (47, 'tax_fines', 'tax_offences', 17, [10, 12], True, True, '', False, False, False), (48, 'low_tax_burden', 'financial', 6, [10], True, False, '', False, False, False), (49, 'arbitration_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (50, 'arbitration_often_respondent', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (51, 'arbitration_claims', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (52, 'arbitration_lost', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (53, 'claims_lost_large', 'arbitration', 3, [10, 12], True, True, '', False, False, True), (54, 'litigation_growing', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (55, 'bankruptcy_petition', 'arbitration', 3, [10, 12], True, True, '', False, False, False), (56, 'court_respondent', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (57, 'court_accused', 'general_courts', 14, [12], False, True, '', False, False, False), (58, 'court_administrative', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (59, 'writs_issued', 'general_courts', 14, [10, 12], True, True, '', False, False, False), (60, 'loss', 'financial', 6, [10], True, False, '', False, False, False), (61, 'loss_repeated', 'financial', 6, [10], True, False, '', False, False, False), (62, 'negative_equity', 'financial', 6, [10], True, False, '', False, False, False), (63, 'revenue_fall', 'financial', 6, [10], True, False, '', False, False, False), (64, 'no_revenue', 'financial', 6, [10], True, False, '', False, False, False), (65, 'statements_missing', 'financial', 6, [10], True, False, '', False, False, False), (66, 'illiquid', 'financial', 6, [10], True, False, '', False, False, False), (67, 'expense_over_income', 'revexp', 19, [10], True, False, '', False, False, False), (68, 'no_employees', 'employees', 18, [10], True, False, '', False, False, False), (69, 'director_changed', 'company', 1, [10], True, False, '', False, False, False), (70, 'founder_changed', 'company', 1, [10], True, False, '', False, False, False), (71, 'address_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (72, 'name_changed', 'company', 1, [10, 12], True, True, '', False, False, False), (73, 'licence_lost', 'licenses', 12, [10, 12], True, True, '', False, False, False), (74, 'revenue_mismatch', 'financial', 6, [10], True, False, '', False, False, False), (75, 'contracts_without_staff', 'contracts', 5, [10], True, False, '', False, False, False), (76, 'linked_to_high_risk', 'company', 1, [10, 12], True, True, '', False, False, False))
          r (number, signal, block, block_no, digits, companies, persons, unseen, partial_shows, own_method, by_size)) r
    WHERE rule IS NOT NULL AND coalesce((rule->>'enabled')::BOOLEAN, true)
),
policy_limits AS MATERIALIZED (
    SELECT DISTINCT ON (policy_version) policy_version, (policy->'rules'->'young'->'limits'->>'days')::DOUBLE AS young__days, (policy->'rules'->'tiny_capital'->'limits'->>'amount_rub')::DOUBLE AS tiny_capital__amount_rub, (policy->'rules'->'low_salary'->'limits'->>'amount_rub')::DOUBLE AS low_salary__amount_rub, (policy->'rules'->'linked_closed'->'limits'->>'companies')::DOUBLE AS linked_closed__companies, (policy->'rules'->'linked_closed'->'limits'->>'share')::DOUBLE AS linked_closed__share, (policy->'rules'->'enforcement_large'->'limits'->>'amount_rub')::DOUBLE AS enforcement_large__amount_rub, (policy->'rules'->'enforcement_large'->'limits'->>'size_share')::DOUBLE AS enforcement_large__size_share, (policy->'rules'->'tax_debt_large'->'limits'->>'amount_rub')::DOUBLE AS tax_debt_large__amount_rub, (policy->'rules'->'tax_debt_large'->'limits'->>'size_share')::DOUBLE AS tax_debt_large__size_share, (policy->'rules'->'low_tax_burden'->'limits'->>'share')::DOUBLE AS low_tax_burden__share, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'cases')::DOUBLE AS arbitration_often_respondent__cases, (policy->'rules'->'arbitration_often_respondent'->'limits'->>'share')::DOUBLE AS arbitration_often_respondent__share, (policy->'rules'->'arbitration_claims'->'limits'->>'amount_rub')::DOUBLE AS arbitration_claims__amount_rub, (policy->'rules'->'arbitration_claims'->'limits'->>'size_share')::DOUBLE AS arbitration_claims__size_share, (policy->'rules'->'arbitration_claims'->'limits'->>'years')::DOUBLE AS arbitration_claims__years, (policy->'rules'->'claims_lost_large'->'limits'->>'amount_rub')::DOUBLE AS claims_lost_large__amount_rub, (policy->'rules'->'claims_lost_large'->'limits'->>'size_share')::DOUBLE AS claims_lost_large__size_share, (policy->'rules'->'claims_lost_large'->'limits'->>'years')::DOUBLE AS claims_lost_large__years, (policy->'rules'->'litigation_growing'->'limits'->>'cases')::DOUBLE AS litigation_growing__cases, (policy->'rules'->'litigation_growing'->'limits'->>'months')::DOUBLE AS litigation_growing__months, (policy->'rules'->'litigation_growing'->'limits'->>'times')::DOUBLE AS litigation_growing__times, (policy->'rules'->'writs_issued'->'limits'->>'days')::DOUBLE AS writs_issued__days, (policy->'rules'->'revenue_fall'->'limits'->>'share')::DOUBLE AS revenue_fall__share, (policy->'rules'->'statements_missing'->'limits'->>'due_month')::DOUBLE AS statements_missing__due_month, (policy->'rules'->'no_employees'->'limits'->>'headcount')::DOUBLE AS no_employees__headcount, (policy->'rules'->'director_changed'->'limits'->>'days')::DOUBLE AS director_changed__days, (policy->'rules'->'founder_changed'->'limits'->>'days')::DOUBLE AS founder_changed__days, (policy->'rules'->'address_changed'->'limits'->>'days')::DOUBLE AS address_changed__days, (policy->'rules'->'name_changed'->'limits'->>'days')::DOUBLE AS name_changed__days, (policy->'rules'->'revenue_mismatch'->'limits'->>'times')::DOUBLE AS revenue_mismatch__times, (policy->'rules'->'contracts_without_staff'->'limits'->>'amount_rub')::DOUBLE AS contracts_without_staff__amount_rub, (policy->'rules'->'contracts_without_staff'->'limits'->>'headcount')::DOUBLE AS contracts_without_staff__headcount, (policy->'rules'->'contracts_without_staff'->'limits'->>'months')::DOUBLE AS contracts_without_staff__months, (policy->'rules'->'contracts_without_staff'->'limits'->>'size_times')::DOUBLE AS contracts_without_staff__size_times, (policy->'rules'->'contracts_without_staff'->'limits'->>'young_days')::DOUBLE AS contracts_without_staff__young_days, left(md5(concat_ws(',', '9df73afc678a', coalesce(((policy->'rules'->'arbitration_often_respondent'->'limits'->>'cases')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'arbitration_often_respondent'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'linked_closed'->'limits'->>'companies')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'linked_closed'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'low_salary'->'limits'->>'amount_rub')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'low_tax_burden'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'no_employees'->'limits'->>'headcount')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'revenue_fall'->'limits'->>'share')::DOUBLE)::VARCHAR, 'none'), coalesce(((policy->'rules'->'tiny_capital'->'limits'->>'amount_rub')::DOUBLE)::VARCHAR, 'none'))), 12) AS limits_version FROM judges
),
judged_by AS MATERIALIZED (
    SELECT k.inn, coalesce(i.position, d.position) AS position, coalesce(m.is_member, false) AS is_member
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage."_latest" UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) k LEFT JOIN inn_policies i ON i.inn = k.inn
    CROSS JOIN (SELECT position FROM judges WHERE is_default) d
    LEFT JOIN (SELECT inn, min(first_seen_at) <= coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AS is_member FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = k.inn
),
answers AS (
    SELECT inn, bit_xor(hash(block, state, reason, method, version_id, is_stale,
                             CASE WHEN is_stale OR state NOT IN {evidence_states} THEN collected_at END,
                             CASE WHEN state = {snapshot.partial} THEN asked_at END)) AS answers,
           bit_xor(hash(block, version_id)) FILTER (block IN ('company', 'risk_flags')) AS card
    FROM (SELECT k.*, k.version_id IS NOT NULL AND (coalesce(date_diff('second', k.collected_at, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC')) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC'))::DATE), 0) > b.max_source_age) AS is_stale FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) k
          JOIN judged_by i ON i.inn = k.inn JOIN policy_blocks b ON b.position = i.position AND b.block = k.block)
    GROUP BY inn
),
bases AS (
    SELECT i.inn, hash(j.policy_name, j.policy_text, i.is_member, a.answers) AS basis, hash(i.is_member, a.card) AS card
    FROM judged_by i JOIN (SELECT position, policy_name, md5(policy::VARCHAR) AS policy_text FROM judges) j
         ON j.position = i.position
    LEFT JOIN answers a ON a.inn = i.inn
),
outdated_inns AS MATERIALIZED (
    SELECT unnest(list(b.inn)) AS inn FROM bases b LEFT JOIN lineage."_risk_scores" r ON r.inn = b.inn AND r.basis = b.basis
         AND r.judged_at <= coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AND coalesce((coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC'))::DATE < r.valid_until, true)
    WHERE r.inn IS NULL
),
live_inns AS MATERIALIZED (SELECT unnest(list(inn)) AS inn FROM (SELECT inn FROM outdated_inns UNION SELECT inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT item_inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT v.version_id FROM lineage.versions v SEMI JOIN outdated_inns o ON o.inn = v.inn WHERE v.block IN ('company', 'risk_flags')) v ON v.version_id = n.version_id) p ON p.item_inn = n.item_inn)),
live_closure AS MATERIALIZED (SELECT unnest(list(inn)) AS inn FROM (SELECT inn FROM live_inns UNION SELECT inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT item_inn FROM (SELECT version_id, inn, item_inn FROM core.company__directors UNION ALL SELECT version_id, inn, item_inn FROM core.company__founders UNION ALL SELECT version_id, inn, item_inn FROM core.company__founder_shares UNION ALL SELECT version_id, inn, item_inn FROM core.risk_flags__founder_shares) n SEMI JOIN (SELECT v.version_id FROM lineage.versions v SEMI JOIN live_inns o ON o.inn = v.inn WHERE v.block IN ('company', 'risk_flags')) v ON v.version_id = n.version_id) p ON p.item_inn = n.item_inn)),
judged AS MATERIALIZED (
    SELECT k.inn, k.moment, k.moment::DATE AS day, k.block, b.block_no, j.position, j.policy_version, k.state, k.reason,
           k.method, k.last_snapshot_id, k.version_id, k.snapshot_id, k.checked_at, k.collected_at, k.source_date,
           date_diff('second', k.collected_at, k.moment) / 86400.0 AS age_days,
           k.version_id IS NOT NULL AND (coalesce(date_diff('second', k.collected_at, k.moment) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (k.moment)::DATE), 0) > b.max_source_age) AS is_stale,
           k.state IN {complete_states} AS is_complete,
           k.state IN {evidence_states} AND k.version_id IS NOT NULL AND NOT (coalesce(date_diff('second', k.collected_at, k.moment) / 86400.0, 0) > b.max_age OR coalesce(date_diff('day', k.source_date, (k.moment)::DATE), 0) > b.max_source_age) AS is_fresh,
           v.first_seen_at
    FROM (WITH attempts AS MATERIALIZED (SELECT * FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) SEMI JOIN live_closure USING (inn))
    SELECT *, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AS moment FROM (SELECT s.inn, s.block, coalesce(l.state, 'never asked') AS state, l.reason, l.method, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at,
           l.source_date, CASE WHEN l.version_id IS NULL THEN NULL WHEN l.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(l.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END AS complete
    FROM (
        SELECT c.inn, b.block FROM live_closure c
        JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(c.inn)
        UNION SELECT inn, block FROM attempts
    ) s
    LEFT JOIN attempts l ON l.inn = s.inn AND l.block = s.block)) k
    LEFT JOIN lineage.versions v ON v.version_id = k.version_id
    LEFT JOIN inn_policies i ON i.inn = k.inn
    JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
    JOIN policy_blocks b ON b.position = j.position AND b.block = k.block
),
sizes AS MATERIALIZED (
    SELECT inn, moment, CASE WHEN data.revenue IS NOT NULL THEN data.revenue ELSE statements.revenue END AS size,
           CASE WHEN data.revenue IS NOT NULL THEN data.is_fresh
                ELSE coalesce(data.is_fresh, false) AND coalesce(statements.is_fresh, false) END AS is_fresh
    FROM (SELECT j.inn, j.moment,
                 any_value({'revenue': t.revenue::DOUBLE, 'is_fresh': j.is_fresh}) FILTER (j.block = 'revexp') AS data,
                 any_value({'revenue': y.revenue, 'is_fresh': j.is_fresh}) FILTER (j.block = 'financial') AS statements
          FROM judged j
          LEFT JOIN core.revexp t ON t.version_id = j.version_id
          LEFT JOIN (SELECT version_id, arg_max(amount, year)::DOUBLE AS revenue FROM core.financial__indicators
                     WHERE indicator = 'revenue' GROUP BY version_id) y ON y.version_id = j.version_id
          WHERE j.block IN ('revexp', 'financial') GROUP BY j.inn, j.moment)
),
earlier_evidence AS (
    SELECT k.inn, k.moment, k.block_no, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN judged k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = {snapshot.partial} AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
          AND s.asked_at <= k.moment
    GROUP BY k.inn, k.moment, k.block_no
),
past_versions AS MATERIALIZED (
    SELECT j.inn, j.moment, j.day, j.policy_version, j.block_no, v.version_id, v.first_seen_at,
           least(v.last_seen_at, j.moment) AS ended_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = j.block
    WHERE v.version_id <> j.version_id AND v.first_seen_at <= j.moment
),
evaluated AS MATERIALIZED (
    SELECT DISTINCT version_id, day, policy_version, block_no FROM (
        SELECT version_id, day, policy_version, block_no FROM judged WHERE version_id IS NOT NULL
        UNION ALL SELECT version_id, day, policy_version, block_no FROM past_versions)
),
card_histories AS MATERIALIZED (
    SELECT j.inn, j.moment, any_value(j.day) AS day, any_value(j.policy_version) AS policy_version,
           any_value(j.version_id) AS version_id, any_value(j.block_no) AS block_no,
           least(any_value(j.first_seen_at), min(p.first_seen_at)) AS known_since, count(p.version_id) > 0 AS has_past
    FROM judged j LEFT JOIN past_versions p ON p.inn = j.inn AND p.moment = j.moment AND p.block_no = j.block_no
    WHERE j.block = 'company' AND j.version_id IS NOT NULL GROUP BY j.inn, j.moment
),
findings AS MATERIALIZED (SELECT e.version_id, e.day, e.policy_version, r.number,
       CASE WHEN f.signal IS NOT NULL THEN f.present WHEN s.limits_version IS NOT NULL THEN false END AS present,
       CASE WHEN f.signal IS NOT NULL THEN f.amount WHEN s.limits_version IS NOT NULL THEN 0 END AS amount,
       CASE WHEN f.present OR f.amount > 0 THEN {'began': f.began, 'evidence': f.evidence, 'facts': f.facts} END
           AS shown
FROM evaluated e
JOIN policy_limits p ON p.policy_version = e.policy_version
JOIN (VALUES (1, 'not_in_register', 1), (2, 'liquidated', 1), (3, 'liquidating', 1), (4, 'status_bankruptcy', 1), (5, 'reorganizing', 1), (6, 'invalid_data', 1), (7, 'invalid_address', 1), (8, 'illegal_finance', 1), (9, 'sanctions_founders', 1), (10, 'card_sanctions', 1), (11, 'card_unfair_supplier', 1), (12, 'card_disqualified', 1), (13, 'card_mass_director', 1), (14, 'card_mass_founder', 1), (15, 'card_mass_address', 1), (17, 'tiny_capital', 1), (18, 'low_salary', 1), (19, 'terminated_registrations', 1), (20, 'bankruptcy_stage', 4), (21, 'bankruptcy_completed', 4), (22, 'bankruptcy_intention', 4), (23, 'bankruptcy_card', 4), (24, 'bankruptcy_message', 9), (25, 'bankruptcy_event', 15), (26, 'account_freeze', 13), (27, 'sanctions_hit', 11), (28, 'sanctions_name', 11), (29, 'sanctions_namesake', 11), (30, 'foreign_agent', 24), (31, 'rnp_active', 10), (32, 'rnp_past', 10), (35, 'mass_director', 9), (36, 'mass_founder', 9), (37, 'mass_address', 9), (38, 'linked_closed', 9), (39, 'inspection_violations', 8), (40, 'pledges', 7), (41, 'leasing', 21), (42, 'enforcement_no_assets', 2), (43, 'enforcement_active', 2), (44, 'enforcement_large', 2), (45, 'tax_debt', 16), (46, 'tax_debt_large', 16), (47, 'tax_fines', 17), (48, 'low_tax_burden', 6), (49, 'arbitration_respondent', 3), (50, 'arbitration_often_respondent', 3), (52, 'arbitration_lost', 3), (55, 'bankruptcy_petition', 3), (56, 'court_respondent', 14), (57, 'court_accused', 14), (58, 'court_administrative', 14), (60, 'loss', 6), (61, 'loss_repeated', 6), (62, 'negative_equity', 6), (63, 'revenue_fall', 6), (64, 'no_revenue', 6), (66, 'illiquid', 6), (67, 'expense_over_income', 19), (68, 'no_employees', 18)) r (number, signal, block_no) ON r.block_no = e.block_no
LEFT JOIN lineage."_finding_limits" s ON s.limits_version = p.limits_version
LEFT JOIN lineage.findings f ON f.version_id = e.version_id AND f.signal = r.signal
     AND f.limits_version = p.limits_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([16]) AS number, unnest([(t.registration_date > v.day - p.young__days::INTEGER)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (t.registration_date > v.day - p.young__days::INTEGER) THEN [CASE WHEN t.registration_date > v.day - p.young__days::INTEGER THEN {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 1) v JOIN core."company" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([33, 34]) AS number, unnest([(CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END), (CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END) OR (CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END) THEN [CASE WHEN CASE WHEN coalesce(a.in_force, 0) > 0 THEN true WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END THEN {'began': (a.in_force_since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR, 'facts': coalesce(a.in_force_facts, [])::VARCHAR[]} END, CASE WHEN CASE WHEN coalesce(a.expired, 0) > 0 THEN true WHEN t.disqualified_persons IS NULL THEN NULL ELSE false END THEN {'began': (a.expired_since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.expired_name, 'until ' || a.expired_until))::VARCHAR, 'facts': coalesce(a.expired_facts, [])::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 9) v JOIN core."risk_flags" t ON t.version_id = v.version_id
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f0.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 9) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, count(*) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force,
min(i.start_date) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force_since,
max(i.end_date) FILTER (i.end_date >= v.day) AS until,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (coalesce(i.end_date >= v.day, true)) AS name,
count(*) FILTER (i.end_date < v.day) AS expired,
max(i.end_date) FILTER (i.end_date < v.day) AS expired_until,
max(i.end_date) FILTER (i.end_date < v.day) AS expired_since,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (i.end_date < v.day) AS expired_name,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '')) FILTER (coalesce(i.end_date >= v.day, true)), [])) || list_transform(range(count(*) FILTER ((coalesce(i.end_date >= v.day, true)) AND nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS in_force_facts,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '')) FILTER (i.end_date < v.day), [])) || list_transform(range(count(*) FILTER ((i.end_date < v.day) AND nullif(concat_ws(', ', coalesce(i."matched_name"::VARCHAR, i."queried_name"::VARCHAR), coalesce(i."birth_date"::VARCHAR), coalesce(i."start_date"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS expired_facts
FROM (SELECT * FROM evaluated WHERE block_no = 9) v JOIN core.risk_flags__disqualified_records i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f0 ON f0.version_id = v.version_id AND f0.day = v.day AND f0.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([51, 53, 54]) AS number, unnest([(CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END), (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END), (CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END)]) AS present, unnest([(coalesce(a.claims, 0))::DOUBLE, (coalesce(a.lost_claims, 0))::DOUBLE, (NULL)::DOUBLE]) AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END) OR (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END) OR (CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END) OR (coalesce(a.claims, 0))::DOUBLE > 0 OR (coalesce(a.lost_claims, 0))::DOUBLE > 0 THEN [CASE WHEN (CASE WHEN coalesce(a.unpriced, 0) = 0 THEN false END) OR (coalesce(a.claims, 0)) > 0 THEN {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR, 'facts': coalesce(a.claim_facts, [])::VARCHAR[]} END, CASE WHEN (CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END) OR (coalesce(a.lost_claims, 0)) > 0 THEN {'began': (a.lost_lately_since)::TIMESTAMP, 'evidence': ('cases lost: ' || a.lost || ', ' || replace(format('{:,.2f}', (a.lost_claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR, 'facts': coalesce(a.lost_lately_facts, [])::VARCHAR[]} END, CASE WHEN CASE WHEN coalesce(a.recent, 0) >= p.litigation_growing__cases AND a.recent >= p.litigation_growing__times * coalesce(a.before, 0) THEN true WHEN coalesce(a.undated, 0) > 0 THEN NULL ELSE false END THEN {'began': (a.recent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.recent || ', earlier: ' || a.before)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 3) v JOIN core."arbitration" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f0.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 3) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, sum(i.claim_sum) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claims,
count(*) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claimed,
count(*) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true) AND i.claim_sum IS NULL) AS unpriced,
min(i.date) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AS claims_since,
count(*) FILTER (i.is_lost) AS lost_ever,
count(*) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost,
sum(i.claim_sum) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost_claims,
count(*) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true) AND i.claim_sum IS NULL) AS lost_unpriced,
min(i.date) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AS lost_lately_since,
count(*) FILTER (i.against AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER)) AS recent,
min(i.date) FILTER (i.against AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER)) AS recent_since,
count(*) FILTER (i.against AND i.date <= v.day - to_months(p.litigation_growing__months::INTEGER)
                 AND i.date > v.day - to_months(p.litigation_growing__months::INTEGER) - to_months(p.litigation_growing__months::INTEGER)) AS before,
count(*) FILTER (i.against AND i.date IS NULL) AS undated,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '')) FILTER (i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)), [])) || list_transform(range(count(*) FILTER ((i.is_lost AND coalesce(i.date > v.day - to_years(p.claims_lost_large__years::INTEGER), true)) AND nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS lost_lately_facts,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '')) FILTER (i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)), [])) || list_transform(range(count(*) FILTER ((i.pending AND coalesce(i.date > v.day - to_years(p.arbitration_claims__years::INTEGER), true)) AND nullif(concat_ws(', ', coalesce(i."case_number"::VARCHAR, i."case_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS claim_facts
FROM (SELECT * FROM evaluated WHERE block_no = 3) v JOIN policy_limits p ON p.policy_version = v.policy_version JOIN (SELECT *, role = 'respondent' AS against, role = 'respondent' AND result = 'lost' AS is_lost, role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent, role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство' AS pending FROM core.arbitration__cases) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f0 ON f0.version_id = v.version_id AND f0.day = v.day AND f0.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([59]) AS number, unnest([(CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END) THEN [CASE WHEN CASE WHEN coalesce(a.writs, 0) > 0 THEN true WHEN coalesce(a.unclear_writs, 0) > 0 THEN NULL ELSE false END THEN {'began': (a.writs_since)::TIMESTAMP, 'evidence': ('writs: ' || a.writs)::VARCHAR, 'facts': coalesce(a.writ_facts, [])::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 14) v JOIN core."general_courts" t ON t.version_id = v.version_id
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f1.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 14) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, count(*) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AS writs,
min(i.date) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AS writs_since,
count(*) FILTER (coalesce(i.against, true)
                 AND coalesce(i.date > v.day - p.writs_issued__days::INTEGER, true)) AS unclear_writs,
list_sort(list_distinct(coalesce(list(nullif(concat_ws(', ', coalesce(i."number"::VARCHAR, i."e_id"::VARCHAR)), '')) FILTER (i.against AND i.date > v.day - p.writs_issued__days::INTEGER), [])) || list_transform(range(count(*) FILTER ((i.against AND i.date > v.day - p.writs_issued__days::INTEGER) AND nullif(concat_ws(', ', coalesce(i."number"::VARCHAR, i."e_id"::VARCHAR)), '') IS NULL)), lambda n: 'without a key ' || (n + 1))) AS writ_facts
FROM (SELECT * FROM evaluated WHERE block_no = 14) v JOIN policy_limits p ON p.policy_version = v.policy_version JOIN (SELECT w.*, c.role, c.role IN ('ответчик', 'должник') AS against FROM core.general_courts__cases__writs w JOIN core.general_courts__cases c ON c.version_id = w.version_id AND c.cases_no = w.cases_no) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f1 ON f1.version_id = v.version_id AND f1.day = v.day AND f1.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version
UNION ALL
SELECT v.version_id, v.day, v.policy_version, unnest([65]) AS number, unnest([(a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END)]) AS present, NULL::DOUBLE AS amount,
       unnest(CASE WHEN (a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END) THEN [CASE WHEN a.newest < year(v.day) - CASE WHEN month(v.day) >= p.statements_missing__due_month THEN 1 ELSE 2 END THEN {'began': (make_date((a.newest + 2)::INTEGER, p.statements_missing__due_month::INTEGER, 1))::TIMESTAMP, 'evidence': ('newest year ' || a.newest)::VARCHAR, 'facts': NULL::VARCHAR[]} END] END) AS shown
FROM (SELECT * FROM evaluated WHERE block_no = 6) v JOIN core."financial" t ON t.version_id = v.version_id
JOIN policy_limits p ON p.policy_version = v.policy_version
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, f2.* EXCLUDE (version_id, day, policy_version) FROM (SELECT * FROM evaluated WHERE block_no = 6) v
LEFT JOIN (SELECT v.version_id, v.day, v.policy_version, max(i.year) AS newest
FROM (SELECT * FROM evaluated WHERE block_no = 6) v JOIN (SELECT version_id, value AS year FROM core.financial__years UNION ALL SELECT version_id, year FROM core.financial__indicators) i ON i.version_id = v.version_id GROUP BY v.version_id, v.day, v.policy_version) f2 ON f2.version_id = v.version_id AND f2.day = v.day AND f2.policy_version = v.policy_version) a ON a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version),
history_findings AS (SELECT inn, moment, 69 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.director AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.director_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.director_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.director_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.director_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.director_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 70 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, (SELECT string_agg(coalesce(f.item_inn, f.name), ', ' ORDER BY coalesce(f.item_inn, f.name)) FROM core.company__founders f WHERE f.version_id = v.version_id) AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT version_id, date AS changed_on FROM core.company__founder_shares) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.founder_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.founder_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.founder_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.founder_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.founder_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 71 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.address AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.address_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.address_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.address_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.address_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.address_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 72 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH cards AS (
    SELECT h.inn, h.moment, v.version_id, v.first_seen_at, c.name AS value
    FROM card_histories h
    JOIN (SELECT inn, moment, block_no, version_id, first_seen_at FROM past_versions
          UNION ALL SELECT inn, moment, block_no, version_id, first_seen_at FROM judged WHERE version_id IS NOT NULL) v
         ON v.inn = h.inn AND v.moment = h.moment AND v.block_no = h.block_no
    JOIN core.company c ON c.version_id = v.version_id
    WHERE h.has_past
),
steps AS (
    SELECT *, lag(value IGNORE NULLS) OVER (PARTITION BY inn, moment ORDER BY first_seen_at, version_id) AS before
    FROM cards
),
changes AS (
    SELECT inn, moment, max(first_seen_at) AS changed_at, max_by(before, first_seen_at) AS old_value
    FROM steps WHERE before <> value GROUP BY inn, moment
),
dated AS (SELECT version_id, max(changed_on) AS changed_on FROM (SELECT NULL::VARCHAR AS version_id, NULL::DATE AS changed_on WHERE false) GROUP BY version_id)
SELECT h.inn, h.moment,
       CASE WHEN greatest(c.changed_at::DATE, d.changed_on) > h.day - p.name_changed__days::INTEGER THEN true
            WHEN h.known_since::DATE <= h.day - p.name_changed__days::INTEGER THEN false END AS present,
       greatest(CASE WHEN c.changed_at::DATE > h.day - p.name_changed__days::INTEGER THEN c.changed_at END,
                CASE WHEN d.changed_on > h.day - p.name_changed__days::INTEGER THEN d.changed_on::TIMESTAMP END) AS began,
       CASE WHEN c.changed_at::DATE > h.day - p.name_changed__days::INTEGER THEN 'before: ' || c.old_value
            ELSE 'entered on ' || d.changed_on END AS evidence
FROM card_histories h JOIN policy_limits p ON p.policy_version = h.policy_version
LEFT JOIN changes c ON c.inn = h.inn AND c.moment = h.moment
LEFT JOIN dated d ON d.version_id = h.version_id)
UNION ALL
SELECT inn, moment, 73 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': numbers::VARCHAR[]} AS shown FROM (WITH known AS (
    SELECT j.inn, j.moment, j.version_id AS latest, v.version_id, v.last_seen_at
    FROM judged j JOIN lineage.versions v ON v.inn = j.inn AND v.block = 'licenses' AND v.first_seen_at <= j.moment
    WHERE j.block = 'licenses' AND j.version_id IS NOT NULL
),
items AS (
    SELECT k.inn, k.moment, h.license_number, bool_or(k.version_id = k.latest) AS is_there,
           bool_or(k.version_id = k.latest AND regexp_matches(lower(coalesce(h.status, '')),
                   'прекращ|аннул|приостан|не действ|недейств|переоформ')) AS is_ended,
           max(k.last_seen_at) AS last_seen_at
    FROM known k JOIN core.licenses__health h ON h.version_id = k.version_id
    WHERE h.license_number IS NOT NULL GROUP BY k.inn, k.moment, h.license_number
),
lost AS (
    SELECT inn, moment, count(*) FILTER (NOT is_there OR is_ended) AS lost,
           min(license_number) FILTER (NOT is_there OR is_ended) AS number,
           list(license_number ORDER BY license_number) FILTER (NOT is_there OR is_ended) AS numbers,
           max(last_seen_at) FILTER (NOT is_there) AS since
    FROM items GROUP BY inn, moment
)
SELECT k.inn, k.moment, coalesce(l.lost, 0) > 0 AS present, l.since AS began,
       concat_ws(', ', 'licences: ' || l.lost, 'No. ' || l.number) AS evidence, l.numbers
FROM (SELECT DISTINCT inn, moment FROM known) k LEFT JOIN lost l USING (inn, moment))
UNION ALL
SELECT inn, moment, 74 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (SELECT j.inn, j.moment,
       CASE WHEN i.amount IS NULL OR t.revenue IS NULL THEN NULL
            WHEN greatest(i.amount, t.revenue) > 0
                 AND greatest(i.amount, t.revenue) >= p.revenue_mismatch__times * least(i.amount, t.revenue) THEN true
            WHEN s.is_fresh AND s.is_complete THEN false END AS present,
       t.period::TIMESTAMP AS began,
       i.year || ': ' || replace(format('{:,.2f}', (i.amount)::DOUBLE), ',', ' ') || ' RUB' || ' in the statements, ' || replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' in the data set'
           AS evidence
FROM judged j JOIN policy_limits p ON p.policy_version = j.policy_version
JOIN judged s ON s.inn = j.inn AND s.moment = j.moment AND s.block = 'revexp'
JOIN core.revexp t ON t.version_id = s.version_id
LEFT JOIN core.financial__indicators i ON i.version_id = j.version_id AND i.indicator = 'revenue'
     AND i.year = year(t.period)
WHERE j.block = 'financial' AND j.version_id IS NOT NULL)
UNION ALL
SELECT inn, moment, 75 AS number, present, {'began': began::TIMESTAMP, 'evidence': evidence::VARCHAR, 'facts': NULL::VARCHAR[]} AS shown FROM (WITH signed AS (
    SELECT j.inn, j.moment, j.policy_version, j.day,
           coalesce(sum(c.amount) FILTER (c.sign_date > j.begin), 0) AS amount,
           min(c.sign_date) FILTER (c.sign_date > j.begin) AS since,
           count(*) FILTER (coalesce(c.sign_date > j.begin, true)
                            AND (c.amount IS NULL OR c.sign_date IS NULL)) AS unclear,
           coalesce(any_value(t.as_supplier), 0) > count(c.version_id) AS is_unlisted
    FROM (SELECT u.*, u.day - to_months(p.contracts_without_staff__months::INTEGER) AS begin
          FROM judged u JOIN policy_limits p ON p.policy_version = u.policy_version) j
    JOIN core.contracts t ON t.version_id = j.version_id
    LEFT JOIN core.contracts__contracts c ON c.version_id = j.version_id AND coalesce(c.role, 'supplier') = 'supplier'
    WHERE j.block = 'contracts' GROUP BY j.inn, j.moment, j.policy_version, j.day
),
judgements AS (
    SELECT s.*, p.contracts_without_staff__amount_rub AS least,
           CASE WHEN e.headcount <= p.contracts_without_staff__headcount THEN true
                WHEN h.is_fresh AND e.headcount IS NOT NULL THEN false END AS is_unstaffed,
           CASE WHEN s.amount > p.contracts_without_staff__size_times * z.size THEN true
                WHEN z.is_fresh AND z.size IS NOT NULL THEN false END AS is_above_size,
           card.registration_date > s.day - p.contracts_without_staff__young_days::INTEGER AS is_young,
           e.headcount, z.size, card.registration_date
    FROM signed s JOIN policy_limits p ON p.policy_version = s.policy_version
    LEFT JOIN judged h ON h.inn = s.inn AND h.moment = s.moment AND h.block = 'employees'
    LEFT JOIN core.employees e ON e.version_id = h.version_id
    LEFT JOIN judged k ON k.inn = s.inn AND k.moment = s.moment AND k.block = 'company'
    LEFT JOIN core.company card ON card.version_id = k.version_id
    LEFT JOIN sizes z ON z.inn = s.inn AND z.moment = s.moment
)
SELECT inn, moment,
       CASE WHEN amount >= least THEN is_unstaffed OR is_above_size OR is_young
            WHEN (unclear > 0 OR is_unlisted) AND coalesce(is_unstaffed OR is_above_size OR is_young, true) THEN NULL
            ELSE false END AS present,
       since::TIMESTAMP AS began,
       concat_ws(', ', replace(format('{:,.2f}', (amount)::DOUBLE), ',', ' ') || ' RUB', CASE WHEN is_unstaffed THEN 'headcount ' || headcount END,
                 CASE WHEN is_above_size THEN 'size ' || replace(format('{:,.2f}', (size)::DOUBLE), ',', ' ') || ' RUB' END,
                 CASE WHEN is_young THEN 'registered ' || registration_date END) AS evidence
FROM judgements)),
past_findings AS MATERIALIZED (
    SELECT v.inn, v.moment, f.number, v.version_id, f.present, f.shown, v.first_seen_at, v.ended_at
    FROM past_versions v JOIN findings f ON f.version_id = v.version_id AND f.day = v.day
         AND f.policy_version = v.policy_version
),
last_absence AS (
    SELECT inn, moment, number, max(ended_at) AS last_absent_at
    FROM past_findings WHERE NOT coalesce(present, false) GROUP BY ALL
),
first_presence AS (
    SELECT p.inn, p.moment, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past_findings p LEFT JOIN last_absence g ON g.inn = p.inn AND g.moment = p.moment AND g.number = p.number
    WHERE p.present AND (g.last_absent_at IS NULL OR p.first_seen_at > g.last_absent_at)
    GROUP BY p.inn, p.moment, p.number
),
last_statement AS (
    SELECT inn, moment, number, arg_max(present, ended_at) AS present, arg_max(version_id, ended_at) AS version_id
    FROM past_findings WHERE present IS NOT NULL GROUP BY inn, moment, number
),
found AS (
    SELECT j.*, f.number, f.present, f.amount, f.shown
    FROM judged j JOIN findings f ON f.version_id = j.version_id AND f.day = j.day
         AND f.policy_version = j.policy_version
    UNION ALL BY NAME
    SELECT j.*, r.number, f.present, f.shown
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    LEFT JOIN history_findings f ON f.inn = j.inn AND f.moment = j.moment AND f.number = r.number
    WHERE j.version_id IS NOT NULL AND r.number IN (69, 70, 71, 72, 73, 74, 75)
),
sized AS (
    SELECT f.* EXCLUDE (present), r.* EXCLUDE (position, block, block_no, digits, companies, persons, number, limits),
           CASE WHEN NOT r.by_size THEN f.present
                WHEN f.amount > 0 AND f.amount >= CASE WHEN z.size > 0 THEN r.size_share * z.size ELSE r.amount_rub END
                THEN true
                WHEN f.present IS NULL THEN NULL
                WHEN f.amount = 0 OR coalesce(z.is_fresh AND z.size IS NOT NULL, false) THEN false END AS present
    FROM found f JOIN policy_rules r ON r.position = f.position AND r.number = f.number
    LEFT JOIN sizes z ON z.inn = f.inn AND z.moment = f.moment
    WHERE list_contains(r.digits, CASE WHEN length(f.inn) = 10 THEN 10 ELSE 12 END)
),
dated AS (
    SELECT s.* EXCLUDE (shown, present, first_seen_at),
           coalesce(s.present, CASE WHEN l.present THEN true END) AS present,
           coalesce(s.present IS NULL AND l.present, false) AS is_earlier, l.version_id AS shown_version_id,
           CASE WHEN s.present IS NULL THEN x.shown.evidence ELSE s.shown.evidence END AS evidence,
           CASE WHEN s.present IS NULL THEN x.shown.facts ELSE s.shown.facts END AS facts,
           coalesce(CASE WHEN s.present IS NULL THEN x.shown.began ELSE s.shown.began END,
                    least(CASE WHEN g.last_absent_at IS NULL OR s.first_seen_at > g.last_absent_at
                               THEN s.first_seen_at END, n.first_seen_at), g.last_absent_at) AS since,
           coalesce(s.state = {snapshot.partial} AND w.earlier_version_id IS NOT NULL
                    AND (w.earlier_version_id = s.version_id OR e.present), false) AS carried
    FROM sized s
    LEFT JOIN last_absence g ON g.inn = s.inn AND g.moment = s.moment AND g.number = s.number
    LEFT JOIN first_presence n ON n.inn = s.inn AND n.moment = s.moment AND n.number = s.number
    LEFT JOIN last_statement l ON l.inn = s.inn AND l.moment = s.moment
              AND l.number = CASE WHEN s.present IS NULL THEN s.number END
    LEFT JOIN past_findings x ON x.present AND x.inn = l.inn AND x.moment = l.moment AND x.number = l.number
         AND x.version_id = l.version_id
    LEFT JOIN earlier_evidence w ON w.inn = s.inn AND w.moment = s.moment AND w.block_no = s.block_no
    LEFT JOIN past_findings e ON e.inn = s.inn AND e.moment = s.moment AND e.number = s.number
         AND e.version_id = w.earlier_version_id
    UNION ALL BY NAME
    SELECT j.* EXCLUDE (first_seen_at), r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           NULL AS present, NULL AS evidence, NULL AS facts, NULL AS since, false AS carried, false AS is_earlier,
           NULL AS shown_version_id
    FROM judged j JOIN policy_rules r ON r.position = j.position AND r.block_no = j.block_no
    WHERE j.version_id IS NULL AND r.number <> 76
          AND list_contains(r.digits, CASE WHEN length(j.inn) = 10 THEN 10 ELSE 12 END)
),
own_signals AS (
    SELECT d.*,
           CASE WHEN present THEN {signal.present}
                WHEN state = {never_asked} THEN {signal.never_requested}
                WHEN NOT present AND is_complete AND is_fresh AND NOT (own_method AND method = 'full-check')
                THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           is_fresh AND NOT is_earlier AND (is_complete OR (state = {snapshot.partial}
               AND (partial_shows OR NOT carried)
               AND NOT coalesce(contains(reason, nullif(unseen, '')), false))) AS supported
    FROM dated d
),
own_levels AS (
    SELECT g.inn, g.moment,
           CASE WHEN bool_or(g.is_stopped) OR sum(g.weight) >= any_value(j.high) THEN true
                WHEN bool_or(g.may_be_stopped) OR sum(g.most) >= any_value(j.high) THEN NULL ELSE false END AS is_high
    FROM (SELECT inn, moment, position, group_name,
                 coalesce(max(weight) FILTER (signal_state = {signal.present}), 0) AS weight, max(weight) AS most,
                 bool_or(stop AND signal_state = {signal.present}) AS is_stopped, bool_or(stop) AS may_be_stopped
          FROM own_signals WHERE signal_state <> {signal.absent} GROUP BY ALL) g
    JOIN judges j ON j.position = g.position GROUP BY g.inn, g.moment
),
persons AS MATERIALIZED (
    SELECT DISTINCT j.inn, j.moment, n.item_inn
    FROM (SELECT inn, moment, version_id FROM judged WHERE block IN ('company', 'risk_flags')) j
    JOIN (
        SELECT version_id, item_inn, name FROM core.company__directors UNION ALL SELECT version_id, item_inn, name FROM core.company__founders UNION ALL SELECT version_id, item_inn, name FROM core.company__founder_shares UNION ALL SELECT version_id, item_inn, name FROM core.risk_flags__founder_shares
    ) n ON n.version_id = j.version_id
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
),
sharing AS (
    SELECT p.item_inn, p.moment, count(*) FILTER (l.is_high) AS high, count(*) FILTER (l.is_high IS NULL) AS unclear,
           min(p.inn) FILTER (l.is_high) AS one, max(p.inn) FILTER (l.is_high) AS other
    FROM persons p
    SEMI JOIN lineage.portfolio_members m ON m.inn = p.inn AND m.first_seen_at <= p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    WHERE p.item_inn IS NOT NULL GROUP BY p.item_inn, p.moment HAVING count(*) >= 2
),
links AS (
    SELECT p.inn, p.moment, bool_or(p.item_inn IS NULL) AS is_unnamed,
           bool_or(coalesce(s.high, 0) > CASE WHEN coalesce(l.is_high, false) AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS is_linked,
           bool_or(coalesce(s.unclear, 0) > CASE WHEN l.is_high IS NULL AND m.inn IS NOT NULL THEN 1 ELSE 0 END)
               AS may_be_linked,
           min(CASE WHEN s.one <> p.inn THEN s.one WHEN s.other <> p.inn THEN s.other END) AS other_inn
    FROM persons p
    LEFT JOIN sharing s ON s.item_inn = p.item_inn AND s.moment = p.moment
    LEFT JOIN own_levels l ON l.inn = p.inn AND l.moment = p.moment
    LEFT JOIN (SELECT inn, min(first_seen_at) AS first_seen_at FROM lineage.portfolio_members GROUP BY inn) m
         ON m.inn = p.inn AND m.first_seen_at <= p.moment
    GROUP BY p.inn, p.moment
),
linked_signals AS (
    SELECT j.*, r.* EXCLUDE (position, block, block_no, digits, companies, persons, limits),
           CASE WHEN j.version_id IS NULL THEN NULL WHEN k.is_linked THEN true
                WHEN k.is_unnamed OR k.may_be_linked THEN NULL ELSE false END AS present,
           'shared with ' || k.other_inn AS evidence, NULL::TIMESTAMP AS since,
           CASE WHEN j.version_id IS NOT NULL AND k.is_linked THEN {signal.present}
                WHEN j.state = {never_asked} THEN {signal.never_requested}
                WHEN j.version_id IS NOT NULL AND NOT coalesce(k.is_unnamed OR k.may_be_linked, false)
                     AND j.is_complete AND j.is_fresh THEN {signal.absent}
                ELSE {signal.unknown} END AS signal_state,
           j.is_fresh AS supported
    FROM judged j
    JOIN policy_rules r ON r.position = j.position AND r.number = 76 AND r.block_no = j.block_no
    LEFT JOIN links k ON k.inn = j.inn AND k.moment = j.moment
),
judged_inns AS (SELECT DISTINCT inn, moment, position, policy_version FROM judged),
signals AS MATERIALIZED (
    SELECT inn, moment, position, signal, title, title_ru, severity, weight, group_name, stop, substitute,
           signal_state AS state, coalesce(signal_state = {signal.absent}
               OR (signal_state = {signal.present} AND supported), false) AS confirmed,
           CASE WHEN signal_state IN ({signal.never_requested}, {signal.absent})
                     OR (signal_state = {signal.present} AND supported) THEN NULL
                WHEN state NOT IN {evidence_states} OR version_id IS NULL THEN concat_ws(': ', state, reason)
                WHEN is_stale THEN 'stale'
                WHEN state = {snapshot.partial} THEN concat_ws(': ', state, reason)
                ELSE 'not told' END AS reason,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence,
           CASE WHEN present THEN facts END AS facts, block,
           state AS block_state, coalesce(own_method AND method = 'full-check', false) AS is_beyond_method, is_fresh,
           checked_at, collected_at, source_date, age_days,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent})
                THEN coalesce(shown_version_id, version_id) END AS version_id,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN snapshot_id
                ELSE last_snapshot_id END AS snapshot_id, policy_version
    FROM (FROM own_signals UNION ALL BY NAME FROM linked_signals)
    UNION ALL BY NAME
    SELECT i.inn, i.moment, i.position, r.signal, r.title, r.title_ru, r.severity, r.weight, r.group_name, r.stop,
           r.substitute, {signal.not_offered} AS state, false AS confirmed, r.block, i.policy_version
    FROM judged_inns i
    JOIN policy_rules r ON r.position = i.position
         AND list_contains(r.digits, CASE WHEN length(i.inn) = 10 THEN 10 ELSE 12 END)
    ANTI JOIN judged j ON j.inn = i.inn AND j.moment = i.moment AND j.block_no = r.block_no
),
group_weights AS (
    SELECT inn, moment, position, group_name,
           coalesce(max(weight) FILTER (state = {signal.present}), 0) AS known,
           coalesce(max(weight) FILTER (state = {signal.present} AND confirmed), 0) AS confirmed,
           coalesce(max(weight) FILTER (state <> {signal.absent}), 0) AS most,
           bool_or(stop AND state = {signal.present}) AS is_stopped,
           bool_or(stop AND state <> {signal.absent}) AS may_be_stopped
    FROM signals WHERE state <> {signal.not_offered} GROUP BY inn, moment, position, group_name
),
weighed AS (
    SELECT inn, moment, position, sum(known)::INTEGER AS score, sum(confirmed)::INTEGER AS score_confirmed,
           sum(most)::INTEGER AS score_at_most, bool_or(is_stopped) AS is_stopped,
           bool_or(may_be_stopped) AS may_be_stopped
    FROM group_weights GROUP BY inn, moment, position
),
counted AS (
    SELECT inn, moment,
           count(*) FILTER (state = {signal.present}) AS present, count(*) FILTER (state = {signal.absent}) AS absent,
           count(*) FILTER (state = {signal.unknown}) AS unknown,
           count(*) FILTER (state = {signal.never_requested}) AS never_requested,
           count(*) FILTER (state = {signal.not_offered}) AS not_offered,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN {unknown_signals}), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn, moment
),
hidden AS (
    SELECT DISTINCT s.inn, s.moment, s.block
    FROM signals s JOIN judges j ON j.position = s.position
    LEFT JOIN (SELECT inn, moment, group_name FROM signals
               WHERE substitute AND state IN ({signal.present}, {signal.absent}) AND is_fresh
               GROUP BY ALL) o ON o.inn = s.inn AND o.moment = s.moment AND o.group_name = s.group_name
    WHERE s.state = {signal.unknown} AND s.block_state = {snapshot.partial} AND NOT s.is_beyond_method
          AND (s.weight >= j.high OR s.stop)
          AND o.inn IS NULL
),
gaps AS (
    SELECT i.inn, i.moment, list(b.block ORDER BY b.block_no) AS unknown_blocks,
           list(CASE WHEN h.inn IS NULL THEN j.collected_at END ORDER BY b.block_no) AS unknown_since
    FROM judged_inns i
    JOIN policy_blocks b ON b.position = i.position
         AND CASE length(i.inn) WHEN 10 THEN b.of_companies ELSE b.of_persons END
    LEFT JOIN judged j ON j.inn = i.inn AND j.moment = i.moment AND j.block_no = b.block_no
    LEFT JOIN hidden h ON h.inn = i.inn AND h.moment = i.moment AND h.block = b.block
    WHERE NOT coalesce(j.is_fresh, false) OR h.inn IS NOT NULL
    GROUP BY i.inn, i.moment
),
old_blocks AS (
    SELECT inn, moment, list(block ORDER BY block_no) AS stale_blocks FROM judged WHERE is_stale GROUP BY inn, moment
),
levels AS (
    SELECT w.*, j.policy_name, j.policy_version,
           CASE WHEN is_stopped OR score >= critical THEN {level.critical} WHEN score >= high THEN {level.high}
                WHEN score >= medium THEN {level.medium} ELSE {level.low} END AS level_known,
           CASE WHEN may_be_stopped OR score_at_most >= critical THEN {level.critical}
                WHEN score_at_most >= high THEN {level.high}
                WHEN score_at_most >= medium THEN {level.medium} ELSE {level.low} END AS level_at_most
    FROM weighed w JOIN judges j ON j.position = w.position
),
scores AS (
    SELECT l.inn,
           CASE WHEN l.level_known IN ({level.critical}, {level.high}) THEN l.level_known
                WHEN g.unknown_blocks IS NOT NULL THEN {level.unknown} ELSE l.level_known END AS level,
           l.level_known, l.level_at_most, l.score, l.score_confirmed, l.score_at_most,
           coalesce(g.unknown_blocks, []) AS unknown_blocks, coalesce(g.unknown_since, []) AS unknown_since,
           coalesce(o.stale_blocks, []) AS stale_blocks,
           t.reasons, t.reasons_ru, t.unknown_signals, t.present, t.absent, t.unknown, t.never_requested, t.not_offered,
           t.checked_at, l.policy_name AS policy, l.policy_version, l.moment AS assessed_at
    FROM levels l JOIN counted t ON t.inn = l.inn AND t.moment = l.moment
    LEFT JOIN gaps g ON g.inn = l.inn AND g.moment = l.moment
    LEFT JOIN old_blocks o ON o.inn = l.inn AND o.moment = l.moment
)
SELECT r.inn, r.level, r.level_known, r.level_at_most, r.score, r.score_confirmed, r.score_at_most, r.unknown_blocks,
       r.unknown_since, r.stale_blocks, r.reasons, r.reasons_ru, r.unknown_signals, r.present, r.absent, r.unknown,
       r.never_requested, r.not_offered, c.checked_at, r.policy, r.policy_version, coalesce(getvariable('assessed_at')::TIMESTAMP, now() AT TIME ZONE 'UTC') AS assessed_at
FROM lineage."_risk_scores" r ANTI JOIN live_inns t ON t.inn = r.inn
LEFT JOIN (
    SELECT l.inn, min(l.checked_at) AS checked_at FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l JOIN judged_by i ON i.inn = l.inn
    JOIN (SELECT DISTINCT position, block, unnest(digits) AS digits FROM policy_rules) p
         ON p.position = i.position AND p.block = l.block
         AND p.digits = CASE WHEN length(l.inn) = 10 THEN 10 ELSE 12 END
    GROUP BY l.inn
) c ON c.inn = r.inn
UNION ALL SELECT * FROM scores SEMI JOIN live_inns USING (inn)
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

-- {age_years}
round((floor(coalesce(epoch(c.liquidation_date), epoch(now())) / 86400) - epoch(c.registration_date) / 86400) / 365.25, 1)

-- {list_complete}
CASE WHEN s.version_id IS NULL THEN NULL WHEN s.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(s.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END

-- {max_sharing_inns}
25

-- {evidence}
evidence AS (
    SELECT l.inn, l.block, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at, l.source_date,
           coalesce(l.state IN ('found', 'clean', 'partial'), false) AS confirmed,
           l.evidence_state IN ('found', 'clean') AS unmerged, CASE WHEN l.version_id IS NULL THEN NULL WHEN l.evidence_state IN ('found', 'clean') THEN true ELSE regexp_full_match(coalesce(l.evidence_reason, ''), '(mass_check_unavailable|mass_check_unknown)(,(mass_check_unavailable|mass_check_unknown))*') END AS complete
    FROM (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.evidence_state, l.evidence_reason, l.checked_at, l.collected_at, l.source_date FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('fssp', 'fssp'), ('arbitration', 'arbitration'), ('bankruptcy', 'bankruptcy'), ('contracts', 'contracts'), ('financial', 'financial'), ('pledges', 'pledges'), ('inspections', 'inspections'), ('risk-flags', 'risk_flags'), ('rnp', 'rnp'), ('sanctions', 'sanctions'), ('licenses', 'licenses'), ('freezes', 'freezes'), ('general-courts', 'general_courts'), ('timeline', 'timeline'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('msp', 'msp'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-fssp', 'fssp'), ('person-arbitration', 'arbitration'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l WHERE l.version_id IS NOT NULL
),
names AS (
    SELECT inn, coalesce(any_value(on_card), any_value(in_portfolio)) AS name
    FROM (SELECT e.inn, coalesce(c.short_name, c.name) AS on_card, NULL AS in_portfolio
          FROM evidence e JOIN core.company c USING (version_id) WHERE e.block = 'company'
          UNION ALL SELECT inn, NULL, max_by(name, last_seen_at) FROM lineage.portfolio_members GROUP BY inn)
    GROUP BY inn
)

-- {inn_columns}
k.inn, n.name

-- {evidence_columns}
k.version_id, k.checked_at, k.collected_at, k.source_date,
       k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL AND (f.row_no IS NOT NULL OR k.unmerged) AS confirmed, k.complete

-- {from_facts}
FROM facts f JOIN known k ON k.version_id = f.version_id
LEFT JOIN names n ON n.inn = k.inn
LEFT JOIN lineage.kept_rows r
     ON r.snapshot_id = k.snapshot_id AND r.table_name = f.list AND r.row_no = f.row_no
LEFT JOIN lineage.kept_rows w
     ON w.snapshot_id = k.snapshot_id AND w.table_name = f.list AND w.row_no IS NULL

-- {is_confirmed}
k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL AND (f.row_no IS NOT NULL OR k.unmerged)

-- {join_kept_rows}
LEFT JOIN lineage.kept_rows r
     ON r.snapshot_id = k.snapshot_id AND r.table_name = f.list AND r.row_no = f.row_no
LEFT JOIN lineage.kept_rows w
     ON w.snapshot_id = k.snapshot_id AND w.table_name = f.list AND w.row_no IS NULL

-- {bankruptcy_stages}
('observation', 'financial_recovery', 'external_management', 'proceedings', 'completed', 'citizen_restructuring', 'citizen_property_sale')

-- {max_efrsb_messages}
20

-- {general_role}
CASE c.role WHEN 'истец' THEN 'plaintiff' WHEN 'ответчик' THEN 'respondent' WHEN 'третье лицо' THEN 'third' ELSE c.role END AS role

-- {leaf_element}
nullif(regexp_extract(path, '^(\$(?:\.\w+)*\[\d+\])', 1), '')

-- {leaf_key}
ltrim(regexp_replace(path, '^\$(?:\.\w+)*\[\d+\]', ''), '.')

-- {leaf_day}
CASE WHEN coalesce(try_strptime(value, '%d.%m.%Y'), try_strptime(regexp_replace(value, '(\.\d+)?(Z|[+-]\d\d:?\d\d)?$', ''), ['%d.%m.%Y', '%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y%m%d']))::DATE BETWEEN DATE '1900-01-01' AND DATE '2100-12-31' THEN coalesce(try_strptime(value, '%d.%m.%Y'), try_strptime(regexp_replace(value, '(\.\d+)?(Z|[+-]\d\d:?\d\d)?$', ''), ['%d.%m.%Y', '%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y%m%d']))::DATE END
