"""The service as an ASGI application."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from innspect.sandbox.accounts import Account, Accounts
from innspect.sandbox.corruption import truncated, with_unknown_field, with_wrong_type
from innspect.sandbox.envelope import Body, encoded, wrapped
from innspect.sandbox.faults import Fate, Fault, Faults
from innspect.sandbox.openapi import document
from innspect.sandbox.options import SandboxOptions
from innspect.sandbox.response_cache import Bodies
from innspect.sandbox.severed_connections import Severed
from innspect.sandbox.world.inn_samples import is_valid
from innspect.sandbox.world.random_streams import Draw, on_wire
from innspect.schemas.catalogue import ACCOUNT, METHODS
from innspect.schemas.declaration import Method

JSON = "application/json"
_FAILING: dict[Fault | None, tuple[int, str]] = {
    Fault.HTTP_500: (500, "internal_error"),
    Fault.HTTP_502: (502, "bad_gateway"),
    Fault.HTTP_503: (503, "overloaded"),
}


def _json(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(content), status, headers, JSON)


def refusal(status: int, error: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """An error answer: an error code and a sentence, without a price."""
    return _json({"status": "error", "error": error, "message": message}, status, headers)


class Service:
    """The state behind the routes: accounts, faults and bodies of one sandbox."""

    def __init__(self, options: SandboxOptions) -> None:
        self._options = options
        self.accounts = Accounts(options.keys, options.blocked_keys, options.balance, options.clock)
        self.faults = Faults(options.faults)
        self._day = options.day.toordinal()
        self._bodies = Bodies(options.seed, self._day, options.cache_bytes)

    def reset(self) -> None:
        """Balances, bill and the counters of the faults as at the start; bodies stay, they do not change."""
        self.accounts.reset()
        self.faults.reset()

    async def answer(self, method: Method, key: str | None, inn: str) -> Response:
        """One call: who asks, what about, what goes wrong, what it costs, what comes back."""
        account = self.accounts.find(key or "")
        if account is None:
            return refusal(401, "invalid_key", "The key in X-Api-Key is missing or unknown.")
        if account.blocked:
            return refusal(403, "key_blocked", "The key is blocked.")
        if method.digits and not is_valid(inn, method.digits):
            return refusal(
                422, "invalid_inn", "The INN is of another length than asked, or its check digits do not hold."
            )
        fate = self.faults.fate(inn, method.name)
        return self._refused(account, method, inn, fate) or await self._delivered(account, method, inn, fate)

    def _refused(self, account: Account, method: Method, inn: str, fate: Fate) -> Response | None:
        """The answers without a payload."""
        match fate.fault:
            case Fault.TOO_MANY:
                wait = {"Retry-After": str(self._options.faults.retry_after_seconds)}
                return refusal(429, "too_many_requests", "Too many requests.", wait)
            case Fault.KEY_REVOKED:
                account.blocked = True
                return refusal(403, "key_blocked", "The key is blocked.")
            case Fault.NO_CREDIT:
                account.balance = 0
            case _:
                pass
        if account.balance < method.price:
            return refusal(402, "insufficient_balance", "The balance does not cover the price of the request.")
        if fate.fault in _FAILING:
            price = method.price if fate.fault in self._options.faults.charged else 0
            self.accounts.charge(account, inn, method.name, price)
            return refusal(*_FAILING[fate.fault], "The service failed.")
        return None

    async def _delivered(self, account: Account, method: Method, inn: str, fate: Fate) -> Response:
        """The answers that are charged, whether they arrive or not."""
        body = self._body(account, method, inn, fate)
        price = 0 if body.unavailable else method.price
        self.accounts.charge(account, inn, method.name, price)
        content = wrapped(body, self._options.envelope, price=price, balance=account.balance)
        match fate.fault:
            case Fault.NEVER_SENT:
                return Severed(content, sent=0)
            case Fault.CUT:
                return Severed(content, sent=max(1, len(content) // 2))
            case Fault.TRUNCATED:
                content = truncated(content)
            case Fault.SLOW:
                await self._options.sleep(self._options.faults.slow_seconds)
            case _:
                pass
        return Response(content, media_type=JSON)

    def _body(self, account: Account, method: Method, inn: str, fate: Fate) -> Body:
        if not method.digits:
            return self._free(account, method)
        if fate.fault is Fault.OTHER_INN:
            return self._bodies.about_another(inn, method.name)
        body = self._bodies.body(inn, method.name, fate.down)
        draw = Draw(self._options.seed, "spoil", inn, method.name)
        if fate.fault is Fault.WRONG_TYPE:
            return replace(body, payload=with_wrong_type(body.payload, draw))
        if fate.fault is Fault.UNKNOWN_FIELD:
            return replace(body, payload=with_unknown_field(body.payload, draw))
        return body

    def _free(self, account: Account, method: Method) -> Body:
        now = int(self._options.clock().timestamp())
        if method.name == ACCOUNT:
            spent = on_wire(self.accounts.spent(account))
            state = {"balance": on_wire(account.balance), "status": "active", "spend_30_days": spent}
            return encoded(state, now)
        return encoded({"valid": True}, now)


def create_app(options: SandboxOptions | None = None) -> FastAPI:
    """The application: 29 methods, `/sandbox/bill`, `/sandbox/reset`, `/openapi.json` and `/docs`."""
    chosen = options or SandboxOptions()
    service = Service(chosen)
    app = FastAPI(title="Counterparty check, sandbox", version="1", docs_url="/docs", redoc_url=None)
    described: list[dict[str, Any]] = []

    def openapi() -> dict[str, Any]:
        if not described:
            described.append(document(chosen.envelope))
        return described[0]

    app.openapi = openapi
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _no_method)
    app.state.service = service
    for method in METHODS.values():
        app.router.routes.append(_route(method.path, _endpoint(service, method), "GET"))

    async def bill(_: Request) -> Response:
        return _json(service.accounts.bill())

    async def reset(_: Request) -> Response:
        service.reset()
        return _json(service.accounts.bill())

    app.router.routes.append(_route("/sandbox/bill", bill, "GET"))
    app.router.routes.append(_route("/sandbox/reset", reset, "POST"))
    return app


async def _no_method(_: Request, fault: Exception) -> Response:
    """The answer to a path or a verb that no method has."""
    assert isinstance(fault, HTTPException)
    return refusal(fault.status_code, "no_such_method", "No method has this path and verb.", dict(fault.headers or {}))


def _endpoint(service: Service, method: Method) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await service.answer(method, request.headers.get("x-api-key"), request.path_params.get("inn", ""))

    return endpoint


def _route(path: str, endpoint: Callable[[Request], Awaitable[Response]], verb: str) -> Route:
    """A route that takes one verb only: HEAD would be charged for like GET, and answered with nothing."""
    route = Route(path, endpoint, methods=[verb])
    route.methods = {verb}
    return route
