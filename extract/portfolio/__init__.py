"""Portfolio files: formats, columns, INNs."""
