"""Decoded objects to raw columns."""
