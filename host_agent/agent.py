"""A host's agent: sends heartbeats and serves the orders that its listings take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

import structlog
from solana.rpc.commitment import Confirmed
from solana.rpc.websocket_api import SolanaWsClient
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, InsufficientLamports
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import Silence
from anchor_client.market import Market
from anchor_client.rules.listing import rentals_of
from anchor_client.service.pacing import RETRY_SECONDS, wait_or_timeout
from anchor_client.service.supervision import Supervisor
from anchor_client.solana.pubsub import SILENCE_SECONDS, Subscription, subscribe_to_accounts
from anchor_client.solana.rpc import account_filters
from host_agent.funds import Funds
from host_agent.listings.offering import Offering
from host_agent.listings.overlap import SharedMachine
from host_agent.machine import Machine
from host_agent.metrics import HostMetrics
from host_agent.orders import OrderReader
from host_agent.pace import DEFAULT_PACE, HostPace
from host_agent.tenancy import ListingView, Tenancy

MachineOf = Callable[[Pubkey, Listing], Machine | None]
"""The machine behind one of the host's listings; None if another agent runs it."""

log = structlog.get_logger(__name__)


LOOK_SECONDS: Final = 20.0
"""Interval of regular checks of the listings: notifications can get lost, and a mark needs an answer."""
IDLE_LOOK_SECONDS: Final = 30.0
"""The same with a live subscription; half of the time for answering a mark."""


class HostAgent:
    """Keeps a host's machines online, accepts and starts their orders, and settles their earnings.

    `market` signs as the operator of the listings, `owner` is the host's wallet. Setting `overdue` sends the next
    heartbeat immediately, as a mark of a machine does. `pace` follows the market's price of SOL. `supervisor` is
    notified of each heartbeat and of each check of the listings, and `seen` gets the listings each time they are read.
    Of listings that are `shared`, one order at a time has the GPUs; `offering` changes listings for their owner.
    """

    def __init__(
        self,
        market: Market,
        ws_url: str,
        machine_of: MachineOf,
        orders: OrderReader,
        *,
        owner: Pubkey | None = None,
        pace: HostPace = DEFAULT_PACE,
        supervisor: Supervisor | None = None,
        metrics: HostMetrics | None = None,
        seen: Callable[[Mapping[Pubkey, Listing]], None] = lambda _: None,
        shared: SharedMachine | None = None,
        offering: Offering | None = None,
    ) -> None:
        supervisor = supervisor or Supervisor()
        self._heartbeats = supervisor.loop()
        self._looks = supervisor.loop()
        self._owner = owner or market.address
        self.address = find_host(self._owner, market.program_id)[0]
        self.overdue = asyncio.Event()
        self.pace = pace
        self._market = market
        self._machine_of = machine_of
        self._orders = orders
        self._metrics = metrics or HostMetrics()
        self._funds = Funds(market, self._metrics)
        self._seen = seen
        self._shared = shared or SharedMachine([])
        self._offering = offering
        self._offers: asyncio.Task[None] | None = None
        """Changes of the listings under way."""
        self._called = asyncio.Event()
        self._subscription = Subscription(
            ws_url, self._subscribe, changed=self._called, silence_seconds=SILENCE_SECONDS
        )
        self._tenancies: dict[Pubkey, Tenancy] = {}
        self._attending: dict[Pubkey, tuple[Pubkey | None, asyncio.Task[None]]] = {}
        self._others: dict[Pubkey, Pubkey] = {}
        self._left: dict[Pubkey, Listing] = {}
        """Listings whose tenants are on this machine, and that another key operates now, or that are closed."""
        self._last: dict[Pubkey, Listing] = {}
        """Listings of this machine as they were last on the chain."""

    def states(self) -> Mapping[Pubkey, str]:
        """The state of each listing, of STATES."""
        return {address: tenancy.state for address, tenancy in self._tenancies.items()}

    async def run(self, ready: asyncio.Event) -> None:
        """Runs until cancelled; `ready` is set once every machine has had its first heartbeat.

        Tenants keep running when it stops.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send_heartbeats(ready))
            group.create_task(self._subscription.run())
            group.create_task(self._serve_orders(group))

    async def _send_heartbeats(self, ready: asyncio.Event) -> None:
        while True:
            try:
                with self._heartbeats:
                    allowed = (await self._market.reads.market()).offline_after
                    interval = self.pace.interval(allowed)
                    listings = await self._listings()
                    healthy = self._healthy(listings)
                    await self._market.host.heartbeat(healthy, owner=self._owner)
                    if healthy:
                        self._metrics.heartbeat_at.set_to_current_time()
                    ready.set()
                    self._called.set()
                    pause = interval
                    await self._price_transactions()
                    await self._funds.look(listings.values(), self.pace, allowed)
            except InsufficientLamports as error:
                self._metrics.heartbeats_missed.inc()
                pause = self._funds.missing(error)
            except GpuMarketError as error:
                self._metrics.heartbeats_missed.inc()
                log.warning("heartbeat_missed", host=str(self.address), error=error.message, remedy=error.remedy)
                pause = RETRY_SECONDS
            await wait_or_timeout(self.overdue, pause)

    async def _price_transactions(self) -> None:
        """Prices transactions by the market's price of SOL; the last known one counts while the market has none."""
        try:
            self.pace = await self.pace.at_market_price(self._market.reads)
        except GpuMarketError as error:
            log.warning("sol_not_priced", error=error.message)
        for tenancy in self._tenancies.values():
            tenancy.pace = self.pace

    def _healthy(self, listings: Iterable[Pubkey]) -> list[Pubkey]:
        return [address for address in listings if self._tenancies[address].is_healthy]

    async def _serve_orders(self, group: asyncio.TaskGroup) -> None:
        while True:
            try:
                with self._looks:
                    pause = await self._serve(group)
            except GpuMarketError as error:
                log.warning("orders_not_served", host=str(self.address), error=error.message)
                pause = RETRY_SECONDS
            await wait_or_timeout(self._called, pause)

    async def _subscribe(self, socket: SolanaWsClient) -> None:
        """Follows the host's listings: an order changes its listing when it opens and when it ends."""
        filters = account_filters(Listing, {"host": bytes(self.address)})
        await subscribe_to_accounts(socket, self._market.program_id, filters, Confirmed)

    async def _listings(self) -> dict[Pubkey, Listing]:
        """The host's listings that this agent runs machines for and its key operates; notes those that it no longer
        does.
        """
        found: dict[Pubkey, Listing] = {}
        left: dict[Pubkey, Listing] = {}
        for address, listing in (await self._market.reads.listings_of(self.address)).items():
            if not self._is_served(address, listing):
                continue
            if listing.operator == self._market.address:
                found[address] = listing
            else:
                self._warn_once(address, listing.operator)
                left[address] = listing
        self._last |= found | left
        for address, tenancy in self._tenancies.items():
            # Its owner may close a listing as soon as the rental has ended: its tenant is wiped all the same.
            if address not in found and tenancy.machine.tenant is not None:
                left.setdefault(address, self._last[address])
        self._left = left
        self._seen(found)
        return found

    def _is_served(self, address: Pubkey, listing: Listing) -> bool:
        """True for a machine of this agent."""
        if address not in self._tenancies:
            machine = self._machine_of(address, listing)
            if machine is None:
                return False
            self._tenancies[address] = Tenancy(address, machine, self._market, self._orders, self.pace, self._metrics)
        return True

    def _warn_once(self, address: Pubkey, operator: Pubkey) -> None:
        if self._others.get(address) != operator:
            self._others[address] = operator
            log.warning("listing_operated_by_another_key", listing=str(address), operator=str(operator))

    async def _serve(self, group: asyncio.TaskGroup) -> float:
        """Attends to every machine; returns the seconds until the next check."""
        listings = await self._listings()
        reads = self._market.reads
        attended = listings | self._left
        places = (place for listing in attended.values() for place in rentals_of(listing))
        now, rentals = await reads.program.now_and_known(Rental, places)
        views = {address: ListingView(listing, rentals, now) for address, listing in attended.items()}
        self._shared.give({address: self._tenancies[address].use(view) for address, view in views.items()})
        for address, view in views.items():
            self._attend(address, replace(view, neighbour=self._shared.neighbour(address)), group)
        if self._offering is not None and (self._offers is None or self._offers.done()):
            self._offers = group.create_task(self._offering.look(listings, self._shared.taken(), now))
        if any(self._is_called(address, listing) for address, listing in listings.items()):
            self.overdue.set()
        ends = [view.ends_in for view in views.values() if view.ends_in is not None]
        longest = IDLE_LOOK_SECONDS if self._subscription.is_live else LOOK_SECONDS
        return max(min([longest, *ends]), RETRY_SECONDS)

    def _is_called(self, address: Pubkey, listing: Listing) -> bool:
        """True if a running machine was marked: only a heartbeat answers a mark."""
        return listing.silence == Silence.MARKED and self._tenancies[address].is_healthy

    def _attend(self, address: Pubkey, view: ListingView, group: asyncio.TaskGroup) -> None:
        """Starts a machine's pending work unless it is running; cancels work for a rental that lost the machine."""
        under_way = self._attending.get(address)
        if under_way is None:
            task = group.create_task(self._run_attend(address, view), name=f"attend-{address}")
            self._attending[address] = view.occupant, task
        elif under_way[0] != view.occupant:
            under_way[1].cancel()

    async def _run_attend(self, address: Pubkey, view: ListingView) -> None:
        again: float | None = 0
        machine = self._tenancies[address].machine
        try:
            before = machine.tenant
            again = await self._tenancies[address].attend(view, leaves=address in self._left)
            if self._shared.has_overlap and machine.tenant != before:
                again = 0  # others wait for its GPUs, or must be hidden
        finally:
            del self._attending[address]
            if again is not None:
                asyncio.get_running_loop().call_later(again, self._called.set)
