import pytest

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
