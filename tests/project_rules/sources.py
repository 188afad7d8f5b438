"""The files that the rules of the project are about, and how offences are listed."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("schemas", "extract", "transforms", "warehouse", "sandbox", "reports", "flows", "cli")
"""The packages of the product."""


def product_modules(*extra: str) -> list[Path]:
    """Every Python module of the product, and of these further folders, relative to the root."""
    return sorted(path.relative_to(ROOT) for package in (*PACKAGES, *extra) for path in (ROOT / package).rglob("*.py"))


def parse_module(module: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse((ROOT / module).read_text("utf-8"))


def list_offences(offences: Iterable[str]) -> str:
    """One offence a line, grouped by package, with the number of offences of each."""
    groups: dict[str, list[str]] = {}
    for offence in offences:
        groups.setdefault(offence.partition("/")[0].partition(":")[0], []).append(offence)
    return "\n".join(line for group in sorted(groups) for line in _group_lines(group, groups[group]))


def _group_lines(group: str, offences: list[str]) -> Iterator[str]:
    yield f"## {group}: {len(offences)}"
    yield from offences
