"""Check INNs by name, without a file: the budget of a check, and what is known of each INN after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from innspect.flows.write_dossier import write_dossier
from innspect.reports.dossier.document import DossierFormat
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import level_text
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.schemas.states import SignalState, sql_list
from innspect.warehouse.database import Warehouse

PORTFOLIO = "adhoc"
"""The portfolio of checked INNs, unless another is named."""
MAX_LISTED_SIGNALS = 8
"""Signals that are not known, listed on the screen; JSON lists all."""
SCORES = f"""
WITH checked AS (SELECT unnest($inns) AS inn),
unknown AS (
    SELECT inn, list(title ORDER BY weight DESC, signal) AS titles,
           list(title_ru ORDER BY weight DESC, signal) AS titles_ru
    FROM mart.risk_signals SEMI JOIN checked USING (inn)
    WHERE state IN {sql_list((SignalState.UNKNOWN, SignalState.NEVER_REQUESTED))} GROUP BY inn
)
SELECT s.inn, p.name, s.level, s.level_known, s.level_at_most, s.known_part, s.score, s.score_at_most, s.reasons,
       s.reasons_ru, s.unknown_signals, coalesce(u.titles, []) AS unknown_titles,
       coalesce(u.titles_ru, []) AS unknown_titles_ru, s.unknown_blocks, s.unknown_since,
       s.never_requested_blocks, s.stale_blocks
FROM mart.risk_score s SEMI JOIN checked USING (inn)
LEFT JOIN mart.company_profile p ON p.inn = s.inn LEFT JOIN unknown u ON u.inn = s.inn
ORDER BY list_position($inns, s.inn)
"""  # noqa: S608 (words of an enumeration)
JSON_KEYS = (
    "inn", "name", "level", "level_known", "level_at_most", "score", "score_at_most", "reasons", "unknown_signals",
    "unknown_blocks", "never_requested_blocks", "stale_blocks",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckedInn:
    """What is known of an INN after its check: its row of `SCORES`; `dossier`: its file, None if it was not written."""

    score: Mapping[str, Any]
    dossier: Path | None = None

    def with_dossier(
        self, settings: Settings, warehouse: Warehouse, output_format: DossierFormat, screen: Console
    ) -> "CheckedInn":
        """Write the dossier and print where it is; a failure is one line, since the check itself is done."""
        inn = str(self.score["inn"])
        try:
            dossier = write_dossier(settings, warehouse, inn, output_format=output_format)
        except Exception as error:  # noqa: BLE001 (the calls are paid and loaded: their result must be reported)
            reason = error.message if isinstance(error, InnspectError) else f"{type(error).__name__}: {error}"
            screen.print(f"  No dossier: {reason.rstrip('.')}. Write it with `innspect dossier {inn}`.", soft_wrap=True)
            return self
        screen.print(f"  Dossier: {dossier}", soft_wrap=True)
        return replace(self, dossier=dossier)

    def print_assessment(self, screen: Console, t: Translations) -> None:
        """Print level, reasons, and what is not known."""
        score, russian = self.score, "_ru" if t.language == "ru" else ""
        screen.print(f"{score['inn']} {score['name'] or t('no_name')}", style="bold", soft_wrap=True)
        reasons: list[str] = score[f"reasons{russian}"]
        unknown: list[str] = score[f"unknown_titles{russian}"]
        listed = "; ".join(unknown[:MAX_LISTED_SIGNALS]) or t("command.check.nothing")
        if len(unknown) > MAX_LISTED_SIGNALS:
            listed += "; " + t("command.check.more", count=t.count(len(unknown) - MAX_LISTED_SIGNALS, "signal"))
        lines = (
            t("command.risk", level=level_text(score, t)),
            t("command.check.reasons", titles="; ".join(reasons) or t("command.none")),
            t("command.check.unknown", titles=listed),
        )
        for line in lines:
            screen.print(f"  {line}", markup=False, soft_wrap=True)

    def as_json(self) -> dict[str, Any]:
        """The object of `check --json`; amounts as they are in mart.risk_score."""
        facts = {key: self.score[key] for key in JSON_KEYS}
        return {**facts, "dossier": None if self.dossier is None else str(self.dossier)}


def settings_of_check(settings: Settings, inns: int, *, is_budget_given: bool) -> Settings:
    """The settings of a check: its own budget unless one was given, no portfolio report, and whether it publishes."""
    budget, publish = settings.budget, settings.publish
    if not is_budget_given:
        budget = budget.model_copy(update={"run_rub": budget.of_check(inns)})
    publish = publish.model_copy(update={"after_run": publish.after_run and publish.after_check})
    report = settings.report.model_copy(update={"after_run": False})
    return settings.model_copy(update={"budget": budget, "publish": publish, "report": report})


def find_checked_inns(warehouse: Warehouse, inns: Sequence[str]) -> list[CheckedInn]:
    """What is known of these INNs, in their order; an INN that is in no portfolio is missing."""
    return [CheckedInn(row) for row in warehouse.query(SCORES, {"inns": list(inns)}).to_dicts()]
