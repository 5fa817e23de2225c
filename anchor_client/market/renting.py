"""What a renter does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import AccountAddressTaken, InvalidOrder, UnknownHost, UnknownJob
from anchor_client.generated import errors as refusals
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Host
from anchor_client.generated.events import RentalAccepted, RentalOpened
from anchor_client.generated.types import RentalIssue, RentalKind
from anchor_client.market.history import events_of_rental
from anchor_client.market.job import Life
from anchor_client.market.plans import OrderRequest, Planner, RentPlan
from anchor_client.market.session import Session
from anchor_client.orders import DEFAULT_IMAGE, OrderDocument, OrderParts, PortForward, SealedOrder
from anchor_client.resources.job import Job
from anchor_client.sealing import Connection, SealKey
from anchor_client.tokens import MARKET_TOKEN
from anchor_client.transactions import Sent

ATTEMPTS: Final = 3
"""How often an order is tried when others are faster."""

_LISTING_GONE: Final = (refusals.ListingOccupied, refusals.ListingOffline, refusals.ListingHidden)
_SPOT_MOVED: Final = (refusals.WrongHolder, refusals.WrongChallenger, refusals.ChallengerWaiting)
_NONCE_USED: Final = (refusals.NonceMismatch, AccountAddressTaken)


class Renting(Session):
    """Instructions that a renter signs."""

    @property
    def plan(self) -> Planner:
        """The same actions as instructions to be signed elsewhere."""
        return Planner(self.reads)

    async def compute(
        self,
        *,
        gpu: str,
        duration: int,
        script: str | None = None,
        image: str = DEFAULT_IMAGE,
        pay: str | Pubkey = MARKET_TOKEN,
        kind: str | RentalKind = RentalKind.ON_DEMAND,
        max_cost: int | None = None,
        region: str | None = None,
        count: int | None = None,
        ports: Sequence[str | PortForward] = (),
        env: Mapping[str, str] | None = None,
        ssh_key: str | None = None,
        jupyter_token: str | None = None,
    ) -> Job:
        """Runs `script` (shell text) in `image` on a `gpu` for `duration` seconds.

        The order is sealed to the host that gets it. Raises InvalidOrder, and what `rent` raises.
        """
        parts = OrderParts.of(
            image=image,
            command=script,
            ports=tuple(port if isinstance(port, PortForward) else PortForward.parse(port) for port in ports),
            env=dict(env or {}),
            ssh_key=ssh_key,
            jupyter_token=jupyter_token,
        )
        return await self.rent(
            order=parts, duration=duration, pay=pay, gpu=gpu, region=region, count=count, kind=kind, max_cost=max_cost
        )

    async def rent(
        self,
        *,
        duration: int,
        pay: str | Pubkey,
        order: OrderParts | None = None,
        order_hash: bytes | None = None,
        gpu: str | None = None,
        region: str | None = None,
        count: int | None = None,
        listing: Pubkey | None = None,
        kind: str | RentalKind = RentalKind.ON_DEMAND,
        max_cost: int | None = None,
        bid_usd: int = 0,
        max_charges: int = 0,
        storage_gb: int = 0,
    ) -> Job:
        """Rents a machine for `duration` seconds: `listing`, or the best idle one that fits; tries the next when
        another renter is faster, and another nonce when the wallet itself is.

        `pay` is GPUM, USDC, SOL (wrapped on the way) or a mint's address; `max_cost` base units of it, by default the
        quoted price and 1 %. A spot order bids `bid_usd` micro-USD an hour, or the least that gets in; a `listing` that
        is held on spot is bid for. The order is made, sealed and delivered from `order`; `order_hash` alone names one
        that is delivered by other means. `max_charges` are base units that traffic and `storage_gb` of storage may
        cost besides, on a listing that charges for them. Raises what Planner.rent and `deliver_order` raise.
        """
        document = self.document_of(order) if order is not None else None
        if document is not None:
            order_hash = document.order_hash
        if order_hash is None:
            raise InvalidOrder("A rental needs an order or the hash of one")
        request = OrderRequest(
            duration=duration,
            pay=pay,
            order_hash=order_hash,
            kind=kind,
            gpu=gpu,
            region=region,
            count=count,
            listing=listing,
            max_cost=max_cost,
            bid_usd=bid_usd,
            max_charges=max_charges,
            storage_gb=storage_gb,
        )
        # Two orders of the same content and nonce would be one transaction, and so one rental.
        async with self.one_order_at_a_time:
            return await self._rent(request, document)

    def document_of(self, parts: OrderParts) -> OrderDocument:
        """The document of one rental, with a fresh key that is kept before anything is sent. InvalidOrder."""
        key = SealKey.generate()
        document = parts.for_renter(key.public)
        self.order_keys.keep(document.order_hash, key)
        return document

    async def connection(self, job: Pubkey) -> Connection | None:
        """How to reach the machine of one's rental; None until its host has accepted.

        Opened with the order's key, or the wallet's when the host had no order. Raises UnknownJob, OrderNotSealed.
        """
        events = [item.event for item in await self.history.events(job)]
        opened = next((event for event in events if isinstance(event, RentalOpened)), None)
        if opened is None:
            raise UnknownJob(f"No rental has ever been at {job}")
        accepted = next((event for event in events if isinstance(event, RentalAccepted)), None)
        if accepted is None:
            return None
        keys = [self.order_keys.find(opened.order_hash), SealKey.of_wallet(self.wallet)]
        return Connection.opened(accepted.connection, [key for key in keys if key is not None])

    async def extend(self, job: Pubkey, seconds: int, *, max_cost: int | None = None) -> Sent:
        """Buys `seconds` more for a running rental at its own rates, for at most `max_cost` base units."""
        plan = await self.plan.extend(self.address, job, seconds, max_cost=max_cost)
        return await self.send(plan.instructions)

    async def stop(self, job: Pubkey, *, issue: str | RentalIssue | None = None) -> Job:
        """Ends a rental: seconds used are paid, the rest is back in the same transaction.

        `issue` reports what is wrong with the machine on the way. UnknownJob, UnknownIssue.
        """
        plan = await self.plan.stop(self.address, job, issue=issue)
        return await self.ended(plan.ending, await self.send(plan.instructions))

    async def report_issue(self, job: Pubkey, issue: str | RentalIssue) -> Sent:
        """Says what is wrong with the machine of a rental that goes on. UnknownIssue."""
        return await self.send([self.plan.report_issue(self.address, job, issue)])

    async def rate(self, job: Pubkey, rating: int) -> Sent:
        """Rates a running rental once, 1 to 5, after the market's `min_rated_seconds`. UnknownJob."""
        rental = await self.reads.rental(job)
        return await self.send(
            [
                build.rate_rental(
                    rating=rating, renter=self.address, rental=job, rental_data=rental, program_id=self.program_id
                )
            ]
        )

    async def register_renter(self, wallet: Pubkey | None = None) -> Sent:
        """Creates a wallet's profile, one's own unless another is named; `rent` does it on the way."""
        instruction = build.register_renter(
            caller=self.address, wallet=wallet or self.address, program_id=self.program_id
        )
        return await self.send([instruction])

    async def _rent(self, request: OrderRequest, document: OrderDocument | None) -> Job:
        taken: list[Pubkey] = []
        attempt = 0
        while True:
            attempt += 1
            plan = await self.plan.rent(self.address, request, taken)
            if document is not None:
                await self._deliver(plan, document)
            try:
                return await self._opened(plan, await self.send(plan.instructions))
            except _LISTING_GONE:
                if request.listing is not None or attempt == ATTEMPTS:
                    raise
                taken.append(plan.offer.address)
            except (*_NONCE_USED, *_SPOT_MOVED):
                if attempt == ATTEMPTS:
                    raise

    async def _deliver(self, plan: RentPlan, document: OrderDocument) -> None:
        if self.deliver_order is None:
            return
        host = await self.reads.program.read(Host, plan.offer.listing.host)
        if host is None:
            raise UnknownHost(f"The host of listing {plan.offer.address} is gone")
        await self.deliver_order(SealedOrder.signed(self.wallet, document.order_hash, document.sealed(host.seal_key)))

    async def _opened(self, plan: RentPlan, sent: Sent) -> Job:
        life = Life.told(events_of_rental(plan.rental, sent))
        return life.job_as_told(plan.offer.listing, await self.reads.denomination(plan.mint))
