"""docs/risk.md shows what the marts say about its companies, and names what exists."""

import re

import pytest

from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.schemas.states import Level, SignalState
from tests.docs.risk_example import PAGE, QUERY, example_inns, update_page

TEXT = PAGE.read_text("utf-8")


@pytest.mark.long
def test_results_are_those_of_the_sandbox(tmp_path):
    assert len(QUERY.findall(TEXT)) == 5
    assert len(example_inns(TEXT)) == 2
    assert update_page(TEXT, tmp_path / "home") == TEXT, "run python -m tests.docs.risk_example and read the difference"


def test_every_level_and_state_is_explained():
    for word in (*Level, *SignalState):
        assert f"`{word}`" in TEXT, word


def test_numbers_are_those_of_the_default_policy():
    policy = load_policies(None).default
    for name, score in policy.thresholds.model_dump().items():
        assert re.search(rf"`{name}`[^.]*from (a score of )?{score}\b", TEXT), name
    assert f"more than {policy.max_age_days('bankruptcy'):g} days old" in TEXT
    for signal in re.findall(r"\(`(\w+)`\)", TEXT):
        assert signal in policy.rules or signal.startswith(("source_", "collected_", "response_", "INNSPECT_")), signal
