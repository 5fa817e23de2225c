"""Limits of the connections that strangers open to a machine: they use up neither a gateway's descriptors, which its
sessions need, nor the places of others.
"""

from __future__ import annotations

import os
import resource
import socket
from collections import Counter
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from typing import Final, Protocol
from weakref import ref

from host_agent.errors import MachineFault

WANTED_DESCRIPTORS: Final = 65_536
RESERVED_DESCRIPTORS: Final = 256
"""Descriptors that no connection of a stranger gets: the engine needs them."""
MOST_STRANGERS: Final = 128
"""Maximum connections of one kind that have not logged in yet; the listings of an agent divide it among them."""
LEAST_STRANGERS: Final = 32
"""The least part of it: an address has an eighth."""
SHARES: Final = {4: ((32, 0.125), (24, 0.25)), 6: ((64, 0.125), (48, 0.25), (32, 0.5))}
"""Share of those for an address, and the networks around it."""
OPEN_SHARES: Final = {4: ((32, 0.5), (24, 0.75)), 6: ((64, 0.5), (48, 0.75), (32, 0.875))}
"""Share of the connections of one port, which may be those of a proxy with many clients."""


class Closable(Protocol):
    """A connection."""

    def abort(self) -> None:
        """Closes it immediately."""


class Anteroom:
    """Connections that have not logged in yet. When it is full, the oldest of the network that has the most leaves."""

    def __init__(self, most: int = MOST_STRANGERS) -> None:
        self.most = most
        self._waiting: dict[Closable, Sequence[str]] = {}
        self._by_network: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, connection: Closable, address: str) -> bool:
        """Admits a connection until it `leave`s. False if its network has its share, and it is to be closed."""
        shares = _shares(address, SHARES)
        if any(self._by_network[network] >= self.most * share for network, share in shares):
            return False
        if len(self._waiting) >= self.most:
            self._make_room()
        networks = [network for network, _ in shares]
        self._waiting[connection] = networks
        self._by_network.update(networks)
        return True

    def leave(self, connection: Closable) -> None:
        """Frees the place of a connection that has logged in or ended."""
        for network in self._waiting.pop(connection, ()):
            self._by_network[network] -= 1
            if not self._by_network[network]:
                del self._by_network[network]

    def _make_room(self) -> None:
        oldest = max(self._waiting, key=lambda each: self._by_network[self._waiting[each][-1]])
        self.leave(oldest)
        oldest.abort()


class GuardedSocket(socket.socket):
    """A listening socket that closes connections beyond `most`, beyond their network's share, and those that would take
    one of RESERVED_DESCRIPTORS.
    """

    most: int
    _accepts: bool
    _open: list[tuple[ref[socket.socket], Sequence[str]]]

    @classmethod
    def bound(cls, bind: str, port: int, most: int) -> GuardedSocket:
        """A socket at an address of this machine. OSError if the port is taken."""
        family = socket.AF_INET if ip_address(bind).version == 4 else socket.AF_INET6
        made = cls(family, socket.SOCK_STREAM)
        made._guard(most)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            made.bind((bind, port))
        except OSError:
            made.close()
            raise
        return made

    @classmethod
    def taken_over(cls, descriptor: int, most: int) -> GuardedSocket:
        """A socket at which another process has listened so far."""
        made = cls(fileno=descriptor)
        made._guard(most)
        return made

    def _guard(self, most: int) -> None:
        self.most = most
        self._open = []
        self._accepts = True

    def stop_accepting(self) -> None:
        """Leaves connections that wait to another process with the same socket."""
        self._accepts = False

    @property
    def connections(self) -> int:
        """Number of its connections that are open."""
        self._forget_closed()
        return len(self._open)

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection. ConnectionAbortedError for one that may not stay, BlockingIOError if none waits."""
        if not self._accepts:
            raise BlockingIOError
        connection, address = super().accept()
        networks = _shares(str(address[0]), OPEN_SHARES)
        if not self._may_stay(connection, networks):
            connection.close()
            raise ConnectionAbortedError
        self._open.append((ref(connection), [network for network, _ in networks]))
        return connection, address

    def _may_stay(self, connection: socket.socket, networks: Sequence[tuple[str, float]]) -> bool:
        self._forget_closed()
        of_network = Counter(network for _, own in self._open for network in own)
        return (
            is_spare(connection.fileno())
            and len(self._open) < self.most
            and all(of_network[network] < self.most * share for network, share in networks)
        )

    def _forget_closed(self) -> None:
        self._open = [each for each in self._open if (known := each[0]()) is not None and known.fileno() >= 0]


def strangers_of_each(listings: int) -> int:
    """Connections that have not logged in, of one kind, for each of an agent's listings."""
    return max(MOST_STRANGERS // listings, LEAST_STRANGERS)


def bound(protocol: str, bind: str, port: int, most: int) -> GuardedSocket:
    """A socket for a protocol at an address of this machine. MachineFault if the port is taken."""
    try:
        return GuardedSocket.bound(bind, port, most)
    except OSError as error:
        raise MachineFault(
            f"{protocol} cannot listen on {bind}:{port}: {error.strerror}",
            "Free the port, or choose another --first-port.",
        ) from error


def raise_descriptor_limit() -> int:
    """Raises the process's limit of descriptors as far as it may; returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return soft


def is_spare(descriptor: int) -> bool:
    """True if a new descriptor is outside the reserve: each is the lowest free number."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit == resource.RLIM_INFINITY or descriptor < limit - RESERVED_DESCRIPTORS


def has_spare() -> bool:
    """True if a descriptor that a tenant needs would be none of those that are kept back."""
    try:
        probe = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return False
    try:
        return is_spare(probe)
    finally:
        os.close(probe)


def network_of(address: str) -> str:
    """The network whose wrong passwords count together: the address, or the /64 of IPv6."""
    shares = _shares(address, SHARES)
    return shares[0][0] if shares else address


def _shares(address: str, parts: dict[int, tuple[tuple[int, float], ...]]) -> Sequence[tuple[str, float]]:
    """The networks that an address counts for, the narrowest first, with the share of each."""
    try:
        given = ip_address(address.partition("%")[0])
    except ValueError:
        return ()
    mapped = getattr(given, "ipv4_mapped", None)
    own = given if mapped is None else mapped
    return [(str(ip_network((own, bits), strict=False)), share) for bits, share in parts[own.version]]
