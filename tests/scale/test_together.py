"""All of it at once: three homes, one ledger, one object store, one lake, a cluster; a process and a worker killed."""

import contextlib
import time
from decimal import Decimal

import pytest

from innspect.sandbox.world.inn_samples import sample
from tests.flows.conftest import House, money_holds, not_paid_twice, rub, written
from tests.flows.test_kill import RUN_TIMES
from tests.scale.clusters import Cluster
from tests.scale.lakes import LakeHouse, database  # noqa: F401 (a fixture)

INNS = sample(24, 5, persons=0.25)
PATIENCE = 900
CALL = 18 * 32 * 3


@pytest.fixture
def homes(tmp_path, service, store, bucket, ledger, database):  # noqa: F811
    """Three homes that have nothing of their own but their settings."""
    shared = {
        **store,
        "INNSPECT_STORES__LEDGER": ledger,
        "INNSPECT_STORES__ARCHIVE": f"s3://{bucket}/innspect",
        "INNSPECT_STORES__WAREHOUSE": f"ducklake:postgres:{database} data_path=s3://{bucket}/lake",
        "INNSPECT_SERVICE__BATCH": "3",
    }
    return [LakeHouse(tmp_path / name, service.url, dict(shared), patience=PATIENCE) for name in ("a", "b", "c")]


def known(house: House) -> dict:
    """What is known, without when."""
    found = house.tables("core", "current", without=lambda *_: RUN_TIMES)
    assert sum(map(len, found.values())) > 1000
    return found


def answered(s3, bucket) -> int:
    """How many files of answers are sealed."""
    listed = s3.list_objects_v2(Bucket=bucket, Prefix="innspect/answers/")
    return listed["KeyCount"]


@pytest.mark.long
@pytest.mark.usefixtures("reached")
def test_three_processes_two_workers_two_kills_and_the_same_tables(tmp_path, homes, service, s3, bucket):
    plain = House(tmp_path / "plain", service.url, patience=PATIENCE)
    assert plain.run(written(tmp_path / "all.csv", INNS)).code == 0
    price = service.billed()
    service.reset()

    portfolios = [written(tmp_path / f"part{number}.csv", INNS[number::3]) for number in range(3)]
    with Cluster(tmp_path / "cluster") as cluster:
        for house in homes:
            # One cap for all of them: what one machine spent, and a call that each may have under way.
            house.environ |= {"INNSPECT_COMPUTE": cluster.address, "INNSPECT_BUDGET__DAY_RUB": str(price + CALL)}
        killed = {"INNSPECT_FAULT_POINT": "after archive put 4"}
        words = [("run", portfolio, "--direct", "--json") for portfolio in portfolios]
        running = [
            house.start(*told, **(killed if house is homes[2] else {}))
            for house, told in zip(homes, words, strict=True)
        ]
        until = time.monotonic() + PATIENCE
        while answered(s3, bucket) < 3 and time.monotonic() < until:
            time.sleep(0.1)
        cluster.kill(cluster.workers[0])
        ended = [process.communicate(timeout=PATIENCE) for process in running]
        codes = [process.returncode for process in running]
        assert codes == [0, 0, -9], ended
        # The one that was killed goes on; what it had sealed is loaded, and nothing asked again.
        done = homes[2].run(portfolios[2])
        assert done.code == 0, done

        settled, unknown = money_holds(homes[0], service, price + CALL)
        assert (settled, unknown) == (price, Decimal(0))
        not_paid_twice(service)
        assert rub(service.billed()) == price
        assert known(homes[0]) == known(homes[1]) == known(plain)

        cluster.add_worker()
        done = homes[1]("rebuild", "--json")
        assert done.code == 0, done
        assert known(homes[0]) == known(plain)
    with contextlib.suppress(KeyError):
        del homes[0].environ["INNSPECT_COMPUTE"]
    told = homes[0].run(portfolios[1])
    assert (told.code, told.json["planned_calls"]) == (0, 0)
