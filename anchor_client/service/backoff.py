"""Waits between attempts: the one way of backing off."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

_MOST_DOUBLINGS: Final = 32


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds to wait after failures in a row: `first`, then twice as long each time up to `most`."""

    first: float
    most: float

    def wait(self, failures: int) -> float:
        """The wait after this many failures, of which there is at least one."""
        return min(self.first * float(2 ** min(failures - 1, _MOST_DOUBLINGS)), self.most)

    def spread(self, failures: int) -> float:
        """The same with a quarter left to chance, so that callers don't return together."""
        return self.wait(failures) * random.uniform(0.75, 1.25)
