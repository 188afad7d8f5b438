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
    "flows": {"schemas", "extract", "transforms", "warehouse"},
    "benchmarks": {"schemas", "extract", "transforms", "warehouse", "flows", "sandbox"},
}
ONLY_IN = {
    "prefect": ("flows/",),
    "httpx": ("extract/client.py", "extract/webhook.py", "benchmarks/"),
    "duckdb": ("warehouse/", "benchmarks/"),
    "pandera": ("schemas/frames.py",),
    "obstore": ("extract/bucket.py",),
    "distributed": ("flows/",),
    "prefect_dask": ("flows/",),
}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
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
    assert {path.parts[-2] for path in ROOT.glob("*/__init__.py")} - {"tests"} <= set(MAY)
    assert len(modules()) > 50


def test_modules_stay_small():
    large = {
        str(path.relative_to(ROOT)): lines
        for path in modules()
        if (lines := len(path.read_text("utf-8").splitlines())) > 350
    }
    assert not large, large
