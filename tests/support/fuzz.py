"""Fuzz test of the transforms with corrupted bodies of every block: `python -m tests.support.fuzz [bodies] [seed]`.

No body may raise an exception, and every row and leaf must be in a table, in quarantine or in a violation. Prints a
summary; exits with 1 if data is lost.
"""

import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from time import perf_counter

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.frames import SNAP, Batch
from innspect.transforms.pipeline import transform
from innspect.transforms.split import split_responses
from innspect.warehouse.load.load import check_row_counts
from tests.support.accounting import BatchAccount
from tests.support.builders import FIRST, MOSCOW, OWN_METHOD, block_response, response_frame, version_from_empty
from tests.support.strategies import BodyGenerator, corrupt_body, encode_exact

DEFAULT_BODIES, BATCH_BODIES = 100_000, 500
EXACT = msgspec.json.Decoder(float_hook=lambda text: text)


def generate_bodies(seed: int, number: int) -> Iterator[tuple[str, bytes]]:
    """Pairs of block and body, `number` of them, the blocks in turn, each body with zero to four corruptions."""
    names = list(BLOCKS)
    for count in range(number):
        chance = Random(f"{seed}:{count}")
        block = names[count % len(names)]
        body = BodyGenerator(chance, is_complete=chance.random() < 0.7).body(block)
        yield block, encode_exact(corrupt_body(chance, body, chance.randrange(5)))


def fuzz_frame(made: list[tuple[str, bytes]]) -> pl.DataFrame:
    """The bodies as responses, one second apart."""
    return response_frame(
        block_response(block, body, asked_at=FIRST + timedelta(seconds=number))
        for number, (block, body) in enumerate(made)
    )


def transform_separately(frame: pl.DataFrame) -> Batch:
    """Transform and version the responses, each as the first of its INN."""
    batch = transform(split_responses(frame), MOSCOW)
    check_row_counts(version_from_empty(batch))
    return batch


def find_losses(made: list[tuple[str, bytes]], batch: Batch) -> Iterator[str]:
    """Rows and leaves of the bodies that the batch does not contain."""
    account = BatchAccount(batch)
    snaps = {
        (answer, block): snap for snap, answer, block in batch.snapshots.select(SNAP, "response", "block").iter_rows()
    }
    for number, (block, body) in enumerate(made):
        snap = snaps[number, block]
        standalone = block in OWN_METHOD
        if account.states[snap] in ("found", "clean", "partial"):
            for fault in account.find_missing(snap, block, EXACT.decode(body), standalone=standalone):
                yield f"{block}: {fault}: {body[:2000].decode('utf-8', 'replace')}"


def _find_failures(made: list[tuple[str, bytes]]) -> Iterator[str]:
    """Bodies for which the transforms raise an exception."""
    for each in made:
        try:
            transform_separately(fuzz_frame([each]))
        except Exception:  # noqa: BLE001 (any exception is a finding)
            yield f"{each[0]}: {traceback.format_exc(limit=-2)}: {each[1][:2000].decode('utf-8', 'replace')}"


def main(arguments: list[str]) -> int:
    """Run and print a summary; 1 if data is lost."""
    number = int(arguments[0]) if arguments else DEFAULT_BODIES
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    started, states, lost = perf_counter(), Counter[str](), list[str]()
    made = list[tuple[str, bytes]]()
    findings = Counter[str]()
    for count, each in enumerate(generate_bodies(seed, number), 1):
        made.append(each)
        if len(made) == BATCH_BODIES or count == number:
            try:
                batch = transform_separately(fuzz_frame(made))
            except Exception:  # noqa: BLE001 (any exception is a finding)
                lost += _find_failures(made)
            else:
                of_own = batch.snapshots.filter(pl.col("state") != "missing")
                states.update(of_own["state"].to_list())
                findings.update(
                    violations=batch.violations.height, quarantined=batch.quarantine.height, drift=batch.drift.height
                )
                lost += find_losses(made, batch)
            made = []
    print(f"{number} bodies in {perf_counter() - started:.0f} s: {dict(states)}, {dict(findings)}")
    print(f"{len(lost)} faults")
    for fault in lost[:20]:
        print(fault)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
