"""The tables of docs/scale.md are those that the model computes."""

from dataclasses import replace

from benchmarks.scale_model import MEASURED, PAGE, insert_tables, tables


def test_page_has_the_computed_tables():
    page = PAGE.read_text("utf-8")
    assert insert_tables(page) == page


def test_money_is_computed_from_the_catalogue_and_bytes_from_measured_figures():
    lines = "\n".join(tables(replace(MEASURED, body=100_000, sealed=10_000, stored=20_000, transform_ms=36.0)))
    row = next(line for line in lines.splitlines() if line.startswith("| 1,000,000 |"))
    assert row.startswith("| 1,000,000 | 1,000,000 | 18,000,000 | 100 GB | 10 GB | 994 | 20 GB |")
    assert "| 10.0 h |" in lines
