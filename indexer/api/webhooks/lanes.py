"""Two lanes of senders: endpoints that do not answer keep only each other waiting.

The quick lane serves endpoints that have answered their last notice within a second, and cuts each attempt there. All
others share the slow one. In each an address, from which endpoints were added, holds no more than its part.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from anchor_client.service.shares import Shares
from indexer.accounts.deliveries import Due

SLOW_PART: Final = 4
"""The slow lane has a quarter of the senders."""


class Lanes:
    """The senders in use."""

    def __init__(self, senders: int) -> None:
        slow = max(1, senders // SLOW_PART)
        self._shares = {False: Shares(slow), True: Shares(senders - slow)}
        self._lane_of: dict[str, tuple[Shares, str]] = {}

    def choose(self, due: Iterable[Due]) -> list[str]:
        """Gives senders to endpoints, in the order given; those that get one."""
        chosen = []
        for each in due:
            shares = self._shares[each.is_quick]
            if each.endpoint not in self._lane_of and shares.has_room(each.origin):
                shares.take(each.origin)
                self._lane_of[each.endpoint] = shares, each.origin
                chosen.append(each.endpoint)
        return chosen

    def give_back(self, endpoint: str) -> None:
        """Frees an endpoint's sender, if it has one."""
        shares, origin = self._lane_of.pop(endpoint, (None, ""))
        if shares is not None:
            shares.give_back(origin)
