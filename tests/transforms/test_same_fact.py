"""The same fact, batches by the full check and by a standalone method, is the same rows and the same version."""

import json
from decimal import Decimal
from typing import Any

import msgspec
import polars as pl
import pytest

from innspect.schemas.blocks.sanctions import LISTS
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.schemas.frames import Batch
from innspect.schemas.tables import tables_of
from tests.support.builders import BODIES, OWN_METHOD, Response, full_check_body, version_responses

BOTH = [name for name, block in BLOCKS.items() if block.full_check_key and name in OWN_METHOD]
ENCODER = msgspec.json.Encoder(decimal_format="number")
SORTS = ("full", "empty", "quirks")


def body(block: str, sort: str) -> Any:
    """A body of tests/data as the block's own method spells it."""
    made = json.loads((BODIES / f"{block}.{sort}.json").read_bytes(), parse_float=Decimal)
    if block == "msp" and made.get("record"):
        made["record"]["as_of"] = "09.10.2026"
    return made


def as_in_full_check(block: str, standalone: Any) -> Any:
    """The same fact as the full check spells it."""
    made = standalone
    if block == "revexp" and made.get("record"):
        record = made["record"]
        thousands = {name: Decimal(record[name]) / 1000 for name in ("revenue", "expense") if name in record}
        made = {**made, "record": {**record, **thousands, "period": record["period"][-4:]}}
    if block == "msp" and made.get("record"):
        made = {**made, "record": {**made["record"], "as_of": "2026-10-09"}}
    if block == "sanctions":
        made = {**made, "sources_checked": list(LISTS)}
    return made


def encoded(value: Any) -> bytes:
    return ENCODER.encode(value)


@pytest.fixture(scope="module")
def batches() -> dict[str, Batch]:
    """By sort of body: all blocks, each by its own method first, then all of them in a full check."""
    found: dict[str, Batch] = {}
    for sort in SORTS:
        alone = [Response(OWN_METHOD[block], encoded(body(block, sort))) for block in BOTH]
        whole = full_check_body(
            {BLOCKS[block].full_check_key: as_in_full_check(block, body(block, sort)) for block in BOTH}
        )
        found[sort] = version_responses(*alone, Response(FULL_CHECK, encoded(whole)))
    return found


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("block", [block for block in BOTH if not BLOCKS[block].is_narrow_in_full_check()])
def test_standalone_and_full_check_give_the_same_rows(block: str, sort: str, batches: dict[str, Batch]) -> None:
    batch = batches[sort]
    alone, whole = batch.snapshots.filter(pl.col("block") == block).sort("response").iter_rows(named=True)
    assert (alone["method"], whole["method"]) == (OWN_METHOD[block], FULL_CHECK)
    facts = ("state", "reason", "version_id", "content_hash", "source_date")
    assert [alone[name] for name in facts] == [whole[name] for name in facts]
    assert (alone["version_id"] is None) == (alone["state"] == "unconfirmed")
    for table in tables_of(block):
        rows = batch.rows[table.name]
        mine, theirs = (rows.filter(pl.col("snap") == each["snap"]).drop("snap") for each in (alone, whole))
        assert mine.equals(theirs), table.name


# Asked alone, financial never confirms that there are no statements, and company never that there is no company.
@pytest.mark.parametrize("block", [block for block in BOTH if block not in ("financial", "company")])
def test_verified_empty_object_equals_the_response_with_zeros(block: str) -> None:
    key = BLOCKS[block].full_check_key
    empty = [] if BLOCKS[block].rows_at_root else {}
    zeros = body(block, "empty")
    if block == "general_courts":
        zeros = {**zeros, "courts_searched": 5, "courts_in_region": 5}
    batch = version_responses(
        Response(OWN_METHOD[block], encoded(zeros)), Response(FULL_CHECK, full_check_body({key: empty}, [key]))
    )
    both = batch.snapshots.filter(pl.col("block") == block)
    assert both["state"].to_list() == ["clean", "clean"]
    if not BLOCKS[block].is_narrow_in_full_check():
        assert both["version_id"].n_unique() == 1


def test_clean_version_has_confirmed_zeros_only() -> None:
    named = full_check_body({}, [BLOCKS[block].full_check_key for block in BOTH])
    rows = version_responses(Response(FULL_CHECK, named)).rows
    assert rows["arbitration"].drop("snap").row(0) == (0, 0, 0, 0, 0, 0, 0)
    assert rows["freezes"].select("found", "count").row(0) == (False, 0)
    assert rows["bankruptcy"].drop("snap").row(0) == (False, False, None, 0)
    assert rows["sanctions"]["name"].to_list() == [None]
    assert rows["fssp"].select("total_debt_rub", "completed_no_assets").row(0) == (0, 0)
    assert rows["employees"].select("headcount", "name").row(0) == (None, None)
    assert rows["risk_flags"].select("mass_director", "authorized_capital").row(0) == (False, None)
    assert all(frame.is_empty() for name, frame in rows.items() if "__" in name)
