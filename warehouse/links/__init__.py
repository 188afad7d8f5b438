"""Stored links: connections between INNs, maintained for the INNs of which something is new."""
