"""Seal to the archive: responses from the outbox, the portfolio of a run, and the records of its calls."""

import logging
from datetime import datetime

import polars as pl

from innspect.extract.archive.archive import Archive
from innspect.extract.log_events import log_event
from innspect.extract.portfolio.reader import Portfolio
from innspect.flows.open_home import Stores
from innspect.schemas.states import MemberEntry

POLICIES = "policies"
"""Kind of the archive files of risk policies, and their `run_id`: a policy belongs to no run."""
RECORDS = ("runs", "calls", "members", "rejected", POLICIES)
"""Kinds of archive files that hold records, not responses."""
SEAL_BYTES = 256 * 2**20
"""Maximum size of the responses that are read from the outbox at once; the size of an archive file follows from it."""

SealedFile = tuple[str, str]
"""Kind and name of an archive file."""


def seal_outbox(stores: Stores, run_id: str | None = None) -> list[str]:
    """Move the responses of one run, or of all runs of this home, from the outbox to archive files; their names.

    Responses that arrive meanwhile stay in the outbox, and so do damaged ones.
    """
    files: list[str] = []
    damaged: list[str] = []
    newest = stores.ledger.newest_outbox_seq(run_id, stores.home_id)
    while True:
        portion = stores.ledger.outbox_responses(SEAL_BYTES, run_id, stores.home_id, until_seq=newest, without=damaged)
        if portion.is_empty():
            return files
        responses = portion.filter(pl.col("body").is_not_null())
        for response_id in portion.filter(pl.col("body").is_null())["response_id"]:
            damaged.append(response_id)
            log_event("response.damaged", level=logging.WARNING, response_id=response_id)
        for (of_run,), frame in responses.group_by("run_id", maintain_order=True):
            file = stores.archive.seal("answers", str(of_run), frame)
            if file is not None:
                files.append(file)
                log_event("responses.sealed", run_id=of_run, file=file, responses=frame.height)
        stores.ledger.clear_outbox(responses["response_id"].to_list())


def seal_portfolio(stores: Stores, run_id: str, portfolio: Portfolio, seen_at: datetime) -> list[SealedFile]:
    """Seal the members and the rejected lines of a portfolio."""
    keys = pl.lit(run_id).alias("run_id"), pl.lit(portfolio.name).alias("portfolio")
    entry = MemberEntry.ADDITION if portfolio.is_addition else MemberEntry.FILE
    at = pl.lit(seen_at, dtype=pl.Datetime("us")).alias("seen_at")
    return _seal_records(
        stores,
        run_id,
        {
            "members": portfolio.members.select(
                *keys, "inn", "name", "priority", "tags", "extra", at, entry=pl.lit(entry)
            ),
            "rejected": portfolio.rejected.select(*keys, "line", "value", "reason"),
        },
    )


def seal_calls(stores: Stores, run_id: str, after_seq: int, until_seq: int) -> list[SealedFile]:
    """Seal the calls of a run in progress whose outcome became final between these events of the ledger."""
    rows = stores.ledger.call_rows(run_id, after_seq=after_seq, until_seq=until_seq)
    return _seal_records(stores, run_id, {"calls": rows})


def seal_run(stores: Stores, run_id: str, after_seq: int = 0) -> list[SealedFile]:
    """Seal the ledger's present record of a run and its calls; the calls come first.

    `after_seq`: the event up to which `seal_calls` has sealed calls.
    """
    ledger = stores.ledger
    rows = ledger.call_rows(run_id, after_seq=after_seq)
    return _seal_records(stores, run_id, {"calls": rows, "runs": ledger.run_rows(run_id)})


def seal_policies(archive: Archive, used: pl.DataFrame) -> str | None:
    """Seal the policies in use that the archive lacks; the file, if any. `used`: see `read_used_policies`."""
    files = archive.files(POLICIES)
    key = ["policy_version", "name"]
    sealed = [archive.read_columns(file, key) for file in files]
    return archive.seal(POLICIES, POLICIES, used.join(pl.concat(sealed), on=key, how="anti") if sealed else used)


def _seal_records(stores: Stores, run_id: str, frames: dict[str, pl.DataFrame]) -> list[SealedFile]:
    sealed = ((kind, stores.archive.seal(kind, run_id, frame)) for kind, frame in frames.items() if frame.height)
    return [(kind, file) for kind, file in sealed if file is not None]
