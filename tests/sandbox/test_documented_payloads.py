import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.schemas.decoders import block_type
from tests.sandbox.samples import (
    COMPANIES,
    PEOPLE,
    block_of_full_check,
    full_check_of,
    method_payload,
    standalone_block,
)

TABLE = Path("tests/data/documented_fields.csv").read_text(encoding="utf-8")
DOCUMENTED: dict[str, dict[str, str]] = {}
for row in csv.DictReader(TABLE.splitlines()):
    DOCUMENTED.setdefault(row["method"], {})[row["path"]] = row["type"]
METHODS = [method for method in DOCUMENTED if method not in ("*", FULL_CHECK)]
KINDS = {
    "string": str,
    "int": int,
    "number": (int, float),
    "bool": bool,
    "array": list,
    "array of int": list,
    "object": dict,
}
ALWAYS_EMPTY = {"risk-flags": {"address_history[].address", "address_history[].date"}}
OR_ELSE: dict[str, Any] = {"cases[].arbitration_manager": "", "record": None, "rsmp_bulk.record": None,
                           "employees_bulk.record": None}  # fmt: skip


def leaves(value: Any, known: dict[str, str], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every place in a payload, spelled as in the table: `[]` after a list, `*` for a key that is data."""
    if path and not path.endswith(("[]", "*")):
        yield path, value
    if isinstance(value, dict):
        stem = f"{path}." if path else ""
        open_keys = any(name.startswith(f"{stem}*") for name in known)
        for name, inner in value.items():
            yield from leaves(inner, known, f"{stem}{'*' if open_keys else name}")
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict | list):
                yield from leaves(inner, known, f"{path}[]" if path else "")


def payloads(method: str) -> Iterator[Any]:
    if method == FULL_CHECK:
        yield from (full_check_of(inn) for inn in COMPANIES)
        return
    inns = COMPANIES if method != "brief" else [*PEOPLE[:60], *COMPANIES]
    yield from (method_payload(method, inn) for inn in inns)


def typed(path: str, value: Any, known: dict[str, str]) -> bool:
    kind = known.get(path)
    if not kind or (path in OR_ELSE and value == OR_ELSE[path]):
        return True
    # Blocks of the full check that were polled and hold nothing come as an empty object.
    if kind == "array" and "." not in path and value == {}:
        return True
    return isinstance(value, KINDS[kind]) and not (kind in ("int", "number") and isinstance(value, bool))


def opaque(path: str, known: dict[str, str]) -> bool:
    """Whether it lies within something whose fields are not documented."""
    stems = [path[:end] for end, letter in enumerate(path) if letter in ".["]
    bare = [stem for stem in stems if stem in known]
    return bool(bare) and not any(name.startswith((f"{bare[-1]}.", f"{bare[-1]}[")) for name in known)


@pytest.mark.parametrize("method", [*METHODS, FULL_CHECK])
def test_every_documented_field_is_sent_with_its_type(method):
    known = DOCUMENTED[method]
    missing = set(known) - ALWAYS_EMPTY.get(method, set())
    for payload in payloads(method):
        for path, value in leaves(payload, known):
            missing.discard(path)
            assert typed(path, value, known), (path, value)
        if not missing:
            return
    assert not missing


@pytest.mark.parametrize("method", METHODS)
def test_only_documented_fields_are_sent(method):
    known = DOCUMENTED[method] | DOCUMENTED["*"]
    for inn in [*COMPANIES[:150], *(PEOPLE[:50] if method == "brief" else [])]:
        for path, _ in leaves(method_payload(method, inn), known):
            assert path in known or opaque(path, known), path


@pytest.mark.parametrize("block", [name for name, block in BLOCKS.items() if not block.undocumented])
def test_declarations_decode_every_payload(block):
    decoder = msgspec.json.Decoder(block_type(block))
    person = block in ("company", "arbitration", "fssp", "bankruptcy", "msp")
    for inn in [*COMPANIES[:150], *(PEOPLE[:30] if person else [])]:
        decoder.decode(msgspec.json.encode(standalone_block(block, inn)))
        if len(inn) == 10:
            decoder.decode(msgspec.json.encode(block_of_full_check(block, inn)))


def test_company_card_has_97_fields():
    card = [path for path in DOCUMENTED["brief"] if "." not in path and not path.startswith("_")]
    live = next(
        method_payload("brief", inn) for inn in sample_inns(50) if not method_payload("brief", inn).get("_from_local")
    )
    assert set(live) == set(card)
