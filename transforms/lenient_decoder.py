"""Lenient decoder: reads field by field what the strict decoder refuses, or what has amounts beyond a float.

What can be read exactly is read; what cannot becomes None with a violation; what is not declared is drift. The result
is the struct that the strict decoder makes, with amounts as `Decimal` roubles.
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
from innspect.schemas.tables import item_column
from innspect.transforms.issues import Drift, Issues, QuarantinedRow, Violation
from innspect.transforms.split import FAILURE_MARKS, BlockPayload, find_failure, is_empty_json, status_word

KOPECK: Final = Decimal("0.01")
MAX_ROUBLES: Final = Decimal(10) ** 16
"""Bound of DECIMAL(18,2), exclusive."""
MAX_SAMPLE_CHARS: Final = 200
INN_PATTERN: Final = re.compile(r"\d{10}|\d{12}")
NUMBER_PATTERN: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")

EXACT_JSON = msgspec.json.Decoder(Any, float_hook=Decimal)
_ENCODER = msgspec.json.Encoder(decimal_format="number", order="sorted")


def text_of(value: Any) -> str:
    """The value as received: text itself, anything else as JSON."""
    return value if isinstance(value, str) else _ENCODER.encode(value).decode()


class Unreadable(Exception):
    """A scalar that cannot be read exactly."""


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool):
        raise Unreadable
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, str) and NUMBER_PATTERN.fullmatch(value):
        return Decimal(value)
    raise Unreadable


def _integer(value: Any) -> int:
    number = _decimal(value)
    if number != number.to_integral_value() or abs(number) >= 2**63:
        raise Unreadable
    return int(number)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise Unreadable


def _has_declared_type(kind: Kind, value: Any) -> bool:
    """Whether the scalar has the JSON type that the kind declares."""
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


def read_scalar(kind: Kind, value: Any) -> Any:
    """One scalar as the strict decoder would have decoded it, amounts as `Decimal`. Raises `Unreadable`."""
    match kind.form:
        case Form.YEAR if isinstance(value, Decimal):
            return _integer(value)
        case Form.TEXT | Form.DATE | Form.INSTANT | Form.LABEL | Form.YEAR:
            return text_of(value)
        case Form.INTEGER | Form.UNIX:
            return _integer(value)
        case Form.NUMBER:
            number = float(_decimal(value))
            if number in (float("inf"), float("-inf")):
                raise Unreadable
            return number
        case Form.MONEY:
            return _decimal(value)
        case Form.FLAG:
            return _flag(value)
        case Form.JSON:
            return msgspec.Raw(_ENCODER.encode(value))


@dataclass(frozen=True, slots=True)
class Location:
    """Position of an object: its table, the JSONPath of its row, the declared path of its fields, column prefix."""

    table: str
    row_path: str = "$"
    source: str = ""
    prefix: str = ""
    is_item: bool = False

    def column(self, name: str) -> str:
        """The name of a field's column."""
        return self.prefix + (item_column(name) if self.is_item else name)

    def element(self, name: str, number: int) -> "Location":
        """The location of an element of the list `name`."""
        source = f"{self.source}{name}[]."
        return Location(f"{self.table}__{name}", f"{self.row_path}.{name}[{number}]", source, is_item=True)


class LenientDecoder:
    """Decodes one payload; what cannot be read, and what is not declared, goes to `issues`."""

    def __init__(self, payload: BlockPayload, issues: Issues) -> None:
        self.payload = payload
        self.issues = issues

    def decode(self, value: Any) -> Any:
        """The block's struct from its decoded JSON; None if it has the wrong type, and the payload is failed then."""
        block = BLOCKS[self.payload.block]
        location = Location(block.block_name)
        if block.rows_at_root and isinstance(value, list):
            value = {block.rows_at_root: value}
        elif block.undocumented and isinstance(value, list):
            return self._with_leaves(struct(block, with_envelope=True)(), value)
        elif block.rows_at_root or not isinstance(value, dict):
            self.payload.refuse("wrong_type")
            return None
        if "inn" not in block.row_parts and self._is_other_inn(value.get("inn")):
            self.payload.refuse("another_inn")
            return None
        if "status" not in block.row_parts:
            own_word = status_word(value.get("status"), self.payload.envelope_statuses)
            self.payload.status_word = self.payload.status_word or own_word
        undeclared = {name: v for name, v in value.items() if name in FAILURE_MARKS and name not in block.row_parts}
        self.payload.failure = self.payload.failure or find_failure(undeclared)
        is_wrapped = self.payload.has_envelope or block.undocumented
        if block.undocumented and value.get("data", 0) in (None, ""):
            del value["data"]
        content = {name: v for name, v in value.items() if not (is_wrapped and self._is_envelope(name))}
        if block.undocumented:
            declared = {name: v for name, v in content.items() if name in block.row_parts}
            leaves = {name: v for name, v in content.items() if name not in declared and name not in undeclared}
            return self._with_leaves(self.row(block, declared | undeclared, location), leaves)
        return self.row(block, content, location)

    def _with_leaves(self, decoded: Any, leaves: Any) -> Any:
        setattr(decoded, LEAVES, msgspec.Raw(_ENCODER.encode(leaves)))
        return decoded

    def _is_other_inn(self, inn: Any) -> bool:
        """Whether an INN in an undocumented place is that of another company."""
        return isinstance(inn, str) and INN_PATTERN.fullmatch(inn) is not None and inn != self.payload.inn

    def _is_envelope(self, name: str) -> bool:
        return name in ENVELOPE and name not in BLOCKS[self.payload.block].row_parts

    def row(self, row: type[Row], value: dict[str, Any], location: Location, *, is_open: bool = False) -> Any:
        """One object of the declared shape; `is_open`: undeclared keys are no drift."""
        parts = row.row_parts
        for name, unknown in value.items():
            if name not in parts and not is_open:
                self.report_drift(location, name, "unknown_field", unknown)
        decoded = {
            name: None if value[name] is None else self.part(name, part, value[name], location)
            for name, part in parts.items()
            if value.get(name) is not None or (name in value and isinstance(part, Inline) and part.record)
        }
        is_root = row is BLOCKS[self.payload.block]
        return struct(row, is_open=is_open, with_envelope=is_root)(**decoded)

    def part(self, name: str, part: Part, value: Any, location: Location) -> Any:
        """One key of an object."""
        match part:
            case Field():
                unit = part.full_check_unit if self.payload.in_full_check else 1
                return self.scalar(part.kind, value, location, name, unit=unit)
            case Duplicate():
                return self.scalar(part.kind, value, location, name)
            case Mark():
                return self.mark(part, value, location, name)
            case Echo():
                return text_of(value)
            case Reserved():
                if value != part.empty or isinstance(value, bool) != isinstance(part.empty, bool):
                    self.report_drift(location, name, "reserved_filled", value)
                return part.empty
            case Leaves():
                return self.leaves(value, location, name)
            case Ignored():
                return msgspec.Raw(_ENCODER.encode(value))
            case List():
                return self.elements(part, value, location, name)
            case Map():
                return self.mapping(part, value, location, name)
            case Inline():
                return self.inline(part, value, location, name)

    def mark(self, part: Mark, value: Any, location: Location, name: str) -> Any:
        """A mark; the block is incomplete if a flag cannot be read, because it may say that a source did not answer."""
        if part.many:
            values: list[Any] = value if isinstance(value, list) else [value]
            return [self.scalar(part.kind, each, location, name) for each in values if each is not None]
        decoded = self.scalar(part.kind, value, location, name)
        if decoded is None and part.kind.form is Form.FLAG:
            self.issues.wrong_shape.add(self.payload.snap)
        return decoded

    def scalar(self, kind: Kind, value: Any, location: Location, name: str, *, unit: int = 1) -> Any:
        """A scalar, or None with a violation; amounts in `unit` roubles."""
        if isinstance(value, dict | list) and kind.form is not Form.JSON:
            return self.report_wrong_shape(location, name, value)
        try:
            decoded = read_scalar(kind, value)
        except (Unreadable, ValueError, ArithmeticError):
            return self.report_violation(location, name, "type", value)
        if not _has_declared_type(kind, value):
            self.report_drift(location, name, "type_changed", value)
        return self.roubles(decoded, unit, location, name, value) if kind.form is Form.MONEY else decoded

    def roubles(self, amount: Decimal, unit: int, location: Location, name: str, value: Any) -> Decimal | None:
        """An amount in roubles, to the kopeck; one that does not fit DECIMAL(18,2) is a violation."""
        # Compared before any arithmetic: a received number may be too large to be multiplied.
        if not -MAX_ROUBLES < amount < MAX_ROUBLES:
            return self.report_violation(location, name, "out_of_range", value)
        exact = amount * unit
        rounded = exact.quantize(KOPECK, ROUND_HALF_EVEN)
        if abs(rounded) >= MAX_ROUBLES:
            return self.report_violation(location, name, "out_of_range", value)
        if rounded != exact:
            self.report_violation(location, name, "sub_kopeck", value)
        return rounded

    def elements(self, part: List, value: Any, location: Location, name: str) -> list[Any] | None:
        """A list; an element of the wrong type is quarantined."""
        if not isinstance(value, list):
            return self.report_wrong_shape(location, name, value)
        values: list[Any] = value
        decoded: list[Any] = []
        for number, element in enumerate(values):
            inner = location.element(name, number)
            if isinstance(part.of, Kind):
                scalar = replace(inner, source=f"{location.source}{name}[]", is_item=False)
                decoded.append(None if element is None else self.scalar(part.of, element, scalar, "value"))
            elif self.is_object(element, inner):
                decoded.append(self.row(part.of, element, inner))
        return decoded

    def leaves(self, value: Any, location: Location, name: str) -> msgspec.Raw:
        """A list without documented fields, as it is; of another shape its leaves are kept too."""
        raw = _ENCODER.encode(value)
        if not isinstance(value, list) and not is_empty_json(raw):
            self.report_wrong_shape(location, name, value)
        return msgspec.Raw(raw)

    def mapping(self, part: Map, value: Any, location: Location, name: str) -> dict[str, Any] | None:
        """An object whose keys are data."""
        inner = replace(
            location,
            table=f"{location.table}__{part.into or name}",
            row_path=f"{location.row_path}.{name}",
            source=f"{name}.*.",
        )
        return self.map_level(part, len(part.keys), value, inner)

    def map_level(self, part: Map, depth: int, value: Any, location: Location) -> Any:
        """One nesting of a mapping; `depth` levels of keys are left."""
        taken = {*part.keys, *(label for label, _ in part.label)}
        inner = [name for name in part.of.row_parts if name not in taken]
        if depth:
            if value is None:
                return None
            if not isinstance(value, dict):
                return self.report_wrong_shape(location, inner[0], value)
            levels: dict[str, Any] = value
            below = {
                key: self.map_level(part, depth - 1, v, replace(location, row_path=f"{location.row_path}.{key}"))
                for key, v in levels.items()
            }
            # A number that is null or unreadable still has its row; a null container of rows has none.
            is_scalar = depth == 1 and len(inner) == 1 and not part.many
            return {key: v for key, v in below.items() if v is not None or is_scalar}
        if part.many:
            return self.map_rows(part, [] if value is None else value, location, inner[0])
        if value is None:
            return None
        if len(inner) > 1:
            if not isinstance(value, dict):
                return self.report_wrong_shape(location, inner[0], value)
            return self.row(part.of, value, location)
        last = part.of.row_parts[inner[0]]
        assert isinstance(last, Field)
        return self.scalar(last.kind, value, location, inner[0])

    def map_rows(self, part: Map, value: Any, location: Location, column: str) -> list[Any]:
        """The list of objects at the bottom of a mapping."""
        if not isinstance(value, list):
            self.report_wrong_shape(location, column, value)
            return []
        values: list[Any] = value
        locations = [replace(location, row_path=f"{location.row_path}[{number}]") for number in range(len(values))]
        return [
            self.row(part.of, element, inner)
            for element, inner in zip(values, locations, strict=True)
            if self.is_object(element, inner)
        ]

    def is_object(self, element: Any, location: Location) -> bool:
        """Whether an element can be a row; one that cannot is quarantined."""
        if not isinstance(element, dict):
            row = _ENCODER.encode(element).decode()
            self.issues.quarantined.append(
                QuarantinedRow(self.payload.snap, location.table, location.row_path, "not_an_object", row)
            )
        return isinstance(element, dict)

    def inline(self, part: Inline, value: Any, location: Location, name: str) -> Any:
        """An object that becomes columns of its parent."""
        if value == "" and part.or_text:
            return None
        if not isinstance(value, dict):
            return self.report_wrong_shape(location, name, value)
        source, prefix = f"{location.source}{name}.", location.prefix + part.prefix
        inner = replace(location, source=source, prefix=prefix, is_item=False)
        return self.row(part.of, value, inner, is_open=part.open)

    def report_wrong_shape(self, location: Location, name: str, value: Any) -> None:
        """Report an object or array in place of a scalar, or the reverse."""
        self.issues.wrong_shape.add(self.payload.snap)
        self.report_violation(location, name, "shape", value)

    def report_violation(self, location: Location, name: str, rule: str, value: Any) -> None:
        """Report a cell that breaks a rule."""
        column = location.column(name)
        self.issues.violations.append(
            Violation(self.payload.snap, location.table, location.row_path, column, rule, text_of(value))
        )

    def report_drift(self, location: Location, name: str, kind: str, value: Any) -> None:
        """Report a difference from the declaration."""
        path = location.source if location.source.endswith("[]") else location.source + name
        sample = text_of(value)[:MAX_SAMPLE_CHARS]
        self.issues.drift.append(Drift(self.payload.block, path, kind, sample, self.payload.response))
