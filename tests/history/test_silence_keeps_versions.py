"""A response that says nothing about a block keeps what is known: no evidence, no version, no change; so does `rebuild`."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from innspect.extract.archive.archive import Archive
from innspect.flows.assess import assess_loaded_inns
from innspect.flows.load import load_responses
from innspect.flows.rebuild import rebuild_warehouse
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.declaration import Field, Inline, Leaves, List, Map
from innspect.schemas.settings import Settings
from innspect.schemas.states import EVIDENCE
from innspect.warehouse.database import Warehouse
from tests.support.builders import (
    BODIES,
    CONVENTIONS,
    FIRST,
    FULL_CHECK_KEYS,
    INN,
    OWN_METHOD,
    Response,
    full_check_body,
    response_frame,
)
from tests.support.cli import TIMED_TABLES

AROUND = {"price": 5, "balance": 100.5, "message": "later", "last_updated_at": 1793500000}
UNDECLARED = ("in_progress", "pending", "error", "success", "queued", "1")
FAILURES: tuple[dict[str, Any], ...] = (
    {"error": "boom"},
    {"unavailable": True},
    {"available": False},
    {"filter_bypassed": True},
    {"sources_failed": ["main"]},
)
"""Marks by which any block may say that a source failed, documented for it or not."""
OWN_FAILURES: Mapping[str, tuple[dict[str, Any], ...]] = {
    "arbitration": (
        {"raw": {"all_sources_dead": True}},
        {"raw": {"source_proxy_dead": True, "fallback_no_money": True}},
        {"raw": {"enrichment_pending": True}},
        {"total_cases": 3},
    ),
    "fssp": ({"total_proceedings": 3}, {"active_debt_rub": 10.5}),
    "general_courts": (
        {"courts_searched": 0},
        {"courts_in_region": 0},
        {"courts_searched": 1, "courts_in_region": 30},
        {"errors": 2},
        {"from_store_only": True},
        {"total_cases": 3},
    ),
    "freezes": ({"count": 2},),
    "financial": ({"has_data": False},),
    "contracts": (
        {"raw": {"all_sources_dead": True}},
        {"raw": {"ext_sources_timeout": True}},
        {"raw": {"ext_sources_timeout": ["plan_44"]}},
        {"total_contracts": 5000},
        {"total_amount": 7.5},
    ),
    "bankruptcy": ({"total_cases": 1}, {"status": "in_progress"}),
    **dict.fromkeys(
        ("tax_debts", "tax_offences", "employees", "revexp", "msp"),
        ({"status": "downloading"}, {"status": "failed"}, {"status": ""}, {"status": "ready"}),
    ),
    "sanctions": (),
    "inspections": ({"total": 9},),
    "rnp": ({"total": 30},),
    "pledges": (
        {"raw": {"answered": False, "sources": ["notary", "fedresurs"]}},
        {"raw": {"answered": True, "sources": ["notary"]}},
        {"raw": {}},
        {"total_pledges": 2},
    ),
    "licenses": ({"sources_checked": []}, {"sources_checked": ["ROSZ"]}, {"total": 2}),
    "minjust_check": ({"sources_checked": []},),
    "risk_flags": ({"mass_check_unavailable": True, "mass_source": ""},),
}
"""Marks of one block with which its empty form is no absence."""
DOCUMENTED_EMPTY: Mapping[str, Callable[[Any], bool]] = {
    "timeline": lambda payload: payload == [],
    "trademarks": lambda payload: payload == {},
    # No field of it is documented: any leaf is a field.
    "contacts": lambda payload: isinstance(payload, dict) and bool(payload.keys() - {"inn", *_failure_names()}),
}
"""Payloads without content that the documents make a confirmed absence; besides, what a full check names."""
PERSON_METHODS = {method.block: name for name, method in METHODS.items() if name.startswith("person-")}


def _failure_names() -> set[str]:
    return {name for failure in FAILURES for name in failure}


def body(block: str, sort: str) -> Any:
    return json.loads((BODIES / f"{block}.{sort}.json").read_bytes())


def zeros(value: Any) -> Any:
    """The value with lists and objects emptied, and every number, flag and text set to that of an empty response."""
    match value:
        case bool():
            return False
        case int() | float():
            return 0
        case str():
            return ""
        case list():
            return []
        case _:
            return {}


def marks_of(block: str, payload: Any) -> dict[str, Any]:
    """The fields of the payload that describe the response and not the company."""
    parts = BLOCKS[block].row_parts
    return {
        name: value
        for name, value in (payload.items() if isinstance(payload, dict) else ())
        if name in parts
        and not (isinstance(parts[name], Field) and parts[name].content)
        and not isinstance(parts[name], List | Map | Leaves)
        and not (isinstance(parts[name], Inline) and parts[name].record)
    }


def silences(chance: random.Random, block: str) -> Iterator[Any]:
    """Payloads without content: nothing, marks alone, errors, and empty payloads with marks of a failure."""
    good, empty = body(block, "full"), body(block, "empty")
    yield from (None, {}, [], "")
    if not isinstance(empty, dict):
        return
    yield {"error": chance.choice(("boom", ""))}
    yield {"inn": INN}
    yield {"status": chance.choice(UNDECLARED)}
    yield marks_of(block, good)
    yield marks_of(block, empty)
    failures = [*OWN_FAILURES.get(block, ()), *FAILURES]
    for base in (empty, {name: zeros(value) for name, value in good.items()}):
        yield base | chance.choice(failures)
        some = chance.sample(failures, 2)
        yield base | some[0] | some[1]
    for failure in failures:
        yield empty | failure
    if block == "company":
        yield empty


def placed(chance: random.Random, block: str, payload: Any, inn: str, *, is_person: bool) -> Iterator[Response]:
    """Responses with the payload in each place where the block may be, with an envelope or without."""
    word = chance.choice(("ok", "", None, "unavailable", *UNDECLARED))
    around = {**AROUND, "status": word}
    method = PERSON_METHODS[block] if is_person else OWN_METHOD.get(block)
    if method:
        yield Response(method, {**around, "data": payload}, inn)
        yield Response(method, payload, inn)
        if isinstance(payload, dict):
            yield Response(method, {**around, **payload}, inn)
    if block in FULL_CHECK_KEYS and not is_person:
        whole = full_check_body({FULL_CHECK_KEYS[block]: payload}, inn=inn)
        yield Response(FULL_CHECK, {**whole, **around} if chance.random() < 0.5 else {**around, "data": whole}, inn)
        yield Response(FULL_CHECK, full_check_body({}, inn=inn), inn)


def empties(chance: random.Random, block: str, inn: str, *, is_person: bool) -> Iterator[Response]:
    """Confirmed absences inside an envelope that takes the confirmation back."""
    empty = body(block, "empty")
    around = {**AROUND, "status": chance.choice(UNDECLARED)}
    method = PERSON_METHODS[block] if is_person else OWN_METHOD.get(block)
    failure = chance.choice(FAILURES)
    if method:
        yield Response(method, {**around, "data": empty}, inn)
        yield Response(method, {**around, "status": "ok", **failure, "data": empty}, inn)
        yield Response(method, {**around, "status": "unavailable", "data": empty}, inn)
    if block in FULL_CHECK_KEYS and not is_person:
        whole = full_check_body({FULL_CHECK_KEYS[block]: empty}, inn=inn)
        yield Response(FULL_CHECK, {**around, "data": whole}, inn)
        yield Response(FULL_CHECK, {**around, "status": "ok", **failure, "data": whole}, inn)


def with_inn(value: Any, inn: str) -> Any:
    """The value about another INN."""
    return json.loads(json.dumps(value, ensure_ascii=False).replace(INN, inn))


def cases(chance: random.Random) -> Iterator[tuple[str, Response, Response]]:
    """A block, its first good response, and a later one that says nothing; each about an INN of its own."""
    numbers = count(1)
    for block in BLOCKS:
        for is_person in (False, True) if block in PERSON_METHODS else (False,):
            for payload in silences(chance, block):
                if block in DOCUMENTED_EMPTY and DOCUMENTED_EMPTY[block](payload):
                    continue
                inn = f"77{next(numbers):010}" if is_person else f"77{next(numbers):08}"
                later = chance.choice(list(placed(chance, block, with_inn(payload, inn), inn, is_person=is_person)))
                yield block, good(block, inn, is_person=is_person), later
            inn = f"77{next(numbers):010}" if is_person else f"77{next(numbers):08}"
            for later in empties(chance, block, inn, is_person=is_person):
                other = inn[:2] + f"{next(numbers):0{len(inn) - 2}}"
                moved = Response(
                    later.method, with_inn(json.loads(json.dumps(later.body).replace(inn, INN)), other), other
                )
                yield block, good(block, other, is_person=is_person), moved


def good(block: str, inn: str, *, is_person: bool) -> Response:
    """A response with content."""
    payload = with_inn(deepcopy(body(block, "full")), inn)
    if is_person:
        return Response(PERSON_METHODS[block], payload, inn)
    if block in OWN_METHOD:
        return Response(OWN_METHOD[block], payload, inn)
    return Response(FULL_CHECK, full_check_body({FULL_CHECK_KEYS[block]: payload}, inn=inn), inn)


def seal(archive: Archive, name: str, responses: list[Response], hour: int) -> pl.DataFrame:
    """The responses of one load, sealed, with the file that holds them."""
    at = FIRST + timedelta(hours=hour)
    named = [
        Response(each.method, each.body, each.inn, asked_at=at, name=f"{name}-{number}")
        for number, each in enumerate(responses)
    ]
    frame = response_frame(named).drop("archive_file").with_columns(pl.lit(name).alias("run_id"))
    file = archive.seal("answers", name, frame)
    assert file is not None
    return archive.read_retained_rows(file).with_columns(pl.lit(file).alias("archive_file"))


def tables(warehouse: Warehouse, schema: str) -> dict[str, pl.DataFrame]:
    """Every table of a schema, in the order of its content.

    Without the first use of a policy, which a run dates, and without `TIMED_TABLES`.
    """
    found = warehouse.query(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = $schema "
        f"AND table_name NOT IN {TIMED_TABLES} ORDER BY 1",
        {"schema": schema},
    )
    columns = "COLUMNS(c -> c <> 'first_used_at')"
    return {
        name: warehouse.query(f'SELECT {columns} FROM {schema}."{name}" ORDER BY ALL') for name in found["table_name"]
    }


SNAPSHOTS = "SELECT inn, block, method, state, reason, version_id FROM lineage.snapshots WHERE run_id = 'silent'"
CURRENT = "SELECT inn, block, version_id FROM lineage.snapshots WHERE version_id IS NOT NULL AND run_id = 'good'"


@pytest.mark.long
@given(seed=st.integers(0, 2**32))
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # An example is a load of hundreds of responses; the message names the one that fails.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_response_without_content_keeps_what_is_known(
    seed: int, tmp_path_factory: pytest.TempPathFactory, create_empty_warehouse: Callable[[Path], Path]
) -> None:
    folder = tmp_path_factory.mktemp("silence")
    archive, made = Archive(folder / "archive"), list(cases(random.Random(seed)))
    loads = [
        seal(archive, "good", [case[1] for case in made], 0),
        seal(archive, "silent", [case[2] for case in made], 1),
    ]
    with Warehouse(create_empty_warehouse(folder / "one.duckdb")) as warehouse:
        load_responses(warehouse, loads[0], CONVENTIONS)
        known, versions = tables(warehouse, "core"), warehouse.query("SELECT count(*) FROM lineage.versions").item()
        known_version = {(inn, block): version for inn, block, version in warehouse.query(CURRENT).iter_rows()}
        load_responses(warehouse, loads[1], CONVENTIONS)
        by_inn = {case[2].inn: case for case in made}
        for inn, block, _, state, reason, version in warehouse.query(SNAPSHOTS).iter_rows():
            wanted, _, later = by_inn[inn]
            assert block != wanted or state not in EVIDENCE or state == "partial", (block, state, later)
            assert version in (None, known_version.get((inn, block))), (block, state, reason, later)
        assert warehouse.query("SELECT * FROM lineage.changes").rows() == []
        assert warehouse.query("SELECT count(*) FROM lineage.versions").item() == versions
        again = tables(warehouse, "core")
        assert [name for name in known if not known[name].equals(again[name])] == []
        assess_loaded_inns(warehouse)
        lineage = tables(warehouse, "lineage")
    with_stores = Settings(stores={"warehouse": str(folder / "other.duckdb"), "archive": str(archive.where)})  # pyright: ignore[reportArgumentType]
    rebuild_warehouse(with_stores, archive)
    with Warehouse(folder / "other.duckdb") as rebuilt:
        for schema, expected in (("core", again), ("lineage", lineage)):
            found = tables(rebuilt, schema)
            assert [name for name in expected if not expected[name].equals(found[name])] == []
