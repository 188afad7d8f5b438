"""The risk policy: its form, its file and its version."""
