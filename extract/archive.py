"""The archive: sealed Parquet files that are never changed, each answer with the hash of its exact bytes."""

import errno
import hashlib
import io
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import polars as pl

from extract.fault_points import reach
from schemas.errors import ArchiveDamaged, DiskFull, StoreError
from schemas.lineage import ARCHIVE

ANSWERS = "answers"
_TORN = ".torn"
_FIRST_AT = "innspect.first_at"
_TIMES = {ANSWERS: "asked_at", "calls": "reserved_at", "runs": "started_at", "members": "seen_at"}
_ROWS_IN_GROUP = 512
_MARK = b"innspect sha256 "


class Archive:
    """A folder with one for each kind of `schemas.lineage.ARCHIVE`, of files named `<kind>/<run_id>-<number>.parquet`.

    Opening makes the folders and removes files that a killed process left half written. Only for who holds the lock of
    the home, unless `read_only`, which changes nothing. Raises StoreError where the folder cannot be used.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        if read_only:
            return
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for kind in ARCHIVE:
                (folder / kind).mkdir(mode=0o700, exist_ok=True)
            for torn in folder.glob(f"*/.*{_TORN}"):
                torn.unlink()
        except OSError as fault:
            raise _unusable(folder, fault) from fault

    def seal(self, kind: str, run_id: str, frame: pl.DataFrame) -> str | None:
        """Seal rows (frame of `ARCHIVE[kind]`) in a new file and return its name, relative to the folder.

        None where nothing is new: the answers are in sealed files of the run, or the records are those of its last
        file. Raises ValueError for a run id that is no file name, DiskFull, StoreError; then there is no new file.
        """
        if not run_id or Path(run_id).name != run_id or run_id.startswith("."):
            raise ValueError(f"{run_id!r} is no file name")
        frame = frame.select(list(ARCHIVE[kind])).match_to_schema(pl.Schema(ARCHIVE[kind]))
        former = sorted((self.folder / kind).glob(f"{_literal(run_id)}-[0-9][0-9][0-9][0-9][0-9].parquet"))
        frame = self._new(kind, frame, former)
        if frame.is_empty():
            return None
        number = 1 + (int(former[-1].stem.rpartition("-")[2]) if former else 0)
        path = self.folder / kind / f"{run_id}-{number:05d}.parquet"
        self._write(path, _packed(kind, frame))
        return f"{kind}/{path.name}"

    def _new(self, kind: str, frame: pl.DataFrame, former: list[Path]) -> pl.DataFrame:
        """What is not in the run's files yet. A damaged file counts for nothing: its answers are sealed anew."""
        if kind != ANSWERS:
            return frame.clear() if former and self._holds(former[-1], frame) else frame
        for path in former:
            if frame.is_empty():
                break
            try:
                ids = pl.read_parquet(path, columns=["response_id"])["response_id"]
                if frame["response_id"].is_in(ids.implode()).any():
                    self.read(f"{kind}/{path.name}")
            except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException, ArchiveDamaged):
                continue
            frame = frame.filter(~pl.col("response_id").is_in(ids.implode()))
        return frame

    def _holds(self, path: Path, frame: pl.DataFrame) -> bool:
        try:
            return self.read(f"{path.parent.name}/{path.name}").equals(frame)
        except ArchiveDamaged:
            return False

    def _write(self, path: Path, content: bytes) -> None:
        beside = path.with_name(f".{path.name}{_TORN}")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                reach("before archive fsync")
                os.fsync(file.fileno())
            reach("before archive rename")
            beside.rename(path)
            reach("after archive rename")
            _sync_folder(path.parent)
            reach("after archive seal")
        except OSError as fault:
            beside.unlink(missing_ok=True)
            raise _unusable(self.folder, fault) from fault

    def files(self, kind: str) -> list[str]:
        """The sealed files of a kind, relative to the folder, by the time of their first row."""
        folder = self.folder / kind
        dated = [(_first_at(path), path.name) for path in folder.glob("[!.]*.parquet")]
        return [f"{kind}/{name}" for _, name in sorted(dated)]

    def read(self, file: str) -> pl.DataFrame:
        """The rows of a sealed file (frame of `ARCHIVE`); the file, and the body of every answer, have their hash.

        Raises ArchiveDamaged, which names the file and the answer.
        """
        kind = file.partition("/")[0]
        try:
            content = (self.folder / file).read_bytes()
            # Before anything is parsed: what reads Parquet may take damaged pages for data, or break down over them.
            if not _is_whole(content):
                raise ArchiveDamaged(
                    f"The archive file {file} is not what was sealed; restore it from a copy.", file=file
                )
            frame = pl.read_parquet(io.BytesIO(content)).match_to_schema(pl.Schema(ARCHIVE[kind]))
        except (OSError, KeyError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as fault:
            raise ArchiveDamaged(
                f"The archive file {file} cannot be read ({type(fault).__name__}); restore it from a copy.", file=file
            ) from fault
        if kind == ANSWERS:
            for response_id, wanted, size, body in frame.select("response_id", "sha256", "bytes", "body").iter_rows():
                if body is None or len(body) != size or hashlib.sha256(body).hexdigest() != wanted:
                    raise ArchiveDamaged(
                        f"The answer {response_id} in the archive file {file} is not what was sealed; restore the "
                        "file from a copy.",
                        file=file,
                        response_id=response_id,
                    )
        return frame

    def verify(self) -> Iterator[ArchiveDamaged]:
        """Read and hash every file, and give what is wrong with each that is damaged."""
        for kind in ARCHIVE:
            for file in self.files(kind):
                try:
                    self.read(file)
                except ArchiveDamaged as fault:
                    yield fault


def _packed(kind: str, frame: pl.DataFrame) -> bytes:
    time = _TIMES.get(kind)
    first = frame[time].min() if time is not None else None
    named = {_FIRST_AT: first.isoformat(timespec="microseconds")} if isinstance(first, datetime) else {}
    packed = io.BytesIO()
    frame.write_parquet(packed, compression="zstd", row_group_size=_ROWS_IN_GROUP, metadata=named)
    return _marked(packed.getvalue())


def _marked(content: bytes) -> bytes:
    """The file with the hash of all its bytes just before its footer, where no reader of Parquet looks."""
    footer = _footer(content)
    return b"".join((content[:footer], _MARK, hashlib.sha256(content).digest(), content[footer:]))


def _is_whole(content: bytes) -> bool:
    footer = _footer(content)
    mark = footer - len(_MARK) - hashlib.sha256().digest_size
    if mark < 0:
        return False
    view = memoryview(content)
    summed = hashlib.sha256(view[:mark])
    summed.update(view[footer:])
    return content[mark:footer] == _MARK + summed.digest()


def _footer(content: bytes) -> int:
    """Where the footer begins: the last eight bytes are its length and four letters."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def _first_at(path: Path) -> str:
    try:
        return pl.read_parquet_metadata(path).get(_FIRST_AT, "")
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        # `read` says what is wrong with it.
        return ""


def _literal(run_id: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in run_id)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unusable(folder: Path, fault: OSError) -> StoreError:
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"No space is left for the archive {folder}; free some and run again, the answers wait in the ledger.",
            path=str(folder),
        )
    return StoreError(
        f"The archive {folder} cannot be used ({fault.strerror}); correct its rights or name another folder.",
        path=str(folder),
    )
