"""What a run ends with: the fields of `run --json`, and the summary on the screen."""

from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from innspect.reports.format import as_text, shown
from innspect.schemas.errors import Exit

STATES = ("found", "clean", "partial", "unconfirmed", "unavailable", "missing", "failed")


@dataclass(slots=True)
class Result:
    """The outcome of a run; money is kopecks."""

    run_id: str
    portfolio: str
    profile: str
    accepted: int
    rejected: int
    budget: int
    planned_calls: int = 0
    calls: int = 0
    charged: int = 0
    unknown: int = 0
    skipped_for_budget: int = 0
    snapshots: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    new_versions: int = 0
    unchanged: int = 0
    changes: int = 0
    violations: int = 0
    quarantined: int = 0
    drift: int = 0
    warehouse: str = ""
    report: str | None = None
    seconds: float = 0.0
    exit_code: Exit = Exit.OK

    def as_json(self) -> dict[str, Any]:
        """The object that `run --json` ends with."""
        return {
            "run_id": self.run_id,
            "portfolio": self.portfolio,
            "profile": self.profile,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "planned_calls": self.planned_calls,
            "calls": self.calls,
            "charged_rub": as_text(self.charged),
            "unknown_rub": as_text(self.unknown),
            "budget_rub": as_text(self.budget),
            "budget_left_rub": as_text(max(0, self.budget - self.charged - self.unknown)),
            "skipped_for_budget": self.skipped_for_budget,
            "snapshots": self.snapshots,
            "new_versions": self.new_versions,
            "unchanged": self.unchanged,
            "changes": self.changes,
            "violations": self.violations,
            "quarantined": self.quarantined,
            "drift": self.drift,
            "warehouse": self.warehouse,
            "report": self.report,
            "seconds": round(self.seconds, 2),
        }

    def show(self, console: Console) -> None:
        """The summary on the screen, and the line to type next."""
        states = ", ".join(f"{count} {state}" for state, count in self.snapshots.items() if count) or "none"
        left = max(0, self.budget - self.charged - self.unknown)
        lines = [
            f"Run {self.run_id}: {self.calls} of {self.planned_calls} planned calls made in {self.seconds:.1f} s.",
            f"Money: {shown(self.charged)} charged, {shown(self.unknown)} unknown, {shown(left)} left of the budget.",
            f"Answers: {states}.",
            f"Warehouse: {self.new_versions} new versions, {self.unchanged} unchanged, {self.changes} changes.",
            f"Noticed: {self.violations} violations, {self.quarantined} rows set apart, {self.drift} kinds of drift.",
        ]
        if self.skipped_for_budget:
            lines.append(f"Left out for want of budget: {self.skipped_for_budget} INNs; `innspect plan` names them.")
        lines.append(f"The warehouse is {self.warehouse}.")
        if self.report:
            lines.append(f"The report is {self.report}.")
        for line in lines:
            console.print(line, soft_wrap=True)
