"""Each quirk that the documents state occurs among 2,000 companies."""

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime

import pytest

from innspect.schemas.catalogue import BLOCKS
from tests.sandbox.samples import (
    COMPANIES,
    PEOPLE,
    block_of_full_check,
    full_check_of,
    list_elements,
    method_payload,
    standalone_block,
)

DMY, YMD = r"\d{2}\.\d{2}\.\d{4}", r"\d{4}-\d{2}-\d{2}"


def shaped(pattern: str, values: Iterable[str]) -> bool:
    return any(re.fullmatch(pattern, value) for value in values)


def some(block: str, test: Callable) -> bool:
    return any(test(standalone_block(block, inn)) for inn in COMPANIES)


def some_within(block: str, test: Callable) -> bool:
    return any(test(block_of_full_check(block, inn)) for inn in COMPANIES)


def some_check(test: Callable) -> bool:
    return any(test(full_check_of(inn)) for inn in COMPANIES)


def some_of(test: Callable, block: str, *path: str) -> bool:
    return any(test(one) for one in list_elements(block, *path))


QUIRKS: dict[str, Callable[[], bool]] = {
    # dates
    "card dates as DD.MM.YYYY": lambda: shaped(DMY, (standalone_block("company", i)["registration_date"] for i in COMPANIES[:99])),
    "card dates as YYYY-MM-DD": lambda: shaped(YMD, (standalone_block("company", i)["registration_date"] for i in COMPANIES[:99])),
    "a timeline date as DD.MM.YYYY": lambda: any(
        shaped(DMY, (e["date"] for e in standalone_block("timeline", i))) for i in COMPANIES
    ),
    "a timeline date as YYYY-MM-DD": lambda: any(
        shaped(YMD, (e["date"] for e in standalone_block("timeline", i))) for i in COMPANIES
    ),
    "a status change without date": lambda: any(
        e["type"] == "status_change" and not e["date"] for i in COMPANIES for e in standalone_block("timeline", i)
    ),
    "ISO 8601 without zone": lambda: some_of(
        lambda c: c["update_date"] and datetime.fromisoformat(c["update_date"]).tzinfo is None, "bankruptcy", "cases"
    ),
    "unix seconds": lambda: some("arbitration", lambda b: b["raw"].get("enrichment_completed_at", 0) > 1_500_000_000),
    "a snapshot as YYYYMMDD": lambda: some("tax_debts", lambda b: b["snapshot_date"].startswith("2026")),
    "a snapshot as DDMMYYYY": lambda: some("msp", lambda b: b["snapshot_date"].endswith("2026")),
    "a stamp": lambda: some_check(
        lambda c: any(re.fullmatch(YMD + r" \d\d:\d\d:\d\d", b["_local_fetched_at"]) for b in c.values()
                      if isinstance(b, dict) and "_local_fetched_at" in b)
    ),
    "a case without filing date": lambda: some_of(lambda c: not c["date"], "arbitration", "cases"),
    # empty text and zeros
    "no ogrn": lambda: some("company", lambda b: b["ogrn"] == "" and b["name"]),
    "short name repeats the full one": lambda: some("company", lambda b: b["name"] and b["short_name"] == b["name"]),
    "main activity without name": lambda: some("company", lambda b: b.get("okved_main") and not b["okved_name"]),
    "headcount 0 without history": lambda: some(
        "company", lambda b: b.get("employee_count") == 0 and not b["employees_history"]
    ),
    "headcount 0 confirmed by history": lambda: some(
        "company", lambda b: b.get("employees_history") and b["employees_history"][0]["count"] == 0
    ),
    "salary 0": lambda: some("company", lambda b: b.get("avg_salary") == 0),
    "claim 0 is not extracted": lambda: some_of(lambda c: c["claim_sum"] == 0, "arbitration", "cases"),
    "claim filled though marked unavailable": lambda: some_of(
        lambda c: c["claim_sum"] and c["claim_sum_unavailable"], "arbitration", "cases"
    ),
    "total claim 0 with cases": lambda: some("arbitration", lambda b: b["cases"] and b["total_claim_sum"] == 0),
    "claim 0 in a general court": lambda: some_of(lambda c: c["claim_sum"] == 0, "general_courts", "cases"),
    "a proceeding without sum": lambda: some_of(lambda p: p["sum"] == 0, "fssp", "proceedings"),
    "region not known": lambda: some("general_courts", lambda b: b["courts_in_region"] == 0 and b["courts_searched"]),
    "long-term liabilities 0": lambda: some("financial", lambda b: 0 in b["long_term_liabilities"].values()),
    "headcount 0 in the data set": lambda: some("employees", lambda b: b["record"] and b["record"]["headcount"] == 0),
    "capital 0": lambda: some("risk_flags", lambda b: b["authorized_capital"] == 0),
    "shares not disclosed": lambda: some_of(lambda s: s["share_pct"] == 0, "risk_flags", "founder_shares"),
    "quantity 0": lambda: some_of(lambda p: p["quantity"] == 0, "contracts", "contracts", "products"),
    # money
    "kopecks": lambda: some("tax_debts", lambda b: round(b["total_sum"] * 100) % 100 != 0),
    "revexp in thousands in the full check": lambda: any(
        block_of_full_check("revexp", i)["record"] and standalone_block("revexp", i)["record"]
        and block_of_full_check("revexp", i)["record"]["revenue"] * 1000 == standalone_block("revexp", i)["record"]["revenue"] > 0
        for i in COMPANIES
    ),
    "the period as a year": lambda: some_within("revexp", lambda b: b["record"] and len(b["record"]["period"]) == 4),
    "a loss": lambda: some("revexp", lambda b: b["record"] and b["record"]["expense"] > b["record"]["revenue"]),
    "negative equity": lambda: some("financial", lambda b: any(v < 0 for v in b["equity"].values())),
    "msp day as YYYY-MM-DD in the full check": lambda: some_within(
        "msp", lambda b: b["record"] and re.fullmatch(YMD, b["record"]["as_of"])
    ),
    "msp day as DD.MM.YYYY alone": lambda: some(
        "msp", lambda b: b["record"] and re.fullmatch(DMY, b["record"]["as_of"])
    ),
    # shapes
    "manager as an empty string": lambda: some_of(lambda c: c["arbitration_manager"] == "", "bankruptcy", "cases"),
    "manager as an object": lambda: some_of(
        lambda c: c["arbitration_manager"] and c["arbitration_manager"]["type"] == "Person", "bankruptcy", "cases"
    ),
    "a card without bankruptcy": lambda: some("bankruptcy", lambda b: b["cases"] and not b["has_bankruptcy"]),
    "an unrecognised stage cut at 30": lambda: some_of(lambda c: len(c["status"]) == 30, "bankruptcy", "cases"),
    "a null record with a snapshot": lambda: some("employees", lambda b: b["record"] is None and b["snapshot_date"]),
    "no statements": lambda: some("financial", lambda b: not b["has_data"] and b["error"] == ""),
    "no burden though revenue": lambda: some("financial", lambda b: b["revenue"] and not b["tax_burden_pct"]),
    "a year without line 1100": lambda: some(
        "financial", lambda b: set(b["total_assets"]) - set(b["non_current_assets"])
    ),
    "lines of two years of many": lambda: some("financial", lambda b: len(b["balance_lines"]) == 2 < len(b["years"])),
    "court with judge and line feed": lambda: some_of(lambda c: "\n" in c["court"], "arbitration", "cases"),
    "years in no order": lambda: some("contracts", lambda b: list(b["by_year"]) != sorted(b["by_year"], reverse=True)),
    "register number with Cyrillic Р": lambda: some_of(lambda r: r["reg_number"][0] == "Р", "rnp", "records"),
    "register number of law 44": lambda: some_of(lambda r: r["reg_number"].isdigit(), "rnp", "records"),
    "supplier name cut": lambda: some_of(lambda r: r["supplier_name"].endswith("…"), "rnp", "records"),
    "no supplier INN": lambda: some_of(lambda r: not r["supplier_inn"], "rnp", "records"),
    "address with empty positions": lambda: some_of(lambda p: ", , " in p["department_address"], "fssp", "proceedings"),
    "a writ without any field": lambda: some_of(lambda w: not any(w.values()), "general_courts", "cases", "writs"),
    "a magistrate's case": lambda: some_of(lambda c: c.get("court_type") == "мировой", "general_courts", "cases"),
    "a stored case": lambda: some_of(lambda c: c.get("_from_store"), "general_courts", "cases"),
    "hundreds of participants": lambda: some_of(lambda c: len(c["participants"]) > 3000, "general_courts", "cases"),
    "properties by the hundred": lambda: some_of(lambda p: len(p["properties"]) > 100, "pledges", "pledges"),
    "a pledge without properties": lambda: some_of(lambda p: not p["properties"], "pledges", "pledges"),
    "a case with ten plaintiffs": lambda: some_of(lambda c: len(c["plaintiffs"]) == 10, "arbitration", "cases"),
    "a case with 20 movements": lambda: some_of(lambda c: len(c["movements"]) == 20, "arbitration", "cases"),
    "social profiles": lambda: some("company", lambda b: b.get("social_profiles")),
    "reserved fields": lambda: all(
        standalone_block("risk_flags", i)["illegal_finance"] is False and standalone_block("risk_flags", i)["phones"] == []
        for i in COMPANIES[:50]
    ),
    # honesty
    "arbitration unavailable": lambda: some("arbitration", lambda b: b["unavailable"] and not b["cases"]),
    "all sources dead, not unavailable": lambda: some(
        "arbitration", lambda b: b["raw"].get("all_sources_dead") and not b["unavailable"]
    ),
    "passes failed with cases": lambda: some("arbitration", lambda b: b["sources_failed"] and b["cases"]),
    "enrichment pending": lambda: some("arbitration", lambda b: b["raw"].get("enrichment_pending")),
    "fssp blocked with zero counters": lambda: some(
        "fssp", lambda b: b["sources_failed"] and not b["total_proceedings"]
    ),
    "fssp blocked with rows": lambda: some("fssp", lambda b: b["sources_failed"] and b["proceedings"]),
    "fssp confirmed empty": lambda: some("fssp", lambda b: "fallback_auth" in b["sources_ok"] and not b["proceedings"]),
    "courts unavailable": lambda: some("general_courts", lambda b: b["unavailable"]),
    "courts from store only": lambda: some("general_courts", lambda b: b.get("from_store_only")),
    "courts missed": lambda: some("general_courts", lambda b: 0 < b["courts_searched"] < b["courts_in_region"]),
    "freezes not available": lambda: some("freezes", lambda b: b == {"available": False, "items": []}),
    "contracts unavailable": lambda: some(
        "contracts", lambda b: b["unavailable"] and b["error"] == "all_gov_sources_blocked"
    ),
    "mass check with a reason": lambda: some(
        "risk_flags", lambda b: b["mass_check_unavailable"] and b["mass_check_reason"] and "mass_source" not in b
    ),
    "mass source when it ran": lambda: some(
        "risk_flags", lambda b: not b["mass_check_unavailable"] and b["mass_source"]
    ),
    "filter bypassed": lambda: some("rnp", lambda b: b["filter_bypassed"] and b["total"] == 0 == len(b["records"])),
    "search_http": lambda: some("rnp", lambda b: b["error"] == "search_http_503"),
    "sanctions source failed": lambda: some_within("sanctions", lambda b: b["sources_failed"]),
    "pledges unavailable": lambda: some("pledges", lambda b: b["unavailable"] and not b["raw"]["answered"]),
    "pledges not answered": lambda: some("pledges", lambda b: not b["unavailable"] and not b["raw"]["answered"]),
    "licences failed": lambda: some("licenses", lambda b: b["sources_failed"]),
    "index not ready": lambda: some("tax_debts", lambda b: b["status"] in ("downloading", "failed")),
    "an error text": lambda: some("inspections", lambda b: b["error"]),
    "an answer from the store, standalone": lambda: any(method_payload("fssp", i).get("_from_local") for i in COMPANIES),
    # limits
    "5000 contracts": lambda: some("contracts", lambda b: b["total_contracts"] == 5000 == len(b["contracts"])),
    "30 freezes": lambda: some("freezes", lambda b: b.get("count") == 30),
    "300 of more pledges": lambda: some("pledges", lambda b: b["fetched"] == 300 < b["total_pledges"]),
    "30 unfair records": lambda: some("rnp", lambda b: b["total"] == 30),
    "inspections announced above those fetched": lambda: some(
        "inspections", lambda b: b["total"] > len(b["inspections"])
    ),
    "25 hits of low confidence": lambda: some(
        "sanctions", lambda b: [h["match_confidence"] for h in b["hits"]] == ["low"] * 25
    ),
    "250 facts that link companies": lambda: some(
        "risk_flags", lambda b: sum(len(link["connections"]) for link in b["linked_companies"]) == 250
    ),
    # the full check
    "verified empty": lambda: some_check(
        lambda c: c["_verified_empty_blocks"] and all(c[name] == {} for name in c["_verified_empty_blocks"])
    ),
    "empty trademarks that are not named": lambda: some_check(
        lambda c: c.get("trademarks") == {} and "trademarks" not in c["_verified_empty_blocks"]
    ),
    "courts absent": lambda: some_check(lambda c: "general_courts" not in c),
    "another block missing": lambda: some_check(
        lambda c: {b.full_check_key for b in BLOCKS.values() if b.full_check_key} - {"general_courts"} - set(c)
    ),
    "blocks restored from the store": lambda: some_check(
        lambda c: c["_meta"]["restored_from_local"]
        and all(c[name]["_from_local"] for name in c["_meta"]["restored_from_local"])
    ),
    "ROSFIN among the lists": lambda: some_check(
        lambda c: "ROSFIN" in (c.get("sanctions_check") or {}).get("sources_checked", [])
    ),
    "a foreign agent": lambda: some_within("minjust_check", lambda b: b["hits"]),
    "leasing": lambda: some_within("leasing", lambda b: b["contracts"]),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("quirk", QUIRKS)
def test_quirk_occurs(quirk):
    assert QUIRKS[quirk]()


def occurring(block: str, name: str, *path: str, inns: list[str] = COMPANIES) -> set:
    return {one[name] for one in list_elements(block, *path, inns=inns)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("found", "documented"),
    [
        (lambda: {standalone_block("company", i)["status"] for i in COMPANIES if not standalone_block("company", i)["error"]},
         {"active", "liquidating", "liquidated", "reorganizing", "bankruptcy"}),
        (lambda: {standalone_block("company", i).get("termination_kind", "") for i in [*COMPANIES, *PEOPLE]},
         {"", "voluntary", "bankruptcy", "forced", "death", "unknown"}),
        (lambda: {standalone_block("company", i).get("tax_regime", "") for i in COMPANIES},
         {"", "ОСНО", "УСН", "АУСН", "ЕСХН", "патент"}),
        (lambda: {standalone_block("bankruptcy", i)["status"] for i in COMPANIES},
         {"", "observation", "financial_recovery", "external_management", "proceedings", "completed"}),
        (lambda: {standalone_block("bankruptcy", i)["status"] for i in PEOPLE} - {"", "completed"},
         {"citizen_restructuring", "citizen_property_sale"}),
        (lambda: occurring("fssp", "completion_reason", "proceedings"),
         {"", "paid", "no_assets", "expired", "returned", "other"}),
        (lambda: occurring("arbitration", "result", "cases"), {"", "won", "lost", "partial", "dismissed", "settled"}),
        (lambda: occurring("arbitration", "role", "cases"), {"plaintiff", "respondent", "third"}),
        (lambda: occurring("arbitration", "type", "cases"),
         {"", "Банкротство", "Гражданское", "Административное", "Упрощ. производство"}),
        (lambda: occurring("inspections", "status", "inspections"),
         {"Завершена", "Ожидает завершения", "Новая", "Обжалована", "Не может быть проведена"}),
        (lambda: occurring("rnp", "status", "records"), {"Размещено", "Исключено"}),
        (lambda: occurring("rnp", "law", "records"), {"FZ44", "FZ223", "PP615"}),
        (lambda: occurring("contracts", "contract_stage", "contracts"), {"", "E", "EC", "ET", "IN", "A", "P", "I"}),
        (lambda: occurring("contracts", "role", "contracts"), {"supplier", "customer"}),
        (lambda: occurring("pledges", "source", "pledges"), {"notary", "fedresurs"}),
        (lambda: occurring("sanctions", "match_confidence", "hits"), {"high", "medium", "low"}),
        (lambda: occurring("licenses", "source", "health"), {"ROSZ_LS", "ROSZ_NARK", "ROSZ_MD"}),
        (lambda: {r["category"] for i in COMPANIES if (r := standalone_block("msp", i)["record"])},
         {"", "Микропредприятие", "Малое предприятие", "Среднее предприятие"}),
        (lambda: {e["type"] for i in COMPANIES for e in standalone_block("timeline", i)},
         {"registration", "status_change", "bankruptcy"}),
        (lambda: {standalone_block("tax_offences", i)["status"] for i in COMPANIES}, {"idle", "loaded", "downloading", "failed"}),
    ],
)  # fmt: skip
def test_only_known_states_occur_and_all_of_them(found, documented):
    assert found() == documented


@pytest.mark.parametrize("inn", COMPANIES[:300:3])
def test_counters_add_up(inn):
    cases, bailiffs, bought = (
        standalone_block("arbitration", inn),
        standalone_block("fssp", inn),
        standalone_block("contracts", inn),
    )
    assert (
        cases["total_cases"]
        == len(cases["cases"])
        == sum(cases[role] for role in ("as_plaintiff", "as_respondent", "as_third"))
    )
    assert bailiffs["total_proceedings"] == bailiffs["active_proceedings"] + bailiffs["completed_proceedings"]
    assert bailiffs["completed_proceedings"] == sum(
        bailiffs[f"completed_{way}"] for way in ("paid", "no_assets", "expired", "returned", "other")
    )
    assert round(bought["total_amount"] * 100) == round((bought["supplier_amount"] + bought["customer_amount"]) * 100)
    assert bought["total_contracts"] == sum(year["count"] for year in bought["by_year"].values())


def test_documented_sort_orders_are_kept():
    def day(text: str) -> date:
        return date.fromisoformat("-".join(reversed(text.split("."))) if "." in text else text)

    for inn in COMPANIES[:400]:
        filed = [day(case["date"]) for case in standalone_block("arbitration", inn)["cases"] if case["date"]]
        signed = [row["sign_date"] for row in standalone_block("contracts", inn)["contracts"]]
        debts = [record["sum"] for record in standalone_block("tax_debts", inn)["records"]]
        dates = [event["date"] for event in standalone_block("timeline", inn)]
        dated = [day(text) for text in dates if text]
        assert filed == sorted(filed, reverse=True)
        assert signed == sorted(signed, reverse=True)
        assert debts == sorted(debts, reverse=True)
        assert dated == sorted(dated, reverse=True)
        assert "" not in dates[: len(dated)]
        assert standalone_block("financial", inn)["years"] == sorted(
            standalone_block("financial", inn)["years"], reverse=True
        )


def test_every_name_says_that_the_company_is_synthetic():
    for inn in [*COMPANIES[:200], *PEOPLE[:50]]:
        card = standalone_block("company", inn)
        assert card["error"] or f"ПЕСОЧНИЦА {inn}" in card["name"]
    assert standalone_block("company", "7707083893")["short_name"] == 'ООО "ПЕСОЧНИЦА 7707083893"'
