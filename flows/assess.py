"""Assess the loaded runs: what each changed in signals and levels; and store the risk of all INNs."""

from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse


def assess_loaded_runs(warehouse: Warehouse) -> int:
    """Assess, in one transaction, the runs that are not assessed yet or by another policy; their number."""
    return warehouse.run_in_transaction(lambda: assess_runs(warehouse))


def assess_loaded_inns(warehouse: Warehouse) -> None:
    """Assess the runs, then judge as of now the INNs whose stored risk is no longer valid."""
    assess_loaded_runs(warehouse)
    refresh_risk(warehouse)
