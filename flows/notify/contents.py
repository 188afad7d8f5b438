"""The messages of a receiver: data of the warehouse and of the account, rendered in the receiver's language."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

from innspect.extract.home.provenance import SANDBOX, read_provenance
from innspect.flows.account_summary import AccountSummary
from innspect.flows.notify.alerts import Alert
from innspect.flows.notify.message import Attachment, Message
from innspect.flows.notify.notice_state import Notice
from innspect.reports.digest.digest_data import AccountView, DigestData, Scope, read_digest
from innspect.reports.digest.digest_text import describe_digest
from innspect.reports.digest.message_page import Enclosure, Page, finish_page, render_html, render_text
from innspect.reports.digest.notice_text import (
    FailedRun,
    describe_alerts,
    describe_failure,
    describe_low_balance,
    describe_test,
)
from innspect.reports.i18n.catalog import Translations, translations
from innspect.reports.portfolio_report.build import report_file_name
from innspect.schemas.catalogue import MIN_TOP_UP_RUB
from innspect.schemas.settings import Settings
from innspect.schemas.settings.notify import Notify
from innspect.warehouse.database import Warehouse

MAX_ATTACHED_BYTES = 15_000_000
"""Of all reports together; many mail servers refuse more than 20 MB after encoding."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Writes the messages of the receiver `name`. `doubts`: earlier messages that may not have arrived."""

    settings: Settings
    name: str
    receiver: Notify
    doubts: Sequence[datetime] = field(default_factory=tuple[datetime, ...])

    def write_digest(
        self, notice: Notice, since: datetime, warehouse: Warehouse, account: AccountSummary, *, by_mail: bool
    ) -> Message:
        """The digest of a period; an e-mail has the reports attached."""
        until = notice.until or notice.at
        scope = Scope(self.receiver.portfolio, self.receiver.tag, self.receiver.severity)
        view = view_account(account, self.settings, self.receiver.below_days)
        data = read_digest(warehouse, scope, since, until, view)
        reports = find_reports(self.settings, data) if by_mail and self.receiver.attach_report else []
        address = self.receiver.report_url
        links = [(name, f"{address}/{quote(report_file_name(name))}") for name in data.portfolios] if address else []
        page = describe_digest(data, self._translations())
        enclosure = Enclosure([path.name for path in reports], links, self.doubts)
        attachments = tuple(Attachment(path.name, path.read_bytes()) for path in reports)
        return self._write(notice.notice_id, notice.at, page, enclosure, attachments)

    def write_alerts(self, message_id: str, alerts: Sequence[Alert], at: datetime) -> Message:
        """A message with alerts."""
        return self._write(message_id, at, describe_alerts(alerts, self._translations()))

    def write_failure(self, notice: Notice) -> Message:
        """A message about a failed run."""
        run = FailedRun(notice.portfolio, notice.run_id, notice.exit_code, notice.at)
        return self._write(notice.notice_id, notice.at, describe_failure(run, self._translations()))

    def write_low_balance(self, notice: Notice, account: AccountSummary) -> Message:
        """A message about a low balance."""
        view = view_account(account, self.settings, self.receiver.below_days)
        return self._write(notice.notice_id, notice.at, describe_low_balance(view, self._translations()))

    def write_test(self, message_id: str, at: datetime) -> Message:
        """The message of `innspect notify --test`."""
        return self._write(message_id, at, describe_test(self._translations()))

    def _translations(self) -> Translations:
        language = self.receiver.language or self.settings.report.language
        return translations(language, self.receiver.timezone or self.settings.source_timezone)

    def _write(
        self,
        message_id: str,
        at: datetime,
        page: Page,
        enclosure: Enclosure | None = None,
        attachments: tuple[Attachment, ...] = (),
    ) -> Message:
        t = self._translations()
        is_synthetic = read_provenance(self.settings.home) == SANDBOX
        enclosed = enclosure or Enclosure(doubts=self.doubts)
        done = finish_page(page, enclosed, self.name, at, t, is_synthetic=is_synthetic)
        return Message(message_id, at, done.subject, render_text(done, t), render_html(done, t), attachments)


def view_account(account: AccountSummary, settings: Settings, below_days: int) -> AccountView:
    """The account for a message; it is low if it lasts for fewer than `below_days` days.

    Where there is no forecast it is low below `budget.warn_balance_rub`.
    """
    figures, forecast = account.figures, account.forecast
    top_up = Decimal(MIN_TOP_UP_RUB)
    balance = None if figures.balance is None else Decimal(figures.balance).scaleb(-2)
    if forecast is None:
        level = settings.budget.warn_balance_rub
        is_low = balance is not None and level is not None and balance < level
        return AccountView(top_up, balance, figures.balance_at, is_low=is_low)
    until = forecast.find_day(forecast.floor)
    days = None if until is None else max(0, (until - account.today).days)
    kopecks = MIN_TOP_UP_RUB * 100
    return AccountView(
        top_up,
        balance,
        figures.balance_at,
        Decimal(forecast.daily).scaleb(-2),
        days,
        until,
        forecast.find_day(kopecks),
        int(Fraction(kopecks * forecast.days, forecast.spend)),
        is_low=days is not None and days < below_days,
    )


def find_reports(settings: Settings, data: DigestData) -> list[Path]:
    """The reports of the digest's portfolios that are up to date, as many as fit into a message."""
    latest = data.figures["last_asked_at"]
    paths = [settings.reports_folder / report_file_name(portfolio) for portfolio in data.portfolios]
    found: list[Path] = []
    room = MAX_ATTACHED_BYTES
    for path in paths:
        if not path.is_file() or latest is None:
            continue
        status = path.stat()
        written_at = datetime(1970, 1, 1) + timedelta(seconds=status.st_mtime)  # noqa: DTZ001 (UTC, naive)
        if written_at >= latest and status.st_size <= room:
            found.append(path)
            room -= status.st_size
    return found
