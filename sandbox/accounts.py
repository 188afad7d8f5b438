"""Accounts: prepaid balances by key, and the bill of all charges."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from innspect.sandbox.world.random_streams import on_wire

_SPEND_SPAN = timedelta(days=30)


@dataclass(slots=True)
class Account:
    """A key with its balance, in kopecks."""

    key: str
    balance: int
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class Charge:
    """A charged call: time, key, INN, method, price and remaining balance, in kopecks."""

    time: datetime
    key: str
    inn: str
    method: str
    price: int
    balance: int


class Accounts:
    """All keys, and all charges since the last reset."""

    def __init__(
        self, keys: Iterable[str], blocked: Iterable[str], balance: int, clock: Callable[[], datetime]
    ) -> None:
        self._keys, self._blocked, self._opening, self._clock = tuple(keys), tuple(blocked), balance, clock
        self._charges: list[Charge] = []
        self._accounts: dict[str, Account] = {}
        self.reset()

    def reset(self) -> None:
        """Restore the opening balances and empty the bill."""
        self._charges.clear()
        self._accounts = {key: Account(key, self._opening) for key in self._keys}
        self._accounts |= {key: Account(key, self._opening, blocked=True) for key in self._blocked}

    def find(self, key: str) -> Account | None:
        """The account of a key, or None for an unknown key."""
        return self._accounts.get(key)

    def charge(self, account: Account, inn: str, method: str, price: int) -> None:
        """Subtract the price from the balance; a price of 0 adds no line to the bill."""
        if price:
            account.balance -= price
            self._charges.append(Charge(self._clock(), account.key, inn, method, price, account.balance))

    def spent_within_30_days(self, account: Account) -> int:
        """Kopecks charged to a key within the last 30 days."""
        since = self._clock() - _SPEND_SPAN
        return sum(one.price for one in self._charges if one.key == account.key and one.time >= since)

    def bill(self) -> dict[str, object]:
        """All charges in order, with their sum and the balances, in roubles."""
        lines = [
            {"time": one.time.isoformat(), "key": one.key, "inn": one.inn, "method": one.method,
             "price": on_wire(one.price), "balance": on_wire(one.balance)}
            for one in self._charges
        ]  # fmt: skip
        return {
            "total": on_wire(sum(one.price for one in self._charges)),
            "count": len(lines),
            "balances": {account.key: on_wire(account.balance) for account in self._accounts.values()},
            "calls": lines,
        }
