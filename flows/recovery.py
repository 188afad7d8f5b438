"""Recover what a killed process left: settle its calls, seal and load its responses. Repeatable and free of charge."""

from datetime import datetime

from innspect.flows.assess import assess_loaded_runs
from innspect.flows.load import load_missing_files
from innspect.flows.open_home import Stores
from innspect.flows.seal import seal_outbox, seal_run
from innspect.schemas.decoders import Conventions
from innspect.schemas.errors import Exit
from innspect.warehouse.links.refresh_links import refresh_links


def recover(stores: Stores, conventions: Conventions, at: datetime) -> int:
    """Settle, seal, load and assess what a killed process left; the number of response files loaded."""
    unfinished = stores.ledger.recover(stores.home_id)
    seal_outbox(stores)
    for run_id in unfinished:
        stores.ledger.finish_run(run_id, Exit.INTERRUPTED, at)
    # A process may have been killed after its run was finished and before the run's own record, the last, was sealed.
    sealed = stores.archive.run_ids("runs")
    for run_id in stores.ledger.run_ids(stores.home_id):
        if run_id not in sealed:
            seal_run(stores, run_id)
    loaded = load_missing_files(stores, conventions)
    assess_loaded_runs(stores.warehouse)
    if loaded:
        # A command that reads links which are not stored computes those of all INNs.
        refresh_links(stores.warehouse)
    return loaded
