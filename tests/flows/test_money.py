"""Money, through the front door: the bill, the ledger and the lineage agree to the kopeck."""

import hashlib
import sqlite3
from decimal import Decimal

import duckdb
import pytest

from tests.support.cli import COMPANIES, Cli, assert_money_adds_up, rub

SILENT = """
[[script]]
fault = "sources_down"
method = "full-check"
nth = 0
blocks = ["freezes", "rnp"]
"""
UNAVAILABLE_PAYLOADS = '[[script]]\nfault = "payload_unavailable"\nnth = 0\n'
LOST = '[[script]]\nfault = "{fault}"\nmethod = "full-check"\nnth = 1\n'
TO_BYTES = """
SELECT r.body, r.sha256, c.charged_rub, s.asked_at, s.run_id, n.portfolio, s.method, r.response_id
FROM core.{table} t
JOIN lineage.snapshots s USING (version_id)
JOIN lineage.calls c ON c.call_id = (SELECT call_id FROM raw.responses x WHERE x.response_id = s.response_id)
JOIN raw.responses r ON r.response_id = s.response_id
JOIN lineage.runs n ON n.run_id = s.run_id
"""


def test_bill_ledger_and_lineage_agree_to_the_kopeck(cli, service, portfolio):
    done = cli.run(portfolio, "--budget", "1000.00")
    assert done.code == 0
    billed = service.bill_total()
    assert assert_money_adds_up(cli, service, 1000) == (billed, 0)
    assert rub(done.json["charged_rub"]) == billed
    assert rub(done.json["budget_left_rub"]) == 1000 - billed
    assert cli.sql("SELECT charged_rub, unknown_rub, budget_rub, exit_code FROM lineage.runs") == [
        (billed, Decimal(0), Decimal(1000), 0)
    ]
    of_service = sorted((one["inn"], one["method"], rub(one["price"])) for one in service.charges())
    of_lineage = cli.sql("SELECT inn, method, charged_rub FROM lineage.calls WHERE charged_rub > 0 ORDER BY ALL")
    assert of_lineage == of_service
    assert cli.sql("SELECT inn, method, charged_rub FROM lineage.responses WHERE charged_rub > 0 ORDER BY ALL") == (
        of_service
    )
    with sqlite3.connect(cli.home / "ledger.sqlite") as ledger:
        kept = ledger.execute("SELECT inn, method, charged FROM calls WHERE charged > 0 ORDER BY 1, 2, 3").fetchall()
    assert [(inn, method, Decimal(charged) / 100) for inn, method, charged in kept] == of_service
    assert rub(cli.status()["balance_rub"]) == 1_000_000 - billed


def test_one_query_leads_from_any_row_to_the_bytes(cli, service, portfolio):
    assert cli.run(portfolio, "--no-repair").code == 0
    with duckdb.connect(str(cli.warehouse), read_only=True) as connection:

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
def test_unknown_calls_count_against_the_cap(start_faulty_sandbox, make_cli, small_portfolio, fault):
    service = start_faulty_sandbox(LOST.format(fault=fault))
    cli = make_cli(service.url)
    done = cli.run(small_portfolio, "--budget", "130")
    assert done.code == 6, done
    settled, unknown = assert_money_adds_up(cli, service, 130)
    assert settled + unknown == service.bill_total()
    assert rub(done.json["unknown_rub"]) == unknown == 18
    assert rub(done.json["budget_left_rub"]) == 130 - settled - unknown


@pytest.mark.long
@pytest.mark.parametrize("ours", [True, pytest.param(False, marks=pytest.mark.long)])
def test_reconciliation_by_balance_requires_an_exclusive_account(start_faulty_sandbox, make_cli, small_portfolio, ours):
    service = start_faulty_sandbox(LOST.format(fault="never_sent"))
    cli = make_cli(service.url, {"INNSPECT_BUDGET__ACCOUNT_IS_OURS": str(ours).lower()})
    done = cli.run(small_portfolio)
    assert done.code == 6, done
    settled, unknown = assert_money_adds_up(cli, service)
    assert (settled, unknown) == ((service.bill_total(), 0) if ours else (service.bill_total() - 18, 18))
    assert cli.status()["unknown_calls"] == (0 if ours else 1)
    states = cli.sql("SELECT state, charged_rub FROM lineage.calls WHERE reason = 'broken'")
    assert states == [("settled", Decimal(18))] if ours else [("unknown", None)]


@pytest.mark.long
def test_uncharged_calls_are_reconciled_as_free(start_faulty_sandbox, make_cli, small_portfolio):
    service = start_faulty_sandbox(LOST.format(fault="http_502"))
    cli = make_cli(service.url, {"INNSPECT_BUDGET__ACCOUNT_IS_OURS": "true"})
    assert cli.run(small_portfolio).code == 6
    assert assert_money_adds_up(cli, service) == (service.bill_total(), 0)


@pytest.mark.long
def test_block_without_evidence_is_repaired_by_its_standalone_method(start_faulty_sandbox, make_cli, small_portfolio):
    service = start_faulty_sandbox(SILENT)
    cli = make_cli(service.url)
    done = cli.run(small_portfolio)
    assert done.code == 0, done
    repaired = {(one["inn"], one["method"]) for one in service.charges()} & {
        (inn, method) for inn in COMPANIES for method in ("freezes", "rnp")
    }
    assert len(repaired) == 6
    latest = (
        "SELECT DISTINCT arg_max(state, asked_at) FROM lineage.snapshots WHERE block IN ('freezes', 'rnp') "
        "GROUP BY inn, block"
    )
    assert {state for (state,) in cli.sql(latest)} <= {"found", "clean", "partial"}
    assert rub(done.json["charged_rub"]) == 120 + 3 * (6 + 5)


@pytest.mark.parametrize("envelope", ["root", "data"])
def test_unavailable_of_the_payload_only_is_free(start_faulty_sandbox, make_cli, small_portfolio, envelope):
    service = start_faulty_sandbox(UNAVAILABLE_PAYLOADS, "--envelope", envelope)
    cli = make_cli(service.url, {"INNSPECT_PROFILES__FULL__BLOCKS": '["pledges", "contracts"]'})
    done = cli.run(small_portfolio)
    assert done.code == 0, done
    assert assert_money_adds_up(cli, service) == (0, 0)
    assert service.bill_total() == 0
    states = cli.sql("SELECT DISTINCT state, reason, charged_rub FROM lineage.calls")
    assert states == [("free", "unavailable", Decimal(0))]
    assert cli.sql("SELECT DISTINCT block, state FROM lineage.snapshots ORDER BY block") == [
        ("contracts", "unavailable"),
        ("pledges", "unavailable"),
    ]


@pytest.mark.long
def test_repairs_stay_within_the_cap_and_can_be_disabled(start_faulty_sandbox, make_cli, tmp_path, small_portfolio):
    service = start_faulty_sandbox(SILENT)
    cli = make_cli(service.url)
    done = cli.run(small_portfolio, "--budget", "131.50")
    assert done.code == 0, done
    assert assert_money_adds_up(cli, service, "131.50")[0] == 131
    assert cli.value("SELECT count(*) FROM lineage.calls WHERE method IN ('freezes', 'rnp')") == 2
    other = Cli(tmp_path / "other", service.url)
    service.reset()
    assert other.run(small_portfolio, "--no-repair").code == 0
    assert service.bill_total() == 120
    assert other.value("SELECT count(*) FROM lineage.calls WHERE method IN ('freezes', 'rnp')") == 0
