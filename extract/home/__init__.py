"""The home folder: lock, id, provenance, tombstones."""
