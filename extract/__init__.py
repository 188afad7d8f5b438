"""Everything that reaches outside: portfolio files, the plan, the ledger, the client and the archive."""
