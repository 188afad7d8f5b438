"""The tax authority's open data: tax debts, tax offences, headcount, income, small business."""

from datetime import date

from innspect.sandbox.payloads.block_state import WORD, States, both, with_rows, without_rows
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import (
    compact,
    compact_dmy,
    dmy,
    last_monthly,
    last_quarter,
    last_yearly,
    year_of,
    ymd,
)
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import on_wire

_INDEX: States = both("index", "`status` of the local index", "downloading", "failed", status=WORD)
_COMMON: States = {**_INDEX, "old_data_set": with_rows("an old `snapshot_date`", "20200110", snapshot_date=WORD)}
_LARGE_DEBT_RUB = 50_000_000


def _large_debt(view: View, _: Payload, __: str) -> Payload:
    """One debt in the quarter's data set."""
    quarter = last_quarter(view.day)
    record = {"inn": view.inn, "ogrn": "", "name": view.profile.name.upper(), "debt_type": words.DEBT_TYPES[0],
              "sum": _LARGE_DEBT_RUB, "record_date": dmy(quarter - 15)}  # fmt: skip
    return _with_totals(view, [record], quarter, "loaded")


STATES: dict[str, States] = {
    **dict.fromkeys(("tax_debts", "tax_offences", "employees", "revexp"), _COMMON),
    "tax_debts": {**_COMMON, "large_debt": with_rows("one debt of 50 000 000 RUB", change=_large_debt)},
    "msp": {
        **_INDEX,
        "old_data_set": with_rows("an old `snapshot_date`", "10012020", snapshot_date=WORD),
        "loaded_without_record": without_rows("`status` `loaded` (found) without a record", status="loaded"),
    },
}


def headcount(profile: Profile, day: int) -> list[tuple[int, int]]:
    """Year and headcount of the published years, latest first."""
    newest = year_of(last_yearly(day)) - 1
    first = max(newest - 4, year_of(profile.registration_day))
    return [(year, _staff(profile, year)) for year in range(newest, first - 1, -1)]


def _staff(profile: Profile, year: int) -> int:
    return int(profile.staff * (0.85 + 0.3 * profile.draw("staff", year).unit()))


def _index(view: View, block: str) -> str:
    """The state of the local index; only `idle` and `loaded` are evidence."""
    broken = view.failure_draw(block)
    if broken:
        return broken.pick(("downloading", "failed"))
    return view.draw("index", block).pick(("idle", "loaded"))


def tax_debts(view: View) -> Payload:
    """Debts by kind of tax in the quarter's data set, largest first."""
    quarter = last_quarter(view.day)
    draw = view.draw("tax debts")
    state = _index(view, "tax_debts")
    owes = draw.chance({"troubled": 0.8, "ordinary": 0.15, "heavy": 0.5}.get(view.profile.kind, 0.05))
    kinds = draw.some(words.DEBT_TYPES, draw.integer(1, 5)) if owes and state in ("idle", "loaded") else []
    records: list[Payload] = []
    for kind in kinds:
        amount = view.draw("tax debt", kind, quarter).roubles(60, 400_000)
        dated = draw.chance(0.8)
        records.append({"inn": view.inn, "ogrn": "", "name": view.profile.name.upper(), "debt_type": kind,
                        "sum": amount, "record_date": dmy(quarter - 15) if dated else ""})  # fmt: skip
    return _with_totals(view, records, quarter, state)


def tax_offences(view: View) -> Payload:
    """Fines in the quarter's data set, largest first."""
    quarter = last_quarter(view.day)
    draw = view.draw("tax offences")
    state = _index(view, "tax_offences")
    fined = draw.chance({"troubled": 0.5, "ordinary": 0.1, "heavy": 0.4}.get(view.profile.kind, 0.03))
    dated = draw.chance(0.85)
    count = draw.integer(1, 2) if fined and state in ("idle", "loaded") else 0
    records = [
        {"inn": view.inn, "ogrn": "", "name": view.profile.name.upper(), "offence_type": "", "article": "",
         "sum": draw.roubles(200, 90_000), "decision_date": dmy(quarter - 24) if dated else ""}
        for _ in range(count)
    ]  # fmt: skip
    return _with_totals(view, records, quarter, state)


def _with_totals(view: View, records: list[Payload], quarter: int, state: str) -> Payload:
    records.sort(key=lambda record: -record["sum"])
    total = on_wire(sum(round(record["sum"] * 100) for record in records))
    return {"inn": view.inn, "total": len(records), "total_sum": total, "records": records,
            "snapshot_date": compact(quarter), "status": state, "error": ""}  # fmt: skip


def employees(view: View) -> Payload:
    """Headcount of the latest year, or null if the data set has no entry."""
    published = last_yearly(view.day)
    year = year_of(published) - 1
    state = _index(view, "employees")
    covered = (
        state in ("idle", "loaded") and not view.profile.is_person and year >= year_of(view.profile.registration_day)
    )
    record: Payload | None = None
    if covered and view.draw("employees").chance(0.85):
        record = {"inn": view.inn, "ogrn": "", "name": view.profile.name, "headcount": _staff(view.profile, year),
                  "publish_date": f"31.12.{year}"}  # fmt: skip
    return {"inn": view.inn, "record": record, "snapshot_date": compact(published), "status": state, "error": ""}


def revexp(view: View) -> Payload:
    """Income and expense of the latest year: thousands and a year in the full check, else roubles and a day."""
    published = last_yearly(view.day)
    year = year_of(published) - 1
    state = _index(view, "revexp")
    covered = state in ("idle", "loaded") and view.profile.kind != "bank" and not view.profile.is_person
    record: Payload | None = None
    if covered and year > year_of(view.profile.registration_day) and view.draw("revexp").chance(0.85):
        draw = view.draw("revexp", year)
        revenue = int(view.profile.turnover * (0.7 + 0.6 * draw.unit())) // 1000
        expense = int(revenue * (0.8 + 0.3 * draw.unit()))
        unit = 1 if view.is_full_check else 1000
        record = {"inn": view.inn, "ogrn": "", "name": view.profile.name, "revenue": revenue * unit,
                  "expense": expense * unit,
                  "period": str(year) if view.is_full_check else f"31.12.{year}"}  # fmt: skip
    return {"inn": view.inn, "record": record, "snapshot_date": compact(published), "status": state, "error": ""}


def msp(view: View) -> Payload:
    """The entry in the small-business register; `loaded`: there is one, `idle`: there is none."""
    published = last_monthly(view.day)
    profile = view.profile
    broken = view.failure_draw("msp")
    entered = bool(profile.category) and profile.is_registered(published) and view.draw("msp").chance(0.9)
    record: Payload | None = None
    if entered and not broken:
        since = max(profile.registration_day, date(2016, 8, 1).toordinal())
        record = {"inn": view.inn, "ogrn": profile.ogrn,
                  "name": profile.full_name if profile.is_person else profile.name,
                  "headcount": profile.staff, "category": "" if view.draw("msp blank").chance(0.02)
                  else profile.category, "is_ip": profile.is_person,
                  "as_of": ymd(since) if view.is_full_check else dmy(since)}  # fmt: skip
    error = "exception:OperationalError" if broken else ""
    return {"inn": view.inn, "record": record, "snapshot_date": compact_dmy(published),
            "status": "loaded" if record else "idle", "error": error}  # fmt: skip
