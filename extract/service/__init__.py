"""The HTTP client of the service, and paid calls."""
