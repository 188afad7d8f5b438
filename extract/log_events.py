"""Events of the log that `--verbose` and `--log-file` write: a name and fields, through the standard `logging`.

Without these options nothing listens and an event costs one comparison. Fields are identifiers, counts, states, amounts
and sentences of errors: never a setting, a header, an address or the body of a response, which may be secret.
"""

import logging
from typing import Any

LOG = logging.getLogger("innspect")
"""Parent of all loggers of this program."""
# Without a handler Python prints warnings to standard error.
LOG.addHandler(logging.NullHandler())


def log_event(event: str, /, *, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event such as `call.finished`; `fields` that are None are left out."""
    if LOG.isEnabledFor(level):
        LOG.log(level, event, extra={"fields": fields})
