"""The filter, the styles and the escaping of the dashboard, without a browser."""

import pytest

from innspect.reports.i18n.catalog import translations
from innspect.reports.style import STYLES
from innspect.schemas.states import SignalState, SnapshotState

pytest.importorskip("streamlit", reason="the dashboard's extra is not installed: make dashboard")

from innspect.reports.dashboard.badges import escape_markdown, html_table
from innspect.reports.dashboard.filters import CURRENT_MEMBERS, Selection

MEMBERS = (
    ("watched", "1", "key, supplier", '{"manager": "Ivanova", "a/b~c": "x"}'),
    ("watched", "2", "supplier;buyer", '{"manager": "Petrov"}'),
    ("other", "2", None, "{}"),
    ("other", "3", None, '{"manager": "o\'Hara"}'),
)
FORMER = ("watched", "4", "supplier", '{"manager": "Petrov"}')


@pytest.mark.parametrize(
    ("selection", "inns"),
    [
        (Selection(), ["1", "2", "3"]),
        (Selection(portfolios=("watched",)), ["1", "2"]),
        (Selection(tags=("buyer", "key")), ["1", "2"]),
        (Selection(tags=("supplier",), portfolios=("other",)), []),
        (Selection(own={"manager": ("Ivanova", "o'Hara")}), ["1", "3"]),
        (Selection(own={"a/b~c": ("x",)}), ["1"]),
        (Selection(own={"manager": "PETR"}), ["2"]),
        (Selection(own={"manager": ("Petrov",), "a/b~c": ("x",)}), []),
        (Selection(with_former=True), ["1", "2", "3", "4"]),
        (Selection(tags=("supplier",), with_former=True), ["1", "2", "4"]),
    ],
)
def test_filter_selects_inns(warehouse, selection, inns):
    for member in MEMBERS:
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, tags, extra) VALUES (?, ?, ?, ?)", member
        )
    warehouse.connection.execute(
        "INSERT INTO lineage.portfolio_members (portfolio, inn, tags, extra, left_at) VALUES (?, ?, ?, ?, now())",
        FORMER,
    )
    query, parameters = selection.query()
    assert (query == CURRENT_MEMBERS) == (selection == Selection())
    assert sorted(warehouse.query(query, parameters)["inn"]) == inns


def test_states_differ_in_sign_colour_and_drawing():
    assert len({STYLES[state].sign for state in SignalState}) == len(SignalState)
    assert len({STYLES[state].light for state in SignalState}) == len(SignalState)
    assert len({STYLES[state].drawing for state in SignalState}) == len(SignalState)
    for language in ("ru", "en"):
        labels = {translations(language, "UTC").label("state", state) for state in (*SignalState, *SnapshotState)}
        assert len(labels) == len(SignalState) + len(SnapshotState)


def test_data_is_neither_markdown_nor_html():
    assert escape_markdown("![x](http://e) :red[a] <b>") == r"\!\[x\]\(http\:\/\/e\) \:red\[a\] \<b\>"
    assert escape_markdown("ООО 7") == "ООО 7"
    assert "<b>" not in html_table(["<b>"], [["x"]])
