"""The marts: one SQL file each in `warehouse/marts/`, with a comment on every column."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files

from innspect.warehouse.ddl import quoted, text
from innspect.warehouse.latest import last_asked
from innspect.warehouse.marts.change_meaning import change_meaning
from innspect.warehouse.marts.knowledge import blocks_values, knowledge
from innspect.warehouse.marts.postal_address import MOST_SHARING, address_key
from innspect.warehouse.risk.policy_sql import risk_rules
from innspect.warehouse.risk.signals import scores, signals

COMMENT = re.compile(r"^-- (?P<column>\w+): (?P<comment>.+)$")
NUMBER = re.compile(r"^\d+_")
PARTS: Mapping[str, Callable[[], str]] = {
    "{blocks}": blocks_values,
    "{last_asked}": last_asked,
    "{knowledge}": knowledge,
    "{risk_rules}": risk_rules,
    "{signals}": signals,
    "{scores}": scores,
    "{change_meaning}": change_meaning,
    "{address_key}": address_key,
    "{most_sharing}": lambda: str(MOST_SHARING),
}
"""What stands in the files for SQL that is made of the declarations and the rules."""
STORED: Mapping[str, str] = {"{signals}": "risk_signals", "{scores}": "risk_score"}
"""Parts of which a mart is made: where marts are tables, those after it find there what the part would work out."""


def mart_files() -> list[str]:
    """The files in the order in which they are made: a number before the name puts one after what it builds on."""
    return sorted(file.name for file in files("innspect.warehouse.marts").iterdir() if file.name.endswith(".sql"))


def _sources() -> Iterator[tuple[str, str]]:
    for file in mart_files():
        yield (
            NUMBER.sub("", file.removesuffix(".sql")),
            files("innspect.warehouse.marts").joinpath(file).read_text("utf-8"),
        )


def mart_comments() -> dict[str, tuple[str, dict[str, str]]]:
    """The comment of each mart (its first line) and of its columns (the lines `-- column: …`)."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for name, source in _sources():
        first, *others = source.splitlines()
        columns = {match["column"]: match["comment"] for line in others if (match := COMMENT.match(line))}
        found[name] = (first.removeprefix("-- "), columns)
    return found


@cache
def mart_queries() -> Mapping[str, str]:
    """The query of each mart, in the order in which they are made."""
    return {name: _filled(query) for name, query in _sources()}


@cache
def stored_queries() -> Mapping[str, str]:
    """The same where the marts before are tables of the database in use: nothing is worked out that stands there."""
    found: dict[str, str] = {}
    for name, query in _sources():
        there = {mark: mart for mark, mart in STORED.items() if mart != name}
        shorter = query
        for mark, mart in there.items():
            shorter = shorter.replace(mark, f"{mark[1:-1]} AS (SELECT * FROM mart.{mart})")
        found[name] = _filled(shorter)
    return found


def _filled(query: str) -> str:
    filled = query
    for mark, part in PARTS.items():
        if mark in filled:
            filled = filled.replace(mark, part())
    return filled


def mart_statements() -> Iterator[str]:
    """The statements that make every mart with its comments."""
    for name, query in mart_queries().items():
        yield f"CREATE OR REPLACE VIEW mart.{quoted(name)} AS {query}"
    for name, (comment, columns) in mart_comments().items():
        yield f"COMMENT ON VIEW mart.{quoted(name)} IS {text(comment)}"
        for column, meaning in columns.items():
            yield f"COMMENT ON COLUMN mart.{quoted(name)}.{quoted(column)} IS {text(meaning)}"


@cache
def mart_fingerprint() -> str:
    """The version of the marts: a hash of the statements that make them."""
    return sha256("\n".join(mart_statements()).encode()).hexdigest()[:12]
