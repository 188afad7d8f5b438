"""From a portfolio file to sealed responses."""
