"""The balance of the account in words: how long it lasts, against the smallest top-up."""

from innspect.reports.digest.digest_data import AccountView
from innspect.reports.i18n.catalog import Translations


def money_lines(account: AccountView, t: Translations) -> list[str]:
    """Balance, how long it lasts, and what the smallest top-up means; what is not known is said."""
    if account.balance is None or account.balance_at is None:
        return [t("digest.no_balance"), t("digest.top_up", amount=t.roubles(account.top_up))]
    lines = [t("digest.balance", amount=t.roubles(account.balance), at=t.date_time(account.balance_at))]
    if account.daily is None:
        lines.append(t("digest.no_forecast"))
    elif account.days is None or account.until is None:
        lines.append(t("digest.lasts_long", daily=t.roubles(account.daily)))
    else:
        days = t.count(account.days, "day")
        lines.append(t("digest.lasts", daily=t.roubles(account.daily), days=days, until=t.date(account.until)))
    return [*lines, _top_up_text(account, t)]


def low_balance_text(account: AccountView, t: Translations) -> str:
    """That the balance is low, as part of a sentence."""
    if account.days is not None:
        return t("digest.low", days=t.count(account.days, "day"))
    return t("digest.low_balance", amount=t.roubles(account.balance))


def _top_up_text(account: AccountView, t: Translations) -> str:
    amount = t.roubles(account.top_up)
    lasts = account.top_up_days
    text = (
        t("digest.top_up", amount=amount)
        if lasts is None
        else t("digest.top_up_lasts", amount=amount, days=t.count(lasts, "day"))
    )
    if account.balance is not None and account.balance < account.top_up:
        return f"{text} {t('digest.below')}"
    return f"{text} {t('digest.below_on', day=t.date(account.low_on))}" if account.low_on else text
