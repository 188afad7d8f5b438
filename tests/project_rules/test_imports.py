"""Who may import whom: read from the imports themselves."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAY = {
    "schemas": set(),
    "extract": {"schemas"},
    "transforms": {"schemas"},
    "warehouse": {"schemas"},
    "sandbox": {"schemas"},
    "reports": {"schemas", "warehouse"},
    "flows": {"schemas", "extract", "transforms", "warehouse", "reports"},
    "cli": {"schemas", "extract", "transforms", "warehouse", "reports", "flows"},
    "benchmarks": {"schemas", "extract", "transforms", "warehouse", "reports", "flows", "cli", "sandbox"},
}
ONLY_IN = {
    "prefect": ("flows/prefect/",),
    "httpx": ("extract/service/", "flows/notify/", "benchmarks/"),
    "duckdb": ("warehouse/", "benchmarks/"),
    "pandera": ("schemas/validation.py",),
    "obstore": ("extract/archive/s3.py",),
    "distributed": ("flows/",),
    "prefect_dask": ("flows/prefect/",),
}


def _package(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "innspect" and len(parts) > 1 else parts[0]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {_package(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(_package(node.module))
    return found


def modules():
    return sorted(path for package in MAY for path in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_keep_to_the_house(path):
    place = path.relative_to(ROOT)
    package = place.parts[0]
    found = imports(path)
    strangers = (found & set(MAY)) - MAY[package] - {package}
    assert not strangers, f"{place} imports {strangers}"
    for library, places in ONLY_IN.items():
        if library in found:
            assert str(place).startswith(places), f"{place} imports {library}"


def test_the_rule_sees_every_package():
    assert {path.parts[-2] for path in ROOT.glob("*/__init__.py")} - {"tests", "innspect"} <= set(MAY)
    assert len(modules()) > 50
