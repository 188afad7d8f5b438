"""State contracts."""

from innspect.sandbox.payloads.block_state import WORD, States, both, with_rows, without_rows
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import year_of, ymd
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import on_wire

MAX_CONTRACTS = 5000
_ALWAYS_EMPTY = ("execution_start_date", "execution_end_date", "status", "cancel_reason", "purchase_method",
                 "purchase_method_code", "region_okato")  # fmt: skip
_STAGES = ("E", "EC", "ET", "IN", "A", "P", "I")
_SOURCES = ("aggregator", "supplier_site", "plan_44", "plan_223")
_ALL_BLOCKED = "all_gov_sources_blocked"


def contracts(view: View) -> Payload:
    """Contracts, latest signing first, at most 5000, with sums by role and by year."""
    seen = view.events_until_today(view.profile.event_days("contracts"))[:MAX_CONTRACTS]
    failed = view.failure_draw("contracts")
    if failed:
        if failed.chance(0.6):
            raw = {"sources": {}, "ext_sources_timeout": True, "all_sources_dead": True}
            return _with_totals([], raw, unavailable=True, sources_failed=list(_SOURCES), error=_ALL_BLOCKED)
        rows = [_contract(view, number, day) for number, day in seen]
        return _with_totals(rows, {"sources": {"aggregator": len(rows)}}, sources_ok=["aggregator"],
                       sources_failed=["plan_223"])  # fmt: skip
    return _with_totals([_contract(view, number, day) for number, day in seen], {})


def _full_list(view: View, _: Payload, __: str) -> Payload:
    return _with_totals([_contract(view, number, view.day - number // 3) for number in range(MAX_CONTRACTS)], {})


STATES: dict[str, States] = {
    "contracts": {
        "unavailable": without_rows("`unavailable`: all sources failed", unavailable=True, error=_ALL_BLOCKED),
        **both("all_sources_dead", "`raw.all_sources_dead`", raw={"all_sources_dead": True}),
        **both("ext_sources_timeout", "`raw.ext_sources_timeout`", raw={"ext_sources_timeout": True}),
        **both("sources_failed", "a channel in `sources_failed`", *_SOURCES, sources_failed=[WORD]),
        **both("main_source_missed", "side channels in `sources_ok` only", sources_ok=["aggregator"]),
        **both("sources", "`raw.sources` without another mark", raw={"sources": {"aggregator": 0}}),
        "list_full": with_rows("`total_contracts` 5000, the cap", change=_full_list),
    }
}


def _with_totals(rows: list[Payload], raw: Payload, **marks: object) -> Payload:
    sold = [row for row in rows if row["role"] == "supplier"]
    supplied = sum(round(row["amount"] * 100) for row in sold)
    whole = sum(round(row["amount"] * 100) for row in rows)
    by_year: dict[str, list[int]] = {}
    for row in reversed(rows):
        by_year.setdefault(row["sign_date"][:4], []).append(round(row["amount"] * 100))
    return {
        "total_contracts": len(rows),
        "total_amount": on_wire(whole),
        "supplier_amount": on_wire(supplied),
        "customer_amount": on_wire(whole - supplied),
        "as_supplier": len(sold),
        "as_customer": len(rows) - len(sold),
        "as_participant": 0,
        "fz44_contracts": len(rows),
        "fz223_contracts": 0,
        "by_year": {year: {"count": len(sums), "amount": on_wire(sum(sums))} for year, sums in by_year.items()},
        "contracts": rows,
        "purchases": [],
        "rnp_records": [],
        "fas_complaints": {},
        "unavailable": False,
        "sources_ok": [],
        "sources_failed": [],
        "raw": raw,
        "error": "",
        **marks,
    }


def _contract(view: View, number: int, day: int) -> Payload:
    draw = view.draw("contract", number)
    other = view.profile.other_company(draw)
    own, named = (view.profile.short_name, view.inn), (other.short_name, other.inn)
    supplier = not draw.chance(0.1)
    (customer_name, customer_inn), (supplier_name, supplier_inn) = (named, own) if supplier else (own, named)
    code, good = draw.pick(words.GOODS)
    kopecks = draw.kopecks(5_000, 30_000_000)
    reg_num = f"{year_of(day) % 100}{draw.digits(8)}{draw.digits(9)}"
    products = [
        {"okpd2_code": code, "okpd2_name": good, "name": good.lower(), "quantity": draw.pick((0, 1, 12.5)),
         "unit": draw.pick(("", "", "шт")), "price": on_wire(kopecks), "total_sum": on_wire(kopecks)}
    ]  # fmt: skip
    return {
        "reg_num": reg_num,
        "subject": f"Поставка: {good.lower()} для нужд песочницы",
        "amount": on_wire(kopecks),
        "paid_sum": on_wire(kopecks // 3) if draw.chance(0.02) else 0,
        "sign_date": ymd(day),
        **dict.fromkeys(_ALWAYS_EMPTY, ""),
        "contract_stage": draw.pick(_STAGES) if draw.chance(0.01) else "",
        "okpd2_code": code,
        "okpd2_name": good,
        "delivery_place": view.profile.address_of(0) if draw.chance(0.015) else "",
        "customer_name": customer_name,
        "customer_inn": customer_inn,
        "supplier_name": supplier_name,
        "supplier_inn": supplier_inn,
        "products": products if draw.chance(0.02) else [],
        "role": "supplier" if supplier else "customer",
        "law": "fz44",
        "source": "eis_procurement",
        "url": f"https://eis.invalid/contract/{reg_num}",
    }
