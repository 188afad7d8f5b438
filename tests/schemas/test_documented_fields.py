import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.declaration import (
    Block,
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
from innspect.schemas.decoders import ENVELOPE
from innspect.schemas.kinds import JSON, Form, Kind
from tests.support.documented_fields import ANY, FOLDER, table

CSV = Path(__file__).parents[1] / "data" / "documented_fields.csv"
ROWS = list(csv.DictReader(CSV.open(encoding="utf-8")))
OF_THE_ANSWER = {
    "_verified_empty_blocks",
    "_meta",
    "_meta.inn",
    "_meta.fetched_at",
    "_meta.elapsed_s",
    "_meta.restored_from_local",
}
"""Keys of the full check that are no block's."""
BY_KEY = {block.full_check_key: name for name, block in BLOCKS.items() if block.full_check_key}


def declared(row: type[Row], before: str = "") -> Iterator[tuple[str, Part]]:
    """Every declared path of a row, spelled as the documents' fields are in the CSV."""
    for name, part in row.row_parts.items():
        yield before + name, part
        if isinstance(part, List) and isinstance(part.of, type):
            yield from declared(part.of, f"{before}{name}[].")
        elif isinstance(part, Inline):
            yield from declared(part.of, f"{before}{name}.")
        elif isinstance(part, Map):
            keys = {*part.keys, *(label for label, _ in part.label)}
            inner = [(path, field) for path, field in declared(part.of) if path not in keys]
            if len(inner) > 1 or part.many:
                stem = before + name + ".*" * len(part.keys) + ("[]." if part.many else ".")
                yield from ((stem + path, field) for path, field in inner)


def paths_of(block: str) -> dict[str, Part]:
    at_root = BLOCKS[block].rows_at_root
    return {path.removeprefix(f"{at_root}[].") if at_root else path: part for path, part in declared(BLOCKS[block])}


PATHS = {block: paths_of(block) for block in BLOCKS}


def documented() -> Iterator[tuple[str, str, str]]:
    """Block, path and type of each documented field of a block."""
    for row in ROWS:
        if row["method"] == FULL_CHECK:
            key, _, path = row["path"].partition(".")
            if row["path"] not in OF_THE_ANSWER and path:
                yield BY_KEY[key], path, row["type"]
        elif row["method"] != ANY:
            yield METHODS[row["method"]].block, row["path"], row["type"]


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
    return isinstance(part, Ignored | Leaves) or (isinstance(part, Reserved) and part.empty in ([], {}))


def shape(part: Part) -> set[str]:
    """The documented types that a part can stand for."""
    match part:
        case Field(kind=kind) | Duplicate(kind=kind):
            return of_kind(kind)
        case Mark():
            return {"array"} if part.many else of_kind(part.kind)
        case Echo():
            return {"string"}
        case Reserved():
            return {str: {"string"}, bool: {"bool"}, int: {"int"}, list: {"array"}, dict: {"object"}}[type(part.empty)]
        case List(of=Kind() as kind):
            return {"array"} | {f"array of {name}" for name in of_kind(kind)}
        case List():
            return {"array"}
        case Leaves():
            return {"array", "object"}
        case Map() | Inline() | Ignored():
            return {"object"}


def of_kind(kind: Kind) -> set[str]:
    match kind.form:
        case Form.TEXT | Form.DATE | Form.INSTANT:
            return {"string"}
        case Form.LABEL | Form.YEAR:
            return {"string", "int"}
        case Form.INTEGER | Form.UNIX:
            return {"int"}
        case Form.NUMBER | Form.MONEY:
            return {"number"}
        case Form.FLAG:
            return {"bool"}
        case Form.JSON:
            return {"object", "array"}


@pytest.mark.parametrize(("block", "path", "kind"), list(documented()))
def test_documented_field_is_declared(block: str, path: str, kind: str) -> None:
    part = covering(block, path)
    assert part is not None, f"{block}: {path} is documented but has no line"
    if kind and path in PATHS[block]:
        assert kind in shape(part), f"{block}: {path} is documented as {kind}"


@pytest.mark.parametrize("block", list(BLOCKS))
def test_declared_field_is_documented(block: str) -> None:
    named = {path for of, path, _ in documented() if of == block}
    named |= {row["path"] for row in ROWS if row["method"] == ANY}
    if BLOCKS[block].undocumented:
        # Its fields are not shown; that any answer may repeat the INN asked is.
        named |= {path for path, part in BLOCKS[block].row_parts.items() if isinstance(part, Echo)}
    assert [path for path in PATHS[block] if path not in named and path != BLOCKS[block].rows_at_root] == []


def test_whatever_any_answer_carries_is_known() -> None:
    known = {*ENVELOPE, *Block.row_parts}
    assert {row["path"] for row in ROWS if row["method"] == ANY} == known


def test_the_full_check_brings_every_block_that_has_a_key() -> None:
    keys = {row["path"] for row in ROWS if row["method"] == FULL_CHECK and "." not in row["path"]}
    assert keys - OF_THE_ANSWER == set(BY_KEY)


def test_risk_flags_in_the_full_check_are_those_that_the_documents_list() -> None:
    stem = "risk_flags."
    listed = {row["path"].removeprefix(stem) for row in ROWS if row["path"].startswith(stem)}
    parts = BLOCKS["risk_flags"].row_parts
    carried = {
        name
        for name, part in parts.items()
        if name not in Block.row_parts and not isinstance(part, Reserved) and getattr(part, "full_check", True)
    }
    reserved_flags = {name for name, part in parts.items() if isinstance(part, Reserved) and part.empty is False}
    assert listed == carried | reserved_flags


@pytest.mark.skipif(not FOLDER.exists(), reason="the service's documents are not here")
def test_the_csv_is_what_the_documents_say() -> None:
    assert table(FOLDER) == CSV.read_text(encoding="utf-8")
