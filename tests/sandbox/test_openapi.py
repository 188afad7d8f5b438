import re

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from innspect.sandbox.app import create_app
from innspect.sandbox.openapi import openapi_document
from innspect.sandbox.options import SandboxOptions
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from tests.sandbox.conftest import KEY
from tests.sandbox.samples import COMPANIES, PEOPLE, full_check_of, method_payload

for digits, inns in (
    (10, sample_inns(40, 21)),
    (12, sample_inns(40, 21, persons=1.0)),
    (-1, sample_inns(40, 21, persons=0.5)),
):
    schemathesis.openapi.format(f"inn{digits}", st.sampled_from(inns))

schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(SandboxOptions(balance=10**12)))
nested = schemathesis.openapi.from_asgi("/openapi.json", create_app(SandboxOptions(envelope="data", balance=10**12)))
BOUNDED = settings(
    max_examples=6, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@schema.parametrize()
@BOUNDED
def test_every_operation_matches_the_openapi_document(case):
    case.call_and_validate(headers=KEY)


@nested.include(path_regex="company").parametrize()
@BOUNDED
def test_every_operation_matches_the_openapi_document_with_nested_payloads(case):
    case.call_and_validate(headers=KEY)


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.digits])
def test_payloads_match_their_schema(method):
    described = openapi_document("data")["components"]["schemas"][method]["properties"]["data"]
    validator = jsonschema_rs.validator_for(described)
    inns = PEOPLE if METHODS[method].digits == 12 else COMPANIES
    for inn in inns[:120]:
        payload = full_check_of(inn) if method == FULL_CHECK else method_payload(method, inn)
        assert [str(error) for error in validator.iter_errors(payload)] == []


def parts(described: dict, path: str = ""):
    yield path, described
    for name, inner in described.get("properties", {}).items():
        yield from parts(inner, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(described.get(key), dict):
            yield from parts(described[key], f"{path}[]")
    for inner in described.get("anyOf", []):
        yield from parts(inner, path)


@pytest.mark.parametrize("method", METHODS)
def test_every_field_has_a_type_and_a_description(method):
    found = list(parts(openapi_document("root")["components"]["schemas"][method]))
    told = {path for path, described in found if described.get("description")}
    for path, described in found:
        assert "type" in described or "anyOf" in described, path
        if re.search(r"\.[^.\[\]]+$", path):
            assert path in told or path.count(".") == 1, path


def test_dates_have_a_format():
    schemas = openapi_document("root")["components"]["schemas"]
    card = schemas["brief"]["properties"]
    assert card["registration_date"]["format"] == "YYYY-MM-DD or DD.MM.YYYY"
    assert schemas["msp"]["properties"]["snapshot_date"]["format"] == "DDMMYYYY"
    assert schemas["tax-debts"]["properties"]["snapshot_date"]["format"] == "YYYYMMDD"
    assert card["authorized_capital"] == {
        "type": "number",
        "format": "rub",
        "description": "Authorized capital; not filled for a person.",
    }


def test_full_check_schema_has_every_block():
    properties = openapi_document("root")["components"]["schemas"][FULL_CHECK]["properties"]
    assert {block.full_check_key for block in BLOCKS.values() if block.full_check_key} <= set(properties)
    assert "okved_list" not in properties["risk_flags"]["properties"]
