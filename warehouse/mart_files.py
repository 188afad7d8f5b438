"""The marts: one SQL file each in `warehouse/marts/`, with a comment on every column."""

import re
from collections.abc import Iterator
from importlib.resources import files

from schemas.catalogue import BLOCKS, askable
from warehouse.ddl import quoted, text

COMMENT = re.compile(r"^-- (?P<column>\w+): (?P<comment>.+)$")
NUMBER = re.compile(r"^\d+_")


def mart_files() -> list[str]:
    """The files in the order in which they are made: a number before the name puts one after what it builds on."""
    return sorted(file.name for file in files("warehouse").joinpath("marts").iterdir() if file.name.endswith(".sql"))


def blocks_values() -> str:
    """Rows (block, digits): which blocks can be asked for INNs of which length; `{blocks}` in a mart's SQL."""
    pairs = [(block, digits) for digits in (10, 12) for block in BLOCKS if block in askable(digits)]
    return ", ".join(f"({text(block)}, {digits})" for block, digits in pairs)


def mart_statements() -> Iterator[str]:
    """The statements that make every mart: its query, the first line as its comment, `-- column: …` per column."""
    for file in mart_files():
        source = files("warehouse").joinpath("marts", file).read_text("utf-8")
        name = quoted(NUMBER.sub("", file.removesuffix(".sql")))
        lines = source.splitlines()
        yield f"CREATE OR REPLACE VIEW mart.{name} AS {source.replace('{blocks}', blocks_values())}"
        yield f"COMMENT ON VIEW mart.{name} IS {text(lines[0].removeprefix('-- '))}"
        for line in lines[1:]:
            match = COMMENT.match(line)
            if match:
                yield f"COMMENT ON COLUMN mart.{name}.{quoted(match['column'])} IS {text(match['comment'])}"
