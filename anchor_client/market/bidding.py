"""What a renter does around machines that are held on spot."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.types import RentalKind
from anchor_client.market.renting import Renting
from anchor_client.market.spot import SpotBook
from anchor_client.orders import OrderParts
from anchor_client.resources.job import Job
from anchor_client.tokens import MARKET_TOKEN, TOKEN_ACCOUNT_BYTES


class Bidding(Renting):
    """Bids for one machine, and taking them back."""

    async def spot(self, listing: Pubkey) -> SpotBook:
        """Who holds a machine, who waits for it, and the least bid that gets in. UnknownListing."""
        return await self.reads.spot_book(listing)

    async def bid(
        self,
        listing: Pubkey,
        *,
        duration: int,
        bid_usd: int = 0,
        pay: str | Pubkey = MARKET_TOKEN,
        kind: str | RentalKind = RentalKind.SPOT,
        order: OrderParts | None = None,
        order_hash: bytes | None = None,
        max_cost: int | None = None,
    ) -> Job:
        """Orders a machine whoever holds it: takes it when it is free, else waits for it against its spot holder, in
        place of a lower bid if there is one.

        `bid_usd` is micro-USD per machine-hour, zero the least that gets in. An order of another kind pays the full
        price and displaces any spot holder. Raises what `rent` raises.
        """
        return await self.rent(
            order=order,
            order_hash=order_hash,
            duration=duration,
            pay=pay,
            listing=listing,
            kind=kind,
            bid_usd=bid_usd,
            max_cost=max_cost,
        )

    async def withdraw_bid(self, job: Pubkey) -> Job:
        """Takes back an order that still waits for its machine: everything returns in the same transaction."""
        ending = await self.ending(job)
        rent = await self.reads.program.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
        return await self.ended(ending, await self.send(ending.refunded(build.withdraw_challenger, rent)))
