"""Random bodies that the declarations allow, and ways to corrupt them."""

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import msgspec

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import (
    Duplicate,
    Echo,
    Field,
    Ignored,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Part,
    Reserved,
    Row,
)
from innspect.schemas.kinds import ISO, Form, Kind

INN = "7707083893"
WORDS = ("", "a", "Суд", 'ООО "ПРИМЕР"', "два\nряда", "\x1f\x1e\x1d\x1c\x1a", "true", "12.50", "null", " ", "ё" * 40)
ALL_SOURCES_WORKED = {
    "unavailable": False, "available": True, "answered": True, "has_data": True, "filter_bypassed": False,
    "mass_check_unavailable": False, "from_store_only": False, "status": "idle", "error": "", "sources_failed": [],
    "all_sources_dead": False, "errors": 0,
}  # fmt: skip
"""Values of marks that say that every source worked."""
NEVER_EMPTY = ("ogrn", "name")
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def encode_exact(value: Any) -> bytes:
    """Encode a body; amounts keep all their digits."""
    return _ENCODER.encode(value)


def digits(chance: Random, number: int) -> str:
    """A string of `number` digits."""
    return "".join(chance.choices("0123456789", k=number))


CODES: dict[str, Callable[[Random], str]] = {
    "inn": lambda c: digits(c, c.choice((10, 12))),
    "ogrn": lambda c: digits(c, c.choice((13, 15))),
    "kpp": lambda c: digits(c, 9),
    "bik": lambda c: digits(c, 9),
    "kbk": lambda c: digits(c, 20),
    "okved": lambda c: c.choice(("01", "46.90", "62.01.1")),
    "line_code": lambda c: digits(c, 4),
    "reg_num": lambda c: digits(c, 19),
    "inspection_number": lambda c: digits(c, 14),
    "clock": lambda c: f"{c.randrange(24):02}:{c.randrange(60):02}",
    "okpo": lambda c: digits(c, 8),
}


def amount(chance: Random) -> Decimal:
    """An amount with kopecks and up to sixteen digits before the decimal point."""
    return Decimal(chance.randrange(10 ** chance.randint(1, 18))) / 100 * chance.choice((1, 1, 1, -1))


def format_moment(chance: Random, layouts: tuple[str, ...]) -> str:
    """A random date or time in one of the layouts."""
    layout = chance.choice(layouts)
    moment = datetime(1900, 1, 2, tzinfo=UTC) + timedelta(seconds=chance.randrange(6_300_000_000))
    if layout == "%Y":
        return str(moment.year)
    if layout == ISO:
        fraction = chance.choice(("", ".5", ".150000"))
        return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + chance.choice(("", "Z", "+03:00", "-05:30"))
    return moment.strftime(layout)


def any_json(chance: Random, depth: int = 2) -> Any:
    """A random JSON value."""
    if depth and chance.random() < 0.4:
        if chance.random() < 0.5:
            return [any_json(chance, depth - 1) for _ in range(chance.randrange(3))]
        return {
            chance.choice(("a", "b b", "ключ", "'")): any_json(chance, depth - 1) for _ in range(chance.randrange(3))
        }
    return chance.choice((None, True, False, 0, -1, 2.5, amount(chance), *WORDS))


def _word(chance: Random, kind: Kind) -> str:
    if kind.values:
        return chance.choice((*kind.values, ""))
    return chance.choice((CODES[kind.name](chance), "")) if kind.pattern else chance.choice(WORDS)


SCALARS: dict[Form, Callable[[Random, Kind], Any]] = {
    Form.TEXT: _word,
    Form.LABEL: lambda c, _: c.choice((*WORDS, c.randrange(100))),
    Form.INTEGER: lambda c, _: c.choice((0, 1, c.randrange(100), c.randrange(2**40))),
    Form.YEAR: lambda c, _: c.choice((c.randint(1990, 2026), str(c.randint(1990, 2026)))),
    Form.NUMBER: lambda c, _: c.choice((0, 100, c.randrange(10_000) / 100)),
    Form.MONEY: lambda c, _: c.choice((0, 0.1, amount(c), amount(c))),
    Form.FLAG: lambda c, _: c.random() < 0.5,
    Form.DATE: lambda c, kind: c.choice((format_moment(c, kind.formats), "")),
    Form.INSTANT: lambda c, kind: c.choice((format_moment(c, kind.formats), "")),
    Form.UNIX: lambda c, _: c.randrange(4_000_000_000),
    Form.JSON: lambda c, _: any_json(c),
}


def scalar(chance: Random, kind: Kind) -> Any:
    """A random value in the domain of the kind."""
    return SCALARS[kind.form](chance, kind)


MAP_KEYS = {
    "year": ("2024", "2025", "2023"),
    "line_code": ("1600", "2110", "3600"),
    "tax_name": ("НДС", "a b", "'"),
    "network": ("vk", "ok", "tg"),
}


class BodyGenerator:
    """Generates bodies of a block. `is_complete`: every source worked, and no list is empty."""

    def __init__(self, chance: Random, *, is_complete: bool) -> None:
        self.chance = chance
        self.is_complete = is_complete

    def body(self, name: str) -> Any:
        """A body of the block, as the standalone method returns it, without an envelope."""
        block = BLOCKS[name]
        if block.undocumented:
            return {"phones": [any_json(self.chance), "x"], "при мер": any_json(self.chance)}
        made = self.row(block, root=True)
        return made.get(block.rows_at_root) or [] if block.rows_at_root else made

    def row(self, row: type[Row], *, root: bool = False) -> dict[str, Any]:
        """An object with the declared fields."""
        made: dict[str, Any] = {}
        for name, part in row.row_parts.items():
            if name.startswith("_") and self.chance.random() < 0.8:
                continue
            if isinstance(part, Duplicate):
                if part.of in made:
                    made[name] = made[part.of]
            elif (
                self.is_complete
                and name in ALL_SOURCES_WORKED
                and (isinstance(part, Mark) or (root and name != "status"))
            ):
                made[name] = ALL_SOURCES_WORKED[name]
            elif not self.is_omitted(part):
                made[name] = self.part(part)
                if root and self.is_complete and made[name] in ("", 0) and name in NEVER_EMPTY:
                    made[name] = "1" * 13
        self.fill_key(row, made)
        return made

    def is_omitted(self, part: Part) -> bool:
        """Whether to omit the key."""
        often = getattr(part, "optional", False)
        return self.chance.random() < (0.3 if often else 0.02)

    def fill_key(self, row: type[Row], made: dict[str, Any]) -> None:
        """Fill a field of the row's key if all of them are empty."""
        if row.row_key and not row.blank_rows:
            names = [name for entry in row.row_key for name in entry.split("|")]
            declared = row.row_parts[names[0]]
            while isinstance(declared, Field) and not any(made.get(name) not in ("", None) for name in names):
                made[names[0]] = scalar(self.chance, declared.kind)

    def part(self, part: Part) -> Any:
        """The value of one key."""
        match part:
            case Field() | Duplicate():
                return scalar(self.chance, part.kind)
            case Mark():
                value = scalar(self.chance, part.kind)
                return [value] if part.many else value
            case Echo():
                return INN
            case Reserved():
                return part.empty
            case Ignored():
                return any_json(self.chance)
            case Leaves():
                return [{"number": "7", "deep": any_json(self.chance)} for _ in range(self.list_length())]
            case List():
                return [
                    scalar(self.chance, part.of) if isinstance(part.of, Kind) else self.row(part.of)
                    for _ in range(self.list_length())
                ]
            case Map():
                return self.mapping(part, len(part.keys))
            case Inline():
                if part.or_text and self.chance.random() < 0.3:
                    return ""
                return self.row(part.of)

    def list_length(self) -> int:
        """A random number of list elements."""
        return self.chance.randint(1 if self.is_complete else 0, 3)

    def mapping(self, part: Map, depth: int) -> Any:
        """An object with data as keys."""
        if depth:
            keys = MAP_KEYS[part.keys[len(part.keys) - depth]]
            return {key: self.mapping(part, depth - 1) for key in keys[: self.list_length()]}
        above = {*part.keys, *(name for name, _ in part.label)}
        inner = {name: field for name, field in part.of.row_parts.items() if name not in above}
        made = {name: self.part(field) for name, field in inner.items()}
        if part.many:
            return [dict(made) for _ in range(self.list_length())]
        return made if len(inner) > 1 else next(iter(made.values()))


NUMBERS = (0, -1, 3, 2.0, 2.5, 10**17, 10**30, -(10**25), 1e300)
EXTREMES = (Decimal("1E+400"), Decimal("0.001"), Decimal("999999999999999.99"), Decimal("12345678901234567.89"))
TEXTS = ("", "x", "0", "12.50", "-1", "1e5", "true", "yes", INN, "\x00", "А" * 500)
DAYS = (
    "01.03.24",
    "2026-13-01",
    "00010101",
    "31.02.2024",
    "01.03.2024",
    "20240301",
    "2024",
    "1.3.002024",
    "+1.03.2024",
)
NESTED = ([], {}, [None], [[]], [{}], ["x"], {"x": None}, {"2024": {}}, {"2024": "x"}, {"x": {"y": [1]}}, [[1, 2], [3]])
GARBAGE: tuple[Any, ...] = (None, True, False, *NUMBERS, *EXTREMES, *TEXTS, *DAYS, *NESTED)
"""Values of a wrong type or outside their domain."""


def _find_values(value: Any, found: list[tuple[Any, Any]]) -> None:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in list(pairs):
        found.append((value, key))
        if isinstance(below, dict | list):
            _find_values(below, found)


def corrupt_body(chance: Random, body: Any, times: int) -> Any:
    """Corrupt the body in place `times` times: delete keys, change types, add unknown keys. Returns the body."""
    for _ in range(times):
        found: list[tuple[Any, Any]] = []
        _find_values(body, found)
        if not found or chance.random() < 0.01:
            return deepcopy(chance.choice(GARBAGE))
        holder, key = chance.choice(found)
        match chance.randrange(7):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[f"x{chance.randrange(9)}"] = deepcopy(chance.choice(GARBAGE))
            case 1 | 2 if isinstance(holder, list):
                holder.insert(key, deepcopy(chance.choice(GARBAGE)))
            case 3:
                holder[key] = [holder[key]]
            case 4:
                holder[key] = {"x": holder[key]}
            case 5 if isinstance(holder[key], list):
                holder[key] = {str(n): v for n, v in enumerate(holder[key])}
            case _:
                holder[key] = deepcopy(chance.choice(GARBAGE))
    return body
