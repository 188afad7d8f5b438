"""Full checks of the sandbox as a run would have sealed them: the material of the benchmarks."""

from datetime import date, datetime, time
from hashlib import sha256
from pathlib import Path

import polars as pl

from innspect.extract.archive.archive import ANSWERS, Archive
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.response_cache import Bodies
from innspect.sandbox.world.inn_samples import sample
from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.lineage import ARCHIVE

ZONE = "Europe/Moscow"
IN_FILE = 1_000


def answers(inns: list[str], day: date) -> pl.DataFrame:
    """One answer an INN (frame of `ARCHIVE["answers"]` and `archive_file`), asked at night on that day."""
    bodies = Bodies(0, day.toordinal(), 1 << 20)
    asked_at = datetime.combine(day, time(3))
    rows: list[dict[str, object]] = []
    for inn in inns:
        body = bodies.body(inn, FULL_CHECK).payload
        rows.append(
            {
                "response_id": f"{day}-{inn}",
                "call_id": f"{day}-{inn}",
                "run_id": f"{day}",
                "inn": inn,
                "method": FULL_CHECK,
                "asked_at": asked_at,
                "received_at": asked_at,
                "http_status": 200,
                "bytes": len(body),
                "sha256": sha256(body).hexdigest(),
                "masked": False,
                "body": body,
            }
        )
    return pl.DataFrame(rows, schema=dict(ARCHIVE["answers"])).with_columns(pl.lit(f"{day}").alias("archive_file"))


def archive(folder: Path, count: int, day: date = DEFAULT_DAY) -> int:
    """An archive of so many answers in files of a thousand; bytes of JSON. One that is there is taken as it is."""
    store = Archive(folder)
    inns = sample(count, 0)
    if len(store.files(ANSWERS)) * IN_FILE < count:
        for start in range(0, count, IN_FILE):
            frame = answers(inns[start : start + IN_FILE], day).drop("archive_file")
            store.seal(ANSWERS, f"{day}-{start:07d}", frame)
    return sum(int(store.read(file)["bytes"].sum()) for file in store.files(ANSWERS))
