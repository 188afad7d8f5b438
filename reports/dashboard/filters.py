"""Which INNs are looked at: by portfolio, tag and the user's own columns, the same on every page and in the address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import plain
from innspect.reports.dashboard.page_context import CHOSEN
from innspect.reports.i18n.dashboard import Words
from innspect.warehouse.publish.reader import Published

MOST_VALUES = 50
"""A column with more values than this is searched, not picked from."""
FOLDED = 3
"""So many own columns are shown at once; more are folded away."""
PORTFOLIOS = "SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY 1"
TAGS = """
SELECT DISTINCT trim(tag) AS tag FROM (SELECT unnest(string_split_regex(tags, '[,;]')) AS tag
FROM lineage.portfolio_members) WHERE trim(tag) <> '' ORDER BY 1
"""
OWN_COLUMNS = """
WITH cells AS (
    SELECT c.key AS name, c.value ->> '$' AS value FROM lineage.portfolio_members m, json_each(m.extra) c
)
SELECT name, count(DISTINCT value) AS many, list(DISTINCT value ORDER BY value)[:$most] AS choices
FROM cells WHERE value IS NOT NULL AND value <> '' GROUP BY name ORDER BY name
"""
EVERYBODY = "SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.snapshots"


@dataclass(frozen=True, slots=True)
class Choice:
    """What is picked; nothing picked is everything. `own` has the values of a column, or a text that it holds."""

    portfolios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    own: Mapping[str, tuple[str, ...] | str] = field(default_factory=dict[str, tuple[str, ...] | str])

    def query(self) -> tuple[str, dict[str, Any]]:
        """The query of the INNs that pass (one row each), and its parameters."""
        terms: list[str] = []
        values: dict[str, Any] = {}
        if self.portfolios:
            terms.append("list_contains($portfolios, portfolio)")
            values["portfolios"] = list(self.portfolios)
        if self.tags:
            terms.append("list_has_any(list_transform(string_split_regex(tags, '[,;]'), lambda tag: trim(tag)), $tags)")
            values["tags"] = list(self.tags)
        for number, (name, wanted) in enumerate(self.own.items()):
            values[f"path{number}"] = pointer(name)
            cell = f"json_extract_string(extra, $path{number})"
            if isinstance(wanted, str):
                terms.append(f"contains(lower({cell}), lower($own{number}))")
                values[f"own{number}"] = wanted
            else:
                terms.append(f"list_contains($own{number}, {cell})")
                values[f"own{number}"] = list(wanted)
        if not terms:
            return EVERYBODY, values
        query = f"SELECT DISTINCT inn FROM lineage.portfolio_members WHERE {' AND '.join(terms)}"
        return query, values


def pointer(name: str) -> str:
    """Where a column of the user's own stands in the member's `extra`: a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be picked from in this copy."""

    portfolios: list[str]
    tags: list[str]
    own: dict[str, list[str] | None]
    """Values of each own column; None where there are too many to pick from."""


@st.cache_data(max_entries=4, show_spinner=False)
def offer(_copy: Published, stamp: tuple[str, int, int]) -> Offer:  # noqa: ARG001 (a swapped copy has another)
    """What the copy offers to pick from; read once for each copy."""
    own = _copy.frame(OWN_COLUMNS, {"most": MOST_VALUES})
    return Offer(
        _copy.frame(PORTFOLIOS)["portfolio"].to_list(),
        _copy.frame(TAGS)["tag"].to_list(),
        {name: list(choices) if many <= MOST_VALUES else None for name, many, choices in own.iter_rows()},
    )


def ask(offered: Offer, words: Words) -> Choice:
    """The widgets of the filter, and what is picked with them."""
    portfolios = _pick(words, words("portfolios"), offered.portfolios, "portfolio")
    tags = _pick(words, words("tags"), offered.tags, "tag") if offered.tags else ()
    own: dict[str, tuple[str, ...] | str] = {}
    if offered.own:
        place = st.container() if len(offered.own) <= FOLDED else st.expander(words("own_columns"))
        with place:
            for name, values in offered.own.items():
                picked = _search(words, name) if values is None else _pick(words, name, values, address.OWN + name)
                own |= {name: picked} if picked else {}
    return Choice(portfolios, tags, own)


def _pick(words: Words, label: str, values: Sequence[str], key: str) -> tuple[str, ...]:
    address.take(key, values, many=True)
    # A copy that was swapped in may lack what was picked.
    if any(value not in values for value in st.session_state.get(key, ())):
        st.session_state[key] = [value for value in st.session_state[key] if value in values]
    picked = st.multiselect(plain(label), values, key=key, placeholder=words("all"), select_all=False)
    address.put(key, picked)
    return tuple(picked)


def _search(words: Words, name: str) -> str:
    address.take(address.OWN + name)
    text = st.text_input(plain(name), key=address.OWN + name, placeholder=words("contains")).strip()
    address.put(address.OWN + name, text)
    return text


def choose(copy: Published, choice: Choice) -> tuple[int, int]:
    """Make the table `chosen` of the INNs that pass; how many, and of how many."""
    query, values = choice.query()
    copy.keep(CHOSEN, query, values)
    counted = copy.frame(f"SELECT (SELECT count(*) FROM {CHOSEN}), (SELECT count(*) FROM ({EVERYBODY}))")
    return counted.row(0)
