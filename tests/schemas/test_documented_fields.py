import re

import pytest

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Block, Field, Ignored, Leaves, Part, Reserved
from innspect.schemas.decoders import ENVELOPE
from innspect.schemas.kinds import JSON
from tests.support.documented_fields import (
    ANY,
    DOCUMENTS,
    FULL_CHECK,
    FULL_CHECK_KEYS,
    block_fields,
    declared_parts,
    read_rows,
    types_of,
)

ROWS = [(row["method"], row["path"], row["type"]) for row in read_rows()]
BY_DOCUMENTS = [(row["method"], row["path"], row["type"]) for row in read_rows() if row["source"] == DOCUMENTS]
BY_KEY = {block.full_check_key: name for name, block in BLOCKS.items() if block.full_check_key}
PATHS = {block: declared_parts(block) for block in BLOCKS}


def covering(block: str, path: str) -> Part | None:
    """The part declared at a path, or the one above it that takes whatever stands inside."""
    parts = PATHS[block]
    while path not in parts:
        above = re.sub(r"(^|\.|\[\]\.)[^.\[]+$", "", path)
        if not above or above == path or (above in parts and not takes_all(parts[above])):
            return None
        path = above
    return parts[path]


def takes_all(part: Part) -> bool:
    if isinstance(part, Field):
        return part.kind is JSON
    return isinstance(part, Leaves) or (isinstance(part, Reserved) and part.empty in ([], {}))


@pytest.mark.parametrize(("block", "path", "kind"), list(block_fields(BY_DOCUMENTS)))
def test_documented_field_is_declared(block: str, path: str, kind: str) -> None:
    part = covering(block, path)
    assert part is not None, f"{block}: {path} is documented but has no line"
    if kind and path in PATHS[block]:
        assert kind in types_of(part), f"{block}: {path} is documented as {kind}"


def test_documented_child_of_an_ignored_part_is_not_covered() -> None:
    assert isinstance(PATHS["bankruptcy"]["raw"], Ignored)
    assert covering("bankruptcy", "raw") is PATHS["bankruptcy"]["raw"]
    assert covering("bankruptcy", "raw.all_sources_dead") is None
    assert covering("contracts", "raw.all_sources_dead") is not None


def test_fields_of_any_response_are_declared() -> None:
    assert {path for method, path, _ in ROWS if method == ANY} == {*ENVELOPE, *Block.row_parts}


def test_full_check_contains_every_block_with_a_key() -> None:
    keys = {path for method, path, _ in ROWS if method == FULL_CHECK and "." not in path}
    assert keys - FULL_CHECK_KEYS == set(BY_KEY)


def test_risk_flags_of_the_full_check_are_documented() -> None:
    named = {path for block, path, _ in block_fields(BY_DOCUMENTS) if block == "risk_flags"}
    listed = {path.removeprefix("risk_flags.") for _, path, _ in BY_DOCUMENTS if path.startswith("risk_flags.")}
    named -= {*Block.row_parts}
    parts = {name: part for name, part in BLOCKS["risk_flags"].row_parts.items() if name in named}
    carried = {
        name for name, part in parts.items() if not isinstance(part, Reserved) and getattr(part, "full_check", True)
    }
    reserved_flags = {name for name, part in parts.items() if isinstance(part, Reserved) and part.empty is False}
    assert listed == carried | reserved_flags
