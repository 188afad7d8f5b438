"""Content of a version: one canonical text, independent of order and marks, and its hash.

The text of a row is its non-null columns by name, then the sorted texts of its child rows. So a reordered list, a
fresher mark or a newly declared column that is NULL makes no new version.
"""

from functools import cache
from hashlib import blake2b
from typing import Final

import polars as pl

from innspect.schemas.column_names import ROW_TEXT, child_text_column
from innspect.schemas.frames import SNAP
from innspect.schemas.kinds import Form
from innspect.schemas.tables import Column, Origin, Table, tables
from innspect.transforms.versions.leaf_alignment import rank_leaves

FIELD, ROW, OPEN, CLOSE, ESCAPE = "\x1f", "\x1e", "\x1d", "\x1c", "\x1a"
SPECIAL: Final = (ESCAPE, FIELD, ROW, OPEN, CLOSE)
DIGEST_BYTES: Final = 16


def identifier(*parts: str) -> str:
    """An id derived from what it identifies: 32 hexadecimal digits."""
    return blake2b("\n".join(parts).encode(), digest_size=DIGEST_BYTES).hexdigest()


def identifiers(frame: pl.DataFrame, *parts: str) -> pl.Series:
    """The `identifier` of the columns `parts`, row by row; NULL where one of them is NULL."""
    return _digests(frame.select(pl.concat_str(parts, separator="\n")).to_series())


def _digests(texts: pl.Series) -> pl.Series:
    values = texts.cast(pl.Binary).to_list()
    digests = [None if value is None else blake2b(value, digest_size=DIGEST_BYTES).hexdigest() for value in values]
    return pl.Series(digests, dtype=pl.String)


@cache
def _content_columns(table_name: str) -> tuple[list[Column], list[str], list[pl.Expr]]:
    """The content columns by name; those of text; and for each of these whether it has a special character."""
    columns = sorted((c for c in tables()[table_name].columns if c.field.content), key=lambda column: column.name)
    text = [c.name for c in columns if c.kind.form in (Form.TEXT, Form.LABEL, Form.JSON)]
    special = [pl.col(name).str.contains(r"[\x1a\x1c-\x1f]").any() for name in text]
    return columns, text, special


@cache
def _cells(table_name: str, *, special: bool) -> list[pl.Expr]:
    columns, text, _ = _content_columns(table_name)
    cells: list[pl.Expr] = []
    for column in columns:
        cell = pl.col(column.name).cast(pl.String)
        if special and column.name in text:
            for number, character in enumerate(SPECIAL):
                cell = cell.str.replace_all(character, f"{ESCAPE}{number}", literal=True)
        cells.append(pl.concat_str(pl.lit(f"{column.name}="), cell))
    return cells


def _row_texts(table: Table, frame: pl.DataFrame, children: dict[str, pl.DataFrame]) -> pl.LazyFrame:
    """`snap`, ordinals and the canonical text of each row with its child rows."""
    joined = frame.lazy()
    for rows in children.values():
        joined = joined.join(rows.lazy(), on=[SNAP, *table.ordinals], how="left", maintain_order="left")
    special = _content_columns(table.name)[2]
    has_special = bool(special) and any(frame.select(special).row(0))
    cells = [*_cells(table.name, special=has_special), *map(pl.col, children)]
    text = pl.concat_str(cells, separator=FIELD, ignore_nulls=True) if cells else pl.lit("")
    return joined.select(SNAP, *table.ordinals, text.alias(ROW_TEXT))


def canonical_text(of: tuple[Table, ...], frames: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`snap` and the canonical text (`text#`) of each row of the first table, which is the root of `of`."""
    children: dict[str, dict[str, pl.DataFrame]] = {table.name: {} for table in of}
    texts = pl.DataFrame(schema={SNAP: pl.UInt32, ROW_TEXT: pl.String})
    for table in reversed(of):
        frame = rank_leaves(frames[table.name]) if table.origin is Origin.LEAVES else frames[table.name]
        if frame.is_empty():
            continue
        rows = _row_texts(table, frame, children[table.name])
        if table.parent:
            name = child_text_column(table.name)
            above = [SNAP, *(table.ordinals[:-1] if table.own_ordinal else ())]
            # As lists: an expression per group (`sort().str.join`) takes a fifth longer.
            joined = pl.col(ROW_TEXT).list.sort().list.join(ROW)
            text = pl.concat_str(pl.lit(table.attribute + OPEN), joined, pl.lit(CLOSE)).alias(name)
            children[table.parent][name] = rows.group_by(above).agg(ROW_TEXT).select(*above, text).collect()
        else:
            texts = rows.collect()
    return texts


def content_hashes(texts: pl.DataFrame) -> pl.DataFrame:
    """`snap` and `content_hash`."""
    return texts.select(SNAP, _digests(texts[ROW_TEXT]).alias("content_hash"))
