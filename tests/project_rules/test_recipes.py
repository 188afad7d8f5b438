"""The recipes of docs/adding-a-field.md and docs/adding-a-block.md, executed in a copy of the repository."""

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.project_rules.generate import STEPS

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "innspect",
    "schemas",
    "extract",
    "transforms",
    "warehouse",
    "reports",
    "flows",
    "cli",
    "sandbox",
    "configs",
)
QUICK_STEPS = tuple(step for step in STEPS if step not in ("help", "frames"))
QUICK_TESTS = (
    "tests/schemas/test_declarations.py",
    "tests/schemas/test_documented_fields.py",
    "tests/schemas/test_bodies.py",
    "tests/project_rules/test_generated.py",
    "--deselect=tests/project_rules/test_generated.py::test_generated_files_are_up_to_date[help]",
)
LONG_TESTS = (
    "tests/schemas",
    "tests/project_rules/test_generated.py",
    "tests/sandbox/test_documented_payloads.py",
    "tests/sandbox/test_openapi.py",
    "tests/transforms",
    # The recipe asks for cases by hand.
    "--deselect=tests/transforms/test_coverage.py::test_every_coverage_rule_has_a_case",
)


def python_blocks(page: str) -> list[str]:
    """The Python code of a page of docs/."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [textwrap.dedent(code) for code in re.findall(r"^ *```python\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository without its history."""
    for name in (*PACKAGES, "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (ROOT / "pyproject.toml", *ROOT.glob("requirements*.lock")):
        shutil.copy(path, tmp_path)
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """Run `python -m` in the copy; its output is the message of a failure."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def add_field(folder: Path) -> list[str]:
    """Add the line of docs/adding-a-field.md; returns what the generated files must contain."""
    path = folder / "schemas" / "blocks" / "leasing.py"
    text = path.read_text("utf-8")
    before = '    lessor = Field(TEXT, "Who leases it out.")\n'
    assert before in text
    (line,) = python_blocks("adding-a-field.md")
    path.write_text(text.replace(before, before + textwrap.indent(line, "    ")), "utf-8")
    return ["insurer"]


def add_block(folder: Path) -> list[str]:
    """Add the file of docs/adding-a-block.md; returns what the generated files must contain."""
    (code,) = python_blocks("adding-a-block.md")
    (folder / "schemas" / "blocks" / "insurance.py").write_text(code, "utf-8")
    return ["insurance__policies", "signed_on"]


def follow(folder: Path, names: list[str], steps: tuple[str, ...], tests: tuple[str, ...]) -> None:
    """Run `make generate` and the completeness tests in the copy."""
    run(folder, "tests.project_rules.generate", *steps)
    for generated in ("docs/data-dictionary.md", "tests/data/golden/ddl.sql"):
        text = (folder / generated).read_text("utf-8")
        assert [name for name in names if name not in text] == []
    run(folder, "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long and not vast", *tests)


@pytest.mark.long
def test_a_field_and_a_block_need_one_edit_each(copy):
    follow(copy, add_field(copy) + add_block(copy), QUICK_STEPS, QUICK_TESTS)


@pytest.mark.long(first=True)
@pytest.mark.parametrize("add", [pytest.param(add_field, marks=pytest.mark.vast), add_block])
def test_a_recipe_needs_one_edit_for_all_completeness_tests(copy, add):
    follow(copy, add(copy), (), LONG_TESTS)
