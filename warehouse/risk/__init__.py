"""Risk rules and the SQL of signals and scores."""
