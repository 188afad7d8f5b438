import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import (
    Block,
    Duplicate,
    Echo,
    Field,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Part,
    Reserved,
    Row,
)
from innspect.schemas.decoders import decoder
from innspect.schemas.kinds import Form
from tests.support.builders import BODIES, SORTS
from tests.support.documented_fields import OBSERVED, block_fields, read_rows

DOCUMENTED = [name for name, block in BLOCKS.items() if not block.undocumented]
ONLY_WHEN_DEGRADED = {("general_courts", "from_store_only")}
"""Keys that exist only in an answer that is not whole, which the full body is."""

ROWS = [(row["method"], row["path"], row["type"]) for row in read_rows() if row["source"] == OBSERVED]
OBSERVED_FIELDS = {(block, path) for block, path, _ in block_fields(ROWS)}
"""Fields that the documents do not name: the bodies, which are written from the documents, need not have them."""


def raw(block: str, sort: str) -> bytes:
    return (BODIES / f"{block}.{sort}.json").read_bytes()


def body(block: str, sort: str) -> dict[str, Any]:
    value = json.loads(raw(block, sort))
    at_root = BLOCKS[block].rows_at_root
    return {at_root: value} if at_root else value


def leaves(row: type[Row], objects: list[dict[str, Any]], before: str = "") -> Iterator[tuple[str, Part, list[Any]]]:
    """Every declared part with all values that it has in the objects; a duplicate beside what it repeats."""
    for name, part in row.row_parts.items():
        if name in Block.row_parts:
            continue
        values = [obj[name] for obj in objects if name in obj]
        if isinstance(part, Duplicate):
            values = [(obj[name], obj[part.of]) for obj in objects if name in obj]
        yield before + name, part, values
        if isinstance(part, List) and isinstance(part.of, type):
            yield from leaves(part.of, [item for value in values for item in value], f"{before}{name}[].")
        elif isinstance(part, Inline):
            yield from leaves(part.of, [value for value in values if value], f"{before}{name}.")
        elif isinstance(part, Map) and part.many:
            inner = [item for value in values for items in value.values() for item in items]
            yield from (leaf for leaf in leaves(part.of, inner) if leaf[0] not in part.keys)


def test_every_block_has_bodies() -> None:
    expected = {f"{block}.{sort}.json" for block in BLOCKS for sort in SORTS}
    assert {path.name for path in BODIES.iterdir()} == expected


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("block", DOCUMENTED)
def test_strict_decoder_accepts_every_body(block: str, sort: str) -> None:
    assert decoder(block).decode(raw(block, sort)) is not None


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("block", [name for name in DOCUMENTED if not BLOCKS[name].rows_at_root])
def test_standalone_decoder_accepts_every_body_with_an_envelope(block: str, sort: str) -> None:
    envelope = {"price": 5, "balance": 100.5, "status": "", "message": "", "last_updated_at": 1793500000}
    whole = envelope | body(block, sort)
    assert decoder(block, with_envelope=True).decode(json.dumps(whole).encode()) is not None


@pytest.mark.parametrize("block", DOCUMENTED)
def test_full_body_fills_every_column(block: str) -> None:
    for path, part, values in leaves(BLOCKS[block], [body(block, "full")]):
        if (block, path) in ONLY_WHEN_DEGRADED | OBSERVED_FIELDS:
            continue
        assert values, path
        if isinstance(part, Field) and part.content:
            zero_is_filled = part.kind.form is Form.FLAG
            assert any(value not in ("", 0, None) or (zero_is_filled and value is False) for value in values), path
        elif isinstance(part, List | Map | Leaves | Echo):
            assert any(values), path
        elif isinstance(part, Duplicate):
            assert all(repeated for repeated, _ in values), path


@pytest.mark.parametrize("block", DOCUMENTED)
def test_empty_body_has_no_facts(block: str) -> None:
    for path, part, values in leaves(BLOCKS[block], [body(block, "empty")]):
        if isinstance(part, List | Map | Leaves) or (isinstance(part, Inline) and part.record):
            assert not any(values), path
        elif isinstance(part, Field) and part.content and part.kind.form is not Form.TEXT:
            assert not any(value for value in values if value != {}), path
        elif isinstance(part, Reserved):
            assert values in ([], [part.empty]), path


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("block", DOCUMENTED)
def test_echoes_reserved_fields_and_duplicates_match(block: str, sort: str) -> None:
    for path, part, values in leaves(BLOCKS[block], [body(block, sort)]):
        if isinstance(part, Echo):
            assert set(values) <= {"7707083893"}, path
        elif isinstance(part, Reserved):
            assert all(value == part.empty for value in values), path
        elif isinstance(part, Duplicate):
            assert all(repeated == original for repeated, original in values), path
        elif isinstance(part, Mark) and part.kind.values:
            words = [word for value in values for word in (value if part.many else [value]) if word]
            assert all(word in part.kind.values or re.search(part.kind.pattern or "$^", word) for word in words), path
