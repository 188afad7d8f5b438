"""The marts: one SQL file each in `warehouse/marts/`, with a comment on every column."""

import re
from collections.abc import Iterator
from importlib.resources import files

from schemas.catalogue import BLOCKS, askable
from warehouse.ddl import quoted, silent_calls, text

COMMENT = re.compile(r"^-- (?P<column>\w+): (?P<comment>.+)$")
NUMBER = re.compile(r"^\d+_")


def mart_files() -> list[str]:
    """The files in the order in which they are made: a number before the name puts one after what it builds on."""
    return sorted(file.name for file in files("warehouse").joinpath("marts").iterdir() if file.name.endswith(".sql"))


def blocks_values() -> str:
    """Rows (block, digits): which blocks can be asked for INNs of which length; `{blocks}` in a mart's SQL."""
    pairs = [(block, digits) for digits in (10, 12) for block in BLOCKS if block in askable(digits)]
    return ", ".join(f"({text(block)}, {digits})" for block, digits in pairs)


def _sources() -> Iterator[tuple[str, str]]:
    for file in mart_files():
        yield NUMBER.sub("", file.removesuffix(".sql")), files("warehouse").joinpath("marts", file).read_text("utf-8")


def mart_comments() -> dict[str, tuple[str, dict[str, str]]]:
    """The comment of each mart (its first line) and of its columns (the lines `-- column: …`)."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for name, source in _sources():
        first, *others = source.splitlines()
        columns = {match["column"]: match["comment"] for line in others if (match := COMMENT.match(line))}
        found[name] = (first.removeprefix("-- "), columns)
    return found


def mart_statements() -> Iterator[str]:
    """The statements that make every mart with its comments."""
    for name, source in _sources():
        query = source.replace("{blocks}", blocks_values()).replace("{silent_calls}", silent_calls())
        yield f"CREATE OR REPLACE VIEW mart.{quoted(name)} AS {query}"
    for name, (comment, columns) in mart_comments().items():
        yield f"COMMENT ON VIEW mart.{quoted(name)} IS {text(comment)}"
        for column, meaning in columns.items():
            yield f"COMMENT ON COLUMN mart.{quoted(name)}.{quoted(column)} IS {text(meaning)}"
