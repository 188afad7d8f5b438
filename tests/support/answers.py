"""Answers made by hand: the frame that the archive hands to the transforms, from a line or two a test."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import polars as pl

from innspect.flows.load import Outcome, load_batch
from innspect.schemas.lineage import ARCHIVE
from innspect.schemas.tables import tables_of
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.pipeline import Batch, transform
from innspect.transforms.versions.versioning import with_versions
from innspect.warehouse.database import Warehouse

INN, PERSON = "7707083893", "770000000017"
MOSCOW = "Europe/Moscow"
FIRST = datetime(2026, 11, 20, 10)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `body` is bytes, or JSON still to be encoded. `asked_at` None: an hour after the one before."""

    method: str
    body: Any
    inn: str = INN
    status: int = 200
    asked_at: datetime | None = None
    name: str = ""


def encoded(body: Any) -> bytes:
    """The bytes of a body."""
    return body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()


def frame(answers: Iterable[Answer], *, file: str = "answers/test.parquet", start: int = 0) -> pl.DataFrame:
    """The answers as the archive has them, with `archive_file`; numbered from `start`, which also counts the hours."""
    rows: list[dict[str, Any]] = []
    for number, answer in enumerate(answers, start):
        body = encoded(answer.body)
        asked = answer.asked_at or FIRST + timedelta(hours=number)
        rows.append(
            {
                "response_id": answer.name or f"r{number}",
                "call_id": f"c{number}",
                "run_id": "run",
                "inn": answer.inn,
                "method": answer.method,
                "asked_at": asked,
                "received_at": asked + timedelta(seconds=1),
                "http_status": answer.status,
                "bytes": len(body),
                "sha256": sha256(body).hexdigest(),
                "masked": False,
                "body": body,
            }
        )
    return pl.DataFrame(rows, schema=dict(ARCHIVE["answers"])).with_columns(pl.lit(file).alias("archive_file"))


def transformed(*answers: Answer, zone: str = MOSCOW) -> Batch:
    """What the transforms make of the answers."""
    return transform(frame(answers), zone)


def versioned(*answers: Answer) -> Batch:
    """The same with versions, where nothing was known before."""
    return with_nothing_known(transformed(*answers))


def with_nothing_known(batch: Batch) -> Batch:
    """The batch's versions in an empty warehouse."""
    known = {
        table.name: batch.rows[table.name].clear().drop(SNAP).with_columns(pl.lit("").alias("inn"))
        for block in batch.merging["block"].unique().to_list()
        for table in tables_of(block)
    }
    return with_versions(batch, known)


def load(warehouse: Warehouse, *answers: Answer, start: int = 0) -> Outcome:
    """Transform the answers and load them in one transaction."""
    batch = transform(frame(answers, start=start), MOSCOW)
    with warehouse.transaction():
        return load_batch(warehouse, batch)


def full_check(
    blocks: Mapping[str, Any], verified: Iterable[str] = (), *, inn: str = INN, **meta: Any
) -> dict[str, Any]:
    """The body of a full check that brings these blocks and names those others as verified empty."""
    return {**blocks, "_verified_empty_blocks": list(verified), "_meta": {"inn": inn, "fetched_at": 1793500000, **meta}}
