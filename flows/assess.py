"""Assess the loaded runs: what each changed in signals and levels."""

from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse


def assess_loaded_runs(warehouse: Warehouse) -> int:
    """Assess, in one transaction, the runs that are not assessed yet or by another policy; their number.

    Then the risk of every INN is stored as of now.
    """
    assessed = warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    refresh_risk(warehouse)
    return assessed
