"""The command `forget`: somebody's data removed from every store, the money kept, and never asked about again."""

import json as json_text

import polars as pl
import typer

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.portfolio.inn import read_inns
from innspect.flows.erase import Erased, erase, finish
from innspect.flows.open_home import held, opened, utc_now, warehouse_of
from innspect.flows.recovery import recover
from innspect.schemas.errors import Exit, UsageError
from innspect.schemas.settings import Settings
from innspect.warehouse.erasure_queries import named_by
from innspect.warehouse.location import warehouse_at

NAMED = 10
"""So many of the INNs whose answers name somebody forgotten are listed on the screen; JSON lists all."""


def forget(given: Given, inns: list[str]) -> int:
    """Forget these INNs; without any, finish what was cut short and remove what a restored copy brought back.

    Raises UsageError for what is no INN and for a home that is not there; StoresHeld while a run goes on.
    """
    settings = given.settings()
    wanted = _read(inns)
    if not settings.home.is_dir():
        raise UsageError(f"There is no home folder {settings.home}; name it with --home.", path=str(settings.home))
    finish(settings)
    if Archive(settings.archive, read_only=True).exists():
        # Calls that a killed run left open come to their end under the name that they have.
        with opened(settings) as stores:
            recover(stores, settings.source_timezone, utc_now())
    with held(settings):
        tombstones = Tombstones(settings.home)
        if wanted:
            tombstones.forget(wanted, utc_now())
        else:
            tombstones.begin()
        done = erase(settings, tombstones, anew=not wanted and bool(tombstones))
    others = _named_by(settings, wanted)
    if given.json:
        said = {"inns": wanted, **done.as_json(), "named_by": others}
        typer.echo(json_text.dumps(said, ensure_ascii=False))
    else:
        for line in _lines(wanted, done, others):
            console().print(line, soft_wrap=True)
    return int(Exit.OK)


def _read(inns: list[str]) -> list[str]:
    read = read_inns(pl.Series(inns, dtype=pl.String))
    for value, inn, reason in zip(inns, read["inn"], read["reason"], strict=True):
        if inn is None:
            raise UsageError(f"{value} is no INN ({reason}); give 10 or 12 digits.", value=value)
    return list(dict.fromkeys(read["inn"].to_list()))


def _named_by(settings: Settings, inns: list[str]) -> dict[str, list[str]]:
    if not inns or not warehouse_at(settings.warehouse).exists():
        return {}
    with warehouse_of(settings, read_only=True) as warehouse:
        return {inn: others for inn in inns if (others := named_by(warehouse, inn))}


def _lines(inns: list[str], done: Erased, others: dict[str, list[str]]) -> list[str]:
    lines: list[str] = []
    if done.nothing:
        lines.append("There was nothing to remove.")
    else:
        lines += [
            (
                f"Archive: {done.answers} answers, {done.members} memberships and {done.rejected} rejected lines "
                f"removed; {done.files} files written anew."
            ),
            f"Warehouse: {done.rows} rows removed" + (", all of it made anew." if done.is_rebuilt else "."),
            f"Ledger: {done.calls} calls keep their money under a pseudonym; {done.waiting} waiting answers removed.",
        ]
    if done.is_published or done.pages:
        gone = done.pages - done.pages_anew
        lines.append(
            ("The published copy was made anew. " if done.is_published else "")
            + f"Reports: {done.pages_anew} made anew, {gone} removed."
        )
    for inn, naming in others.items():
        listed = ", ".join(naming[:NAMED]) + (f" and {len(naming) - NAMED} more" if len(naming) > NAMED else "")
        lines.append(f"The answers about {listed} name {inn} too and stay: they are about those.")
    if inns:
        lines.append(
            f"From now on {', '.join(inns)} in a portfolio is refused as forgotten. Portfolio files, exports, backups "
            "and Prefect's own database are yours to clear: docs/security.md says how."
        )
    return lines
