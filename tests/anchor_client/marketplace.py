"""A small market for the client's tests, made through the client's own methods."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import CreateAccountParams, create_account
from spl.token.instructions import initialize_mint2, mint_to
from spl.token.models import InitializeMint2Params, MintToParams

from anchor_client.generated.program import TOKEN_PROGRAM
from anchor_client.generated.types import ListingSpec, MarketParameter, OracleKind, PaymentMintTerms
from anchor_client.market import Market
from anchor_client.rules.catalog import GPU_BY_SLUG, GPU_MODELS, REGION_BY_SLUG
from anchor_client.sealing import SealKey
from anchor_client.tokens import NATIVE_MINT, associated_token, create_associated_token
from tests.anchor_client.cluster import Cluster

DECIMALS = 6
TOKEN = 10**DECIMALS
SOL = 10**9
GPUM_PRICE = 50_000_000_000
USDC_PRICE = 10**12
SOL_PRICE = 150 * 10**12
MINT_BYTES = 82
OFFLINE_AFTER = 3_600
PROVISION_TIMEOUT = 300
MIN_DURATION = 60
EPOCH = 3_600
H100 = "nvidia-h100-pcie-80gb"


@dataclass(slots=True)
class Marketplace:
    """Keys and addresses of the seeded market."""

    cluster: Cluster
    authority: Keypair
    oracle: Keypair = field(default_factory=Keypair)
    treasury: Keypair = field(default_factory=Keypair)
    host: Keypair = field(default_factory=Keypair)
    seal_key: SealKey = field(default_factory=SealKey.generate)
    gpum: Keypair = field(default_factory=Keypair)
    usdc: Keypair = field(default_factory=Keypair)
    listings: list[Pubkey] = field(default_factory=list)

    def market(self, wallet: Keypair | None = None) -> Market:
        """A client for a wallet."""
        return Market.connect(
            self.cluster.rpc_url, wallet, ws_url=self.cluster.ws_url, tokens={"USDC": self.usdc.pubkey()}
        )

    async def seed(self) -> None:
        """Opens the market with three payment mints, one approved host and its listings."""
        await self.airdrop(self.authority, self.oracle, self.host)
        async with self.market(self.authority) as admin:
            for mint in (self.gpum, self.usdc):
                await self._create_mint(admin, mint)
            await admin.initialize_market(
                self.gpum.pubkey(), guardian=Keypair().pubkey(), treasury=self.treasury.pubkey()
            )
            await admin.update_market_parameters(
                {
                    MarketParameter.MIN_DURATION: MIN_DURATION,
                    MarketParameter.PRIORITY_WINDOW: 0,
                    MarketParameter.MIN_RATED_SECONDS: 1,
                    MarketParameter.ORDER_MIN_USD: 10_000,
                    MarketParameter.OFFLINE_AFTER: OFFLINE_AFTER,
                    MarketParameter.PROVISION_TIMEOUT: PROVISION_TIMEOUT,
                }
            )
            await admin.add_payment_mint(self.gpum.pubkey(), self._terms(OracleKind.POSTED, 8_500, 2_000, 0))
            await admin.add_payment_mint(self.usdc.pubkey(), self._terms(OracleKind.PINNED, 0, 0, 500))
            await admin.add_payment_mint(NATIVE_MINT, self._terms(OracleKind.POSTED, 0, 0, 500))
            for mint_address in (self.gpum.pubkey(), self.usdc.pubkey(), NATIVE_MINT):
                for shard in (0, 1):
                    await admin.add_vault(mint_address, shard)
            await self.mint(admin, self.gpum.pubkey(), self.authority.pubkey(), 2_000_000 * TOKEN)
            for shard in (0, 1):
                await admin.fund_subsidy(1_000_000 * TOKEN, shard)
            await admin.initialize_catalog()
            await admin.set_gpu_points({model.id: model.points for model in GPU_MODELS})
            await admin.update_market(MarketParameter.EPOCH_SECONDS, EPOCH)
            await admin.initialize_pool()
            for mint_address in (self.gpum.pubkey(), self.usdc.pubkey(), NATIVE_MINT):
                await admin.add_reward_mint(mint_address)
        await self.post_prices()
        async with self.market(self.host) as host:
            await host.register_host(self.seal_key.public)
            async with self.market(self.authority) as admin:
                await admin.approve_host(self.host.pubkey())
        await self.add_machines(12)

    async def add_machines(self, count: int) -> list[Pubkey]:
        """The host lists more machines, which are online and idle."""
        async with self.market(self.host) as host:
            added = await host.create_listings([spec() for _ in range(count)])
            await host.heartbeat()
        self.listings += added
        return added

    async def post_prices(self) -> None:
        """Posts fresh prices for the market token and SOL."""
        async with self.market(self.oracle) as oracle:
            await oracle.post_price(self.gpum.pubkey(), GPUM_PRICE)
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
                await market.sender.details(signature)

    async def mint(self, admin: Market, mint: Pubkey, owner: Pubkey, amount: int) -> None:
        """Gives a wallet base units of one of the market's own tokens."""
        account = associated_token(owner, mint)
        await admin.send(
            [
                create_associated_token(admin.address, owner, mint),
                mint_to(
                    MintToParams(
                        program_id=TOKEN_PROGRAM, mint=mint, dest=account, mint_authority=admin.address, amount=amount
                    )
                ),
            ]
        )

    async def warp(self, seconds: int, *, heartbeat: bool = True) -> None:
        """Moves time, the host staying online unless told otherwise; prices stay fresh."""
        left = seconds
        while left > 0:
            step = min(left, OFFLINE_AFTER - 60)
            await self.cluster.warp(step)
            left -= step
            if heartbeat:
                async with self.market(self.host) as host:
                    await host.heartbeat()
        await self.post_prices()

    async def run(self, job: Pubkey, connection: bytes = b"sealed") -> None:
        """The host accepts and starts a rental."""
        async with self.market(self.host) as host:
            await host.accept(job, connection)
            await host.start(job)

    async def _create_mint(self, admin: Market, mint: Keypair) -> None:
        rent = await admin.reads.program.rent_exempt_minimum(MINT_BYTES)
        await admin.sender.send(
            [
                create_account(
                    CreateAccountParams(
                        from_pubkey=admin.address,
                        to_pubkey=mint.pubkey(),
                        lamports=rent,
                        space=MINT_BYTES,
                        owner=TOKEN_PROGRAM,
                    )
                ),
                initialize_mint2(
                    InitializeMint2Params(
                        program_id=TOKEN_PROGRAM, mint=mint.pubkey(), decimals=DECIMALS, mint_authority=admin.address
                    )
                ),
            ],
            payer=admin.wallet,
            signers=[mint],
        )

    def _terms(self, oracle: OracleKind, subsidy_bps: int, burn_bps: int, extra_fee_bps: int) -> PaymentMintTerms:
        return PaymentMintTerms(
            oracle_kind=oracle,
            enabled=True,
            shards=2,
            oracle=self.oracle.pubkey(),
            pinned_price=USDC_PRICE,
            max_age=7_200,
            subsidy_bps=subsidy_bps,
            burn_bps=burn_bps,
            extra_fee_bps=extra_fee_bps,
            max_confidence_bps=0,
        )


def spec(
    gpu: str = H100, region: str = "eu-west", *, usd: int | None = None, spot: int = 0, visible: bool = True
) -> ListingSpec:
    """A plausible machine at its model's seed price."""
    model = GPU_BY_SLUG[gpu]
    return ListingSpec(
        gpu_model=model.id,
        gpu_count=1,
        vram_gb=model.vram_gb,
        region=REGION_BY_SLUG[region].id,
        cpu_cores=32,
        ram_gb=256,
        disk_kind=0,
        disk_gb=2_000,
        disk_mbps=6_000,
        net_up_mbps=1_000,
        net_down_mbps=1_000,
        cuda=1_204,
        on_demand_usd=usd or model.seed_usd,
        spot_min_usd=spot,
        mrl_seconds=30 * 86_400,
        visible=visible,
    )
