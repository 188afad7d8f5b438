"""The limiter of concurrent calls."""

import asyncio

from innspect.extract.service.concurrency_limiter import ConcurrencyLimiter


async def test_waiters_get_slots_in_the_order_of_their_requests():
    limiter, order = ConcurrencyLimiter(1, lambda: 0.0), []

    async def hold(number: int) -> None:
        async with limiter.slot():
            await asyncio.sleep(0)
            limiter.record_success()
            order.append(number)

    await asyncio.gather(*map(hold, range(50)))
    assert order == list(range(50))
