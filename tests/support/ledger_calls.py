"""The three steps of one call, each in a ledger transaction of its own, for tests without an event loop."""

from innspect.extract.ledger import operations
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome


def reserve(ledger: Ledger, run_id: str, inn: str, method: str, price: int, caps: Caps) -> str:
    """Reserve the price of one call, in kopecks, and return its id. Raises BudgetEnded."""
    with ledger.transaction() as transaction:
        return operations.reserve(transaction, run_id, inn, method, price, caps)


def mark_sent(ledger: Ledger, call_id: str) -> None:
    """Record that a call is about to be sent. Raises StoreError if the call is not open."""
    with ledger.transaction() as transaction:
        operations.mark_sent(transaction, call_id)


def settle(ledger: Ledger, call_id: str, outcome: Outcome) -> bool:
    """Store the outcome of a call. False if it was stored before; the ledger does not change then."""
    with ledger.transaction() as transaction:
        return operations.settle(transaction, call_id, outcome)


def record_balance(ledger: Ledger, balance: int, opening_run: str | None = None) -> None:
    """Record a reported balance, in kopecks, as if it had been requested just now."""
    with ledger.transaction() as transaction:
        operations.record_balance(transaction, balance, transaction.next_seq(), transaction.next_seq())
        if opening_run is not None:
            operations.set_opening_balance(transaction, opening_run, balance)
