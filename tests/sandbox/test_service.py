from datetime import UTC, datetime, timedelta

import pytest

from innspect.sandbox.faults import Entry, Fault, FaultPlan
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import CONFIRMABLE_METHODS, FULL_CHECK, METHODS
from innspect.schemas.decoders import ENVELOPE

COMPANY, PERSON = "7707083893", sample_inns(1, 3, persons=1.0)[0]
FREE_IF_UNAVAILABLE = ("arbitration", "general-courts", "contracts", "pledges")


def path(method, inn: str = "") -> str:
    return method.path.format(inn=inn or (PERSON if method.digits == 12 else COMPANY))


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
async def test_every_method_responds_at_its_price(client, method):
    async with client() as service:
        answer = await service.get(path(method))
        bill = (await service.get("/sandbox/bill")).json()
    assert answer.status_code == 200
    body = answer.json()
    if method.name == "timeline":
        assert isinstance(body, list)
    else:
        assert set(ENVELOPE) <= set(body)
        assert body["price"] * 100 == method.price
        assert round(body["balance"] * 100) == 100_000_000 - method.price
    assert [round(call["price"] * 100) for call in bill["calls"]] == ([method.price] if method.price else [])


async def test_there_are_29_methods(client):
    async with client() as service:
        described = (await service.get("/openapi.json")).json()
    assert sum(name.startswith("/api/v1") for name in described["paths"]) == len(METHODS) == 29


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
async def test_payload_can_be_nested_under_data(client, method):
    async with client() as at_root, client(envelope="data") as under:
        flat = (await at_root.get(path(method))).json()
        nested = (await under.get(path(method))).json()
    assert set(nested) == {*ENVELOPE, "data"}
    if method.name in ("ping", "account"):
        assert set(nested["data"]) <= set(flat)
    elif isinstance(flat, list):
        assert nested["data"] == flat
    else:
        assert nested["data"] == {name: flat[name] for name in nested["data"]}
        assert set(flat) == set(nested["data"]) | set(ENVELOPE)


async def test_status_of_the_payload_is_kept(client):
    async with client() as service:
        card = (await service.get(f"/api/v1/company/{COMPANY}/brief")).json()
        index = (await service.get(f"/api/v1/company/{COMPANY}/tax-debts")).json()
    assert card["status"] == "active"
    assert index["status"] in ("idle", "loaded")


async def test_start_of_collection_is_the_same_in_body_and_meta(client):
    async with client() as service:
        body = (await service.get(f"/api/v1/company/{COMPANY}")).json()
    assert body["_meta"]["fetched_at"] == body["last_updated_at"]
    assert datetime.fromtimestamp(body["last_updated_at"], UTC).date().isoformat() == "2026-11-01"


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        ({"X-Api-Key": ""}, 401, "invalid_key"),
        ({"X-Api-Key": "guess"}, 401, "invalid_key"),
        ({"X-Api-Key": "blocked"}, 403, "key_blocked"),
    ],
)
@pytest.mark.parametrize("method", ["ping", FULL_CHECK])
async def test_invalid_key_is_refused_and_not_charged(client, method, headers, status, error):
    async with client() as service:
        answer = await service.get(path(METHODS[method]), headers=headers)
        bill = (await service.get("/sandbox/bill")).json()
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert bill["count"] == 0


@pytest.mark.parametrize("inn", ["7707083894", "770708389", "77070838931", "abcdefghij", "٧٧٠٧٠٨٣٨٩٣", " 707083893"])
async def test_invalid_inn_is_refused_and_not_charged(client, inn):
    async with client() as service:
        for method in METHODS.values():
            if method.digits:
                answer = await service.get(path(method, inn))
                assert (answer.status_code, answer.json()["error"]) == (422, "invalid_inn")
        assert (await service.get("/sandbox/bill")).json()["count"] == 0


async def test_each_method_accepts_only_inns_of_its_length(client):
    async with client() as service:
        for method in METHODS.values():
            if method.digits:
                company = (await service.get(path(method, COMPANY))).status_code
                person = (await service.get(path(method, PERSON))).status_code
                expected = {10: (200, 422), 12: (422, 200), -1: (200, 200)}[method.digits]
                assert (company, person) == expected, method.name


async def test_confirmed_methods_accept_persons_too(client):
    chosen = CONFIRMABLE_METHODS
    async with client(person_methods=chosen) as service:
        for name in chosen:
            answer = await service.get(path(METHODS[name], PERSON))
            assert (answer.status_code, (await service.get(path(METHODS[name], COMPANY))).status_code) == (200, 200)
            assert f'"inn":"{COMPANY}"' not in answer.text
        assert (await service.get(path(METHODS[FULL_CHECK], PERSON))).status_code == 422
        assert (await service.get(path(METHODS["fssp"], PERSON))).status_code == 422
        described = (await service.get("/openapi.json")).json()["paths"]
    assert described[METHODS["rnp"].path]["get"]["parameters"][0]["schema"]["format"] == "inn-1"


async def test_only_get_is_allowed(client):
    async with client() as service:
        for verb in ("HEAD", "POST", "PUT", "DELETE"):
            assert (await service.request(verb, f"/api/v1/company/{COMPANY}")).status_code == 405
        assert (await service.get("/sandbox/reset")).status_code == 405
        assert (await service.get("/sandbox/bill")).json()["count"] == 0


@pytest.mark.parametrize("address", [f"/api/v1/company/{COMPANY}/nothing", f"/api/v1/company/{COMPANY}/", "/other"])
async def test_unknown_path_is_an_error_with_the_usual_body(client, address):
    async with client() as service:
        answer = await service.get(address)
        bill = (await service.get("/sandbox/bill")).json()
    assert answer.status_code == 404
    assert (answer.json()["status"], answer.json()["error"]) == ("error", "no_such_method")
    assert bill["count"] == 0


async def test_insufficient_balance_is_refused(client):
    async with client(balance=2200) as service:
        full = f"/api/v1/company/{COMPANY}"
        statuses = [(await service.get(one)).status_code for one in (full, full, f"{full}/brief", f"{full}/brief")]
        account = await service.get("/api/v1/account")
    assert statuses == [200, 402, 200, 402]
    assert account.json()["balance"] == 0


async def test_bill_equals_the_decrease_of_the_balance(client):
    async with client(balance=1_000_050, keys=("one", "two")) as service:
        last = {}
        for number, inn in enumerate(sample_inns(40, 5)):
            key = ("one", "two")[number % 2]
            method = ("brief", "arbitration", "full-check", "pledges")[number % 4]
            answer = await service.get(path(METHODS[method], inn), headers={"X-Api-Key": key})
            last[key] = answer.json()["balance"]
        bill = (await service.get("/sandbox/bill")).json()
        account = (await service.get("/api/v1/account", headers={"X-Api-Key": "two"})).json()
    spent = {key: sum(call["price"] for call in bill["calls"] if call["key"] == key) for key in last}
    assert bill["total"] == sum(spent.values())
    assert {key: 10_000.50 - spent[key] for key in last} == last
    assert account["balance"] == last["two"] == bill["balances"]["two"]
    assert account["spend_30_days"] == spent["two"]


async def test_account_sums_thirty_days(client):
    now = [datetime(2026, 11, 1, tzinfo=UTC)]
    async with client(clock=lambda: now[0]) as service:
        await service.get(f"/api/v1/company/{COMPANY}/brief")
        now[0] += timedelta(days=29)
        await service.get(f"/api/v1/company/{COMPANY}/fssp")
        within = (await service.get("/api/v1/account")).json()["spend_30_days"]
        now[0] += timedelta(days=2)
        after = (await service.get("/api/v1/account")).json()["spend_30_days"]
        times = [call["time"] for call in (await service.get("/sandbox/bill")).json()["calls"]]
    assert (within, after) == (14, 10)
    assert times == ["2026-11-01T00:00:00+00:00", "2026-11-30T00:00:00+00:00"]


@pytest.mark.parametrize("envelope", ["root", "data"])
async def test_account_reports_the_access_status(client, envelope):
    for options, status in (({}, "active"), ({"access_status": "blocked_soon"}, "blocked_soon")):
        async with client(envelope=envelope, **options) as service:
            account = (await service.get("/api/v1/account")).json()
        assert (account["data"] if envelope == "data" else account)["status"] == status
        assert envelope == "root" or account["status"] == "ok"


@pytest.mark.parametrize("envelope", ["root", "data"])
@pytest.mark.parametrize("method", FREE_IF_UNAVAILABLE)
async def test_unavailable_response_of_the_four_methods_is_free(client, method, envelope):
    block = METHODS[method].block
    down = FaultPlan(sources_down={block: 1.0})
    unavailable = 0
    async with client(faults=down, envelope=envelope) as service:
        for inn in sample_inns(30, 7):
            body = (await service.get(path(METHODS[method], inn))).json()
            payload = body["data"] if envelope == "data" else body
            if payload["unavailable"]:
                unavailable += 1
                assert (body["status"], body["price"]) == ("unavailable", 0)
                assert body["message"]
            else:
                assert (body["status"], body["price"] * 100) == ("ok", METHODS[method].price)
        bill = (await service.get("/sandbox/bill")).json()
    assert unavailable > 0
    assert bill["count"] == 30 - unavailable


async def test_full_check_with_unavailable_blocks_is_charged(client):
    plan = FaultPlan(script=(Entry(Fault.SOURCES_DOWN, nth=0, blocks=("pledges", "contracts", "general_courts")),))
    async with client(faults=plan) as service:
        bodies = [(await service.get(path(METHODS[FULL_CHECK], inn))).json() for inn in sample_inns(20, 8)]
    assert any(body["pledges"]["unavailable"] for body in bodies)
    assert {(body["price"], body["status"]) for body in bodies} == {(18, "ok")}


async def test_reset_restores_the_balance_and_empties_the_bill(client):
    async with client() as service:
        await service.get(f"/api/v1/company/{COMPANY}")
        assert (await service.get("/sandbox/bill")).json()["total"] == 18
        reset = await service.post("/sandbox/reset")
        account = (await service.get("/api/v1/account")).json()
        assert (await service.get("/sandbox/bill")).json() == reset.json()
    assert (account["balance"], account["spend_30_days"]) == (1_000_000, 0)
