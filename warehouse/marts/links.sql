-- Connections between INNs: one row per unordered pair, kind of connection and what connects them.
-- question it answers: Which counterparties are connected with one another, and by what?
-- depends on: inns
-- inn: One end: a known INN; the smaller one if both are known.
-- other_inn: The other end: a known INN, or one named in a response about the first.
-- kind: director, founder, beneficiary, linked company, founded company, address, phone or email.
-- via: What they share, or how one is related to the other, in words.
-- via_inn: INN of the person or company that connects them; NULL if there is none.
-- name: Name of the first end.
-- other_name: Name of the other end.
-- other_is_member: Whether the other end is a member of a portfolio.
-- shared: true if both share a third thing, false if one names the other.
-- matched_by: Basis of the match: inn, name (a full name, if the register withholds an INN: possibly a namesake) or value.
-- status: Status of the first end by its card, a code as in mart.company_profile; without a card in the words of the response that names it as a linked or founded company; NULL if neither is known.
-- other_status: The same of the other end.
-- historic: Whether the linked company is liquidated or inactive, as the response says that names it; NULL of other kinds of links.
-- block: Block that contains it.
-- version_id: Version of the first end that contains it; if the other end names the first, the version of the other.
-- other_version_id: Version of the other end; NULL if only one end contains it.
-- checked_at: Older of the confirmation times of the two, UTC.
-- collected_at: When the service collected the older of the two, UTC.
-- confirmed: Whether the latest response of each block that it rests on is evidence and contains it; false if an earlier one does.
-- complete: Whether the lists of these blocks are complete; false if one is partial or capped: there may be more links.
WITH {links}
SELECT inn, other_inn, kind, via, via_inn, name, other_name, other_is_member, shared, matched_by, status,
       other_status, historic, block, version_id, other_version_id, checked_at, collected_at, confirmed, complete
FROM links
