"""Whom an expansion requests: checked against a plain computation on arbitrary namings."""

import json
from datetime import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.planner.expansion import LEVEL_ORDER, dearest_inn, select_related_inns
from innspect.extract.planner.planner import make_plan
from innspect.extract.portfolio.reader import MEMBERS
from innspect.schemas.catalogue import METHODS
from innspect.schemas.settings import load_settings
from innspect.schemas.settings.relations import Relation
from tests.support.cli import COMPANIES, PERSONS

NAMED = pl.Schema(
    {
        "named_by": pl.String(),
        "level": pl.String(),
        "relation": pl.String(),
        "inn": pl.String(),
        "name": pl.String(),
        "share_pct": pl.Float64(),
        "row_no": pl.Int64(),
    }
)
NAMING = COMPANIES[:3]
FOUND = [*COMPANIES[3:6], *PERSONS]
INVALID = ("7707083894", "770708389", "0000000000", "Иванов Иван Иванович", "")
LEVELS = dict(zip(NAMING, ("low", "critical", "unknown"), strict=True))
NOBODY = pl.Series("inn", [], dtype=pl.String)

rows = st.lists(
    st.tuples(
        st.sampled_from(NAMING),
        st.sampled_from(list(Relation)),
        st.sampled_from([*FOUND, *INVALID]),
        st.sampled_from([None, 10.0, 50.0]),
    ),
    max_size=25,
)


def related(found: list[tuple]) -> pl.DataFrame:
    cells = [
        (naming, LEVELS[naming], relation.value, inn, f"name of {inn}", share, number)
        for number, (naming, relation, inn, share) in enumerate(found)
    ]
    return pl.DataFrame(cells, schema=NAMED, orient="row")


@given(
    rows,
    st.lists(st.sampled_from(list(Relation)), min_size=1, unique=True),
    st.integers(1, 4),
    st.sets(st.sampled_from(FOUND), max_size=2),
)
def test_selected_inns_are_those_of_a_plain_computation(found, relations, limit, excluded):
    selected = select_related_inns(related(found), relations, limit, pl.Series(sorted(excluded), dtype=pl.String), 1)
    wanted: dict[str, set[tuple[str, str]]] = {}
    for naming in NAMING:
        own = [
            (relations.index(relation), share is None, -(share or 0), number, inn)
            for number, (by, relation, inn, share) in enumerate(found)
            if by == naming and relation in relations and inn in FOUND and inn not in excluded
        ]
        taken = list(dict.fromkeys(inn for *_, inn in sorted(own)))[:limit]
        for by, relation, inn, _ in found:
            if by == naming and relation in relations and inn in taken:
                wanted.setdefault(inn, set()).add((by, relation.role))
    assert selected.schema == MEMBERS
    assert set(selected["inn"]) == set(wanted)
    assert selected["inn"].is_unique().all()
    for inn, priority, extra in selected.select("inn", "priority", "extra").iter_rows():
        reason = json.loads(extra)
        assert {(one["inn"], one["role"]) for one in reason["named_by"]} == wanted[inn]
        assert reason["roles"] == ", ".join(sorted({role for _, role in wanted[inn]}))
        assert priority == max(LEVEL_ORDER.index(LEVELS[by]) for by, _ in wanted[inn])
    assert selected["priority"].is_sorted(descending=True)


def test_a_name_or_an_invalid_inn_is_never_taken():
    found = related([(NAMING[0], Relation.DIRECTORS, inn, None) for inn in INVALID])
    found = pl.concat([found, found.with_columns(inn=pl.lit(None, dtype=pl.String))])
    assert select_related_inns(found, list(Relation), 10, NOBODY, 1).is_empty()


def test_larger_shares_are_taken_first():
    found = related(
        [
            (NAMING[0], Relation.FOUNDERS, FOUND[0], None),
            (NAMING[0], Relation.FOUNDERS, FOUND[1], 10.0),
            (NAMING[0], Relation.FOUNDERS, FOUND[2], 90.0),
        ]
    )
    assert set(select_related_inns(found, [Relation.FOUNDERS], 2, NOBODY, 1)["inn"]) == {FOUND[1], FOUND[2]}


@pytest.mark.parametrize("name", ["full", "light"])
def test_dearest_inn_bounds_every_plan(name):
    settings = load_settings(None, {}, {})
    profile, prices = settings.profile(name), {method.name: method.price for method in METHODS.values()}
    now = datetime(2026, 11, 23)
    bound = dearest_inn(profile, prices, (), now)
    for inn in (COMPANIES[0], PERSONS[0]):
        plan = make_plan(pl.DataFrame({"inn": [inn], "priority": [None]}), pl.DataFrame(), profile, prices, None, now)
        assert 0 < plan.expected <= plan.maximum <= bound
