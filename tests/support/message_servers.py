"""A mail server and an HTTP receiver on loopback that accept, refuse, or take a message without a reply."""

import email
import email.policy
import json
import socketserver
import threading
from dataclasses import dataclass, field
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

TOKEN = "t0ken-9f8A7b6C5d4E"
"""Part of every address: it must be nowhere else."""


@dataclass
class MailServer:
    """An SMTP server; `refuse` is the command that it refuses with 550, `is_silent` ends connections after the message."""

    refuse: str = ""
    is_silent: bool = False
    received: list[bytes] = field(default_factory=list)
    port: int = 0
    _server: Any = None

    @property
    def address(self) -> str:
        """The address of a receiver at this server; user and password are not used, the server offers no login."""
        return f"mailto://127.0.0.1:{self.port}?from=robot@firm.example&to=boss@firm.example&cto=5&x={TOKEN}"

    def emails(self) -> list[EmailMessage]:
        """The received messages."""
        return [email.message_from_bytes(content, policy=email.policy.default) for content in self.received]

    def mailbox(self) -> dict[str, EmailMessage]:
        """The messages as a mailbox that drops a second copy shows them: by Message-ID."""
        return {str(message["Message-ID"]): message for message in self.emails()}

    def __enter__(self) -> Self:
        mail = self

        class Handler(socketserver.StreamRequestHandler):
            def reply(self, line: str) -> None:
                self.wfile.write(line.encode() + b"\r\n")

            def handle(self) -> None:
                self.reply("220 mail.firm.example")
                while line := self.rfile.readline():
                    command = line.decode().strip().split(" ")[0].split(":")[0].upper()
                    if command == mail.refuse:
                        self.reply("550 no")
                    elif command == "DATA":
                        self.reply("354 go on")
                        lines = []
                        while (part := self.rfile.readline()) and part != b".\r\n":
                            lines.append(part.removeprefix(b".") if part.startswith(b"..") else part)
                        mail.received.append(b"".join(lines))
                        if mail.is_silent:
                            return
                        self.reply("250 accepted")
                    elif command == "QUIT":
                        self.reply("221 bye")
                        return
                    else:
                        self.reply("250 ok")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", self.port), Handler, bind_and_activate=False)
        self._server.allow_reuse_address = True
        self._server.daemon_threads = True
        self._server.server_bind()
        self._server.server_activate()
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass
class JsonReceiver:
    """An HTTP receiver of Apprise's `json://`; `status` is its reply, 0 ends the connection without one."""

    status: int = 200
    bodies: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0
    _server: Any = None

    @property
    def address(self) -> str:
        """The address of a receiver, with a secret path."""
        return f"json://127.0.0.1:{self.port}/hook/{TOKEN}"

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if receiver.status in (0, 200):
                    receiver.bodies.append(body)
                if receiver.status == 0:
                    self.connection.close()
                    return
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *_: object) -> None:  # noqa: A002 (the name is of the base class)
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
