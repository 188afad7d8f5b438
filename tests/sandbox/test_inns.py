import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.ru import inn as inn_number

from innspect.sandbox.world.inn_samples import is_valid, sample_inns


@given(st.integers(0, 60), st.integers(0, 2**31), st.floats(0, 1))
def test_sample_is_valid_distinct_and_reproducible(count, seed, persons):
    inns = sample_inns(count, seed, persons=persons)
    assert len(set(inns)) == count
    assert all(inn_number.is_valid(inn) for inn in inns)
    assert sum(len(inn) == 12 for inn in inns) == round(count * persons)
    assert inns == sample_inns(count, seed, persons=persons)


@given(st.sampled_from(sample_inns(50, 1, persons=0.5)), st.integers(0, 11), st.integers(1, 9))
def test_changed_digit_is_invalid(inn, place, by):
    place %= len(inn)
    wrong = inn[:place] + str((int(inn[place]) + by) % 10) + inn[place + 1 :]
    assert is_valid(inn, len(inn))
    assert is_valid(inn, -1)
    assert not is_valid(inn, 22 - len(inn))
    assert is_valid(wrong, len(inn)) == inn_number.is_valid(wrong)


@pytest.mark.parametrize("inn", ["", "7707 083893", "7707-083893", "77070838930", "²²²²²²²²²²"])
def test_only_digits_are_accepted(inn):
    assert not is_valid(inn, -1)
    assert not is_valid(inn, 10)
