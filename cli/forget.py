"""The command `forget`: erase everything known of an INN, keep its charges, and never request it again."""

import json

import typer

from innspect.cli._console import confirm, make_console, tell
from innspect.cli._options import CliOptions
from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.portfolio.inn import require_inns
from innspect.flows.erase import ErasureResult, erase, finish_erasure
from innspect.flows.open_home import hold_home, open_home, open_warehouse, utc_now
from innspect.flows.recovery import recover
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import Exit, UsageError
from innspect.schemas.settings import Settings
from innspect.warehouse.erasure_queries import find_inns_naming
from innspect.warehouse.location import parse_location

MAX_LISTED_INNS = 10
"""INNs listed on the screen whose responses name a forgotten INN; JSON lists all."""


def forget(options: CliOptions, inns: list[str], *, yes: bool) -> int:
    """Erase these INNs; without any, finish an interrupted erasure and erase again what a restored backup contains.

    INNs are confirmed on the terminal, or by `yes`. Raises UsageError for an invalid INN, a missing home or a missing
    confirmation, StoresHeld while another process holds the home.
    """
    settings = options.settings()
    inns = _validate_inns(inns)
    if not settings.home.is_dir():
        raise UsageError(f"There is no home folder {settings.home}; name it with --home.", path=str(settings.home))
    if inns and not yes and not _ask(inns, settings):
        make_console(to_stderr=options.json).print("Nothing was erased.")
        return int(Exit.OK)
    finish_erasure(settings, tell)
    if Archive(settings.archive, read_only=True).exists():
        # Open calls of a killed run are settled under their real INN before it is replaced by a pseudonym.
        with open_home(settings, tell) as stores:
            recover(stores, settings.conventions, utc_now())
    with hold_home(settings):
        tombstones = Tombstones(settings.home)
        if inns:
            tombstones.forget(inns, utc_now())
        else:
            tombstones.mark_unfinished()
        erased = erase(settings, tombstones, tell, republish=not inns and bool(tombstones))
    named_by = _find_inns_naming(settings, inns)
    if options.json:
        facts = {"inns": inns, **erased.as_json(), "named_by": named_by}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        for line in _lines(inns, erased, named_by):
            make_console().print(line, soft_wrap=True)
    return int(Exit.OK)


def _ask(inns: list[str], settings: Settings) -> bool:
    """Ask for confirmation on a terminal. Raises UsageError elsewhere."""
    erased = f"everything known of {', '.join(inns)} in {settings.home}"
    return confirm(
        f"Erase {erased} for ever, and refuse it in future?",
        "Nothing was erased; confirm it with --yes: what is erased cannot be requested again.",
    )


def _validate_inns(values: list[str]) -> list[str]:
    return list(dict.fromkeys(require_inns(values)["inn"].to_list()))


def _find_inns_naming(settings: Settings, inns: list[str]) -> dict[str, list[str]]:
    """By erased INN, the other INNs whose responses name it."""
    if not inns or not parse_location(settings.warehouse).exists():
        return {}
    with open_warehouse(settings, read_only=True) as warehouse:
        return {inn: others for inn in inns if (others := find_inns_naming(warehouse, inn))}


def _lines(inns: list[str], erased: ErasureResult, named_by: dict[str, list[str]]) -> list[str]:
    lines: list[str] = []
    if erased.is_empty:
        lines.append("There was nothing to erase.")
    else:
        lines += [
            (
                f"Archive: {count_of(erased.responses, 'response')}, {count_of(erased.members, 'membership')} and "
                f"{count_of(erased.rejected, 'rejected line')} removed; {count_of(erased.files, 'file')} rewritten."
            ),
            f"Warehouse: {count_of(erased.rows, 'row')} removed" + (" by a rebuild." if erased.is_rebuilt else "."),
            (
                f"Ledger: {count_of(erased.calls, 'call')} under a pseudonym, with the charges; "
                f"{count_of(erased.unsealed_responses, 'response')} removed from the outbox."
            ),
        ]
    if erased.is_published or erased.pages:
        lines.append(
            ("The published copy was written again. " if erased.is_published else "")
            + f"Reports: {erased.pages_rewritten} written again, {erased.pages - erased.pages_rewritten} removed."
        )
    for inn, others in named_by.items():
        listed = ", ".join(others[:MAX_LISTED_INNS])
        more = f" and {len(others) - MAX_LISTED_INNS} more" if len(others) > MAX_LISTED_INNS else ""
        lines.append(f"The responses about {listed}{more} name {inn} too and stay, since they are about those INNs.")
    if inns:
        lines.append(
            f"From now on {', '.join(inns)} in a portfolio is rejected as forgotten. Erase it from portfolio files, "
            "exports, backups and Prefect's own database yourself: docs/security.md explains how."
        )
    return lines
