"""News: changes as facts with a sentence, computed, and stored for the INNs of which something is new."""
