"""Declarations: blocks and their fields, kinds of value, methods and prices, frames, states, settings, errors.

It imports no other package of innspect; tables, decoders, checks and documents are derived from it.
"""
