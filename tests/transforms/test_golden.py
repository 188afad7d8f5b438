from pathlib import Path

import pytest

from tests.support.builders import BODIES
from tests.support.golden import GOLDEN, golden_texts


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {path.name: text for path, text in golden_texts()}


@pytest.mark.parametrize("name", sorted(f"{path.stem}.txt" for path in BODIES.iterdir()))
def test_bodies_give_the_golden_frames(name: str, texts: dict[str, str]) -> None:
    assert texts[name] == Path(GOLDEN / name).read_text("utf-8"), "run `make generate` and read the difference"
