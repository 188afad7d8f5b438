"""DuckDB: the tables, their load, what is current, what is fresh, and the dictionary."""
