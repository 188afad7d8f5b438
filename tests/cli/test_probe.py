"""`innspect probe`: priced before, each method once, nothing lost, and what the service does otherwise than declared."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.flows.probe.body_shape import list_structure, mask_body, mask_path, mask_text
from innspect.flows.probe.probe_plan import Purpose, change_check_digit, plan_probe
from innspect.schemas.catalogue import CONFIRMABLE_METHODS, METHODS
from innspect.schemas.settings import load_settings
from tests.support.cli import (
    COMPANIES,
    PERSONS,
    ROOT,
    Cli,
    assert_fails,
    assert_money_adds_up,
    assert_no_call_paid_twice,
    rub,
)

COMPANY, PERSON = COMPANIES[0], PERSONS[0]
BAD = change_check_digit(COMPANY)
PAID_METHODS = {
    (COMPANY if method.digits in (10, -1) else PERSON, name) for name, method in METHODS.items() if method.digits
}
PAID_METHODS |= {(PERSON, "msp")}
TOTAL = "223.00"


def probe(cli: Cli, *arguments: object, **environ: str):
    """`innspect probe` of a company and a person, confirmed."""
    return cli("probe", COMPANY, PERSON, "--yes", "--json", *arguments, **environ)


def sentences(report: dict, level: str = "deviation") -> list[str]:
    return [f"{finding['area']}: {finding['text']}" for finding in report["findings"] if finding["level"] == level]


def pages(cli: Cli) -> str:
    """The page and the JSON as they would be sent."""
    return "".join(path.read_text() for path in sorted((cli.home / "probe").iterdir()))


def test_plan_is_priced_and_not_requested_without_confirmation(cli, service):
    result = cli("probe", COMPANY, PERSON, "--budget", "150")
    assert_fails(result, 2, "--yes")
    for name, method in METHODS.items():
        if method.digits:
            assert re.search(rf"^{name} +(company|person) +{method.price / 100:.2f}", result.out, re.MULTILINE), name
    assert "budget: 150.00 RUB" in result.out
    assert f"All together would cost {TOTAL}" in result.out
    assert (service.charges(), cli.status()["last_run"]) == ([], None)


def test_dry_run_lists_calls_as_json(cli, service):
    result = cli("probe", COMPANY, PERSON, "--dry-run", "--json")
    assert result.code == 0
    assert rub(result.json["expected_rub"]) == rub(TOTAL)
    assert sum(rub(call["price_rub"]) for call in result.json["calls"]) == rub(TOTAL)
    assert service.charges() == []


@pytest.mark.long
@pytest.mark.parametrize(("answer", "calls"), [("n", 0), ("y", 28)])
def test_terminal_is_asked_for_confirmation(cli, service, answer, calls):
    command, env = cli.command("probe", COMPANY, PERSON)
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    shown = subprocess.Popen(command, cwd=ROOT, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    try:
        while part := os.read(ours, 65536):
            output += part
    except OSError:
        pass  # the other end is closed
    assert shown.wait() == 0
    assert b"Request 31 calls for 223.00 RUB?" in output
    assert len(service.charges()) == calls


@pytest.mark.long
@pytest.mark.parametrize("envelope", ["root", "data"])
def test_service_as_declared_has_no_deviation(make_cli, start_sandbox, envelope):
    service = start_sandbox("--envelope", envelope)
    cli = make_cli(service.url)
    result = probe(cli)
    assert (result.code, sentences(result.json)) == (0, [])
    assert result.json["settings"] == ""
    assert {(charge["inn"], charge["method"]) for charge in service.charges()} == PAID_METHODS
    assert_no_call_paid_twice(service)
    settled, unknown = assert_money_adds_up(cli, service, TOTAL)
    assert (str(settled), str(unknown)) == (result.json["charged_rub"], "0.00")
    position = "under data" if envelope == "data" else "at the root"
    assert any(position in text for text in sentences(result.json, "learned"))
    assert all(call["charged_rub"] == call["balance_fell_rub"] for call in result.json["calls"])
    assert cli.value("SELECT count(*) FROM lineage.responses WHERE run_id = ?", result.json["run_id"]) == 31
    assert cli.value("SELECT count(*) FROM lineage.portfolio_members") == 0
    learned = {row["method"] for row in result.json["structures"]}
    assert learned == {
        "ping",
        "account",
        "contacts",
        "trademarks",
        "person-arbitration",
        "person-fssp",
        "person-bankruptcy",
    }
    refused = {(row["method"], row["http_status"]) for row in result.json["refusals"]}
    assert refused == {("brief", 422), ("person-brief", 422)}


@pytest.mark.long
def test_report_has_no_personal_data(cli, service):
    report = probe(cli).json
    text = pages(cli)
    assert json.loads((cli.home / "probe" / "probe.json").read_text()) == report
    for secret in (COMPANY, PERSON, BAD, "ПЕСОЧНИЦА"):
        assert secret not in text
    known = cli.sql(
        "SELECT name FROM current.company UNION SELECT director FROM current.company UNION SELECT address FROM "
        "current.company UNION SELECT ogrn FROM current.company UNION SELECT name FROM current.company__directors "
        "UNION SELECT value FROM current.contacts__leaves WHERE length(value) > 8"
    )
    values = [value for (value,) in known if value and not re.fullmatch(r"[a-z_-]+", value)]
    assert len(values) > 5
    assert [value for value in values if value in text] == []


@pytest.mark.long
def test_budget_bounds_the_probe_and_the_next_one_adds_the_rest(cli, service):
    first = probe(cli, "--budget", "60")
    assert first.code == 3
    assert rub(first.json["charged_rub"]) <= 60
    never = {(row["method"], row["inn_of"]) for row in first.json["never_requested"]}
    assert ("general-courts", "company") in never
    assert ("full-check", "company") not in never
    second = probe(cli)
    assert (second.code, second.json["never_requested"]) == (0, [])
    assert len(second.json["calls"]) == 31
    assert_no_call_paid_twice(service)
    bill = service.bill_total()
    third = probe(cli)
    assert (third.code, third.json["charged_rub"], len(third.json["calls"])) == (0, "0.00", 31)
    assert service.bill_total() == bill
    assert probe(cli, "--refresh", "--budget", "18").json["charged_rub"] == "18.00"


def test_budget_of_zero_requests_nothing(cli, service):
    assert_fails(cli("probe", COMPANY, "--budget", "0", "--yes"), 3, "--budget")
    assert service.charges() == []


@pytest.mark.parametrize("inns", [(COMPANY, COMPANIES[1]), (PERSON, PERSONS[1]), (BAD,), ("abc",)])
def test_wrong_inns_are_refused(cli, service, inns):
    assert_fails(cli("probe", *inns, "--yes"), 2)
    assert service.charges() == []


def test_forgotten_inn_is_refused(cli, service):
    assert cli("forget", "--yes", PERSON).code == 0
    assert_fails(probe(cli), 2, "forgotten")
    assert service.charges() == []


@pytest.mark.long
@pytest.mark.parametrize("point", ["after receive 9", "before warehouse commit"])
def test_killed_probe_continues_without_paying_twice(cli, service, point):
    killed = probe(cli, INNSPECT_FAULT_POINT=point)
    assert killed.code == -9
    charged = service.bill_total()
    result = probe(cli)
    assert (result.code, len(result.json["calls"])) == (0, 31)
    # A call that was sent and whose response was not stored is unknown; only that one is requested again.
    repeated = len(service.charges()) - 28
    assert repeated == (1 if point == "after receive 9" else 0)
    assert_money_adds_up(cli, service)
    assert service.bill_total() >= charged


SCRIPT = '[[script]]\nmethod = "{}"\nnth = 0\nfault = "{}"\n'
DEVIATIONS = {
    "status": (
        "root",
        'status_word = "success"',
        ["envelope: The envelope's status is “success”"],
        ['ok_statuses = ["ok", "success"]'],
    ),
    "envelope": (
        "data",
        'envelope_fields = ["request_id"]\nomit = ["balance"]',
        ["the undeclared field request_id", "No response has the field balance"],
        [],
    ),
    "money": (
        "data",
        "prices = { brief = 5.5 }\ncharge_unavailable = true\n" + SCRIPT.format("pledges", "sources_down")
        + 'blocks = ["pledges"]',
        ["The price is 5.50 RUB; the catalogue says 4.00 RUB.", "An unavailable response was charged 8.00 RUB; the program counts it as 8.00 RUB"],
        ["brief = 5.50"],
    ),
    "payload": (
        "root",
        'omit = ["kpp"]\ndates = "/"\n' + SCRIPT.format("msp", "unknown_field"),
        ["absent: company.kpp", "rule “date”", "dd/mm/yyyy", "not declared: msp."],
        [],
    ),
    "failures": (
        "data",
        'errors = "text"\nerror_status = 410\n' + SCRIPT.format("msp", "http_503") + SCRIPT.format("rnp", "cut"),
        ["HTTP 410, a status that", "A method that fits the INN was answered with HTTP 503", "answered with HTTP 200 (broken)"],
        ["free_statuses = [410, 503]"],
    ),
    "errors": ("root", 'errors = "success"', ["An error was answered with HTTP 200"], []),
    "length": ("root", "any_length = true", ["HTTP 200 with a payload instead of a refusal"], []),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("envelope", "faults", "found", "proposed"), DEVIATIONS.values(), ids=DEVIATIONS)
def test_deviation_is_reported(make_cli, start_faulty_sandbox, envelope, faults, found, proposed):
    service = start_faulty_sandbox(f"[deviations]\n{faults}\n", "--envelope", envelope)
    cli = make_cli(service.url, {"INNSPECT_SERVICE__RETRIES": "0"})
    result = probe(cli)
    assert result.code == 6
    text = "\n".join(sentences(result.json))
    assert [words for words in found if words not in text] == []
    assert [line for line in result.json["settings"].splitlines() if "=" in line and line[0] != "#"] == proposed
    assert cli.status()["outbox"] == 0
    assert_money_adds_up(cli, service)
    assert COMPANY not in pages(cli)


@pytest.mark.long
@pytest.mark.parametrize("envelope", ["root", "data"])
def test_shipped_deviations_are_found_and_their_settings_accepted(make_cli, start_sandbox, tmp_path, envelope):
    service = start_sandbox("--faults", ROOT / "configs" / "faults" / "deviations.toml", "--envelope", envelope)
    cli = make_cli(service.url)
    result = probe(cli, "--person-methods", "--budget", "500")
    assert result.code == 6
    assert {finding["area"] for finding in result.json["findings"] if finding["level"] == "deviation"} == {
        "money", "envelope", "refusals", "fields", "formats",
    }  # fmt: skip
    refused = [row for row in result.json["refusals"] if row["purpose"] == str(Purpose.WRONG_DIGITS)]
    assert [(row["http_status"], row["form"]) for row in refused] == [(400, "html")]
    assert "<h1>The INN ********** is of another length" in refused[0]["body"]
    settings = Path(tmp_path / "innspect.toml")
    settings.write_text(result.json["settings"])
    loaded = load_settings(settings, {}, {})
    assert loaded.service.ok_statuses == ("ok", "success")
    prices = loaded.budget.price_kopecks
    assert (prices["brief"], prices["full-check"]) == (500, 2050)
    bill = service.bill_total()
    again = cli("probe", COMPANY, PERSON, "--person-methods", "--yes", "--json", "--config", settings)
    assert service.bill_total() == bill
    assert not [text for text in sentences(again.json) if "status is" in text]


@pytest.mark.long
def test_methods_that_answer_for_persons_are_proposed(make_cli, start_sandbox):
    service = start_sandbox("--person-method", "sanctions", "--person-method", "rnp")
    cli = make_cli(service.url)
    result = probe(cli, "--person-methods", "--budget", "500")
    assert result.code == 0
    assert 'person_methods = ["sanctions", "rnp"]' in result.json["settings"].replace(
        '["rnp", "sanctions"]', '["sanctions", "rnp"]'
    )
    others = [row for row in result.json["calls"] if row["purpose"] == str(Purpose.PERSON_METHOD)]
    assert len(others) == len(CONFIRMABLE_METHODS)
    assert {row["method"] for row in others if row["http_status"] == 200} == {"sanctions", "rnp"}


def test_refused_key_ends_the_probe(cli, service):
    result = probe(cli, INNSPECT_API_KEY="wrong")
    assert_fails(result, 4, "key")
    assert service.charges() == []


@pytest.mark.long
def test_revoked_key_keeps_what_was_received(make_cli, start_faulty_sandbox):
    service = start_faulty_sandbox('[[script]]\nmethod = "rnp"\nfault = "key_revoked"\n')
    cli = make_cli(service.url)
    result = probe(cli)
    assert result.code == 4
    report = json.loads((cli.home / "probe" / "probe.json").read_text())
    assert len(report["calls"]) > 5
    assert {row["reason"] for row in report["never_requested"]} == {"the probe ended before it"}
    assert_money_adds_up(cli, service)


PRICES = {name: method.price for name, method in METHODS.items()}


@given(st.integers(0, 40_000), st.booleans(), st.sampled_from([(COMPANY,), (PERSON,), (COMPANY, PERSON)]))
def test_plan_is_within_its_budget_and_complete(budget, person_methods, inns):
    plan = plan_probe(inns, PRICES, budget, (), person_methods=person_methods)
    assert plan.cost <= budget
    assert len({(call.inn, call.method) for call in plan.all_calls}) == len(plan.all_calls)
    assert all(call.price > budget - plan.cost for call in plan.above_budget)
    fitting = {call.method for call in plan.all_calls if call.purpose is Purpose.METHOD}
    lengths = {len(inn) for inn in inns}
    assert fitting == {name for name, method in METHODS.items() if method.digits in lengths or method.digits == -1}


NAMES = st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя 0123456789", min_size=6, max_size=40).filter(str.strip)
JSON = st.recursive(
    NAMES | st.integers(100_000, 10**13) | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.sampled_from(["name", "data"]), inner, max_size=4)
    ),
    max_leaves=15,
)


def leaves(value) -> list[str]:
    match value:
        case dict():
            return [text for name, inner in value.items() for text in [name, *leaves(inner)]]
        case list():
            return [text for inner in value for text in leaves(inner)]
        case bool() | None:
            return []
        case _:
            return [str(value)]


@given(JSON)
def test_structure_has_no_values(body):
    text = json.dumps(list_structure([body]), ensure_ascii=False)
    assert [value for value in leaves(body) if value not in ("name", "data") and value in text] == []


@given(JSON)
def test_error_body_shows_only_messages(body):
    shown = mask_body(json.dumps({"reply": body}).encode(), ())
    assert [value for value in leaves(body) if value not in ("name", "data") and value in shown] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ИНН 7707083893 не найден", "ИНН <digits> не найден"),
        ('нет записи об ООО "Ромашка и Ко"', "нет записи об ООО <quoted>"),
        ("не найден Иванов Иван Иванович", "не найден <name>"),
        ("напишите на help@example.ru", "напишите на <address>"),
        ("key abc123def456ghi is wrong", "key <token> is wrong"),
        ("the key s3cret is wrong", "the key ****** is wrong"),
    ],
)
def test_texts_are_masked(text, shown):
    assert mask_text(text, ["s3cret"]) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("cases[0].kpp", "cases[].kpp"),
        ("$.records[3].sum", "$.records[].sum"),
        ("tax_payments_by_year.2024.НДС", "tax_payments_by_year.<4 digits>.<text>"),
    ],
)
def test_paths_hold_only_names_of_fields(path, shown):
    assert mask_path(path) == shown
