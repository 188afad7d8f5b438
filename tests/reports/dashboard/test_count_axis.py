"""Axes of counts in the dashboard: whole numbers, each once."""

import re

import altair as alt
import polars as pl
import pytest
import vl_convert

from innspect.reports.dashboard.page_context import COUNT_AXIS


@pytest.mark.parametrize("largest", [*range(1, 13), 99, 12_345])
def test_labels_are_whole_numbers(largest):
    rows = pl.DataFrame({"block": ["fssp"], "inns": [largest]})
    chart = alt.Chart(rows).mark_bar().encode(x=alt.X("inns:Q", axis=COUNT_AXIS), y="block:N").properties(width=400)
    drawn = vl_convert.vegalite_to_svg(chart.to_json())
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", drawn.partition("role-axis-label")[2].partition("</g>")[0])
    assert labels[0] == "0"
    assert len(labels) > 1
    assert all(label.replace(",", "").isdigit() for label in labels), labels
    assert len(set(labels)) == len(labels)
