"""Tombstones: which INNs are erased, and from when responses are retained. The file survives every rebuild.

It holds a keyed hash of each INN, so that INNs can be looked up in it but not listed from it. The key is in the same
file, so its holder can try all possible INNs: the hashes are pseudonyms, and only the owner may read the file.
"""

import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

import polars as pl

from innspect.extract.home.atomic_file import write_atomically
from innspect.extract.portfolio.inn import read_inns
from innspect.extract.portfolio.reader import REJECTED, Portfolio
from innspect.schemas.errors import StoreError, UsageError

FILE_NAME = "tombstones.json"
FORGOTTEN = "forgotten"
"""Rejection reason of an erased INN, and prefix of the pseudonym that replaces it."""


@dataclass(slots=True)
class _Content:
    """What the file holds: `forgotten` maps the hash of an INN to the time of its erasure."""

    key: str
    forgotten: dict[str, str] = field(default_factory=dict[str, str])
    since: datetime | None = None
    unfinished: bool = False


class Tombstones:
    """The tombstones of one home; false if there is no file. Writing requires the lock of the home.

    Raises StoreError if the file cannot be read or written.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME
        self._content = self._read()

    def __bool__(self) -> bool:
        return self._content is not None

    @property
    def is_unfinished(self) -> bool:
        """Whether an erasure was requested and may not have reached every store yet."""
        return self._content is not None and self._content.unfinished

    @property
    def retained_since(self) -> datetime | None:
        """The instant (UTC) before which no response is retained; None if all are."""
        return None if self._content is None else self._content.since

    def forget(self, inns: Iterable[str], at: datetime) -> None:
        """Add a tombstone for each INN; the erasure is unfinished from then on."""
        content = self._content or _Content(token_hex(32))
        for inn in inns:
            content.forgotten.setdefault(_hash(content.key, inn), at.isoformat(timespec="seconds"))
        self._write(content, unfinished=True)

    def set_retention(self, moment: datetime) -> None:
        """Retain no response that was requested before this instant (UTC); an earlier instant changes nothing."""
        content = self._content or _Content(token_hex(32))
        content.since = moment if content.since is None else max(moment, content.since)
        self._write(content, unfinished=True)

    def check_retention(self, now: datetime) -> None:
        """Raise UsageError if a response that is requested now (UTC) would be removed as soon as it is loaded."""
        if (since := self.retained_since) is not None and since > now:
            raise UsageError(
                f"Responses that were requested before {since:%Y-%m-%d %H:%M} UTC are removed in this home, so nothing "
                "was requested: it would be paid for and removed. A clock was ahead when `archive retain` set this "
                f"limit; write an earlier one, or null, to `since` in {self.path}.",
                path=str(self.path),
            )

    def mark_unfinished(self) -> None:
        """Record that an erasure has started."""
        if self._content is not None:
            self._write(self._content, unfinished=True)

    def mark_finished(self) -> None:
        """Record that the erasure has reached every store."""
        if self._content is not None:
            self._write(self._content, unfinished=False)

    def find_forgotten(self, inns: Iterable[str]) -> dict[str, str]:
        """The erased ones of these INNs, each with its pseudonym, which is never 10 or 12 characters long."""
        content = self._content
        if content is None or not content.forgotten:
            return {}
        hashes = ((inn, _hash(content.key, inn)) for inn in inns)
        return {inn: f"{FORGOTTEN}:{digest[:20]}" for inn, digest in hashes if digest in content.forgotten}

    def pseudonymous_call_id(self, call_id: str) -> str:
        """The id that replaces the id of an erased INN's call, since that id is computed from the INN."""
        assert self._content is not None
        return _hash(self._content.key, f"call {call_id}")

    def has_erased_rows(self, kind: str, frame: pl.DataFrame) -> bool:
        """Whether `drop_erased` would change the rows; the frame needs only the columns of `ERASURE_COLUMNS`."""
        return bool(self._find_forgotten_in(kind, frame)) or (kind == "answers" and self._is_expired(frame).any())

    def drop_erased(self, kind: str, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of an archive file (frame of `ARCHIVE[kind]`) without what is erased.

        Responses, memberships and rejected lines of erased INNs are dropped, and so are expired responses. Calls
        remain, since they are money, under a pseudonymous id and INN.
        """
        if self._content is None:
            return frame
        if kind == "answers":
            frame = frame.filter(~self._is_expired(frame))
        forgotten = self._find_forgotten_in(kind, frame)
        if not forgotten:
            return frame
        if kind == "calls":
            new_id = pl.col("call_id").map_elements(self.pseudonymous_call_id, pl.String)
            return frame.with_columns(
                call_id=pl.when(pl.col("inn").is_in(list(forgotten))).then(new_id).otherwise("call_id"),
                inn=pl.col("inn").replace(forgotten),
            )
        frame = frame.filter(~_subject_inns(kind, frame).is_in(list(forgotten)).fill_null(value=False))
        # The other columns of a member say who named it.
        return frame.with_columns(pl.col("extra").str.replace_many(forgotten)) if kind == "members" else frame

    def reject_forgotten(self, portfolio: Portfolio) -> Portfolio:
        """The portfolio without erased INNs: their lines are rejected, with the pseudonym as value."""
        forgotten = self._find_forgotten_in("members", portfolio.members)
        forgotten |= self._find_forgotten_in("rejected", portfolio.rejected)
        if not forgotten:
            return portfolio
        is_forgotten = pl.col("inn").is_in(list(forgotten))
        lines = portfolio.members.filter(is_forgotten).select("line", value="inn", reason=pl.lit(FORGOTTEN))
        inns = _subject_inns("rejected", portfolio.rejected)
        rejected = portfolio.rejected.with_columns(
            value=pl.when(inns.is_in(list(forgotten)).fill_null(value=False)).then(inns).otherwise("value")
        )
        return replace(
            portfolio,
            members=portfolio.members.filter(~is_forgotten),
            rejected=pl.concat([rejected, lines.select(REJECTED.keys())])
            .with_columns(pl.col("value").replace(forgotten))
            .sort("line"),
        )

    def _find_forgotten_in(self, kind: str, frame: pl.DataFrame) -> dict[str, str]:
        if kind in ("runs", "policies") or self._content is None or not self._content.forgotten:
            return {}
        inns = _subject_inns(kind, frame)
        if kind == "members":
            inns = pl.concat([inns, frame["extra"].str.extract_all(r"\b(?:\d{10}|\d{12})\b").explode()])
        return self.find_forgotten(inns.drop_nulls().unique().to_list())

    def _is_expired(self, frame: pl.DataFrame) -> pl.Series:
        since = self.retained_since
        if since is None:
            return pl.repeat(value=False, n=frame.height, dtype=pl.Boolean, eager=True)
        return frame["asked_at"] < since

    def _write(self, content: _Content, *, unfinished: bool) -> None:
        content.unfinished = unfinished
        document = {
            "key": content.key,
            "forgotten": content.forgotten,
            "since": None if content.since is None else content.since.isoformat(),
            "unfinished": unfinished,
        }
        try:
            write_atomically(self.path, json.dumps(document, indent=1).encode(), failpoint_name="tombstones")
        except OSError as fault:
            raise StoreError(
                f"{self.path} cannot be written ({fault.strerror}); free some space or correct its permissions, then "
                "repeat the command.",
                path=str(self.path),
            ) from fault
        self._content = content

    def _read(self) -> _Content | None:
        try:
            document: Any = json.loads(self.path.read_text(encoding="utf-8"))
            since = document["since"]
            return _Content(
                str(document["key"]),
                {str(digest): str(at) for digest, at in document["forgotten"].items()},
                None if since is None else datetime.fromisoformat(since),
                bool(document["unfinished"]),
            )
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as fault:
            # Without the file a run would request erased INNs again.
            raise StoreError(
                f"{self.path}, the record of erased INNs, cannot be read ({type(fault).__name__}); restore it from a "
                "copy.",
                path=str(self.path),
            ) from fault


def _subject_inns(kind: str, frame: pl.DataFrame) -> pl.Series:
    """The INN that each row is about; NULL if there is none."""
    return read_inns(frame["value"])["inn"] if kind == "rejected" else frame["inn"]


def _hash(key: str, value: str) -> str:
    return hmac.new(bytes.fromhex(key), value.encode(), "sha256").hexdigest()[:32]
