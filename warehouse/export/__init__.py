"""Results of a query as files."""
