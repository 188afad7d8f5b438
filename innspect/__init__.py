"""Batch ETL from a paid counterparty-check service into a DuckDB warehouse."""

import os

# For jemalloc, the allocator of polars, which reads it when polars is imported: a thread returns free memory to the
# system. Otherwise much of it stays until polars allocates again, although DuckDB needs it meanwhile.
os.environ.setdefault("_RJEM_MALLOC_CONF", "background_thread:true,muzzy_decay_ms:0")
