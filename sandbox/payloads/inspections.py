"""Inspections by state authorities."""

from innspect.sandbox.payloads.block_state import States, both
from innspect.sandbox.world.calendar import ymd
from innspect.sandbox.world.context import Payload, View

MAX_INSPECTIONS = 100
_STATUSES = ("Завершена", "Завершена", "Завершена", "Обжалована", "Не может быть проведена")
_METHODS = ("Выездная", "Документарная", "Документарная и выездная", "")
STATES: dict[str, States] = {"inspections": both("not_all_fetched", "`total` 4000, above the rows", total=4000)}


def inspections(view: View) -> Payload:
    """Inspections, latest first; the total may be more than fetched."""
    failed = view.failure_draw("inspections")
    seen = [] if failed else view.events_until_today(view.profile.event_days("inspections"))
    rows = [_inspection(view, number, day) for number, day in seen[:MAX_INSPECTIONS]]
    return {
        "total": len(seen),
        "completed": sum(row["status"] == "Завершена" for row in rows),
        "with_violations": sum(row["has_violations"] for row in rows),
        "planned": sum(row["type"] == "Плановая проверка" for row in rows),
        "unplanned": sum(row["type"] == "Внеплановая проверка" for row in rows),
        "inspections": rows,
        "raw": {},
        "error": "exception:ConnectTimeout" if failed else "",
    }


def _inspection(view: View, number: int, day: int) -> Payload:
    draw = view.draw("inspection", number)
    planned = draw.chance(0.3)
    age = view.day - day
    fate = draw.pick(_STATUSES)
    status = "Новая" if age < 5 else "Ожидает завершения" if age < 30 else fate
    violated = draw.chance(0.25) and status in ("Завершена", "Обжалована")
    return {
        "number": f"77{draw.digits(12)}",
        "type": "Плановая проверка" if planned else "Внеплановая проверка",
        "method": draw.pick(_METHODS),
        "start_date": ymd(day),
        "end_date": ymd(day + 20) if status == "Завершена" and draw.chance(0.04) else "",
        "authority": "Роспотребнадзор" if draw.chance(0.04) else "",
        "status": status,
        "has_violations": violated,
        "purpose": "Соблюдение обязательных требований к песочницам в соответствии с 248-ФЗ",
        "violations_text": "Песок не просеян" if violated and draw.chance(0.1) else "",
    }
