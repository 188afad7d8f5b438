"""The command `rebuild`: rebuild the warehouse from the archive."""

import json
from time import monotonic

import typer

from innspect.cli._console import make_console, tell
from innspect.cli._options import CliOptions
from innspect.flows.open_home import describe_lost_responses, hold_home, open_archive, open_warehouse, require_archive
from innspect.flows.rebuild import rebuild_warehouse
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import Exit
from innspect.warehouse.location import parse_location


def rebuild(options: CliOptions) -> int:
    """Rebuild the warehouse; the previous one is replaced when the new one is complete.

    Raises UsageError if there is no archive, ArchiveDamaged if a file does not match its checksum; the previous
    warehouse remains then.
    """
    settings = options.settings()
    require_archive(settings)
    started, where = monotonic(), parse_location(settings.warehouse)
    with hold_home(settings):
        loaded, files = rebuild_warehouse(settings, open_archive(settings))
        with open_warehouse(settings, read_only=True) as warehouse:
            loss = describe_lost_responses(warehouse, settings)
    facts = {
        "files": files,
        "snapshots": loaded.snapshots,
        "versions": loaded.new_versions,
        "core_rows": loaded.core_rows,
        "changes": loaded.changes,
        "violations": loaded.violations,
        "quarantined": loaded.quarantined,
        "warehouse": str(where),
        "seconds": round(monotonic() - started, 2),
    }
    if options.json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        make_console().print(
            f"Rebuilt {where} from {count_of(files, 'archive file')} in {facts['seconds']} s: "
            f"{count_of(loaded.new_versions, 'version')}, {count_of(loaded.core_rows, 'row')}, "
            f"{count_of(loaded.changes, 'change')}.",
            soft_wrap=True,
        )
    if loss:
        tell(f"Warning: {loss}.")
    return int(Exit.OK)
