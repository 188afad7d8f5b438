"""The content of a version: one canonical text, blind to order and to marks, and its hash.

The text of a row is its non-null columns by name, then the texts of its child rows, sorted; so a reordered list, a
fresher mark or a newly declared column that is NULL makes no new version.
"""

from functools import cache
from hashlib import blake2b
from typing import Final

import polars as pl

from innspect.schemas.kinds import Form
from innspect.schemas.tables import Column, Origin, Table, tables
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.versions.leaf_alignment import ranked

FIELD, ROW, OPEN, CLOSE, ESCAPE = "\x1f", "\x1e", "\x1d", "\x1c", "\x1a"
SPECIAL: Final = (ESCAPE, FIELD, ROW, OPEN, CLOSE)
TEXT: Final = "text#"
DIGEST: Final = 16


def identifier(*parts: str) -> str:
    """An id derived from what it identifies: 32 hexadecimal digits."""
    return blake2b("\n".join(parts).encode(), digest_size=DIGEST).hexdigest()


def identifiers(frame: pl.DataFrame, *parts: str) -> pl.Series:
    """The `identifier` of the columns `parts`, row by row; null where one of them is."""
    return _digests(frame.select(pl.concat_str(parts, separator="\n")).to_series())


def _digests(texts: pl.Series) -> pl.Series:
    values = texts.cast(pl.Binary).to_list()
    digests = [None if value is None else blake2b(value, digest_size=DIGEST).hexdigest() for value in values]
    return pl.Series(digests, dtype=pl.String)


@cache
def _told(table_name: str) -> tuple[list[Column], list[str], list[pl.Expr]]:
    """The columns that tell of the company by name, those of text, and whether one of these has a special character."""
    columns = sorted((c for c in tables()[table_name].columns if c.field.content), key=lambda column: column.name)
    text = [c.name for c in columns if c.kind.form in (Form.TEXT, Form.LABEL, Form.JSON)]
    special = [pl.col(name).str.contains(r"[\x1a\x1c-\x1f]").any() for name in text]
    return columns, text, special


@cache
def _cells(table_name: str, *, special: bool) -> list[pl.Expr]:
    columns, text, _ = _told(table_name)
    cells: list[pl.Expr] = []
    for column in columns:
        cell = pl.col(column.name).cast(pl.String)
        if special and column.name in text:
            for number, character in enumerate(SPECIAL):
                cell = cell.str.replace_all(character, f"{ESCAPE}{number}", literal=True)
        cells.append(pl.concat_str(pl.lit(f"{column.name}="), cell))
    return cells


def _rows_text(table: Table, frame: pl.DataFrame, inner: dict[str, pl.DataFrame]) -> pl.LazyFrame:
    """`snap`, ordinals and the canonical text of each row, its children folded in."""
    whole = frame.lazy()
    for rows in inner.values():
        whole = whole.join(rows.lazy(), on=[SNAP, *table.ordinals], how="left", maintain_order="left")
    signs = _told(table.name)[2]
    special = bool(signs) and any(frame.select(signs).row(0))
    cells = [*_cells(table.name, special=special), *map(pl.col, inner)]
    text = pl.concat_str(cells, separator=FIELD, ignore_nulls=True) if cells else pl.lit("")
    return whole.select(SNAP, *table.ordinals, text.alias(TEXT))


def canonical(of: tuple[Table, ...], frames: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`snap` and the canonical text (`text#`) of each snapshot of one block that has a row of its own."""
    folded: dict[str, dict[str, pl.DataFrame]] = {table.name: {} for table in of}
    texts = pl.DataFrame(schema={SNAP: pl.UInt32, TEXT: pl.String})
    for table in reversed(of):
        frame = ranked(frames[table.name]) if table.origin is Origin.LEAVES else frames[table.name]
        if frame.is_empty():
            continue
        rows = _rows_text(table, frame, folded[table.name])
        if table.parent:
            name = f"{table.name}#"
            above = [SNAP, *(table.ordinals[:-1] if table.own_ordinal else ())]
            joined = pl.concat_str(pl.lit(table.attribute + OPEN), pl.col(TEXT).sort().str.join(ROW), pl.lit(CLOSE))
            folded[table.parent][name] = rows.group_by(above).agg(joined.alias(name)).collect()
        else:
            texts = rows.collect()
    return texts


def hashes(texts: pl.DataFrame) -> pl.DataFrame:
    """`snap` and `content_hash`."""
    return texts.select(SNAP, _digests(texts[TEXT]).alias("content_hash"))
