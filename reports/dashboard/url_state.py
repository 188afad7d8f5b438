"""State of widgets in the URL, so that a view can be kept and sent.

Streamlit can bind widgets to the URL itself, but then a page cannot link to another one with its parameters.
"""

from collections.abc import Sequence

import streamlit as st

OWN_COLUMN_PREFIX = "own."
SHARED_PARAMETERS = ("portfolio", "tag", "former", "lang")
"""Parameters of every page, with those of own columns."""


def restore(
    key: str, options: Sequence[str] | None = None, *, default: str | None = None, is_multiple: bool = False
) -> None:
    """Before a widget is drawn: set its value from the URL (if it is in `options`), else to the default."""
    if key in st.session_state:
        return
    values = [value for value in st.query_params.get_all(key) if options is None or value in options]
    if is_multiple and values:
        st.session_state[key] = values
    elif values or default is not None:
        st.session_state[key] = values[-1] if values else default


def save(key: str, value: str | Sequence[str] | None, *, default: str | None = None) -> None:
    """After a widget is drawn: write its value to the URL; empty values and the default are left out."""
    values = [value] if isinstance(value, str) else list(value or ())
    saved = [item for item in values if item and item != default]
    if saved == st.query_params.get_all(key):
        return
    if saved:
        st.query_params[key] = saved
    else:
        del st.query_params[key]


def shared_parameters() -> list[tuple[str, str]]:
    """Names and values of the parameters that a link to another page must carry."""
    names = [name for name in st.query_params if name in SHARED_PARAMETERS or name.startswith(OWN_COLUMN_PREFIX)]
    return [(name, value) for name in names for value in st.query_params.get_all(name)]
