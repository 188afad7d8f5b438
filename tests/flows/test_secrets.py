"""The API key is in nothing that is written or said."""

import pytest

from tests.flows.conftest import House

KEY = "k3y-9f8A7b6C5d4E3f2G1h0!"
FAILING = '[[script]]\nfault = "key_revoked"\nmethod = "full-check"\nnth = 2\n'


@pytest.mark.parametrize("prefect", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_key_is_nowhere_after_a_run_that_failed(faulty, tmp_path, few, prefect):
    service = faulty(FAILING, "--key", KEY)
    house = House(tmp_path / "home", service.url, {"INNSPECT_API_KEY": KEY, "PREFECT_HOME": str(tmp_path / "prefect")})
    if prefect:
        house.environ["PREFECT_LOGGING_LEVEL"] = "DEBUG"
    done = house("run", few, "--json", "--debug", *([] if prefect else ["--direct"]))
    assert done.code == 4, done
    assert "Traceback" in done.err
    assert house.one("SELECT count(*) FROM lineage.responses") > 0
    doctor = house("doctor", "--debug")
    status = house("status")
    said = "".join(one.out + one.err for one in (done, doctor, status))
    assert KEY not in said
    found = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert found == []
    assert (tmp_path / "prefect").exists() == prefect
