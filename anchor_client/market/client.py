"""Market: the whole market behind typed methods."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from solana.rpc.commitment import Commitment, Confirmed
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market.administration import Administration
from anchor_client.market.bidding import Bidding
from anchor_client.market.cranks import Cranking
from anchor_client.market.hosting import Hosting
from anchor_client.market.jobs import Jobs
from anchor_client.market.locking import Locking
from anchor_client.market.matching import Offer, find_gpu, find_region, match
from anchor_client.market.metering import Metering
from anchor_client.market.proposals import Proposals
from anchor_client.market.reads import MarketReader
from anchor_client.market.requesting import Requesting
from anchor_client.market.requests import Requests
from anchor_client.market.session import Session, websocket_url
from anchor_client.market.staking import Staking
from anchor_client.market.supply import GpuSupply, supply_of
from anchor_client.market.wakeups import AccountWakeups
from anchor_client.node import NodeClient
from anchor_client.orders import DeliverOrder, OrderKeys, WaitingOrders
from anchor_client.tokens import PaymentTokens
from anchor_client.transactions import MessageVersion, TransactionSender
from anchor_client.transactions.confirmation import Timing
from anchor_client.transactions.sender import MAX_PRIORITY_FEE, OnSigned
from anchor_client.wallet import Wallet


class Market(Bidding, Requesting, Hosting, Metering, Staking, Locking, Cranking, Administration):
    """A market on a cluster, for one wallet or for reading alone; an async context manager.

    Every method raises the network's errors (UnreachableRpc, RateLimited, WrongEndpoint, RpcRefused); those that sign
    raise WalletNeeded, the program's named refusals, and what `anchor_client.errors.landing` names. Each error has a
    `message` and a `remedy`.
    """

    def __init__(self, session: Session, wakeups: AccountWakeups) -> None:
        super().__init__(
            session.client,
            session.reads,
            session.sender,
            session._wallet,
            order_keys=session.order_keys,
            deliver_order=session.deliver_order,
            waiting_orders=session.waiting_orders,
        )
        self.proposals = Proposals(self)
        self.jobs = Jobs(self.reads, self.history, wakeups)
        self.requests = Requests(self.reads, self.history, wakeups)

    @classmethod
    def connect(
        cls,
        rpc_url: str,
        wallet: Wallet | Keypair | None = None,
        *,
        ws_url: str | None = None,
        program_id: Pubkey = PROGRAM_ID,
        commitment: Commitment = Confirmed,
        tokens: Mapping[str, Pubkey] | None = None,
        price_feeds: Mapping[Pubkey, Pubkey] | None = None,
        max_priority_fee: int = MAX_PRIORITY_FEE,
        version: MessageVersion = MessageVersion.V0,
        timing: Timing | None = None,
        on_signed: OnSigned | None = None,
        order_keys: OrderKeys | None = None,
        deliver_order: DeliverOrder | None = None,
        waiting_orders: WaitingOrders | None = None,
    ) -> Self:
        """A client of the market at an RPC node; nothing is asked of the node before it is needed.

        `tokens` are mints by symbol (GPUM and SOL are known), `price_feeds` accounts with Pyth's price updates by mint
        (the ones that Pyth sponsors unless named); `max_priority_fee` micro-lamports a compute unit.
        `order_keys` keeps the key of each order (in memory unless named); `deliver_order` hands sealed orders over, as
        OrderPost does at the market's API, and without it that is up to the caller; `waiting_orders` keeps the orders
        of requests until a host is known (in memory unless named).
        """
        wakeups = AccountWakeups(ws_url or websocket_url(rpc_url), commitment=commitment)
        client = NodeClient(rpc_url, commitment)
        reads = MarketReader(
            client,
            program_id=program_id,
            commitment=commitment,
            tokens=PaymentTokens(tokens),
            price_feeds=price_feeds,
        )
        sender = TransactionSender(
            client,
            commitment=commitment,
            max_priority_fee=max_priority_fee,
            version=version,
            program_id=program_id,
            timing=timing,
            on_signed=on_signed,
        )
        signer = Wallet(wallet) if isinstance(wallet, Keypair) else wallet
        session = Session(
            client,
            reads,
            sender,
            signer,
            order_keys=order_keys,
            deliver_order=deliver_order,
            waiting_orders=waiting_orders,
        )
        return cls(session, wakeups)

    def signing_as(self, wallet: Wallet | Keypair) -> Self:
        """The same connection with another wallet; closing either closes both."""
        signer = Wallet(wallet) if isinstance(wallet, Keypair) else wallet
        session = Session(
            self.client,
            self.reads,
            self.sender,
            signer,
            order_keys=self.order_keys,
            deliver_order=self.deliver_order,
            waiting_orders=self.waiting_orders,
        )
        return type(self)(session, self.jobs.wakeups)

    async def listings(
        self,
        *,
        gpu: str | None = None,
        region: str | None = None,
        available_for: int | None = None,
        host: Pubkey | None = None,
    ) -> list[Offer]:
        """What is on offer, cheapest first; with `available_for` only what can be rented now for so many seconds.

        Raises UnknownGpu or UnknownRegion.
        """
        model = find_gpu(gpu) if gpu is not None else None
        place = find_region(region) if region is not None else None
        offers = await self.reads.offers(model, host=host)
        if available_for is not None:
            offers = match(offers, duration=available_for)
        return [offer for offer in offers if place is None or offer.listing.region == place.id]

    async def gpus(self) -> list[GpuSupply]:
        """The catalog's models with what is listed, available and asked for each."""
        return supply_of(await self.reads.offers())

    async def close(self) -> None:
        """Ends the connection."""
        await self.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
