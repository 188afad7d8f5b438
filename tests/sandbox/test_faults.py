import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.sandbox.corruption import UNKNOWN_FIELD, add_unknown_field, change_one_type, truncate
from innspect.sandbox.faults import ALWAYS_RESPONDING, Entry, Fault, FaultPlan, Faults, fault_plan, load_plan
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.sandbox.world.random_streams import Draw
from innspect.schemas.catalogue import METHODS
from innspect.schemas.errors import SettingsError

INN, OTHER = sample_inns(2, 11)
FULL = f"/api/v1/company/{INN}"


def plan(fault: Fault, nth: int = 1, **more) -> FaultPlan:
    return FaultPlan(script=(Entry(fault, inn=INN, method="full-check", nth=nth, **more),))


async def spent(service: httpx.AsyncClient) -> float:
    return (await service.get("/sandbox/bill")).json()["total"]


@pytest.mark.parametrize(
    ("fault", "status", "charged"),
    [(Fault.TOO_MANY, 429, 0), (Fault.HTTP_500, 500, 18), (Fault.HTTP_502, 502, 0), (Fault.HTTP_503, 503, 0)],
)
async def test_error_status_at_the_nth_call_only(client, fault, status, charged):
    async with client(faults=plan(fault, nth=2)) as service:
        statuses = []
        for _ in range(3):
            await service.get(f"/api/v1/company/{OTHER}")
            statuses.append((await service.get(FULL)).status_code)
        assert statuses == [200, status, 200]
        assert await spent(service) == 5 * 18 + charged


async def test_too_many_requests_has_retry_after(client):
    async with client(faults=FaultPlan(script=(Entry(Fault.TOO_MANY),), retry_after_seconds=7)) as service:
        answer = await service.get(FULL)
    assert answer.headers["Retry-After"] == "7"
    assert answer.json()["error"] == "too_many_requests"


async def test_charged_failures_are_configurable(client):
    chosen = FaultPlan(script=(Entry(Fault.HTTP_503, nth=0),), charged=(Fault.HTTP_503,))
    async with client(faults=chosen) as service:
        assert "price" not in (await service.get(FULL)).json()
        assert await spent(service) == 18


async def test_revoked_key_is_refused_until_reset(client):
    async with client(faults=FaultPlan(script=(Entry(Fault.KEY_REVOKED, nth=3),))) as service:
        statuses = [(await service.get(FULL)).status_code for _ in range(5)]
        assert statuses == [200, 200, 403, 403, 403]
        assert (await service.get("/api/v1/ping")).status_code == 403
        await service.post("/sandbox/reset")
        assert (await service.get(FULL)).status_code == 200


async def test_exhausted_credit_refuses_paid_methods(client):
    async with client(faults=FaultPlan(script=(Entry(Fault.NO_CREDIT, nth=2),))) as service:
        statuses = [(await service.get(FULL)).status_code for _ in range(3)]
        account = await service.get("/api/v1/account")
    assert statuses == [200, 402, 402]
    assert (account.status_code, account.json()["balance"]) == (200, 0)


async def test_truncated_json_is_a_complete_http_response(client):
    async with client(faults=plan(Fault.TRUNCATED)) as service:
        answer = await service.get(FULL)
        assert (answer.status_code, answer.headers["Content-Length"]) == (200, str(len(answer.content)))
        with pytest.raises(json.JSONDecodeError):
            answer.json()
        whole = (await service.get(FULL)).content
        assert await spent(service) == 36
    assert whole.startswith(answer.content)


def shape(value) -> dict:
    """JSON types by place."""
    found = {}

    def walk(one, path: str) -> None:
        found[path] = type(one)
        inner = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for name, within in inner:
            walk(within, f"{path}/{name}")

    walk(value, "")
    return found


@pytest.mark.parametrize("envelope", ["root", "data"])
async def test_corruption_changes_the_type_of_one_value(client, envelope):
    async with client(faults=plan(Fault.WRONG_TYPE), envelope=envelope) as service:
        wrong, right = [shape((await service.get(FULL)).json()) for _ in range(2)]
        assert await spent(service) == 36
    differing = [path for path in right if path in wrong and wrong[path] is not right[path]]
    assert len(differing) == 1


async def test_corruption_adds_one_unknown_field(client):
    async with client(faults=plan(Fault.UNKNOWN_FIELD)) as service:
        extra, right = [shape((await service.get(FULL)).json()) for _ in range(2)]
    roots = [path for path in extra.keys() - right.keys() if path.endswith(UNKNOWN_FIELD)]
    assert len(roots) == 1
    assert right.keys() <= extra.keys()


async def test_response_about_another_inn(client):
    async with client(faults=plan(Fault.OTHER_INN)) as service:
        bodies = [(await service.get(FULL)).json() for _ in range(2)]
        assert await spent(service) == 36
    assert bodies[0]["_meta"]["inn"] != INN
    assert bodies[0]["company"]["inn"] == bodies[0]["_meta"]["inn"]
    assert bodies[1]["_meta"]["inn"] == INN


@pytest.mark.parametrize("fault", [Fault.NEVER_SENT, Fault.CUT])
async def test_closed_connection_without_a_socket_is_an_error_and_charged(client, fault):
    async with client(faults=plan(fault)) as service:
        with pytest.raises(ConnectionResetError):
            await service.get(FULL)
        assert await spent(service) == 18
        assert (await service.get(FULL)).status_code == 200


@pytest.mark.parametrize("envelope", ["root", "data"])
async def test_unavailable_of_the_payload_only_is_free(client, envelope):
    chosen = FaultPlan(script=(Entry(Fault.PAYLOAD_UNAVAILABLE, nth=0),))
    free = [method for method in METHODS.values() if method.free_if_unavailable]
    async with client(faults=chosen, envelope=envelope) as service:
        for method in free:
            body = (await service.get(method.path.format(inn=INN))).json()
            payload = body["data"] if envelope == "data" else body
            assert payload["unavailable"] is True
            assert {"price", "status", "message"}.isdisjoint(body)
        assert await spent(service) == 0
        assert (await service.get(FULL)).json()["status"] == "ok"
        assert await spent(service) == 18
    assert len(free) == 4


async def test_slow_response_is_delayed(client):
    waited = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    slow = FaultPlan(script=(Entry(Fault.SLOW),), slow_seconds=33)
    async with client(faults=slow, sleep=sleep) as service:
        assert (await service.get(FULL)).status_code == 200
        assert (await service.get(FULL)).status_code == 200
    assert waited == [33]


# What says, in each block whose source can be down, that it did not answer.
SILENT = {
    "arbitration": lambda b: b["unavailable"] or b["sources_failed"],
    "fssp": lambda b: b["sources_failed"],
    "general_courts": lambda b: b["unavailable"] or b["from_store_only"],
    "contracts": lambda b: b["unavailable"] or b["sources_failed"],
    "pledges": lambda b: not b["raw"]["answered"],
    "freezes": lambda b: not b["available"],
    "rnp": lambda b: b["filter_bypassed"] or b["error"],
    "risk_flags": lambda b: b["mass_check_unavailable"],
    "sanctions": lambda b: b["sources_failed"] or b["error"],
    "licenses": lambda b: b["sources_failed"],
    "tax_debts": lambda b: b["status"] in ("downloading", "failed"),
    "tax_offences": lambda b: b["status"] in ("downloading", "failed"),
    "employees": lambda b: b["status"] in ("downloading", "failed") and b["record"] is None,
    "revexp": lambda b: b["status"] in ("downloading", "failed") and b["record"] is None,
    "msp": lambda b: b["error"] and b["record"] is None,
    "company": lambda b: b["error"],
    "bankruptcy": lambda b: b["error"],
    "inspections": lambda b: b["error"],
    "financial": lambda b: not b["has_data"],
    "trademarks": lambda b: b["error"],
}


@pytest.mark.parametrize("block", SILENT)
async def test_sources_can_be_down_by_block(client, block):
    method = next(m for m in METHODS.values() if m.block == block and m.digits in (10, -1))
    down = FaultPlan(sources_down={block: 1.0})
    async with client(faults=down) as service, client() as sound:
        for inn in sample_inns(12, 13):
            path = method.path.format(inn=inn)
            assert SILENT[block]((await service.get(path)).json())
        answers = [(await sound.get(method.path.format(inn=inn))).json() for inn in sample_inns(12, 13)]
    # Statements may be missing without any silence; everything else answers for most.
    assert sum(bool(SILENT[block]({"from_store_only": False, **one})) for one in answers) < 6


@pytest.mark.parametrize(
    ("block", "is_silent"),
    [("minjust_check", lambda b: not b["sources_checked"] and not b["hits"]), ("leasing", lambda b: b["error"])],
)
async def test_sources_of_blocks_that_only_the_full_check_has_can_be_down(client, block, is_silent):
    async with client(faults=FaultPlan(sources_down={block: 1.0})) as service:
        bodies = [(await service.get(f"/api/v1/company/{inn}")).json() for inn in sample_inns(12, 13)]
    assert all(is_silent(body[block]) for body in bodies if block in body)
    assert any(block in body for body in bodies)


def test_blocks_that_cannot_express_silence_have_no_rule_of_coverage():
    assert {"timeline", "contacts", "founded_companies"} == ALWAYS_RESPONDING


async def test_share_of_inns_with_an_unavailable_source(client):
    async with client(faults=FaultPlan(sources_down={"freezes": 0.3}, seed=4)) as service:
        down = [
            not (await service.get(f"/api/v1/company/{inn}/freezes")).json()["available"]
            for inn in sample_inns(300, 14)
        ]
    assert 50 < sum(down) < 140


def test_fault_rates_are_met():
    faults = Faults(FaultPlan(rates={Fault.SLOW: 0.2, Fault.CUT: 0.1}))
    met = [faults.next_fault(inn, "brief").fault for inn in sample_inns(400, 15) for _ in range(5)]
    assert 0.15 < met.count(Fault.SLOW) / len(met) < 0.25
    assert 0.06 < met.count(Fault.CUT) / len(met) < 0.14
    assert met.count(None) > 1200


@given(st.permutations(sample_inns(6, 16)))
def test_faults_do_not_depend_on_the_order_of_calls(inns):
    rates = {fault: 0.06 for fault in Fault if fault is not Fault.SOURCES_DOWN}

    def fates(order: list[str]) -> dict:
        faults = Faults(FaultPlan(rates=rates, seed=2))
        return {inn: [faults.next_fault(inn, method) for method in ("brief", "fssp", "brief")] for inn in order}

    assert fates(inns) == fates(sorted(inns))


def test_reset_restarts_the_fault_plan():
    faults = Faults(FaultPlan(script=(Entry(Fault.CUT, nth=2),)))
    first = [faults.next_fault(INN, "brief").fault for _ in range(3)]
    faults.reset()
    assert first == [None, Fault.CUT, None] == [faults.next_fault(INN, "brief").fault for _ in range(3)]


BODIES = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-99, 99), st.text(max_size=5)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=5,
)


@given(BODIES.filter(lambda body: set(body) != {"inn"}), st.integers(0, 99))
def test_each_corruption_has_its_effect(body, number):
    sound = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    with pytest.raises(json.JSONDecodeError):
        json.loads(truncate(sound).decode(errors="replace"))
    assert UNKNOWN_FIELD in add_unknown_field(sound, Draw(number)).decode()
    assert shape(json.loads(change_one_type(sound, Draw(number)))) != shape(body)


def test_shipped_fault_plan_is_valid():
    rough = load_plan(Path("configs/faults/rough.toml"))
    assert set(rough.rates) == set(Fault) - {Fault.SOURCES_DOWN, Fault.NO_CREDIT, Fault.KEY_REVOKED}
    assert 0 < sum(rough.rates.values()) < 0.3


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"rates": {"slow": 1.5}}, "slow"),
        ({"rates": {"slow": 0.7, "cut": 0.7}}, "rates"),
        ({"rates": {"slowly": 0.1}}, "slowly"),
        ({"rats": {}}, "rats"),
        ({"sources_down": {"frezes": 0.1}}, "frezes"),
        ({"sources_down": {"timeline": 0.1}}, "timeline"),
        ({"script": [{"fault": "cut", "method": "full_check"}]}, "full_check"),
        ({"script": [{"fault": "sources_down"}]}, "blocks"),
        ({"script": [{"fault": "cut", "nht": 1}]}, "nht"),
        ({"script": [{"fault": "payload_unavailable", "method": "freezes"}]}, "freezes"),
        ({"deviations": {"prices": {"breif": 5}}}, "breif"),
        ({"deviations": {"errors": "xml"}}, "xml"),
    ],
)
def test_invalid_fault_plan_is_rejected(table, named):
    with pytest.raises(SettingsError, match=named):
        fault_plan(table, "plan.toml")
