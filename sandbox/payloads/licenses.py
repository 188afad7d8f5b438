"""Licences of the health and the fire-safety regulators."""

from innspect.sandbox.payloads.block_state import WORD, States, both
from innspect.sandbox.world.calendar import dmy
from innspect.sandbox.world.context import Payload, View

_NARCOTICS = (
    "Деятельность по обороту наркотических средств, психотропных веществ и их прекурсоров, "
    "культивированию наркосодержащих растений"
)
_HEALTH = (
    ("ROSZ_LS", "Фармацевтическая деятельность"),
    ("ROSZ_NARK", _NARCOTICS),
    ("ROSZ_MD", "Техническое обслуживание медицинских изделий"),
)  # fmt: skip

STATES: dict[str, States] = {
    "licenses": {
        **both("sources_failed", "a register in `sources_failed`", "ROSZ", "MCHS", sources_failed=[WORD]),
        **both("register_missed", "`sources_checked` lacks the other register", "ROSZ", "MCHS", sources_checked=[WORD]),
        **both("no_register_checked", "`sources_checked` is empty", sources_checked=[]),
    }
}


def licenses(view: View) -> Payload:
    """Licences by register, and the registers that did not respond."""
    draw = view.draw("licenses")
    health = [_health(view, number) for number in range(draw.integer(1, 3))] if draw.chance(0.06) else []
    mchs = [_fire(view, number) for number in range(draw.integer(1, 2))] if draw.chance(0.04) else []
    failed = view.failure_draw("licenses")
    silent = failed.some(("ROSZ", "MCHS"), failed.integer(1, 2)) if failed else []
    health = [] if "ROSZ" in silent else [licence for day, licence in health if day <= view.day]
    mchs = [] if "MCHS" in silent else [licence for day, licence in mchs if day <= view.day]
    return {"inn": view.inn, "health": health, "mchs": mchs, "total": len(health) + len(mchs),
            "sources_checked": ["ROSZ", "MCHS"], "sources_failed": silent, "error": ""}  # fmt: skip


def _health(view: View, number: int) -> tuple[int, Payload]:
    """The day of issue and the licence."""
    draw = view.draw("health", number)
    source, activity = _HEALTH[number]
    issued = view.profile.registration_day + draw.integer(100, 900)
    address = view.profile.address_of(0)
    return issued, {
        "source": source,
        "license_number": f"Л042-01137-77/{draw.digits(8)}",
        "license_date": dmy(issued),
        "activity_type": activity,
        "licensee_name": view.profile.name,
        "licensee_inn": view.inn,
        "licensee_ogrn": view.profile.ogrn,
        "address": f"Песочная область, {address}",
        "order_date": dmy(issued - 3) if draw.chance(0.8) else "",
        "order_number": f"П99-{draw.digits(3)}/26" if draw.chance(0.8) else "",
        "work_address": f"{address}: {activity.lower()}",
        "status": "Действует",
    }


def _fire(view: View, number: int) -> tuple[int, Payload]:
    """The day of issue and the licence."""
    draw = view.draw("fire", number)
    issued = view.profile.registration_day + draw.integer(100, 900)
    licence, holder = f"Л014-00101-77/{draw.digits(8)}", {"name": view.profile.name}
    works = ["Монтаж систем пожаротушения", "Огнезащита"]
    return issued, {"number": licence, "date": dmy(issued), "holder": holder, "works": works, "active": True}
