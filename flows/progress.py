"""Progress while calls go on: done, left, charged, left of the budget, rate, time left."""

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from innspect.reports.format import shown


class Watcher(Protocol):
    """Who is told how a run goes."""

    def planned(self, calls: int) -> None:
        """So many calls are to be made from now on."""
        ...

    def called(self, charged: int) -> None:
        """A call has an outcome; it was charged so many kopecks."""
        ...

    def note(self, text: str) -> None:
        """A line worth reading."""
        ...


class Screen:
    """A bar on a terminal, a plain line at every tenth elsewhere."""

    def __init__(self, console: Console, budget: int) -> None:
        self._console = console
        self._budget = budget
        self._done = self._total = self._charged = self._told = 0
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("[bold]{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:.0f} done, {task.remaining:.0f} left"),
                TextColumn("{task.fields[money]}"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=console,
            )
            self._task = self._bar.add_task("calls", total=0, money="", rate="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def planned(self, calls: int) -> None:
        """More calls to make."""
        self._total += calls
        if self._bar:
            self._bar.update(self._task, total=self._total)

    def called(self, charged: int) -> None:
        """One call less."""
        self._done += 1
        self._charged += charged
        money = f"charged {shown(self._charged)}, left {shown(max(0, self._budget - self._charged))}"
        if self._bar:
            speed = self._bar.tasks[0].speed or self._bar.tasks[0].finished_speed
            rate = f"{speed:.0f}/s" if speed else ""
            self._bar.update(self._task, advance=1, money=money, rate=rate)
        elif self._total and self._done * 10 // self._total > self._told:
            self._told = self._done * 10 // self._total
            self._console.print(f"calls: {self._done} of {self._total}, {self._total - self._done} left, {money}")

    def note(self, text: str) -> None:
        """A line above the bar."""
        self._console.print(text)
