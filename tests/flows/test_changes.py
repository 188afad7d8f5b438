"""`changes` and `company`: what a person reads, from answers made by hand."""

import json
from datetime import datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli import company as counterparty
from innspect.cli._options import Given
from innspect.reports import change_query as history
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from tests.support.builders import FIRST, INN, Response, load_responses

OTHER = "7710140679"
HOUR = timedelta(hours=1)
LATER = FIRST + timedelta(days=1)


def card(status: str, inn: str = INN, **more) -> Response:
    body = {"inn": inn, "ogrn": "1027700132195", "name": f'ООО "{inn[-2:]}"', "status": status, **more}
    return Response("brief", body, inn)


def freezes(count: int, **more) -> Response:
    items = [{"decision_num": str(number), "bik": "044525225"} for number in range(count)]
    body = {"available": True, "found": count > 0, "count": count, "items": items, **more}
    return Response("freezes", body)


@pytest.fixture
def home(tmp_path, laid_out):
    with Warehouse(laid_out(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(
            warehouse,
            card("active", director="A"),
            freezes(0),
            card("active", OTHER),
            card("liquidating", director="B"),
            freezes(1),
            Response("freezes", {"available": False, "items": []}),
        )
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, name, first_seen_at, last_seen_at) "
            "VALUES ('mine', $1, 'M', $2, $2), ('theirs', $3, 'T', $2, $2)",
            [INN, FIRST, OTHER],
        )
    return tmp_path


def given(home, **more) -> Given:
    return Given(home=home, **more)


def told(capsys, home, *, since="2026-11-20", severity="info", portfolio=None) -> list[dict]:
    assert history.changes(given(home, json=True), since, severity, portfolio, lambda: LATER) == 0
    return json.loads(capsys.readouterr().out)["changes"]


def test_changes_say_who_what_from_what_to_what_and_since_when(capsys, home):
    found = told(capsys, home)
    of_status = next(one for one in found if one["field"] == "status")
    assert of_status == {
        "severity": "alert", "inn": INN, "name": 'ООО "93"', "meaning": of_status["meaning"], "block": "company",
        "table": "company", "row": None, "change": "changed", "field": "status", "old": "active", "new": "liquidating",
        "seen_at": "2026-11-20T13:00:00Z", "known_until": "2026-11-20T10:00:00Z", "run_id": "run",
        "snapshot_id": of_status["snapshot_id"],
    }  # fmt: skip
    frozen = next(one for one in found if one["table"] == "freezes__items")
    assert (frozen["change"], frozen["field"], frozen["old"]) == ("added", None, None)
    assert frozen["new"]["decision_num"] == "0"
    levels = [one["severity"] for one in found]
    assert levels == sorted(levels, key=["alert", "notice", "info"].index)
    assert {one["inn"] for one in found} == {INN}


def test_changes_are_chosen_by_severity_day_and_portfolio(capsys, home):
    everything = told(capsys, home)
    alerts = told(capsys, home, severity="alert")
    assert alerts == [one for one in everything if one["severity"] == "alert"]
    assert 0 < len(alerts) < len(everything)
    assert told(capsys, home, since="1") == everything
    assert told(capsys, home, since="2026-11-21") == []
    assert told(capsys, home, portfolio="mine") == told(capsys, home, portfolio="lists/mine.csv") == everything
    assert told(capsys, home, portfolio="theirs") == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"since": "yesterday"}, "--since 2026-11-01"),
        ({"since": "2026-13-01"}, "--since 2026-11-01"),
        ({"severity": "grave"}, "info, notice, alert"),
        ({"portfolio": "nobody's"}, "mine, theirs"),
    ],
)
def test_a_wrong_wish_is_one_sentence(capsys, home, wrong, words):
    with pytest.raises(UsageError) as caught:
        told(capsys, home, **wrong)
    assert words in caught.value.message
    assert caught.value.message.endswith(".")


def test_a_day_begins_in_the_zone_of_the_settings():
    assert history.read_since("2026-11-20", "Europe/Moscow", LATER) == datetime(2026, 11, 19, 21)
    assert history.read_since("2", "Europe/Moscow", LATER) == LATER - timedelta(days=2)


def test_on_the_screen_the_gravest_stands_first(home):
    with Warehouse(home / "warehouse.duckdb", read_only=True) as warehouse:
        found = history.find(warehouse, history.Wanted(FIRST))
    screen = StringIO()
    history.show(found, FIRST, Console(file=screen, width=300))
    lines = screen.getvalue().splitlines()
    heads = [head for head in (line.split(" (")[0] for line in lines) if head in ("ALERT", "NOTICE", "INFO")]
    assert heads == [level for level in ("ALERT", "NOTICE", "INFO") if level in heads]
    assert any("active → liquidating" in line for line in lines)
    assert any("director" in line and "A → B" in line for line in lines)


def signals(capsys, home, inn: str = INN) -> dict[str, dict]:
    assert counterparty.company(given(home, json=True), inn, lambda: LATER) == 0
    return json.loads(capsys.readouterr().out)


def test_a_company_on_one_screen_keeps_silence_apart_from_nothing(capsys, home):
    told = signals(capsys, home)
    assert (told["card"]["status"], told["card"]["director"], told["portfolios"]) == ("liquidating", "B", ["mine"])
    of = {one["signal"]: one for one in told["signals"]}
    frozen = of["suspended accounts, decisions"]
    # The latest answer was silent: what was known stays, with the day it was confirmed.
    assert (frozen["value"], frozen["confidence"], frozen["latest_state"]) == (1, "confirmed", "unconfirmed")
    assert frozen["confirmed_at"] == "2026-11-20T14:00:00Z"
    assert frozen["latest_asked_at"] == "2026-11-20T15:00:00Z"
    never = of["bankruptcy stage"]
    assert (never["value"], never["confidence"]) == (None, "never asked")
    cover = {row["block"]: row for row in told["coverage"]}
    assert cover["bankruptcy"]["state"] == "never asked"
    assert (cover["freezes"]["state"], cover["freezes"]["age_days"]) == ("unconfirmed", 0.8)
    assert [one["field"] for one in told["changes"] if one["table"] == "company"]


def test_nothing_found_and_nothing_known_read_differently(capsys, home):
    silent = Response("freezes", {"available": False, "items": []}, OTHER)
    with Warehouse(home / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, silent, start=20)
    frozen = {one["signal"]: one for one in signals(capsys, home, OTHER)["signals"]}["suspended accounts, decisions"]
    assert (frozen["value"], frozen["confidence"]) == (None, "not confirmed")
    with Warehouse(home / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, Response("freezes", freezes(0).body, OTHER), start=21)
    frozen = {one["signal"]: one for one in signals(capsys, home, OTHER)["signals"]}["suspended accounts, decisions"]
    assert (frozen["value"], frozen["confidence"]) == (0, "confirmed")


def test_the_screen_has_words_for_each(home):
    with Warehouse(home / "warehouse.duckdb", read_only=True) as warehouse:
        seen = counterparty.look(warehouse, INN, LATER)
    screen = StringIO()
    counterparty.show(seen, Console(file=screen, width=200))
    text = screen.getvalue()
    assert "confirmed 2026-11-20; not confirmed since (unconfirmed 2026-11-20)" in text
    assert "never asked" in text
    assert "liquidating" in text


@pytest.mark.parametrize(("inn", "words"), [("123", "10 or 12 digits"), ("7707049388", "innspect run")])
def test_who_is_no_inn_or_not_known_is_told_so(home, inn, words):
    with pytest.raises(UsageError, match=words):
        counterparty.company(given(home), inn, lambda: LATER)
