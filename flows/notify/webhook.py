"""The webhook: POST alerts to the configured address, signed, and retried while the receiver is unavailable."""

import hashlib
import hmac
import logging
from types import TracebackType
from typing import Self

import httpx
import stamina
from pydantic import SecretStr

from innspect.extract.service.loopback import is_loopback

SIGNATURE, DELIVERY = "X-Innspect-Signature", "X-Innspect-Delivery"
MAX_ATTEMPTS = 4
FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS, MAX_TOTAL_SECONDS, TIMEOUT_SECONDS = 0.5, 8.0, 60.0, 10.0
RETRIED_STATUSES = (408, 425, 429)
"""Client errors that are retried, as every 5xx is."""


class _NotAcceptedError(Exception):
    """The receiver did not accept a body. The text never contains the address, which may contain a secret."""

    def __init__(self, reason: str, *, is_retryable: bool) -> None:
        super().__init__(reason)
        self.reason, self.is_retryable = reason, is_retryable


class Webhook:
    """An address that accepts JSON by POST, as a context manager; `transport` replaces the network in tests.

    With a secret every body is signed: the header `X-Innspect-Signature` is the HMAC-SHA256 of its bytes, hexadecimal.
    """

    def __init__(
        self, address: str, secret: SecretStr | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._address, self._secret = address, secret
        # A proxy from the environment is not used for a receiver on this machine.
        use_proxy = not is_loopback(address)
        self._http = httpx.Client(timeout=TIMEOUT_SECONDS, transport=transport, trust_env=use_proxy)

    def __enter__(self) -> Self:
        logging.getLogger("stamina").setLevel(logging.ERROR)
        # httpx logs the whole address of every request, which may contain a secret.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def post(self, body: bytes, delivery: str) -> str | None:
        """Post a body; None if it was accepted (any 2xx), else a short reason.

        `delivery` is the same in every attempt with the same body, so that the receiver can drop repetitions.
        """
        headers = {"Content-Type": "application/json", "User-Agent": "innspect", DELIVERY: delivery}
        if self._secret is not None:
            headers[SIGNATURE] = sign_body(body, self._secret)
        try:
            for attempt in stamina.retry_context(
                on=_is_retryable,
                attempts=MAX_ATTEMPTS,
                timeout=MAX_TOTAL_SECONDS,
                wait_initial=FIRST_WAIT_SECONDS,
                wait_max=MAX_WAIT_SECONDS,
            ):
                with attempt:
                    self._once(body, headers)
        except _NotAcceptedError as fault:
            return fault.reason
        return None

    def _once(self, body: bytes, headers: dict[str, str]) -> None:
        try:
            response = self._http.post(self._address, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as fault:
            raise _NotAcceptedError(type(fault).__name__, is_retryable=True) from None
        if not response.is_success:
            is_retryable = response.status_code in RETRIED_STATUSES or response.status_code >= 500
            raise _NotAcceptedError(f"HTTP {response.status_code}", is_retryable=is_retryable)


def sign_body(body: bytes, secret: SecretStr) -> str:
    """HMAC-SHA256 of the body, hexadecimal."""
    return hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()


def _is_retryable(fault: Exception) -> bool:
    return isinstance(fault, _NotAcceptedError) and fault.is_retryable
