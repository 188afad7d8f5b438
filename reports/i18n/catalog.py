"""Words, numbers and days of a page in one of its languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from innspect.reports.i18n import en as english
from innspect.reports.i18n import ru as russian
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.settings.sections import Language

THIN, WIDE = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"
THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one language, and how it writes counts, money and time; instants come in UTC, shown in `zone`."""

    language: Language
    texts: Mapping[str, str]
    counted: Mapping[str, Sequence[str]]
    zone: str

    def __call__(self, name: str, **values: object) -> str:
        """The text of that name, with its places filled."""
        return self.texts[name].format(**values) if values else self.texts[name]

    def named(self, group: str, code: str) -> str:
        """What a code of the warehouse (a state, a level, a block) is called here; one without a name stays."""
        return self.texts.get(f"{group}.{code}", code)

    def plural(self, number: int, noun: str) -> str:
        """The form of the noun that goes with the number."""
        forms = self.counted[noun]
        if self.language == "en":
            return forms[number != 1]
        tail = number % 100
        if 11 <= tail <= 14 or not 1 <= number % 10 <= 4:
            return forms[2]
        return forms[number % 10 != 1]

    def count(self, number: int, noun: str) -> str:
        """A number with its noun: 1 компания, 2 компании, 5 компаний."""
        return f"{self.number(number)}{WIDE}{self.plural(number, noun)}"

    def number(self, value: float | Decimal, digits: int = 0) -> str:
        """A number with grouped thousands."""
        text = f"{value:,.{digits}f}"
        if self.language == "en":
            return text
        grouped, _, rest = text.partition(".")
        return grouped.replace(",", THIN) + (f",{rest}" if rest else "")

    def rub(self, value: Decimal | None, digits: int = 2) -> str:
        """Roubles; what is not known is said so."""
        if value is None:
            return self("not_known")
        amount = self.number(value, digits)
        return f"{amount}{WIDE}₽" if self.language == "ru" else f"RUB{WIDE}{amount}"

    def short_rub(self, value: Decimal | float) -> str:
        """Roubles in thousands, millions or billions, for where the exact sum is not the point."""
        size, name = float(value), ""
        for unit in ("thousand", "million", "billion", "trillion"):
            if abs(size) < THOUSAND - 0.5:
                break
            size, name = size / THOUSAND, unit
        digits = 1 if name and abs(size) < 9.95 else 0
        amount = self.number(size, digits) + (f"{WIDE}{self(name)}" if name else "")
        return f"{amount}{WIDE}₽" if self.language == "ru" else f"RUB{WIDE}{amount}"

    def percent(self, share: float | None) -> str:
        """A share of one as a whole percentage; what is not all is never rounded to all, nor something to nothing."""
        if share is None:
            return self("not_known")
        whole = round(share * 100)
        if whole == 100 and share < 1:
            return f">{WIDE}99{WIDE}%" if self.language == "ru" else ">99%"
        if whole == 0 and share > 0:
            return f"<{WIDE}1{WIDE}%" if self.language == "ru" else "<1%"
        return f"{whole}{WIDE}%" if self.language == "ru" else f"{whole}%"

    def power(self, exponent: int) -> str:
        """A power of ten in short, such as `10 тыс.`."""
        thousands = min(max(exponent, 0) // 3, 4)
        unit = ("", "thousand", "million", "billion", "trillion")[thousands]
        amount = self.number(10.0 ** (exponent - 3 * thousands), max(0, -exponent))
        return amount + (f"{WIDE}{self(unit)}" if unit else "")

    def day(self, value: date) -> str:
        """A day; of an instant, the day in the zone."""
        shown = self._local(value) if isinstance(value, datetime) else value
        return f"{shown:%d.%m.%Y}" if self.language == "ru" else f"{shown:%Y-%m-%d}"

    def moment(self, value: datetime) -> str:
        """Day and minute in the zone."""
        return f"{self.day(value)} {self._local(value):%H:%M}"

    def days(self, age: float | None) -> str:
        """An age in days; less than one is said so."""
        if age is None:
            return self("not_known")
        return self("days.few") if age < 1 else self.count(int(age), "day")

    def _local(self, value: datetime) -> datetime:
        return value.replace(tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(self.zone))


def words(language: Language, zone: str) -> Words:
    """The words of a language."""
    source = russian if language == "ru" else english
    titles = {f"block.{name}": getattr(block, f"title_{language}") for name, block in BLOCKS.items()}
    return Words(language, {**source.TEXTS, **titles}, source.COUNTED, zone)
