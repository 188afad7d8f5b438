"""What is told apart on the page, and the colour or pattern of each."""

INK, SOFT, LINE, PAPER = "var(--ink)", "var(--soft)", "var(--line)", "var(--paper)"
LEVELS = ("critical", "high", "medium", "low", "unknown")
GROUPS = ("found", "clean", "partial", "silent", "never")
ROLES = ("respondent", "plaintiff", "other")
ACTIVE = ("open", "ended", "unknown")
MONEY = ("charged", "unknown")
PATTERNS = {"silent": "url(#silent)", "never": "url(#never)", "unknown": "url(#unknown)"}
"""What is not known is hatched or dotted, never a plain colour."""


def ink(name: str) -> str:
    """The fill of a state, level, role …: a pattern for what is not known, else a colour of the page."""
    return PATTERNS.get(name, f"var(--{name})")
