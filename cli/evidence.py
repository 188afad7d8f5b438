"""The command `evidence`: write the exact bytes of one response, and check their hash."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import typer

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.extract.archive.archive import Archive
from innspect.extract.archive.file_format import READ_ERRORS
from innspect.extract.home.tombstones import Tombstones
from innspect.flows.open_home import open_existing_warehouse, require_archive
from innspect.flows.write_report import write_bytes
from innspect.schemas.errors import ArchiveDamaged, UsageError
from innspect.warehouse.database import Warehouse

RESPONSE = "SELECT * EXCLUDE (balance_rub) FROM lineage.responses WHERE response_id = $id"


def evidence(options: CliOptions, response_id: str, out: Path | None) -> int:
    """Write the body of a response to `out` (`-`: standard output), by default `RESPONSE_ID.json` in this folder.

    Raises UsageError for an unknown or erased response and a file that cannot be written, ArchiveDamaged where its
    archive file is missing or does not match.
    """
    settings = options.settings()
    with open_existing_warehouse(settings) as warehouse:
        response = _find_response(warehouse, response_id)
    archive = require_archive(settings)
    body = read_body(archive, Tombstones(settings.home), response)
    digest = sha256(body).hexdigest()
    if digest != response["sha256"]:
        raise ArchiveDamaged(
            f"The bytes of {response_id} in {response['archive_file']} do not match the recorded SHA-256; restore the "
            "file from a copy.",
            file=response["archive_file"],
            response_id=response_id,
        )
    if out is not None and str(out) == "-":
        typer.get_binary_stream("stdout").write(body)
        return 0
    path = out or Path(f"{response_id}.json")
    write_bytes(path, body, "response", is_named=True)
    facts = {
        "response_id": response_id,
        "inn": response["inn"],
        "method": response["method"],
        "asked_at": f"{response['asked_at'].isoformat(timespec='seconds')}Z",
        "sha256": digest,
        "bytes": len(body),
        "archive_file": response["archive_file"],
        "file": str(path),
    }
    if options.json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        make_console().print(
            f"{path}: {len(body)} bytes of {response['method']} about {response['inn']}, requested "
            f"{response['asked_at']:%Y-%m-%d %H:%M:%S} UTC.\nSHA-256 {digest}: as recorded.",
            soft_wrap=True,
        )
    return 0


def _find_response(warehouse: Warehouse, response_id: str) -> dict[str, Any]:
    rows = warehouse.query(RESPONSE, {"id": response_id})
    if rows.is_empty():
        raise UsageError(
            f"There is no response {response_id} in this warehouse: its INN was forgotten, it is older than the "
            "retention, or the id is of another home; lineage.responses lists all.",
            response_id=response_id,
        )
    return rows.row(0, named=True)


def read_body(archive: Archive, tombstones: Tombstones, response: dict[str, Any]) -> bytes:
    """The bytes of a response from its archive file.

    Raises UsageError if the INN was forgotten, ArchiveDamaged if the file is missing, damaged, or lacks the response.
    """
    response_id, file = response["response_id"], response["archive_file"]
    if tombstones.find_forgotten([response["inn"]]):
        raise UsageError(
            f"The INN of {response_id} was forgotten and its responses are erased; `innspect forget` finishes the "
            "erasure.",
            response_id=response_id,
        )
    try:
        rows = archive.read_columns(file, ["response_id", "body"])
        bodies = rows.filter(rows["response_id"] == response_id)["body"]
    except (*READ_ERRORS, ArchiveDamaged) as fault:
        raise ArchiveDamaged(
            f"The archive file {file} with the bytes of {response_id} cannot be read; restore it from a copy.",
            file=file,
            response_id=response_id,
        ) from fault
    if bodies.is_empty():
        raise ArchiveDamaged(
            f"The archive file {file} does not hold {response_id}; `innspect rebuild` finds the file that does.",
            file=file,
            response_id=response_id,
        )
    return bytes(bodies[0])
