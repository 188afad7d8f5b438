"""The filter, the words and the marks: without a browser."""

import ast
from pathlib import Path

import pytest

from innspect.reports.dashboard.badges import ANSWERS, COLOURS, LEVELS, SEVERITIES, SIGNS, facts, look, plain
from innspect.reports.dashboard.filters import EVERYBODY, Choice
from innspect.reports.i18n.dashboard import WORDS, Words

pytest.importorskip("streamlit", reason="the dashboard's extra is not installed: make dashboard")
PAGES = Path(__file__).parents[2] / "reports" / "dashboard"
MEMBERS = (
    ("watched", "1", "key, supplier", '{"manager": "Ivanova", "a/b~c": "x"}'),
    ("watched", "2", "supplier;buyer", '{"manager": "Petrov"}'),
    ("other", "2", None, "{}"),
    ("other", "3", None, '{"manager": "o\'Hara"}'),
)


@pytest.mark.parametrize(
    ("choice", "inns"),
    [
        (Choice(), ["1", "2", "3"]),
        (Choice(portfolios=("watched",)), ["1", "2"]),
        (Choice(tags=("buyer", "key")), ["1", "2"]),
        (Choice(tags=("supplier",), portfolios=("other",)), []),
        (Choice(own={"manager": ("Ivanova", "o'Hara")}), ["1", "3"]),
        (Choice(own={"a/b~c": ("x",)}), ["1"]),
        (Choice(own={"manager": "PETR"}), ["2"]),
        (Choice(own={"manager": ("Petrov",), "a/b~c": ("x",)}), []),
    ],
)
def test_the_filter(warehouse, choice, inns):
    for member in MEMBERS:
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, tags, extra) VALUES (?, ?, ?, ?)", member
        )
    query, values = choice.query()
    assert (query == EVERYBODY) == (choice == Choice())
    assert sorted(warehouse.frame(query, values)["inn"]) == inns


def spoken() -> set[str]:
    """Every name that a page asks words for, and the names of states, which are asked for by value."""
    found = {*ANSWERS, *LEVELS, *SEVERITIES, "present", "absent", "not confirmed"}
    for path in PAGES.glob("*.py"):
        if path.name != "words.py":
            found |= {n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)} & set(
                WORDS
            )
    return found


def test_every_word_is_said_and_has_both_languages():
    assert set(WORDS) == spoken()
    assert all(all(words) for words in WORDS.values())


def test_what_is_not_known_is_a_dash_and_zero_is_zero():
    assert Words("ru").number(None) == "—"
    assert Words("ru").number(0) == "0"
    assert Words("ru").number(1234.5, 2) == "1\u00a0234,50"


def test_states_differ_in_word_colour_and_border():
    states = ("present", "absent", "not confirmed", "never asked")
    assert len({look(state) for state in states}) == len(states)
    assert len({COLOURS[state] for state in states}) == len(states)
    assert len({SIGNS[state] for state in states}) == len(states)
    for language in ("ru", "en"):
        assert len({Words(language)(state) for state in (*states, *ANSWERS[:-1])}) == len(states) + len(ANSWERS) - 1


def test_nothing_in_the_data_is_markdown_or_html():
    assert plain("![x](http://e) :red[a] <b>") == r"\!\[x\]\(http\:\/\/e\) \:red\[a\] \<b\>"
    assert plain("ООО 7") == "ООО 7"
    assert "<b>" not in facts(["<b>"], [["x"]])
