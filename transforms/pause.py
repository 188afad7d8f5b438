"""Making very many small objects without the collector of cycles looking through them again and again."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """The collector rests: answers and modules stay, and looking for cycles takes up to a quarter of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
