"""The API key is in no file and no output."""

import pytest

from tests.support.cli import Cli

KEY = "k3y-9f8A7b6C5d4E3f2G1h0!"
FAILING = '[[script]]\nfault = "key_revoked"\nmethod = "full-check"\nnth = 2\n'


@pytest.mark.parametrize("prefect", [False, pytest.param(True, marks=pytest.mark.long)])
def test_key_is_not_written_by_a_failed_run(start_faulty_sandbox, tmp_path, small_portfolio, prefect):
    service = start_faulty_sandbox(FAILING, "--key", KEY)
    cli = Cli(tmp_path / "home", service.url, {"INNSPECT_API_KEY": KEY, "PREFECT_HOME": str(tmp_path / "prefect")})
    if prefect:
        cli.environ["PREFECT_LOGGING_LEVEL"] = "DEBUG"
    done = cli("run", small_portfolio, "--json", "--debug", "--prefect" if prefect else "--direct")
    assert done.code == 4, done
    assert "Traceback" in done.err
    assert cli.value("SELECT count(*) FROM lineage.responses") > 0
    doctor = cli("doctor", "--debug")
    status = cli("status")
    assert KEY not in "".join(result.out + result.err for result in (done, doctor, status))
    files = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert files == []
    assert (tmp_path / "prefect").exists() == prefect
