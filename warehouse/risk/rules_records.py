"""Rules over registers and lists: bankruptcy, freezes, sanctions, suppliers, persons, inspections, pledges."""

from innspect.schemas.blocks.bankruptcy import STAGES
from innspect.schemas.blocks.risk_flags import MASS_CHECK_FAILED, MAX_LINKS, MAX_PERSONS
from innspect.schemas.blocks.sanctions import MAX_LOW_HITS
from innspect.warehouse.ddl import literal
from innspect.warehouse.risk.rule import COMPANIES, Rule, any_of, is_counted_or_listed

UNCHECKED = MASS_CHECK_FAILED
COMPLETED = "completed"
OPEN_STAGE = f"t.status IN ({', '.join(literal(stage) for stage in STAGES if stage != COMPLETED)})"
IS_COMPLETED = f"coalesce(t.status, '') = '{COMPLETED}'"

WHOSE = "of a company, an entry with a birth date or another INN is that of a manager or founder"


def _mark_manager(only: str) -> str:
    """SQL of what evidence says where all matches are those of managers or founders."""
    return f"CASE WHEN {only} THEN ' (manager or founder)' ELSE '' END"


def _mass(signal: str, condition: str) -> Rule:
    return Rule(
        signal, "risk_flags", condition, f"risk_flags.{signal}", f"t.{signal}", digits=COMPANIES, unseen=UNCHECKED
    )


RECORDS: tuple[Rule, ...] = (
    Rule(
        "bankruptcy_stage", "bankruptcy",
        "A bankruptcy stage is recognised that is not completed; an unknown word is no stage.",
        "bankruptcy.has_bankruptcy, status",
        f"CASE WHEN {OPEN_STAGE} THEN true WHEN {IS_COMPLETED} THEN false ELSE t.has_bankruptcy END",
        evidence=f"concat_ws(', ', CASE WHEN {OPEN_STAGE} THEN t.status END, 'case ' || a.case_number)",
        facts="a.card_facts",
    ),
    Rule(
        "bankruptcy_completed", "bankruptcy",
        "The most severe recognised stage is completed, whether or not a bankruptcy is flagged.", "bankruptcy.status",
        f"CASE WHEN {IS_COMPLETED} THEN true WHEN {OPEN_STAGE} OR t.has_bankruptcy IS NOT NULL THEN false END",
        evidence="'case ' || a.case_number", facts="a.card_facts",
    ),
    Rule(
        "bankruptcy_intention", "bankruptcy", "A notice of intention to file for bankruptcy is published.",
        "bankruptcy.has_intention", "t.has_intention",
    ),
    Rule(
        "bankruptcy_card", "bankruptcy", "The bankruptcy register has a debtor's card without a recognised stage.",
        "bankruptcy.cases, total_cases, status",
        f"(coalesce(a.cards, 0) > 0 OR coalesce(t.total_cases, 0) > 0) AND NOT coalesce({OPEN_STAGE}, false) "
        f"AND NOT {IS_COMPLETED} AND NOT coalesce(t.has_bankruptcy, false)",
        evidence="concat_ws(', ', 'debtor cards: ' || greatest(a.cards, t.total_cases), 'case ' || a.case_number)",
        facts="a.card_facts",
    ),
    Rule(
        "bankruptcy_message", "risk_flags",
        "The bankruptcy register published a message; the full check does not carry these.",
        "risk_flags.efrsb_messages", "coalesce(a.messages, 0) > 0", "a.message_since",
        "concat_ws(', ', 'messages: ' || CASE WHEN a.messages >= 20 THEN 'at least ' ELSE '' END || a.messages, "
        "a.message_type)", "a.message_facts", own_method=True,
    ),
    Rule(
        "bankruptcy_event", "timeline",
        "The timeline has an event of the bankruptcy register; not known if the kind of an event is not recognised.",
        "timeline.events.source, type", any_of("coalesce(a.events, 0) > 0", "coalesce(a.unclear, 0) > 0"), "a.since",
        "concat_ws(', ', 'events: ' || a.events, a.event)", "a.facts",
    ),
    Rule(
        "account_freeze", "freezes", "There is a decision in force to suspend accounts.", "freezes.found, items",
        "t.found OR coalesce(a.items, 0) > 0", "a.since",
        "concat_ws(', ', 'decisions: ' || CASE WHEN coalesce(a.items, t.count) >= 30 THEN 'at least ' ELSE '' END "
        "|| coalesce(a.items, nullif(t.count, 0)), 'No. ' || a.number || ' of ' || a.latest, a.bank)", "a.facts",
        partial_shows=True,
    ),
    Rule(
        "sanctions_hit", "sanctions",
        "A list has an entry with its INN, or with that of a manager or founder (high confidence); not known if the "
        f"confidence of a match is not recognised; {WHOSE}.",
        "sanctions.hits.match_confidence, inn", any_of("coalesce(a.sure, 0) > 0", "coalesce(a.unclear, 0) > 0"),
        "a.since",
        f"concat_ws(': ', a.list, a.name) || {_mark_manager('a.of_manager')}", "a.sure_facts",
    ),
    Rule(
        "sanctions_name", "sanctions",
        "A list has its exact name, or that of a manager or founder, without an INN (medium confidence, or none "
        f"stated); {WHOSE}.",
        "sanctions.hits.match_confidence", "coalesce(a.by_name, 0) > 0", "a.by_name_since",
        f"concat_ws(': ', a.by_name_list, a.by_name_name) || {_mark_manager('a.by_name_of_manager')}",
        "a.by_name_facts",
    ),
    Rule(
        "sanctions_namesake", "sanctions",
        "Lists match only single words of its name, or of that of a manager or founder (low confidence): check by "
        "hand; not known where there is an exact match, because the service gives these only without one.",
        "sanctions.hits.match_confidence",
        "CASE WHEN a.sure + a.by_name > 0 THEN NULL ELSE coalesce(a.unsure, 0) > 0 END",
        evidence=f"'matches of low confidence: ' || CASE WHEN a.unsure >= {MAX_LOW_HITS} THEN 'at least ' ELSE '' END "
        "|| a.unsure", facts="a.unsure_facts",
    ),
    Rule(
        "foreign_agent", "minjust_check", "The register of foreign agents has a match.", "minjust_check.hits",
        "coalesce(a.hits, 0) > 0", evidence="'matches: ' || a.hits", facts="a.facts",
    ),
    Rule(
        "rnp_active", "rnp", "An entry in the register of unfair suppliers is in force.", "rnp.active, records.status",
        "t.active > 0 OR coalesce(a.active, 0) > 0", "a.since", "'No. ' || a.number || coalesce(', ' || a.reason, '')",
        "a.facts",
    ),
    Rule(
        "rnp_past", "rnp", "There are excluded entries in the register of unfair suppliers.", "rnp.historic",
        "t.historic > 0",
        evidence="'excluded entries: ' || CASE WHEN t.total >= 30 THEN 'at least ' ELSE '' END || t.historic",
        facts="a.past_facts",
    ),
    Rule(
        "disqualified_persons", "risk_flags",
        "A current manager or founder is disqualified, and the disqualification is in force.",
        "risk_flags.disqualified_persons, disqualified_records.end_date",
        "CASE WHEN coalesce(a.in_force, 0) > 0 THEN true "
        "WHEN t.disqualified_persons AND coalesce(a.expired, 0) > 0 THEN false ELSE t.disqualified_persons END",
        "a.in_force_since", "concat_ws(', ', a.name, 'until ' || a.until)", "a.in_force_facts",
        digits=COMPANIES, unseen=UNCHECKED,
    ),
    Rule(
        "disqualification_expired", "risk_flags", "A disqualification of a current manager or founder has ended.",
        "risk_flags.disqualified_records.end_date",
        any_of("coalesce(a.expired, 0) > 0", "t.disqualified_persons IS NULL"), "a.expired_since",
        "concat_ws(', ', a.expired_name, 'until ' || a.expired_until)", "a.expired_facts",
        digits=COMPANIES, unseen=UNCHECKED,
    ),
    _mass("mass_director", "The manager heads five entities or more."),
    _mass("mass_founder", "A founder takes part in five entities or more."),
    _mass("mass_address", "The address is a mass one."),
    Rule(
        "linked_closed", "risk_flags",
        "limits.companies or more linked companies are liquidated or inactive, and these are limits.share of all or "
        f"more; not known from {MAX_LINKS} linked companies or facts that link them on, or from {MAX_PERSONS} persons "
        "on: the list ends there.", "risk_flags.linked_companies.historic, connections",
        f"CASE WHEN greatest(a.linked, a.links) >= {MAX_LINKS} OR greatest(a.persons, a.persons_of_links) "
        f">= {MAX_PERSONS} THEN NULL "
        "WHEN coalesce(a.closed, 0) >= {companies} AND a.closed >= {share} * a.linked THEN true "
        "WHEN coalesce(a.closed, 0) + coalesce(a.unknown_status, 0) >= {companies} AND a.unknown_status > 0 THEN NULL "
        "ELSE false END",
        evidence="'linked companies: ' || a.linked || ', closed: ' || a.closed", digits=COMPANIES,
    ),
    Rule(
        "inspection_violations", "inspections",
        "An inspection found violations; not known if one does not say whether.",
        "inspections.with_violations, inspections.has_violations",
        is_counted_or_listed("t.with_violations", "a.violations", "a.unclear"), "a.since",
        "'with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || coalesce(a.inspections, 0)",
        "a.facts",
    ),
    Rule(
        "pledges", "pledges", "There are notices of pledge, without those of leasing.", "pledges.pledges.source",
        "CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL "
        "WHEN t.total_pledges IS NOT NULL THEN false END",
        "a.since", "'notices: ' || a.pledged", "a.facts",
    ),
    Rule(
        "leasing", "leasing", "There are leasing contracts: assets in use are not owned.", "leasing.total_contracts",
        "t.total_contracts > 0", evidence="'contracts: ' || t.total_contracts", facts="a.facts",
    ),
)  # fmt: skip
