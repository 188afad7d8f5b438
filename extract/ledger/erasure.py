"""What the tombstones say, done to the ledger: the money stays, and does not say any more whom it was spent on."""

import sqlite3

from sqlalchemy import Connection, Engine, select, text, update

from innspect.extract.failpoints import reach
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.tables import calls, outbox, runs
from innspect.schemas.errors import DiskFull, StoreError


def erase(connection: Connection, tombstones: Tombstones, home: str) -> tuple[int, int]:
    """Rename the calls about forgotten INNs and drop their answers; how many of each. Totals do not change."""
    ours = calls.c.run_id.not_in(select(runs.c.run_id).where(runs.c.home != home))
    found = tombstones.among(connection.execute(select(calls.c.inn).where(ours).distinct()).scalars())
    count = answers = 0
    for inn, mark in found.items():
        ids = connection.execute(select(calls.c.call_id).where(ours, calls.c.inn == inn)).scalars().all()
        for call_id in ids:
            answers += connection.execute(outbox.delete().where(outbox.c.call_id == call_id)).rowcount
            renamed = {"call_id": tombstones.another_call(call_id), "inn": mark}
            connection.execute(update(calls).where(calls.c.call_id == call_id).values(renamed))
        count += len(ids)
    return count, answers


def scrub(engine: Engine) -> None:
    """Let nothing that was removed stand in free pages. Raises StoreError where somebody reads the file meanwhile."""
    reach("before ledger scrub")
    if engine.dialect.name == "sqlite":
        _scrub_file(engine)
    else:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as plain:
            plain.execute(text("VACUUM calls"))
            plain.execute(text("VACUUM outbox"))
    reach("after ledger scrub")


def _scrub_file(engine: Engine) -> None:
    path = engine.url.database
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        # A reader is done in a moment, or is one that somebody has to close.
        cursor.execute("PRAGMA busy_timeout = 5000")
        cursor.execute("VACUUM")
        # What was there before may still stand in the log, until it is emptied.
        row = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        busy = row is None or bool(row[0])
        cursor.close()
    except sqlite3.Error as fault:
        if fault.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise DiskFull(
                f"No space is left to write the ledger {path} anew; free as much as it takes and run `innspect forget` "
                "to finish.",
                path=path,
            ) from fault
        raise StoreError(
            f"The ledger {path} cannot be written anew ({fault}); check it with `innspect doctor` and run `innspect "
            "forget` to finish.",
            path=path,
        ) from fault
    finally:
        connection.close()
    if busy:
        raise StoreError(
            f"The ledger {path} is being read, so what was removed still stands in its log; close what reads it and "
            "run `innspect forget` to finish.",
            path=path,
        )
