"""Assess the loaded runs: what each changed in signals and levels; and store risk, links and news of all INNs."""

from functools import partial

from innspect.warehouse.assessments.assess_runs import assess_runs, find_stale_runs
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.load.replace import assess_in_bounds, commit_part
from innspect.warehouse.news.refresh_news import refresh_news


def assess_loaded_runs(warehouse: Warehouse) -> int:
    """Assess the runs that are not assessed yet or by another policy; their number.

    In one transaction, or in several for some thousand INNs each: if the process is killed between two, the run is not
    recorded as assessed, and the next start assesses it again from the beginning. In a lake always in one, because
    others read it meanwhile.
    """
    if warehouse.is_shared:
        # An empty transaction would be numbered too, and leave the mirrors of all homes behind.
        _, stale = find_stale_runs(warehouse)
        return warehouse.run_in_transaction(lambda: assess_runs(warehouse)) if stale else 0

    def assess() -> int:
        with warehouse.transaction():
            return assess_runs(warehouse, partial(commit_part, warehouse))

    return assess_in_bounds(warehouse, assess)


def assess_loaded_inns(warehouse: Warehouse) -> None:
    """Assess the runs, judge as of now the INNs whose stored risk is no longer valid, and store links and news."""
    assess_loaded_runs(warehouse)
    refresh_risk(warehouse)
    refresh_links(warehouse)
    refresh_news(warehouse)
