"""The careful lane: a body that the strict decoder refuses, or whose amounts are beyond a float, read leaf by leaf.

What can be read exactly is read; what cannot is NULL with a violation; what is not declared is drift. The result is
the same struct that the fast lane makes, with amounts as `Decimal` roubles.
"""

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

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
from innspect.schemas.decoders import ENVELOPE, LEAVES, struct
from innspect.schemas.kinds import Form, Kind
from innspect.schemas.tables import item_name
from innspect.transforms.issues import Drift, Findings, Quarantined, Violation
from innspect.transforms.split import Piece, refuse

KOPECK: Final = Decimal("0.01")
MOST: Final = Decimal(10) ** 16
SAMPLE: Final = 200
INN_SHAPE: Final = re.compile(r"\d{10}|\d{12}")
PLAIN_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")

EXACT = msgspec.json.Decoder(Any, float_hook=Decimal)
_ENCODER = msgspec.json.Encoder(decimal_format="number", order="sorted")


def text_of(value: Any) -> str:
    """The value as it came: text itself, anything else as JSON."""
    return value if isinstance(value, str) else _ENCODER.encode(value).decode()


class Unreadable(Exception):
    """A leaf that cannot be read exactly."""


def _number(value: Any) -> Decimal:
    if isinstance(value, bool):
        raise Unreadable
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, str) and PLAIN_NUMBER.fullmatch(value):
        return Decimal(value)
    raise Unreadable


def _integer(value: Any) -> int:
    number = _number(value)
    if number != number.to_integral_value() or abs(number) >= 2**63:
        raise Unreadable
    return int(number)


def _flag(value: Any) -> bool:
    known = {True: True, False: False, "true": True, "false": False}
    if isinstance(value, bool) or (isinstance(value, str) and value in known):
        return known[value]
    raise Unreadable


def _expected(kind: Kind, value: Any) -> bool:
    """Whether the leaf is of the JSON type that the kind declares."""
    if isinstance(value, bool):
        return kind.form is Form.FLAG
    match kind.form:
        case Form.TEXT | Form.DATE | Form.INSTANT:
            return isinstance(value, str)
        case Form.LABEL | Form.YEAR:
            return isinstance(value, str | int)
        case Form.INTEGER | Form.UNIX:
            return isinstance(value, int)
        case Form.NUMBER | Form.MONEY:
            return isinstance(value, int | Decimal)
        case Form.FLAG:
            return False
        case Form.JSON:
            return True


def read(kind: Kind, value: Any) -> Any:
    """One leaf as the fast lane would have decoded it (amounts as `Decimal`).

    Raises `Unreadable` where it does not read exactly.
    """
    match kind.form:
        case Form.YEAR if isinstance(value, Decimal):
            return _integer(value)
        case Form.TEXT | Form.DATE | Form.INSTANT | Form.LABEL | Form.YEAR:
            return text_of(value)
        case Form.INTEGER | Form.UNIX:
            return _integer(value)
        case Form.NUMBER:
            number = float(_number(value))
            if number in (float("inf"), float("-inf")):
                raise Unreadable
            return number
        case Form.MONEY:
            return _number(value)
        case Form.FLAG:
            return _flag(value)
        case Form.JSON:
            return msgspec.Raw(_ENCODER.encode(value))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the reader stands: table, JSONPath of the row, path of its fields in the declaration, column prefix."""

    table: str
    path: str = "$"
    source: str = ""
    prefix: str = ""
    item: bool = False

    def column(self, name: str) -> str:
        """The name of a field's column."""
        return self.prefix + (item_name(name) if self.item else name)

    def into(self, name: str, number: int) -> "Place":
        """The place of an element of the list `name`."""
        return Place(f"{self.table}__{name}", f"{self.path}.{name}[{number}]", f"{self.source}{name}[].", item=True)


class Careful:
    """Reads one piece; what it notices goes to `findings`."""

    def __init__(self, piece: Piece, findings: Findings) -> None:
        self.piece = piece
        self.findings = findings

    def build(self, value: Any) -> Any:
        """The block's struct from its decoded JSON; None, and the piece failed, where it is of the wrong type."""
        block = BLOCKS[self.piece.block]
        here = Place(block.block_name)
        if block.rows_at_root and isinstance(value, list):
            value = {block.rows_at_root: value}
        elif block.undocumented and isinstance(value, list):
            built = struct(block, standalone=True)()
            setattr(built, LEAVES, msgspec.Raw(_ENCODER.encode(value)))
            return built
        elif block.rows_at_root or not isinstance(value, dict):
            refuse(self.piece, "wrong_type")
            return None
        if "inn" not in block.row_parts and self._names_another(value.get("inn")):
            refuse(self.piece, "another_inn")
            return None
        known = {name: v for name, v in value.items() if not (self.piece.standalone and self._envelope(name))}
        if block.undocumented:
            body = {name: v for name, v in known.items() if name not in block.row_parts}
            known = {name: v for name, v in known.items() if name in block.row_parts}
            built = self.row(block, known, here)
            setattr(built, LEAVES, msgspec.Raw(_ENCODER.encode(body)))
            return built
        return self.row(block, known, here)

    def _names_another(self, inn: Any) -> bool:
        """Whether an INN that the documents do not show here is of another company than the one asked."""
        return isinstance(inn, str) and INN_SHAPE.fullmatch(inn) is not None and inn != self.piece.inn

    def _envelope(self, name: str) -> bool:
        return name in ENVELOPE and name not in BLOCKS[self.piece.block].row_parts

    def row(self, row: type[Row], value: dict[str, Any], here: Place, *, open_: bool = False) -> Any:
        """One object of the declared shape."""
        parts = row.row_parts
        for name, unknown in value.items():
            if name not in parts and not open_:
                self.drift(here, name, "unknown_field", unknown)
        built = {
            name: self.part(name, part, value[name], here)
            for name, part in parts.items()
            if value.get(name) is not None
        }
        root = row is BLOCKS[self.piece.block]
        return struct(row, open_=open_, standalone=root)(**built)

    def part(self, name: str, part: Part, value: Any, here: Place) -> Any:
        """One key of an object."""
        match part:
            case Field():
                return self.leaf(part.kind, value, here, name, unit=part.full_check_unit if self.piece.full else 1)
            case Duplicate():
                return self.leaf(part.kind, value, here, name)
            case Mark():
                return self.marks(part, value, here, name) if part.many else self.leaf(part.kind, value, here, name)
            case Echo():
                return text_of(value)
            case Reserved():
                if value != part.empty or isinstance(value, bool) != isinstance(part.empty, bool):
                    self.drift(here, name, "reserved_filled", value)
                return part.empty
            case Ignored() | Leaves():
                return msgspec.Raw(_ENCODER.encode(value))
            case List():
                return self.elements(part, value, here, name)
            case Map():
                return self.mapping(part, value, here, name)
            case Inline():
                return self.inline(part, value, here, name)

    def leaf(self, kind: Kind, value: Any, here: Place, name: str, *, unit: int = 1) -> Any:
        """A scalar: read, or None with a violation."""
        if isinstance(value, dict | list) and kind.form is not Form.JSON:
            self.findings.misshapen.add(self.piece.snap)
            return self.violated(here, name, "shape", value)
        try:
            got = read(kind, value)
        except (Unreadable, ValueError, ArithmeticError):
            return self.violated(here, name, "type", value)
        if not _expected(kind, value):
            self.drift(here, name, "type_changed", value)
        return self.roubles(got, unit, here, name, value) if kind.form is Form.MONEY else got

    def roubles(self, read: Decimal, unit: int, here: Place, name: str, value: Any) -> Decimal | None:
        """An amount in units of so many roubles, to the kopeck; one that does not fit DECIMAL(18,2) is a violation."""
        # Compared before any arithmetic: a number from the wire may be too large to be multiplied.
        if not -MOST < read < MOST:
            return self.violated(here, name, "out_of_range", value)
        amount = read * unit
        whole = amount.quantize(KOPECK, ROUND_HALF_EVEN)
        if abs(whole) >= MOST:
            return self.violated(here, name, "out_of_range", value)
        if whole != amount:
            self.violated(here, name, "sub_kopeck", value)
        return whole

    def marks(self, part: Mark, value: Any, here: Place, name: str) -> list[Any]:
        """A list of marks; a single one is taken for a list of one."""
        values: list[Any] = value if isinstance(value, list) else [value]
        return [self.leaf(part.kind, each, here, name) for each in values if each is not None]

    def elements(self, part: List, value: Any, here: Place, name: str) -> list[Any] | None:
        """A list; an element of the wrong type is quarantined."""
        if not isinstance(value, list):
            self.findings.misshapen.add(self.piece.snap)
            return self.violated(here, name, "shape", value)
        values: list[Any] = value
        built: list[Any] = []
        for number, element in enumerate(values):
            there = here.into(name, number)
            if isinstance(part.of, Kind):
                scalar = replace(there, source=f"{here.source}{name}[]", item=False)
                built.append(None if element is None else self.leaf(part.of, element, scalar, "value"))
            elif self.is_object(element, there):
                built.append(self.row(part.of, element, there))
        return built

    def mapping(self, part: Map, value: Any, here: Place, name: str) -> dict[str, Any] | None:
        """An object whose keys are data, down to its rows."""
        table = replace(
            here, table=f"{here.table}__{part.into or name}", path=f"{here.path}.{name}", source=f"{name}.*."
        )
        return self.level(part, len(part.keys), value, table, name)

    def level(self, part: Map, depth: int, value: Any, here: Place, name: str) -> Any:
        """One nesting of a mapping."""
        taken = {*part.keys, *(label for label, _ in part.label)}
        inner = [n for n in part.of.row_parts if n not in taken]
        if depth:
            if value is None:
                return None
            if not isinstance(value, dict):
                self.findings.misshapen.add(self.piece.snap)
                return self.violated(here, inner[0], "shape", value)
            levels: dict[str, Any] = value
            below = {
                k: self.level(part, depth - 1, v, replace(here, path=f"{here.path}.{k}"), name)
                for k, v in levels.items()
            }
            # A number that is null or unreadable still has its row; what should hold rows and is nothing has none.
            scalar = depth == 1 and len(inner) == 1 and not part.many
            return {k: v for k, v in below.items() if v is not None or scalar}
        if part.many:
            return self.many(part, [] if value is None else value, here, inner[0])
        if len(inner) > 1 and value is None:
            return None
        if len(inner) > 1:
            if not isinstance(value, dict):
                self.findings.misshapen.add(self.piece.snap)
                return self.violated(here, inner[0], "shape", value)
            return self.row(part.of, value, here)
        last = part.of.row_parts[inner[0]]
        assert isinstance(last, Field)
        return None if value is None else self.leaf(last.kind, value, here, inner[0])

    def many(self, part: Map, value: Any, here: Place, column: str) -> list[Any]:
        """The objects in a list at the bottom of a mapping."""
        if not isinstance(value, list):
            self.findings.misshapen.add(self.piece.snap)
            self.violated(here, column, "shape", value)
            return []
        values: list[Any] = value
        places = [replace(here, path=f"{here.path}[{number}]") for number in range(len(values))]
        return [
            self.row(part.of, element, place)
            for element, place in zip(values, places, strict=True)
            if self.is_object(element, place)
        ]

    def is_object(self, element: Any, place: Place) -> bool:
        """Whether an element can be a row; one that cannot is quarantined."""
        if not isinstance(element, dict):
            row = _ENCODER.encode(element).decode()
            self.findings.quarantined.append(
                Quarantined(self.piece.snap, place.table, place.path, "not_an_object", row)
            )
        return isinstance(element, dict)

    def inline(self, part: Inline, value: Any, here: Place, name: str) -> Any:
        """An object that becomes columns of its parent."""
        if value == "" and part.or_text:
            return None
        if not isinstance(value, dict):
            self.findings.misshapen.add(self.piece.snap)
            return self.violated(here, name, "shape", value)
        there = replace(here, source=f"{here.source}{name}.", prefix=here.prefix + part.prefix, item=False)
        return self.row(part.of, value, there, open_=part.open)

    def violated(self, here: Place, name: str, rule: str, value: Any) -> None:
        """Note a violation; the value becomes None."""
        self.findings.violations.append(
            Violation(self.piece.snap, here.table, here.path, here.column(name), rule, text_of(value))
        )

    def drift(self, here: Place, name: str, kind: str, value: Any) -> None:
        """Note a difference from the declaration."""
        path = here.source if here.source.endswith("[]") else here.source + name
        self.findings.drift.append(Drift(self.piece.block, path, kind, text_of(value)[:SAMPLE], self.piece.answer))
