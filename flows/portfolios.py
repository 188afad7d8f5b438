"""Rename and drop portfolios: records in the archive, so that a rebuild gives the same members."""

from datetime import datetime

import polars as pl

from innspect.flows.load import load_record_file
from innspect.flows.open_home import Stores
from innspect.flows.run_portfolio import new_run_id
from innspect.reports.portfolio_members import list_members
from innspect.schemas.errors import UsageError
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.settings.relations import EXPANDED_SUFFIX
from innspect.schemas.states import MemberEntry


def rename_portfolio(stores: Stores, old: str, new: str, at: datetime) -> tuple[int, int]:
    """Give a portfolio another name, and the portfolio that its expansions found; the numbers of their members.

    What was requested and spent under the old name keeps it. Raises UsageError if a new name has members already.
    """
    renamed = [(old, new, list_members(stores.warehouse, old))]
    if not (found := list_members(stores.warehouse, f"{old}{EXPANDED_SUFFIX}")).is_empty():
        renamed.append((f"{old}{EXPANDED_SUFFIX}", f"{new}{EXPANDED_SUFFIX}", found))
    for _, name, _ in renamed:
        if not list_members(stores.warehouse, name).is_empty():
            raise UsageError(
                f"There is a portfolio {name} already; drop it first or choose another name.", portfolio=name
            )
    entries = [
        members.with_columns(portfolio=pl.lit(name), entry=pl.lit(entry))
        for before, after, members in renamed
        for name, entry in ((before, MemberEntry.REMOVAL), (after, MemberEntry.FILE))
    ]
    _record(stores, new, pl.concat(entries), at)
    return renamed[0][2].height, found.height


def drop_portfolio(stores: Stores, name: str, at: datetime) -> int:
    """Let all members leave a portfolio; their number. What is known of them stays."""
    members = list_members(stores.warehouse, name)
    _record(stores, name, members.with_columns(portfolio=pl.lit(name), entry=pl.lit(MemberEntry.REMOVAL)), at)
    return members.height


def _record(stores: Stores, name: str, members: pl.DataFrame, at: datetime) -> None:
    record_id = new_run_id(at, name, lambda run_id: run_id in stores.archive.run_ids("members"), stores.run_id_suffix)
    frame = members.with_columns(run_id=pl.lit(record_id), seen_at=pl.lit(at, dtype=pl.Datetime("us")))
    file = stores.archive.seal("members", record_id, frame.select(list(ARCHIVE["members"])))
    if file is not None:
        load_record_file(stores, "members", file)
