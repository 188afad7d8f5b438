"""Property tests: every leaf of a generated body is in the batch, as a cell or as an issue."""

import json
import random
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.kinds import ISO, Form, Kind
from tests.support.accounting import BatchAccount, Leaf, count_body, lacks_something
from tests.support.builders import MOSCOW, OWN_METHOD
from tests.support.fuzz import EXACT, find_losses, fuzz_frame, transform_separately
from tests.support.strategies import BodyGenerator, corrupt_body, encode_exact

FEW = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
SEEDS = st.integers(0, 2**32)


def moment(text: str, layouts: tuple[str, ...]) -> datetime:
    """A moment in UTC, read by the standard library."""
    for layout in layouts:
        try:
            found = datetime.fromisoformat(text) if layout == ISO else datetime.strptime(text, layout)
        except ValueError:
            continue
        if layout == ISO and len(text) < 11:
            continue
        aware = found if found.tzinfo else found.replace(tzinfo=ZoneInfo(MOSCOW))
        return aware.astimezone(UTC).replace(tzinfo=None)
    raise AssertionError(text)


def day(text: str, layouts: tuple[str, ...]) -> Any:
    """A day of the source's zone, read by the standard library."""
    for layout in layouts:
        try:
            if layout != ISO:
                found = datetime.strptime(text, layout).date()
            else:
                instant = datetime.fromisoformat(text)
                found = (instant.astimezone(ZoneInfo(MOSCOW)) if instant.tzinfo else instant).date()
        except ValueError:
            continue
        return found.replace(month=12, day=31) if layout == "%Y" else found
    raise AssertionError(text)


def value_of(kind: Kind, value: Any) -> Any:
    """What the cell should hold, worked out without the transforms."""
    match kind.form:
        case Form.TEXT:
            return value
        case Form.LABEL:
            return str(value)
        case Form.INTEGER | Form.YEAR:
            return int(value)
        case Form.NUMBER:
            return float(value)
        case Form.MONEY:
            return Decimal(str(value)).quantize(Decimal("0.01"))
        case Form.FLAG:
            return value
        case Form.DATE:
            return day(value, kind.formats)
        case Form.INSTANT:
            return moment(value, kind.formats)
        case Form.UNIX:
            return datetime.fromtimestamp(value, UTC).replace(tzinfo=None)
        case Form.JSON:
            return json.dumps(json.loads(encode_exact(value)), sort_keys=True)


def cell_of(kind: Kind, cell: Any) -> Any:
    return json.dumps(json.loads(cell), sort_keys=True) if kind.form is Form.JSON else cell


def expected(leaves: list[Leaf]) -> Counter[Any]:
    return Counter(value_of(leaf.field.kind, leaf.value) for leaf in leaves if leaf.has_value and not leaf.can_be_null)


@pytest.mark.long
@pytest.mark.parametrize("block", [name for name, block in BLOCKS.items() if not block.undocumented])
@given(seed=SEEDS)
@FEW
def test_every_value_of_a_valid_body_is_in_its_cell(block: str, seed: int) -> None:
    body = BodyGenerator(random.Random(seed), is_complete=True).body(block)
    bodies = [(block, encode_exact(body))]
    batch = transform_separately(fuzz_frame(bodies))
    assert list(find_losses(bodies, batch)) == []
    (snap, state, reason), *_ = (
        batch.snapshots.filter(pl.col("block") == block).select("snap", "state", "reason").rows()
    )
    contents = count_body(block, body, standalone=block in OWN_METHOD)
    if state not in ("found", "partial"):
        assert (state, bool(reason)) in (("clean", False), ("unconfirmed", True))
        # A card without name and OGRN is about nobody, whatever else it has.
        assert contents.rows.total() == 0 or (reason == "no_identity" and not body.get("ogrn") and not body.get("name"))
        return
    by_column: dict[tuple[str, str], list[Leaf]] = {}
    is_incomplete = lacks_something(state, reason)
    for leaf in contents.leaves:
        by_column.setdefault((leaf.table, leaf.column), []).append(leaf)
    for (table, column), leaves in by_column.items():
        kind = leaves[0].field.kind
        cells = batch.rows[table].filter(pl.col("snap") == snap)[column].drop_nulls().to_list()
        nullable = {
            value_of(kind, leaf.value)
            for leaf in leaves
            if leaf.has_value and (leaf.can_be_null or (is_incomplete and leaf.is_denial(block)))
        }
        got = Counter(cell_of(kind, cell) for cell in cells if cell_of(kind, cell) not in nullable)
        wanted = expected(leaves)
        for value in nullable:
            wanted.pop(value, None)
        assert got == wanted, (table, column)
    assert batch.violations.rows() == []
    assert batch.quarantine.rows() == []


@pytest.mark.long
@given(seed=SEEDS)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_corrupted_bodies_lose_no_data(seed: int) -> None:
    chance = random.Random(seed)
    bodies = [
        (
            block,
            encode_exact(
                corrupt_body(chance, BodyGenerator(chance, is_complete=is_complete).body(block), chance.randint(1, 4))
            ),
        )
        for block in BLOCKS
        for is_complete in (True, True, False)
    ]
    assert list(find_losses(bodies, transform_separately(fuzz_frame(bodies)))) == []


def test_oracle_detects_lost_data() -> None:
    body = BodyGenerator(random.Random(3), is_complete=True).body("arbitration")
    batch = transform_separately(fuzz_frame([("arbitration", encode_exact(body))]))
    seen = EXACT.decode(encode_exact(body))
    assert BatchAccount(batch).find_missing(0, "arbitration", seen) == []
    cases = batch.rows["arbitration__cases"]
    batch.rows["arbitration__cases"] = cases.slice(1)
    assert any("arbitration__cases" in fault for fault in BatchAccount(batch).find_missing(0, "arbitration", seen))
    batch.rows["arbitration__cases"] = cases.with_columns(pl.lit(None, dtype=pl.String).alias("role"))
    fault = f"arbitration__cases.role: {cases['role'].count()} in the body, 0 in the batch"
    assert BatchAccount(batch).find_missing(0, "arbitration", seen) == [fault]
    batch.rows["arbitration__cases"] = cases
    seen["unknown"] = 1
    assert BatchAccount(batch).find_missing(0, "arbitration", seen) == ["drift of unknown"]
