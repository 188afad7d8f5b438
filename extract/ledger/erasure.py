"""Erase from the ledger what the tombstones name; the money of the calls remains."""

import sqlite3

from sqlalchemy import Connection, Engine, select, text, update

from innspect.extract.failpoints import failpoint
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.tables import calls, outbox, runs
from innspect.schemas.errors import DiskFull, StoreError


def erase_inns(connection: Connection, tombstones: Tombstones, home: str) -> tuple[int, int]:
    """Replace erased INNs and the ids of their calls by pseudonyms and delete their responses; counts of both.

    Totals do not change.
    """
    is_of_home = calls.c.run_id.not_in(select(runs.c.run_id).where(runs.c.home != home))
    inns = connection.execute(select(calls.c.inn).where(is_of_home).distinct()).scalars()
    call_count = response_count = 0
    for inn, pseudonym in tombstones.find_forgotten(inns).items():
        ids = connection.execute(select(calls.c.call_id).where(is_of_home, calls.c.inn == inn)).scalars().all()
        for call_id in ids:
            response_count += connection.execute(outbox.delete().where(outbox.c.call_id == call_id)).rowcount
            values = {"call_id": tombstones.pseudonymous_call_id(call_id), "inn": pseudonym}
            connection.execute(update(calls).where(calls.c.call_id == call_id).values(values))
        call_count += len(ids)
    return call_count, response_count


def clear_free_pages(engine: Engine) -> None:
    """Remove deleted content from the files of the database. Raises StoreError while another program reads them."""
    failpoint("before ledger scrub")
    if engine.dialect.name == "sqlite":
        _vacuum_file(engine)
    else:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as plain:
            plain.execute(text("VACUUM calls"))
            plain.execute(text("VACUUM outbox"))
    failpoint("after ledger scrub")


def _vacuum_file(engine: Engine) -> None:
    path = engine.url.database
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        # Short reads end within the timeout; others must be closed by the user.
        cursor.execute("PRAGMA busy_timeout = 5000")
        cursor.execute("VACUUM")
        # The write-ahead log keeps old content until it is truncated.
        row = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        busy = row is None or bool(row[0])
        cursor.close()
    except sqlite3.Error as fault:
        if fault.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise DiskFull(
                f"No space is left to rewrite the ledger {path}; free as much space as it takes and run `innspect "
                "forget` to finish.",
                path=path,
            ) from fault
        raise StoreError(
            f"The ledger {path} cannot be rewritten ({fault}); check it with `innspect doctor` and run `innspect "
            "forget` to finish.",
            path=path,
        ) from fault
    finally:
        connection.close()
    if busy:
        raise StoreError(
            f"The ledger {path} is being read, so its log still holds erased content; close the program that reads it "
            "and run `innspect forget` to finish.",
            path=path,
        )
