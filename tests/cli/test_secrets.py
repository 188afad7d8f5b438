"""The API key is in no file and no output."""

import json
from decimal import Decimal

import pytest

from tests.support.cli import Cli, assert_fails

KEY = "k3y-9f8A7b6C5d4E3f2G1h0!"
FAILING = '[[script]]\nfault = "key_revoked"\nmethod = "full-check"\nnth = 2\n'


@pytest.mark.long
@pytest.mark.parametrize("prefect", [False, pytest.param(True, marks=pytest.mark.long)])
def test_key_is_not_written_by_a_failed_run(start_faulty_sandbox, tmp_path, small_portfolio, prefect):
    service = start_faulty_sandbox(FAILING, "--key", KEY)
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_API_KEY": KEY, "PREFECT_HOME": str(tmp_path / "prefect")})
    if prefect:
        cli.environ["PREFECT_LOGGING_LEVEL"] = "DEBUG"
    log = tmp_path / "logs" / "run.jsonl"
    options = ("--prefect" if prefect else "--direct", "-v", "--log-file", log)
    done = cli("run", small_portfolio, "--json", "--debug", *options)
    assert done.code == 4, done
    assert "Traceback" in done.err
    assert cli.value("SELECT count(*) FROM lineage.responses") > 0
    assert log.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line for line in done.err.splitlines() if line.startswith("{")] == log.read_text("utf-8").splitlines()
    assert all(list(line)[:3] == ["time", "level", "event"] for line in lines)
    assert (lines[0]["command"], lines[-1]["event"], lines[-1]["exit_code"]) == ("run", "command.finished", 4)
    (run_id,) = {line["run_id"] for line in lines if "run_id" in line}
    assert run_id == done.json["run_id"]
    logged = {line["call_id"]: line for line in lines if line["event"] == "call.finished"}
    calls = cli.sql("SELECT call_id, inn, method, charged_rub FROM lineage.calls WHERE state = 'settled'")
    assert calls
    for call_id, inn, method, charged in calls:
        line = logged[call_id]
        assert (line["inn"], line["method"], Decimal(line["charged_rub"])) == (inn, method, charged)
    doctor = cli("--log-file", log, "doctor", "--debug")
    assert len(log.read_text(encoding="utf-8").splitlines()) > len(lines), "it is appended"
    assert_fails(cli("status", "--log-file", tmp_path), 2, "--log-file", str(tmp_path))
    status = cli("status")
    assert KEY not in "".join(result.out + result.err for result in (done, doctor, status))
    files = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert files == []
    assert (tmp_path / "prefect").exists() == prefect
