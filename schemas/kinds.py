"""Kinds of value: the type of a leaf in a response, in a frame and in the warehouse, and its domain.

`transforms/normalise.py` converts the values, with one branch for each `Form`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import polars as pl

INT64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
MONEY = pl.Decimal(18, 2)
EARLIEST_YEAR, LATEST_YEAR = 1900, 2100


class Form(StrEnum):
    """How a value is normalised; several kinds share one form."""

    TEXT = "text"
    LABEL = "label"
    INTEGER = "integer"
    YEAR = "year"
    NUMBER = "number"
    MONEY = "money"
    FLAG = "flag"
    DATE = "date"
    INSTANT = "instant"
    UNIX = "unix"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value.

    `wire`: type in the strict decoder. `frame`: polars type after normalisation. `sql`: column type in the warehouse.
    `formats`: layouts of a date or instant; `tolerated`: those that the documents name for other fields only, which are
    read too. `values`: closed list of an enumeration. `pattern`: regular expression of a code, or of the words that an
    enumeration allows besides its list; `example`: a code that matches it. `bounds`: inclusive range of a number. A
    cell outside of them is kept and reported as a violation. `words`: the values of an enumeration in Russian and
    English, in their order, as sentences use them.
    """

    name: str
    form: Form
    wire: Any
    frame: pl.DataType
    sql: str
    unit: str = ""
    formats: tuple[str, ...] = ()
    tolerated: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    pattern: str = ""
    bounds: tuple[float, float] | None = None
    example: str = ""
    words: tuple[tuple[str, str], ...] = ()


# Layouts of dates and instants in the codes of strftime. A stamp without a zone is in the source's time zone.
DMY = "%d.%m.%Y"
YMD = "%Y-%m-%d"
COMPACT_YMD = "%Y%m%d"
COMPACT_DMY = "%d%m%Y"
YEAR_END = "%Y"
"""A year alone: its last day."""
STAMP = "%Y-%m-%d %H:%M:%S"
ISO = "iso"
"""ISO 8601 with a time; zone and fractions of a second are optional."""

UNIX_TEXT = "unix"
"""Seconds of Unix time, as text."""

_LETTERS = {"%d": "DD", "%m": "MM", "%Y": "YYYY", "%H": "HH", "%M": "MM", "%S": "SS"}


def describe_layout(layout: str) -> str:
    """A layout for readers: `DD.MM.YYYY`."""
    if layout == ISO:
        return "ISO 8601"
    if layout == UNIX_TEXT:
        return "unix seconds"
    for code, letters in _LETTERS.items():
        layout = layout.replace(code, letters)
    return layout


TEXT = Kind("text", Form.TEXT, str, pl.String(), "VARCHAR")
URL = replace(TEXT, name="url")
COUNT = Kind("count", Form.INTEGER, INT64, pl.Int64(), "BIGINT", bounds=(0, 2**63 - 1))
INTEGER = Kind("integer", Form.INTEGER, INT64, pl.Int64(), "BIGINT")
YEAR = Kind("year", Form.YEAR, INT64 | str, pl.Int64(), "BIGINT", bounds=(EARLIEST_YEAR, LATEST_YEAR))
"""A year: a number, or the text of an object's key."""
LABEL = Kind("label", Form.LABEL, str | INT64, pl.String(), "VARCHAR")
"""A word or a number, where the documents do not say which; kept as text."""
NUMBER = Kind("number", Form.NUMBER, float, pl.Float64(), "DOUBLE")
PERCENT = Kind("percent", Form.NUMBER, float, pl.Float64(), "DOUBLE", unit="%", bounds=(0, 100))
RATIO_PERCENT = Kind("ratio_percent", Form.NUMBER, float, pl.Float64(), "DOUBLE", unit="%")
RUB = Kind("rub", Form.MONEY, float, MONEY, "DECIMAL(18,2)", unit="RUB")
FLAG = Kind("flag", Form.FLAG, bool, pl.Boolean(), "BOOLEAN")
UNIX = Kind("unix", Form.UNIX, INT64, pl.Datetime("us"), "TIMESTAMP", unit="UTC")
JSON = Kind("json", Form.JSON, msgspec.Raw, pl.String(), "JSON")


def code(name: str, pattern: str, example: str) -> Kind:
    """An identifier kept as text: its shape is checked and never changed."""
    return replace(TEXT, name=name, pattern=f"^(?:{pattern})$", example=example)


INN = code("inn", r"\d{10}|\d{12}", "7707083893")
OGRN = code("ogrn", r"\d{13}|\d{15}", "1027700132195")
KPP = code("kpp", r"\d{4}[0-9A-Z]{2}\d{3}", "770701001")
BIK = code("bik", r"\d{9}", "044525999")
KBK = code("kbk", r"\d{20}", "18210301000011000110")
OKVED = code("okved", r"\d{2}(?:\.\d{1,2}){0,2}", "32.40")
LINE_CODE = code("line_code", r"\d{4}", "2110")
REG_NUM = code("reg_num", r"\d{19}", "2600000000000000001")
INSPECTION_NUMBER = code("inspection_number", r"\d{14}", "77260000000001")


def one_of(*values: str, or_pattern: str = "") -> Kind:
    """One of a closed list of words, or a text of the pattern; another one is a violation and drift."""
    return replace(TEXT, name="one_of", values=values, pattern=or_pattern)


def in_words(words: Mapping[str, tuple[str, str]]) -> Kind:
    """One of a closed list of words, each with what sentences say instead in Russian and English."""
    return replace(one_of(*words), words=tuple(words.values()))


def day(*formats: str) -> Kind:
    """A calendar day in one of the layouts, tried in their order."""
    return Kind("date", Form.DATE, str, pl.Date(), "DATE", formats=formats)


ANY_DAY = replace(day(YMD, DMY, ISO), tolerated=(COMPACT_YMD, COMPACT_DMY, UNIX_TEXT))
"""A calendar day whose layout the documents do not state: any layout that they name.

No text of eight digits is a day within the range of years in both compact layouts.
"""


def moment(*formats: str) -> Kind:
    """An instant, kept in UTC; a layout without a zone is in the source's time zone (a setting)."""
    return Kind("instant", Form.INSTANT, str, pl.Datetime("us"), "TIMESTAMP", unit="UTC", formats=formats)
