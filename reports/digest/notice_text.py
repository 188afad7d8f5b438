"""The other messages in words: alerts, a failed run, a low balance, and the test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from innspect.reports.digest.digest_data import AccountView
from innspect.reports.digest.message_page import Entry, Page, Part, capitalize_first, write_subject
from innspect.reports.digest.money_text import low_balance_text, money_lines
from innspect.reports.i18n.catalog import Translations
from innspect.schemas.change_severity import ALERT
from innspect.schemas.states import Level

Alert = Mapping[str, Any]
INTERRUPTED = "130"


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that did not end with code 0; `exit_code` None: its process was killed. `at` is UTC."""

    portfolio: str
    run_id: str
    exit_code: int | None
    at: datetime


def describe_alerts(alerts: Sequence[Alert], t: Translations) -> Page:
    """The page of alerts, grouped by counterparty; the gravest alert is the subject."""
    first = min(alerts, key=lambda alert: (alert["severity"] != ALERT, alert["kind"] == "unknown"))
    subject = t("alerts.subject", name=first["name"] or first["inn"], title=_title(first, t))
    if len(alerts) > 1:
        subject = t("alerts.more", subject=subject, count=t.number(len(alerts) - 1))
    inns = dict.fromkeys(alert["inn"] for alert in alerts)
    entries = [_alert_entry([alert for alert in alerts if alert["inn"] == inn], t) for inn in inns]
    return Page(
        subject=write_subject(subject),
        title=t("alerts.title"),
        verdict=capitalize_first(subject),
        code=first["level"] or Level.UNKNOWN,
        parts=[Part(t("signals"), entries)],
    )


def _alert_entry(alerts: Sequence[Alert], t: Translations) -> Entry:
    lines: list[str] = []
    for alert in alerts:
        evidence = t.signal_evidence(alert["evidence"]) if alert["kind"] == "signal" else None
        title = _title(alert, t)
        lines.append(t("alerts.evidence", title=title, evidence=evidence) if evidence else title)
    latest = alerts[-1]
    if latest["unknown_blocks"]:
        blocks = ", ".join(t.label("block", block) for block in latest["unknown_blocks"])
        lines.append(t("digest.old_gap", blocks=t("unknown.no_answer", block=blocks)))
    return Entry(
        latest["name"] or t("no_name"), latest["inn"], lines, level=latest["level"] or Level.UNKNOWN
    )  # fmt: skip


def _title(alert: Alert, t: Translations) -> str:
    return str(alert["title_ru" if t.language == "ru" else "title"] or alert["signal"] or alert["block"])


def describe_failure(run: FailedRun, t: Translations) -> Page:
    """The page of a failed run: which, how it ended, and what to do."""
    code = INTERRUPTED if run.exit_code is None else str(run.exit_code)
    words = t("failure.killed") if run.exit_code is None else t.label("exit", code)
    title = t("failure.title", portfolio=run.portfolio, exit=words)
    shown_code = t("not_known") if run.exit_code is None else code
    lines = [
        t("failure.at", at=t.date_time(run.at), code=shown_code),
        *([t("failure.run", run=run.run_id)] if run.run_id else []),
        t("failure.kept"),
        t.texts[f"todo.{code}"] if f"todo.{code}" in t.texts else t.texts["todo.1"],
    ]
    return Page(
        subject=write_subject(title),
        title=t("run"),
        verdict=f"{title}.",
        code=Level.UNKNOWN,
        parts=[Part(t("digest.money"), lines=lines)],
    )


def describe_low_balance(account: AccountView, t: Translations) -> Page:
    """The page of a low balance."""
    text = f"{t('budget_low.title')}: {low_balance_text(account, t)}"
    return Page(
        subject=write_subject(text),
        title=t("budget_low.title"),
        verdict=f"{text}.",
        code=Level.HIGH,
        parts=[Part(t("digest.money"), lines=money_lines(account, t))],
    )


def describe_test(t: Translations) -> Page:
    """The page of the test message."""
    return Page(
        subject=t("test.title"), title="innspect", verdict=f"{t('test.title')}.", code=Level.LOW,
        parts=[Part("innspect", lines=[t("test.text")])],
    )  # fmt: skip
