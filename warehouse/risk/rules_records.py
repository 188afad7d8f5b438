"""Rules over what registers and lists say: bankruptcy, freezes, sanctions, suppliers, persons, inspections, pledges."""

from innspect.warehouse.risk.rule import ALERT, COMPANY, INFO, NOTICE, Rule

UNCHECKED = "mass_check_unavailable"


def _mass(signal: str, titles: tuple[str, str], weight: int, words: str) -> Rule:
    return Rule(
        signal, *titles, NOTICE, weight, "risk_flags", words, f"risk_flags.{signal}", f"t.{signal}", digits=COMPANY,
        unseen=UNCHECKED,
    )  # fmt: skip


RECORDS: tuple[Rule, ...] = (
    Rule(
        "bankruptcy_stage", "In bankruptcy", "Процедура банкротства", ALERT, 70, "bankruptcy",
        "A stage of bankruptcy is recognised that is not completed.", "bankruptcy.has_bankruptcy, status",
        "t.has_bankruptcy AND coalesce(t.status, '') <> 'completed'",
        evidence="concat_ws(', ', t.status, 'case ' || a.case_number)",
    ),
    Rule(
        "bankruptcy_completed", "Bankruptcy completed", "Банкротство завершено", NOTICE, 30, "bankruptcy",
        "The heaviest stage recognised is completed.", "bankruptcy.status",
        "t.has_bankruptcy AND coalesce(t.status, '') = 'completed'",
        evidence="'case ' || a.case_number",
    ),
    Rule(
        "bankruptcy_intention", "Intention to file for bankruptcy", "Намерение подать на банкротство", ALERT, 40,
        "bankruptcy", "A notice of the intention to go to court is published.", "bankruptcy.has_intention",
        "t.has_intention",
    ),
    Rule(
        "account_freeze", "Accounts suspended", "Блокировка счетов", ALERT, 40, "freezes",
        "There is a decision in force to suspend accounts.", "freezes.found, items",
        "t.found OR coalesce(a.items, 0) > 0", "a.since",
        "concat_ws(', ', 'decisions: ' || coalesce(a.items, t.count), "
        "'No. ' || a.number || ' of ' || a.latest, a.bank)",
        digits=COMPANY, partial_shows=True,
    ),
    Rule(
        "sanctions_hit", "On a sanctions list", "В санкционных списках", ALERT, 70, "sanctions",
        "A list has it by INN or by its whole name, or does not say how sure it is.", "sanctions.hits",
        "coalesce(a.sure, 0) > 0", "a.since", "concat_ws(': ', a.list, a.name)", digits=COMPANY,
    ),
    Rule(
        "sanctions_namesake", "Perhaps on a sanctions list", "Возможное совпадение в санкционных списках", NOTICE, 10,
        "sanctions", "Lists have it by single words of the name alone (confidence low): to be checked by eye.",
        "sanctions.hits.match_confidence", "coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0",
        evidence="'matches of low confidence: ' || a.unsure", digits=COMPANY,
    ),
    Rule(
        "foreign_agent", "Foreign agent", "Иностранный агент", ALERT, 30, "minjust_check",
        "The register of foreign agents has a match.", "minjust_check.hits", "coalesce(a.hits, 0) > 0",
        evidence="'matches: ' || a.hits", digits=COMPANY,
    ),
    Rule(
        "rnp_active", "Unfair supplier", "Недобросовестный поставщик", ALERT, 40, "rnp",
        "An entry in the register of unfair suppliers is in force.", "rnp.active, records.status",
        "t.active > 0 OR coalesce(a.active, 0) > 0", "a.since", "'No. ' || a.number || coalesce(', ' || a.reason, '')",
        digits=COMPANY,
    ),
    Rule(
        "rnp_past", "Unfair supplier in the past", "Был недобросовестным поставщиком", INFO, 5, "rnp",
        "There are excluded entries in the register of unfair suppliers.", "rnp.historic",
        "t.historic > 0", evidence="'excluded entries: ' || t.historic", digits=COMPANY,
    ),
    Rule(
        "disqualified_persons", "Disqualified person in charge", "Дисквалифицированное лицо в руководстве", ALERT, 40,
        "risk_flags", "A manager or founder of today is disqualified.",
        "risk_flags.disqualified_persons, disqualified_records", "t.disqualified_persons", "a.since",
        "concat_ws(', ', a.name, 'until ' || a.until)", digits=COMPANY, unseen=UNCHECKED,
    ),
    _mass("mass_director", ("Mass director", "Массовый руководитель"), 10, "The manager heads five entities or more."),
    _mass("mass_founder", ("Mass founder", "Массовый учредитель"), 5, "A founder takes part in five entities or more."),
    _mass("mass_address", ("Mass address", "Адрес массовой регистрации"), 10, "The address is a mass one."),
    Rule(
        "linked_closed", "Linked companies closed", "Связанные компании ликвидированы", NOTICE, 5, "risk_flags",
        "Three linked companies or more are liquidated or inactive, and these are half of all or more.",
        "risk_flags.linked_companies.historic",
        "CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true "
        "WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END",
        evidence="'linked companies: ' || a.linked || ', closed: ' || a.closed", digits=COMPANY,
    ),
    Rule(
        "inspection_violations", "Inspections with violations", "Проверки с нарушениями", NOTICE, 5, "inspections",
        "An inspection found violations.", "inspections.with_violations, inspections.has_violations",
        "t.with_violations > 0 OR coalesce(a.violations, 0) > 0", "a.since",
        "'with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || t.total", digits=COMPANY,
    ),
    Rule(
        "pledges", "Assets pledged", "Имущество в залоге", INFO, 3, "pledges",
        "There are notices of pledge, those of leasing left out.", "pledges.pledges.source",
        "CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL "
        "WHEN t.total_pledges IS NOT NULL THEN false END",
        "a.since", "'notices: ' || a.pledged", digits=COMPANY,
    ),
    Rule(
        "leasing", "Leased assets", "Имущество в лизинге", INFO, 1, "leasing",
        "There are leasing contracts: what is used is not owned.", "leasing.total_contracts",
        "t.total_contracts > 0", evidence="'contracts: ' || t.total_contracts", digits=COMPANY,
    ),
)  # fmt: skip
"""Rules over records."""
