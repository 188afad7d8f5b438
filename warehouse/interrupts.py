"""Ctrl-C while DuckDB runs. Imports no DuckDB, so that error handling stays quick to import."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread


def is_interruption(error: Exception) -> bool:
    """Whether this is DuckDB's exception for Ctrl-C."""
    is_runtime_error = isinstance(error, RuntimeError) and "interrupted" in str(error).lower()
    return is_runtime_error or type(error).__name__ == "InterruptException"


@contextmanager
def interruptible() -> Generator[None]:
    """Raise KeyboardInterrupt on Ctrl-C in DuckDB, which would raise its own exception, or none.

    DuckDB drops exceptions that are raised while it imports a package: the signal is recorded and raised at the end.
    """
    is_interrupted = False

    def record(*_: object) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        raise KeyboardInterrupt

    is_handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler and current_thread() is main_thread()
    if is_handled:
        signal.signal(signal.SIGINT, record)
    try:
        yield
    except Exception as error:
        if not is_interruption(error):
            raise
        raise KeyboardInterrupt from error
    finally:
        if is_handled:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if is_interrupted:
        raise KeyboardInterrupt
