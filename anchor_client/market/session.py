"""Session that every area of the client shares: the connection, the wallet, and sending."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client import market, orders
from anchor_client.errors import GpuMarketError, WalletNeeded
from anchor_client.market.history import RentalHistory
from anchor_client.market.reads import MarketReader
from anchor_client.service.optional import optional
from anchor_client.solana import transactions
from anchor_client.solana.node import NodeClient
from anchor_client.solana.wallet import Wallet

_log = logging.getLogger(__name__)


def log_feed_lost(error: GpuMarketError) -> None:
    """Says why the API is not relied on."""
    _log.warning("%s: following the chain instead", error.message)


@dataclass(frozen=True, slots=True)
class Session:
    """A connection to one market, for one wallet or for reading alone.

    `renter_keys` keeps the key of each order, `waiting_documents` the orders of requests until a host is known, and
    `deliver_order` hands sealed orders over; without it that is up to the caller. `open_sender` gives the one sender.
    `api_url` is the market's API, `on_feed_lost` hears why something is followed on the chain instead.
    """

    client: NodeClient
    reads: MarketReader
    open_sender: Callable[[], transactions.TransactionSender]
    ws_url: str
    signer: Wallet | None = None
    renter_keys: orders.OrderStore[orders.SealKey] = field(default_factory=orders.InMemory)
    deliver_order: orders.DeliverOrder | None = None
    waiting_documents: orders.OrderStore[orders.OrderDocument] = field(default_factory=orders.InMemory)
    api_url: str | None = None
    on_feed_lost: Callable[[GpuMarketError], object] = log_feed_lost
    open_orders: dict[Pubkey, orders.SealedOrder] = field(init=False, default_factory=dict)
    """Orders handed over before their rentals were open, by rental: to be handed over again until these start."""
    one_order_at_a_time: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)
    """Two orders of the same content and nonce would be one transaction, and so one rental."""

    @property
    def wallet(self) -> Wallet:
        """The key that signs and pays. WalletNeeded."""
        if self.signer is None:
            raise WalletNeeded("This needs a wallet's signature")
        return self.signer

    @property
    def address(self) -> Pubkey:
        """The wallet's address. WalletNeeded."""
        return self.wallet.pubkey

    @property
    def sender(self) -> transactions.TransactionSender:
        """Sends transactions; imported when something is first sent."""
        return self.open_sender()

    @property
    def feed(self) -> market.Feed | None:
        """The feed of the market's API, where one is known."""
        return optional(market.Feed, self.api_url)

    @property
    def wakeups(self) -> market.AccountWakeups:
        """Tell when an account changes."""
        return market.AccountWakeups(self.ws_url, commitment=self.reads.program.commitment)

    @property
    def history(self) -> RentalHistory:
        """The transactions of accounts that may be gone."""
        program = self.reads.program
        return RentalHistory(self.client, commitment=program.commitment, program_id=program.program_id)

    async def hand_over(
        self, order_hash: bytes, sealed: bytes, rental: Pubkey | None = None
    ) -> orders.SealedOrder | None:
        """Signs a sealed order and hands it over, if the session delivers orders; gives it then."""
        if self.deliver_order is None:
            return None
        order = replace(orders.SealedOrder.signed(self.wallet, order_hash, sealed), rental=rental)
        await self.deliver_order(order)
        return order

    async def after_hand_over(self) -> None:
        """Follows the hand-over of an order that comes with no transaction."""

    async def send(
        self,
        instructions: Sequence[Instruction],
        *,
        signers: Sequence[Wallet] = (),
        version: transactions.MessageVersion | None = None,
    ) -> transactions.Sent:
        """Signs with the wallet and `signers`, sends and confirms."""
        return await self.sender.send(instructions, payer=self.wallet, signers=signers, version=version)
