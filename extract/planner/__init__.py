"""What to request: freshness of evidence, the cheapest methods, the budget."""
