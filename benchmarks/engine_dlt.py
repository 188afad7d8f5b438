"""An archive through dlt, the common choice: its unnesting of JSON, Parquet loader files, DuckDB.

The settings are those that dlt's documentation recommends for speed: pages instead of rows, large buffers, several
loader files so that normalising uses every core, no compression of files that are read immediately.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

SETTINGS = {
    "RUNTIME__DLTHUB_TELEMETRY": "false",
    "RUNTIME__LOG_LEVEL": "ERROR",
    "NORMALIZE__WORKERS": str(os.cpu_count() or 2),
    "LOAD__WORKERS": str(os.cpu_count() or 2),
    "DATA_WRITER__BUFFER_MAX_ITEMS": "50000",
    "SOURCES__DATA_WRITER__FILE_MAX_ITEMS": "1000",
    "SOURCES__DATA_WRITER__BUFFER_MAX_ITEMS": "1000",
    "SOURCES__DATA_WRITER__DISABLE_COMPRESSION": "true",
}
PAGE_ROWS = 500
os.environ.update(SETTINGS)

import dlt  # noqa: E402 (reads its settings from the environment)


def load(archive: Path, out: Path) -> None:
    """Load the archive into the file `out`, every nested list into a table of its own."""
    decoder = msgspec.json.Decoder()

    def pages() -> Iterator[list[dict[str, Any]]]:
        for file in sorted((archive / "answers").glob("*.parquet")):
            frame = pl.read_parquet(file, columns=["response_id", "inn", "body"])
            for part in frame.iter_slices(PAGE_ROWS):
                yield [
                    {**decoder.decode(body), "response_id": response, "asked_inn": inn}
                    for response, inn, body in part.iter_rows()
                ]

    pipeline = dlt.pipeline(
        pipeline_name="benchmark",
        pipelines_dir=str(out.parent / "pipelines"),
        destination=dlt.destinations.duckdb(str(out)),
        dataset_name="core",
    )
    pipeline.run(
        dlt.resource(pages, name="full_check"), loader_file_format="parquet", write_disposition="append"
    ).raise_on_failed_jobs()
