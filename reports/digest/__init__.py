"""Messages to people: the digest of a period, alerts, failed runs, a low balance."""
