"""A rehearsal: an order as a renter would place it, run and wiped without one."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Final

from msgspec.structs import replace as replace_fields
from solders.keypair import Keypair

from anchor_client.connection import Connection
from anchor_client.machine.port_answers import port_answer
from anchor_client.machine.reach import Reach
from anchor_client.orders import MAX_PORTS, PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.docker.workspace import WORKSPACE
from host_agent.identity import MachineIdentity
from host_agent.settings.machine import MachineSettings

FIRST_PORT: Final = 8_000
SECONDS: Final = 20.0
"""Time for each port to answer."""
CAPABLE: Final = {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
"""Capabilities that the test's image does not request from the driver itself."""
RETRY_SECONDS: Final = 0.2
SERVE: Final = """
echo {token} > /workspace/index.html
for port in {ports}; do
  if command -v python3 > /dev/null; then python3 -m http.server -d /workspace $port > /dev/null 2>&1 &
  else httpd -p $port -h /workspace; fi
done
"""
"""Answers every port with the token; for an image with Python, or with busybox."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """An order that runs, as its renter would reach it from this machine."""

    connection: Connection
    token: str
    """Text that each of its ports answers with."""
    certificate: str
    """SHA-256 of the machine's certificate, in hex."""
    start_seconds: float


@asynccontextmanager
async def rehearsed(
    engine: Engine, settings: MachineSettings, identity: MachineIdentity, image: str
) -> AsyncIterator[Rehearsal]:
    """Runs the order while the context lasts, with every port that an order may have; then wipes the machine.
    OrderRefused, MachineFault.
    """
    settings = replace(settings, images=replace(settings.images, registries=()))
    token = secrets.token_hex(16)
    forwards = [
        PortForward(port=FIRST_PORT + place, protocol="http" if place == 0 else "tcp") for place in range(MAX_PORTS)
    ]
    serve = SERVE.format(token=token, ports=" ".join(str(forward.port) for forward in forwards))
    workload = Workload.of(image=image, command=serve, ports=tuple(forwards), env=CAPABLE)
    order = workload.for_renter(SealKey.generate().public)
    rental = Keypair().pubkey()
    machine = DockerMachine(engine, settings, SealKey.generate(), identity)
    begun = time.monotonic()
    try:
        await machine.provision(rental, order)
        connection = replace_fields(machine.connection(rental, order), host=_here(settings.bind))
        yield Rehearsal(connection, token, identity.tls.digest, time.monotonic() - begun)
    finally:
        await machine.vacate()


async def answering_ports(rehearsal: Rehearsal) -> dict[int, bool]:
    """The machine's forwarded ports, each with True if it leads to the order; with the terminal's."""
    asked = [
        *((port, False, rehearsal.token) for port in rehearsal.connection.ports.values()),
        *((port, True, rehearsal.token) for port in rehearsal.connection.https.values()),
        *((port, True, "HTTP/1.") for port in _terminal(rehearsal.connection)),
    ]
    answers = await asyncio.gather(*(_answers(rehearsal, *each) for each in asked))
    return {port: answer for (port, _, _), answer in zip(asked, answers, strict=True)}


def reach_of(rehearsal: Rehearsal, address: str) -> Reach:
    """The same ports at the machine's own address, for someone else to try."""
    connection = rehearsal.connection
    return Reach(
        host=address,
        ssh=connection.port,
        token=rehearsal.token,
        plain=tuple(connection.ports.values()),
        certificate=rehearsal.certificate,
        tls=(*connection.https.values(), *_terminal(connection)),
    )


async def left_over(engine: Engine, settings: MachineSettings) -> list[str]:
    """Things that a wiped tenant has left on the engine."""
    listing = settings.listing
    found = {
        "container": await engine.container(listing, TENANT),
        "network": await engine.network(listing, TENANT),
        "workspace": await engine.volumes.find(name_of(listing, WORKSPACE)),
    }
    return [what for what, left in found.items() if left is not None]


def _here(bind: str) -> str:
    """Address at which this machine reaches what listens at `bind`."""
    if not ip_address(bind).is_unspecified:
        return bind
    return "127.0.0.1" if ip_address(bind).version == 4 else "::1"


def _terminal(connection: Connection) -> list[int]:
    return [] if connection.terminal is None else [connection.terminal]


async def _answers(rehearsal: Rehearsal, port: int, tls: bool, expected: str) -> bool:
    """True once the port answers with the expected text, and by TLS with the machine's certificate."""
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                answer = await port_answer(rehearsal.connection.host, port, tls=tls)
                if answer is not None and expected.encode() in answer.text:
                    return not tls or answer.certificate == rehearsal.certificate
                await asyncio.sleep(RETRY_SECONDS)
    except TimeoutError:
        return False
