"""Tombstones: whom to forget and since when answers are kept, in a small file that survives every rebuild.

The file holds no INN but a keyed hash of each, so that a list of INNs can be held against it and it cannot be read as a
list. Whoever has the file can try out all INNs there are: it is a pseudonym, and for the owner's eyes alone.
"""

import hmac
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

import polars as pl

from innspect.extract.failpoints import reach
from innspect.extract.portfolio.inn import read_inns
from innspect.extract.portfolio.reader import REJECTED, Portfolio
from innspect.schemas.errors import StoreError

NAME = "tombstones.json"
FORGOTTEN = "forgotten"
"""Reason of a line that names somebody who was forgotten, and the beginning of what stands for the INN."""


@dataclass(slots=True)
class _Marks:
    key: str
    forgotten: dict[str, str] = field(default_factory=dict[str, str])
    since: datetime | None = None
    unfinished: bool = False


class Tombstones:
    """The tombstones of one home. Reading needs no lock, writing is for who holds it.

    `unfinished` says that something was asked to be removed and may not be gone from everywhere yet; `since` is the
    moment (UTC) before which no answer is kept, None where all are. Raises StoreError where the file cannot be used.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / NAME
        self._marks = self._read()

    def __bool__(self) -> bool:
        return self._marks is not None

    @property
    def unfinished(self) -> bool:
        """Whether a removal was begun and not brought to its end."""
        return self._marks is not None and self._marks.unfinished

    @property
    def since(self) -> datetime | None:
        """The moment (UTC) before which no answer is kept."""
        return None if self._marks is None else self._marks.since

    def forget(self, inns: Iterable[str], at: datetime) -> None:
        """Put up a tombstone for each INN; the removal is unfinished from now on."""
        marks = self._marks or _Marks(token_hex(32))
        for inn in inns:
            marks.forgotten.setdefault(_hash(marks.key, inn), at.isoformat(timespec="seconds"))
        self._keep(marks, unfinished=True)

    def keep_since(self, moment: datetime) -> None:
        """Let no answer be kept that was asked before then (UTC); never earlier than was said before."""
        marks = self._marks or _Marks(token_hex(32))
        marks.since = moment if marks.since is None else max(moment, marks.since)
        self._keep(marks, unfinished=True)

    def begin(self) -> None:
        """Note that what is to be removed is being removed once more."""
        if self._marks is not None:
            self._keep(self._marks, unfinished=True)

    def finish(self) -> None:
        """Note that all that was to be removed is gone."""
        if self._marks is not None:
            self._keep(self._marks, unfinished=False)

    def among(self, inns: Iterable[str]) -> dict[str, str]:
        """Those of the INNs that were forgotten, each with what stands for it: never 10 or 12 characters long."""
        marks = self._marks
        if marks is None or not marks.forgotten:
            return {}
        hashes = ((inn, _hash(marks.key, inn)) for inn in inns)
        return {inn: f"{FORGOTTEN}:{mark[:20]}" for inn, mark in hashes if mark in marks.forgotten}

    def another_call(self, call_id: str) -> str:
        """The id of a forgotten INN's call from now on: the one before could be reckoned from the INN."""
        assert self._marks is not None
        return _hash(self._marks.key, f"call {call_id}")

    def touches(self, kind: str, frame: pl.DataFrame) -> bool:
        """Whether `kept` would change the rows; the frame may lack columns that it does not look at."""
        return bool(self._found(kind, frame)) or (kind == "answers" and self._old(frame).any())

    def kept(self, kind: str, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of an archive file (frame of `ARCHIVE[kind]`) as they may be kept.

        Answers about, memberships of and lines that name somebody forgotten are gone, and so are answers that are too
        old. Calls stay, for they are money, under another id and with what stands for the INN.
        """
        if self._marks is None:
            return frame
        if kind == "answers":
            frame = frame.filter(~self._old(frame))
        found = self._found(kind, frame)
        if not found:
            return frame
        if kind == "calls":
            gone = pl.col("inn").is_in(list(found))
            renamed = pl.col("call_id").map_elements(self.another_call, pl.String)
            return frame.with_columns(
                call_id=pl.when(gone).then(renamed).otherwise("call_id"),
                inn=pl.col("inn").replace(found),
            )
        return frame.filter(~_named(kind, frame).is_in(list(found)).fill_null(value=False))

    def refuse(self, portfolio: Portfolio) -> Portfolio:
        """The portfolio without those who were forgotten: their lines are rejected, and do not name them."""
        found = self._found("members", portfolio.members) | self._found("rejected", portfolio.rejected)
        if not found:
            return portfolio
        gone = portfolio.members.filter(pl.col("inn").is_in(list(found)))
        lines = gone.select("line", value="inn", reason=pl.lit(FORGOTTEN))
        said = _named("rejected", portfolio.rejected)
        rejected = portfolio.rejected.with_columns(
            value=pl.when(said.is_in(list(found)).fill_null(value=False)).then(said).otherwise("value")
        )
        return Portfolio(
            portfolio.name,
            portfolio.members.filter(~pl.col("inn").is_in(list(found))),
            pl.concat([rejected, lines.select(REJECTED.keys())])
            .with_columns(pl.col("value").replace(found))
            .sort("line"),
            portfolio.restored,
        )

    def _found(self, kind: str, frame: pl.DataFrame) -> dict[str, str]:
        if kind == "runs" or self._marks is None or not self._marks.forgotten:
            return {}
        return self.among(_named(kind, frame).drop_nulls().unique().to_list())

    def _old(self, frame: pl.DataFrame) -> pl.Series:
        since = self.since
        if since is None:
            return pl.repeat(value=False, n=frame.height, dtype=pl.Boolean, eager=True)
        return frame["asked_at"] < since

    def _keep(self, marks: _Marks, *, unfinished: bool) -> None:
        """Write the file: after a crash it is the old one or the new one."""
        marks.unfinished = unfinished
        said = {
            "key": marks.key,
            "forgotten": marks.forgotten,
            "since": None if marks.since is None else marks.since.isoformat(),
            "unfinished": unfinished,
        }
        beside = self.path.with_name(f".{NAME}.torn")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(said, file, indent=1)
                file.flush()
                reach("before tombstones fsync")
                os.fsync(file.fileno())
            reach("before tombstones rename")
            beside.replace(self.path)
            reach("after tombstones rename")
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as fault:
            raise StoreError(
                f"{self.path} cannot be written ({fault.strerror}); make room or correct its rights, and repeat.",
                path=str(self.path),
            ) from fault
        self._marks = marks

    def _read(self) -> _Marks | None:
        try:
            said: Any = json.loads(self.path.read_text(encoding="utf-8"))
            since = said["since"]
            return _Marks(
                str(said["key"]),
                {str(mark): str(at) for mark, at in said["forgotten"].items()},
                None if since is None else datetime.fromisoformat(since),
                bool(said["unfinished"]),
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as fault:
            # Going on without it would ask again about people who were to be forgotten.
            raise StoreError(
                f"{self.path}, which tells who was forgotten, cannot be read ({type(fault).__name__}); restore it "
                "from a copy.",
                path=str(self.path),
            ) from fault


def _named(kind: str, frame: pl.DataFrame) -> pl.Series:
    """The INN that each row is about, NULL where it is about none."""
    return read_inns(frame["value"])["inn"] if kind == "rejected" else frame["inn"]


def _hash(key: str, value: str) -> str:
    return hmac.new(bytes.fromhex(key), value.encode(), "sha256").hexdigest()[:32]
