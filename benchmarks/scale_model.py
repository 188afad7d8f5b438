"""A computed model of what many INNs cost in calls, money, hours, bytes and machines, from measured figures.

`python -m benchmarks.scale_model [--write]` prints the tables, or writes them into docs/scale.md between its markers.
Nothing is measured here; `MEASURED` holds the figures and their source.
"""

import argparse
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from innspect.schemas.catalogue import FULL_CHECK, METHODS

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- model -->", "<!-- /model -->"
SIZES = (10_000, 1_000_000, 7_000_000)
RATES = (10, 50, 200)
"""Calls a second that a provider may allow; 50 is what `service.requests_per_second` has by default."""
FILE_BYTES = 96 * 2**20
"""Bodies in a large file of the archive."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one full check takes. Bodies are the sandbox's mixture, see docs/benchmarks.md."""

    body: int
    """Bytes of JSON."""
    sealed: int
    """Bytes in the archive."""
    stored: int
    """Bytes in the warehouse, for the first response about an INN."""
    ledger: int
    """Bytes in the ledger, once the response is sealed."""
    transform_ms: float
    """Milliseconds of one core from sealed bytes to a batch with versions; on any worker."""
    load_ms: float
    """Milliseconds of one core to load that batch; in the loading process."""


MEASURED = Measured(body=81_400, sealed=7_200, stored=26_900, ledger=320, transform_ms=7.7, load_ms=3.0)
"""From 2,000 full checks: sizes of their archive and of the warehouse rebuilt from it; CPU time of
transforming (`flows/executors.py`) and of loading (`flows/load.py`) on one core of a shared machine; the ledger's size
from 4,000 settled calls."""


def tables(measured: Measured = MEASURED) -> list[str]:
    """The lines of the page between its markers."""
    price = METHODS[FULL_CHECK].price // 100
    summary = (
        f"For one full check: {measured.body / 1e3:.1f} KB of JSON, {measured.sealed / 1e3:.1f} KB in the archive, "
        f"{measured.stored / 1e3:.1f} KB in the warehouse, {measured.ledger} bytes in the ledger, "
        f"{measured.transform_ms:.1f} ms of a core to transform and {measured.load_ms:.1f} ms to load."
    )
    lines = [
        summary,
        "",
        "| INNs | calls | roubles | JSON | archive | archive files after compaction | warehouse | ledger |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for inns in SIZES:
        files = ceil(inns * measured.body / FILE_BYTES)
        lines.append(
            f"| {inns:,} | {inns:,} | {inns * price:,} | {_bytes(inns * measured.body)} | "
            f"{_bytes(inns * measured.sealed)} | {files:,} | {_bytes(inns * measured.stored)} | "
            f"{_bytes(inns * measured.ledger)} |"
        )
    lines += [
        "",
        "| INNs | asked at " + " | at ".join(f"{rate}/s" for rate in RATES) + " | transformed, one core | loaded |",
        "|---:|" + "---:|" * (len(RATES) + 2),
    ]
    for inns in SIZES:
        spans = (
            *(_span(inns / rate) for rate in RATES),
            _span(inns * measured.transform_ms / 1e3),
            _span(inns * measured.load_ms / 1e3),
        )
        lines.append(f"| {inns:,} | " + " | ".join(spans) + " |")
    lines += [
        "",
        "| asked at | cores that keep up by transforming | share of the loader's core |",
        "|---:|---:|---:|",
    ]
    for rate in RATES:
        lines.append(
            f"| {rate}/s | {ceil(rate * measured.transform_ms / 1e3)} | {rate * measured.load_ms / 10:.0f} % |"
        )
    return lines


def _bytes(count: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def _span(seconds: float) -> str:
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"


def insert_tables(page: str) -> str:
    """The page with the tables between its markers."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return "\n".join((f"{head}{BEGIN}", *tables(), f"{END}{tail}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    if parser.parse_args().write:
        PAGE.write_text(insert_tables(PAGE.read_text("utf-8")), "utf-8")
    else:
        print("\n".join(tables()))


if __name__ == "__main__":
    main()
