"""One side of a comparison in a process of its own: `python -m benchmarks.engines innspect|dlt|duckdb ARCHIVE OUT`.

Prints JSON: seconds and CPU seconds from the first read to the closed file (imports left out, the same for all),
peak memory of the process and its children together, rows and bytes of the file.
"""

import json
import resource
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.memory import peak

SIDES = {
    "innspect": "benchmarks.innspect_side",
    "dlt": "benchmarks.dlt_side",
    "duckdb": "benchmarks.duckdb_alone",
}
HEAVY = {"innspect": ("flows.rebuild",), "dlt": (), "duckdb": ()}
COUNTED = "SELECT sum(estimated_size) FROM duckdb_tables() WHERE schema_name = 'core'"


def used() -> float:
    """CPU seconds of this process and of its ended children."""
    of = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in of)


def main(side: str, archive: Path, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    load = import_module(SIDES[side]).load
    for name in HEAVY[side]:
        import_module(name)
    begun, before = perf_counter(), used()
    with peak() as most:
        load(archive, out)
    seconds, cpu = perf_counter() - begun, used() - before
    with duckdb.connect(str(out), read_only=True) as connection:
        ((rows,),) = connection.execute(COUNTED).fetchall()
    facts = {"seconds": seconds, "cpu": cpu, "peak_mb": most[0], "rows": rows, "bytes": out.stat().st_size}
    print(json.dumps(facts))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
