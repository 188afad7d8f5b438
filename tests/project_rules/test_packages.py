"""Packages stay small, and a module name says where the module is: docs/architecture.md, module map."""

from collections import defaultdict

from tests.project_rules.sources import PACKAGES, ROOT, product_modules

MAX_MODULES = 12
"""Modules of a package, `__init__` aside."""
LARGE_PACKAGES = {
    "schemas/blocks": "one module per block of the service",
    "sandbox/payloads": "one module per block whose payload is written by hand",
    "cli": "one module per command",
    "flows": "one module per step of a run, a rebuild or an erasure",
    "reports/dashboard": "one module per page and per tab of the company's page",
}
SHARED_NAMES = {
    "app": "the entry point of the sandbox's service and of the dashboard",
    "envelope": "the envelope of a response: the client reads it, the sandbox writes it",
    "erasure": "what a store removes of an INN: ledger, archive",
    "load": "rows into tables, and responses into the warehouse",
    "queries": "the queries of a store or of a page",
    "reader": "what reads a portfolio, and what reads a published copy",
    "tables": "the tables of the ledger and of the warehouse",
    "xlsx": "the same format for a query's result and for a published copy",
}
"""Module names that two packages share, and why; blocks, payloads and parts of a command aside."""
PARTS_OF_COMMANDS = ("cli/", "flows/", "reports/")
"""Packages where a module is named after the command that it is a part of: `publish`, `rebuild`, `report`."""


def commands() -> set[str]:
    """The names of the commands."""
    return {path.stem for path in (ROOT / "cli").glob("[!_]*.py")}


def test_packages_have_few_modules():
    sizes: dict[str, list[str]] = defaultdict(list)
    for module in product_modules():
        if module.stem != "__init__":
            sizes[str(module.parent)].append(module.stem)
    large = {package: sorted(names) for package, names in sizes.items() if len(names) > MAX_MODULES}
    assert set(large) <= set(LARGE_PACKAGES), {name: len(large[name]) for name in set(large) - set(LARGE_PACKAGES)}
    assert set(LARGE_PACKAGES) <= set(large)


def test_module_names_are_unique():
    places: dict[str, list[str]] = defaultdict(list)
    names = commands()
    for module in product_modules():
        if module.stem.startswith("__") or str(module.parent) in ("schemas/blocks", "sandbox/payloads"):
            continue
        if module.stem in names and str(module).startswith(PARTS_OF_COMMANDS):
            continue
        places[module.stem].append(str(module))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert shared.keys() <= SHARED_NAMES.keys(), {name: shared[name] for name in shared.keys() - SHARED_NAMES.keys()}


def test_exceptions_are_needed():
    stems = [module.stem for module in product_modules()]
    assert [name for name in SHARED_NAMES if stems.count(name) < 2] == []


def test_packages_have_no_catch_all_modules():
    refused = {"base", "common", "core", "helpers", "manager", "misc", "shared", "tools", "util", "utils"}
    assert [str(module) for module in product_modules() if refused & {module.stem, module.parent.name}] == []


def test_every_package_says_what_it_holds():
    for package in (*PACKAGES, *{str(module.parent) for module in product_modules()}):
        text = (ROOT / package / "__init__.py").read_text("utf-8")
        assert text.startswith('"""'), package
