"""Requests: what a renter does to be found a machine, and what anyone does to find it."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from solders.pubkey import Pubkey

from anchor_client.errors import InvalidOrder
from anchor_client.generated import instructions as build
from anchor_client.generated.pdas import find_rental
from anchor_client.market.history import events_of_rental
from anchor_client.market.job import Life
from anchor_client.market.jobs import Jobs
from anchor_client.market.request.lookup import Requests
from anchor_client.market.request.plan import MachineWanted, RequestPlanner
from anchor_client.payment_tokens import payout_account, payout_bump
from anchor_client.resources.job import Job
from anchor_client.resources.request import MachineRequest
from anchor_client.solana.transactions import Sent

if TYPE_CHECKING:
    from anchor_client.orders import Workload


class RequestActions(Requests):
    """Instructions about requests, and requests as they stand. Every method raises the network's errors."""

    @property
    def plan(self) -> RequestPlanner:
        """Planner of a renter's instructions, which are signed elsewhere."""
        return RequestPlanner(self.reads)

    async def open(self, wanted: MachineWanted, workload: Workload | None = None) -> MachineRequest:
        """Escrows an order for whichever machine fits it; its document is kept until a match names the host.

        Without `workload`, `wanted.order_hash` names one that is delivered by other means. Raises what
        RequestPlanner.open raises.
        """
        if workload is not None:
            from anchor_client.market.rental.opening import new_document  # noqa: PLC0415 - sealing takes long

            document = new_document(self.session, workload)
            self.session.waiting_documents.keep(document.order_hash, document)
            wanted = replace(wanted, order_hash=document.order_hash)
        if not any(wanted.order_hash):
            raise InvalidOrder("A request needs an order or the hash of one")
        async with self.session.one_order_at_a_time:
            plan = await self.plan.open(self.address, wanted)
            return await self._told(plan.request, await self.send(*plan.instructions))

    async def cancel(self, request: Pubkey) -> MachineRequest:
        """Withdraws the wallet's request: deposit, rent and tips are back in the same transaction. UnknownRequest."""
        account = await self.reads.request(request)
        before = await self.get(request)
        sent = await self.send(*self.plan.cancel(request, account))
        self.session.waiting_documents.forget(account.order_hash)
        return await self._told(request, sent, before)

    async def expire(self, request: Pubkey) -> MachineRequest:
        """Ends anyone's request that found no machine in time, for the tip. UnknownRequest."""
        account = await self.reads.request(request)
        before = await self.get(request)
        sent = await self.send(
            self.instruction(
                build.expire_request,
                caller=self.address,
                request=request,
                request_data=account,
                renter_payout=payout_account(account.renter, account.mint),
            ),
        )
        return await self._told(request, sent, before)

    async def match(self, request: Pubkey, listing: Pubkey) -> Job:
        """Puts anyone's request on an idle machine that fits, for the tip once it starts. UnknownRequest,
        UnknownListing."""
        reads = self.reads
        account = await reads.request(request)
        machine = await reads.listing(listing)
        price = await reads.fresh_price(await reads.payment_mint(account.mint), await reads.now())
        sent = await self.send(
            self.instruction(
                build.match_request,
                caller=self.address,
                request=request,
                request_data=account,
                listing=listing,
                listing_data=machine,
                spec_version=machine.spec_version,
                payout_bump=payout_bump(account.renter, account.mint),
                renter_payout=payout_account(account.renter, account.mint),
                price_feed=price.feed,
            ),
        )
        rental = find_rental(account.renter, account.nonce, self.program_id)[0]
        life = Life.told(events_of_rental(rental, sent))
        return life.job_as_told(machine, await reads.denomination(account.mint))

    async def await_match(self, request: Pubkey) -> Job | MachineRequest:
        """Waits until the wallet's request ends. A match gives its job, once the order has been delivered to the
        host; the request itself comes back when it was cancelled or expired. UnknownRequest.
        """
        async with aclosing(self.watch(request)) as states:
            found = [state async for state in states][-1]
        if found.job is None:
            self.session.waiting_documents.forget(found.order_hash)
            return found
        await self.deliver(found)
        return await Jobs(self.session).get(found.job)

    async def deliver(self, request: MachineRequest) -> bool:
        """Seals the order of the wallet's matched request to its host and delivers it; False if there was none.

        What `deliver_order` raises leaves the order waiting.
        """
        session = self.session
        document = session.waiting_documents.find(request.order_hash)
        if document is None or session.deliver_order is None or request.listing is None:
            return False
        if request.renter != self.address:
            return False
        listing = await self.reads.listing(request.listing)
        from anchor_client.market.rental.opening import deliver  # noqa: PLC0415 - as above

        await deliver(session, document, listing.host, request.job)
        await session.after_hand_over()
        session.waiting_documents.forget(request.order_hash)
        return True

    async def _told(self, request: Pubkey, sent: Sent, before: MachineRequest | None = None) -> MachineRequest:
        told = await self.told(request, sent, before)
        if told is None:
            raise LookupError(f"transaction {sent.signature} opened no request")
        return told
