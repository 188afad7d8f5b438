"""What a warehouse remembers of the bytes that came, for the transforms."""

from functools import cache, partial
from importlib.metadata import version

import polars as pl

from innspect.transforms.unchanged_blocks import RECALLED, Memory, seed
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import fingerprint
from innspect.warehouse.load.block_digests import recall


def memory_of(warehouse: Warehouse, zone: str) -> Memory:
    """The warehouse's memory; an empty one where others write too, who may move on between looking up and loading."""
    return empty_memory(zone) if warehouse.is_shared else Memory(_seed(zone), partial(recall, warehouse))


def empty_memory(zone: str) -> Memory:
    """A memory in which nothing is yet."""
    return Memory(_seed(zone), lambda _: pl.DataFrame(schema=RECALLED))


@cache
def _seed(zone: str) -> bytes:
    """What decides how bytes are read: under other software, other declarations or another zone nothing is recalled."""
    return seed(version("innspect"), fingerprint(), zone)
