"""Names of portfolio columns: which header means the INN, the name, the priority or the tags."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

INN = "inn"
HEADERS: Mapping[str, Sequence[str]] = {
    INN: ("inn", "инн", "инн/кпп", "инн и кпп"),
    "name": (
        "name",
        "наименование",
        "название",
        "имя",
        "контрагент",
        "краткое наименование",
        "сокращенное наименование",
        "полное наименование",
        "организация",
        "компания",
        "клиент",
        "поставщик",
        "покупатель",
        "фио",
    ),
    "priority": ("priority", "приоритет", "важность", "очередность"),
    "tags": ("tags", "tag", "теги", "тег", "тэги", "метки", "метка", "ярлыки"),
}
"""The headers of each column that a portfolio has, the preferred one first; also followed by one of `OWNERS`."""
OWNERS = ("контрагента", "организации", "компании", "клиента", "поставщика", "покупателя", "юрлица", "лица", "фирмы")
"""Whose INN or name a header may say; the INN of a director, for example, is another column."""
MAX_HEADER_CHARACTERS = 60
"""A longer cell is text about the sheet, not the header of a column."""
_SEPARATORS = re.compile(r"[\s\u00a0\u202f_.:;,*№-]+")
_RANKS: Mapping[str, tuple[str, int]] = {
    name: (column, rank)
    for column, names in HEADERS.items()
    for rank, name in enumerate((*names, *(f"{name} {owner}" for name in names for owner in OWNERS)))
}


def _meaning(header: str) -> tuple[str, int] | None:
    """The column that a header means, and its rank among the headers of that column."""
    if len(header) > MAX_HEADER_CHARACTERS:
        return None
    return _RANKS.get(_SEPARATORS.sub(" ", header.lower().replace("ё", "е")).strip())


def find_columns(headers: Iterable[str]) -> dict[str, str]:
    """The header of each column of a portfolio that a sheet has, the preferred one where several fit."""
    found: dict[str, tuple[int, str]] = {}
    for header in headers:
        if (meaning := _meaning(header)) is not None:
            column, rank = meaning
            if column not in found or rank < found[column][0]:
                found[column] = rank, header
    return {column: header for column, (_, header) in found.items()}


@lru_cache(maxsize=1024)
def is_inn_header(header: str) -> bool:
    """Whether a header names the INN of the member."""
    meaning = _meaning(header)
    return meaning is not None and meaning[0] == INN
