"""The published copy for BI: database, Parquet, workbook."""
