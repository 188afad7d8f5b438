"""The service as an ASGI application."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from innspect.sandbox.accounts import Account, Accounts
from innspect.sandbox.corruption import add_unknown_field, change_one_type, truncate
from innspect.sandbox.deviations import ErrorBodies, change_content, refusal_body
from innspect.sandbox.envelope import Body, encode_payload, wrap_payload
from innspect.sandbox.faults import CallFault, Fault, Faults
from innspect.sandbox.openapi import openapi_document
from innspect.sandbox.options import SandboxOptions
from innspect.sandbox.response_cache import ResponseCache
from innspect.sandbox.severed_connections import SeveredResponse
from innspect.sandbox.world.inn_samples import is_valid
from innspect.sandbox.world.random_streams import Draw, on_wire
from innspect.schemas.catalogue import ACCOUNT, service_methods
from innspect.schemas.declaration import ANY_LENGTH, Method

JSON = "application/json"
_FAILING: dict[Fault | None, tuple[int, str]] = {
    Fault.HTTP_500: (500, "internal_error"),
    Fault.HTTP_502: (502, "bad_gateway"),
    Fault.HTTP_503: (503, "overloaded"),
}


def _json(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(content), status, headers, JSON)


def error_response(status: int, error: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """An error response: an error code and a sentence, without a price."""
    return _json({"status": "error", "error": error, "message": message}, status, headers)


class Service:
    """The state of one sandbox: accounts, faults and response bodies."""

    def __init__(self, options: SandboxOptions) -> None:
        self._options = options
        self.accounts = Accounts(options.keys, options.blocked_keys, options.balance, options.clock)
        self.faults = Faults(options.faults)
        self._deviations = options.faults.deviations
        self._day = options.day.toordinal()
        self._bodies = ResponseCache(options.seed, self._day, options.cache_bytes)

    def reset(self) -> None:
        """Reset balances, bill and fault counters; cached bodies are kept."""
        self.accounts.reset()
        self.faults.reset()

    async def respond(self, method: Method, key: str | None, inn: str) -> Response:
        """Respond to one call: check key and INN, choose a fault, charge, build the response."""
        account = self.accounts.find(key or "")
        if account is None:
            return error_response(401, "invalid_key", "The key in X-Api-Key is missing or unknown.")
        if account.blocked:
            return error_response(403, "key_blocked", "The key is blocked.")
        if method.digits and not is_valid(inn, ANY_LENGTH if self._deviations.any_length else method.digits):
            return self._refuse_inn(account, method, inn)
        fate = self.faults.next_fault(inn, method.name)
        return self._error_response(account, method, inn, fate) or await self._payload_response(
            account, method, inn, fate
        )

    def _refuse_inn(self, account: Account, method: Method, inn: str) -> Response:
        """The response to an INN that the method does not accept."""
        message = f"The INN {inn} is of another length than asked, or its check digits do not hold."
        style, status = self._deviations.errors, self._deviations.error_status
        body, media_type = refusal_body("invalid_inn", message, style)
        if style is ErrorBodies.SUCCESS:
            self.accounts.charge(account, inn, method.name, self._deviations.price(method.name, method.price))
            status = 200
        return Response(body, status, media_type=media_type)

    def _error_response(self, account: Account, method: Method, inn: str, fate: CallFault) -> Response | None:
        """The response without a payload, if the call gets one."""
        match fate.fault:
            case Fault.TOO_MANY:
                wait = {"Retry-After": str(self._options.faults.retry_after_seconds)}
                return error_response(429, "too_many_requests", "Too many requests.", wait)
            case Fault.KEY_REVOKED:
                account.blocked = True
                return error_response(403, "key_blocked", "The key is blocked.")
            case Fault.NO_CREDIT:
                account.balance = 0
            case _:
                pass
        if account.balance < method.price:
            return error_response(402, "insufficient_balance", "The balance does not cover the price of the request.")
        if fate.fault in _FAILING:
            price = method.price if fate.fault in self._options.faults.charged else 0
            self.accounts.charge(account, inn, method.name, price)
            return error_response(*_FAILING[fate.fault], "The service failed.")
        return None

    async def _payload_response(self, account: Account, method: Method, inn: str, fate: CallFault) -> Response:
        """The charged response, delivered in full, damaged or not at all."""
        body = self._body(account, method, inn, fate)
        is_free = body.unavailable and not self._deviations.charge_unavailable
        price = 0 if is_free else self._deviations.price(method.name, method.price)
        self.accounts.charge(account, inn, method.name, price)
        content = wrap_payload(body, self._options.envelope, price=price, balance=account.balance)
        content = change_content(content, self._payload_fields(body), self._deviations)
        match fate.fault:
            case Fault.NEVER_SENT:
                return SeveredResponse(content, sent=0)
            case Fault.CUT:
                return SeveredResponse(content, sent=max(1, len(content) // 2))
            case Fault.TRUNCATED:
                content = truncate(content)
            case Fault.SLOW:
                await self._options.sleep(self._options.faults.slow_seconds)
            case _:
                pass
        return Response(content, media_type=JSON)

    def _payload_fields(self, body: Body) -> frozenset[str]:
        """The fields at the root of the response that belong to the payload."""
        return frozenset() if self._options.envelope == "data" else body.own_fields

    def _body(self, account: Account, method: Method, inn: str, fate: CallFault) -> Body:
        if not method.digits:
            return self._free(account, method)
        if fate.fault is Fault.PAYLOAD_UNAVAILABLE and method.free_if_unavailable:
            return self._bodies.unavailable_body(inn, method.name)
        if fate.fault is Fault.OTHER_INN:
            return self._bodies.body_of_another_inn(inn, method.name)
        body = self._bodies.body(inn, method.name, fate.down, fate.states)
        draw = Draw(self._options.seed, "spoil", inn, method.name)
        if fate.fault is Fault.WRONG_TYPE:
            return replace(body, payload=change_one_type(body.payload, draw))
        if fate.fault is Fault.UNKNOWN_FIELD:
            return replace(body, payload=add_unknown_field(body.payload, draw))
        return body

    def _free(self, account: Account, method: Method) -> Body:
        now = int(self._options.clock().timestamp())
        if method.name == ACCOUNT:
            spent = on_wire(self.accounts.spent_within_30_days(account))
            state = {"balance": on_wire(account.balance), "status": self._options.access_status, "spend_30_days": spent}
            return encode_payload(state, now)
        return encode_payload({"valid": True}, now)


def create_app(options: SandboxOptions | None = None) -> FastAPI:
    """The application: 29 methods, `/sandbox/bill`, `/sandbox/reset`, `/openapi.json` and `/docs`."""
    chosen = options or SandboxOptions()
    service = Service(chosen)
    app = FastAPI(title="Counterparty check, sandbox", version="1", docs_url="/docs", redoc_url=None)
    described: list[dict[str, Any]] = []

    def openapi() -> dict[str, Any]:
        if not described:
            described.append(openapi_document(chosen.envelope, chosen.person_methods))
        return described[0]

    app.openapi = openapi
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _unknown_method)
    app.state.service = service
    for method in service_methods(chosen.person_methods).values():
        app.router.routes.append(_route(method.path, _endpoint(service, method), "GET"))

    async def bill(_: Request) -> Response:
        return _json(service.accounts.bill())

    async def reset(_: Request) -> Response:
        service.reset()
        return _json(service.accounts.bill())

    app.router.routes.append(_route("/sandbox/bill", bill, "GET"))
    app.router.routes.append(_route("/sandbox/reset", reset, "POST"))
    return app


async def _unknown_method(_: Request, fault: Exception) -> Response:
    """The response to an unknown path or verb."""
    assert isinstance(fault, HTTPException)
    return error_response(
        fault.status_code, "no_such_method", "No method has this path and verb.", dict(fault.headers or {})
    )


def _endpoint(service: Service, method: Method) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await service.respond(method, request.headers.get("x-api-key"), request.path_params.get("inn", ""))

    return endpoint


def _route(path: str, endpoint: Callable[[Request], Awaitable[Response]], verb: str) -> Route:
    """A route for one verb only; Starlette adds HEAD to GET, which would charge for an empty response."""
    route = Route(path, endpoint, methods=[verb])
    route.methods = {verb}
    return route
