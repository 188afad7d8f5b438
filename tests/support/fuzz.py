"""Spoiled bodies of every block through the transforms: `python -m tests.support.fuzz [bodies] [seed]`.

No body may make them fail, and every row and every leaf of it must be somewhere: in a table, in quarantine, or in a
violation. Prints what came out; exits with 1 where something is lost.
"""

import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random
from time import perf_counter
from typing import Any

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.tables import tables_of
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.pipeline import Batch, transform
from innspect.transforms.versions.versioning import with_versions
from innspect.warehouse.load.load import conserve
from tests.support.accounting import Books
from tests.support.strategies import INN, Inventor, encoded, spoil

BODIES, BATCH = 100_000, 500
EXACT = msgspec.json.Decoder(float_hook=lambda text: text)
OWN_METHOD = {method.block: method.name for method in reversed(list(METHODS.values())) if method.block}
ZONE = "Europe/Moscow"


def bodies(seed: int, number: int) -> Iterator[tuple[str, bytes]]:
    """So many (block, body) of all blocks in turn, each with none to four faults."""
    names = list(BLOCKS)
    for count in range(number):
        chance = Random(f"{seed}:{count}")
        block = names[count % len(names)]
        body = Inventor(chance, honest=chance.random() < 0.7).body(block)
        yield block, encoded(spoil(chance, body, chance.randrange(5)))


def answers(made: list[tuple[str, bytes]]) -> pl.DataFrame:
    """The bodies as answers of the standalone method, or as the one block of a full check."""
    rows: list[dict[str, Any]] = []
    for number, (block, own) in enumerate(made):
        method = OWN_METHOD.get(block, FULL_CHECK)
        body = own if block in OWN_METHOD else b'{"%s":%s}' % (BLOCKS[block].full_check_key.encode(), own)
        asked = datetime(2026, 11, 20) + timedelta(seconds=number)
        rows.append({
            "response_id": f"r{number}", "call_id": f"c{number}", "run_id": "fuzz", "inn": INN, "method": method,
            "asked_at": asked, "received_at": asked, "http_status": 200, "bytes": len(body),
            "sha256": sha256(body).hexdigest(), "masked": False, "body": body,
        })  # fmt: skip
    return pl.DataFrame(rows, schema=dict(ARCHIVE["answers"]))


def through(frame: pl.DataFrame) -> Batch:
    """The transforms, to the end, each answer as if nothing had been known before it."""
    batch = transform(frame, ZONE)
    known = {
        table.name: batch.rows[table.name].clear().drop(SNAP).with_columns(pl.lit("").alias("inn"))
        for block in batch.merging["block"].unique().to_list()
        for table in tables_of(block)
    }
    conserve(with_versions(batch, known))
    return batch


def faults(made: list[tuple[str, bytes]], batch: Batch) -> Iterator[str]:
    """What the batch does not account for."""
    books = Books(batch)
    snaps = {
        (answer, block): snap for snap, answer, block in batch.snapshots.select(SNAP, "answer", "block").iter_rows()
    }
    for number, (block, body) in enumerate(made):
        snap = snaps[number, block]
        standalone = block in OWN_METHOD
        if books.states[snap] in ("found", "clean", "partial"):
            for fault in books.missing(snap, block, EXACT.decode(body), standalone=standalone):
                yield f"{block}: {fault}: {body[:2000].decode('utf-8', 'replace')}"


def _apart(made: list[tuple[str, bytes]]) -> Iterator[str]:
    """The bodies, one by one, that the transforms cannot bear."""
    for each in made:
        try:
            through(answers([each]))
        except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
            yield f"{each[0]}: {traceback.format_exc(limit=-2)}: {each[1][:2000].decode('utf-8', 'replace')}"


def main(arguments: list[str]) -> int:
    """Run, print, and say whether anything was lost."""
    number = int(arguments[0]) if arguments else BODIES
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    started, states, lost = perf_counter(), Counter[str](), list[str]()
    made = list[tuple[str, bytes]]()
    findings = Counter[str]()
    for count, each in enumerate(bodies(seed, number), 1):
        made.append(each)
        if len(made) == BATCH or count == number:
            try:
                batch = through(answers(made))
            except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
                lost += _apart(made)
            else:
                of_own = batch.snapshots.filter(pl.col("state") != "missing")
                states.update(of_own["state"].to_list())
                findings.update(
                    violations=batch.violations.height, quarantined=batch.quarantine.height, drift=batch.drift.height
                )
                lost += faults(made, batch)
            made = []
    print(f"{number} bodies in {perf_counter() - started:.0f} s: {dict(states)}, {dict(findings)}")
    print(f"{len(lost)} faults")
    for fault in lost[:20]:
        print(fault)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
