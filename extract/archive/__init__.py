"""The archive: immutable Parquet files of responses, in a folder or an object store."""
