"""Slows down guesses of a rental's password."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

FREE_BY_ADDRESS: Final = 5
"""Wrong passwords from one address before it has to wait."""
FREE_BY_RENTAL: Final = 50
"""Wrong passwords from all addresses before new addresses have to wait."""
LONGEST_WAIT: Final = 300.0
MOST_ADDRESSES: Final = 1_000
"""Maximum remembered addresses; the oldest failure is evicted."""


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last: float = 0.0

    def wait(self, free: int, now: float) -> float:
        """Seconds until the next try counts: 1, 2, 4 and so on after each failure beyond the free ones."""
        beyond = self.count - free
        pause = 0.0 if beyond < 0 else min(2.0 ** min(beyond, 30), LONGEST_WAIT)
        return max(0.0, self.last + pause - now)

    def add(self, now: float) -> None:
        self.count += 1
        self.last = now


@dataclass(slots=True)
class PasswordThrottle:
    """Throttle of wrong passwords for one rental. It does not apply to keys.

    A try that comes too early is not checked and changes nothing, so no one can lengthen another's wait.
    """

    clock: Callable[[], float] = time.monotonic
    _by_address: dict[str, _Failures] = field(default_factory=dict)
    _all: _Failures = field(default_factory=_Failures)
    _known: set[str] = field(default_factory=set)

    def wait(self, address: str) -> float:
        """Seconds until a password from an address is checked; 0 for immediately."""
        now = self.clock()
        own = self._by_address.get(address)
        wait = 0.0 if own is None else own.wait(FREE_BY_ADDRESS, now)
        if address in self._known:
            return wait
        return max(wait, self._all.wait(FREE_BY_RENTAL, now))

    def failed(self, address: str) -> None:
        """Counts a wrong password."""
        now = self.clock()
        own = self._by_address.pop(address, None) or _Failures()
        own.add(now)
        self._by_address[address] = own
        self._all.add(now)
        if len(self._by_address) > MOST_ADDRESSES:
            del self._by_address[next(iter(self._by_address))]

    def succeeded(self, address: str) -> None:
        """Forgets the failures of an address with the right password or key."""
        self._by_address.pop(address, None)
        self._known.add(address)
