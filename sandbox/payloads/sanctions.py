"""Sanctions lists, and the register of foreign agents, which is only in the full check."""

from innspect.sandbox.payloads.block_state import WORD, Change, States, both, with_rows
from innspect.sandbox.world.calendar import CLOSE_OF_TURN, TURN, dmy, ymd
from innspect.sandbox.world.company_profile import Profile, person_name
from innspect.sandbox.world.context import Payload, View

_LISTS = (
    ("OFAC_SDN", "OFAC SDN List"),
    ("OFAC_CONSOL", "OFAC Consolidated"),
    ("UK_FCDO", "UK FCDO Sanctions List"),
    ("FEDSFM_TERR", "Росфинмониторинг (115-ФЗ)"),
    ("FEDSFM_OMU", "Росфинмониторинг (ОМУ)"),
)
CODES = ("OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "ROSFIN")
CONFIDENCES = ("high", "medium", "low")
MAX_LOW_MATCHES = 25


def matches(profile: Profile) -> list[tuple[int, str]]:
    """Days of designation and confidence of each match, highest confidence first."""
    draw = profile.draw("sanctions")
    if draw.chance(0.04):
        days = [draw.integer(TURN - 300, CLOSE_OF_TURN) for _ in range(draw.integer(1, 3))]
        return sorted(((day, draw.pick(("high", "medium"))) for day in days), key=lambda hit: CONFIDENCES.index(hit[1]))
    if draw.chance(0.01):
        return [(TURN - 100, "low")] * draw.pick((1, 2, 3, MAX_LOW_MATCHES))
    return []


def sanctions(view: View) -> Payload:
    """Matches by confidence; only the full check names the checked lists."""
    failed = view.failure_draw("sanctions")
    known = enumerate(matches(view.profile))
    hits = [_hit(view, number, day, sure) for number, (day, sure) in known if day <= view.day]
    answer: Payload = {"inn": view.inn, "name": view.profile.name, "hits": hits, "error": ""}
    answer |= {"sources_checked": list(CODES) if view.is_full_check else [], "sources_failed": []}
    if failed and view.is_full_check:
        silent = failed.pick(CODES)
        answer["sources_failed"] = [silent]
        answer["sources_checked"] = [code for code in CODES if code != silent]
        answer["hits"] = [hit for hit in hits if hit["source"] != silent]
    elif failed:
        answer |= {"hits": [], "error": "exception:ReadTimeout"}
    return answer


def _low_hits(count: int) -> Change:
    def change(view: View, payload: Payload, _: str) -> Payload:
        return payload | {"hits": [_hit(view, number, TURN, "low") for number in range(count)]}

    return change


STATES: dict[str, States] = {
    "sanctions": {
        **both("sources_failed", "a list in `sources_failed`", *CODES, sources_failed=[WORD]),
        **both("list_missed", "`sources_checked` of the full check has one list", *CODES, sources_checked=[WORD]),
        **both("no_source_checked", "`sources_checked` of the full check is empty", sources_checked=[]),
        "namesake": with_rows("one hit of confidence `low`: a similar name", change=_low_hits(1)),
        "low_hits_full": with_rows("25 hits of confidence `low`, the cap", change=_low_hits(MAX_LOW_MATCHES)),
    },
    "minjust_check": {**both("no_source_checked", "`sources_checked` is empty", sources_checked=[])},
}


def _hit(view: View, number: int, day: int, confidence: str) -> Payload:
    draw = view.draw("sanctions", number)
    source, label = draw.pick(_LISTS)
    latin = f"PESOCHNITSA {view.inn}" if confidence != "low" else f"SANDBOX {draw.digits(4)} PESOCHNITSA"
    domestic = source.startswith("FEDSFM")
    person = draw.chance(0.15)
    return {
        "source": source,
        "list_label": label,
        "name": view.profile.name if domestic else latin,
        "name_ru": view.profile.name if draw.chance(0.4) else "",
        "inn": view.inn if confidence == "high" else "",
        "dob": "01 Jan 1970" if person else "",
        "program": "SANDBOX-EO14024" if not person else ("SANDBOX " * 40)[:200],
        "designated_at": (dmy(day) if domestic else ymd(day)) if draw.chance(0.4) else "",
        "address": ("101000, Sandbox Street 1; " * (20 if person else 1))[:300] if draw.chance(0.6) else "",
        "match_confidence": confidence,
        "raw_id": draw.digits(7),
    }


def minjust_check(view: View) -> Payload:
    """The register of foreign agents: entries without documented fields, for few companies."""
    is_down = "minjust_check" in view.down
    draw = view.draw("minjust")
    entry = {
        "name": person_name(draw),
        "number": draw.integer(1, 900),
        "included": ymd(TURN - 90),
        "basis": ["made up"],
    }
    return {"inn": view.inn, "name": view.profile.name, "hits": [entry] if draw.chance(0.006) and not is_down else [],
            "sources_checked": [] if is_down else ["MINJUST"], "error": ""}  # fmt: skip
