"""The filter of INNs in the sidebar: by portfolio, tag and own columns; the same on every page and in the URL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import escape_markdown
from innspect.reports.dashboard.page_context import SELECTED_TABLE
from innspect.reports.i18n.catalog import Translations
from innspect.warehouse.publish.reader import PublishedCopy

MAX_LISTED_VALUES = 50
"""Own columns with more values have a search field instead of a list."""
MAX_UNFOLDED_COLUMNS = 3
FORMER = "former"
YES, NO = "yes", "no"
PORTFOLIOS = "SELECT DISTINCT portfolio FROM lineage.portfolio_members WHERE left_at IS NULL ORDER BY 1"
TAGS = """
SELECT DISTINCT trim(tag) AS tag FROM (SELECT unnest(string_split_regex(tags, '[,;]')) AS tag
FROM lineage.portfolio_members WHERE left_at IS NULL) WHERE trim(tag) <> '' ORDER BY 1
"""
OWN_COLUMNS = """
WITH cells AS (
    SELECT c.key AS name, c.value ->> '$' AS value FROM lineage.portfolio_members m, json_each(m.extra) c
    WHERE m.left_at IS NULL
)
SELECT name, count(DISTINCT value) AS number, list(DISTINCT value ORDER BY value)[:$max] AS options
FROM cells WHERE value IS NOT NULL AND value <> '' GROUP BY name ORDER BY name
"""
ALL_INNS = "SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.snapshots"
CURRENT_MEMBERS = "SELECT DISTINCT inn FROM lineage.portfolio_members WHERE left_at IS NULL"


@dataclass(frozen=True, slots=True)
class Selection:
    """What the filter selects; empty: all members.

    `own` has values of a column, or a text that its cells contain. `with_former`: also who has left the portfolios, and
    INNs that were requested and never listed.
    """

    portfolios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    own: Mapping[str, tuple[str, ...] | str] = field(default_factory=dict[str, tuple[str, ...] | str])
    with_former: bool = False

    def query(self) -> tuple[str, dict[str, Any]]:
        """SQL of the selected INNs (one row each), and its parameters."""
        terms: list[str] = []
        parameters: dict[str, Any] = {}
        if self.portfolios:
            terms.append("list_contains($portfolios, portfolio)")
            parameters["portfolios"] = list(self.portfolios)
        if self.tags:
            terms.append("list_has_any(list_transform(string_split_regex(tags, '[,;]'), lambda tag: trim(tag)), $tags)")
            parameters["tags"] = list(self.tags)
        for number, (name, selected) in enumerate(self.own.items()):
            parameters[f"path{number}"] = json_pointer(name)
            cell = f"json_extract_string(extra, $path{number})"
            if isinstance(selected, str):
                terms.append(f"contains(lower({cell}), lower($own{number}))")
                parameters[f"own{number}"] = selected
            else:
                terms.append(f"list_contains($own{number}, {cell})")
                parameters[f"own{number}"] = list(selected)
        if not terms:
            return ALL_INNS if self.with_former else CURRENT_MEMBERS, parameters
        if not self.with_former:
            terms.append("left_at IS NULL")
        return f"SELECT DISTINCT inn FROM lineage.portfolio_members WHERE {' AND '.join(terms)}", parameters


def json_pointer(name: str) -> str:
    """The JSON pointer of an own column in a member's `extra`."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Values that can be selected. `own`: values by column; None where they are too many to list."""

    portfolios: list[str]
    tags: list[str]
    own: dict[str, list[str] | None]
    has_former: bool


@st.cache_data(max_entries=4, show_spinner=False)
def filter_options(_copy: PublishedCopy, version: tuple[str, int, int]) -> FilterOptions:  # noqa: ARG001 (cache key)
    """The options that a copy offers, cached by the version of the copy."""
    own = _copy.query(OWN_COLUMNS, {"max": MAX_LISTED_VALUES})
    return FilterOptions(
        _copy.query(PORTFOLIOS)["portfolio"].to_list(),
        _copy.query(TAGS)["tag"].to_list(),
        {name: list(options) if number <= MAX_LISTED_VALUES else None for name, number, options in own.iter_rows()},
        not _copy.query(f"SELECT 1 FROM ({ALL_INNS}) ANTI JOIN ({CURRENT_MEMBERS}) USING (inn) LIMIT 1").is_empty(),
    )


def show_filter(options: FilterOptions, t: Translations) -> Selection:
    """Draw the widgets of the filter and return what they select."""
    portfolios = _list(t, t("portfolios"), options.portfolios, "portfolio")
    tags = _list(t, t("tags"), options.tags, "tag") if options.tags else ()
    own: dict[str, tuple[str, ...] | str] = {}
    if options.own:
        is_folded = len(options.own) > MAX_UNFOLDED_COLUMNS
        with st.expander(t("own_columns")) if is_folded else st.container():
            for name, values in options.own.items():
                key = url_state.OWN_COLUMN_PREFIX + name
                selected = _search(t, name, key) if values is None else _list(t, name, values, key)
                own |= {name: selected} if selected else {}
    return Selection(portfolios, tags, own, with_former=options.has_former and _show_former(t))


def _show_former(t: Translations) -> bool:
    url_state.restore(FORMER, default=NO)
    st.session_state[FORMER] = st.session_state[FORMER] in (True, YES)
    is_wanted = st.checkbox(t("with_former"), key=FORMER)
    url_state.save(FORMER, YES if is_wanted else None)
    return is_wanted


def _list(t: Translations, label: str, values: Sequence[str], key: str) -> tuple[str, ...]:
    url_state.restore(key, values, is_multiple=True)
    # A new copy may lack a selected value.
    if any(value not in values for value in st.session_state.get(key, ())):
        st.session_state[key] = [value for value in st.session_state[key] if value in values]
    selected = st.multiselect(escape_markdown(label), values, key=key, placeholder=t("all"), select_all=False)
    url_state.save(key, selected)
    return tuple(selected)


def _search(t: Translations, name: str, key: str) -> str:
    url_state.restore(key)
    text = st.text_input(escape_markdown(name), key=key, placeholder=t("contains")).strip()
    url_state.save(key, text)
    return text


def select_inns(copy: PublishedCopy, selection: Selection) -> tuple[int, int]:
    """Create the temporary table of the selected INNs; returns their number, and the number of all INNs."""
    query, parameters = selection.query()
    copy.create_temp_table(SELECTED_TABLE, query, parameters)
    return copy.query(f"SELECT (SELECT count(*) FROM {SELECTED_TABLE}), (SELECT count(*) FROM ({ALL_INNS}))").row(0)
