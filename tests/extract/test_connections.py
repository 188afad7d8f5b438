"""Connections of the client, counted by a loopback server: one per concurrent call with HTTP/1.1, one with HTTP/2."""

import asyncio
import ipaddress
import ssl
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from pydantic import SecretStr

from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.paid_calls import PaidCalls
from innspect.schemas.settings.sections import Service
from innspect.schemas.states import CallState

INNS = [f"{number:010d}" for number in range(7700000001, 7700000121)]
CONCURRENCY = 16
BODY = b'{"name": "x", "price": 3}'


def now() -> datetime:
    return datetime.now(UTC)


class Server:
    """Responds with BODY after a delay, and counts connections, requests and concurrent requests."""

    def __init__(self):
        self.connections = self.requests = self.active = self.most_active = 0

    async def handle(self):
        self.requests += 1
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        await asyncio.sleep(0.01)
        self.active -= 1

    async def plain(self, reader, writer):
        self.connections += 1
        while await reader.readuntil(b"\r\n\r\n"):
            await self.handle()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY))

    async def second(self, reader, writer):
        self.connections += 1
        talk = H2Connection(H2Configuration(client_side=False))
        talk.initiate_connection()
        writer.write(talk.data_to_send())

        async def respond(stream):
            await self.handle()
            talk.send_headers(stream, [(":status", "200"), ("content-length", str(len(BODY)))])
            talk.send_data(stream, BODY, end_stream=True)
            writer.write(talk.data_to_send())

        async with asyncio.TaskGroup() as group:
            while data := await reader.read(65536):
                for event in talk.receive_data(data):
                    if isinstance(event, RequestReceived):
                        group.create_task(respond(event.stream_id))
                writer.write(talk.data_to_send())


@asynccontextmanager
async def serving(talk, context=None):
    async def until_left(reader, writer):
        try:
            await talk(reader, writer)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(until_left, "127.0.0.1", 0, ssl=context)
    async with server:
        scheme = "http" if context is None else "https"
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def make_all_calls(ledger, url):
    service = Service(base_url=url, concurrency=CONCURRENCY, requests_per_second=10_000)
    async with (
        AsyncLedger(ledger, Caps()) as async_ledger,
        ServiceClient(service, SecretStr("key"), now) as client,
        PaidCalls(client, async_ledger, {}) as calls,
    ):
        results = await asyncio.gather(*(calls.request("run", inn, "brief") for inn in INNS))
    assert {result.state for result in results} == {CallState.SETTLED}


async def test_http_1_opens_at_most_one_connection_per_concurrent_call(ledger):
    server = Server()
    async with serving(server.plain) as url:
        await make_all_calls(ledger, url)
    assert server.requests == len(INNS)
    assert 1 < server.most_active <= server.connections <= CONCURRENCY


async def test_http_2_calls_share_one_connection(ledger, tmp_path, monkeypatch):
    authority, context = create_tls(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    server = Server()
    async with serving(server.second, context) as url:
        await make_all_calls(ledger, url)
    assert server.requests == len(INNS)
    assert server.connections == 1 < server.most_active <= CONCURRENCY


async def test_tls_server_with_http_1_only_gets_concurrent_connections(ledger, tmp_path, monkeypatch):
    authority, context = create_tls(tmp_path, "http/1.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    server = Server()
    async with serving(server.plain, context) as url:
        await make_all_calls(ledger, url)
    assert server.requests == len(INNS)
    assert 1 < server.most_active <= CONCURRENCY
    assert server.connections <= 2 * CONCURRENCY


def create_tls(folder, protocol="h2"):
    """The path of a self-signed certificate for loopback, and a TLS context for the server."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now() - timedelta(days=1))
        .not_valid_after(now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "loopback.pem", folder / "loopback.key"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(public, private)
    context.set_alpn_protocols([protocol])
    return public, context
