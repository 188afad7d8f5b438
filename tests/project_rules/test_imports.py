"""Imports go one way: docs/architecture.md. Read from the source, imports inside functions and for type checkers too."""

import ast
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.project_rules.sources import PACKAGES, ROOT, parse_module, product_modules

MAY_IMPORT = {
    "schemas": set[str](),
    "extract": {"schemas"},
    "transforms": {"schemas"},
    "warehouse": {"schemas"},
    "sandbox": {"schemas"},
    "reports": {"schemas", "warehouse"},
    "flows": {"schemas", "extract", "transforms", "warehouse", "reports"},
    "cli": {"schemas", "extract", "transforms", "warehouse", "reports", "flows"},
    "benchmarks": {*PACKAGES, "tests"},
}
ONLY_IN = {
    "prefect": ("flows/prefect/",),
    "prefect_dask": ("flows/prefect/",),
    "distributed": ("flows/executors.py",),
    "httpx": ("extract/service/", "flows/notify/", "benchmarks/"),
    "apprise": ("flows/notify/",),
    "duckdb": ("warehouse/", "benchmarks/"),
    "pandera": ("schemas/validation.py",),
    "obstore": ("extract/archive/s3.py",),
    "psycopg": ("extract/ledger/", "warehouse/"),
    "sqlalchemy": ("extract/ledger/",),
    "streamlit": ("reports/dashboard/",),
}
"""Libraries and the only modules that import them."""
MODULES = product_modules("benchmarks")


def dotted(module: Path) -> str:
    """The name by which a module of the product is imported."""
    parts = module.with_suffix("").parts
    return ".".join(("innspect", *parts[: -1 if parts[-1] == "__init__" else None]))


def imported_names(module: Path) -> set[str]:
    """The absolute names of everything that a module imports: `a.b` for `import a.b`, `a.b.c` for `from a.b import c`."""
    found = set[str]()
    package = dotted(module) if module.stem == "__init__" else dotted(module).rpartition(".")[0]
    for node in ast.walk(parse_module(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{source}.{alias.name}" for alias in node.names}
    return found


def imported_packages(module: Path) -> set[str]:
    """The libraries that a module imports, and the packages of the product without `innspect`."""
    parts = [name.split(".") for name in imported_names(module)]
    return {name[1] if name[0] == "innspect" else name[0] for name in parts}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_packages_are_imported_one_way(module):
    package = module.parts[0]
    found = imported_packages(module)
    refused = (found & set(MAY_IMPORT)) - MAY_IMPORT[package] - {package}
    assert not refused, f"{module} imports {refused}"
    for library, places in ONLY_IN.items():
        assert library not in found or str(module).startswith(places), f"{module} imports {library}"


def test_no_command_imports_another():
    for module in (ROOT / "cli").glob("[!_]*.py"):
        if module.name == "main.py":
            continue
        below = {
            name.split(".")[2] for name in imported_names(module.relative_to(ROOT)) if name.startswith("innspect.cli.")
        }
        others = {name for name in below if not name.startswith(("_", f"{module.stem}_"))}
        assert not others, f"cli/{module.name} imports {others}"


def test_commands_are_not_found_by_strings():
    for module in (ROOT / "cli").glob("*.py"):
        text = module.read_text("utf-8")
        assert not any(word in text for word in ("import_module", "__import__")), module.name


def test_modules_do_not_import_one_another_in_a_circle():
    names = {dotted(module) for module in MODULES}

    def imported_modules(module: Path) -> set[str]:
        found = {name if name in names else name.rpartition(".")[0] for name in imported_names(module)}
        return (found & names) - {dotted(module)}

    try:
        TopologicalSorter({dotted(module): imported_modules(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]), pytrace=False)


def test_the_rules_cover_every_package():
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "innspect"} == set(PACKAGES)
    assert {module.parts[0] for module in MODULES} == set(MAY_IMPORT)


def test_the_import_package_links_to_every_folder():
    links = {path.name: path.readlink() for path in (ROOT / "innspect").iterdir() if path.is_symlink()}
    assert links == {name: Path("..") / name for name in (*PACKAGES, "configs")}
    assert {path.name for path in (ROOT / "innspect").glob("*.*")} == {"__init__.py"}


def test_the_distribution_has_one_import_package(tmp_path):
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["packages"] == ["innspect"]
    wheel = pytest.importorskip("hatchling.builders.wheel")
    (path,) = wheel.WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    files = {Path(name) for name in ZipFile(path).namelist()}
    assert {file.parts[0] for file in files if not file.parts[0].endswith(".dist-info")} == {"innspect"}
    for package in (*PACKAGES, "configs"):
        assert any(file.parts[:2] == ("innspect", package) for file in files), package
