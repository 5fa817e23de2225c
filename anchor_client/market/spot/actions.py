"""Bids for machines that are held on spot, and what anyone does about those that wait."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.errors import NotWaiting
from anchor_client.generated import instructions as build
from anchor_client.generated.types import RentalKind
from anchor_client.market.again import again
from anchor_client.market.area import Area
from anchor_client.market.rental.actions import RentalActions
from anchor_client.market.rental.ending import RentalEnding
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.market.session import Session
from anchor_client.market.spot.book import SpotBook
from anchor_client.market.spot.preemption import taking_over
from anchor_client.orders import Workload
from anchor_client.resources.job import Job
from anchor_client.solana.transactions import Sent
from anchor_client.symbols import MARKET_TOKEN


class SpotActions(Area):
    """Bids for one machine, taking them back, and handing machines over."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._rental = RentalActions(session)

    async def book(self, listing: Pubkey) -> SpotBook:
        """Spot book of a listing: its holder, its challenger and the lowest winning bid. UnknownListing."""
        return await self.reads.spot_book(listing)

    async def bid(
        self,
        listing: Pubkey,
        *,
        duration: int,
        bid_usd: int = 0,
        pay: str | Pubkey = MARKET_TOKEN,
        kind: str | RentalKind = RentalKind.SPOT,
        workload: Workload | None = None,
        order_hash: bytes = b"",
        max_cost: int | None = None,
    ) -> Job:
        """Orders a machine whoever holds it: takes it when it is free; otherwise waits for it against its spot holder,
        in place of a lower bid if there is one.

        `bid_usd` is micro-USD per machine-hour, zero the lowest winning bid. An order of another kind pays the full
        price and displaces any spot holder. Raises what `rental.open` raises.
        """
        wanted = RentalWanted(
            duration=duration,
            pay=pay,
            order_hash=order_hash,
            listing=listing,
            kind=kind,
            bid_usd=bid_usd,
            max_cost=max_cost,
        )
        return await self._rental.open(wanted, workload)

    @again
    async def withdraw(self, job: Pubkey) -> Job:
        """Takes back an order that still waits for its machine; the deposit returns in the same transaction.

        Its renter, less the compensation that the machine's holder gets, unless it is bound to take a held machine
        (OrderBound) or the machine is free for it (TakeOverDue); anyone, its renter included, once it has waited too
        long.
        UnknownJob, NotWaiting.
        """
        ending = await RentalEnding.read(self.reads, self.address, job)
        if ending.listing.challenger != job:
            raise NotWaiting(f"{job} does not wait for a machine")
        return await ending.job(await self.send(*await ending.withdrawn()))

    @again
    async def preempt(self, listing: Pubkey) -> Job:
        """Ends a challenged rental after its grace and hands the machine to the order that waits. Anyone, for the tip.

        UnknownListing, UnknownJob.
        """
        state = await self.reads.listing(listing)
        ending = await RentalEnding.read(self.reads, self.address, state.current)
        return await ending.job(await self.send(*await ending.preempted()))

    async def take_over(self, listing: Pubkey) -> Sent:
        """Gives a machine that fell idle to the order that waits for it. Anyone. UnknownListing, UnknownJob."""
        state = await self.reads.listing(listing)
        challenger = await self.reads.rental(state.challenger)
        accounts = taking_over(state, challenger, self.reads.program_id)
        return await self.act(build.take_over, listing=listing, **accounts)
