"""Progress of the calls on the screen: done, left, charged, left of the budget, rate, remaining time."""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from innspect.reports.format import format_count, format_roubles


class ProgressListener(Protocol):
    """Receives progress events."""

    def add_planned(self, calls: int) -> None:
        """Add planned calls."""
        ...

    def record_call(self, charged: int) -> None:
        """Record a finished call and the kopecks charged for it."""
        ...

    def note(self, text: str) -> None:
        """Show a line of text."""
        ...


class ProgressDisplay:
    """A progress bar on a terminal; elsewhere a line at every tenth of the calls."""

    def __init__(self, console: Console, budget: int) -> None:
        self._console = console
        self._budget = budget
        self._done = self._total = self._charged = self._printed_tenths = 0
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("[bold]{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
                TextColumn("{task.fields[money]}"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=console,
            )
            self._task = self._bar.add_task("calls", total=0, count="", money="", rate="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def add_planned(self, calls: int) -> None:
        """Add planned calls."""
        self._total += calls
        if self._bar:
            self._bar.update(self._task, total=self._total, count=self._describe_count())

    def record_call(self, charged: int) -> None:
        """Record a finished call and the kopecks charged for it."""
        self._done += 1
        self._charged += charged
        money = f"charged {format_roubles(self._charged)}, left {format_roubles(max(0, self._budget - self._charged))}"
        if self._bar:
            speed = self._bar.tasks[0].speed or self._bar.tasks[0].finished_speed
            rate = f"{speed:.0f}/s" if speed else ""
            self._bar.update(self._task, advance=1, count=self._describe_count(), money=money, rate=rate)
        elif self._total and self._done * 10 // self._total > self._printed_tenths:
            self._printed_tenths = self._done * 10 // self._total
            self._console.print(f"calls: {self._describe_count()}, {money}")

    def _describe_count(self) -> str:
        done, total, left = map(format_count, (self._done, self._total, self._total - self._done))
        return f"{done} of {total}, {left} left"

    def note(self, text: str) -> None:
        """Print a line, above the bar if there is one."""
        self._console.print(text)
