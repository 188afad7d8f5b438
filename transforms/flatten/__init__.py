"""Decoded objects to columns: lists, maps, leaves."""
