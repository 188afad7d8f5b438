"""Each deviation of a fault plan changes exactly what it names, in both envelopes."""

from pathlib import Path

import pytest

from innspect.sandbox.deviations import AS_DOCUMENTED, Deviations, ErrorBodies
from innspect.sandbox.faults import Entry, Fault, FaultPlan, load_plan
from innspect.sandbox.world.inn_samples import sample_inns

COMPANY = next(inn for inn in sample_inns(20, 11) if len(inn) == 10)
PERSON = sample_inns(1, 11, persons=1.0)[0]
BAD = COMPANY[:-1] + str((int(COMPANY[-1]) + 1) % 10)
CARD = f"/api/v1/company/{COMPANY}/brief"


def deviating(*script: Entry, **deviations) -> FaultPlan:
    return FaultPlan(script=script, deviations=Deviations(**deviations))


async def bill(service) -> float:
    return (await service.get("/sandbox/bill")).json()["total"]


@pytest.mark.parametrize("envelope", ["root", "data"])
async def test_envelope_has_another_word_and_further_fields(client, envelope):
    faults = deviating(status_word="success", envelope_fields=("request_id",))
    async with client(envelope=envelope, faults=faults) as service:
        card = (await service.get(f"/api/v1/company/{COMPANY}/freezes")).json()
        assert (card["status"], "request_id" in card) == ("success", True)
        own = (await service.get(CARD)).json()
        assert (own["status"] == "success") == (envelope == "data")


async def test_payload_lacks_fields_and_writes_other_dates(client):
    async with client() as documented, client(faults=deviating(omit=("kpp",), dates="/")) as service:
        path = f"/api/v1/company/{COMPANY}"
        sound, card = (await documented.get(path)).json(), (await service.get(path)).json()
        assert "kpp" in sound["company"]
        assert "kpp" not in card["company"]
        dates = [case["date"] for case in sound["arbitration"].get("cases", []) if case["date"]]
        assert [case["date"] for case in card["arbitration"].get("cases", []) if case["date"]] == [
            date.replace(".", "/") for date in dates
        ]


async def test_other_price_is_charged_and_named(client):
    async with client(faults=deviating(prices={"brief": 5.5})) as service:
        assert (await service.get(CARD)).json()["price"] == 5.5
        assert await bill(service) == 5.5


async def test_unavailable_response_is_charged(client):
    down = Entry(Fault.SOURCES_DOWN, method="pledges", nth=0, blocks=("pledges",))
    async with client(faults=deviating(down, charge_unavailable=True)) as service:
        answer = (await service.get(f"/api/v1/company/{COMPANY}/pledges")).json()
        assert (answer["status"], answer["price"], await bill(service)) == ("unavailable", 8, 8)


async def test_methods_accept_inns_of_both_lengths(client):
    async with client(faults=deviating(any_length=True)) as service:
        assert (await service.get(f"/api/v1/company/{PERSON}/brief")).status_code == 200
        assert (await service.get(f"/api/v1/person/{COMPANY}/brief")).status_code == 200
        assert (await service.get(f"/api/v1/company/{BAD}/brief")).status_code == 422


@pytest.mark.parametrize(
    ("errors", "status", "begins", "charged"),
    [
        (ErrorBodies.JSON, 400, b'{"status":"error"', 0),
        (ErrorBodies.HTML, 400, b"<html>", 0),
        (ErrorBodies.TEXT, 400, b"The INN", 0),
        (ErrorBodies.SUCCESS, 200, b'{"status":"error"', 4),
    ],
)
async def test_refused_inn_gets_another_form_of_error(client, errors, status, begins, charged):
    async with client(faults=deviating(errors=errors, error_status=400)) as service:
        answer = await service.get(f"/api/v1/company/{BAD}/brief")
        assert (answer.status_code, answer.content.startswith(begins)) == (status, True)
        assert await bill(service) == charged


def test_shipped_deviations_set_every_key():
    shipped = load_plan(Path("configs/faults/deviations.toml")).deviations
    same = [name for name in Deviations.__struct_fields__ if getattr(shipped, name) == getattr(AS_DOCUMENTED, name)]
    assert same == []
