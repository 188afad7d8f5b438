"""Batch ETL from a paid counterparty-check service into a DuckDB warehouse."""
