"""Alerts after a run."""
