"""The summary of a run on the screen."""

from io import StringIO

import pytest
from rich.console import Console

from innspect.flows.run_result import RunResult


@pytest.mark.parametrize(
    ("planned", "calls", "said"),
    [
        (10, 10, "10 of 10 planned calls made"),
        (10, 4, "4 of 10 planned calls made"),
        (1, 1, "1 of 1 planned call made"),
        # Free calls were repeated: not more calls than planned, but more attempts.
        (10, 12, "12 attempts for 10 planned calls"),
    ],
)
def test_calls_are_never_more_than_planned(planned, calls, said):
    screen = Console(file=StringIO(), width=200)
    RunResult("r", "p", "full", 5, 0, 100_000, planned, calls).print_summary(screen)
    assert f"Run r: {said} in 0.0 s." in screen.file.getvalue()
