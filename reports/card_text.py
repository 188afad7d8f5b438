"""The card in the words of its kind of INN: a sole proprietor has another number, other states and no capital."""

from collections.abc import Mapping

from innspect.reports.i18n.catalog import Translations
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import PERSON_DIGITS, Inline, Zero
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables

ONLY_COMPANIES = frozenset(
    column.name for column in tables()["company"].columns if column.field.zero is Zero.UNKNOWN_OF_PERSON
)
"""Fields of the card that a sole proprietor cannot have."""
PERSON_CODES: Mapping[str, str] = {"liquidating": "person.liquidating", "liquidated": "person.liquidated"}
"""Codes that have other words for a sole proprietor, and the keys of these."""

DATA_SET_BLOCKS = frozenset(
    name
    for name, block in BLOCKS.items()
    if any(isinstance(part, Inline) and part.record for part in block.row_parts.values())
)
"""Blocks of one record of a data set: without a record its figures are not known, and not zero."""


def can_have(inn: str, column: str) -> bool:
    """Whether this kind of INN has the column at all."""
    return column.removesuffix("_rub") not in ONLY_COMPANIES or len(inn) != PERSON_DIGITS


def ogrn_label(inn: str, t: Translations) -> str:
    """The title of the registration number."""
    return t("column.ogrnip" if len(inn) == PERSON_DIGITS else "column.ogrn")


def card_code(inn: str, code: str, t: Translations) -> str:
    """A code of the card in words."""
    return t(PERSON_CODES[code]) if len(inn) == PERSON_DIGITS and code in PERSON_CODES else t.label("code", code)


def clean_text(block: str, t: Translations) -> str:
    """Why there is no figure where the block answered that it has nothing."""
    return t("no_record") if block in DATA_SET_BLOCKS else t.label("state", SnapshotState.CLEAN)
