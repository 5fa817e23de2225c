"""Market: the whole market behind typed methods."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

from solana.rpc.commitment import Commitment, Confirmed
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import market, orders
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import OracleKind, RentalKind
from anchor_client.market.area import AreaOfMarket
from anchor_client.market.jobs import Jobs
from anchor_client.market.market.actions import MarketActions
from anchor_client.market.pricing import read_pricing
from anchor_client.market.reads import MarketReader
from anchor_client.market.session import Session, log_feed_lost
from anchor_client.payment_tokens import PaymentTokens
from anchor_client.resources.job import Job
from anchor_client.resources.payment_token import PaymentToken, payment_token
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.rules.hourly import Pricing
from anchor_client.service.optional import optional
from anchor_client.solana import transactions
from anchor_client.solana.endpoints import websocket_url
from anchor_client.solana.node import NodeClient
from anchor_client.solana.transactions.fees import MAX_PRIORITY_FEE
from anchor_client.solana.transactions.message import MessageVersion
from anchor_client.solana.wallet import Wallet
from anchor_client.symbols import MARKET_TOKEN

if TYPE_CHECKING:
    from anchor_client.errors import GpuMarketError
    from anchor_client.market.charges.actions import ChargesActions
    from anchor_client.market.governance.actions import GovernanceActions
    from anchor_client.market.host.actions import HostActions
    from anchor_client.market.mfp.actions import MfpActions
    from anchor_client.market.rental.actions import RentalActions
    from anchor_client.market.request.actions import RequestActions
    from anchor_client.market.spot.actions import SpotActions
    from anchor_client.market.staking.actions import StakingActions
    from anchor_client.solana.transactions.confirmation import Timing
    from anchor_client.solana.transactions.sender import OnSigned


class Market(MarketActions):
    """A market on a cluster, for one wallet or for reading alone; an async context manager.

    Each area of the market is an attribute: `host`, `rental`, `spot`, `request`, `charges`, `mfp`, `staking` and
    `governance`; the market's own parameters, mints and vaults are methods of Market itself. `compute`, `listings`,
    `gpus` and `jobs` are the short way in for renters.

    Every method raises the network's errors (UnreachableRpc, RateLimited, WrongEndpoint, RpcRefused); those that sign
    raise WalletNeeded, the program's named refusals, and what `anchor_client.solana.errors.landing` names. Each error
    has a `message` and a `remedy`.
    """

    host: AreaOfMarket[HostActions] = AreaOfMarket()
    rental: AreaOfMarket[RentalActions] = AreaOfMarket()
    spot: AreaOfMarket[SpotActions] = AreaOfMarket()
    request: AreaOfMarket[RequestActions] = AreaOfMarket()
    charges: AreaOfMarket[ChargesActions] = AreaOfMarket()
    mfp: AreaOfMarket[MfpActions] = AreaOfMarket()
    staking: AreaOfMarket[StakingActions] = AreaOfMarket()
    governance: AreaOfMarket[GovernanceActions] = AreaOfMarket()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.jobs = Jobs(session)

    @classmethod
    def connect(
        cls,
        rpc_url: str,
        wallet: Wallet | Keypair | None = None,
        *,
        ws_url: str | None = None,
        program_id: Pubkey = PROGRAM_ID,
        commitment: Commitment = Confirmed,
        rpc_rate: float | None = None,
        tokens: Mapping[str, Pubkey] | None = None,
        price_feeds: Mapping[Pubkey, Pubkey] | None = None,
        max_priority_fee: int = MAX_PRIORITY_FEE,
        version: MessageVersion | None = None,
        timing: Timing | None = None,
        on_signed: OnSigned | None = None,
        renter_keys: orders.OrderStore[orders.SealKey] | None = None,
        deliver_order: orders.DeliverOrder | None = None,
        waiting_documents: orders.OrderStore[orders.OrderDocument] | None = None,
        api_url: str | None = None,
        on_feed_lost: Callable[[GpuMarketError], object] = log_feed_lost,
    ) -> Self:
        """A client of the market at an RPC node; nothing is asked of the node before it is needed.

        `rpc_url` is its URL, or those of several separated by commas; `rpc_rate` calls a second of each at most.

        `tokens` are mints by symbol (GPUM and SOL are known), `price_feeds` accounts with Pyth's price updates by mint
        (by default those that Pyth sponsors); `max_priority_fee` micro-lamports a compute unit;
        `version` that of messages, by default v1 where the cluster takes it, else v0. `renter_keys` keeps the key of
        each order and `waiting_documents` the orders of requests until a host is known, both in memory by
        default; `deliver_order` hands sealed orders over, as SealedOrderApi does at the market's API;
        without it that is up to the caller. `api_url` is the market's API, which reports changes of what is watched;
        `on_feed_lost` hears why where the chain is followed instead.
        """
        client = NodeClient(rpc_url, commitment, rate=rpc_rate)
        reads = MarketReader(
            client,
            program_id=program_id,
            commitment=commitment,
            tokens=PaymentTokens(tokens),
            price_feeds=price_feeds,
        )

        @cache
        def sender() -> transactions.TransactionSender:
            return transactions.TransactionSender(
                client,
                market.MarketProgram(program_id),
                commitment=commitment,
                max_priority_fee=max_priority_fee,
                version=version,
                timing=timing,
                on_signed=on_signed,
            )

        session = Session(
            client,
            reads,
            sender,
            ws_url or websocket_url(rpc_url),
            _signer(wallet),
            renter_keys=renter_keys or orders.InMemory(),
            deliver_order=deliver_order,
            waiting_documents=waiting_documents or orders.InMemory(),
            api_url=api_url,
            on_feed_lost=on_feed_lost,
        )
        return cls(session)

    def signing_as(self, wallet: Wallet | Keypair) -> Self:
        """The same connection with another wallet; closing either closes both."""
        return type(self)(replace(self.session, signer=_signer(wallet)))

    async def compute(
        self,
        *,
        gpu: str,
        duration: int,
        script: str | None = None,
        image: str | None = None,
        pay: str | Pubkey = MARKET_TOKEN,
        kind: str | RentalKind = RentalKind.ON_DEMAND,
        max_cost: int | None = None,
        region: str | None = None,
        count: int | None = None,
        ports: Sequence[str | orders.PortForward] = (),
        env: Mapping[str, str] | None = None,
        ssh_key: str | None = None,
        jupyter_token: str | None = None,
        keep_workspace: str | None = None,
        checkpoint: str | None = None,
    ) -> Job:
        """Runs `script` (shell text) in `image`, by default DEFAULT_IMAGE, on a `gpu` for `duration` seconds.

        The order is sealed to the host that gets it. Raises InvalidOrder, and what `rental.open` raises.
        """
        workload = orders.Workload.of(
            image=image or orders.DEFAULT_IMAGE,
            command=script,
            ports=tuple(
                port if isinstance(port, orders.PortForward) else orders.PortForward.parse(port) for port in ports
            ),
            env=dict(env or {}),
            ssh_key=ssh_key,
            jupyter_token=jupyter_token,
            keep_workspace=keep_workspace,
            checkpoint=checkpoint,
        )
        wanted = market.RentalWanted(
            duration=duration, pay=pay, gpu=gpu, region=region, count=count, kind=kind, max_cost=max_cost
        )
        return await self.rental.open(wanted, workload)

    async def listings(
        self,
        *,
        gpu: str | None = None,
        region: str | None = None,
        available_for: int | None = None,
        host: Pubkey | None = None,
    ) -> list[market.Offer]:
        """Machines on offer, cheapest before fees first; with `available_for` only those that can be rented now for
        that many seconds. `pricing` has what orders pay.

        UnknownGpu, UnknownRegion.
        """
        model = optional(match_gpu, gpu)
        place = optional(find_region, region)
        offers = await self.reads.offers(model, host=host)
        if available_for is not None:
            offers = market.match(offers, duration=available_for)
        return [offer for offer in offers if place is None or offer.listing.region == place.id]

    async def gpus(self, among: Container[Pubkey] | None = None) -> list[market.Gpu]:
        """The catalog's models with what is listed, available and asked for each, in all listings or `among` some."""
        offers = await self.reads.offers()
        machines = [offer.machines for offer in offers if among is None or offer.address in among]
        return market.gpus_of(machines, await self.pricing())

    async def pricing(self) -> Pricing:
        """Terms that prices are shown by: what an order placed now pays for an hour."""
        return await read_pricing(self.reads)

    async def payment_tokens(self) -> list[PaymentToken]:
        """Every mint that orders can be paid in, disabled ones included."""
        tokens = await self.reads.tokens()
        mints = (await self.reads.payment_mints()).values()
        return [
            payment_token(mint, oracle=OracleKind(mint.oracle_kind), token=tokens.symbol(mint.mint))
            for mint in sorted(mints, key=lambda mint: str(mint.mint))
        ]

    async def close(self) -> None:
        """Ends the connection."""
        await self.session.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _signer(wallet: Wallet | Keypair | None) -> Wallet | None:
    return Wallet(wallet) if isinstance(wallet, Keypair) else wallet
