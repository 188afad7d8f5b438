"""One fact is one news: what responses change, in a sentence of each language, with the way back to the bytes."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from innspect.reports.news_query import NewsFilter, find_news, news_as_json, news_of_snapshots
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, blocks, full_check_response, load, rows, single_row
from tests.support.builders import Response

COMPANY, OTHER = "7707083893", "7736050003"
FIRST, SECOND = datetime(2026, 11, 1), datetime(2026, 11, 20)
NBSP = "\N{NO-BREAK SPACE}"
CASE: dict[str, Any] = {
    "case_id": "c1", "case_number": "А55-275861/2026", "date": "05.11.2026", "type": "Банкротство",
    "court": "Судья А. А. Иванов\nАС Самарской области", "role": "respondent", "result": "", "claim_sum": 0,
    "plaintiffs": [{"name": "ООО КРЕДИТОР", "inn": ""}], "respondents": [{"name": "ООО", "inn": ""}],
    "instances": [{"name": "Первая инстанция", "events": [{"date": "06.11.2026", "description": "Определение"}]}],
}  # fmt: skip
DECISION: dict[str, Any] = {
    "decision_date": "05.11.2026", "decision_num": "77", "authority": "7707", "bank": "ПАО БАНК", "bik": "044525999",
    "code": "1",
}  # fmt: skip
PROCEEDING: dict[str, Any] = {
    "exe_production": "12345/26/77001-ИП", "process_date": "05.02.2026", "subject": "Госпошлина", "sum": 1500,
    "is_active": True, "end_reason": "", "completion_reason": "",
}  # fmt: skip


def proceedings(**end: Any) -> dict[str, Any]:
    """The block of bailiffs with one proceeding."""
    ended = bool(end)
    figures = {
        "total_proceedings": 1, "active_proceedings": int(not ended), "completed_proceedings": int(ended),
        "completed_no_assets": int(ended), "total_debt_rub": 1500, "active_debt_rub": 0 if ended else 1500,
    }  # fmt: skip
    return {**figures, "proceedings": [{**PROCEEDING, **end}]}


def news_after(warehouse: Warehouse, before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    """The news of a company whose second response differs from the first."""
    load(warehouse, full_check_response(COMPANY, blocks(**before), at=FIRST))
    load(warehouse, full_check_response(COMPANY, blocks(**after), at=SECOND), start=1)
    news = find_news(warehouse, NewsFilter(FIRST))
    assert news.sort("news_id").equals(warehouse.query("SELECT * FROM mart.news ORDER BY news_id"))
    assert news["changes"].sum() == rows(warehouse, "SELECT count(*) FROM lineage.changes")[0][0]
    return news.to_dicts()


def test_new_case_with_its_participants_and_instances_is_one(warehouse: Warehouse) -> None:
    after = {"total_cases": 1, "as_respondent": 1, "cases": [CASE]}
    (news,) = news_after(warehouse, {"arbitration": {}}, {"arbitration": after})
    assert news["sentence_ru"] == "Новое дело № А55-275861/2026, АС Самарской области: банкротство, ответчик"
    assert news["sentence_en"] == "New case No. А55-275861/2026, АС Самарской области: bankruptcy, respondent"
    assert (news["severity"], news["block"], news["topic"]) == ("notice", "arbitration", "arbitration.cases")
    assert (news["fact_key"], news["changes"], news["seen_at"]) == ("А55-275861/2026", 4, SECOND)


def test_steps_of_a_case_are_one(warehouse: Warehouse) -> None:
    steps = [{"date": "19.11.2026", "description": "Решение"}, {"date": "06.11.2026", "description": "Определение"}]
    instance = {"name": "Первая инстанция", "events": [*steps, {"date": "01.11.2026", "description": "Иск принят"}]}
    before = {"total_cases": 1, "as_respondent": 1, "cases": [CASE]}
    later = {**CASE, "result": "lost", "instances": [instance], "movements": steps}
    after = {"total_cases": 1, "as_respondent": 1, "lost": 1, "cases": [later]}
    (news,) = news_after(warehouse, {"arbitration": before}, {"arbitration": after})
    assert news["sentence_ru"] == (
        "Дело № А55-275861/2026: решение не в пользу контрагента; 19.11.2026 Решение; 06.11.2026 Определение; "
        "01.11.2026 Иск принят"
    )
    assert news["sentence_en"].startswith(
        "Case No. А55-275861/2026: decided against the counterparty; 2026-11-19 Решение"
    )


def test_statements_of_a_year_are_one(warehouse: Warehouse) -> None:
    year = FIRST.year - 1
    before = {"years": [year - 1], "revenue": {f"{year - 1}": 12_600_000}, "net_profit": {f"{year - 1}": 5}}
    after = {
        "years": [year - 1, year],
        "revenue": {f"{year - 1}": 12_600_000, f"{year}": 8_700_000},
        "net_profit": {f"{year - 1}": 5, f"{year}": -1_250_000},
        "total_assets": {f"{year}": 100},
        "balance_lines": {f"{year}": {"1600": 100}},
    }
    (news,) = news_after(warehouse, {"financial": before}, {"financial": after})
    assert news["sentence_ru"].replace(NBSP, " ") == (
        f"Новая отчётность за {year} год: выручка 8,7 млн ₽ (−31 %); чистый убыток 1,3 млн ₽"
    )
    assert f"8,7{NBSP}млн{NBSP}₽" in news["sentence_ru"]
    assert news["sentence_en"].replace(NBSP, " ") == (
        f"New statements for {year}: revenue RUB 8.7M (−31%); net loss RUB 1.3M"
    )
    assert (news["fact_key"], news["changes"]) == (f"{year}", 5)


def test_freeze_with_two_decisions_is_one(warehouse: Warehouse) -> None:
    second = {**DECISION, "bik": "044525225", "bank": "АО БАНК"}
    after = {"found": True, "count": 2, "items": [DECISION, second]}
    (news,) = news_after(warehouse, {"freezes": {}}, {"freezes": after})
    assert news["sentence_ru"] == (
        "Приостановлены операции по счетам: решение № 77 от 05.11.2026, АО БАНК; решение № 77 от 05.11.2026, ПАО БАНК"
    )
    assert (news["severity"], news["changes"]) == ("alert", 4)


def test_sale_of_shares_is_one(warehouse: Warehouse) -> None:
    def share(name: str, inn: str, percent: float) -> dict[str, Any]:
        return {"name": name, "inn": inn, "share_pct": percent, "share_rub": percent * 100}

    seller = ("Иванов Иван Иванович", "500100732259")
    before = {"founder_shares": [share(*seller, 100)]}
    after = {"founder_shares": [share(*seller, 49.5), share("Петров Пётр Петрович", "", 50.5)]}
    (news,) = news_after(warehouse, {"company": before}, {"company": after})
    assert news["sentence_ru"].replace(NBSP, " ") == (
        "Изменился состав участников или их доли: Иванов Иван Иванович: 100 % → 49,5 %; "
        "новый участник Петров Пётр Петрович — 50,5 %"
    )
    assert "Иванов Иван Иванович: 100% → 49.5%; new founder Петров Пётр Петрович, 50.5%" in news["sentence_en"]


def test_end_of_a_proceeding_without_assets_is_an_alert(warehouse: Warehouse) -> None:
    ended = proceedings(is_active=False, end_reason="ст. 46 ч. 1 п. 4", completion_reason="no_assets")
    (news,) = news_after(warehouse, {"fssp": proceedings()}, {"fssp": ended})
    assert news["sentence_ru"] == "Приставы окончили производство № 12345/26/77001-ИП: имущества не нашли"
    assert news["severity"] == "alert"
    assert news["changes"] == 7, "the counts of the block belong to the proceeding"


def test_day_of_an_instant_is_that_of_its_source(warehouse: Warehouse) -> None:
    """Midnight in Moscow is the day before in UTC."""

    def card(updated: str) -> dict[str, Any]:
        return {"total_cases": 1, "cases": [{"case_number": "А40-1/2026", "update_date": updated}]}

    before, after = card("2026-05-01T00:00:00"), card("2026-06-01T00:00:00")
    (news,) = news_after(warehouse, {"bankruptcy": before}, {"bankruptcy": after})
    assert "01.06.2026" in news["sentence_ru"]
    assert "2026-06-01" in news["sentence_en"]


def test_planned_payment_is_not_called_paid(warehouse: Warehouse) -> None:
    def contract(planned: int) -> dict[str, Any]:
        return {"total_contracts": 1, "contracts": [{"reg_num": "1770000001726000017", "paid_sum": planned}]}

    (news,) = news_after(warehouse, {"contracts": contract(9)}, {"contracts": contract(10)})
    assert "план оплаты на текущий год: 9" in news["sentence_ru"]
    assert "payment planned for this year" in news["sentence_en"]


def test_role_in_a_contract_is_that_of_the_counterparty(warehouse: Warehouse) -> None:
    contract = {
        "reg_num": "1770000001726000017",
        "role": "customer",
        "subject": "Поставка: услуги связи",
        "amount": 5000,
    }
    before = {"total_contracts": 0, "contracts": []}
    (news,) = news_after(
        warehouse, {"contracts": before}, {"contracts": {"total_contracts": 1, "contracts": [contract]}}
    )
    assert news["sentence_ru"].endswith(", контрагент — заказчик, предмет: Поставка: услуги связи")
    assert news["sentence_en"].endswith(", the counterparty is the customer, subject: Поставка: услуги связи")


def test_counts_without_rows_have_a_sentence_of_their_own(warehouse: Warehouse) -> None:
    def many(total: int) -> dict[str, Any]:
        notice = {"id": "2026-001", "reg_date": "01.02.2026", "source": "notary"}
        return {"total_pledges": total, "fetched": 1, "pledges": [notice]}

    (news,) = news_after(warehouse, {"pledges": many(550)}, {"pledges": many(1553)})
    assert news["sentence_ru"].replace(NBSP, " ") == "Число уведомлений о залоге и лизинге: 550 → 1 553"
    assert news["sentence_en"] == "Number of notices of pledge and leasing: 550 → 1,553"


def test_two_facts_are_two_news_most_severe_first(warehouse: Warehouse) -> None:
    other = {**PROCEEDING, "exe_production": "777/26/77001-ИП", "sum": 0}
    ended = proceedings(is_active=False, end_reason="ст. 46 ч. 1 п. 4", completion_reason="no_assets")
    after = {**ended, "total_proceedings": 2, "active_proceedings": 1, "proceedings": [*ended["proceedings"], other]}
    news = news_after(warehouse, {"fssp": proceedings()}, {"fssp": after})
    assert [(row["severity"], row["fact_key"]) for row in news] == [
        ("alert", "12345/26/77001-ИП"),
        ("notice", "777/26/77001-ИП"),
    ]
    assert news[1]["sentence_ru"] == "Новое исполнительное производство № 777/26/77001-ИП: Госпошлина"


@pytest.mark.parametrize(
    "silence",
    [
        {"freezes": {"available": False, "found": False, "count": 0, "items": []}},
        {},
        {"freezes": {"available": True, "found": False, "count": 30, "items": []}},
    ],
    ids=["silent", "missing", "capped"],
)
def test_silence_is_no_removal(warehouse: Warehouse, silence: dict[str, Any]) -> None:
    before = {"freezes": {"found": True, "count": 1, "items": [DECISION]}}
    assert not [row for row in news_after(warehouse, before, silence) if "больше" in row["sentence_ru"]]
    assert not rows(warehouse, "SELECT * FROM mart.news WHERE sentence_en ~ 'lifted|no longer'")


def test_row_beyond_a_full_list_is_no_removal(warehouse: Warehouse) -> None:
    entries = [{"reg_number": f"Р{number:03}", "law": "FZ223", "status": "Размещено"} for number in range(40)]
    before, after = entries[:30], entries[5:35]
    full = {"total": 30, "active": 30}
    news = news_after(warehouse, {"rnp": {**full, "records": before}}, {"rnp": {**full, "records": after}})
    assert len(news) == 5
    assert {row["sentence_ru"][:45] for row in news} == {"Включён в реестр недобросовестных поставщиков"}


def test_one_query_leads_from_a_news_to_its_changes_versions_and_bytes(warehouse: Warehouse) -> None:
    (news,) = news_after(
        warehouse, {"company": {"authorized_capital": 10000}}, {"company": {"authorized_capital": 2_500_000}}
    )
    assert news["sentence_ru"].replace(NBSP, " ") == "Изменился уставный капитал: 10 тыс. ₽ → 2,5 млн ₽"
    proof = single_row(
        warehouse,
        """
        SELECT c.column_name, c.old_value, c.new_value, v.authorized_capital, r.sha256, r.archive_file
        FROM mart.news n JOIN mart.changes c USING (news_id) JOIN lineage.snapshots s ON s.snapshot_id = n.snapshot_id
        JOIN core.company v ON v.version_id = s.version_id JOIN lineage.responses r ON r.response_id = s.response_id
        WHERE n.news_id = ?
        """,
        news["news_id"],
    )
    assert (proof["column_name"], proof["new_value"]) == ("authorized_capital", "2500000.00")
    assert proof["authorized_capital"] == Decimal(2_500_000)
    assert proof["sha256"]


@pytest.mark.long
def test_filter_selects_by_time_severity_portfolio_inn_and_run(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY, portfolio="mine")
    for number, inn in enumerate((COMPANY, OTHER)):
        load(warehouse, full_check_response(inn, blocks(company={}), at=FIRST, name=f"a{number}"))
        changed = blocks(company={"status": "liquidating", "okpo": "1"})
        load(warehouse, full_check_response(inn, changed, at=SECOND, name=f"b{number}"))

    def found(since: datetime = FIRST, **more: Any) -> pl.DataFrame:
        return find_news(warehouse, NewsFilter(since, **more))

    assert found()["severity"].to_list() == ["alert", "alert", "info", "info"]
    assert set(found(severity="notice")["topic"]) == {"company.status"}
    assert set(found(portfolio="mine")["inn"]) == {COMPANY}
    assert set(found(inn=OTHER)["inn"]) == {OTHER}
    assert found(run_id="another").is_empty()
    assert found(until=SECOND).is_empty()
    assert found(since=datetime(2026, 12, 1)).is_empty()
    snapshots = found(inn=OTHER)["snapshot_id"].unique().to_list()
    assert news_of_snapshots(warehouse, snapshots).height == 2
    entry = news_as_json(found(portfolio="mine"))[0]
    assert entry["sentence_ru"] == "Изменился статус: действует → в стадии ликвидации"
    assert entry["sentence"] == "The status changed: active → being liquidated"
    assert (entry["seen_at"], entry["changes"], entry["name"]) == ("2026-11-20T00:00:00Z", 1, "ООО")


LINK = {"historic": False, "via_name": "Иванов И. И.", "connections": []}


def flags(person: str, company: str, inn: str) -> Response:
    record = {"matched_name": person, "birth_date": "01.01.1970", "end_date": "01.01.2030", "offence": "ст. 14.25"}
    body = {
        **PLAIN["risk_flags"],
        "mass_source": "s",
        "disqualified_persons": bool(person),
        "disqualified_records": [record] if person else [],
        "linked_companies": [{**LINK, "inn": inn, "name": company}] if inn else [],
    }
    return Response("risk-flags", body, COMPANY)


OLD_FLAGS = flags("СТАРЫЙ", "ООО Старая", "7707000001")
REPLACED = {
    "ru": (
        "Дисквалифицированное лицо среди руководителей или участников: НОВЫЙ, срок до 01.01.2030, ст. 14.25; больше не "
        "значится: СТАРЫЙ, срок до 01.01.2030\nНовые связанные компании: ООО Новая (ИНН 7707000002), через Иванов И. И.; "
        "больше не значится: ООО Старая (ИНН 7707000001), через Иванов И. И."
    ),
    "en": (
        "A disqualified person among managers or founders: НОВЫЙ, until 2030-01-01, ст. 14.25; no longer shown: СТАРЫЙ, "
        "until 2030-01-01\nNew linked companies: ООО Новая (INN 7707000002), through Иванов И. И.; no longer shown: "
        "ООО Старая (INN 7707000001), through Иванов И. И."
    ),
}
REMOVED = {
    "ru": (
        "Записей о дисквалификации стало меньше: больше не значится: СТАРЫЙ, срок до 01.01.2030\n"
        "Связанных компаний стало меньше: больше не значится: ООО Старая (ИНН 7707000001), через Иванов И. И."
    ),
    "en": (
        "Fewer entries about disqualifications: no longer shown: СТАРЫЙ, until 2030-01-01\n"
        "Fewer linked companies: no longer shown: ООО Старая (INN 7707000001), through Иванов И. И."
    ),
}


@pytest.mark.parametrize(
    ("second", "expected"),
    [(flags("НОВЫЙ", "ООО Новая", "7707000002"), REPLACED), (flags("", "", ""), REMOVED)],
    ids=["replaced", "removed"],
)
def test_persons_and_companies_that_are_gone_are_told_as_such(
    warehouse: Warehouse, second: Response, expected: dict[str, str]
) -> None:
    load(warehouse, OLD_FLAGS, second)
    for language, sentences in expected.items():
        found = rows(warehouse, f"SELECT sentence_{language} FROM mart.news ORDER BY topic")
        assert "\n".join(sentence for (sentence,) in found) == sentences
