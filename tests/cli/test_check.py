"""`innspect check`: INNs of the command line through the same run, with its money, its members and what it shows."""

import sys
from pathlib import Path

import pytest

from tests.support.cli import (
    COMPANIES,
    PERSONS,
    Cli,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
    rub,
)
from tests.support.message_servers import JsonReceiver

COMPANY, PERSON = COMPANIES[0], PERSONS[0]
PER_INN = 60
NOTIFY = """
[notify.chat]
address_env = "NOTIFY_CHAT"
what = ["run_failed"]
language = "en"
"""


def check(cli: Cli, *words: object, **environ: str):
    return cli("check", *words, "--direct", "--json", **environ)


def members(cli: Cli, portfolio: str) -> dict[str, tuple]:
    """Name, tags and other columns by member."""
    rows = cli.sql(
        "SELECT inn, name, tags, extra::VARCHAR FROM lineage.portfolio_members WHERE portfolio = ?", portfolio
    )
    return {inn: rest for inn, *rest in rows}


def test_check_requests_assesses_and_does_not_pay_twice(cli, service, tmp_path):
    done = check(cli, COMPANY, PERSON, COMPANY, "--format", "html")
    assert done.code == 0, done
    result = done.json
    assert (result["portfolio"], result["accepted"], result["rejected"]) == ("adhoc", 2, 1)
    assert rub(result["budget_rub"]) == 2 * PER_INN
    assert_money_adds_up(cli, service, 2 * PER_INN)
    assert rub(result["charged_rub"]) == service.bill_total() > 0
    assert set(members(cli, "adhoc")) == {COMPANY, PERSON}
    scores = cli.sql(
        "SELECT inn, level, level_at_most, score, reasons, unknown_signals, unknown_blocks FROM mart.risk_score"
    )
    shown = result["checked"]
    assert [one["inn"] for one in shown] == [COMPANY, PERSON]
    keys = ("inn", "level", "level_at_most", "score", "reasons", "unknown_signals", "unknown_blocks")
    assert sorted(tuple(one[key] for key in keys) for one in shown) == sorted(scores)

    for one in shown:
        assert one["inn"] in Path(one["dossier"]).read_text("utf-8")

    service.reset()
    opened = tmp_path / "opened"
    browser = f'{sys.executable} -c \'import sys; open("{opened}", "a").write(sys.argv[1] + chr(10))\' %s'
    again = cli("check", COMPANY, PERSON, "--direct", "--max-age", 1, "--format", "html", "--open", BROWSER=browser)
    assert opened.read_text().split() == [Path(one["dossier"]).as_uri() for one in shown]
    assert (again.code, service.charges()) == (0, [])
    for one in shown:
        assert f"{one['inn']} {one['name']}" in again.out
        assert one["dossier"] in again.out
    titles = dict(cli.sql("SELECT title, title_ru FROM mart.risk_signals"))
    reasons = {reason for one in shown for reason in one["reasons"]}
    assert all(titles[reason] in again.out for reason in reasons)
    assert "  Неизвестно: " in again.out
    english = cli("check", COMPANY, PERSON, "--direct", "--format", "html", INNSPECT_REPORT__LANGUAGE="en")
    assert all(reason in english.out for reason in reasons)
    assert "  Not known: " in english.out
    assert "Money: 0.00 RUB charged" in again.out


@pytest.mark.long
def test_check_adds_members_to_a_portfolio_and_keeps_theirs(cli, service, tmp_path):
    path = tmp_path / "suppliers.csv"
    path.write_text(f"inn,name,tags,manager\n{COMPANIES[1]},First,key,Anna\n{COMPANIES[2]},Second,,Boris\n")
    light = ("--profile", "light")
    assert cli.run(path, *light).code == 0
    before = members(cli, "suppliers")
    done = check(cli, COMPANIES[1], COMPANIES[3], "--portfolio", "suppliers", *light)
    assert done.code == 0, done
    assert {charge["inn"] for charge in service.charges()} == set(COMPANIES[1:4])
    assert_no_call_paid_twice(service)
    assert all(Path(one["dossier"]).read_bytes().startswith(b"%PDF") for one in done.json["checked"])
    assert members(cli, "suppliers") == before | {COMPANIES[3]: [None, None, None]}


@pytest.mark.long
def test_failed_check_spends_nothing_beyond_its_budget_and_is_reported(cli, service, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text(NOTIFY)
    with JsonReceiver() as chat:
        cli.environ["NOTIFY_CHAT"] = chat.address
        configured = ("--config", config)
        assert_fails(check(cli, COMPANY, "7707083894", *configured), 2, "7707083894", "check_digits")
        assert_fails(check(cli, COMPANY, "--format", "docx", *configured), 2, "docx")
        assert cli.sql("SELECT count(*) FROM lineage.runs") == [(0,)]
        poor = check(cli, COMPANY, PERSON, *configured, INNSPECT_BUDGET__CHECK_RUB="30", INNSPECT_BUDGET__RUN_RUB="25")
        assert poor.code == 3, poor
        (told,) = chat.bodies
    assert "Check “adhoc”: budget used up before the end of the plan" in told["title"]
    assert poor.json["run_id"] in told["message"]
    assert rub(poor.json["budget_rub"]) == 25
    assert poor.json["skipped_for_budget"] == 1
    assert [one["level"] for one in poor.json["checked"] if one["inn"] == PERSON] == ["unknown"]
    assert_money_adds_up(cli, service, 25)
    service.reset()
    assert check(cli, COMPANIES[1], "--budget", 0).code == 3
    assert service.charges() == []


@pytest.mark.long
def test_check_publishes_unless_the_settings_leave_it_to_the_next_run(cli, service):
    copy = cli.home / "published" / "innspect.duckdb"
    cli.environ["INNSPECT_PUBLISH__AFTER_RUN"] = "true"
    assert check(cli, PERSON, "--profile", "light", INNSPECT_PUBLISH__AFTER_CHECK="false").code == 0
    assert not copy.exists()
    service.reset()
    renewed = check(cli, PERSON, "--max-age", 0, "--profile", "light")
    assert renewed.code == 0, renewed
    assert copy.exists()
    assert renewed.json["calls"] == renewed.json["planned_calls"] > 0
    assert {charge["inn"] for charge in service.charges()} == {PERSON}
    assert_no_call_paid_twice(service)
