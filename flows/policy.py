"""Apply a risk policy without a request, and the keys in which two policies differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from innspect.extract.archive.archive import Archive
from innspect.flows.seal import seal_policies
from innspect.schemas.risk_policy.policy_model import Policies, Policy
from innspect.warehouse.database import REFRESH_MEMORY_LIMIT, Warehouse
from innspect.warehouse.load.records import register_record_file
from innspect.warehouse.risk.policy_store import date_first_use, read_used_policies, store_policies

SELECTORS = ("portfolios", "tags")
TITLE_KEYS = (".title", ".title_ru")


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """A key that differs between two policies of that name."""

    policy: str
    key: str
    before: Any
    after: Any


def find_key_differences(before: Policies, after: Policies) -> list[KeyDifference]:
    """The keys in which two sets of policies differ, without titles: they judge nothing.

    A named policy that only one of them has is compared with the `default` of the other.
    """
    names = [policy.name for policy in after.ordered]
    names[:0] = [policy.name for policy in before.ordered if policy.name not in names]
    return [
        difference
        for name in names
        for difference in _differences(name, before.get(name) or before.default, after.get(name) or after.default)
    ]


def _differences(name: str, before: Policy, after: Policy) -> Iterator[KeyDifference]:
    old, new = _keys(before), _keys(after)
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key) and not key.endswith(TITLE_KEYS):
            yield KeyDifference(name, key, old.get(key), new.get(key))


def _keys(policy: Policy) -> Mapping[str, Any]:
    return {key: list(getattr(policy, key)) for key in SELECTORS} | policy.flat_keys


def apply_policies(warehouse: Warehouse, archive: Archive, policies: Policies, at: datetime) -> bool:
    """Judge by these policies from now on, in one transaction; whether a level may have changed. Free of charge."""

    def apply() -> bool:
        connection = warehouse.connection
        date_first_use(connection)
        is_changed = store_policies(connection, policies)
        if connection.execute("SELECT 1 FROM lineage.snapshots LIMIT 1").fetchone() is not None:
            date_first_use(connection, at)
        return is_changed

    is_changed = warehouse.run_in_bounds(lambda: warehouse.run_in_transaction(apply), REFRESH_MEMORY_LIMIT)
    _seal_used_policies(warehouse, archive)
    return is_changed


def date_policies(warehouse: Warehouse, archive: Archive) -> None:
    """Record when the policies first judged something, after a run has loaded its responses."""
    warehouse.run_in_transaction(lambda: date_first_use(warehouse.connection))
    _seal_used_policies(warehouse, archive)


def _seal_used_policies(warehouse: Warehouse, archive: Archive) -> None:
    file = seal_policies(archive, read_used_policies(warehouse.connection))
    if file is not None:
        warehouse.run_in_transaction(lambda: register_record_file(warehouse, file))
