"""Versions of the content of a block, and the changes between them."""
