"""Every table of `core` is read by a mart, or is in the list of those that are not, with the reason."""

import re

from innspect.schemas.tables import tables
from innspect.warehouse.marts.registry import TABLES_WITHOUT_MART, mart_queries

READ_TABLE = re.compile(r'\b(?:core|current)\."?(\w+)')


def test_every_table_is_read_by_a_mart_or_listed_with_a_reason():
    read = {table for query in mart_queries().values() for table in READ_TABLE.findall(query)}
    assert set(tables()) - read == set(TABLES_WITHOUT_MART)
    assert all(reason.endswith(".") and len(reason) > 40 for reason in TABLES_WITHOUT_MART.values())
