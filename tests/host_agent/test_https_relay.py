"""HTTP ports by TLS: every byte goes through as it is, and connections end with the tenancy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Origin

from anchor_client.connection import Connection
from host_agent.errors import MachineFault
from host_agent.web import HttpsPorts, Streams, TlsIdentity, relay
from tests.host_agent.docker.https import fetch, hang_up, pinned, serving, until_closed, unverified
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

HERE = "127.0.0.1"
BIG = 3 * 2**20 + 17


@pytest.fixture
def tls(tmp_path: Path) -> TlsIdentity:
    return TlsIdentity.load_or_create(tmp_path / "certificate.pem", HERE)


class Machine:
    """The agent's ports, and the container's: here both are this machine's."""

    def __init__(self, tls: TlsIdentity) -> None:
        self.inside, self._public = free_ports(1), free_ports(1)
        self.connection = Connection(
            host=HERE, port=1, password="p", https={self.inside: self._public}, certificate=tls.pin
        )
        self.is_there = True
        self._tls = tls

    async def listening(self) -> HttpsPorts:
        return await HttpsPorts.listening(self._tls.context, HERE, self.connection.https, self._connect)

    async def _connect(self, port: int) -> Streams:
        if not self.is_there:
            raise MachineFault("The container is on no network")
        return await asyncio.open_connection(HERE, port)


@pytest.fixture
async def machine(tls: TlsIdentity) -> AsyncIterator[Machine]:
    made = Machine(tls)
    ports = await made.listening()
    yield made
    await ports.close()


async def test_relay__request_with_a_large_body__both_sides_get_every_byte(machine: Machine) -> None:
    heard = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.extend(await reader.readexactly(BIG))
        writer.write(bytes(reversed(heard)))

    said = bytes(range(251)) * (BIG // 251 + 1)
    async with serving(answer, machine.inside):
        reader, writer = await pinned(machine.connection, machine.inside)
        writer.write(said[:BIG])
        assert await reader.read() == said[:BIG][::-1]
        await hang_up(writer)
    assert heard == said[:BIG]


async def test_relay__websocket__is_upgraded_and_sees_the_callers_headers(machine: Machine) -> None:
    async def echo(socket: ServerConnection) -> None:
        assert socket.request is not None
        await socket.send(socket.request.headers["Origin"] + " " + socket.request.headers["Host"])
        async for message in socket:
            await socket.send(message)

    url = machine.connection.urls[machine.inside].replace("https", "wss")
    async with (
        serve(echo, HERE, machine.inside),
        connect(url, ssl=unverified(), origin=Origin("https://page.test"), proxy=None) as socket,
    ):
        assert await socket.recv() == f"https://page.test {url.split('/')[2]}"
        for message in ("text", b"\x00\xff" * 100_000):
            await socket.send(message)
            assert await socket.recv() == message


async def test_relay__program_has_not_started__is_said_and_later_it_is_reached(machine: Machine) -> None:
    status, said = await fetch(machine.connection, machine.inside)
    assert status == 502 and "may not have started" in said
    machine.is_there = False
    assert (await fetch(machine.connection, machine.inside))[0] == 502
    machine.is_there = True

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nserved")

    async with serving(answer, machine.inside):
        assert await fetch(machine.connection, machine.inside) == (200, "served")


async def test_close__connections_are_open__both_of_their_ends_are_closed(tls: TlsIdentity) -> None:
    machine = Machine(tls)
    ports = await machine.listening()
    ended = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"+")
        await until_closed(reader)
        ended.set()

    async with serving(wait, machine.inside), asyncio.timeout(PATIENCE):
        reader, writer = await pinned(machine.connection, machine.inside)
        assert await reader.readexactly(1) == b"+"
        await ports.close()
        await until_closed(reader)
        await ended.wait()
        await hang_up(writer)
    with pytest.raises(ConnectionRefusedError):
        await pinned(machine.connection, machine.inside)


async def test_listening__one_port_is_taken__no_other_stays_open(tls: TlsIdentity) -> None:
    first = free_ports(2)
    async with await asyncio.start_server(lambda reader, writer: None, HERE, first + 1):
        with pytest.raises(MachineFault, match=str(first + 1)):
            await HttpsPorts.listening(tls.context, HERE, {80: first, 81: first + 1}, Machine(tls)._connect)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HERE, first)


async def test_relay__more_connections_than_it_takes__are_closed(
    tls: TlsIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "MOST_CONNECTIONS", 2)
    machine = Machine(tls)
    ports = await machine.listening()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"+")
        await until_closed(reader)

    async with serving(wait, machine.inside):
        kept, writer = await pinned(machine.connection, machine.inside)
        assert await kept.readexactly(1) == b"+"
        with pytest.raises(ConnectionError):
            await pinned(machine.connection, machine.inside)
        await hang_up(writer)
        again, writer = await pinned(machine.connection, machine.inside)
        assert await again.readexactly(1) == b"+"
        await hang_up(writer)
    await ports.close()
