"""`.ci/run` runs one half of the long tests, and the commit decides which: each test is in one of them."""

import subprocess
import sys

import pytest

from tests.project_rules.sources import ROOT

FILE = "tests/schemas/test_settings.py"


def collect(*options: str) -> list[str]:
    """The tests of a file that pytest would run with these options, or its error."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", *options, FILE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n\n")[0].splitlines() if done.returncode == 0 else [done.stderr]


@pytest.mark.long
def test_each_test_is_in_one_of_the_parts():
    tests, *halves = (collect(*options) for options in ((), ("--part", "1/2"), ("--part", "2/2")))
    assert all(halves)
    assert sorted(halves[0] + halves[1]) == sorted(tests)


@pytest.mark.long
def test_part_that_does_not_exist_is_an_error():
    (error,) = collect("--part", "3/2")
    assert "--part" in error
