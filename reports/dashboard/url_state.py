"""What is picked stands in the address, so that it can be kept and sent.

Streamlit's own binding of widgets to the address does not let a page lead to another one, so it is done here.
"""

from collections.abc import Sequence

import streamlit as st

OWN = "own."
"""Before the name of a column of the user's own."""
EVERYWHERE = ("portfolio", "tag", "lang")
"""With the own columns, what holds on every page."""


def take(key: str, options: Sequence[str] | None = None, *, usual: str | None = None, many: bool = False) -> None:
    """Before a widget: its value is what the address says, where nothing is picked yet; else the usual one."""
    if key in st.session_state:
        return
    told = [value for value in st.query_params.get_all(key) if options is None or value in options]
    if many and told:
        st.session_state[key] = told
    elif told or usual is not None:
        st.session_state[key] = told[-1] if told else usual


def put(key: str, value: str | Sequence[str] | None, *, usual: str | None = None) -> None:
    """After a widget: the address says what is picked, and nothing where it is nothing or the usual."""
    values = [value] if isinstance(value, str) else list(value or ())
    wanted = [one for one in values if one and one != usual]
    if wanted == st.query_params.get_all(key):
        return
    if wanted:
        st.query_params[key] = wanted
    else:
        del st.query_params[key]


def everywhere() -> list[tuple[str, str]]:
    """What the address says that holds on every page, to be taken along to another one."""
    names = [name for name in st.query_params if name in EVERYWHERE or name.startswith(OWN)]
    return [(name, value) for name in names for value in st.query_params.get_all(name)]
