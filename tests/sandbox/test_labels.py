"""The labels of companies are what their sources show when all of them answer."""

from collections import Counter
from datetime import date, timedelta

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.payloads.company import company
from innspect.sandbox.world.labels import Label, label
from tests.sandbox.samples import COMPANIES, PEOPLE, profile, standalone_block, view

SAMPLE = COMPANIES[:700]


def test_every_label_occurs():
    unknown = SAMPLE[:3]
    companies = Counter(label(inn, 0, DEFAULT_DAY, unknown) for inn in SAMPLE)
    assert set(companies) == set(Label)
    assert companies[Label.NOT_IN_REGISTER] == 3
    assert companies[Label.CLEAN] > 0.6 * len(SAMPLE)
    assert {Label.DEAD, Label.CLEAN} <= {label(inn, 0, DEFAULT_DAY) for inn in PEOPLE[:150]}


def test_labels_are_what_the_sources_show():
    for inn in SAMPLE:
        made = label(inn, 0, DEFAULT_DAY)
        answered = not any(view(inn).failure_draw(block) for block in ("company", "freezes", "rnp", "bankruptcy"))
        if not answered:
            continue
        status = profile(inn).status(DEFAULT_DAY.toordinal())
        assert (status == "liquidated") <= (made in (Label.DEAD, Label.SANCTIONED, Label.BANKRUPT))
        assert standalone_block("freezes", inn)["found"] <= (made is not Label.CLEAN)
        assert bool(standalone_block("rnp", inn)["active"]) <= (made is not Label.CLEAN)
        if made is Label.CLEAN:
            assert company(view(inn))["status"] in ("active", "reorganizing")


def test_label_does_not_depend_on_outages():
    inn, day = next(
        (inn, day)
        for inn in COMPANIES
        if profile(inn).insolvency
        for day in range(profile(inn).insolvency[1], profile(inn).insolvency[3], 30)
        if view(inn, day).failure_draw("bankruptcy")
    )
    assert standalone_block("bankruptcy", inn, day)["error"]
    assert label(inn, 0, date.fromordinal(day)) in (Label.BANKRUPT, Label.SANCTIONED)


def test_label_changes_with_the_day():
    bankrupt = next(inn for inn in COMPANIES if profile(inn).insolvency)
    days = [date.fromordinal(day) for day in profile(bankrupt).insolvency]
    found = [label(bankrupt, 0, day) for day in (*days, days[-1] + timedelta(days=20))]
    assert found == [Label.TROUBLED, Label.BANKRUPT, Label.BANKRUPT, Label.TROUBLED, Label.DEAD]
