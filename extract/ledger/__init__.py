"""The ledger: every call and its money."""
