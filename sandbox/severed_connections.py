"""Responses that do not arrive: the connection is closed before or in the middle of the body.

ASGI has no message that closes a connection, so the protocol gives each request its transport. Without a socket (an
ASGI client in a test) `ConnectionResetError` is raised instead.
"""

import asyncio
from typing import Any

from fastapi import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

TRANSPORT = "sandbox.transport"


class TransportProtocol(H11Protocol):
    """HTTP/1.1 protocol that passes the transport of a request to the application."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Add the transport to the scope of every request of the connection."""
        super().connection_made(transport)
        inner: Any = self.app

        async def outer(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[TRANSPORT] = transport
            await inner(scope, receive, send)

        self.app: ASGIApp = outer


class SeveredResponse(Response):
    """A response of which only the first `sent` bytes arrive; with 0 not even the headers."""

    media_type = "application/json"

    def __init__(self, content: bytes, *, sent: int) -> None:
        super().__init__(content)
        self._sent = sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the first bytes and close the connection; raises ConnectionResetError without a socket."""
        transport: asyncio.Transport | None = scope.get("extensions", {}).get(TRANSPORT)
        if transport is None:
            raise ConnectionResetError("The sandbox closed the connection.")
        if self._sent:
            start: Message = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            part: Message = {"type": "http.response.body", "body": bytes(self.body[: self._sent]), "more_body": True}
            await send(part)
        transport.close()
        while (await receive())["type"] != "http.disconnect":
            pass
