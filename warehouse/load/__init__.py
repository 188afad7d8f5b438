"""Load batches and records in one transaction."""
