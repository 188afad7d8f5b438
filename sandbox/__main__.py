"""`python -m innspect.sandbox`: serve the sandbox on a port."""

import argparse
import asyncio
import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

import msgspec
import uvicorn

from innspect.sandbox.app import create_app
from innspect.sandbox.faults import FaultPlan, load_plan
from innspect.sandbox.options import (
    DEFAULT_ACCESS_STATUS,
    DEFAULT_BALANCE,
    DEFAULT_DAY,
    DEFAULT_KEY,
    FIRST_DAY,
    SandboxOptions,
)
from innspect.sandbox.severed_connections import TransportProtocol
from innspect.sandbox.state_choices import parse_choice, unknown_inn
from innspect.schemas.catalogue import CONFIRMABLE_METHODS
from innspect.schemas.errors import SettingsError

_USAGE = """curl -H 'X-Api-Key: {key}' {url}/api/v1/account
curl -H 'X-Api-Key: {key}' {url}/api/v1/company/7707083893
curl {url}/sandbox/bill
the description of every method: {url}/docs"""
_WATCH_SECONDS = 0.5
MAX_PORT = 65_535


def _roubles(text: str) -> int:
    try:
        kopecks = Decimal(text) * 100
    except InvalidOperation as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount in roubles") from error
    if not kopecks.is_finite() or kopecks < 0 or kopecks != kopecks.to_integral_value():
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount in roubles and whole kopecks")
    return int(kopecks)


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write it as YYYY-MM-DD") from error
    if day < FIRST_DAY:
        raise argparse.ArgumentTypeError(
            f"{text} is before {FIRST_DAY}, when the youngest generated companies are registered; name a later day"
        )
    return day


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; write a number from 0 to {MAX_PORT}")
    return int(text)


def argument_parser() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(
        prog="innspect sandbox",
        description="Serve an emulator of the paid service; all its data are generated.",
        epilog="Example: innspect sandbox --port 8808 --faults configs/faults/rough.toml",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=_port, default=8808, help="port; 0 takes a free one (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated companies (%(default)s)")
    parser.add_argument(
        "--day",
        type=_day,
        default=DEFAULT_DAY,
        help=f"current day of the sandbox, YYYY-MM-DD, from {FIRST_DAY} on (%(default)s)",
    )
    parser.add_argument(
        "--envelope", choices=("root", "data"), default="root", help="position of the payload in the response"
    )
    parser.add_argument(
        "--state",
        action="append",
        metavar="[INN:]BLOCK=STATE",
        help="state of a block, such as fssp=sources_failed, of one INN or of all; repeatable (none)",
    )
    parser.add_argument("--unknown-inn", action="append", metavar="INN", help="INN in no register; repeatable (none)")
    parser.add_argument("--faults", type=Path, metavar="FILE", help="TOML file with a fault plan")
    parser.add_argument(
        "--balance",
        type=_roubles,
        default=DEFAULT_BALANCE,
        metavar="RUB",
        help=f"balance of each key ({DEFAULT_BALANCE // 100})",
    )
    parser.add_argument(
        "--access-status",
        default=DEFAULT_ACCESS_STATUS,
        metavar="TEXT",
        help="access status of `account` (%(default)s)",
    )
    parser.add_argument("--key", action="append", help=f"accepted API key; repeatable ({DEFAULT_KEY})")
    parser.add_argument(
        "--person-method",
        action="append",
        choices=CONFIRMABLE_METHODS,
        metavar="NAME",
        help="company method, such as sanctions, that accepts INNs of persons too; repeatable (none)",
    )
    parser.add_argument(
        "--listening", type=int, metavar="FD", help="descriptor of a listening socket, instead of a port"
    )
    parser.add_argument("--parent-pid", type=int, help="exit when this process is no longer the parent")
    return parser


def _bind_socket(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio disables Nagle's algorithm only if the protocol is given, and create_server does not give it.
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except (OSError, OverflowError) as error:
        raise SettingsError(f"Choose another --host or --port than {host}:{port}: {error}", port=port) from error
    return listening


def _inherited_socket(number: int) -> socket.socket:
    try:
        return socket.socket(fileno=number)
    except OSError as error:
        raise SettingsError(f"--listening {number} is not a socket: {error}", port=number) from error


class _Server(uvicorn.Server):
    """A server that prints its address once it listens, and exits with its parent."""

    def __init__(self, config: uvicorn.Config, key: str, parent: int | None) -> None:
        super().__init__(config)
        self._key, self._parent = key, parent

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        bound = self.servers[0].sockets[0].getsockname()
        host = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        url = f"http://{host}:{bound[1]}"
        print(f"listening on {url}", flush=True)
        print(_USAGE.format(url=url, key=self._key), flush=True)

    async def main_loop(self) -> None:
        watch = asyncio.create_task(self._watch())
        await super().main_loop()
        watch.cancel()

    async def _watch(self) -> None:
        while self._parent is not None:
            if os.getppid() != self._parent:
                self.should_exit = True
            await asyncio.sleep(_WATCH_SECONDS)


def main(words: Sequence[str] | None = None) -> int:
    """Serve until stopped; returns 2 if the fault file is wrong or the port is in use."""
    chosen = argument_parser().parse_args(words)
    try:
        plan = load_plan(chosen.faults) if chosen.faults else FaultPlan()
        choices = [*map(unknown_inn, chosen.unknown_inn or ()), *map(parse_choice, chosen.state or ())]
        plan = msgspec.structs.replace(plan, state=(*plan.state, *choices))
        listening = (
            _bind_socket(chosen.host, chosen.port) if chosen.listening is None else _inherited_socket(chosen.listening)
        )
    except SettingsError as error:
        print(error.message, file=sys.stderr)
        return error.exit_code
    keys = tuple(chosen.key or [DEFAULT_KEY])
    options = SandboxOptions(
        seed=chosen.seed,
        day=chosen.day,
        envelope=chosen.envelope,
        balance=chosen.balance,
        access_status=chosen.access_status,
        keys=keys,
        faults=plan,
        person_methods=tuple(chosen.person_method or ()),
    )
    config = uvicorn.Config(
        create_app(options),
        http=TransportProtocol,
        timeout_keep_alive=75,
        log_level="critical",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )
    server = _Server(config, keys[0], chosen.parent_pid)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    return 0


if __name__ == "__main__":
    sys.exit(main())
