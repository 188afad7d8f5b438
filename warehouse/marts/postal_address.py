"""How two spellings of an address are told to be one, as SQL."""

from collections.abc import Mapping

from innspect.warehouse.ddl import text

MOST_SHARING = 25
"""A phone, address or name that more INNs share says nothing about two of them: it is a mass address, a call centre."""

WORDS: Mapping[str, str] = {
    "город": "г", "гор": "г", "улица": "ул", "проспект": "пр-кт", "просп": "пр-кт", "пр-т": "пр-кт",
    "переулок": "пер", "площадь": "пл", "шоссе": "ш", "набережная": "наб", "бульвар": "б-р", "бул": "б-р",
    "область": "обл", "район": "р-н", "дом": "д", "корпус": "к", "корп": "к", "строение": "стр", "квартира": "кв",
    "офис": "оф", "помещение": "помещ", "пом": "помещ", "комната": "ком", "этаж": "эт", "литера": "лит",
}  # fmt: skip
"""Words of an address and the short form that stands for them."""


def address_key(column: str = "w.value") -> str:
    """What is left of an address for a comparison: no postal code, one case, short words, no punctuation."""
    key = f"regexp_replace(replace(lower(trim({column})), 'ё', 'е'), '^[0-9]{{6}}[ ,]*', '')"
    key = f"' ' || trim(regexp_replace({key}, '[^0-9a-zа-я/-]+', ' ', 'g')) || ' '"
    for word, short in WORDS.items():
        key = f"replace({key}, {text(f' {word} ')}, {text(f' {short} ')})"
    return f"trim({key})"
