"""The sign, colour and drawing of every state, level and severity: one table for the report and the dashboard.

Codes are the values of the warehouse; their words are in `reports.i18n`. Colour is never the only difference.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.schemas.states import EVIDENCE, NEVER_ASKED, NO_EVIDENCE, STALE, Level, SignalState, SnapshotState

NOT_CONFIRMED = "not confirmed"
"""Group of the snapshot states that are no evidence."""
# Plain strings, because polars reads members of an enumeration as a type of their own.
SHOWN_STATES = tuple(map(str, (*EVIDENCE, STALE, *NO_EVIDENCE, NEVER_ASKED)))
"""Snapshot states, with stale evidence as a state of its own (`coverage_text.SHOWN_STATE`)."""
COVERAGE_GROUPS = tuple(map(str, (*EVIDENCE, STALE, NOT_CONFIRMED, NEVER_ASKED)))
"""Shown states with those that are no evidence as one group."""
LEVELS = tuple(map(str, Level))
LEVEL_ORDER = [*map(str, (Level.CRITICAL, Level.HIGH, Level.UNKNOWN, Level.MEDIUM, Level.LOW))]
"""Levels in the order in which a list asks for attention: what is not known may be critical."""
SEVERITIES = (ALERT, NOTICE, INFO)
ROLES = ("respondent", "plaintiff", "other")
PROCEEDINGS = ("open", "ended", "undetermined")
SPEND = ("charged", "outcome_unknown")


INK = "#17202b"
LIGHT_PAPERS, DARK_PAPERS = ("#ffffff", "#f5f7f9"), ("#12171e", "#1a212a")
"""Backgrounds of texts: the page, and panels on it."""
MIN_CONTRAST = 4.5
"""Contrast that WCAG 2.1 (AA) wants between a text and its background."""


def contrast(first: str, second: str) -> float:
    """The contrast of two colours by WCAG: 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = (value / 255 for value in _channels(colour))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[start : start + 2], 16) for start in (1, 3, 5))


def readable(colour: str, papers: Iterable[str], towards: str) -> str:
    """A colour as that of a text: mixed with `towards` as little as makes it readable on all papers."""
    backgrounds = list(papers)
    for percent in range(0, 101, 5):
        pairs = zip(_channels(colour), _channels(towards), strict=True)
        mixed = "#" + "".join(f"{round(own + (other - own) * percent / 100):02x}" for own, other in pairs)
        if all(contrast(mixed, paper) >= MIN_CONTRAST for paper in backgrounds):
            return mixed
    return towards


class Drawing(StrEnum):
    """How a code is drawn. Only what a response confirms is plain."""

    FILLED = "filled"
    OUTLINED = "outlined"
    HATCHED = "hatched"
    DOTTED = "dotted"
    AGED = "aged"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class Style:
    """Sign and colours (on light and dark paper) of a code."""

    sign: str
    light: str
    dark: str
    drawing: Drawing = Drawing.FILLED

    @property
    def text_colour(self) -> str:
        """Ink or white, whichever is more readable on the light colour."""
        return max((INK, "#ffffff"), key=lambda colour: contrast(colour, self.light))


RED, ORANGE, YELLOW = ("#8f1d3b", "#d4486f"), ("#cf5a36", "#e2754f"), ("#d9a02e", "#d9a02e")
BLUE, PALE_BLUE, GREY = ("#3f76a6", "#5b93c5"), ("#a9c4dc", "#34526d"), ("#7c8794", "#8d99a6")
BROWN = "#80664a", "#bd9f7f"
PALE_GREY, SAND = ("#98a2ad", "#6d7985"), ("#b9b09a", "#8f8873")
GREEN, PALE_GREEN, AMBER = ("#4a8f6d", "#5aa783"), ("#6fb08d", "#4f9673"), ("#b8741a", "#e0a04a")

STYLES: Mapping[str, Style] = MappingProxyType(
    {
        Level.CRITICAL: Style("▲▲", *RED),
        Level.HIGH: Style("▲", *ORANGE),
        Level.MEDIUM: Style("◆", *YELLOW),
        Level.LOW: Style("✓", *GREEN, Drawing.OUTLINED),
        Level.UNKNOWN: Style("?", *GREY, Drawing.UNDETERMINED),
        ALERT: Style("▲▲", *RED),
        NOTICE: Style("▲", *YELLOW),
        INFO: Style("●", *BLUE),
        SnapshotState.FOUND: Style("●", *BLUE),
        SnapshotState.CLEAN: Style("✓", *PALE_GREEN, Drawing.OUTLINED),
        SnapshotState.PARTIAL: Style("◐", *PALE_BLUE),
        SnapshotState.UNCONFIRMED: Style("?", *AMBER, Drawing.HATCHED),
        SnapshotState.UNAVAILABLE: Style("?", "#7a5aa6", "#a58bd0", Drawing.HATCHED),
        SnapshotState.MISSING: Style("?", "#b0517a", "#d88aac", Drawing.HATCHED),
        SnapshotState.FAILED: Style("✕", "#a04a1e", "#d98a5e", Drawing.HATCHED),
        SignalState.PRESENT: Style("▲", *RED),
        SignalState.ABSENT: Style("✓", *GREEN, Drawing.OUTLINED),
        SignalState.NEVER_REQUESTED: Style("∅", *PALE_GREY, Drawing.DOTTED),
        SignalState.NOT_OFFERED: Style("–", *SAND, Drawing.HATCHED),
        STALE: Style("◷", *BROWN, Drawing.AGED),
        NOT_CONFIRMED: Style("?", *AMBER, Drawing.HATCHED),
        NEVER_ASKED: Style("∅", *GREY, Drawing.DOTTED),
        "new_version": Style("●", *BLUE),
        "same": Style("◆", *PALE_BLUE),
        "no_evidence": Style("?", *AMBER, Drawing.HATCHED),
        "respondent": Style("", *ORANGE),
        "plaintiff": Style("", *BLUE),
        "other": Style("", "#a9b6c3", "#6b7885"),
        "open": Style("", *ORANGE),
        "ended": Style("", "#8aa5bd", "#5d7a95"),
        "undetermined": Style("?", *GREY, Drawing.UNDETERMINED),
        "charged": Style("", *BLUE),
        "outcome_unknown": Style("?", *GREY, Drawing.UNDETERMINED),
    }
)


def css_name(code: str) -> str:
    """A code as a name in CSS: `not confirmed` is `not-confirmed`."""
    return code.replace(" ", "-").replace("_", "-")


def css_variables(codes: Iterable[str] = STYLES, *, dark: bool = False) -> str:
    """The colours of codes as CSS variables: `--low`, and `--text-low` for texts in that colour."""
    variables: list[str] = []
    for code in codes:
        colour = STYLES[code].dark if dark else STYLES[code].light
        text = readable(colour, DARK_PAPERS, "#ffffff") if dark else readable(colour, LIGHT_PAPERS, INK)
        variables.append(f"--{css_name(code)}: {colour}; --text-{css_name(code)}: {text};")
    return " ".join(variables)


def fill(code: str) -> str:
    """The fill of a code in the report: a pattern for what is not known, else its colour."""
    drawing = STYLES[code].drawing
    return f"var(--{css_name(code)})" if drawing in (Drawing.FILLED, Drawing.OUTLINED) else f"url(#{drawing})"
