"""The catalogue of translations: texts of one language, and its notation of numbers, money and time (Babel, CLDR)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import get_args

from babel import Locale
from babel.dates import format_date, format_datetime, get_timezone
from babel.numbers import (
    format_compact_currency,
    format_compact_decimal,
    format_currency,
    format_decimal,
    format_percent,
    get_group_symbol,
)

from innspect.reports.coverage_text import describe_reason, mark_lower_bound
from innspect.reports.format import format_count
from innspect.reports.i18n import en, ru
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.settings.sections import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)
NBSP = "\N{NO-BREAK SPACE}"
DASH = "—"
NUMBER_AND_UNIT = re.compile(r"(?<=[№§]) | (?=[№§%₽])|(?<=\d) (?=(?:тыс|млн|млрд|трлн|руб|год|г\.|дн|дел|RUB\b))")
AMOUNT = re.compile(r"-?\d{1,3}(?: \d{3})*\.\d\d RUB")
ISO_DATE = re.compile(r"\b[12]\d{3}-\d\d-\d\d\b")
CODE = re.compile(r"^[a-z_]+(?=$|, case )")
COUNT = re.compile(r"(?<=: )\d+(?=$|,| of )")


@dataclass(frozen=True, slots=True)
class Translations:
    """Texts and formats of one language. Instants are UTC and are shown in `zone`."""

    language: Language
    zone: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its placeholders filled. Raises KeyError for an unknown key."""
        return self.texts[key].format(**values) if values else self.texts[key]

    @property
    def date_pattern(self) -> str:
        """The pattern of a day (CLDR): `dd.MM.yyyy`."""
        return _SOURCES[self.language].DATE

    @property
    def group_separator(self) -> str:
        """What separates thousands."""
        return get_group_symbol(self.language)

    def keep_together(self, text: str) -> str:
        """A text whose lines break neither after "№" nor between a number and its unit."""
        return NUMBER_AND_UNIT.sub(NBSP, text)

    def reason(self, reason: str | None) -> str:
        """The reason of a coverage state or of a signal's state in words; empty without one."""
        return describe_reason(self.texts, reason)

    def at_least(self, text: str, value: object) -> str:
        """The text of a figure over a partial or capped list: `at least 30`."""
        return mark_lower_bound(self.texts, text, value)

    def label(self, group: str, code: str) -> str:
        """The label of a code of the warehouse (state, level, block …); the code itself where it has none."""
        return self.texts.get(f"{group}.{code}", code)

    def plural(self, number: int, noun: str) -> str:
        """The form of the noun that agrees with the number."""
        source = _SOURCES[self.language]
        category = Locale.parse(self.language).plural_form(number)
        return source.PLURALS[noun][source.PLURAL_CATEGORIES.index(category)]

    def count(self, number: int, noun: str) -> str:
        """A number with its noun: 1 компания, 2 компании, 5 компаний."""
        return f"{self.number(number)}{NBSP}{self.plural(number, noun)}"

    def number(self, value: float | Decimal | None, digits: int = 0) -> str:
        """A number with grouped thousands; a dash for None."""
        if value is None:
            return DASH
        return format_decimal(value, "#,##0" + f".{'0' * digits}" * bool(digits), locale=self.language)

    def roubles(self, value: Decimal | float | None) -> str:
        """An amount with kopecks; "not known" for None."""
        if value is None:
            return self("not_known")
        # Babel leaves out the space that CLDR requires after an alphabetic currency symbol.
        pattern = f"¤{NBSP}#,##0.00" if self.language == "en" else None
        return format_currency(value, "RUB", pattern, locale=self.language)

    def short_roubles(self, value: Decimal | float) -> str:
        """An amount in thousands, millions or billions with at most one decimal."""
        if self.language == "en":
            return f"RUB{NBSP}{format_compact_decimal(value, locale='en', fraction_digits=1)}"
        return format_compact_currency(value, "RUB", locale=self.language, fraction_digits=1)

    def power_of_ten(self, exponent: int) -> str:
        """A power of ten in short form: `10 тыс.`."""
        return format_compact_decimal(10.0**exponent, locale=self.language, fraction_digits=max(0, -exponent))

    def percent(self, share: float | None) -> str:
        """A share of one as a whole percentage; only 1 is shown as 100 % and only 0 as 0 %."""
        if share is None:
            return self("not_known")
        gap = NBSP if self.language == "ru" else ""
        if 0.995 <= share < 1:
            return f">{gap}{format_percent(0.99, locale=self.language)}"
        if 0 < share <= 0.005:
            return f"<{gap}{format_percent(0.01, locale=self.language)}"
        return format_percent(share, locale=self.language)

    def date(self, value: date) -> str:
        """A day; of an instant, the day in the zone."""
        if isinstance(value, datetime):
            return format_datetime(value, self.date_pattern, get_timezone(self.zone), self.language)
        return format_date(value, self.date_pattern, self.language)

    def date_time(self, value: datetime, *, seconds: bool = False) -> str:
        """Day and minute, or second, in the zone."""
        pattern = f"{self.date_pattern} {'HH:mm:ss' if seconds else 'HH:mm'}"
        return format_datetime(value, pattern, get_timezone(self.zone), self.language)

    def age(self, days: float | None) -> str:
        """An age in whole days."""
        if days is None:
            return self("not_known")
        return self("under_a_day") if days < 1 else self.count(int(days), "day")

    def signal_evidence(self, evidence: str | None) -> str | None:
        """The evidence of a signal (`mart.risk_signals.evidence`, English: `proceedings: 2, 3 434 997.24 RUB`)."""
        if evidence is None:
            return None
        text = CODE.sub(lambda found: self.label("code", found[0]), evidence)
        text = COUNT.sub(lambda found: self.number(int(found[0])), text)
        text = AMOUNT.sub(lambda found: self.roubles(Decimal(found[0].removesuffix(" RUB").replace(" ", ""))), text)
        text = ISO_DATE.sub(lambda found: self.date(date.fromisoformat(found[0])), text)
        for pattern, translation in _SOURCES[self.language].EVIDENCE:
            text = re.sub(pattern, translation, text)
        return text


_SOURCES = {"ru": ru, "en": en}


def translations(language: Language, zone: str) -> Translations:
    """The translations of a language; `zone` is the name of the time zone in which instants are shown."""
    titles = {f"block.{name}": getattr(block, f"title_{language}") for name, block in BLOCKS.items()}
    return Translations(language, zone, {**_SOURCES[language].TEXTS, **titles})


ENGLISH = translations("en", "UTC")


def count_of(number: int, noun: str, singular: str = "", plural: str = "") -> str:
    """A number with its English noun, in the form that agrees with it, for the command line: `1 row`, `5 000 rows`.

    The noun is regular, or one of the catalogue. `singular` and `plural`: forms of the verb that follows.
    """
    category = en.PLURAL_CATEGORIES.index(Locale.parse("en").plural_form(number))
    forms = en.PLURALS.get(noun) or (noun, f"{noun}s")
    return " ".join(filter(None, (format_count(number), forms[category], (singular, plural)[category])))
