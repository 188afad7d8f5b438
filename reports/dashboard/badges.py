"""HTML of the dashboard: badges of states and levels (sign, word, colour and border), and tables."""

import re
from collections.abc import Sequence
from html import escape

import polars as pl

from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import unknown_text
from innspect.reports.style import STYLES, Drawing
from innspect.schemas.catalogue import BLOCKS, METHODS


def escape_markdown(text: str) -> str:
    """Escape text of the data for places where Streamlit renders Markdown."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def badge(code: str, t: Translations, style_code: str | None = None) -> str:
    """A state as HTML; `style_code` gives another code's colour."""
    drawing, style = STYLES[code].drawing, STYLES[style_code or code]
    fill = f"background:{style.light};color:{style.text_colour};" if drawing is Drawing.FILLED else ""
    label = f"{STYLES[code].sign}&nbsp;{escape(t.label('state', code))}"
    return f'<span class="badge {drawing}" style="{fill}border-color:{style.light}">{label}</span>'


def signed_label(group: str, code: str, t: Translations) -> str:
    """Sign and label of a code as plain text; `group` is that of the catalogue (level, severity, state)."""
    return f"{STYLES[code].sign} {t.label(group, code)}"


def label_column(column: str, group: str, codes: Sequence[str], t: Translations) -> pl.Expr:
    """A column of codes as signs and labels."""
    labels = {str(code): signed_label(group, code, t) for code in codes}
    return pl.col(column).replace_strict(labels, return_dtype=pl.String)


def unknown_column(t: Translations) -> pl.Expr:
    """The required blocks without a fresh answer in words, in place of the column `unknown_blocks`."""
    blocks = pl.struct("unknown_blocks", "unknown_since", "never_requested_blocks", "stale_blocks")
    return blocks.map_elements(lambda row: unknown_text(row, t), pl.String).alias("unknown_blocks")


def stale_column(t: Translations) -> pl.Expr:
    """The titles of the blocks whose evidence is stale, in place of the column `stale_blocks`."""
    titles = pl.col("stale_blocks").list.eval(pl.element().replace(_block_titles(t)))
    return titles.list.join(", ").alias("stale_blocks")


def _block_titles(t: Translations) -> dict[str, str]:
    return {block: t.label("block", block) for block in BLOCKS}


def method_title(method: str, t: Translations) -> str:
    """A method in words: what it returns; the methods of persons have the titles of those of companies."""
    block = METHODS[method].block if method in METHODS else ""
    return t.label("block", block) if block else t.label("method", method)


def colour_scale(group: str, codes: Sequence[str], t: Translations) -> tuple[list[str], list[str]]:
    """Labels of codes and their colours, for the scale of a chart."""
    return [signed_label(group, code, t) for code in codes], [STYLES[code].light for code in codes]


def html_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], unbroken: Sequence[int] = (), numeric: Sequence[int] = ()
) -> str:
    """A table; on a phone each row is a card. Heads are text, cells are HTML; `unbroken` columns do not wrap."""
    classes = {
        number: " ".join(name for name, numbers in (("unbroken", unbroken), ("number", numeric)) if number in numbers)
        for number in range(max(len(heads), len(rows[0]) if rows else 0))
    }
    attributes = [f' class="{names}"' if names else "" for names in classes.values()]
    head = "".join(f"<th{attributes[number]}>{escape(cell)}</th>" for number, cell in enumerate(heads))
    labels = [f' data-label="{escape(cell)}"' for cell in heads] or [""] * len(attributes)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{attribute}{label}>{cell}</td>" for attribute, label, cell in zip(attributes, labels, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f'<table class="details"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
