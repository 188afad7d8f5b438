"""Arbitration-court cases."""

from innspect.sandbox.payloads.block_state import WORD, States, both, with_rows, without_rows
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import dmy, unix, year_of
from innspect.sandbox.world.company_profile import person_name
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import Draw, on_wire

_TYPES = ("Гражданское", "Гражданское", "Упрощ. производство", "Административное", "Банкротство", "")
_OUTCOMES = ("won", "lost", "partial", "dismissed", "settled", "won", "lost", "")
_INSTANCES = ("Первая инстанция", "Апелляционная инстанция", "Кассационная инстанция")
_GRANTED, _REFUSED = "Решение: иск удовлетворён полностью", "Решение: в удовлетворении иска отказано"
_DECISIONS = {
    "partial": "Решение: иск удовлетворён частично",
    "dismissed": "Определение о прекращении производства по делу",
    "settled": "Определение об утверждении мирового соглашения",
}
_MAX_MOVEMENTS = 20
_ENRICHMENT_DAYS = 4
"""Days in which a new case may still lack its details."""
OMITTED = frozenset({"arbitration.raw.enrichment_completed_at"})
_PASSES = ("main", "third", "ogrn_main", "ogrn_third")
_PETITION_AGE_DAYS = 3


def _petition(view: View, _: Payload, __: str) -> Payload:
    """One case without an outcome, in which the company is the debtor."""
    case = _case(view, 0, view.day - _PETITION_AGE_DAYS)
    return _with_totals([case | {"type": "Банкротство", "role": "respondent", "result": ""}], {})


STATES: dict[str, States] = {
    "arbitration": {
        "unavailable": without_rows("`unavailable`: the file service did not answer", unavailable=True),
        **both("all_sources_dead", "`raw.all_sources_dead`", raw={"all_sources_dead": True}),
        **both("sources_failed", "a search pass in `sources_failed`", *_PASSES, sources_failed=[WORD]),
        **both("enrichment_pending", "`raw.enrichment_pending`", raw={"enrichment_pending": True}),
        **both("source_proxy_dead", "`raw.source_proxy_dead`: the fallback answered", raw={"source_proxy_dead": True}),
        **both("fallback_no_money", "`raw.fallback_no_money`: the crawl answered", raw={"fallback_no_money": True}),
        "no_claim_sum": with_rows("`total_claim_sum` 0 with cases", total_claim_sum=0),
        "petition": with_rows("one case, an open bankruptcy case against it", change=_petition),
    }
}


def arbitration(view: View) -> Payload:
    """Cases, newest filing date first, with their counts."""
    seen = view.events_until_today(view.profile.event_days("cases"))
    failed = view.failure_draw("arbitration")
    if failed:
        return _failed_collection(view, failed, seen)
    cases = [_case(view, number, day) for number, day in seen]
    raw: Payload = {}
    draw = view.draw("arbitration raw")
    pending = bool(seen) and view.day - seen[0][1] <= _ENRICHMENT_DAYS and draw.chance(0.6)
    if seen and draw.chance(0.7):
        raw = {"source_proxy_dead": False, "source_failures_total": 0, "fallback_no_money": False,
               "all_sources_dead": False, "enrichment_pending": pending,
               "enrichment_unfilled_sum": sum(case["claim_sum"] == 0 for case in cases) // 2,
               "enrichment_unfilled_result": sum(not case["result"] for case in cases)}  # fmt: skip
        if not pending:
            raw["enrichment_completed_at"] = unix(seen[0][1] + _ENRICHMENT_DAYS + 1, view.second("enriched"))
    return _with_totals(cases, raw)


def _failed_collection(view: View, failed: Draw, seen: list[tuple[int, int]]) -> Payload:
    way = failed.pick(("unavailable", "unavailable", "dead", "passes"))
    if way == "passes":
        passes = failed.some(_PASSES, 2)
        return _with_totals([_case(view, number, day) for number, day in seen[1:]], {}, sources_failed=passes)
    raw = {"source_proxy_dead": True, "source_failures_total": 12, "fallback_no_money": failed.chance(0.5),
           "all_sources_dead": True, "enrichment_pending": False, "enrichment_unfilled_sum": 0,
           "enrichment_unfilled_result": 0}  # fmt: skip
    error = "all_kad_searches_failed" if way == "unavailable" else ""
    return _with_totals([], raw, unavailable=way == "unavailable", sources_failed=list(_PASSES), error=error)


def _with_totals(cases: list[Payload], raw: Payload, **marks: object) -> Payload:
    roles = [case["role"] for case in cases]
    return {
        "total_cases": len(cases),
        "as_plaintiff": roles.count("plaintiff"),
        "as_respondent": roles.count("respondent"),
        "as_third": roles.count("third"),
        "won": sum(case["role"] == "plaintiff" and case["result"] == "won" for case in cases),
        "lost": sum(case["role"] == "respondent" and case["result"] == "lost" for case in cases),
        "total_claim_sum": on_wire(sum(round(case["claim_sum"] * 100) for case in cases)),
        "cases": cases,
        "unavailable": False,
        "sources_failed": [],
        "raw": raw,
        "error": "",
        **marks,
    }


def _case(view: View, number: int, day: int) -> Payload:
    draw = view.draw("case", number)
    court = draw.pick(words.COURTS)
    kind = draw.pick(_TYPES)
    role = draw.pick(("plaintiff", "respondent", "respondent", "third"))
    case_id = "" if draw.chance(0.03) else draw.uuid()
    extracted = draw.chance(0.65)
    claim = draw.roubles(3_000, 40_000_000) if extracted else 0
    outcome = draw.pick(_OUTCOMES)
    settled = day + draw.integer(50, 420)
    done = view.day >= settled
    steps = _steps(draw, day, settled, _decision(role, outcome))
    return {
        "case_id": case_id,
        "case_number": f"А{draw.integer(32, 78)}-{draw.integer(100, 299_999)}/{year_of(day)}",
        "date": "" if draw.chance(0.01) else dmy(day),
        "type": kind,
        "url": f"https://kad.invalid/Card/{case_id}" if case_id else "",
        "file_url": f"https://kad.invalid/Pdf/{case_id}.pdf" if draw.chance(0.01) else "",
        "claim_sum": claim,
        "claim_sum_unavailable": draw.chance(0.5) or not extracted,
        "judge": "",
        "court": f"{person_name(draw)}\n{court}" if draw.chance(0.6) else court,
        "role": role,
        "result": outcome if done else "",
        **_parties(view, draw, role),
        **_course(draw, [step for step in steps if step[0] <= view.day]),
        "plaintiff_inns": [view.inn] if role == "plaintiff" and draw.chance(0.01) else [],
        "respondent_inns": [view.inn] if role == "respondent" and draw.chance(0.01) else [],
    }


def _decision(role: str, outcome: str) -> str:
    """The entry about the decision; an outcome is that of the company in its role."""
    if outcome in ("won", "lost"):
        return _GRANTED if (outcome == "won") == (role != "respondent") else _REFUSED
    return _DECISIONS.get(outcome, "Решение суда первой инстанции")


def _steps(draw: Draw, day: int, settled: int, decision: str) -> list[tuple[int, str, int]]:
    steps = [(day + 7, "Определение о принятии искового заявления", 0), (settled, decision, 0)]
    heard = sorted(draw.integer(day + 8, settled) for _ in range(30 if draw.chance(0.02) else draw.integer(0, 3)))
    steps[1:1] = [(one, "Определение об отложении судебного разбирательства", 0) for one in heard]
    if draw.chance(0.3):
        steps.append((settled + 45, "Постановление апелляционной инстанции", 1))
    if len(steps) > 4 and draw.chance(0.2):
        steps.append((settled + 130, "Постановление кассационной инстанции", 2))
    return steps


def _course(draw: Draw, steps: list[tuple[int, str, int]]) -> Payload:
    enriched = draw.chance(0.75)
    movements = [{"date": dmy(day), "description": text} for day, text, _ in reversed(steps)][:_MAX_MOVEMENTS]
    levels = sorted({level for *_, level in steps})
    instances = [
        {"name": _INSTANCES[level],
         "events": [{"date": dmy(day), "description": text} for day, text, at in steps if at == level]}
        for level in levels
    ]  # fmt: skip
    return {"instances": instances if enriched else [], "movements": movements if draw.chance(0.85) else []}


def _parties(view: View, draw: Draw, role: str) -> Payload:
    own_name = view.profile.short_name
    own = {"name": f"{own_name}, {view.profile.address_of(0)}, ИНН {view.inn}" if draw.chance(0.5) else own_name,
           "inn": view.inn if draw.chance(0.04) else ""}  # fmt: skip
    count = 10 if draw.chance(0.02) else 1
    other = [{"name": view.profile.other_company(draw).short_name, "inn": ""} for _ in range(count)]
    third = [{"name": person_name(draw), "address": "101000, г. Москва" if draw.chance(0.5) else ""}]
    return {
        "plaintiffs": [own] if role == "plaintiff" else other,
        "respondents": [own] if role == "respondent" else other[:1],
        "third_parties": [{"name": own_name, "address": ""}] if role == "third" else third if draw.chance(0.1) else [],
        "other_parties": [{"name": person_name(draw), "address": ""}] if draw.chance(0.01) else [],
    }
