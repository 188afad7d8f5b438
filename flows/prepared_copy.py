"""Prepare the published copy while a run makes its calls, so that its end is left with the last INNs.

The file begins as a clone of the published copy, which takes seconds for a large one; the first load begins the clone.
At the end of a run that requests all INNs again, the copy, judging and links take time for each INN that was requested,
changed or not. Each time some thousand INNs have new responses, this is done for them between two loads. Nobody reads
the prepared file: the end of the run continues it as the new copy, whatever it lacks.
"""

import logging
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Self

from innspect.extract.failpoints import failpoint
from innspect.extract.log_events import log_event
from innspect.flows.open_home import software_version, utc_now
from innspect.schemas.errors import InnspectError, SettingsError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import memory_for_inns
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy, translate_publish_errors
from innspect.warehouse.publish.exclude import Exclusion, parse_exclusion
from innspect.warehouse.publish.file_clone import FileClone
from innspect.warehouse.publish.watermark import PreviousCopy, find_previous

COPY, WATERMARK = "innspect.duckdb", ".watermark.json"
"""The published copy, and what it contains of the warehouse: without that the next copy is built from nothing."""
PREPARED = f".{COPY}.prepared"
FREE_COPIES = 3
"""Times the size of the copy that have to be free on the disk: responses, which are paid for, need space first."""
MEMORY_MEGABYTES = 320
"""Of DuckDB while the copy is prepared: less than for publishing, because the calls in progress need memory too."""
MIN_INNS = 500
"""For fewer INNs the copy is not continued, unless `publish.prepare_inns` says so: rows of others are written again."""
BYTES_PER_SECOND = 50_000_000
"""Size of the published copy by seconds of the first preparation, roughly."""


class PreparedCopy:
    """The copy in preparation; it continues the published one.

    Nothing is prepared if that cannot be continued, in a lake, to which others write meanwhile, and after a failure.
    The file is removed with this context.
    """

    def __init__(self, settings: Settings, warehouse: Warehouse) -> None:
        publish, folder = settings.publish, settings.published_folder
        self._warehouse, self._step_inns = warehouse, publish.prepare_inns
        is_wanted = publish.after_run and publish.prepare_inns > 0 and not warehouse.is_shared
        self._is_ended = not is_wanted
        self._patterns, self._exclusion = tuple(publish.exclude), Exclusion()
        try:
            self._exclusion = parse_exclusion(publish.exclude)
        except SettingsError:
            # The end of the run says so.
            self._is_ended = True
        self._published, self._record, self._file = folder / COPY, folder / WATERMARK, folder / PREPARED
        self._new_inns = 0
        # The expected seconds of a preparation: those of the last one, which had more INNs.
        self._seconds = self._published.stat().st_size / BYTES_PER_SECOND if self._published.exists() else 0.0
        self._clone: FileClone | None = None
        self._content: PreviousCopy | None = None
        """What the file contains once the clone is complete; None while it is continued."""
        self._is_advanced = False
        self.new_blocks: frozenset[str] = frozenset()
        """The blocks of the snapshots that it has and the published copy does not."""

    def __enter__(self) -> Self:
        remove_prepared(self._file.parent)
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def add_loaded(self, inns: int) -> None:
        """Count INNs with newly loaded responses. With the first of them the clone of the published copy begins."""
        self._new_inns += inns
        if not inns or self._is_ended or self._clone is not None:
            return
        with self._end_on_failure(KeyboardInterrupt):
            published = self._find_published()
            if published is None:
                self._is_ended = True
                return
            self._clone = FileClone(self._published, self._file)
            self._content = PreviousCopy(self._file, published.watermark)

    def is_due(self, inns_left: float, seconds_left: float) -> bool:
        """Whether to continue the copy now, if these INNs are still to be requested, which takes this time.

        Towards the end of the calls as many INNs as are still to be requested are enough, so that few are left when
        they end; but the last calls must not wait for a preparation. A run of fewer INNs than a preparation is for is
        left as it is: its last calls and repairs would wait longer than its end becomes shorter.
        """
        enough = self._step_inns
        if self._is_advanced:
            enough = min(enough, max(inns_left, MIN_INNS))
        return not self._is_ended and self._new_inns >= enough and seconds_left >= self._seconds

    def advance(self) -> None:
        """Continue the copy on the thread of the loads, where `Warehouse.interrupt` ends it.

        A failure ends the preparation, not the run.
        """
        started, self._new_inns = monotonic(), 0
        failpoint("before copy preparation")
        with self._end_on_failure(KeyboardInterrupt):
            content = self._take_content()
            if content is None:
                return
            info = CopyInfo(utc_now(), software_version(), self._patterns)
            limit = memory_for_inns(self._warehouse.connection, MEMORY_MEGABYTES)
            built = build_copy(self._warehouse, self._file, self._exclusion, info, content, lower_limit=limit)
            failpoint("after copy preparation")
            self._content, self._is_advanced = PreviousCopy(self._file, built.watermark), True
            self.new_blocks |= built.new_blocks
            self._seconds = monotonic() - started
            log_event("copy.prepared", file=self._file, seconds=round(self._seconds, 3))

    @contextmanager
    def _end_on_failure(self, *interruptions: type[BaseException]) -> Generator[None]:
        """End the preparation, and not the run, after a failure, or after one of these interruptions.

        On the thread of the loads `Warehouse.interrupt` raises KeyboardInterrupt, which the run itself gets too.
        """
        try:
            with translate_publish_errors(self._file):
                yield
        except (InnspectError, *interruptions) as error:
            log_event("copy.not_prepared", level=logging.WARNING, error=str(error))
            self.discard()

    def _take_content(self) -> PreviousCopy | None:
        """What the file contains, after waiting for the clone; until it is complete again, it is no copy."""
        content, self._content = self._content, None
        if content is not None and self._clone is not None:
            self._clone.finish()
        return content

    def _find_published(self) -> PreviousCopy | None:
        """The published copy if the warehouse has grown from it and there is space for another one. Raises OSError."""
        previous = find_previous(self._published, self._record)
        if previous is None or not previous.is_continued_by(self._warehouse.connection, self._patterns):
            return None
        is_enough = shutil.disk_usage(self._published.parent).free > FREE_COPIES * self._published.stat().st_size
        return previous if is_enough else None

    def take(self, path: Path) -> PreviousCopy | None:
        """Move the prepared file to `path`, and end; None if there is none."""
        with self._end_on_failure():
            content, self._is_ended = self._take_content(), True
            if content is not None:
                self._file.replace(path)
                return PreviousCopy(path, content.watermark)
        return None

    def discard(self) -> None:
        """Remove the prepared file, and end."""
        self._content, self._is_ended = None, True
        if self._clone is not None:
            self._clone.cancel()
        remove_prepared(self._file.parent)


def remove_prepared(folder: Path) -> None:
    """Remove what a preparation left in the folder of the published copy."""
    for name in (PREPARED, f"{PREPARED}.wal"):
        with suppress(OSError):
            (folder / name).unlink(missing_ok=True)
