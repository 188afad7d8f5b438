import re

import pytest

from innspect.reports.portfolio_report.charts import spend, yearly_counts
from innspect.reports.portfolio_report.vega_process import VegaProcess

DOT = {"data": {"values": [{"x": 1}]}, "mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}}}


def test_wrong_specification_is_an_error_and_the_next_is_drawn():
    with VegaProcess() as vega:
        with pytest.raises(RuntimeError, match="cannot be drawn"):
            vega.render({"mark": "no such mark"})
        assert vega.render(DOT).startswith("<svg")


def test_ended_process_is_an_error():
    with VegaProcess() as vega:
        vega.process.kill()
        vega.process.wait()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="has ended"):
                vega.render(DOT)


def test_process_ends_with_its_context():
    with VegaProcess() as vega:
        pass
    assert vega.process.returncode is not None


def labels(svg: str, axis: str) -> list[str]:
    """The labels of an axis of numbers."""
    (found,) = re.findall(rf'aria-label="{axis}-axis [^"]*scale with values.*?role-axis-title', svg, re.DOTALL)
    return re.findall(r"<text[^>]*>([^<]*)</text>", found.partition("role-axis-label")[2])


@pytest.mark.parametrize("largest", [*range(1, 13), 99, 12_345])
def test_ticks_of_counts_and_roubles_are_whole_numbers(largest):
    """Labels are rounded: half numbers would be written as 0, 1, 1, 2, 2."""
    half = largest // 2
    counts = [
        {"year": "2025", "kind": kind, "count": count, "tooltip": ""}
        for kind, count in (("open", half), ("ended", largest - half))
    ]
    bill = [{"method": "fssp", "kind": "charged", "rub": float(largest), "tooltip": ""}]
    with VegaProcess() as vega:
        drawn = vega.render(yearly_counts(counts, ["open", "ended"], (2025, 2026), "n", " "))
        for numbers in (labels(drawn, "Y"), labels(vega.render(spend(bill, ["fssp"], "rub", " ")), "X")):
            assert numbers[0] == "0"
            assert len(numbers) > 1
            assert len(set(numbers)) == len(numbers), numbers
