"""The service with the answers of `MultipliedAnswers`: no generator of answers limits the speed of a run."""

import re
from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import contextmanager
from threading import Thread
from time import sleep, time
from typing import Any

import msgspec
import uvicorn

from benchmarks.multiplied_answers import METHODS, MultipliedAnswers
from innspect.sandbox.envelope import Body, encode_payload, wrap_payload
from innspect.schemas.catalogue import ACCOUNT, PING
from innspect.schemas.catalogue import METHODS as CATALOGUE
from innspect.schemas.declaration import Method

BALANCE = 10**13
"""Kopecks; the balance stays the same, whatever is charged."""
Send = Callable[[dict[str, Any]], Awaitable[None]]


class _Application:
    """The service as a bare ASGI application."""

    def __init__(self, answers: MultipliedAnswers, changed: Collection[int]) -> None:
        self._answers, self._changed = answers, frozenset(changed)
        self._numbers = {inn: number for number, inn in enumerate(answers.inns)}
        self._paths = [
            (re.compile(re.escape(CATALOGUE[name].path).replace(r"\{inn\}", r"(\d+)")), CATALOGUE[name])
            for name in (*METHODS, ACCOUNT, PING)
        ]

    async def __call__(self, scope: dict[str, Any], _receive: object, send: Send) -> None:
        content = self._respond(scope["path"])
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    def _respond(self, path: str) -> bytes:
        for pattern, method in self._paths:
            if found := pattern.fullmatch(path):
                return wrap_payload(self._body(method, *found.groups()), "root", price=method.price, balance=BALANCE)
        raise LookupError(f"No method has the path {path}.")

    def _body(self, method: Method, inn: str = "") -> Body:
        if method.name == ACCOUNT:
            return encode_payload({"balance": BALANCE / 100, "status": "active", "spend_30_days": 0}, int(time()))
        if method.name == PING:
            return encode_payload({"valid": True}, int(time()))
        number = self._numbers[inn]
        payload = self._answers.body(number, method.name, has_other_debts=number in self._changed)
        return encode_payload(msgspec.json.decode(payload), int(time()))


@contextmanager
def serve_answers(answers: MultipliedAnswers, changed: Collection[int]) -> Generator[str]:
    """Serve them on a thread; `changed`: numbers of the INNs with other debts. The address."""
    config = uvicorn.Config(
        _Application(answers, changed),
        port=0,
        log_level="critical",
        access_log=False,
        lifespan="off",
        # Longer than the client keeps an idle connection: a call on one that is being closed has no known outcome.
        timeout_keep_alive=75,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()[:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.should_exit = True
        thread.join()
