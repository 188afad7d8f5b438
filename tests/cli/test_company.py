"""The command `company` shows what the marts say about one INN."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli import company as command
from innspect.cli._options import CliOptions
from innspect.reports.i18n.catalog import translations
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import available_blocks
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from tests.cli.responses import OTHER, card, freezes, unconfirmed_freezes
from tests.support.builders import BODIES, FIRST, INN, MOSCOW, Response, load_responses
from tests.support.commands import run_here

LATER = FIRST + timedelta(days=1)


def run_company(capsys, home, inn: str = INN) -> dict:
    assert command.company(CliOptions(home=home, json=True), inn, lambda: LATER) == 0
    return json.loads(capsys.readouterr().out)


def frozen(capsys, home, inn: str) -> tuple[str, bool]:
    signal = next(
        signal for signal in run_company(capsys, home, inn)["signals"] if signal["signal"] == "account_freeze"
    )
    return signal["state"], signal["confirmed"]


def test_company_as_json(capsys, two_companies):
    company = run_company(capsys, two_companies)
    assert (company["card"]["status"], company["card"]["director"]) == ("liquidating", "B")
    assert (company["card"]["ogrn"], company["portfolios"], company["checked"]) == ("1027700132195", ["mine"], True)
    assert (company["figures"]["freezes"], company["figures"]["cases"]) == (1, None)
    assert company["figures"]["bankruptcy_known"] is False
    signals = {signal["signal"]: signal for signal in company["signals"]}
    assert (signals["liquidating"]["state"], signals["liquidating"]["confirmed"]) == ("present", True)
    coverage = {row["block"]: row for row in company["coverage"]}
    assert (coverage["bankruptcy"]["state"], coverage["bankruptcy"]["asked_at"]) == ("never asked", None)
    assert (coverage["freezes"]["state"], coverage["freezes"]["asked_at"]) == ("unconfirmed", "2026-11-20T15:00:00Z")
    assert coverage["freezes"]["checked_at"] == "2026-11-20T14:00:00Z"
    assert [change["field"] for change in company["changes"] if change["table"] == "company"]


def test_signals_are_those_of_the_mart(capsys, two_companies):
    shown = {signal["signal"]: signal["state"] for signal in run_company(capsys, two_companies)["signals"]}
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        mart = warehouse.query("SELECT signal, state FROM mart.risk_signals WHERE inn = $inn", {"inn": INN})
    assert shown == dict(mart.iter_rows())


def test_absent_not_confirmed_and_outdated_signals_differ(capsys, two_companies):
    # The latest response is no evidence: the earlier finding stays, but is not confirmed.
    assert frozen(capsys, two_companies, INN) == ("present", False)
    assert frozen(capsys, two_companies, OTHER) == ("never requested", False)
    with Warehouse(two_companies / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, unconfirmed_freezes(OTHER), start=20)
    assert frozen(capsys, two_companies, OTHER) == ("unknown", False)
    with Warehouse(two_companies / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, replace(freezes(0, OTHER), asked_at=datetime.now(UTC).replace(tzinfo=None)), start=21)
    assert frozen(capsys, two_companies, OTHER) == ("absent", True)


def test_screen_shows_the_certainty_of_signals(two_companies):
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        data = command.read_company(warehouse, INN, LATER)
    output = StringIO()
    command.print_company(data, Console(file=output, width=200))
    text = output.getvalue()
    assert (
        "collected on 2026-11-20; not confirmed by the latest response "
        "(source did not answer: the tax authority did not answer)"
    ) in text
    assert "Signals never requested: " in text
    assert "Not known: bankruptcy stage" in text
    assert "liquidating" in text


RECENT = datetime.now(UTC).replace(tzinfo=None) - timedelta(hours=5)
"""Requests that no policy takes for stale."""


def recent(method: str, body: dict, hours: int = 0) -> Response:
    return Response(method, body, asked_at=RECENT + timedelta(hours=hours))


def screen_of(home, inn: str = INN, language: str = "en") -> str:
    with Warehouse(home / "warehouse.duckdb", read_only=True) as warehouse:
        data = command.read_company(warehouse, inn, RECENT + timedelta(hours=5))
    output = StringIO()
    command.print_company(data, Console(file=output, width=250), translations(language, MOSCOW))
    return output.getvalue()


def load_recent(home, *responses: Response, start: int = 40) -> None:
    with Warehouse(home / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, *responses, start=start)


@pytest.mark.long
def test_screen_marks_figures_and_card_cells_that_the_latest_response_does_not_confirm(two_companies):
    statements = {"has_data": True, "years": [2024], "revenue": {"2024": 500}, "net_profit": {"2024": 70}}
    silent = {"available": False, "items": []}
    identity = {"inn": INN, "ogrn": "1027700132195", "name": "A", "status": "active", "director": "B"}
    load_recent(
        two_companies,
        recent("brief", identity),
        recent("financial", statements),
        recent("freezes", {"available": True, "found": True, "count": 1, "items": [{"decision_num": "1"}]}),
    )
    text = screen_of(two_companies)
    assert re.search(r"director +B +\n", text)
    assert re.search(r"net profit \(RUB\) +70.00 +\n", text)
    failed = (replace(recent(method, {}, 1), status=500) for method in ("brief", "financial"))
    load_recent(two_companies, *failed, recent("freezes", silent, 1), start=50)
    text, mark = screen_of(two_companies), re.escape("(not confirmed by the latest response)")
    for cell in (r"director +B", r"freezes +1", r"revenue \(RUB\) +500.00", r"revenue period +2024-12-31",
                 r"net profit \(RUB\) +70.00", r"statements year +2024"):  # fmt: skip
        assert re.search(f"{cell} {mark}", text), cell


@pytest.mark.long
def test_screen_says_where_a_response_shows_that_there_is_no_figure(two_companies):
    assert "expense (RUB)" in screen_of(two_companies).split("Not known: ")[1].splitlines()[0]
    load_recent(two_companies, recent("revexp", json.loads((BODIES / "revexp.empty.json").read_text("utf-8"))))
    text = screen_of(two_companies)
    assert re.search(r"expense \(RUB\) +no record in the tax service's data set", text)
    # The statements may give a revenue: they were never requested.
    not_known = text.split("Not known: ")[1].splitlines()[0]
    assert "expense" not in not_known
    assert "revenue (RUB)" in not_known


@pytest.mark.long
def test_codes_are_in_words(two_companies):
    load_recent(two_companies, recent("bankruptcy", {"has_bankruptcy": True, "status": "proceedings"}))
    assert re.search(r"Процедура банкротства +конкурсное производство", screen_of(two_companies, language="ru"))
    assert re.search(r"bankruptcy stage +proceedings", screen_of(two_companies))


def test_since_says_whether_the_data_or_our_checks_give_it(two_companies):
    """A decision has a date of its own; that of a flag of the card is when it was first seen."""
    decision = {"decision_num": "1", "decision_date": "01.10.2026", "bik": "044525225"}
    load_recent(
        two_companies,
        recent("freezes", {"available": True, "found": True, "count": 1, "items": [decision]}),
        recent("brief", {"inn": INN, "ogrn": "1027700132195", "name": "A", "status": "active", "mass_address": True}),
    )
    text = screen_of(two_companies, language="ru")
    assert re.search(r"Блокировка счетов .* 01\.10\.2026(?! \(по)", text)
    assert re.search(r"Массовый адрес .* \(по нашим проверкам\)", text)


def test_evidence_is_dated_by_its_collection():
    signal = {"reason": None, "confirmed": True, "checked_at": RECENT, "collected_at": FIRST, "source_date": None}
    assert command.describe_certainty(signal) == "collected on 2026-11-20"
    assert command.describe_certainty({**signal, "collected_at": None}) == "collected on an unknown date"
    silent = {**signal, "confirmed": False, "reason": "missing: absent"}
    assert command.describe_certainty(silent, translations("ru", MOSCOW)) == (
        "собрано 20.11.2026; последний ответ этого не подтверждает "
        "(раздела нет в ответе: в полной проверке этого раздела нет)"
    )


@pytest.mark.long
def test_no_change_is_said_only_of_blocks_with_two_answers(two_companies):
    def recent_of(inn: str) -> str:
        return next(line for line in screen_of(two_companies, inn).splitlines() if line.startswith("Changes of the"))

    def load_card(start: int, status: int = 200) -> None:
        response = replace(card("active", OTHER), status=status, asked_at=RECENT + timedelta(hours=start))
        load_recent(two_companies, response, start=60 + start)

    assert recent_of(OTHER).endswith(": nothing to compare with yet")
    load_card(1)
    blocks = len(available_blocks(10))
    assert recent_of(OTHER).endswith(
        f": none in the blocks that can be compared (1 of {blocks}); of the others it is not known"
    )
    load_card(2, status=500)
    assert recent_of(OTHER).endswith(
        ": not known, no block has a fresh answer that can be compared with an earlier one"
    )
    assert re.search(r": \d+$", recent_of(INN))


@pytest.mark.parametrize(("inn", "words"), [("123", "10 or 12 digits"), ("7707049388", "`innspect check 7707049388`")])
def test_invalid_and_unknown_inns_are_usage_errors(two_companies, inn, words):
    with pytest.raises(UsageError, match=words):
        command.company(CliOptions(home=two_companies), inn, lambda: LATER)


@pytest.fixture
def person(two_companies) -> str:
    """A sole proprietor of the portfolio with a partial list of proceedings, in the same home."""
    inn = sample_inns(1, 7, persons=1.0)[0]
    proceedings = [{"exe_production": "1/24", "is_active": True, "sum": 5}]
    counters = {"total_proceedings": 1, "active_proceedings": 1, "total_debt_rub": 5, "active_debt_rub": 5}
    body = {**counters, "proceedings": proceedings, "sources_failed": ["site_inn"]}
    with Warehouse(two_companies / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, Response("person-fssp", body, inn), start=30)
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, first_seen_at, last_seen_at) "
            "VALUES ('mine', ?, now()::TIMESTAMP, now()::TIMESTAMP)",
            [inn],
        )
    return inn


@pytest.mark.long
def test_person_has_blocks_that_the_service_does_not_offer(capsys, two_companies, person):
    company = run_company(capsys, two_companies, person)
    assert {row["block"] for row in company["coverage"]} == {"company", "fssp", "arbitration", "bankruptcy", "msp"}
    assert {"contracts", "sanctions", "freezes"} <= set(company["not_offered"])
    assert set(company["not_offered"]).isdisjoint(row["block"] for row in company["coverage"])
    assert run_company(capsys, two_companies)["not_offered"] == []
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        methods = ("sanctions",)
        assert "sanctions" not in command.read_company(warehouse, person, LATER, methods).not_offered
        data = command.read_company(warehouse, person, LATER)
    output = StringIO()
    command.print_company(data, Console(file=output, width=200))
    text = output.getvalue()
    assert "Not offered, the service has no method for persons: " in text
    assert "some sources did not answer" in text
    not_known = next(line for line in text.splitlines() if line.startswith("Not known:"))
    assert "cases" in not_known
    assert not re.search("freezes|net profit|statements year|revenue", not_known)


@pytest.mark.long
def test_figure_over_a_partial_list_is_at_least(capsys, two_companies, person):
    company = run_company(capsys, two_companies, person)
    assert (company["figures"]["active_proceedings"], company["complete"]["fssp"]) == (1, False)
    assert company["complete"]["arbitration"] is None
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        data = command.read_company(warehouse, person, LATER)
    output = StringIO()
    command.print_company(data, Console(file=output, width=200))
    assert re.search(r"active proceedings +at least 1\b", output.getvalue())
    assert re.search(r"active debt \(RUB\) +at least 5\.00", output.getvalue())


@pytest.mark.long
def test_screen_is_in_the_language_of_the_settings_with_level_and_score(capsys, monkeypatch, two_companies):
    screens = {}
    for language in ("ru", "en"):
        monkeypatch.setenv("INNSPECT_REPORT__LANGUAGE", language)
        monkeypatch.setenv("INNSPECT_HOME", str(two_companies))
        for words in (("company", INN), ("changes", "--since", "2026-11-20")):
            code, out, _ = run_here(capsys, *words)
            assert code == 0
            screens[language, words[0]] = out
    assert re.search(r"Риск: критический; .*\nБаллы: \d+; не больше \d+", screens["ru", "company"])
    assert re.search(r"Risk: critical; .*\nScore \d+; at most \d+", screens["en", "company"])
    assert re.search(r"Руководитель +B +\n", screens["ru", "company"])
    assert re.search(rf"{INN} ООО \"93\": критический; .*; баллы \d+\n", screens["ru", "changes"])
    assert re.search(rf"{INN} ООО \"93\": critical; .*; score \d+\n", screens["en", "changes"])
    # Of Latin letters only codes, INNs and names are in a Russian text.
    sentences = [line for line in screens["ru", "changes"].splitlines() if not line.startswith(" ")]
    assert not re.search(r"\b(?:known|level|score|changes|since|not)\b", "\n".join(sentences))
    assert "ТРЕВОЖНОЕ" in screens["ru", "changes"]
    assert "ALERT" in screens["en", "changes"]
