"""Marts: one SQL file each."""
