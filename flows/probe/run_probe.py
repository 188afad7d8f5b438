"""Run a probe: recover, plan, confirm, call, seal, load, compare with the declarations, write the report."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from innspect.extract.home.provenance import check_provenance
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.operations import Caps
from innspect.extract.portfolio.inn import require_inns
from innspect.extract.service.charging import is_success
from innspect.extract.service.paid_calls import CallResult
from innspect.flows.erase import finish_erasure
from innspect.flows.load import load_record_file, load_response_files
from innspect.flows.open_home import Stores, open_home, software_version, translate_home_errors, utc_now
from innspect.flows.probe import body_shape
from innspect.flows.probe.findings import Findings, Level, find_deviations, methods_by_text
from innspect.flows.probe.probe_calls import ProbeCaller, ProbeProgress
from innspect.flows.probe.probe_plan import ProbeCall, ProbePlan, plan_probe
from innspect.flows.probe.probed_response import ProbeResponse, interpret
from innspect.flows.probe.proposals import Proposal, as_toml, propose_settings
from innspect.flows.publish import publish_after_run
from innspect.flows.recovery import recover
from innspect.flows.run_portfolio import new_run_id
from innspect.flows.run_result import EXIT_PRECEDENCE
from innspect.flows.sandbox_process import service_provenance
from innspect.flows.seal import seal_outbox, seal_run
from innspect.flows.write_report import write_report
from innspect.reports.format import roubles_text, utc_text
from innspect.reports.i18n.catalog import count_of
from innspect.reports.probe_report.probe_page import build_probe_page
from innspect.schemas.errors import Exit, InnspectError, SettingsError, UsageError
from innspect.schemas.settings import Settings
from innspect.schemas.states import CallState
from innspect.warehouse.interrupts import interruptible

PROBE = "probe"
"""Profile of the runs of probes, and the folder of their reports in the home."""
REPORT_VERSION = 1
_RETRIED_STATUSES = (401, 402, 403, 429)
"""Statuses that say nothing about the method: the next probe requests it again."""

_LATEST_CALLS = """
WITH probes AS (
    SELECT c.call_id, c.inn, c.method, c.state, c.charged_rub, c.http_status, c.reason, c.reserved_at, c.resolved_at,
           r.response_id, r.asked_at, r.received_at, r.body,
           lag(r.balance_rub) OVER (PARTITION BY c.run_id ORDER BY c.reserved_at) - r.balance_rub AS balance_drop
    FROM lineage.calls c JOIN lineage.runs n USING (run_id) LEFT JOIN raw.responses r USING (call_id)
    WHERE n.profile = $profile AND c.state <> $released
)
FROM probes SEMI JOIN wanted USING (inn, method)
QUALIFY row_number() OVER (
    PARTITION BY inn, method ORDER BY response_id IS NOT NULL AND http_status < 500 DESC, reserved_at DESC
) = 1
"""
"""The latest call of each INN and method of all probes of this home; one with a response is preferred."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of a probe; `report` is the object of `probe --json`, without personal data."""

    plan: ProbePlan
    report: dict[str, Any]
    proposals: list[Proposal]
    findings: Findings
    page: Path
    exit_code: Exit
    stop: InnspectError | None = None


def validate_inns(values: Sequence[str]) -> list[str]:
    """At most one company's and one person's INN. Raises UsageError."""
    inns = list(dict.fromkeys(require_inns(values)["inn"].to_list()))
    if not inns or len({len(inn) for inn in inns}) < len(inns):
        raise UsageError("Give the INN of one company, of one person, or of both.", inns=inns)
    return inns


@dataclass(slots=True)
class Probe:
    """A probe of INNs in the open stores of a home."""

    settings: Settings
    stores: Stores
    inns: list[str]
    person_methods: bool = False
    refresh: bool = False
    progress: ProbeProgress = field(default_factory=ProbeProgress)
    run_id: str = ""

    @property
    def caps(self) -> Caps:
        """The limits on what the probe may spend."""
        budget = self.settings.budget
        return Caps(budget.run_kopecks, budget.day_kopecks, budget.month_kopecks, budget.keep_balance_kopecks)

    def plan(self) -> ProbePlan:
        """The plan, within the budget and the other caps; responses of earlier probes are not requested again."""
        budget = self.settings.budget
        prices = budget.price_kopecks
        everything = plan_probe(self.inns, prices, 0, (), person_methods=self.person_methods)
        stored = {} if self.refresh else {key for key, row in self._find_calls(everything).items() if _is_final(row)}
        # Before the run has an id, its own cap is not counted by the ledger.
        others = self.stores.ledger.remaining_budget("", Caps(day=budget.day_kopecks, month=budget.month_kopecks))
        left = budget.run_kopecks if others is None else min(others, budget.run_kopecks)
        return plan_probe(self.inns, prices, left, stored, person_methods=self.person_methods)

    def call(self, plan: ProbePlan, report: Callable[[ProbeCall, CallResult], None]) -> Exit:
        """Make the planned calls and load their responses, as a run of its own; the exit code of the calls.

        Raises the errors of the stores; received responses are kept then too, and the next start loads them.
        """
        started_at, code = utc_now(), Exit.FAULT
        stores = self.stores
        self.run_id = new_run_id(started_at, PROBE, stores.ledger.has_run, stores.run_id_suffix)
        stores.ledger.start_run(
            self.run_id,
            portfolio=PROBE,
            profile=PROBE,
            budget=self.settings.budget.run_kopecks,
            at=started_at,
            software_version=software_version(),
            home=stores.home_id,
        )
        caller = ProbeCaller(self.settings, stores.ledger, self.run_id, self.caps, report)
        self.progress = caller.progress
        try:
            asyncio.run(caller.call_all(plan.calls))
            code = self._exit_code(plan)
        except (asyncio.CancelledError, KeyboardInterrupt):
            code = Exit.INTERRUPTED
            raise
        except InnspectError as error:
            code = error.exit_code
            raise
        finally:
            # The client has waited for the open call: every paid response is in the outbox now.
            self._record_end(code)
        return code

    def _exit_code(self, plan: ProbePlan) -> Exit:
        progress, codes = self.progress, {Exit.OK}
        if progress.stop is not None:
            codes.add(progress.stop.exit_code)
        if plan.above_budget or progress.above_budget:
            codes.add(Exit.BUDGET)
        if any(result.state == CallState.UNKNOWN or result.response_id is None for result in progress.results.values()):
            codes.add(Exit.INCOMPLETE)
        return next((code for code in EXIT_PRECEDENCE if code in codes), max(codes))

    def _record_end(self, code: Exit) -> None:
        """Seal and load the responses, finish the run in the ledger, and archive its record."""
        stores = self.stores
        for _ in load_response_files(stores, seal_outbox(stores, self.run_id), self.settings.conventions):
            pass
        stores.ledger.finish_run(self.run_id, int(code), utc_now())
        for kind, file in seal_run(stores, self.run_id):
            load_record_file(stores, kind, file)
        stores.warehouse.refresh_raw_view()

    def read_responses(self, plan: ProbePlan) -> list[ProbeResponse]:
        """The latest outcome of each call that this or an earlier probe made, in the order of the plan."""
        rows = self._find_calls(plan)
        found = ((call, rows.get((call.inn, call.method))) for call in plan.all_calls)
        return [self._build_response(call, row) for call, row in found if row is not None]

    def _find_calls(self, plan: ProbePlan) -> dict[tuple[str, str], dict[str, Any]]:
        wanted = pl.DataFrame(
            [(call.inn, call.method) for call in plan.all_calls], schema=["inn", "method"], orient="row"
        )
        with self.stores.warehouse.register(wanted=wanted):
            parameters = {"profile": PROBE, "released": str(CallState.RELEASED)}
            rows = self.stores.warehouse.query(_LATEST_CALLS, parameters)
        return {(row["inn"], row["method"]): row for row in rows.iter_rows(named=True)}

    def _build_response(self, call: ProbeCall, row: dict[str, Any]) -> ProbeResponse:
        sent_at: datetime = row["asked_at"] or row["reserved_at"]
        ended_at: datetime | None = row["received_at"] or row["resolved_at"]
        before, after = self.progress.balances.get(row["call_id"], (None, None))
        drop = _kopecks(row["balance_drop"]) if before is None or after is None else before - after
        return ProbeResponse(
            call=call,
            response_id=row["response_id"] or row["call_id"],
            state=row["state"],
            http_status=row["http_status"],
            reason=row["reason"],
            charged=_kopecks(row["charged_rub"]),
            sent_at=sent_at,
            seconds=None if ended_at is None else max(0.0, (ended_at - sent_at).total_seconds()),
            body=row["body"],
            balance_drop=drop,
        )


def _kopecks(roubles: Any) -> int | None:
    return None if roubles is None else round(roubles * 100)


def _is_final(row: dict[str, Any]) -> bool:
    """Whether a call has a response that shows how the service answers this method."""
    status = row["http_status"]
    return row["body"] is not None and status is not None and status < 500 and status not in _RETRIED_STATUSES


def run_probe(
    settings: Settings,
    inns: Sequence[str],
    screen: Console,
    *,
    confirm: Callable[[ProbePlan], bool],
    before_calls: Callable[[], None] = lambda: None,
    person_methods: bool = False,
    refresh: bool = False,
    page: Path | None = None,
) -> ProbeResult | None:
    """Run a probe under the lock of the home; None if `confirm` refuses the plan, which makes no call then.

    An error that ends the calls early is `stop` of the result. Raises SettingsError without an address or a key,
    UsageError for a forgotten INN and for a limit of retention in the future, StoresHeld, and the errors of the stores.
    """
    if not settings.service.base_url:
        raise SettingsError(
            "The service has no address; set service.base_url or --base-url, or try it with --sandbox.",
            key="service.base_url",
        )
    if settings.api_key is None:
        raise SettingsError("There is no API key; set INNSPECT_API_KEY, or try `--sandbox`.", key="api_key")
    finish_erasure(settings, screen.print)
    with open_home(settings, screen.print) as stores:
        if provenance := service_provenance(settings):
            with translate_home_errors(settings.home):
                check_provenance(settings.home, provenance)
        tombstones = Tombstones(settings.home)
        tombstones.check_retention(utc_now())
        if forgotten := tombstones.find_forgotten(inns):
            raise UsageError(f"{', '.join(forgotten)} is forgotten in this home; probe another INN.", inns=[*forgotten])
        with interruptible():
            if loaded := recover(stores, settings.conventions, utc_now()):
                screen.print(f"Loaded {count_of(loaded, 'archive file')} left by an interrupted run (no charge).")
                stores.warehouse.refresh_raw_view()
        probe = Probe(settings, stores, list(inns), person_methods, refresh)
        plan = probe.plan()
        if not confirm(plan):
            return None
        before_calls()
        code = probe.call(plan, _print_call(screen))
        result = _build_result(probe, plan, code, page or settings.home / PROBE / "probe.html")
        publish_after_run(settings, stores.warehouse, screen)
    return result


def _print_call(screen: Console) -> Callable[[ProbeCall, CallResult], None]:
    def print_call(call: ProbeCall, result: CallResult) -> None:
        charged = "unknown" if result.charged is None else f"{roubles_text(result.charged)} RUB"
        status = f"HTTP {result.http_status}" if result.http_status else f"no response ({result.reason})"
        screen.print(f"{call.method:<22} {call.inn_kind:<8} {status}, {charged}", soft_wrap=True)

    return print_call


def _build_result(probe: Probe, plan: ProbePlan, code: Exit, page: Path) -> ProbeResult:
    settings, progress = probe.settings, probe.progress
    responses = probe.read_responses(plan)
    secrets = sorted({call.inn for call in plan.all_calls}, key=len, reverse=True)
    if settings.api_key is not None:
        secrets.append(settings.api_key.get_secret_value())
    probed = interpret(responses, settings.conventions)
    findings = find_deviations(probed, settings.conventions, secrets)
    _list_free_methods(progress, findings, secrets)
    proposals = propose_settings(probed, settings)
    if code is Exit.OK and findings.deviations:
        code = Exit.INCOMPLETE
    seen = {(response.call.inn, response.call.method) for response in responses}
    never = [call for call in plan.all_calls if (call.inn, call.method) not in seen]
    above_budget = {*plan.above_budget, *progress.above_budget}
    spent = probe.stores.ledger.run_figures(probe.run_id)
    findings.sentences = list(methods_by_text(findings.sentences))
    report = {
        "report": "innspect probe",
        "version": REPORT_VERSION,
        "software": software_version(),
        "made_at": utc_text(utc_now()),
        "source": service_provenance(settings) or "loopback service",
        "inns": [
            kind for kind, digits in (("company", 10), ("person", 12)) if any(len(i) == digits for i in probe.inns)
        ],
        "run_id": probe.run_id,
        "exit_code": int(code),
        "stopped_by": None if progress.stop is None else body_shape.mask_text(progress.stop.message, secrets),
        "calls_made": spent.calls,
        "calls_of_earlier_probes": len(plan.stored),
        "budget_rub": roubles_text(settings.budget.run_kopecks),
        "charged_rub": roubles_text(spent.settled),
        "unknown_rub": roubles_text(spent.unknown),
        "deviations": len(findings.deviations),
        "never_requested": [
            {
                "method": call.method,
                "inn_of": call.inn_kind,
                "purpose": str(call.purpose),
                "price_rub": roubles_text(call.price),
                "reason": "above the budget" if call in above_budget else "the probe ended before it",
            }
            for call in never
        ],
        **findings.as_json(),
        "settings": as_toml(proposals),
    }
    _write(page, report)
    return ProbeResult(plan, report, proposals, findings, page, code, progress.stop)


def _list_free_methods(progress: ProbeProgress, findings: Findings, secrets: Sequence[str]) -> None:
    """The structures of `ping` and `account`, and their error bodies."""
    rows: list[dict[str, Any]] = []
    for name, response in progress.free.items():
        is_answered = response.failure is None and is_success(response.status)
        body = body_shape.decode_json(response.body)
        paths = [] if body is None else body_shape.list_structure([body], shown_words=("status", "access_status"))
        rows.append({"method": name, "inn_of": "", "paths": paths})
        if not is_answered or body is None:
            form = body_shape.body_format(response.body)
            shown = body_shape.mask_body(response.body, secrets)
            reason = response.failure.value if response.failure is not None else f"HTTP {response.status}"
            findings.add(Level.DEVIATION, "calls", f"{reason}, body as {form}: {shown or 'empty'}", name)
    findings.structures = rows + findings.structures


def _write(page: Path, report: dict[str, Any]) -> None:
    """Write the page, and the JSON with the same name."""
    write_report(page, build_probe_page(report))
    write_report(page.with_suffix(".json"), json.dumps(report, ensure_ascii=False, indent=1) + "\n")


def list_prices(plan: ProbePlan) -> list[tuple[str, str, str, str, str]]:
    """The table of a plan: method, kind of INN, price in roubles, purpose, and what happens with the call."""
    happens = dict.fromkeys(plan.calls, "is requested") | dict.fromkeys(plan.stored, "received before, free")
    happens |= dict.fromkeys(plan.above_budget, "not requested: above the budget")
    return [
        (call.method, call.inn_kind, roubles_text(call.price) or "", str(call.purpose), happens[call])
        for call in plan.all_calls
    ]
