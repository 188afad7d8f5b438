"""Rules over the card (block company): status, flags of the register, age, and facts of other blocks.

A flag of the card weighs little if another block has the same fact in detail: both may be present, and the detailed
block counts in full.
"""

from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.warehouse.risk.rule import COMPANY, Rule, money

STATUS = "company.status"


def _flag(
    signal: str, titles: tuple[str, str], severity: str, weight: int, flag: str, meaning: str, *, company: bool = True
) -> Rule:
    return Rule(
        signal, *titles, severity, weight, "company", f"The card's flag {flag} is set: {meaning}.", f"company.{flag}",
        f"t.{flag}", digits=COMPANY if company else (10, 12),
    )  # fmt: skip


CARD: tuple[Rule, ...] = (
    Rule(
        "liquidated", "Liquidated", "Ликвидирована", ALERT, 60, "company",
        "The status is liquidated, or a date of termination is entered.", "company.status, liquidation_date",
        "CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END",
        "t.liquidation_date", "concat_ws('; ', t.status_description, t.termination_reason)",
    ),
    Rule(
        "liquidating", "Being liquidated", "В процессе ликвидации", ALERT, 40, "company",
        "The status is liquidating.", STATUS, "t.status = 'liquidating'", evidence="t.status_description",
    ),
    Rule(
        "status_bankruptcy", "Bankrupt by the card", "Банкротство по карточке", ALERT, 40, "company",
        "The status is bankruptcy.", STATUS, "t.status = 'bankruptcy'", evidence="t.status_description",
    ),
    Rule(
        "reorganizing", "Being reorganized", "В процессе реорганизации", NOTICE, 10, "company",
        "The status is reorganizing.", STATUS, "t.status = 'reorganizing'", evidence="t.status_description",
        digits=COMPANY,
    ),
    _flag("invalid_data", ("Unreliable data in the register", "Недостоверные сведения в реестре"), NOTICE, 20,
          "invalid_data", "the register holds a record of unreliable data", company=False),
    _flag("invalid_address", ("Unreliable address", "Недостоверный адрес"), NOTICE, 15,
          "invalid_address", "the register holds a record that the address is unreliable"),
    _flag("illegal_finance", ("Flag under the anti-money-laundering law", "Признак по закону 115-ФЗ"), NOTICE, 25,
          "illegal_finance", "the anti-money-laundering law", company=False),
    _flag("sanctions_founders", ("Founder on a sanctions list", "Учредитель под санкциями"), ALERT, 30,
          "sanctions_founders", "founders are on sanctions lists"),
    _flag("card_sanctions", ("On a sanctions list by the card", "Санкции по карточке"), ALERT, 30,
          "sanctions", "it is on sanctions lists", company=False),
    _flag("card_unfair_supplier", ("Unfair supplier by the card", "Недобросовестный поставщик по карточке"), NOTICE,
          10, "unfair_supplier", "it is in the register of unfair suppliers", company=False),
    _flag("card_disqualified", ("Disqualified person by the card", "Дисквалифицированное лицо по карточке"), NOTICE,
          10, "disqualified_persons", "a manager or founder is disqualified"),
    _flag("card_mass_director", ("Mass director by the card", "Массовый руководитель по карточке"), INFO, 5,
          "mass_director", "the manager heads several entities"),
    _flag("card_mass_founder", ("Mass founder by the card", "Массовый учредитель по карточке"), INFO, 5,
          "mass_founder", "a founder is a mass founder"),
    _flag("card_mass_address", ("Mass address by the card", "Массовый адрес по карточке"), INFO, 5,
          "mass_address", "the address is one of mass registration"),
    Rule(
        "young", "Younger than a year", "Моложе года", NOTICE, 10, "company",
        "Registered less than 365 days ago, counted to today.", "company.registration_date",
        "t.registration_date > today - 365", "t.registration_date",
        "'registered ' || t.registration_date",
    ),
    Rule(
        "tiny_capital", "Minimum authorized capital", "Минимальный уставный капитал", INFO, 2, "company",
        "The authorized capital is 10 000 RUB, the legal minimum, or less.", "company.authorized_capital",
        "t.authorized_capital <= 10000", evidence=money("t.authorized_capital"), digits=COMPANY,
    ),
)  # fmt: skip
