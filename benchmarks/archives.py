"""Archives of full checks of the sandbox: the input of the benchmarks."""

from datetime import date
from pathlib import Path

import polars as pl

from innspect.extract.archive.archive import ANSWERS, Archive
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from tests.support.builders import MOSCOW, response_frame, sandbox_responses

ZONE = MOSCOW
RESPONSES_PER_FILE = 1_000


def full_checks(inns: list[str], day: date = DEFAULT_DAY) -> pl.DataFrame:
    """One full check per INN (frame of `ARCHIVE["answers"]` and `archive_file`), requested at 03:00 of that day."""
    return response_frame(sandbox_responses(inns, day), file=f"{day}")


def write_archive(folder: Path, count: int, day: date = DEFAULT_DAY) -> int:
    """Write an archive of `count` full checks of a day, unless the folder has them; bytes of JSON of all days."""
    store = Archive(folder)
    inns = sample_inns(count, 0)
    for start in range(0, count, RESPONSES_PER_FILE):
        name = f"{day}-{start:07d}"
        if f"{ANSWERS}/{name}-00001.parquet" not in store.files(ANSWERS):
            frame = full_checks(inns[start : start + RESPONSES_PER_FILE], day).drop("archive_file")
            store.seal(ANSWERS, name, frame)
    return sum(int(store.read_rows(file)["bytes"].sum()) for file in store.files(ANSWERS))
