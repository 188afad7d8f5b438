"""The card in the words of its kind of INN: a sole proprietor has another number, other states and no capital."""

from collections.abc import Mapping

from innspect.reports.i18n.catalog import Translations
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import SnapshotState

ONLY_COMPANIES = ("authorized_capital_rub",)
"""Columns that a sole proprietor cannot have."""
PERSON_CODES: Mapping[str, str] = {"liquidating": "person.liquidating", "liquidated": "person.liquidated"}
"""Codes that have other words for a sole proprietor, and the keys of these."""

DATA_SET_BLOCKS = ("revexp", "employees")
"""Blocks of figures from data sets of the tax service: without a record there the figure is not known, and not zero."""


def can_have(inn: str, column: str) -> bool:
    """Whether this kind of INN has the column at all."""
    return column not in ONLY_COMPANIES or len(inn) != PERSON_DIGITS


def ogrn_label(inn: str, t: Translations) -> str:
    """The title of the registration number."""
    return t("column.ogrnip" if len(inn) == PERSON_DIGITS else "column.ogrn")


def card_code(inn: str, code: str, t: Translations) -> str:
    """A code of the card in words."""
    return t(PERSON_CODES[code]) if len(inn) == PERSON_DIGITS and code in PERSON_CODES else t.label("code", code)


def clean_text(block: str, t: Translations) -> str:
    """Why there is no figure where the block answered that it has nothing."""
    return t("no_record") if block in DATA_SET_BLOCKS else t.label("state", SnapshotState.CLEAN)
