"""Watches that a machine is not less than its listings say."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.generated.types import ListingSpec
from anchor_client.market import Market
from anchor_client.market.host.plan import spec_of
from host_agent.listings.overlap import SharedMachine
from host_agent.listings.shortfalls import KnownMachine, shortfalls

LOOK_SECONDS: Final = 300.0
"""Interval between two looks at the machine."""

log = structlog.get_logger(__name__)


class ListedWatch:
    """Shortfalls of one machine, by its listings as last read; it takes no orders while there are any."""

    def __init__(
        self,
        market: Market,
        owner: Pubkey,
        known: Callable[[], Awaitable[KnownMachine | None]],
        listings: Mapping[Pubkey, Listing],
        shared: SharedMachine | None = None,
        interval: float = LOOK_SECONDS,
    ) -> None:
        self.shortfalls: Sequence[str] = ()
        self._market = market
        self._owner = owner
        self._known = known
        self._listings = dict(listings)
        self._shared = shared or SharedMachine([])
        self._interval = interval
        self._machine: KnownMachine | None = None
        self._looked_at: float | None = None

    def tell(self, listings: Mapping[Pubkey, Listing]) -> None:
        """Takes over the listings as they are now."""
        self._listings = dict(listings)

    async def look(self) -> None:
        """Compares again; the machine itself is looked at if the last look is long ago. Logs what has changed, and
        hides listings of which there is less. Only their owner's key can. MachineFault if the engine is away.
        """
        now = time.monotonic()
        if self._looked_at is None or now - self._looked_at >= self._interval:
            self._machine = await self._known()
            self._looked_at = now
        less = [] if self._machine is None else list(shortfalls(self._machine, self._listings, self._shared))
        if less and less != self.shortfalls:
            log.error(
                "machine_less_than_listed",
                shortfalls=less,
                remedy="Correct the listing with `gpu-market host change LISTING`, and show it again with `--visible`. "
                "Until then it takes no orders.",
            )
        elif self.shortfalls and not less:
            log.info("machine_as_listed")
        self.shortfalls = less
        if less and self._market.address == self._owner:
            await self._hide()

    async def _hide(self) -> None:
        for address, listing in self._listings.items():
            if listing.visible:
                await self._market.host.update_listing(address, _hidden(listing))
                log.warning("listing_hidden", listing=str(address))


def _hidden(listing: Listing) -> ListingSpec:
    return ListingSpec(**spec_of(listing).field_values() | {"visible": False})
