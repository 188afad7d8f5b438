"""The model in docs/scale.md is computed, and the page has what is computed today."""

from dataclasses import replace

from benchmarks.scale_model import MEASURED, PAGE, tables, written


def test_the_page_has_the_model_of_the_figures():
    page = PAGE.read_text("utf-8")
    assert written(page) == page


def test_money_is_the_catalogues_and_bytes_those_measured():
    lines = "\n".join(tables(replace(MEASURED, body=100_000, sealed=10_000, stored=20_000, transform_ms=36.0)))
    row = next(line for line in lines.splitlines() if line.startswith("| 1,000,000 |"))
    assert row.startswith("| 1,000,000 | 1,000,000 | 18,000,000 | 100 GB | 10 GB | 994 | 20 GB |")
    assert "| 10.0 h |" in lines
