"""Payloads of the generated companies: a function per block, from a `View` to the JSON value."""
