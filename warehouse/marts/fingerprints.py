"""Versions of what this software computes: after an update only what has another version is computed again."""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from innspect.warehouse.ddl import COMPUTED_TYPES, create_latest, create_unanswered_calls, fingerprint
from innspect.warehouse.latest import latest_query, unanswered_query
from innspect.warehouse.marts.registry import (
    STORED_RISK_MARTS,
    mart_comments,
    mart_queries,
    mart_sources,
    mart_statements,
    queries_over_stored_marts,
)

LATEST_ROWS = "latest"
"""Latest responses and unanswered calls."""
RISK, LINKS, NEWS = COMPUTED_TYPES
CODE: Mapping[str, tuple[str, ...]] = {
    LATEST_ROWS: ("load",),
    RISK: ("risk", "assessments"),
    LINKS: ("links",),
    NEWS: ("news",),
}
"""The packages below `innspect.warehouse` that compute the rows of each kind."""
SHARED_CODE = ("latest.py", "marts/fragments.py")
"""Modules below `innspect.warehouse` that all of them use."""
READ_KINDS: Mapping[str, str] = {"{signals}": RISK, "{scores}": RISK, "{links}": LINKS, "{news}": NEWS}
"""Placeholders of marts, and the kind of the stored rows that they may be filled with."""
LAYOUT = "layout"
"""The part of `software_fingerprints` that concerns all tables, views and marts."""


def _digest(*texts: str) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:12]


@cache
def code_fingerprint(*names: str) -> str:
    """Version of the code of packages and modules below `innspect.warehouse`: a hash of their files."""
    folder = files("innspect.warehouse")
    return _digest(*(text for name in names for text in _read_code(folder.joinpath(name))))


def _read_code(code: Traversable) -> Iterator[str]:
    if code.is_file():
        yield code.read_text("utf-8")
        return
    for file in sorted(code.iterdir(), key=lambda file: file.name):
        if file.name.endswith((".py", ".sql")) or (file.is_dir() and file.name != "__pycache__"):
            yield from (file.name, *_read_code(file))


@cache
def computed_fingerprints() -> Mapping[str, str]:
    """Version of each kind of rows that a warehouse stores of what it computed: of their columns, SQL and code."""
    queries = mart_queries()
    sql = {
        LATEST_ROWS: [*create_latest(), *create_unanswered_calls(), latest_query(), unanswered_query()],
        RISK: [queries[name] for name in STORED_RISK_MARTS],
        LINKS: [queries["links"]],
        NEWS: [queries["news"]],
    }
    return {
        kind: _digest(repr(COMPUTED_TYPES.get(kind)), *sql[kind], code_fingerprint(*code, *SHARED_CODE))
        for kind, code in CODE.items()
    }


@cache
def mart_fingerprints() -> Mapping[str, str]:
    """Version of each mart in a published copy: of its file, its comments, its query and the stored rows that it reads.

    Marts that build on `risk_score` read stored risk.
    """
    queries, computed = queries_over_stored_marts(), computed_fingerprints()
    return {
        name: _digest(
            source,
            repr(mart_comments()[name]),
            queries[name],
            *(computed[kind] for placeholder, kind in READ_KINDS.items() if placeholder in source),
        )
        for name, source in mart_sources()
    }


@cache
def software_fingerprints() -> Mapping[str, str]:
    """Versions of what a warehouse contains: of its tables, views and marts, and of each kind of stored rows."""
    return {LAYOUT: _digest(fingerprint(), *mart_statements()), **computed_fingerprints()}
