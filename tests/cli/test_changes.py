"""The command `changes`, on a warehouse loaded from hand-written responses."""

import json
from datetime import datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli import changes as command
from innspect.cli._options import CliOptions
from innspect.reports.change_query import parse_since
from innspect.reports.i18n.catalog import ENGLISH
from innspect.reports.news_query import NewsFilter, find_news
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from tests.support.builders import FIRST, INN

LATER = FIRST + timedelta(days=1)


def run_changes(capsys, home, *, since="2026-11-20", severity="info", portfolio=None) -> list[dict]:
    assert command.changes(CliOptions(home=home, json=True), since, severity, portfolio, lambda: LATER) == 0
    return json.loads(capsys.readouterr().out)["changes"]


def test_change_has_counterparty_location_values_and_dates(capsys, two_companies):
    changes = run_changes(capsys, two_companies)
    status = next(change for change in changes if change["field"] == "status")
    assert status == {
        "severity": "alert", "inn": INN, "name": 'ООО "93"', "meaning": status["meaning"], "block": "company",
        "table": "company", "row": None, "change": "changed", "field": "status", "old": "active", "new": "liquidating",
        "seen_at": "2026-11-20T13:00:00Z", "known_until": "2026-11-20T10:00:00Z", "run_id": "run",
        "snapshot_id": status["snapshot_id"],
    }  # fmt: skip
    freeze = next(change for change in changes if change["table"] == "freezes__items")
    assert (freeze["change"], freeze["field"], freeze["old"]) == ("added", None, None)
    assert freeze["new"]["decision_num"] == "0"
    severities = [change["severity"] for change in changes]
    assert severities == sorted(severities, key=["alert", "notice", "info"].index)
    assert {change["inn"] for change in changes} == {INN}


@pytest.mark.long
def test_changes_are_filtered_by_severity_date_and_portfolio(capsys, two_companies):
    home = two_companies
    all_changes = run_changes(capsys, home)
    alerts = run_changes(capsys, home, severity="alert")
    assert alerts == [change for change in all_changes if change["severity"] == "alert"]
    assert 0 < len(alerts) < len(all_changes)
    assert run_changes(capsys, home, since="1") == all_changes
    assert run_changes(capsys, home, since="2026-11-21") == []
    assert run_changes(capsys, home, portfolio="mine") == run_changes(capsys, home, portfolio="lists/mine.csv")
    assert run_changes(capsys, home, portfolio="mine") == all_changes
    assert run_changes(capsys, home, portfolio="theirs") == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"since": "yesterday"}, "--since 2026-11-01"),
        ({"since": "2026-13-01"}, "--since 2026-11-01"),
        ({"since": "2026-11-23"}, "2026-11-23 is in the future; name a day up to today with --since"),
        ({"severity": "grave"}, "info, notice, alert"),
        ({"portfolio": "nobody's"}, "mine, theirs"),
    ],
)
def test_invalid_option_is_a_usage_error(capsys, two_companies, options, words):
    with pytest.raises(UsageError) as caught:
        run_changes(capsys, two_companies, **options)
    assert words in caught.value.message
    assert caught.value.message.endswith(".")


def test_without_changes_it_says_what_was_compared(capsys, two_companies):
    def shown(since, severity="info", portfolio=None):
        assert command.changes(CliOptions(home=two_companies), since, severity, portfolio, lambda: LATER) == 0
        return capsys.readouterr().out.splitlines()[-1]

    assert shown("2026-11-21").startswith("Изменения с 21.11.2026 00:00: неизвестно, повторных ответов")
    assert shown("1", portfolio="theirs").startswith("Изменения с 20.11.2026 13:00 в портфеле theirs: неизвестно")
    with Warehouse(two_companies / "warehouse.duckdb") as warehouse:
        warehouse.connection.execute("DELETE FROM lineage.changes")
    assert "Изменений с 20.11.2026 13:00 нет; контрагентов, чьи ответы есть с чем сравнить: 1." in shown("1")
    assert "13:00, важность от «тревожное» нет; контрагентов" in shown("1", severity="alert")


def test_date_starts_at_midnight_in_the_time_zone_of_the_settings():
    assert parse_since("2026-11-20", "Europe/Moscow", LATER) == datetime(2026, 11, 19, 21)
    assert parse_since("2", "Europe/Moscow", LATER) == LATER - timedelta(days=2)


def test_most_severe_news_are_printed_first(two_companies):
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        news = find_news(warehouse, NewsFilter(FIRST))
    output = StringIO()
    selection = command.describe_filter(FIRST, None, "info", ENGLISH)
    command.print_news(news, selection, Console(file=output, width=300))
    lines = output.getvalue().splitlines()
    headings = [
        heading for heading in (line.split(" (")[0] for line in lines) if heading in ("ALERT", "NOTICE", "INFO")
    ]
    assert headings == [level for level in ("ALERT", "NOTICE", "INFO") if level in headings]
    assert any("The status changed: active → being liquidated" in line for line in lines)
    assert any("The manager changed: A → B" in line for line in lines)
    assert not [line for line in lines if "__" in line]


def test_json_has_news_in_both_languages_and_every_change(capsys, two_companies):
    assert command.changes(CliOptions(home=two_companies, json=True), "2026-11-20", "info", None, lambda: LATER) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(news["changes"] for news in found["news"]) == len(found["changes"])
    status = next(news for news in found["news"] if news["topic"] == "company.status")
    assert status["sentence"] == "The status changed: active → being liquidated"
    assert status["sentence_ru"] == "Изменился статус: действует → в стадии ликвидации"
    assert (status["seen_at"], status["known_until"]) == ("2026-11-20T13:00:00Z", "2026-11-20T10:00:00Z")
