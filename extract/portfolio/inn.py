"""Read INNs as people type them: cleaning, check digits, and why a value is not a valid INN."""

import re
from collections.abc import Sequence

import polars as pl
from stdnum.ru import inn as inn_number

from innspect.schemas.errors import UsageError

MIN_INN_SHARE = 0.5
"""A column in which more of the cells are valid INNs is taken for the column of INNs."""
_BLANKS_AND_QUOTES = r"""[\s\u{00A0}\u{2007}\u{202F}\u{200B}\u{2060}\u{FEFF}"'`«»“”„‟‘’‚]"""
_KPP = r"^([0-9]{10})[/\\][0-9]{4}[0-9A-Z]{2}[0-9]{3}$"
"""An INN with its KPP, as accounting programs write them into one cell."""
_SCIENTIFIC = r"^[+-]?\d+([.,]\d+)?[eE][+-]?\d+$"
_LONG_NUMBER = re.compile(r"(?:[\dOolIBОоЗзбВ][\s-]?){9,}")
"""A number with as many digits as an INN; letters that look like digits, blanks and hyphens may be among them."""
MIN_DIGITS_OF_LONG_NUMBER = 6
"""In a text with fewer digits, the letters that look like digits are those of a word."""


def read_inns(raw: pl.Series) -> pl.DataFrame:
    """The INN in each text: one row per value of `raw`, in its order.

    Columns: `inn` (10 or 12 digits, NULL if invalid), `reason` (NULL if valid, else empty, scientific_notation,
    not_digits, wrong_length, check_digits, placeholder) and `restored` (a missing leading zero was restored).
    """
    text = (
        pl.col("raw")
        .fill_null("")
        .str.replace_all(_BLANKS_AND_QUOTES, "")
        .str.replace(r"[.,]0+$", "")
        .str.replace(_KPP, "$1")
    )
    digits = text.str.contains(r"^[0-9]+$")
    length = text.str.len_bytes()
    padded = pl.when(length.is_in([9, 11])).then(pl.lit("0") + text).otherwise(text)
    return (
        pl.DataFrame({"raw": raw.cast(pl.String)})
        .with_columns(text=text)
        .with_columns(
            text=text,
            padded=pl.when(digits & length.is_between(9, 12)).then(padded),
            short=length.is_in([9, 11]),
        )
        .with_columns(
            valid=pl.col("padded").map_elements(_has_valid_check_digits, return_dtype=pl.Boolean).fill_null(value=False)
            & ~_is_only_zeros("padded")
        )
        .select(
            inn=pl.when("valid").then("padded"),
            reason=_reason(pl.col("text")),
            restored=pl.col("valid") & pl.col("short"),
        )
    )


def require_inns(values: Sequence[str]) -> pl.DataFrame:
    """The rows of `read_inns` of values that somebody typed. Raises UsageError for the first that is not valid."""
    read = read_inns(pl.Series(list(values), dtype=pl.String))
    for value, reason in zip(values, read["reason"], strict=True):
        if reason is not None:
            raise UsageError(
                f"{value} is not a valid INN ({reason}); give 10 or 12 digits with valid check digits.", value=value
            )
    return read


def has_mistyped_inn(text: str) -> bool:
    """Whether a text contains a number as long as an INN: a mistyped INN, or one among other words."""
    numbers = _LONG_NUMBER.findall(text)
    return any(sum(map(str.isdigit, number)) >= MIN_DIGITS_OF_LONG_NUMBER for number in numbers)


def inn_share(column: pl.Series) -> float:
    """The share of valid INNs among the non-empty cells; 0 for an empty column."""
    inns = read_inns(column)
    filled = inns.height - int((inns["reason"] == "empty").sum())
    return (inns.height - inns["inn"].null_count()) / filled if filled else 0.0


def _reason(text: pl.Expr) -> pl.Expr:
    return (
        pl.when("valid")
        .then(None)
        .when(text == "")
        .then(pl.lit("empty"))
        .when(text.str.contains(_SCIENTIFIC))
        .then(pl.lit("scientific_notation"))
        .when(~text.str.contains(r"^[0-9]+$"))
        .then(pl.lit("not_digits"))
        .when(_is_only_zeros("text") & text.str.len_bytes().is_between(9, 12))
        .then(pl.lit("placeholder"))
        .when(text.str.len_bytes().is_in([10, 12]))
        .then(pl.lit("check_digits"))
        .otherwise(pl.lit("wrong_length"))
    )


def _is_only_zeros(name: str) -> pl.Expr:
    """Whether a text is all zeros: a placeholder with valid check digits, never an assigned INN."""
    return pl.col(name).str.contains("^0+$").fill_null(value=False)


def _has_valid_check_digits(inn: str) -> bool:
    """Whether the check digits of 10 or 12 ASCII digits are correct."""
    if len(inn) == 10:
        return inn_number.calc_company_check_digit(inn) == inn[9:]
    return inn_number.calc_personal_check_digits(inn) == inn[10:]
