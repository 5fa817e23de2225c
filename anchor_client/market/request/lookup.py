"""Requests as they stand and as they ended."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client import market
from anchor_client.amounts import Denomination
from anchor_client.errors import API_FAILURES, UnknownRequest
from anchor_client.generated.accounts import Request
from anchor_client.generated.events import RequestCancelled, RequestExpired, RequestMatched, RequestOpened
from anchor_client.generated.types import RentalKind
from anchor_client.kinds import REQUEST_MESSAGES, RequestState
from anchor_client.market.area import Area
from anchor_client.resources.request import MachineRequest, slug_of_near, slugs_of_regions
from anchor_client.rules.catalog import Region, gpu_slug
from anchor_client.solana.transactions import TransactionDetails


class Requests(Area):
    """Requests of anyone, open or ended. Every method raises the network's errors."""

    async def get(self, request: Pubkey) -> MachineRequest:
        """A request as it stands or as it ended. UnknownRequest when none was ever at this address."""
        account = await self.reads.program.read(Request, request)
        if account is not None:
            return await self._of_account(request, account)
        found: MachineRequest | None = None
        history = self.session.history
        for signature in await history.signatures(request):
            found = await self.told(request, await history.details(signature), found)
        if found is None:
            raise UnknownRequest(f"No request has ever been at {request}")
        return found

    async def list(self, renter: Pubkey) -> Sequence[MachineRequest]:
        """The open requests of a wallet, newest first."""
        accounts = await self.reads.requests(renter=renter)
        found = [await self._of_account(address, account) for address, account in accounts.items()]
        return sorted(found, key=lambda request: (request.created_at, bytes(request.id)), reverse=True)

    async def watch(self, request: Pubkey) -> AsyncGenerator[MachineRequest, None]:
        """The request as it stands, then as it ended, if it has not yet. UnknownRequest.

        The market's API reports when it ends, where one is known; what it has become is always read from the chain,
        which is followed where there is no API or it cannot be relied on: woken by the node's account notifications,
        and by time.
        """
        is_shown = False
        async with aclosing(self._told_open(request)) as states:
            async for found in states:
                if not is_shown:
                    is_shown = True
                    yield found
        async with self.session.wakeups.of(request) as wakeups:
            async for _ in wakeups:
                found = await self.get(request)
                if not is_shown or not found.is_open:
                    is_shown = True
                    yield found
                if not found.is_open:
                    return

    async def _told_open(self, request: Pubkey) -> AsyncGenerator[MachineRequest, None]:
        """The request for as long as the API reports it as open."""
        feed = self.session.feed
        if feed is None:
            return

        async def is_current(last: MachineRequest | None) -> bool:
            return (last is None) == (await self.reads.program.read(Request, request) is None)

        try:
            async with aclosing(market.follow_state(feed, f"request:{request}", MachineRequest, is_current)) as states:
                async for found in states:
                    if not found.is_open:
                        return
                    yield found
        except API_FAILURES as error:
            self.session.on_feed_lost(error)

    async def told(
        self, request: Pubkey, details: TransactionDetails, before: MachineRequest | None = None
    ) -> MachineRequest | None:
        """The request after a transaction."""
        for event in details.events:
            if getattr(event, "request", None) != request:
                continue
            if isinstance(event, RequestOpened):
                token = await self.reads.denomination(event.mint)
                before = _waiting(
                    event.order,
                    token,
                    id=event.request,
                    renter=event.renter,
                    mint=event.mint,
                    created_at=event.at,
                    open_tx=details.signature,
                )
            elif before is not None:
                before = ended(before, event, details.signature)
        return before

    async def _of_account(self, address: Pubkey, account: Request) -> MachineRequest:
        token = await self.reads.denomination(account.mint)
        return _waiting(account, token, id=address, open_tx=None)


def ended(request: MachineRequest, event: object, tx: Signature) -> MachineRequest:
    """The request after the event that ended it."""
    match event:
        case RequestMatched():
            end: dict[str, Any] = {
                "status": RequestState.MATCHED,
                "finalized_by": event.matched_by,
                "job": event.rental,
                "listing": event.listing,
            }
        case RequestCancelled():
            end = {"status": RequestState.CANCELLED, "finalized_by": event.renter}
        case RequestExpired():
            end = {"status": RequestState.EXPIRED, "finalized_by": event.expired_by}
        case _:
            return request
    end |= {"refunded": event.refunded, "ended_at": event.at, "close_tx": tx}
    return replace(request, **end, message=REQUEST_MESSAGES[end["status"]])


def _waiting(order: Any, token: Denomination, **known: Any) -> MachineRequest:
    """The open request of an account, or of the order in its event, which name their fields alike."""
    return MachineRequest.drawn_from(
        order,
        status=RequestState.OPEN,
        message=REQUEST_MESSAGES[RequestState.OPEN],
        token=token.symbol,
        decimals=token.decimals,
        kind=RentalKind(order.kind),
        gpu=gpu_slug(order.gpu_model),
        regions=slugs_of_regions(order.regions),
        near=slug_of_near(order.near_region),
        refunded=0,
        job=None,
        listing=None,
        ended_at=None,
        finalized_by=None,
        close_tx=None,
        **known,
    )


def region_mask(regions: Sequence[Region]) -> int:
    """One bit for each region; zero for none, which takes any."""
    return sum({1 << region.id for region in regions})
