"""Portions give the same batch as all responses together."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from innspect.schemas.frames import Batch
from innspect.transforms.pipeline import transform, transform_portions
from innspect.transforms.split import split_responses
from innspect.transforms.versions.versioning import hash_contents
from tests.support.builders import MOSCOW
from tests.support.fuzz import fuzz_frame, generate_bodies

MANY = 120


def tables(batch: Batch) -> dict[str, pl.DataFrame]:
    """All frames of a batch."""
    parts = ("responses", "snapshots", "violations", "quarantine", "drift", "received_rows", "merges", "digests")
    return {**{name: getattr(batch, name) for name in parts}, **batch.rows}


@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(1, MANY - 1), max_size=4, unique=True))
def test_portions_give_the_same_batch_wherever_they_are_split(seed: int, cuts: list[int]) -> None:
    frame = fuzz_frame(list(generate_bodies(seed, MANY)))
    ends = [0, *sorted(cuts), MANY]
    portions = (split_responses(frame[first:end], b"key") for first, end in pairwise(ends))
    whole = hash_contents(transform(split_responses(frame, b"key"), MOSCOW))
    cut = hash_contents(transform_portions(((each, None) for each in portions), MOSCOW))
    wanted = tables(whole)
    assert sum(len(rows) for rows in whole.rows.values()) > MANY
    assert whole.violations.height
    assert whole.drift.height
    found = tables(cut)
    assert found.keys() == wanted.keys()
    for name, rows in wanted.items():
        assert_frame_equal(found[name], rows, check_row_order=False)


def test_empty_portions_give_an_empty_batch() -> None:
    frame = fuzz_frame([])
    assert transform_portions([(split_responses(frame), None)] * 2, MOSCOW).snapshots.is_empty()
