"""Full checks per second that the sandbox serves, and the distribution of their sizes.

    python -m benchmarks.sandbox_rate --inns 1000 --checks 6000

Measured over sockets, with server and clients on one machine.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import cycle, islice
from urllib.parse import urlsplit

from innspect.sandbox.world.inn_samples import sample_inns

QUANTILES = (0.1, 0.5, 0.9, 0.99, 1.0)


@contextmanager
def run_sandbox(seed: int) -> Generator[str]:
    command = [sys.executable, "-m", "innspect.sandbox", "--port", "0", "--seed", str(seed), "--balance", "100000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield urlsplit(server.stdout.readline().split()[-1]).netloc
        finally:
            server.terminate()


def request_all(netloc: str, inns: Sequence[str]) -> list[int]:
    connection = HTTPConnection(netloc)
    sizes: list[int] = []
    for inn in inns:
        connection.request("GET", f"/api/v1/company/{inn}", headers={"X-Api-Key": "sandbox"})
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, body
        sizes.append(len(body))
    connection.close()
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inns", type=int, default=1000)
    parser.add_argument("--checks", type=int, default=6000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    inns = sample_inns(options.inns, options.seed)
    with run_sandbox(options.seed) as netloc, ThreadPoolExecutor(options.clients) as pool:
        start = time.perf_counter()
        sizes = sorted(request_all(netloc, inns))
        generated = time.perf_counter() - start
        requests = list(islice(cycle(inns), options.checks))
        start = time.perf_counter()
        total = sum(
            sum(part) for part in pool.map(request_all, [netloc] * options.clients, slices(requests, options.clients))
        )
        cached = time.perf_counter() - start
    print(f"generated: {len(inns) / generated:8.0f} full checks/s, each for the first time")
    print(
        f"cached:    {len(requests) / cached:8.0f} full checks/s, {total / cached / 1e6:.0f} MB/s, "
        f"{options.clients} clients"
    )
    print("bytes:     " + ", ".join(f"{share:.0%} {sizes[round(share * (len(sizes) - 1))]:,}" for share in QUANTILES))


def slices(inns: Sequence[str], count: int) -> list[Sequence[str]]:
    return [inns[start::count] for start in range(count)]


if __name__ == "__main__":
    main()
