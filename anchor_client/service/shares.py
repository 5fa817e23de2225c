"""Shares of a pool by address: wallets and domains cost nothing, networks do.

What an address holds counts for each network around it too, and none of them may hold more than its part. A wallet with
standing, which costs something, has a share of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_network
from typing import Final, NamedTuple

WHOLE: Final = 8
PARTS: Final = {4: ((32, 2), (24, 4)), 6: ((64, 2), (48, 3), (32, 4))}
"""By IP version: the networks around an address, and how many eighths of a pool each may hold."""
OF_WALLET: Final = 2
"""Eighths of a pool that one wallet with standing may hold."""
KNOWN_ADDRESSES = 4_096
SHORTEST_WALLET: Final = 32


@lru_cache(KNOWN_ADDRESSES)
def networks_of(address: str) -> tuple[str, ...]:
    """The networks that an address counts for, the narrowest first. Of an IPv6 address the /64 may be given. Empty for
    what is no client elsewhere: this machine, or a Unix socket."""
    try:
        given = ip_network(address, strict=False)
    except ValueError:
        return ()
    own = given.network_address
    mapped = own.ipv4_mapped if isinstance(own, IPv6Address) else None
    if mapped is not None:
        return networks_of(str(mapped))
    if given.is_loopback:
        return ()
    return tuple([str(ip_network((own, bits), strict=False)) for bits, _ in PARTS[given.version]])


class Shares:
    """Counts what holders have of a pool: addresses, or wallets with standing. This machine may hold all of it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: Counter[str] = Counter()
        self._total = 0

    @property
    def is_full(self) -> bool:
        """True when nobody may take more."""
        return self._total >= self._size

    def has_room(self, address: str) -> bool:
        """True if an address may take one more."""
        return not self.is_full and all(self._held[name] < most for name, most in self._parts(address))

    def take(self, address: str) -> None:
        """Takes one, of a pool that has room."""
        self._total += 1
        self._held.update(_names_of(address))

    @contextmanager
    def holding(self, address: str) -> Iterator[None]:
        """Takes one, of a pool that has room, until the context is left."""
        self.take(address)
        try:
            yield
        finally:
            self.give_back(address)

    def give_back(self, address: str) -> None:
        """Gives back one that was taken."""
        self._total -= 1
        for name in _names_of(address):
            self._held[name] -= 1
            if not self._held[name]:
                del self._held[name]

    def _parts(self, address: str) -> list[tuple[str, int]]:
        return [
            (name, part_of(self._size, eighths))
            for name, eighths in zip(_names_of(address), eighths_of(address), strict=True)
        ]


def eighths_of(address: str) -> tuple[int, ...]:
    """Eighths of a pool that each network around an address may hold, or a wallet itself."""
    if is_wallet(address):
        return (OF_WALLET,)
    networks = networks_of(address)
    if not networks:
        return ()
    return tuple(eighths for _, eighths in PARTS[6 if ":" in networks[0] else 4])


class Nest(NamedTuple):
    """The networks that a row of a shared table counts for, the widest first, as its columns have them; empty where it
    takes no share."""

    wide: str = ""
    middle: str = ""
    origin: str = ""

    @classmethod
    def of(cls, holder: str) -> Nest:
        """Those of an address; a wallet with standing counts for itself alone."""
        names = _names_of(holder)
        if not names:
            return cls()
        return cls(names[-1], names[len(names) // 2], names[0])

    def parts(self, size: int) -> list[int]:
        """The part of a pool of `size` that each may hold."""
        if not self.origin:
            return []
        eighths = eighths_of(self.origin)
        return [part_of(size, each) for each in (eighths[-1], eighths[len(eighths) // 2], eighths[0])]


NOWHERE: Final = Nest()


def widest_of(holder: str) -> str:
    """The widest network around an address; a wallet or this machine itself."""
    return next(reversed(networks_of(holder)), holder)


def is_wallet(holder: str) -> bool:
    """True for a wallet's address, in base58."""
    return len(holder) >= SHORTEST_WALLET and not {".", ":"} & {*holder}


def _names_of(holder: str) -> tuple[str, ...]:
    if is_wallet(holder):
        return (holder,)
    return networks_of(holder)


def part_of(size: int, eighths: int) -> int:
    """So many eighths of a pool, rounded down; at least one."""
    return max(1, size * eighths // WHOLE)
