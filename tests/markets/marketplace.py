"""A small market for the client's tests: seeded over RPC, and acted upon through the client's own methods."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.generated.types import ListingSpec, MarketParameter
from anchor_client.market import Market
from anchor_client.rules.catalog import GPU_BY_SLUG, REGION_BY_SLUG
from anchor_client.sealing import SealKey
from anchor_client.solana.node import NodeClient
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, create_associated_token
from local_market.keys import MarketKeyring
from local_market.seed import seed_market
from local_market.terms import MARKET_TOKEN, USDC, LocalTerms
from local_market.terms import SOL as SOL_TERMS
from tests.markets.cluster import Cluster
from tests.markets.spec import DAY, spec_with

DECIMALS = 6
TOKEN = 10**DECIMALS
SOL = 10**9
USDC_PRICE = USDC.price
SOL_PRICE = SOL_TERMS.price
OFFLINE_AFTER = 3_600
ANSWER_WINDOW = 60
PROVISION_TIMEOUT = 300
MIN_DURATION = 60
EPOCH = 3_600
REGION = "eu-west"
H100 = "nvidia-h100-pcie-80gb"
MACHINES = 12
TERMS = LocalTerms(
    parameters={
        MarketParameter.MIN_DURATION: MIN_DURATION,
        MarketParameter.PRIORITY_WINDOW: 0,
        MarketParameter.MIN_POST_INTERVAL: 0,
        MarketParameter.MIN_RATED_SECONDS: 60,
        MarketParameter.ORDER_MIN_USD: 10_000,
        MarketParameter.OFFLINE_AFTER: OFFLINE_AFTER,
        MarketParameter.ANSWER_WINDOW: ANSWER_WINDOW,
        MarketParameter.ANSWER_SLOTS: 1,
        MarketParameter.PROVISION_TIMEOUT: PROVISION_TIMEOUT,
        MarketParameter.EPOCH_SECONDS: EPOCH,
    },
    market_token=replace(MARKET_TOKEN, max_age=7_200, shards=2, subsidy_tokens_per_shard=1_000_000),
    usdc=replace(USDC, max_age=7_200, shards=2),
    sol=replace(SOL_TERMS, max_age=7_200, shards=2),
)
"""Those of a local market, but for what the tests are about."""


def one_host() -> MarketKeyring:
    """Keys of a market in one region."""
    keys = MarketKeyring.generate()
    return replace(keys, hosts={REGION: keys.hosts[REGION]})


@dataclass(slots=True)
class Marketplace:
    """Keys and addresses of the seeded market; its program's upgrade authority is the keyring's."""

    cluster: Cluster
    keys: MarketKeyring = field(default_factory=one_host)
    listings: list[Pubkey] = field(default_factory=list)

    @property
    def authority(self) -> Keypair:
        return self.keys.authority

    @property
    def oracle(self) -> Keypair:
        return self.keys.oracle

    @property
    def host(self) -> Keypair:
        return self.keys.hosts[REGION].wallet

    @property
    def seal_key(self) -> SealKey:
        """Key that orders for the host are sealed to."""
        return self.keys.hosts[REGION].seal

    @property
    def gpum(self) -> Keypair:
        return self.keys.market_mint

    @property
    def usdc(self) -> Keypair:
        return self.keys.usdc_mint

    def market(self, wallet: Keypair | None = None) -> Market:
        """A client for a wallet."""
        return Market.connect(
            self.cluster.rpc_url, wallet, ws_url=self.cluster.ws_url, tokens={"USDC": self.usdc.pubkey()}
        )

    async def seed(self) -> None:
        """Opens the market with three payment mints, one approved host and its machines, which are online and idle."""
        machines = {REGION: [spec()] * MACHINES}
        async with NodeClient(self.cluster.rpc_url) as client:
            await seed_market(client, self.keys, terms=TERMS, machines=machines)
        address = find_host(self.host.pubkey())[0]
        self.listings += [find_listing(address, number)[0] for number in range(MACHINES)]
        await self.beat()

    async def add_machines(self, count: int) -> list[Pubkey]:
        """The host lists more machines, which are online and idle."""
        async with self.market(self.host) as host:
            added = await host.host.create_listings([spec() for _ in range(count)])
            await host.host.heartbeat()
        self.listings += added
        return added

    async def post_prices(self) -> None:
        """Posts fresh prices for the market token and SOL."""
        async with self.market(self.oracle) as oracle:
            await oracle.post_price(self.gpum.pubkey(), MARKET_TOKEN.price)
            await oracle.post_price(NATIVE_MINT, SOL_PRICE)

    async def renter(
        self, *, gpum: int = 100_000 * TOKEN, usdc: int = 10_000 * TOKEN, lamports: int = 100 * SOL
    ) -> Keypair:
        """A new wallet with SOL and base units of both tokens."""
        wallet = Keypair()
        await self.airdrop(wallet, lamports=lamports)
        async with self.market(self.authority) as admin:
            for mint, amount in ((self.gpum, gpum), (self.usdc, usdc)):
                if amount:
                    await self.mint(admin, mint.pubkey(), wallet.pubkey(), amount)
        return wallet

    async def airdrop(self, *wallets: Keypair, lamports: int = 100 * SOL) -> None:
        """Gives wallets SOL."""
        for wallet in wallets:
            signature = Signature.from_string(await self.cluster.call("requestAirdrop", str(wallet.pubkey()), lamports))
            async with self.market() as market:
                await market.session.sender.details(signature)

    async def mint(self, admin: Market, mint: Pubkey, owner: Pubkey, amount: int) -> None:
        """Gives a wallet base units of one of the market's own tokens."""
        account = associated_token(owner, mint)
        await admin.send(
            create_associated_token(admin.address, owner, mint),
            mint_to(
                MintToParams(
                    program_id=TOKEN_PROGRAM, mint=mint, dest=account, mint_authority=admin.address, amount=amount
                )
            ),
        )

    async def freshen(self) -> None:
        """The host is online and prices are fresh, as tests find and leave them."""
        await self.beat()
        await self.post_prices()

    async def beat(self) -> None:
        """The host's machines are heard from."""
        async with self.market(self.host) as host:
            await host.host.heartbeat()

    async def warp(self, seconds: int, *, heartbeat: bool = True) -> None:
        """Moves time, the host staying online unless told otherwise; prices stay fresh."""
        left = seconds
        while left > 0:
            step = min(left, OFFLINE_AFTER - 60)
            await self.cluster.warp(step)
            left -= step
            if heartbeat:
                await self.beat()
        await self.post_prices()

    async def run(self, job: Pubkey, connection: bytes = b"sealed") -> None:
        """The host accepts and starts a rental."""
        async with self.market(self.host) as host:
            await host.rental.accept(job, connection)
            await host.rental.start(job)


def spec(
    gpu: str = H100, region: str = "eu-west", *, usd: int | None = None, spot: int = 0, visible: bool = True
) -> ListingSpec:
    """A plausible machine at its model's seed price."""
    model = GPU_BY_SLUG[gpu]
    return spec_with(
        gpu_model=model.id,
        gpu_count=1,
        vram_gb=model.vram_gb,
        region=REGION_BY_SLUG[region].id,
        net_down_mbps=1_000,
        on_demand_usd=usd or model.seed_usd,
        spot_min_usd=spot,
        mrl_seconds=30 * DAY,
        visible=visible,
    )
