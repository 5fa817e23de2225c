"""Slows down those who try passwords, one network at a time: nobody can make another wait.

A rental's password is random and has 24 characters: tries from many networks together need no limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from host_agent.network.doors import network_of

FREE_TRIES: Final = 5
"""Wrong passwords from one network before it has to wait."""
LONGEST_WAIT: Final = 300.0
MOST_NETWORKS: Final = 1_000
"""Maximum remembered networks; the oldest failure is evicted."""


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the next try counts: 1, 2, 4 and so on after each failure beyond the free ones."""
        beyond = self.count - FREE_TRIES
        pause = 0.0 if beyond < 0 else min(2.0 ** min(beyond, 30), LONGEST_WAIT)
        return max(0.0, self.last + pause - now)

    def add(self, now: float) -> None:
        self.count += 1
        self.last = now


@dataclass(slots=True)
class PasswordThrottle:
    """Throttle of wrong passwords for one rental. It does not apply to keys.

    A try that comes too early is not checked and changes nothing.
    """

    clock: Callable[[], float] = time.monotonic
    _by_network: dict[str, _Failures] = field(default_factory=dict)

    def wait(self, address: str) -> float:
        """Seconds until a password from an address is checked; 0 for immediately."""
        own = self._by_network.get(network_of(address))
        return 0.0 if own is None else own.wait(self.clock())

    def failed(self, address: str) -> None:
        """Counts a wrong password."""
        network = network_of(address)
        own = self._by_network.pop(network, None) or _Failures()
        own.add(self.clock())
        self._by_network[network] = own
        if len(self._by_network) > MOST_NETWORKS:
            del self._by_network[next(iter(self._by_network))]

    def succeeded(self, address: str) -> None:
        """Forgets the failures of a network with the right password or key."""
        self._by_network.pop(network_of(address), None)
