from pathlib import Path

import pytest

from tests.support.builders import BODIES
from tests.support.golden import GOLDEN, golden_texts


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {path.name: text for path, text in golden_texts()}


@pytest.mark.parametrize("name", sorted(f"{path.stem}.txt" for path in BODIES.iterdir()))
def test_a_body_becomes_what_was_reviewed(name: str, made: dict[str, str]) -> None:
    assert made[name] == Path(GOLDEN / name).read_text("utf-8"), "run `make generate` and read the difference"
