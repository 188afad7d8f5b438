"""Docstrings, comments, messages and documents are plain technical English: docs/glossary.md, "Sentences".

Failures list the offences by package.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project_rules.sources import PACKAGES, ROOT, list_offences

PROGRAMS = r"(?:archive|client|duckdb|ledger|pandera|polars|program|report|run|sandbox|service|warehouse)"
REFUSED = re.compile(
    rf"""\b(?:
    anew | for\ want\ of | whoever | so\ many | let(?:s|ting)?\ go\ of | tell-?tale | thereof | wherein | nought
    | (?:is|are|was|were|be|been|being|gets?|got)\ told | told\ (?:by|of|to|what|how|why|as|in|with)
    | (?:set|sets|setting|puts?|putting|kept|keeps?)\ (?:apart|aside)
    | (?:stand|stands|stood|standing)\ (?:in|beside|once|there|at|on|open|still|where|as|above|below|by|under)
    | by\ (?:the\ )?(?:service|program)(?:'s|s)?\ own\ word
    | (?:hold|holds|held|holding)\ (?:it\ |them\ )?against | work(?:s|ed|ing)?\ out
    | com(?:es?|ing)\ to\ nothing | came\ to\ nothing | (?:go|goes|went|going)\ on\ (?:in|from|by|with)
    | beside | what\ (?:came|comes) | who\ is\ not\ there | (?:is|are|was|were)\ (?:not\ )?to\ be\ had
    | mend(?:s|ed|ing)? | put(?:s|ting)?\ together | noticed | of\ its\ own\ accord | nothing\ to\ tell
    | has\ something\ to\ say | say(?:s)?\ of\ (?:it|them)sel(?:f|ves) | befalls?
    | {PROGRAMS}\ (?:knows|wants|thinks|sees|hears|believes|wishes|tells|has\ in\ hand)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
SUFFIXES = (".py", ".sql", ".j2", ".html", ".md", ".toml", ".yaml", ".css")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml")
FOLDERS = (*PACKAGES, "configs", "docs")
GENERATED = ("docs/data-dictionary.md", "docs/api-field-map.md")
"""Pages written by `make generate`: their sentences are those of the declarations."""
ALLOWED: dict[str, str] = {}
"""`path: phrase` of an offence that stays, and its reason."""


def files() -> list[Path]:
    """The files with sentences for readers and users, relative to the root."""
    below = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    found = (path.relative_to(ROOT) for path in (*below, *(ROOT / page for page in PAGES)))
    return sorted(path for path in found if str(path) not in GENERATED)


def offences(path: Path) -> Iterator[str]:
    """The lines of a file with a refused phrase; a phrase may continue on the next line."""
    lines = (ROOT / path).read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        following = lines[number].strip().lstrip("#- ") if number < len(lines) else ""
        for found in REFUSED.finditer(f"{line.rstrip()} {following}"):
            if found.start() < len(line.rstrip()) and f"{path}: {found[0].lower()}" not in ALLOWED:
                yield f"{path}:{number}: {found[0]}"


def test_sentences_are_plain_technical_english():
    found = list_offences(offence for path in files() for offence in offences(path))
    if found:
        pytest.fail(f"word these as docs/glossary.md does:\n{found}", pytrace=False)


@pytest.mark.parametrize(
    "sentence",
    ["Whoever asks.", "It is made anew.", "A row set apart.", "Left out for want of budget.", "The ledger knows it."],
)
def test_idioms_are_recognised(sentence):
    assert REFUSED.search(sentence)


def test_technical_terms_are_accepted():
    assert not REFUSED.search("Quarantined rows are listed once per chunk.")
