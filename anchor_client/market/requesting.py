"""Requests: what a renter does to be found a machine, and what anyone does to find it."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.errors import InvalidOrder
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Host
from anchor_client.kinds import RequestState
from anchor_client.market.history import events_of_rental
from anchor_client.market.job import Life
from anchor_client.market.request_plans import MachineWanted, RequestPlanner
from anchor_client.market.requests import MachineRequest
from anchor_client.market.session import Session
from anchor_client.market.standing import read_sides
from anchor_client.orders import OrderParts, SealedOrder
from anchor_client.resources.job import Job
from anchor_client.sealing import SealKey
from anchor_client.tokens import create_associated_token
from anchor_client.transactions import Sent

if TYPE_CHECKING:
    from anchor_client.market.jobs import Jobs
    from anchor_client.market.requests import Requests


class Requesting(Session):
    """Instructions about requests."""

    jobs: Jobs
    requests: Requests

    async def request(self, wanted: MachineWanted, order: OrderParts | None = None) -> MachineRequest:
        """Escrows an order for whichever machine fits it; `order` is kept until a match names the host.

        Without `order`, `wanted.order_hash` names one that is delivered by other means. Raises what RequestPlanner.open
        raises.
        """
        if order is not None:
            key = SealKey.generate()
            document = order.for_renter(key.public)
            self.order_keys.keep(document.order_hash, key)
            self.waiting_orders.keep(document)
            wanted = replace(wanted, order_hash=document.order_hash)
        if not any(wanted.order_hash):
            raise InvalidOrder("A request needs an order or the hash of one")
        async with self.one_order_at_a_time:
            plan = await RequestPlanner(self.reads).open(self.address, wanted)
            return await self._told(plan.request, await self.send(plan.instructions))

    async def cancel_request(self, request: Pubkey) -> MachineRequest:
        """Withdraws one's request: deposit, rent and tips are back in the same transaction. UnknownRequest."""
        account = await self.reads.request(request)
        before = await self.requests.get(request)
        sent = await self.send(await RequestPlanner(self.reads).cancel(request, account))
        self.waiting_orders.forget(account.order_hash)
        return await self._told(request, sent, before)

    async def expire_request(self, request: Pubkey) -> MachineRequest:
        """Ends anyone's request that found no machine in time, for the tip. UnknownRequest."""
        account = await self.reads.request(request)
        before = await self.requests.get(request)
        sent = await self.send(
            [
                create_associated_token(self.address, account.renter, account.mint),
                build.expire_request(
                    caller=self.address, request=request, request_data=account, program_id=self.program_id
                ),
            ]
        )
        return await self._told(request, sent, before)

    async def match_request(self, request: Pubkey, listing: Pubkey) -> Job:
        """Puts anyone's request on an idle machine that fits, for the tip. UnknownRequest, UnknownListing."""
        reads = self.reads
        account, machine = await reads.request(request), await reads.listing(listing)
        market, mint = await reads.market(), await reads.payment_mint(account.mint)
        price = await reads.fresh_price(mint, await reads.now())
        sides = await read_sides(reads, account.renter, machine, market, mint)
        sent = await self.send(
            [
                create_associated_token(self.address, account.renter, account.mint),
                build.match_request(
                    caller=self.address,
                    request=request,
                    request_data=account,
                    listing=listing,
                    listing_data=machine,
                    renter_stake=sides.renter_stake,
                    host_stake=sides.host_stake,
                    price_feed=price.feed,
                    program_id=self.program_id,
                ),
            ]
        )
        found = await self.requests.get(request)
        life = Life.told(events_of_rental(found.rental, sent))
        return life.job_as_told(machine, await reads.denomination(account.mint))

    async def await_match(self, request: Pubkey) -> Job | MachineRequest:
        """Waits until one's request ends. A match gives its job, once the order has been sealed to the host and handed
        over; the request itself comes back when it was cancelled or expired. UnknownRequest.
        """
        async with aclosing(self.requests.watch(request)) as states:
            found = [state async for state in states][-1]
        if found.state is not RequestState.MATCHED:
            self.waiting_orders.forget(found.order_hash)
            return found
        await self.deliver_matched(found)
        return await self.jobs.get(found.rental)

    async def deliver_matched(self, request: MachineRequest) -> bool:
        """Seals the order of one's matched request to its host and hands it over; whether there was one to hand over.

        What `deliver_order` raises leaves the order waiting.
        """
        document = self.waiting_orders.find(request.order_hash)
        if document is None or self.deliver_order is None or request.listing is None:
            return False
        if request.renter != self.address:
            return False
        listing = await self.reads.listing(request.listing)
        host = await self.reads.program.read(Host, listing.host)
        if host is None:
            return False
        sealed = document.sealed(host.seal_key)
        await self.deliver_order(SealedOrder.signed(self.wallet, request.order_hash, sealed))
        self.waiting_orders.forget(request.order_hash)
        return True

    async def _told(self, request: Pubkey, sent: Sent, before: MachineRequest | None = None) -> MachineRequest:
        told = await self.requests.told(request, sent, before)
        if told is None:
            raise LookupError(f"transaction {sent.signature} opened no request")
        return told
