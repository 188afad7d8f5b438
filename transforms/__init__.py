"""Responses to typed frames. Pure: no I/O, no clock."""
