"""The webhook: alerts posted to an address of the user's, signed, and repeated while the receiver is not to be had."""

import hashlib
import hmac
import logging
from types import TracebackType
from typing import Self

import httpx
import stamina
from pydantic import SecretStr

from innspect.extract.home.provenance import is_near

SIGNATURE, DELIVERY = "X-Innspect-Signature", "X-Innspect-Delivery"
ATTEMPTS, FIRST_WAIT, LONGEST_WAIT, PATIENCE = 4, 0.5, 8.0, 60.0
TIMEOUT = 10.0
LATER = (408, 425, 429)
"""Refusals that may pass; every 5xx may too."""
_LOGS_RETRIES = "stamina"


class _NotTakenError(Exception):
    """The receiver did not take it; `passing` where it is worth another attempt.

    Its text never holds the address, which may carry a secret.
    """

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.reason, self.passing = reason, passing


class Webhook:
    """An address that takes JSON by POST, as context manager. `transport` stands in for the network.

    With a secret every body is signed: the header `X-Innspect-Signature` is the HMAC-SHA256 of its bytes, hexadecimal.
    """

    def __init__(
        self, address: str, secret: SecretStr | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._address, self._secret = address, secret
        # A proxy of the environment's is for the outside, not for a receiver next door.
        outside = not is_near(address)
        self._http = httpx.Client(timeout=TIMEOUT, transport=transport, trust_env=outside)

    def __enter__(self) -> Self:
        logging.getLogger(_LOGS_RETRIES).setLevel(logging.ERROR)
        # This one writes the whole address of every request to its log.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def post(self, body: bytes, delivery: str) -> str | None:
        """Post a body; None when it was taken (any 2xx), else why not, in a few words.

        `delivery` is the same for every attempt at the same body: a receiver can drop what it has already.
        """
        headers = {"Content-Type": "application/json", "User-Agent": "innspect", DELIVERY: delivery}
        if self._secret is not None:
            headers[SIGNATURE] = signature(body, self._secret)
        try:
            for attempt in stamina.retry_context(
                on=_worth_another, attempts=ATTEMPTS, timeout=PATIENCE, wait_initial=FIRST_WAIT, wait_max=LONGEST_WAIT
            ):
                with attempt:
                    self._once(body, headers)
        except _NotTakenError as fault:
            return fault.reason
        return None

    def _once(self, body: bytes, headers: dict[str, str]) -> None:
        try:
            answer = self._http.post(self._address, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as fault:
            raise _NotTakenError(type(fault).__name__, passing=True) from None
        if not answer.is_success:
            passing = answer.status_code in LATER or answer.status_code >= 500
            raise _NotTakenError(f"HTTP {answer.status_code}", passing=passing)


def signature(body: bytes, secret: SecretStr) -> str:
    """HMAC-SHA256 of the body, hexadecimal."""
    return hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()


def _worth_another(fault: Exception) -> bool:
    return isinstance(fault, _NotTakenError) and fault.passing
