"""Ctrl-C while DuckDB works; light enough to be imported by whatever tells of faults."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread


def is_interruption(error: Exception) -> bool:
    """Whether this is what DuckDB makes of Ctrl-C."""
    words = isinstance(error, RuntimeError) and "interrupted" in str(error).lower()
    return words or type(error).__name__ == "InterruptException"


@contextmanager
def interruptible() -> Generator[None]:
    """Ctrl-C while DuckDB works is Ctrl-C, and no fault of the query's. Raises KeyboardInterrupt.

    DuckDB drops what is raised while it looks for a package, so that Ctrl-C is noted here, and raised at the end.
    """
    heard = False

    def hear(*_: object) -> None:
        nonlocal heard
        heard = True
        raise KeyboardInterrupt

    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler and current_thread() is main_thread()
    if listens:
        signal.signal(signal.SIGINT, hear)
    try:
        yield
    except Exception as error:
        if not is_interruption(error):
            raise
        raise KeyboardInterrupt from error
    finally:
        if listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if heard:
        raise KeyboardInterrupt
