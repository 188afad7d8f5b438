"""State machine: after any order of operations, crashes and clock jumps, totals are right and no cap is exceeded."""

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome, compress_response
from innspect.schemas.errors import BudgetEnded
from innspect.schemas.states import CallState
from tests.support.ledger_calls import mark_sent, reserve, settle

CAPS = Caps(run=3000, day=2000, month=4000)
ENDS = {
    CallState.SETTLED: 1,
    CallState.FREE: 0,
    CallState.RELEASED: 0,
    CallState.UNKNOWN: None,
}


def naive(*when: int) -> datetime:
    """An instant in UTC as a naive datetime."""
    return datetime(*when, tzinfo=UTC).replace(tzinfo=None)


class Machine(RuleBasedStateMachine):
    """Consecutive runs on one ledger; the machine keeps its own record of every call."""

    open_calls = Bundle("open_calls")

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now = datetime(2026, 11, 28, 12, tzinfo=UTC)
        self.ledger = self.open_ledger()
        self.run = 0
        # Per call: run, day, month, price, counted amount, whether it has an outcome, whether it was sent.
        self.calls: dict[str, dict] = {}

    def open_ledger(self) -> Ledger:
        return Ledger.open(self.folder / "ledger.sqlite", lambda: self.now, "UTC")

    @initialize()
    def begin(self):
        self.next_run()

    @rule()
    def next_run(self):
        self.run += 1
        self.ledger.start_run(
            f"run{self.run}", portfolio="p", profile="f", budget=3000, at=self.now, software_version="1"
        )

    @rule(target=open_calls, price=st.integers(0, 1200), inn=st.sampled_from("ab"))
    def reserve(self, price, inn):
        run = f"run{self.run}"
        day = f"{self.now:%Y-%m-%d}"
        left = min(
            CAPS.run - self.counted(run=run),
            CAPS.day - self.counted(day=day),
            CAPS.month - self.counted(month=day[:7]),
        )
        try:
            call_id = reserve(self.ledger, run, inn, "m", price, CAPS)
        except BudgetEnded:
            assert price > left
            return multiple()
        assert price <= left
        assert call_id not in self.calls
        facts = {"run": run, "day": day, "month": day[:7], "price": price, "counts": price}
        self.calls[call_id] = facts | {"done": False, "sent": False}
        return call_id

    @rule(call_id=open_calls)
    def send(self, call_id):
        if not self.calls[call_id]["done"] and not self.calls[call_id]["sent"]:
            mark_sent(self.ledger, call_id)
            self.calls[call_id]["sent"] = True

    @rule(call_id=consumes(open_calls), state=st.sampled_from([*ENDS]), share=st.integers(1, 100))
    def settle(self, call_id, state, share):
        self.resolve(call_id, state, share)

    @rule(call_id=open_calls, state=st.sampled_from([*ENDS]), share=st.integers(1, 100))
    def settle_perhaps_twice(self, call_id, state, share):
        self.resolve(call_id, state, share)

    def resolve(self, call_id, state, share):
        call = self.calls[call_id]
        charged = ENDS[state] and call["price"] * share // 100
        if state is CallState.SETTLED and not charged:
            state = CallState.FREE
        answer = compress_response(b"{}", naive(2026, 11, 28), masked=False) if state is CallState.SETTLED else None
        first = settle(self.ledger, call_id, Outcome(state, charged, "x", None, None, answer))
        assert first is not call["done"]
        if first:
            call["counts"] = call["price"] if charged is None else charged
            call["done"] = True

    @rule(hours=st.integers(-80, 80))
    def jump(self, hours):
        self.now += timedelta(hours=hours)

    @rule()
    def crash(self):
        self.ledger.close()
        self.ledger = self.open_ledger()
        self.ledger.recover()
        for call in self.calls.values():
            if not call["done"]:
                call["done"] = True
                call["counts"] = call["price"] if call["sent"] else 0

    def counted(self, **of):
        return sum(call["counts"] for call in self.calls.values() if all(call[key] == of[key] for key in of))

    @invariant()
    def totals_are_correct(self):
        assert self.ledger.find_faults() == []
        figures = self.ledger.figures()
        assert figures.settled + figures.unknown + figures.reserved == self.counted()

    @invariant()
    def no_cap_is_exceeded(self):
        for key, cap in (("run", CAPS.run), ("day", CAPS.day), ("month", CAPS.month)):
            for period in {call[key] for call in self.calls.values()}:
                assert self.counted(**{key: period}) <= cap

    def teardown(self):
        self.ledger.close()
        shutil.rmtree(self.folder)


TestLedger = Machine.TestCase
TestLedger.settings = settings(
    max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
