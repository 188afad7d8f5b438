"""SQL of the connections between INNs: what links rest on, one INN at a time, and the links between INNs.

Facts of one INN are its name, the persons and companies that a response about it names, and its address, phones and
e-mail addresses. A link joins the facts of two INNs, or a fact with the INN that it names.
"""

from innspect.schemas.states import EVIDENCE, sql_list
from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.latest import LATEST_TABLE, latest_attempts, unanswered_calls
from innspect.warehouse.marts.fragments import MAX_SHARING_INNS, address_key, list_complete

LINK_BLOCKS = ("company", "risk_flags", "contacts", "founded_companies")
"""The blocks that links rest on."""
LINK_COLUMNS = (
    "inn", "other_inn", "kind", "via", "via_inn", "name", "other_name", "other_is_member", "shared", "matched_by",
    "status", "other_status", "historic", "block", "version_id", "other_version_id", "checked_at", "collected_at",
    "confirmed", "complete",
)  # fmt: skip
"""The columns of `mart.links`."""

FACTS = """
known AS (
    SELECT l.inn, l.block, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at,
           {list_complete} AS complete, coalesce(l.state IN {evidence}, false) AS confirmed
    FROM ({attempts}) l WHERE l.version_id IS NOT NULL AND l.block IN {blocks}{only_if}
),
names AS (
    SELECT s.inn, coalesce(c.short_name, c.name, m.name) AS name, coalesce(m.is_member, false) AS is_member, c.status
    FROM ({inns}) s
    LEFT JOIN (SELECT k.inn, t.short_name, t.name, t.status FROM known k JOIN core.company t USING (version_id)
               WHERE k.block = 'company') c USING (inn)
    LEFT JOIN (SELECT inn, max_by(name, last_seen_at) AS name, bool_or(left_at IS NULL) AS is_member
               FROM lineage.portfolio_members GROUP BY inn) m USING (inn)
),
named AS (
    SELECT version_id, 'director' AS kind, item_inn, name, 'company__directors' AS list, directors_no AS row_no
    FROM core.company__directors
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'company__founders', founders_no FROM core.company__founders
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'company__founder_shares', founder_shares_no
    FROM core.company__founder_shares
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'risk_flags__founder_shares', founder_shares_no
    FROM core.risk_flags__founder_shares
    UNION ALL SELECT version_id, 'beneficiary', item_inn, name, 'company__beneficiaries', beneficiaries_no
    FROM core.company__beneficiaries
),
kept AS (SELECT DISTINCT snapshot_id, table_name, coalesce(row_no, 0) AS row_no FROM lineage.kept_rows),
persons AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.complete, n.item_inn, min(n.name) AS name,
           list_filter([CASE WHEN bool_or(n.kind = 'beneficiary') THEN 'beneficiary' END,
                        CASE WHEN bool_or(n.kind = 'director') THEN 'director' END,
                        CASE WHEN bool_or(n.kind = 'founder') THEN 'founder' END],
                       lambda kind: kind IS NOT NULL) AS kinds,
           bool_or(k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL) AS confirmed,
           CASE WHEN regexp_full_match(upper(trim(n.name)), '[А-ЯЁ-]+( +[А-ЯЁ-]+){2,3}')
                THEN regexp_replace(replace(upper(trim(n.name)), 'Ё', 'Е'), ' +', ' ', 'g') END AS name_key
    FROM known k JOIN named n USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = n.list AND r.row_no = n.row_no
    LEFT JOIN kept w ON w.snapshot_id = k.snapshot_id AND w.table_name = n.list AND w.row_no = 0
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
    GROUP BY k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.complete, n.item_inn, name_key
),
written AS (
    SELECT version_id, 'address' AS kind, address AS value FROM core.company
    UNION ALL SELECT version_id, 'phone', phone FROM core.company
    UNION ALL SELECT version_id, 'phone', value FROM core.company__phones
    UNION ALL SELECT version_id, 'email', email FROM core.company
    UNION ALL SELECT version_id, 'email', value FROM core.company__emails
    UNION ALL SELECT version_id, 'phone', value FROM core.contacts__leaves
              WHERE type = 'string' AND regexp_matches(path, '(?i)phone')
                    AND NOT regexp_matches(path, '(?i)source|seen')
    UNION ALL SELECT version_id, 'email', value FROM core.contacts__leaves
              WHERE type = 'string' AND contains(value, '@')
),
keyed AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.confirmed, k.complete, w.kind, w.value,
           CASE w.kind
               WHEN 'phone' THEN regexp_extract(regexp_replace(w.value, '[^0-9]', '', 'g'), '^(?:7|8)?(\\d{10})$', 1)
               WHEN 'email' THEN lower(trim(w.value))
               ELSE {address_key}
           END AS key
    FROM known k JOIN written w USING (version_id) WHERE w.value IS NOT NULL
),
contact_values AS (
    SELECT inn, kind, key, min(value) AS value, arg_max(block, (checked_at, block)) AS block,
           arg_max(version_id, (checked_at, block)) AS version_id, max(checked_at) AS checked_at,
           max(collected_at) AS collected_at, bool_or(confirmed) AS confirmed, bool_and(complete) AS complete
    FROM keyed
    WHERE CASE kind WHEN 'phone' THEN length(key) = 10 AND NOT regexp_matches(key, '^(\\d)?(0{9}|1{9}|9{9})$')
                    WHEN 'email' THEN regexp_full_match(key, '[^@\\s]+@[^@\\s]+\\.[^@\\s]+')
                    ELSE length(key) >= 10 AND regexp_matches(key, '\\d') END
    GROUP BY inn, kind, key
),
companies AS (
    SELECT k.inn, l.item_inn AS other_inn, 'linked company' AS kind, concat_ws(': ', l.via_name, l.role) AS via,
           l.via_inn, l.name AS other_name, l.status, l.historic, k.block, k.version_id, k.checked_at, k.collected_at,
           k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL AS confirmed, k.complete
    FROM known k JOIN core.risk_flags__linked_companies l USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'risk_flags__linked_companies'
         AND r.row_no = l.linked_companies_no
    LEFT JOIN kept w ON w.snapshot_id = k.snapshot_id AND w.table_name = 'risk_flags__linked_companies'
         AND w.row_no = 0
    WHERE k.block = 'risk_flags' AND l.item_inn <> k.inn
    UNION ALL
    SELECT k.inn, f.item_inn, 'founded company', concat(k.inn, ': ', f.role), NULL, f.name, f.status, NULL, k.block,
           k.version_id, k.checked_at, k.collected_at, k.confirmed AND r.snapshot_id IS NULL, k.complete
    FROM known k JOIN core.founded_companies__items f USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'founded_companies__items'
         AND r.row_no = f.items_no
    WHERE k.block = 'founded_companies' AND f.item_inn <> k.inn
)
"""
EDGES = """
telling AS (
    SELECT kind, key FROM contact_values {of_own_values}GROUP BY kind, key HAVING count(*) BETWEEN 2 AND {max_sharing}
),
namesakes AS (
    SELECT name_key FROM persons {of_own_persons}WHERE name_key IS NOT NULL
    GROUP BY name_key
    HAVING count(DISTINCT inn) BETWEEN 2 AND {max_sharing} AND count(*) FILTER (item_inn IS NULL) > 0
),
met AS (
{met}
),
edges AS (
    SELECT inn, other_inn, unnest(CASE
               WHEN list_has_any(kinds, other_kinds) THEN list_intersect(kinds, other_kinds)
               WHEN list_contains(kinds || other_kinds, 'director') THEN ['director']
               ELSE ['founder'] END) AS kind,
           concat(via, ': ', array_to_string(list_sort(kinds), ' and '), ' of ', inn, ', ',
                  array_to_string(list_sort(other_kinds), ' and '), ' of ', other_inn) AS via,
           via_inn, NULL AS other_name, NULL AS named_status, NULL::BOOLEAN AS historic, true AS shared, matched_by,
           block, version_id, other_version_id, checked_at, collected_at, confirmed, complete
    FROM met
    UNION ALL
{same_values}
    UNION ALL
    SELECT inn, item_inn, unnest(kinds), concat(name, ' is ', array_to_string(list_sort(kinds), ' and '), ' of ', inn),
           NULL, name, NULL, NULL, false, 'inn', block, version_id, NULL, checked_at, collected_at, confirmed, complete
    FROM naming_persons WHERE item_inn <> inn
    UNION ALL
    SELECT inn, other_inn, kind, via, via_inn, other_name, status, historic, false, 'inn', block, version_id, NULL,
           checked_at, collected_at, confirmed, complete
    FROM naming_companies
),
turned AS (
    SELECT CASE WHEN swapped THEN e.other_inn ELSE e.inn END AS inn,
           CASE WHEN swapped THEN e.inn ELSE e.other_inn END AS other_inn,
           e.kind, e.via, e.via_inn, e.shared, e.matched_by, e.block, e.checked_at, e.collected_at, e.confirmed,
           e.complete, e.historic, CASE WHEN swapped THEN NULL ELSE e.other_name END AS other_name,
           CASE WHEN swapped THEN e.named_status END AS status,
           CASE WHEN swapped THEN NULL ELSE e.named_status END AS other_status,
           CASE WHEN swapped THEN e.other_version_id ELSE e.version_id END AS version_id,
           CASE WHEN swapped THEN e.version_id ELSE e.other_version_id END AS other_version_id
    FROM (SELECT e.*, o.inn IS NOT NULL AND e.other_inn < e.inn AS swapped
          FROM edges e LEFT JOIN names o ON o.inn = e.other_inn) e
),
worded AS MATERIALIZED (
    SELECT inn, other_inn, kind, via, via_inn, min(other_name) AS other_name, shared, matched_by,
           min(status) AS status, min(other_status) AS other_status, bool_or(historic) AS historic,
           min(block) AS block, max(version_id) AS version_id, max(other_version_id) AS other_version_id,
           min(checked_at) AS checked_at, min(collected_at) AS collected_at, bool_or(confirmed) AS confirmed,
           bool_and(complete) AS complete
    FROM turned GROUP BY inn, other_inn, kind, via, via_inn, shared, matched_by
),
repeated AS (
    SELECT inn, other_inn, kind, via_inn, shared, matched_by FROM worded WHERE via_inn IS NOT NULL
    GROUP BY inn, other_inn, kind, via_inn, shared, matched_by HAVING count(*) > 1
),
-- Lists take much memory, so they are made only where a link is worded in several ways.
merged AS (
    FROM worded ANTI JOIN repeated USING (inn, other_inn, kind, via_inn, shared, matched_by)
    UNION ALL BY NAME
    SELECT inn, other_inn, kind, array_to_string(list_sort(list(via)), '; ') AS via, via_inn,
           min(other_name) AS other_name, shared, matched_by, min(status) AS status, min(other_status) AS other_status,
           bool_or(historic) AS historic, min(block) AS block, max(version_id) AS version_id,
           max(other_version_id) AS other_version_id, min(checked_at) AS checked_at, min(collected_at) AS collected_at,
           bool_or(confirmed) AS confirmed, bool_and(complete) AS complete
    FROM worded SEMI JOIN repeated USING (inn, other_inn, kind, via_inn, shared, matched_by)
    GROUP BY inn, other_inn, kind, via_inn, shared, matched_by
),
{links} AS (
    SELECT m.inn, m.other_inn, m.kind, m.via, m.via_inn, a.name, coalesce(b.name, m.other_name) AS other_name,
           coalesce(b.is_member, false) AS other_is_member, m.shared, m.matched_by,
           coalesce(a.status, m.status) AS status, coalesce(b.status, m.other_status) AS other_status, m.historic,
           m.block, m.version_id, m.other_version_id, m.checked_at, m.collected_at, m.confirmed, m.complete
    FROM merged m LEFT JOIN names a ON a.inn = m.inn LEFT JOIN names b ON b.inn = m.other_inn
)
"""
SAME_PERSON = """    SELECT p.inn, q.inn AS other_inn, coalesce(p.item_inn, q.item_inn) AS via_inn, p.name AS via,
           p.kinds, q.kinds AS other_kinds, '{matched_by}' AS matched_by, p.block, p.version_id,
           q.version_id AS other_version_id,
           least(p.checked_at, q.checked_at) AS checked_at, least(p.collected_at, q.collected_at) AS collected_at,
           p.confirmed AND q.confirmed AS confirmed, p.complete AND q.complete AS complete
    FROM {left}_persons p JOIN {right}_persons q ON {key}"""
SAME_VALUE = """    SELECT p.inn, q.inn, p.kind, p.value, NULL, NULL, NULL, NULL, true, 'value', p.block, p.version_id,
           q.version_id, least(p.checked_at, q.checked_at), least(p.collected_at, q.collected_at),
           p.confirmed AND q.confirmed, p.complete AND q.complete
    FROM {left}_values p JOIN {right}_values q ON q.kind = p.kind AND q.key = p.key AND p.inn < q.inn
    SEMI JOIN telling t ON t.kind = p.kind AND t.key = p.key"""
BY_INN = "q.item_inn = p.item_inn AND p.inn < q.inn"
BY_NAME = (
    "q.name_key = p.name_key AND p.inn < q.inn\n    SEMI JOIN namesakes n ON n.name_key = p.name_key\n"
    "    WHERE p.item_inn IS NULL OR q.item_inn IS NULL"
)
UNION_ALL = "\n    UNION ALL\n"


def known_inns() -> str:
    """SQL of all INNs of the warehouse: portfolio members, and those that were ever requested."""
    return (
        f"SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM {LATEST_TABLE} "
        f"UNION SELECT inn FROM ({unanswered_calls()})"
    )


def fact_ctes(responses: str = LATEST_TABLE, inns: str = "", only_if: str = "") -> str:
    """CTEs of the facts: `names`, `persons`, `contact_values` and `companies`, by INN.

    `responses`: a relation like that of latest responses, `inns`: SQL of the INNs that get a name, where not all are
    wanted. `only_if`: an SQL condition without which there are no facts.
    """
    words = {
        "{list_complete}": list_complete("l"),
        "{evidence}": sql_list(EVIDENCE),
        "{attempts}": latest_attempts(responses),
        "{blocks}": f"({', '.join(map(literal, LINK_BLOCKS))})",
        "{only_if}": f" AND {only_if}" if only_if else "",
        "{inns}": inns or known_inns(),
        "{address_key}": address_key(),
    }
    return _fill(FACTS, words)


def link_ctes(links: str, own: str = "", done: str = "") -> str:
    """CTEs over those of the facts, up to one with the links, whose name is `links`.

    With `own`, a relation of INNs: only links with an end there, and none with an end in the relation `done`.
    """
    if own:
        sides = _sides("persons", own, done) + _sides("values", own, done)
        named = (
            "naming_persons AS (\n    FROM own_persons WHERE {not_done}\n    UNION ALL\n"
            "    FROM other_persons WHERE item_inn IN (SELECT inn FROM {own})\n),\n"
            "naming_companies AS (\n    FROM companies WHERE inn NOT IN (SELECT inn FROM {done})\n"
            "    AND coalesce(other_inn NOT IN (SELECT inn FROM {done}), true)\n"
            "    AND (inn IN (SELECT inn FROM {own}) OR other_inn IN (SELECT inn FROM {own}))\n),"
        )
        not_done = "item_inn IS NULL OR item_inn NOT IN (SELECT inn FROM {done})"
        sides += _fill(named, {"{not_done}": not_done, "{own}": own, "{done}": done})
        sources = [("own", "open"), ("other", "own")]
    else:
        sides = (
            "own_persons AS (FROM persons),\nown_values AS (FROM contact_values),\n"
            "naming_persons AS (FROM persons),\nnaming_companies AS (FROM companies),"
        )
        sources = [("own", "own")]
    met = [
        _fill(SAME_PERSON, {"{matched_by}": matched_by, "{left}": left, "{right}": right, "{key}": key})
        for matched_by, key in (("inn", BY_INN), ("name", BY_NAME))
        for left, right in sources
    ]
    values = [_fill(SAME_VALUE, {"{left}": left, "{right}": right}) for left, right in sources]
    words = {
        "{of_own_values}": "SEMI JOIN own_values USING (kind, key) " if own else "",
        "{of_own_persons}": "SEMI JOIN own_persons USING (name_key) " if own else "",
        "{max_sharing}": str(MAX_SHARING_INNS),
        "{met}": UNION_ALL.join(met),
        "{same_values}": UNION_ALL.join(values),
        "{links}": identifier(links),
    }
    return f"{sides}\n{_fill(EDGES, words)}"


def _sides(facts: str, own: str, done: str) -> str:
    """CTEs of facts of the INNs in `own`, of those not in `done`, and of the latter without the former."""
    source = "contact_values" if facts == "values" else facts
    return (
        f"own_{facts} AS (FROM {source} SEMI JOIN {own} USING (inn)),\n"
        f"open_{facts} AS (FROM {source} ANTI JOIN {done} USING (inn)),\n"
        f"other_{facts} AS (FROM open_{facts} ANTI JOIN {own} USING (inn)),\n"
    )


def _fill(sql: str, words: dict[str, str]) -> str:
    for word, text in words.items():
        sql = sql.replace(word, text)
    return sql.strip()


def live_links() -> str:
    """CTEs up to `links`, computed for all INNs."""
    return f"{fact_ctes()},\n{link_ctes('links')}"
