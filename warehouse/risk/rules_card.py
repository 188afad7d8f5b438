"""Rules over the card (block company): register, status, flags, age; other blocks have some facts in detail."""

from innspect.warehouse.risk.rule import COMPANIES, EVERYONE, PERSONS, Rule, any_of, money

BLOCK = "company"
STATUS = "company.status"


def _flag(signal: str, flag: str, meaning: str, *, digits: tuple[int, ...] = COMPANIES) -> Rule:
    return Rule(
        signal, BLOCK, f"The card's flag {flag} is set: {meaning}.", f"company.{flag}", f"t.{flag}", digits=digits
    )


CARD: tuple[Rule, ...] = (
    Rule(
        "not_in_register", BLOCK, "The register answered that it has no such INN; an empty card alone does not say so.",
        "company.ogrn, name", "t.ogrn IS NULL AND t.name IS NULL", evidence="'no entry in the register'",
    ),
    Rule(
        "liquidated", BLOCK,
        "The status is liquidated, or a date of termination is entered, even one that cannot be read.",
        "company.status, liquidation_date",
        "CASE WHEN t.liquidation_date IS NOT NULL OR t.liquidation_date_given THEN true "
        "ELSE t.status = 'liquidated' END",
        "t.liquidation_date", "concat_ws('; ', t.status_description, t.termination_reason)",
    ),
    Rule(
        "liquidating", BLOCK, "The status is liquidating.", STATUS, "t.status = 'liquidating'",
        evidence="t.status_description",
    ),
    Rule(
        "status_bankruptcy", BLOCK, "The status is bankruptcy.", STATUS, "t.status = 'bankruptcy'",
        evidence="t.status_description",
    ),
    Rule(
        "reorganizing", BLOCK, "The status is reorganizing.", STATUS, "t.status = 'reorganizing'",
        evidence="t.status_description", digits=COMPANIES,
    ),
    _flag("invalid_data", "invalid_data", "the register holds a record of unreliable data", digits=EVERYONE),
    _flag("invalid_address", "invalid_address", "the register holds a record that the address is unreliable"),
    _flag("illegal_finance", "illegal_finance", "the anti-money-laundering law", digits=EVERYONE),
    _flag("sanctions_founders", "sanctions_founders", "founders are on sanctions lists"),
    _flag("card_sanctions", "sanctions", "it is on sanctions lists", digits=EVERYONE),
    _flag("card_unfair_supplier", "unfair_supplier", "it is in the register of unfair suppliers", digits=EVERYONE),
    _flag("card_disqualified", "disqualified_persons", "a manager or founder is disqualified"),
    _flag("card_mass_director", "mass_director", "the manager heads several entities"),
    _flag("card_mass_founder", "mass_founder", "a founder is a mass founder"),
    _flag("card_mass_address", "mass_address", "the address is one of mass registration"),
    Rule(
        "young", BLOCK, "Registered less than limits.days ago, counted to the day of assessment.",
        "company.registration_date", "t.registration_date > v.day - {days}::INTEGER", "t.registration_date",
        "'registered ' || t.registration_date",
    ),
    Rule(
        "tiny_capital", BLOCK, "The authorized capital is limits.amount_rub or less, and not 0.",
        "company.authorized_capital", "t.authorized_capital > 0 AND t.authorized_capital <= {amount_rub}",
        evidence=money("t.authorized_capital"), digits=COMPANIES,
    ),
    Rule(
        "low_salary", BLOCK, "The average salary on the card is below limits.amount_rub a month.", "company.avg_salary",
        "t.avg_salary < {amount_rub}", evidence=money("t.avg_salary"), digits=COMPANIES,
    ),
    Rule(
        "terminated_registrations", BLOCK, "An earlier registration as sole proprietor was terminated by force.",
        "company.ip_records.termination_kind",
        any_of("coalesce(a.forced, 0) > 0", "coalesce(a.unclear, 0) > 0"), "a.forced_since",
        "'registrations: ' || a.forced", "a.forced_facts", digits=PERSONS,
    ),
)  # fmt: skip
