"""The blocks of the service: one module per block, found by `schemas/catalogue.py`."""
