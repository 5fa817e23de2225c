"""A simulated host: everything a real one does on chain, with no machine behind it."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass

import structlog
from solana.rpc.commitment import Confirmed
from solana.rpc.models import MemcmpOpts
from solders.pubkey import Pubkey
from websockets.exceptions import WebSocketException

from anchor_client import base58
from anchor_client.errors import GpuMarketError, InvalidOrder, OrderNotSealed
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.pdas import find_host
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import CloseReason
from anchor_client.market import JobState, Market
from anchor_client.market.kinds import LIVE_STATES
from anchor_client.market.spot import NOBODY
from anchor_client.orders import OrderDocument, OrderSource
from anchor_client.pubsub import subscriber
from anchor_client.sealing import Connection
from localnet.market.clock import RECONNECT_SECONDS, ClusterClock
from localnet.market.keys import HostKeys
from localnet.market.pacing import RETRY_SECONDS, woken
from localnet.market.wallet_seal import wallet_seal_key

FIRST_PORT = 20_000
PASSWORD_BYTES = 18

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class HostPace:
    """How often a host does what, in seconds."""

    heartbeat: float = 20.0
    boot: float = 0.3
    """From accepting an order to the machine being up."""
    settle: int = 60
    """Paid time, by the cluster's clock, after which a running rental is settled."""


USUAL_PACE = HostPace()


class SimulatedHost:
    """Accepts orders for its listings, starts them, keeps them alive with heartbeats and settles what they earn.

    Orders come by `orders`. The connection is sealed to the key in the order; while no order has come, to the twin of
    the renter's wallet key. An order that cannot be read is refused.
    """

    def __init__(
        self,
        market: Market,
        ws_url: str,
        region: str,
        keys: HostKeys,
        clock: ClusterClock,
        *,
        orders: OrderSource | None = None,
        pace: HostPace = USUAL_PACE,
    ) -> None:
        self.address = find_host(keys.wallet.pubkey())[0]
        self._market = market.signing_as(keys.wallet)
        self._ws_url = ws_url
        self._region = region
        self._keys = keys
        self._orders = orders
        self._pace = pace
        self._jumped = asyncio.Event()
        self._called = asyncio.Event()
        self._boots: dict[Pubkey, float] = {}
        clock.wake_at_jumps(self._jumped)

    async def run(self, ready: asyncio.Event) -> None:
        """Runs until cancelled; `ready` is set once every listing has had its first heartbeat."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_beating(ready))
            group.create_task(self._keep_watching())
            group.create_task(self._keep_serving())

    async def serve(self) -> None:
        """Does what each rental of its listings is due. Raises the network's errors."""
        reads = self._market.reads
        listings = {offer.address: offer.listing for offer in await reads.offers(host=self.address)}
        rentals = {address: rental for address, rental in (await reads.rentals()).items() if rental.listing in listings}
        self._boots = {address: at for address, at in self._boots.items() if address in rentals}
        for address, rental in rentals.items():
            try:
                await self._attend(address, rental, listings[rental.listing])
            except GpuMarketError as error:
                log.warning("rental_not_served", rental=str(address), state=rental.state, error=error.message)

    async def _keep_beating(self, ready: asyncio.Event) -> None:
        while True:
            pause = self._pace.heartbeat
            try:
                await self._market.heartbeat()
                ready.set()
                self._called.set()
            except GpuMarketError as error:
                log.warning("heartbeat_missed", host=str(self.address), error=error.message)
                pause = RETRY_SECONDS
            await woken(self._jumped, pause)

    async def _keep_serving(self) -> None:
        while True:
            pause = self._pace.heartbeat
            try:
                await self.serve()
            except GpuMarketError as error:
                log.warning("host_cannot_serve", host=str(self.address), error=error.message)
                pause = RETRY_SECONDS
            await woken(self._called, pause)

    async def _keep_watching(self) -> None:
        """Calls the serving loop at every change of a rental."""
        filters: list[int | MemcmpOpts] = [MemcmpOpts(offset=0, bytes=base58.encode(Rental.DISCRIMINATOR))]
        while True:
            try:
                async with subscriber(self._ws_url) as socket:
                    await socket.program_subscribe(
                        program_id=PROGRAM_ID, commitment=Confirmed, encoding="base64", filters=filters
                    )
                    self._called.set()
                    async for _ in socket:
                        self._called.set()
            except (WebSocketException, OSError) as error:
                log.warning("host_connection_lost", host=str(self.address), error=str(error))
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _attend(self, address: Pubkey, rental: Rental, listing: Listing) -> None:
        match LIVE_STATES[rental.state]:
            case JobState.QUEUED if listing.challenger == address:
                if listing.current == NOBODY:
                    await self._market.take_over(rental.listing)
            case JobState.QUEUED:
                await self._accept(address, rental, listing)
            case JobState.PROVISIONING if time.monotonic() >= self._boots.get(address, 0):
                await self._market.start(address)
                log.info("rental_started", rental=str(address), region=self._region)
            case JobState.RUNNING:
                shown = min(listing.last_heartbeat_at - rental.started_at, rental.duration)
                if shown - rental.settled >= self._pace.settle:
                    await self._market.settle(address)

    async def _accept(self, address: Pubkey, rental: Rental, listing: Listing) -> None:
        try:
            key = await self._renter_key(rental)
        except (InvalidOrder, OrderNotSealed) as error:
            log.warning("order_refused", rental=str(address), reason=error.message)
            await self._market.cancel(address, CloseReason.ORDER_REFUSED)
            return
        connection = Connection(
            host=f"{self._region}.localnet",
            port=FIRST_PORT + listing.id,
            password=secrets.token_urlsafe(PASSWORD_BYTES),
        )
        await self._market.accept(address, connection.sealed(key))
        self._boots[address] = time.monotonic() + self._pace.boot
        asyncio.get_running_loop().call_later(self._pace.boot, self._called.set)
        log.info("rental_accepted", rental=str(address), region=self._region, listing=listing.id)

    async def _renter_key(self, rental: Rental) -> bytes:
        sealed = await self._orders.find(rental.renter, rental.spec_hash) if self._orders is not None else None
        if sealed is None:
            return wallet_seal_key(rental.renter)
        return OrderDocument.opened(sealed, self._keys.seal, rental.spec_hash).renter_public_key
