"""Rules over registers and lists: bankruptcy, freezes, sanctions, suppliers, persons, inspections, pledges."""

from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.warehouse.risk.rule import COMPANY, Rule

UNCHECKED = "mass_check_unavailable"


def _mass(signal: str, titles: tuple[str, str], weight: int, condition: str) -> Rule:
    return Rule(
        signal, *titles, NOTICE, weight, "risk_flags", condition, f"risk_flags.{signal}", f"t.{signal}", digits=COMPANY,
        unseen=UNCHECKED,
    )  # fmt: skip


RECORDS: tuple[Rule, ...] = (
    Rule(
        "bankruptcy_stage", "In bankruptcy", "Процедура банкротства", ALERT, 70, "bankruptcy",
        "A bankruptcy stage is recognised that is not completed.", "bankruptcy.has_bankruptcy, status",
        "t.has_bankruptcy AND coalesce(t.status, '') <> 'completed'",
        evidence="concat_ws(', ', t.status, 'case ' || a.case_number)",
    ),
    Rule(
        "bankruptcy_completed", "Bankruptcy completed", "Банкротство завершено", NOTICE, 30, "bankruptcy",
        "The most severe recognised stage is completed.", "bankruptcy.status",
        "t.has_bankruptcy AND coalesce(t.status, '') = 'completed'",
        evidence="'case ' || a.case_number",
    ),
    Rule(
        "bankruptcy_intention", "Intention to file for bankruptcy", "Намерение подать на банкротство", ALERT, 40,
        "bankruptcy", "A notice of intention to file for bankruptcy is published.", "bankruptcy.has_intention",
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
        "A list matches it by INN or by its full name, or without a stated confidence.", "sanctions.hits",
        "coalesce(a.sure, 0) > 0", "a.since", "concat_ws(': ', a.list, a.name)", digits=COMPANY,
    ),
    Rule(
        "sanctions_namesake", "Possibly on a sanctions list", "Возможное совпадение в санкционных списках", NOTICE, 10,
        "sanctions", "Lists match only single words of its name (low confidence): to be checked manually.",
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
        "risk_flags", "A current manager or founder is disqualified.",
        "risk_flags.disqualified_persons, disqualified_records", "t.disqualified_persons", "a.since",
        "concat_ws(', ', a.name, 'until ' || a.until)", digits=COMPANY, unseen=UNCHECKED,
    ),
    _mass("mass_director", ("Mass director", "Массовый руководитель"), 10, "The manager heads five entities or more."),
    _mass("mass_founder", ("Mass founder", "Массовый учредитель"), 5, "A founder takes part in five entities or more."),
    _mass("mass_address", ("Mass address", "Адрес массовой регистрации"), 10, "The address is a mass one."),
    Rule(
        "linked_closed", "Linked companies closed", "Связанные компании ликвидированы", NOTICE, 5, "risk_flags",
        "Three or more linked companies are liquidated or inactive, and these are at least half of all.",
        "risk_flags.linked_companies.historic",
        "CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true "
        "WHEN coalesce(a.closed, 0) + coalesce(a.unknown_status, 0) >= 3 AND a.unknown_status > 0 THEN NULL "
        "ELSE false END",
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
        "There are notices of pledge, without those of leasing.", "pledges.pledges.source",
        "CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL "
        "WHEN t.total_pledges IS NOT NULL THEN false END",
        "a.since", "'notices: ' || a.pledged", digits=COMPANY,
    ),
    Rule(
        "leasing", "Leased assets", "Имущество в лизинге", INFO, 1, "leasing",
        "There are leasing contracts: assets in use are not owned.", "leasing.total_contracts",
        "t.total_contracts > 0", evidence="'contracts: ' || t.total_contracts", digits=COMPANY,
    ),
)  # fmt: skip
