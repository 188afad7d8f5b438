"""HTTP client of the service: rate limit, concurrency limit, connections, and the free methods. It knows no money."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx
import stamina
from aiolimiter import AsyncLimiter
from pydantic import SecretStr

from innspect.extract.clock import Clock, to_utc
from innspect.extract.ledger.account import AccountResponse
from innspect.extract.service.account_reader import read_account
from innspect.extract.service.charging import OVERLOADED, Failure, free_method_error
from innspect.extract.service.concurrency_limiter import ConcurrencyLimiter
from innspect.extract.service.connection_pool import ConnectionPool
from innspect.extract.service.envelope import read_envelope
from innspect.extract.service.loopback import is_loopback
from innspect.extract.service.redaction import mask_key, mask_truncated_key
from innspect.extract.service.response_reader import BoundedDecoder, ServiceResponse, parse_date, parse_retry_after
from innspect.schemas.catalogue import ACCOUNT, METHODS, PING
from innspect.schemas.declaration import Method
from innspect.schemas.errors import ServiceUnreachable, SettingsError
from innspect.schemas.settings.sections import Service

FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS = 0.5, 30.0
MAX_CONNECT_SECONDS = 30.0
IDLE_CONNECTION_SECONDS = 30.0
NOT_SENT_ERRORS = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
retry_context = partial(
    stamina.retry_context, timeout=None, wait_initial=FIRST_BACKOFF_SECONDS, wait_max=MAX_BACKOFF_SECONDS
)
"""Retries with exponential backoff; arguments `on` and `attempts`."""
_MEGABYTE = 1024 * 1024
_HEADER_LOGGER, _RETRY_LOGGER = "hpack", "stamina"


class ServiceClient:
    """Sends GETs to the service, as async context manager; `transport` replaces the network in tests.

    Raises SettingsError for a key that no header can contain, or for a service without address.
    """

    def __init__(
        self, service: Service, key: SecretStr, clock: Clock, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.service = service
        self._key, self._clock, self._transport = key, clock, transport
        if not re.fullmatch(r"[\x21-\x7e]+", key.get_secret_value()):
            raise SettingsError(
                "The API key is empty or has characters that are not valid in a header; correct INNSPECT_API_KEY.",
                key="api_key",
            )
        if not urlsplit(service.base_url).hostname:
            raise SettingsError(
                "The service has no address; set service.base_url or --base-url, or use --sandbox.",
                key="service.base_url",
            )

    async def __aenter__(self) -> Self:
        service = self.service
        # hpack logs whole headers, which include the key.
        logging.getLogger(_HEADER_LOGGER).setLevel(logging.WARNING)
        if not logging.getLogger(_RETRY_LOGGER).handlers:
            # Without a handler Python prints its warnings to stderr.
            logging.getLogger(_RETRY_LOGGER).addHandler(logging.NullHandler())
        self._limiter = ConcurrencyLimiter(service.concurrency, asyncio.get_running_loop().time)
        self._reduced_at = 0.0
        self._rate = AsyncLimiter(max(1.0, service.requests_per_second), max(1.0, 1 / service.requests_per_second))
        authorities = httpx.create_ssl_context()
        # Connecting must time out well before the whole exchange does, or an unsent call would count as sent.
        connect_seconds = min(MAX_CONNECT_SECONDS, service.timeout_seconds / 4)

        def create_client() -> httpx.AsyncClient:
            return httpx.AsyncClient(
                base_url=service.base_url,
                headers={
                    "X-Api-Key": self._key.get_secret_value(),
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip",
                    "User-Agent": "innspect",
                },
                http2=True,
                verify=authorities,
                timeout=httpx.Timeout(service.timeout_seconds, connect=connect_seconds, pool=connect_seconds),
                limits=httpx.Limits(max_connections=service.concurrency, keepalive_expiry=IDLE_CONNECTION_SECONDS),
                transport=self._transport,
                # A proxy from the environment is not used for a service on this machine.
                trust_env=not is_loopback(service.base_url),
            )

        # HTTP/2 multiplexes all calls over one connection, and is only negotiated over TLS.
        self._pool = ConnectionPool(create_client, is_shared=urlsplit(service.base_url).scheme == "https")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for http in self._pool.clients:
            await http.aclose()

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Wait until the limits of concurrency and rate allow one more call, and hold its slot during the block."""
        async with self._limiter.slot():
            await self._limiter.wait_for_pause()
            await self._rate.acquire()
            yield

    async def get(self, method: Method, inn: str) -> ServiceResponse:
        """Send one GET inside a `slot`, and adapt the concurrency to its result. Errors are in the response."""
        now = asyncio.get_running_loop().time
        started = now()
        response = await self._send(method.path.format(inn=inn))
        if response.status in OVERLOADED:
            # One overload reduces the concurrency once, however many open calls it affects.
            if started >= self._reduced_at:
                self._reduced_at = now()
                self._limiter.reduce(FIRST_BACKOFF_SECONDS if response.retry_after is None else response.retry_after)
        elif response.failure is None and response.status is not None and response.status < 500:
            self._limiter.record_success()
        return response

    async def ping(self) -> float | None:
        """Check the key, free of charge; the seconds by which this clock is ahead of the service's.

        None if the service does not report its time. Raises KeyRefused, CreditRefused or ServiceUnreachable.
        """
        return (await self._request_free(PING)).clock_ahead

    async def account(self) -> AccountResponse:
        """Request balance, access status and spend of 30 days, free of charge. Raises as `ping` does."""
        response = await self._request_free(ACCOUNT)
        body, _ = self.mask_body(response)
        return read_account(body, response.received_at)

    def mask_body(self, response: ServiceResponse) -> tuple[bytes, bool]:
        """The body of a response with the API key masked; and whether it contained the key."""
        mask = mask_key if response.failure is None else mask_truncated_key
        return mask(response.body, self._key.get_secret_value())

    async def _request_free(self, name: str) -> ServiceResponse:
        """The response of a free method, retried after every failure except a refusal."""
        async for attempt in retry_context(on=ServiceUnreachable, attempts=self.service.retries + 1):
            with attempt:
                await self._rate.acquire()
                response = await self._send(METHODS[name].path)
                if error := free_method_error(name, response.status, response.failure, read_envelope(response.body)):
                    raise error
                return response
        raise AssertionError("there is at least one attempt")

    async def _send(self, path: str) -> ServiceResponse:
        status: int | None = None
        decoder: BoundedDecoder | None = None
        retry_after, service_time = None, None
        try:
            with self._pool.acquire() as http:
                async with asyncio.timeout(self.service.timeout_seconds), http.stream("GET", path) as response:
                    status, headers = response.status_code, response.headers
                    self._pool.is_shared = response.http_version == "HTTP/2"
                    max_bytes = self.service.max_body_mb * _MEGABYTE
                    decoder = BoundedDecoder(headers.get("Content-Encoding", ""), max_bytes)
                    failure = await _read_body(response, decoder)
                    retry_after = parse_retry_after(headers.get("Retry-After"), self._clock())
                    service_time = parse_date(headers.get("Date"))
        except NOT_SENT_ERRORS:
            failure = Failure.NOT_CONNECTED
        except (httpx.TimeoutException, TimeoutError):
            failure = Failure.TIMEOUT
        except Exception:  # noqa: BLE001 (after any error the call may have been charged, and must be settled)
            failure = Failure.BROKEN
        body = b"" if decoder is None else decoder.body
        return ServiceResponse(to_utc(self._clock()), status, body, failure, retry_after, service_time)


async def _read_body(response: httpx.Response, decoder: BoundedDecoder) -> Failure | None:
    async for part in response.aiter_raw():
        if failure := decoder.add(part):
            return failure
    return decoder.finish(response.headers.get("Content-Length"))
