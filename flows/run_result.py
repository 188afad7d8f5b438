"""The result of a run: the object of `run --json`, and the summary on the screen."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console

from innspect.flows.account_summary import AccountSummary
from innspect.reports.format import format_count, format_roubles, roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import Exit, InnspectError
from innspect.schemas.states import SnapshotState

EXIT_PRECEDENCE = (Exit.REFUSED, Exit.BUDGET, Exit.INCOMPLETE)


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run; money is kopecks.

    `snapshots` counts by state. `stop` is the error that ended the calls early. `is_published` is False if publishing
    failed. `waves` are the results of the runs of its expansion; None without one. They are not in the other fields,
    except that `exit_code` and `stop` are those of all.
    """

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
    snapshots: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SnapshotState, 0))
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
    stop: InnspectError | None = None
    is_published: bool = True
    account: AccountSummary | None = None
    waves: "tuple[RunResult, ...] | None" = None

    def with_waves(self, waves: "Sequence[RunResult]") -> "RunResult":
        """The result with those of its expansion."""
        codes = [done.exit_code for done in (self, *waves)]
        code = next((code for code in EXIT_PRECEDENCE if code in codes), max(codes))
        stop = next((done.stop for done in (self, *waves) if done.stop and done.stop.exit_code is code), None)
        account = waves[-1].account if waves else self.account
        return replace(self, waves=tuple(waves), exit_code=code, stop=stop or self.stop, account=account)

    @property
    def cost(self) -> int:
        """What the run cost, without its expansion; calls of unknown outcome count as charged."""
        return self.charged + self.unknown

    @property
    def remaining_budget(self) -> int:
        """What the run and its expansion may still spend."""
        return max(0, self.budget - self.cost - sum(wave.cost for wave in self.waves or ()))

    @property
    def shortfall(self) -> str:
        """Why a completed run has not everything that it planned, and what to do next; empty if it has."""
        if self.exit_code is Exit.BUDGET:
            skipped = self.skipped_for_budget + sum(wave.skipped_for_budget for wave in self.waves or ())
            limits = "`budget` of the settings" + (" and `expand_budget_rub` of the profile" if self.waves else "")
            return (
                f"The budget has no room for {count_of(skipped, 'INN')}; raise --budget, or the other limits in "
                f"{limits}, and run again. All paid responses are loaded."
            )
        if self.exit_code is Exit.INCOMPLETE:
            return "Some calls returned no usable response; run again to repeat them. All paid responses are loaded."
        return ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about the account that somebody should act on; the run is complete all the same."""
        return () if self.account is None else self.account.warnings

    def as_json(self) -> dict[str, Any]:
        """The object of `run --json`."""
        return {
            "run_id": self.run_id,
            "portfolio": self.portfolio,
            "profile": self.profile,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "planned_calls": self.planned_calls,
            "calls": self.calls,
            "charged_rub": roubles_text(self.charged),
            "unknown_rub": roubles_text(self.unknown),
            "budget_rub": roubles_text(self.budget),
            "budget_left_rub": roubles_text(self.remaining_budget),
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
            "account": None if self.account is None else self.account.as_json(),
            "expansion": None if self.waves is None else [wave.as_wave_json() for wave in self.waves],
        }

    def as_wave_json(self) -> dict[str, Any]:
        """The object of a wave in `expansion`: what of `as_json` is its own."""
        facts = self.as_json()
        shared = ("warehouse", "report", "account", "expansion")
        return {key: value for key, value in facts.items() if key not in shared}

    def print_summary(self, console: Console) -> None:
        """Print the summary of the run."""
        money = f"{format_roubles(self.charged)} charged, {format_roubles(self.unknown)} unknown"
        quality = f"{count_of(self.violations, 'violation')}, {count_of(self.quarantined, 'quarantined row')}, "
        quality += f"{count_of(self.drift, 'drift finding')}"
        planned, versions = count_of(self.planned_calls, "planned call"), count_of(self.new_versions, "new version")
        made = f"{format_count(self.calls)} of {planned} made"
        if self.calls > self.planned_calls:
            # Calls that cost nothing, because the service was overloaded or did not answer, were made again.
            made = f"{count_of(self.calls, 'attempt')} for {planned}"
        lines = [
            f"Run {self.run_id}: {made} in {self.seconds:.1f} s.",
            f"Money: {money}, {format_roubles(self.remaining_budget)} left of the budget.",
            f"Blocks: {list_counts(self.snapshots)}.",
            f"Warehouse: {versions}, {format_count(self.unchanged)} unchanged, {count_of(self.changes, 'change')}.",
            f"Data quality: {quality}.",
        ]
        if self.skipped_for_budget:
            skipped = count_of(self.skipped_for_budget, "INN")
            lines.append(f"Skipped, over budget: {skipped}; run again with a larger budget to request them.")
        lines += [
            f"Expansion {wave.portfolio}, run {wave.run_id}: {count_of(wave.accepted, 'INN')}, "
            f"{format_count(wave.calls)} of {count_of(wave.planned_calls, 'planned call')} made; "
            f"{format_roubles(wave.charged)} charged, {format_roubles(wave.unknown)} unknown; "
            f"blocks: {list_counts(wave.snapshots)}."
            for wave in self.waves or ()
        ]
        lines.append(f"The warehouse is {self.warehouse}.")
        if self.report:
            lines.append(f"The report is {self.report}.")
        lines += [f"Warning: {warning}" for warning in self.warnings]
        for line in lines:
            console.print(line, soft_wrap=True)


def list_counts(counts: dict[str, int]) -> str:
    """Counts by state as text, without the zeros: `12 found, 3 clean`."""
    return ", ".join(f"{format_count(count)} {state}" for state, count in counts.items() if count) or "none"
