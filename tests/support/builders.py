"""Builders of responses: a frame as the archive returns it, from one or two lines in a test."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from innspect.sandbox.response_cache import ResponseCache
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.decoders import Conventions
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.lineage import ADDED_ARCHIVE_COLUMNS, ARCHIVE
from innspect.schemas.tables import tables_of
from innspect.transforms.pipeline import transform
from innspect.transforms.split import split_responses
from innspect.transforms.versions.versioning import add_versions
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.records import load_records

INN, PERSON = "7707083893", "770000000017"
MOSCOW = "Europe/Moscow"
CONVENTIONS = Conventions(MOSCOW)
FIRST = datetime(2026, 11, 20, 10)
"""When the first response of a frame is requested; each later one an hour after the one before it."""
DATA = Path(__file__).parents[1] / "data"
BODIES = DATA / "bodies"
"""Hand-written bodies, `<block>.<sort>.json` for each of `SORTS`."""
SORTS = ("full", "empty", "quirks")
OWN_METHOD = {method.block: method.name for method in reversed(METHODS.values()) if method.block}
"""The standalone method of each block that has one; a company's where a person's exists, too."""
FULL_CHECK_KEYS = {name: block.full_check_key for name, block in BLOCKS.items() if block.full_check_key}


@dataclass(frozen=True, slots=True)
class Response:
    """A response; `body` is bytes or a JSON value. `asked_at` None: one hour after the response before it."""

    method: str
    body: Any
    inn: str = INN
    status: int = 200
    asked_at: datetime | None = None
    name: str = ""
    run_id: str = "run"


def encode_body(body: Any) -> bytes:
    """Encode a body as JSON; bytes are returned unchanged."""
    return body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()


def response_frame(
    responses: Iterable[Response], *, file: str = "answers/test.parquet", start: int = 0
) -> pl.DataFrame:
    """Responses in the columns of the archive and `archive_file`; numbers and hours count from `start`."""
    rows: list[dict[str, Any]] = []
    for number, response in enumerate(responses, start):
        body = encode_body(response.body)
        asked = response.asked_at or FIRST + timedelta(hours=number)
        rows.append(
            {
                "response_id": response.name or f"r{number}",
                "call_id": f"call-{response.name}" if response.name else f"c{number}",
                "run_id": response.run_id,
                "inn": response.inn,
                "method": response.method,
                "asked_at": asked,
                "received_at": asked + timedelta(seconds=1),
                "http_status": response.status,
                "bytes": len(body),
                "sha256": sha256(body).hexdigest(),
                "masked": False,
                "body": body,
            }
        )
    return pl.DataFrame(rows, schema=dict(ARCHIVE["answers"])).with_columns(pl.lit(file).alias("archive_file"))


def transform_responses(
    *responses: Response, zone: str = MOSCOW, ok_statuses: tuple[str, ...] = CONVENTIONS.ok_statuses
) -> Batch:
    """Transform the responses."""
    return transform(split_responses(response_frame(responses), ok_statuses=ok_statuses), zone)


def version_responses(*responses: Response) -> Batch:
    """Transform the responses and compute the versions that an empty warehouse would get."""
    return version_from_empty(transform_responses(*responses))


def version_from_empty(batch: Batch) -> Batch:
    """Compute the versions that an empty warehouse would get from the batch."""
    known = {
        table.name: batch.rows[table.name].clear().drop(SNAP).with_columns(pl.lit("").alias("inn"))
        for block in batch.merges["block"].unique().to_list()
        for table in tables_of(block)
    }
    return add_versions(batch, known)


def load_responses(warehouse: Warehouse, *responses: Response, start: int = 0):
    """Transform the responses and load them in one transaction; the `LoadOutcome`."""
    from innspect.flows.load import load_batch

    batch = transform(split_responses(response_frame(responses, start=start)), MOSCOW)
    with warehouse.transaction():
        return load_batch(warehouse, batch)


def load_record(warehouse: Warehouse, kind: str, *rows: Mapping[str, Any], file: str = "records.parquet") -> None:
    """Load records of calls, members and so on; cells that are not given are as in an old file of the archive."""
    frame = pl.DataFrame(rows, schema_overrides={name: ARCHIVE[kind][name] for name in rows[0]})
    added = ADDED_ARCHIVE_COLUMNS.get(kind, {})
    frame = frame.select(
        pl.col(name) if name in frame.columns else pl.lit(added.get(name), dtype).alias(name)
        for name, dtype in ARCHIVE[kind].items()
    )
    with warehouse.transaction():
        load_records(warehouse, kind, frame, file)


def lose_call(
    warehouse: Warehouse, inn: str, method: str, at: datetime, *, call_id: str = "lost", reason: str | None = None
) -> None:
    """Load a call of unknown outcome that has no response."""
    row = {"call_id": call_id, "run_id": call_id, "inn": inn, "method": method, "state": "unknown"}
    load_record(warehouse, "calls", {**row, "reserved_at": at, "reason": reason}, file=f"{call_id}.parquet")


def full_check_body(
    blocks: Mapping[str, Any], verified: Iterable[str] = (), *, inn: str = INN, **meta: Any
) -> dict[str, Any]:
    """The body of a full check that contains `blocks` and lists `verified` as verified empty."""
    return {**blocks, "_verified_empty_blocks": list(verified), "_meta": {"inn": inn, "fetched_at": 1793500000, **meta}}


def block_response(block: str, body: bytes, *, asked_at: datetime | None = None, name: str = "") -> Response:
    """A response of the block's standalone method, or of the full check where it has none."""
    if block in OWN_METHOD:
        return Response(OWN_METHOD[block], body, asked_at=asked_at, name=name)
    return Response(FULL_CHECK, b'{"%s":%s}' % (FULL_CHECK_KEYS[block].encode(), body), asked_at=asked_at, name=name)


def sandbox_responses(
    inns: Iterable[str], day: date, *, method: str = FULL_CHECK, asked_at: datetime | None = None
) -> list[Response]:
    """The sandbox's responses about the INNs on a day of its calendar; `asked_at` None: at 03:00 of that day."""
    bodies = ResponseCache(0, day.toordinal(), 1 << 20)
    at = asked_at or datetime.combine(day, time(3))
    return [Response(method, bodies.body(inn, method).payload, inn, asked_at=at, name=f"{at}-{inn}") for inn in inns]
