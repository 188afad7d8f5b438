"""Three homes with one ledger, object store, lake and cluster, while a process and a worker are killed."""

import contextlib
import time
from decimal import Decimal

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from tests.flows.test_kill import RUN_TIMES
from tests.scale.dask_cluster import Cluster
from tests.scale.ducklake import LakeCli
from tests.support.cli import Cli, assert_money_adds_up, assert_no_call_paid_twice, rub, write_portfolio

INNS = sample_inns(24, 5, persons=0.25)
TIMEOUT_SECONDS = 900
MAX_CALLS_IN_FLIGHT_RUB = 18 * 32 * 3


@pytest.fixture
def homes(tmp_path, service, object_store, bucket, postgres_ledger, lake_database):
    """Three homes that share all stores."""
    shared = {
        **object_store,
        "INNSPECT_STORES__LEDGER": postgres_ledger,
        "INNSPECT_STORES__ARCHIVE": f"s3://{bucket}/innspect",
        "INNSPECT_STORES__WAREHOUSE": f"ducklake:postgres:{lake_database} data_path=s3://{bucket}/lake",
        "INNSPECT_SERVICE__BATCH": "3",
    }
    return [
        LakeCli(tmp_path / name, service.url, dict(shared), timeout_seconds=TIMEOUT_SECONDS) for name in ("a", "b", "c")
    ]


def read_known_tables(cli: Cli) -> dict:
    """The rows of `core` and `current`, without times of runs."""
    found = cli.tables("core", "current", without=lambda *_: RUN_TIMES)
    assert sum(map(len, found.values())) > 1000
    return found


def count_response_files(s3, bucket) -> int:
    """The number of sealed files of responses."""
    listed = s3.list_objects_v2(Bucket=bucket, Prefix="innspect/answers/")
    return listed["KeyCount"]


@pytest.mark.long(first=True)
@pytest.mark.usefixtures("object_store_environment")
def test_three_homes_with_two_kills_give_the_same_tables(tmp_path, homes, service, s3, bucket):
    single = Cli(tmp_path / "single", service.url, timeout_seconds=TIMEOUT_SECONDS)
    assert single.run(write_portfolio(tmp_path / "all.csv", INNS)).code == 0
    price = service.bill_total()
    service.reset()

    portfolios = [write_portfolio(tmp_path / f"part{number}.csv", INNS[number::3]) for number in range(3)]
    with Cluster(tmp_path / "cluster") as cluster:
        for cli in homes:
            # One cap for all homes: the cost of one run, and the calls that may be in flight.
            cli.environ |= {
                "INNSPECT_COMPUTE": cluster.address,
                "INNSPECT_BUDGET__DAY_RUB": str(price + MAX_CALLS_IN_FLIGHT_RUB),
            }
        killed = {"INNSPECT_FAULT_POINT": "after archive put 4"}
        commands = [("run", portfolio, "--direct", "--json") for portfolio in portfolios]
        running = [
            cli.start(*arguments, **(killed if cli is homes[2] else {}))
            for cli, arguments in zip(homes, commands, strict=True)
        ]
        until = time.monotonic() + TIMEOUT_SECONDS
        while count_response_files(s3, bucket) < 3 and time.monotonic() < until:
            time.sleep(0.1)
        cluster.kill(cluster.workers[0])
        ended = [process.communicate(timeout=TIMEOUT_SECONDS) for process in running]
        codes = [process.returncode for process in running]
        assert codes == [0, 0, -9], ended
        # The killed home resumes: its sealed responses are loaded, and no call is repeated.
        done = homes[2].run(portfolios[2])
        assert done.code == 0, done

        settled, unknown = assert_money_adds_up(homes[0], service, price + MAX_CALLS_IN_FLIGHT_RUB)
        assert (settled, unknown) == (price, Decimal(0))
        assert_no_call_paid_twice(service)
        assert rub(service.bill_total()) == price
        assert read_known_tables(homes[0]) == read_known_tables(homes[1]) == read_known_tables(single)

        cluster.add_worker()
        done = homes[1]("rebuild", "--json")
        assert done.code == 0, done
        assert read_known_tables(homes[0]) == read_known_tables(single)
    with contextlib.suppress(KeyError):
        del homes[0].environ["INNSPECT_COMPUTE"]
    result = homes[0].run(portfolios[1])
    assert (result.code, result.json["planned_calls"]) == (0, 0)
