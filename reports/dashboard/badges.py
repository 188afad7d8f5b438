"""HTML of the dashboard: badges of states and levels (sign, word, colour and border), tables, and the style sheet."""

import re
from collections.abc import Sequence
from html import escape

import polars as pl

from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import unknown_text
from innspect.reports.style import STYLES, Drawing
from innspect.schemas.catalogue import BLOCKS

STYLE_SHEET = """<style>
.stMainBlockContainer {padding:3rem clamp(1rem, 3vw, 3rem) 4rem}
.badge {display:inline-block; padding:0 .5em; border-radius:.7em; border:2px solid; font-size:.85rem; line-height:1.5;
  font-weight:600; white-space:nowrap}
.badge.hatched, .badge.undetermined {border-style:dashed; background:repeating-linear-gradient(45deg,
  transparent 0 5px, #8882 5px 10px)}
.badge.aged {border-style:double; border-width:3px; background:repeating-linear-gradient(90deg,
  transparent 0 4px, #8882 4px 8px)}
.badge.dotted {border-style:dotted; font-weight:400}
.details {width:100%; border-collapse:collapse; font-size:.92rem}
.details th {text-align:left; font-weight:600; opacity:.75}
.details th, .details td {padding:.35em .6em .35em 0; border-bottom:1px solid #8884; vertical-align:top;
  overflow-wrap:break-word}
.details td.unbroken {white-space:nowrap}
.details .sub, .sub {opacity:.65; font-size:.82rem}
.details code, .sub code {font-size:.78rem; background:transparent; padding:0; color:inherit}
.cells {display:grid; grid-template-columns:repeat(auto-fill, minmax(15rem, 1fr)); gap:.3rem 1.2rem}
.cells > div {border-bottom:1px solid #8884; padding:.3rem 0; overflow-wrap:anywhere}
.cells .sub {display:block}
@media (max-width: 640px) {
  .details thead {display:none}
  .details tr {display:block; border-bottom:1px solid #8886; padding:.4em 0}
  .details td {display:block; border:0; padding:.1em 0; overflow-wrap:anywhere}
  .details td:empty {display:none}
  .details td.unbroken {display:inline-block; margin-right:.8em; opacity:.75}
  .cells {grid-template-columns:1fr}
}
</style>"""


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
    blocks = pl.struct("unknown_blocks", "unknown_since", "stale_blocks")
    return blocks.map_elements(lambda row: unknown_text(row, t), pl.String).alias("unknown_blocks")


def stale_column(t: Translations) -> pl.Expr:
    """The titles of the blocks whose evidence is stale, in place of the column `stale_blocks`."""
    titles = pl.col("stale_blocks").list.eval(pl.element().replace(_block_titles(t)))
    return titles.list.join(", ").alias("stale_blocks")


def _block_titles(t: Translations) -> dict[str, str]:
    return {block: t.label("block", block) for block in BLOCKS}


def colour_scale(group: str, codes: Sequence[str], t: Translations) -> tuple[list[str], list[str]]:
    """Labels of codes and their colours, for the scale of a chart."""
    return [signed_label(group, code, t) for code in codes], [STYLES[code].light for code in codes]


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], unbroken: Sequence[int] = ()) -> str:
    """A table; on a phone each row is a card. Heads are text, cells are HTML; `unbroken` columns do not wrap."""
    attributes = [' class="unbroken"' if number in unbroken else "" for number in range(len(rows[0]) if rows else 0)]
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join(
        "<tr>"
        + "".join(f"<td{attribute}>{cell}</td>" for attribute, cell in zip(attributes, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<table class="details"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
