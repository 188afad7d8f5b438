"""A run from portfolio to warehouse, and what it tells."""

import time


def test_try(house, few, service, portfolio):
    for p in (few, portfolio, portfolio):
        t = time.time()
        done = house.run(p)
        print(time.time() - t, done)
    t = time.time()
    print(house.status(), time.time() - t)
    print(service.billed())
