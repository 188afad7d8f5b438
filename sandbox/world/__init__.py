"""The synthetic companies: people, calendar, names."""
