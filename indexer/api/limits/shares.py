"""Shares of a pool by address: wallets and domains cost nothing, networks do.

What an address holds counts for each network around it too, and none of them may hold more than its part.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from ipaddress import ip_network
from typing import Final

WHOLE: Final = 8
PARTS: Final = {4: ((32, 2), (24, 4)), 6: ((64, 2), (48, 3), (32, 4))}
"""By IP version: the networks around an address, and how many eighths of a pool each may hold."""
LEVELS: Final = 1 + max(map(len, PARTS.values()))
"""Of networks around an address, and the address itself."""
KNOWN_ADDRESSES = 4_096


@lru_cache(KNOWN_ADDRESSES)
def networks_of(address: str) -> tuple[str, ...]:
    """The networks that an address counts for, the narrowest first. Of an IPv6 address the /64 may be given. Empty for
    what is no client elsewhere: this machine, or a Unix socket."""
    try:
        given = ip_network(address, strict=False)
    except ValueError:
        return ()
    if given.is_loopback:
        return ()
    own = given.network_address
    return tuple([str(ip_network((own, bits), strict=False)) for bits, _ in PARTS[given.version]])


class Shares:
    """Counts what addresses hold of a pool. This machine may hold all of it."""

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
        self._held.update(networks_of(address))

    def give_back(self, address: str) -> None:
        """Gives back one that was taken."""
        self._total -= 1
        for name in networks_of(address):
            self._held[name] -= 1
            if not self._held[name]:
                del self._held[name]

    def _parts(self, address: str) -> list[tuple[str, int]]:
        networks = networks_of(address)
        if not networks:
            return []
        parts = PARTS[6 if ":" in address else 4]
        return [(name, part_of(self._size, eighths)) for name, (_, eighths) in zip(networks, parts, strict=True)]


def part_of(size: int, eighths: int) -> int:
    """So many eighths of a pool, rounded down; at least one."""
    return max(1, size * eighths // WHOLE)
