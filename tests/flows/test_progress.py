"""What is shown while a run requests: on a terminal a bar, elsewhere a line at every tenth of the calls."""

from io import StringIO

from rich.console import Console

from innspect.flows.progress import ProgressDisplay

BUDGET = 2_000_000


def show(calls: int, *, is_terminal: bool) -> str:
    """What is printed during a run of 12,000 planned calls at one rouble, of which these are made."""
    console = Console(file=StringIO(), force_terminal=is_terminal, width=200, color_system=None)
    with ProgressDisplay(console, BUDGET) as display:
        display.add_planned(12_000)
        for _ in range(calls):
            display.record_call(100)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_line_at_every_tenth():
    lines = show(3_599, is_terminal=False).splitlines()
    assert lines == [
        "calls: 1 200 of 12 000, 10 800 left, charged 1 200.00 RUB, left 18 800.00 RUB",
        "calls: 2 400 of 12 000, 9 600 left, charged 2 400.00 RUB, left 17 600.00 RUB",
    ]


def test_a_bar_on_a_terminal():
    bar = show(1_500, is_terminal=True)
    assert "1 500 of 12 000, 10 500 left" in bar
    assert "charged 1 500.00 RUB, left 18 500.00 RUB" in bar
