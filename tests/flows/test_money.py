"""Money, through the front door: the bill, the ledger and the lineage agree to the kopeck."""

import hashlib
import sqlite3
from decimal import Decimal

import duckdb
import pytest

from tests.flows.conftest import COMPANIES, House, money_holds, rub

SILENT = """
[[script]]
fault = "sources_down"
method = "full-check"
nth = 0
blocks = ["freezes", "rnp"]
"""
LOST = '[[script]]\nfault = "{fault}"\nmethod = "full-check"\nnth = 1\n'
TO_BYTES = """
SELECT r.body, r.sha256, c.charged_rub, s.asked_at, s.run_id, n.portfolio, s.method, r.response_id
FROM core.{table} t
JOIN lineage.snapshots s USING (version_id)
JOIN lineage.calls c ON c.call_id = (SELECT call_id FROM raw.responses x WHERE x.response_id = s.response_id)
JOIN raw.responses r ON r.response_id = s.response_id
JOIN lineage.runs n ON n.run_id = s.run_id
"""


def test_bill_ledger_and_lineage_agree_to_the_kopeck(house, service, portfolio):
    done = house.run(portfolio, "--budget", "1000.00")
    assert done.code == 0
    billed = service.billed()
    assert money_holds(house, service, 1000) == (billed, 0)
    assert rub(done.json["charged_rub"]) == billed
    assert rub(done.json["budget_left_rub"]) == 1000 - billed
    assert house.sql("SELECT charged_rub, unknown_rub, budget_rub, exit_code FROM lineage.runs") == [
        (billed, Decimal(0), Decimal(1000), 0)
    ]
    of_service = sorted((one["inn"], one["method"], rub(one["price"])) for one in service.charges())
    of_lineage = house.sql("SELECT inn, method, charged_rub FROM lineage.calls WHERE charged_rub > 0 ORDER BY ALL")
    assert of_lineage == of_service
    assert house.sql("SELECT inn, method, charged_rub FROM lineage.responses WHERE charged_rub > 0 ORDER BY ALL") == (
        of_service
    )
    with sqlite3.connect(house.home / "ledger.sqlite") as ledger:
        kept = ledger.execute("SELECT inn, method, charged FROM calls WHERE charged > 0 ORDER BY 1, 2, 3").fetchall()
    assert [(inn, method, Decimal(charged) / 100) for inn, method, charged in kept] == of_service
    assert rub(house.status()["balance_rub"]) == 1_000_000 - billed


def test_from_any_row_one_query_leads_to_the_bytes(house, service, portfolio):
    assert house.run(portfolio, "--no-repair").code == 0
    with duckdb.connect(str(house.warehouse), read_only=True) as connection:

        def one(query: str) -> int:
            return connection.execute(query).fetchall()[0][0]

        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'core'").fetchall()
        filled = [name for (name,) in tables if one(f'SELECT count(*) FROM core."{name}"')]
        assert len(filled) > 40
        for table in filled:
            to_bytes = TO_BYTES.format(table=f'"{table}"').rstrip().rstrip(";")
            assert one(f"SELECT count(*) FROM ({to_bytes})") == one(f'SELECT count(*) FROM core."{table}"'), table
            for body, sha256, price, _, run, name, method, _ in connection.sql(to_bytes).fetchmany(3):
                assert hashlib.sha256(body).hexdigest() == sha256
                assert price == {"full-check": 18, "contacts": 6}.get(method, price)
                assert price is not None
                assert run.endswith("-dozen")
                assert name == "dozen"


@pytest.mark.parametrize("fault", ["cut", pytest.param("http_500", marks=pytest.mark.long)])
def test_what_may_have_been_charged_counts_against_the_cap(faulty, settling, few, fault):
    service = faulty(LOST.format(fault=fault))
    house = settling(service.url)
    done = house.run(few, "--budget", "130")
    assert done.code == 6, done
    settled, unknown = money_holds(house, service, 130)
    assert settled + unknown == service.billed()
    assert rub(done.json["unknown_rub"]) == unknown == 18
    assert rub(done.json["budget_left_rub"]) == 130 - settled - unknown


@pytest.mark.parametrize("ours", [True, pytest.param(False, marks=pytest.mark.long)])
def test_reconciled_by_the_balance_only_where_the_account_is_ours(faulty, settling, few, ours):
    service = faulty(LOST.format(fault="never_sent"))
    house = settling(service.url, {"INNSPECT_BUDGET__ACCOUNT_IS_OURS": str(ours).lower()})
    done = house.run(few)
    assert done.code == 6, done
    settled, unknown = money_holds(house, service)
    assert (settled, unknown) == ((service.billed(), 0) if ours else (service.billed() - 18, 18))
    assert house.status()["unknown_calls"] == (0 if ours else 1)
    states = house.sql("SELECT state, charged_rub FROM lineage.calls WHERE reason = 'broken'")
    assert states == [("settled", Decimal(18))] if ours else [("unknown", None)]


@pytest.mark.long
def test_reconciled_as_free_what_the_service_did_not_charge(faulty, settling, few):
    service = faulty(LOST.format(fault="http_502"))
    house = settling(service.url, {"INNSPECT_BUDGET__ACCOUNT_IS_OURS": "true"})
    assert house.run(few).code == 6
    assert money_holds(house, service) == (service.billed(), 0)


def test_a_silent_block_is_asked_again_by_its_own_method(faulty, settling, few):
    service = faulty(SILENT)
    house = settling(service.url)
    done = house.run(few)
    assert done.code == 0, done
    repaired = {(one["inn"], one["method"]) for one in service.charges()} & {
        (inn, method) for inn in COMPANIES for method in ("freezes", "rnp")
    }
    assert len(repaired) == 6
    latest = (
        "SELECT DISTINCT arg_max(state, asked_at) FROM lineage.snapshots WHERE block IN ('freezes', 'rnp') "
        "GROUP BY inn, block"
    )
    assert {state for (state,) in house.sql(latest)} <= {"found", "clean", "partial"}
    assert rub(done.json["charged_rub"]) == 120 + 3 * (6 + 5)


@pytest.mark.long
def test_repairs_stay_within_the_cap_and_can_be_switched_off(faulty, settling, tmp_path, few):
    service = faulty(SILENT)
    house = settling(service.url)
    done = house.run(few, "--budget", "131.50")
    assert done.code == 0, done
    assert money_holds(house, service, "131.50")[0] == 131
    assert house.one("SELECT count(*) FROM lineage.calls WHERE method IN ('freezes', 'rnp')") == 2
    other = House(tmp_path / "other", service.url)
    service.reset()
    assert other.run(few, "--no-repair").code == 0
    assert service.billed() == 120
    assert other.one("SELECT count(*) FROM lineage.calls WHERE method IN ('freezes', 'rnp')") == 0
