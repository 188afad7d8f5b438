"""One engine in a process of its own: `python -m benchmarks.engines innspect|dlt|duckdb ARCHIVE OUT`.

Prints JSON: wall-clock and CPU seconds from the first read to the closed file (without imports, for every engine), peak
memory of the process and its children, rows and bytes of the file.
"""

import json
import resource
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.memory import peak_memory

ENGINES = {
    "innspect": "benchmarks.engine_innspect",
    "dlt": "benchmarks.engine_dlt",
    "duckdb": "benchmarks.engine_duckdb",
}
ROW_COUNT = "SELECT sum(estimated_size) FROM duckdb_tables() WHERE schema_name = 'core'"


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main(engine: str, archive: Path, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    load = import_module(ENGINES[engine]).load
    start, cpu_start = perf_counter(), cpu_seconds()
    with peak_memory() as peak:
        load(archive, out)
    seconds, cpu = perf_counter() - start, cpu_seconds() - cpu_start
    with duckdb.connect(str(out), read_only=True) as connection:
        ((rows,),) = connection.execute(ROW_COUNT).fetchall()
    figures = {"seconds": seconds, "cpu": cpu, "peak_mib": peak[0], "rows": rows, "bytes": out.stat().st_size}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
