"""The log of a command: one JSON object per line, on standard error with `--verbose`, in a file with `--log-file`."""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from innspect.extract.log_events import LOG
from innspect.schemas.errors import UsageError

MASK = "***"
_secrets: set[str] = set()


class JsonLines(logging.Formatter):
    """A record as one JSON object: `time` (UTC), `level`, `event`, then its fields; a secret is masked."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        fields: dict[str, Any] = record.__dict__.get("fields", {})
        line = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        } | {name: _as_json(value) for name, value in fields.items() if value is not None}
        return json.dumps(line, ensure_ascii=False)


class _StderrHandler(logging.Handler):
    """Writes to what is standard error now: a progress bar replaces it, and shows lines above itself."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; an error in it ends nothing but the line."""
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except Exception:  # noqa: BLE001 (as every handler of the standard library)
            self.handleError(record)


def start_log(*, is_verbose: bool, file: Path | None) -> None:
    """Begin to log, unless this command has begun before. Raises UsageError for a file that cannot be written."""
    kinds = {type(handler) for handler in LOG.handlers}
    handlers: list[logging.Handler] = []
    if is_verbose and _StderrHandler not in kinds:
        handlers.append(_StderrHandler())
    if file is not None and not any(_is_log_of(handler, file) for handler in LOG.handlers):
        handlers.append(_open_file(file))
    for handler in handlers:
        handler.setFormatter(JsonLines())
        LOG.addHandler(handler)
        LOG.setLevel(logging.INFO)
        LOG.propagate = False


def end_log() -> None:
    """Close the files, and log nothing any more."""
    for handler in LOG.handlers[:]:
        if isinstance(handler.formatter, JsonLines):
            LOG.removeHandler(handler)
            handler.close()
    LOG.setLevel(logging.NOTSET)
    LOG.propagate = True
    _secrets.clear()


def mask_in_log(secret: str) -> None:
    """Never write this text to the log."""
    if secret:
        _secrets.add(secret)


def _is_log_of(handler: logging.Handler, file: Path) -> bool:
    return isinstance(handler, logging.FileHandler) and Path(handler.baseFilename) == file.absolute()


def _open_file(file: Path) -> logging.FileHandler:
    """A handler that appends; it creates the file, for its owner only, and its folder."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"--log-file {file} cannot be written ({error.strerror}); name another file.") from error


def _as_json(value: object) -> object:
    """A number as it is, anything else as text without secrets."""
    if isinstance(value, bool | int | float):
        return value
    text = str(value)
    for secret in _secrets:
        text = text.replace(secret, MASK)
    return text
