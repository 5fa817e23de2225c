"""A command's settings, output and, once used, its connection to the market."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from solders.pubkey import Pubkey

from anchor_client import orders
from anchor_client.deploy.clusters import require_profile
from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import PaymentMint
from anchor_client.market import Market
from anchor_client.service.optional import optional
from anchor_client.service.setting_sources import DEFAULT
from anchor_client.solana.wallet import Wallet, parse_address
from market_cli.errors import NoApi, SignsItself
from market_cli.ids import meant
from market_cli.job_names import job_named, last_job, latest_jobs, latest_requests
from market_cli.lazy import load
from market_cli.options import Flags
from market_cli.output import Output
from market_cli.paths import order_directory
from market_cli.settings.cluster import ClusterSettings, in_use, resolve
from market_cli.units import base_units

if TYPE_CHECKING:
    from anchor_client.solana.transactions import Prepared

START_ONE = (
    "Start one with `gpu-market up`, or choose another: `gpu-market config set cluster devnet`, and its api_url."
)


class CliSession:
    """An async context manager; leaving it closes what it has opened."""

    def __init__(self, flags: Flags) -> None:
        self.flags = flags
        self.out = Output(as_json=flags.json)
        self._stack = AsyncExitStack()
        self._has_said_feed_lost = False
        self._is_cluster_known = False

    @cached_property
    def settings(self) -> ClusterSettings:
        """Cluster and wallet of the command; raises the errors of `resolve`."""
        return resolve(self.flags)

    @property
    def settings_name(self) -> str:
        """Name of the selected cluster, even if its settings are unusable. BadConfiguration."""
        return self.flags.cluster or os.environ.get("GPU_MARKET_CLUSTER") or in_use()

    @cached_property
    def wallet(self) -> Wallet:
        """The wallet that signs. WalletNeeded, BadKeyFile, or SignsItself with --unsigned."""
        if self.flags.unsigned is not None:
            raise SignsItself("This needs more than one signature, so --unsigned does not work")
        return self.settings.wallet()

    @cached_property
    def elsewhere(self) -> Pubkey | None:
        """The wallet of --unsigned, if given. BadAddress."""
        return optional(parse_address, self.flags.unsigned)

    def owner(self, address: str | None) -> Pubkey:
        """The given wallet, or the signing one. WalletNeeded, BadAddress."""
        if address is None:
            return self.elsewhere or self.wallet.pubkey
        return parse_address(address)

    async def job(self, text: str) -> Pubkey:
        """Resolves a job from an id, a prefix, a name or @last. BadOption, WalletNeeded."""
        return await job_named(
            text,
            lambda: latest_jobs(self.market, self.owner(None)),
            lambda: last_job(self.market, self.owner(None)),
        )

    async def listing(self, text: str) -> Pubkey:
        """Resolves a listing from an id or a prefix. BadOption, BadAddress."""

        async def known() -> list[Pubkey]:
            return [offer.address for offer in await self.market.reads.offers()]

        return await meant(text, "listing", known, "`gpu-market listings`")

    async def request(self, text: str) -> Pubkey:
        """Resolves a request from an id or a prefix. BadOption, BadAddress, WalletNeeded."""
        return await meant(
            text, "request", lambda: latest_requests(self.market, self.owner(None)), "`gpu-market request list`"
        )

    @cached_property
    def market(self) -> Market:
        """The market, for reading; it signs if a wallet is configured."""
        if self.elsewhere is not None:
            return self.signing
        wallet = self.wallet if self.settings.keypair is not None else None
        return self._connect(wallet)

    @cached_property
    def signing(self) -> Market:
        """The market, signing with the wallet, or drafting for --unsigned. WalletNeeded or BadKeyFile."""
        if self.elsewhere is not None:
            market: Market = load("anchor_client.market.drafting:drafting")(self._connect(None), self.elsewhere)
            return market
        return self._connect(self.wallet)

    @property
    def ordering(self) -> Market:
        """The market, for sending orders. NoApi before anything is paid, WalletNeeded or BadKeyFile."""
        _ = self.api_url
        return self.signing

    async def payment_mint(self, token: str) -> PaymentMint:
        """The payment mint of a symbol or address. UnknownPaymentToken."""
        reads = self.market.reads
        return await reads.payment_mint((await reads.tokens()).mint(token))

    async def market_token_units(self, amount: str) -> int:
        """Base units of an amount of the market token. BadAmount."""
        return base_units(amount, (await self.market.reads.market()).market_decimals)

    @cached_property
    def post(self) -> orders.SealedOrderApi:
        """Delivers orders to their hosts. NoApi."""
        post = orders.SealedOrderApi(self.api_url)
        self._stack.push_async_callback(post.close)
        return post

    async def _deliver(self, order: orders.SealedOrder) -> bool:
        return await self.post.deliver(order)

    def _say_feed_lost(self, error: GpuMarketError) -> None:
        """Warns once, for any number of followed jobs."""
        if not self._has_said_feed_lost:
            self._has_said_feed_lost = True
            self.out.warn(f"{error.message}: following the chain instead.")

    @property
    def api_url(self) -> str:
        """The market's API. NoApi."""
        if self.settings.api_url is None:
            if self.settings.cluster == "localnet" and self.settings.sources["rpc_url"] == DEFAULT:
                raise NoApi("No market runs on this computer", START_ONE)
            raise NoApi("No market API is configured")
        return self.settings.api_url

    async def _require_cluster(self, prepared: Prepared) -> None:
        """Refuses to send to a different cluster than that of the settings. WrongCluster."""
        if not self._is_cluster_known:
            await require_profile(self.market.reads, self.settings.cluster, self.settings.genesis_hash)
            self._is_cluster_known = True

    def _connect(self, wallet: Wallet | None) -> Market:
        settings = self.settings
        market = Market.connect(
            settings.rpc_url,
            wallet,
            ws_url=settings.ws_url,
            program_id=settings.program_id,
            rpc_rate=settings.rpc_rate,
            tokens=settings.tokens,
            price_feeds=settings.price_feeds,
            renter_keys=orders.KeyDirectory(order_directory()),
            deliver_order=self._deliver if settings.api_url is not None else None,
            waiting_documents=orders.DocumentDirectory(order_directory()),
            api_url=settings.api_url,
            on_feed_lost=self._say_feed_lost,
            on_signed=None if wallet is None else self._require_cluster,
        )
        self._stack.push_async_callback(market.close)
        return market

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()
