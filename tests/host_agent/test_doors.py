"""Strangers' connections: how many an address, a network and all together may hold."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from anchor_client.connection import Connection
from host_agent.network.doors import (
    RESERVED_DESCRIPTORS,
    Anteroom,
    GuardedSocket,
    has_spare,
    network_of,
    strangers_of_each,
)
from host_agent.ssh import RenterCredentials, SshIdentity, TenantSshServer
from host_agent.ssh import server as ssh_server
from tests.docs.pages import ROOT
from tests.host_agent.docker.process_inside import ProcessInside
from tests.host_agent.ssh import inside, logged_in
from tests.indexer.service import until
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

MOST = 16


class Visitor:
    """A connection that remembers whether it was closed."""

    def __init__(self) -> None:
        self.is_closed = False

    def abort(self) -> None:
        self.is_closed = True


def entered(room: Anteroom, *addresses: str) -> list[bool]:
    """True for each address that was admitted."""
    return [room.enter(Visitor(), address) for address in addresses]


def test_anteroom__one_address__holds_its_share() -> None:
    room = Anteroom(MOST)
    assert entered(room, *["192.0.2.1"] * 4) == [True, True, False, False]
    assert entered(room, "192.0.2.2") == [True]


def test_anteroom__many_addresses_of_a_network__hold_its_share() -> None:
    room = Anteroom(MOST)
    assert entered(room, *(f"192.0.2.{place}" for place in range(6))) == [True] * 4 + [False] * 2
    assert entered(room, "198.51.100.1") == [True]


def test_anteroom__ipv6__networks_hold_shares() -> None:
    room = Anteroom(MOST)
    assert entered(room, "2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2::3") == [True, True, False]
    assert entered(room, "2001:db8:1:3::1", "2001:db8:1:4::1", "2001:db8:1:5::1") == [True, True, False]
    assert entered(room, *(f"2001:db8:{place}::1" for place in range(2, 8))) == [True] * 4 + [False] * 2
    assert entered(room, "2001:db9::1", "::ffff:192.0.2.1") == [True, True]


def test_anteroom__full__oldest_of_the_network_with_most_makes_room() -> None:
    room, busy = Anteroom(MOST), [Visitor(), Visitor()]
    for visitor in busy:
        assert room.enter(visitor, "192.0.2.99")
    assert all(entered(room, *(f"10.0.{place}.1" for place in range(MOST - 2))))
    assert room.enter(newest := Visitor(), "198.51.100.1")
    assert [each.is_closed for each in busy] == [True, False] and not newest.is_closed and len(room) == MOST


def test_anteroom__has_left__makes_room_for_its_network() -> None:
    room, visitor = Anteroom(MOST), Visitor()
    assert room.enter(visitor, "192.0.2.1") and entered(room, "192.0.2.1", "192.0.2.1") == [True, False]
    room.leave(visitor)
    room.leave(visitor)
    assert entered(room, "192.0.2.1", "192.0.2.1") == [True, False]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1/32"),
        ("::ffff:192.0.2.1", "192.0.2.1/32"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_network_of__address__is_what_counts_together(address: str, network: str) -> None:
    assert network_of(address) == network


@contextmanager
def dialled(port: int, count: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """Connections from an address of this machine."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0)))
            for _ in range(count)
        ]


def test_guarded__more_than_it_takes_from_one_or_all__are_closed_until_others_leave() -> None:
    port = free_ports(1)
    with GuardedSocket.bound("127.0.0.1", port, 4) as guarded, ExitStack() as stack:
        guarded.listen(16)

        def taken(count: int, source: str) -> int:
            stack.enter_context(dialled(port, count, source))
            found = 0
            for _ in range(count):
                try:
                    accepted.append(guarded.accept()[0])
                    found += 1
                except ConnectionAbortedError:
                    pass
            return found

        accepted: list[socket.socket] = []
        assert [taken(3, "127.0.0.1"), taken(2, "127.0.0.2"), taken(2, "127.0.3.1")] == [2, 1, 1]
        accepted.pop(0).close()
        assert taken(2, "127.0.0.1") == 1
        for each in accepted:
            each.close()


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Connection]:
    """The SSH server of a tenancy."""
    identity, port = SshIdentity.load_or_create(tmp_path / "host_key"), free_ports(1)
    server = await TenantSshServer.listening(
        identity, "127.0.0.1", port, RenterCredentials("right"), ProcessInside(tmp_path)
    )
    yield Connection(host="127.0.0.1", port=port, password="right", host_key=identity.public_key)
    await server.close()


async def ended(connections: list[socket.socket]) -> int:
    """Number of connections that the machine has closed, once those that greet have greeted."""
    count = 0
    for each in connections:
        each.settimeout(PATIENCE)
        try:
            count += await asyncio.to_thread(each.recv, 3) != b"SSH"
        except ConnectionError:
            count += 1
    return count


async def test_ssh__strangers_hold_all_they_can__the_renter_gets_in(
    machine: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_server, "STRANGERS", room := Anteroom(MOST))
    with ExitStack() as stack:
        for place in range(2, 22):
            found = stack.enter_context(dialled(machine.port, 4, f"127.0.{place}.1"))
            assert await ended(found) >= 2
        assert len(room) <= MOST
        for _ in range(3):
            assert await inside(machine, "echo in") == (0, "in\n")
    async with logged_in(machine), logged_in(machine), logged_in(machine):

        async def is_empty() -> bool:
            return not len(room)

        await until(is_empty)


async def test_ssh__descriptors_run_out__the_last_are_kept_back(
    machine: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as lowest:
        limit = lowest.fileno() + RESERVED_DESCRIPTORS + 20
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, resource.RLIM_INFINITY))
    with dialled(machine.port, 5) as first:
        assert await ended(first) == 0
        with dialled(machine.port, 20, "127.0.0.2") as more:
            assert await ended(more) >= 10
            assert not has_spare()

    async def is_spare_again() -> bool:
        return has_spare()

    await until(is_spare_again)
    assert await inside(machine, "echo in") == (0, "in\n")


@pytest.mark.parametrize(("listings", "each"), [(1, 128), (2, 64), (4, 32), (8, 32)])
def test_strangers__of_several_listings__are_divided_down_to_a_least(listings: int, each: int) -> None:
    assert strangers_of_each(listings) == each
    row = f"| {listings} | {each} | {listings * each} | {each // 8} | {listings * each // 8} |"
    assert row in (ROOT / "docs/security.md").read_text()
    room = Anteroom(each)
    assert [room.enter(Visitor(), "192.0.2.1") for _ in range(each // 8 + 1)] == [True] * (each // 8) + [False]


def test_guarded__stops_accepting__leaves_who_waits_to_the_next_process() -> None:
    port = free_ports(1)
    with GuardedSocket.bound("127.0.0.1", port, MOST) as earlier:
        earlier.listen()
        with GuardedSocket.taken_over(earlier.dup().detach(), MOST) as later:
            with socket.create_connection(("127.0.0.1", port)):
                earlier.stop_accepting()
                with pytest.raises(BlockingIOError):
                    earlier.accept()
                accepted, _ = later.accept()
                assert (earlier.connections, later.connections) == (0, 1)
                accepted.close()
            assert later.connections == 0
