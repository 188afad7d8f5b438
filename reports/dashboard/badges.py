"""How sure a thing is, to be seen: each state has its word, sign, colour and border, and never only one of them."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType

from innspect.reports.i18n.dashboard import Words

LEVELS = ("critical", "high", "medium", "low", "unknown")
ANSWERS = ("found", "clean", "partial", "unconfirmed", "unavailable", "missing", "failed", "never asked")
KNOWN = ANSWERS[:3]
SILENT = ANSWERS[3:7]
NEVER = ANSWERS[7]
SEVERITIES = ("alert", "notice", "info")

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "critical": "#a4161a",
        "high": "#d9480f",
        "medium": "#b08900",
        "low": "#2b8a3e",
        "unknown": "#6c757d",
        "alert": "#a4161a",
        "notice": "#d9480f",
        "info": "#1971c2",
        "present": "#a4161a",
        "absent": "#2b8a3e",
        "not confirmed": "#9c36b5",
        "never asked": "#6c757d",
        "found": "#1971c2",
        "clean": "#2b8a3e",
        "partial": "#0c8599",
        "unconfirmed": "#9c36b5",
        "unavailable": "#5f3dc4",
        "missing": "#c2255c",
        "failed": "#e8590c",
        "new_version": "#1971c2",
        "same": "#8ec5f5",
        "no_evidence": "#9c36b5",
    }
)
SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "present": "▲", "absent": "✓", "not confirmed": "?", "never asked": "∅",
        "critical": "▲▲", "high": "▲", "medium": "◆", "low": "✓", "unknown": "?",
        "found": "●", "clean": "✓", "partial": "◐", "unconfirmed": "?", "unavailable": "?", "missing": "?",
        "failed": "✕", "alert": "▲▲", "notice": "▲", "info": "●",
    }
)  # fmt: skip
STYLE = """<style>
.stMainBlockContainer {padding:3rem clamp(1rem, 3vw, 3rem) 4rem}
.mark {display:inline-block; padding:0 .5em; border-radius:.7em; border:2px solid; font-size:.85rem; line-height:1.5;
  white-space:nowrap; font-weight:600}
.mark.sure {color:#fff !important; border-style:solid}
.mark.void {background:transparent}
.mark.silent {border-style:dashed; background:repeating-linear-gradient(45deg, transparent 0 5px, #9c36b522 5px 10px)}
.mark.never {border-style:dotted; font-weight:400; background:transparent}
.facts {width:100%; border-collapse:collapse; font-size:.92rem}
.facts th {text-align:left; font-weight:600; opacity:.75}
.facts th, .facts td {padding:.35em .6em .35em 0; border-bottom:1px solid #8884; vertical-align:top;
  overflow-wrap:break-word}
.facts td.thin {white-space:nowrap}
.facts .sub, .sub {opacity:.65; font-size:.82rem}
.facts code, .sub code {font-size:.78rem; background:transparent; padding:0; color:inherit}
.cells {display:grid; grid-template-columns:repeat(auto-fill, minmax(15rem, 1fr)); gap:.3rem 1.2rem}
.cells > div {border-bottom:1px solid #8884; padding:.3rem 0; overflow-wrap:anywhere}
.cells .sub {display:block}
@media (max-width: 640px) {
  .facts thead {display:none}
  .facts tr {display:block; border-bottom:1px solid #8886; padding:.4em 0}
  .facts td {display:block; border:0; padding:.1em 0; overflow-wrap:anywhere}
  .facts td:empty {display:none}
  .facts td.thin {display:inline-block; margin-right:.8em; opacity:.75}
  .cells {grid-template-columns:1fr}
}
</style>"""


def plain(text: str) -> str:
    """Text of the data's, to be put where Streamlit reads Markdown: nothing in it is a link, a picture or a mark."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def look(state: str) -> str:
    """The way a state is drawn: `sure` for what is there, `void` for what is confirmed not to be, `silent`, `never`."""
    if state == "never asked":
        return "never"
    if state in ("not confirmed", "unknown", *SILENT):
        return "silent"
    return "void" if state in ("absent", "clean", "low") else "sure"


def mark(state: str, words: Words, colour: str | None = None) -> str:
    """A state as HTML: its sign and word in its colour and border."""
    drawn, shade = look(state), colour or COLOURS[state]
    fill = f"background:{shade};" if drawn == "sure" else ""
    label = f"{SIGNS[state]}&nbsp;{escape(words(state))}"
    return f'<span class="mark {drawn}" style="{fill}border-color:{shade};color:{shade}">{label}</span>'


def labelled(state: str, words: Words) -> str:
    """A state as plain text with its sign, for tables and charts."""
    return f"{SIGNS[state]} {words(state)}"


def scale(states: Sequence[str], words: Words) -> tuple[list[str], list[str]]:
    """The words of these states and their colours, for the scale of a chart."""
    return [labelled(state, words) for state in states], [COLOURS[state] for state in states]


def facts(head: Sequence[str], rows: Sequence[Sequence[str]], thin: Sequence[int] = ()) -> str:
    """A table of HTML; the heads are text and are escaped, the cells are HTML already. On a phone a row is a card.

    The columns with the numbers of `thin` are not broken into lines.
    """
    kinds = [' class="thin"' if place in thin else "" for place in range(len(rows[0]) if rows else 0)]
    above = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<table class="facts"><thead><tr>{above}</tr></thead><tbody>{body}</tbody></table>'
