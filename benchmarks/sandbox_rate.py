"""How many full checks a second the sandbox answers from its cache, and how large they are.

    python benchmarks/sandbox_rate.py --inns 1000 --checks 6000

Prints the rate over real sockets, with server and clients sharing the machine, and the distribution of body sizes.
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

from innspect.sandbox.world.inn_samples import sample

QUANTILES = (0.1, 0.5, 0.9, 0.99, 1.0)


@contextmanager
def serving(seed: int) -> Generator[str]:
    command = [sys.executable, "-m", "innspect.sandbox", "--port", "0", "--seed", str(seed), "--balance", "100000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield urlsplit(server.stdout.readline().split()[-1]).netloc
        finally:
            server.terminate()


def ask(netloc: str, inns: Sequence[str]) -> list[int]:
    connection = HTTPConnection(netloc)
    sizes: list[int] = []
    for inn in inns:
        connection.request("GET", f"/api/v1/company/{inn}", headers={"X-Api-Key": "sandbox"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        sizes.append(len(body))
    connection.close()
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inns", type=int, default=1000)
    parser.add_argument("--checks", type=int, default=6000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    inns = sample(chosen.inns, chosen.seed)
    with serving(chosen.seed) as netloc, ThreadPoolExecutor(chosen.clients) as pool:
        began = time.perf_counter()
        sizes = sorted(ask(netloc, inns))
        made = time.perf_counter() - began
        asked = list(islice(cycle(inns), chosen.checks))
        began = time.perf_counter()
        total = sum(sum(part) for part in pool.map(ask, [netloc] * chosen.clients, slices(asked, chosen.clients)))
        took = time.perf_counter() - began
    print(f"made:   {len(inns) / made:8.0f} full checks/s, each for the first time")
    print(f"cached: {len(asked) / took:8.0f} full checks/s, {total / took / 1e6:.0f} MB/s, {chosen.clients} clients")
    print("bytes:  " + ", ".join(f"{share:.0%} {sizes[round(share * (len(sizes) - 1))]:,}" for share in QUANTILES))


def slices(inns: Sequence[str], count: int) -> list[Sequence[str]]:
    return [inns[start::count] for start in range(count)]


if __name__ == "__main__":
    main()
