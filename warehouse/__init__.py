"""The warehouse: DuckDB in a file, or DuckLake."""
