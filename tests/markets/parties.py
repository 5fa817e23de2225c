"""A small market on the embedded cluster, with parties that rent from each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount
from solders.transaction import VersionedTransaction
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client.generated.accounts import Rental, Request, Vault
from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.instructions import (
    accept_rental,
    approve_host,
    create_listing,
    heartbeat,
    open_rental,
    open_request,
    register_host,
    register_renter,
    start_rental,
)
from anchor_client.generated.pdas import (
    find_host,
    find_listing,
    find_payment_mint,
    find_rental,
    find_request,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import Order, RentalKind, RequestOrder
from anchor_client.market.purse import Purse
from anchor_client.pubsub import subscriber
from anchor_client.rpc import Reader
from anchor_client.tokens import associated_token, create_associated_token
from keeper.settings import KeeperSettings
from local_market.addresses import Token, Tokens
from local_market.keys import MarketKeyring
from local_market.program import add_market_program
from local_market.seed import seed_market
from localnet.server import LocalCluster
from tests.markets.spec import DAY, spec_with

SettingsOf = Callable[..., KeeperSettings]

SOL = 10**9
OFFLINE_AFTER = 900
PROVISION_TIMEOUT = 300
DURATION = 600
TIP = 20_000
"""The market's own default."""

SPEC = spec_with(
    gpu_count=1, region=1, on_demand_usd=20_000_000, spot_min_usd=10_000_000, net_down_mbps=10_000, mrl_seconds=DAY
)


@dataclass(slots=True)
class Party:
    """A host with one machine and a renter of its own, who deal with no one else."""

    host: Keypair
    renter: Keypair
    listing: Pubkey
    rentals: list[Pubkey] = field(default_factory=list)


class World:
    """The cluster, its market, and shortcuts that go through the program's instructions."""

    def __init__(self, local: LocalCluster, client: AsyncClient, keys: MarketKeyring, tokens: Tokens) -> None:
        self.local = local
        self.client = client
        self.keys = keys
        self.tokens = tokens
        self.reader = Reader(client, commitment=Confirmed)

    @classmethod
    async def create(cls, local: LocalCluster, client: AsyncClient, keys: MarketKeyring) -> World:
        """Seeds an empty cluster; no machines but those of the parties."""
        add_market_program(local, keys.authority.pubkey())
        seeded = await seed_market(client, keys, machines={region: [] for region in keys.hosts})
        return cls(local, client, keys, seeded.tokens)

    # Wallets and time

    def wallet(self, lamports: int = SOL) -> Keypair:
        """A funded wallet."""
        keypair = Keypair()
        self.local.cluster.airdrop(keypair.pubkey(), lamports)
        return keypair

    def lamports(self, address: Pubkey) -> int:
        """Lamports of an account; 0 where there is none."""
        account = self.local.cluster.account(address)
        return 0 if account is None else account.lamports

    def tokens_of(self, owner: Pubkey, token: Token) -> int:
        """Base units in an owner's associated token account; 0 where there is none."""
        account = self.local.cluster.account(associated_token(owner, token.mint))
        return 0 if account is None else TokenAccount.from_bytes(account.data).amount

    def associated(self, owner: Pubkey, token: Token) -> Pubkey:
        """An owner's associated token account."""
        return associated_token(owner, token.mint)

    def now(self) -> int:
        """The cluster's clock, unix seconds."""
        return self.local.cluster.clock.unix_timestamp

    def warp(self, seconds: int) -> None:
        """Moves time forward."""
        self.local.cluster.warp(seconds)

    def stop_clock_at(self, moment: int) -> None:
        """Lets the cluster's clock stand still at a moment that has not passed."""
        self.local.cluster.pause()
        self.local.cluster.warp(moment + 0.5 - self.local.cluster.timeline.unix_ms / 1_000)
        assert self.now() == moment

    def close_account(self, address: Pubkey) -> None:
        """Removes an account, as if its owner had closed it."""
        self.local.cluster.set_account(address, None)

    def freeze(self, address: Pubkey) -> None:
        """Freezes a token account, as its mint's freeze authority would."""
        account = self.local.cluster.account(address)
        assert account is not None
        data = bytearray(account.data)
        data[108] = 2
        frozen = Account(account.lamports, bytes(data), account.owner, account.executable, account.rent_epoch)
        self.local.cluster.set_account(address, frozen)

    def run(self, payer: Keypair, instructions: Sequence[Instruction], *signers: Keypair) -> None:
        """Runs instructions in one transaction; fails the test when they fail."""
        message = Message.new_with_blockhash(instructions, payer.pubkey(), self.local.cluster.latest_blockhash())
        record = self.local.cluster.execute(VersionedTransaction(message, [payer, *signers]))
        assert record.err is None, record.meta["logMessages"]

    # Parties and rentals

    def party(self, token: Token | None = None) -> Party:
        """A new host with a listed machine, and a new renter with tokens."""
        token = token or self.tokens.market_token
        host, renter = self.wallet(10 * SOL), self.wallet(10 * SOL)
        address = find_host(host.pubkey())[0]
        listing = find_listing(address, 0)[0]
        authority = self.keys.authority
        self.run(
            host,
            [
                register_host(seal_key=bytes([7] * 32), authority=host.pubkey()),
                approve_host(approved=True, authority=authority.pubkey(), host=address),
                create_listing(id=0, spec=SPEC, authority=host.pubkey()),
                create_associated_token(host.pubkey(), host.pubkey(), token.mint),
            ],
            authority,
        )
        self.run(renter, [register_renter(caller=renter.pubkey(), wallet=renter.pubkey())])
        if token is not self.tokens.sol:
            purse = associated_token(renter.pubkey(), token.mint)
            issue = MintToParams(
                program_id=TOKEN_PROGRAM,
                mint=token.mint,
                dest=purse,
                mint_authority=authority.pubkey(),
                amount=token.base_units(10_000),
            )
            create = create_associated_token(renter.pubkey(), renter.pubkey(), token.mint)
            self.run(renter, [create, mint_to(issue)], authority)
        party = Party(host, renter, listing)
        self.beat(party)
        return party

    def beat(self, *parties: Party) -> None:
        """A heartbeat of each party's machine."""
        for party in parties:
            meta = AccountMeta(party.listing, is_signer=False, is_writable=True)
            self.run(party.host, [heartbeat(authority=party.host.pubkey(), remaining_accounts=[meta])])

    def open(
        self,
        party: Party,
        *,
        token: Token | None = None,
        duration: int = DURATION,
        shard: int = 0,
        kind: RentalKind = RentalKind.ON_DEMAND,
        bid_usd: int = 0,
    ) -> Pubkey:
        """The renter orders the party's machine."""
        token = token or self.tokens.market_token
        renter, nonce = party.renter.pubkey(), len(party.rentals)
        purse = None
        if token is self.tokens.sol:
            purse = Purse.wrapped(renter, SOL, self.local.cluster.bank.minimum_balance(165))
        vault = find_vault(token.mint, shard)[0]
        order = Order(kind=kind, duration=duration, max_deposit=2**63, order_hash=bytes(range(32)), bid_usd=bid_usd)
        opening = open_rental(
            nonce=nonce,
            order=order,
            renter=renter,
            payment_mint=find_payment_mint(token.mint)[0],
            vault=vault,
            vault_token=associated_token(vault, token.mint),
            listing=party.listing,
            host=find_host(party.host.pubkey())[0],
            renter_token=purse.address if purse is not None else associated_token(renter, token.mint),
        )
        around = (purse.before, purse.after) if purse is not None else ((), ())
        self.run(party.renter, [*around[0], opening, *around[1]])
        rental = find_rental(renter, nonce)[0]
        party.rentals.append(rental)
        return rental

    def request(
        self, party: Party, *, token: Token | None = None, price_feed: Pubkey | None = None, **changes: Any
    ) -> Pubkey:
        """The renter asks for a machine like the parties'; `changes` are of the order."""
        token = token or self.tokens.market_token
        renter, nonce = party.renter.pubkey(), len(party.rentals)
        vault = find_vault(token.mint, 0)[0]
        values: dict[str, Any] = {
            "kind": RentalKind.ON_DEMAND,
            "gpu_model": SPEC.gpu_model,
            "gpu_count": SPEC.gpu_count,
            "regions": 0,
            "near_region": ANY_REGION,
            "min_score_bps": 0,
            "duration": DURATION,
            "max_usd": 2 * SPEC.on_demand_usd,
            "deposit": token.base_units(1_000),
            "expires_at": self.now() + 3_600,
            "order_hash": bytes(range(32)),
        }
        opening = open_request(
            nonce=nonce,
            order=RequestOrder(**(values | changes)),
            renter=renter,
            payment_mint=find_payment_mint(token.mint)[0],
            vault=vault,
            vault_token=associated_token(vault, token.mint),
            renter_token=associated_token(renter, token.mint),
            price_feed=price_feed,
        )
        self.run(party.renter, [opening])
        party.rentals.append(find_rental(renter, nonce)[0])
        return find_request(renter, nonce)[0]

    def start(self, party: Party, *, token: Token | None = None) -> None:
        """The host accepts and starts the party's last rental."""
        token = token or self.tokens.market_token
        host, rental = party.host.pubkey(), party.rentals[-1]
        accept = accept_rental(
            connection=b"sealed",
            authority=host,
            rental=rental,
            listing=party.listing,
            host_token=associated_token(host, token.mint),
        )
        self.run(party.host, [accept, start_rental(authority=host, rental=rental, listing=party.listing)])

    def running(
        self, count: int, *, token: Token | None = None, duration: int = DURATION, shards: int = 1
    ) -> list[Party]:
        """Parties with a running rental each, all distinct; their vaults are the first `shards` in turn."""
        parties = []
        for number in range(count):
            party = self.party(token)
            self.open(party, token=token, duration=duration, shard=number % shards)
            self.start(party, token=token)
            parties.append(party)
        return parties

    # What came of it

    async def rentals(self) -> dict[Pubkey, Rental]:
        """The rentals that are still open."""
        return await self.reader.read_all(Rental)

    async def vaults(self, token: Token) -> list[Vault]:
        """The vaults of a mint."""
        return [vault for vault in (await self.reader.read_all(Vault)).values() if vault.mint == token.mint]

    async def assert_balanced(self, token: Token) -> None:
        """Every vault holds what its ledger says, and owes nothing once no rental is open."""
        for vault in await self.vaults(token):
            account = self.local.cluster.account(vault.token_account)
            assert account is not None
            held = vault.liabilities + vault.fees_due + vault.stakers_due + vault.subsidy_pool
            assert TokenAccount.from_bytes(account.data).amount == held
            assert vault.open_rentals == 0 and vault.liabilities == 0

    async def until_ended(self, *rentals: Pubkey, seconds: float = 20) -> None:
        """Waits until none of these rentals is open."""
        await self._until(lambda left: not left & set(rentals), seconds)

    async def until_requests_end(self, *requests: Pubkey, seconds: float = 20) -> None:
        """Waits until none of these requests is open."""

        async def left() -> set[Pubkey]:
            return set(await self.reader.read_all(Request))

        async with asyncio.timeout(seconds), subscriber(self.local.ws_url) as socket:
            await socket.program_subscribe(program_id=PROGRAM_ID, commitment=Confirmed, encoding="base64")
            while await left() & set(requests):
                await socket.recv()

    async def until_first_ended(self, count: int, seconds: float = 20) -> None:
        """Waits until fewer than `count` rentals are open."""
        await self._until(lambda left: len(left) < count, seconds)

    async def _until(self, condition: Callable[[set[Pubkey]], bool], seconds: float) -> None:
        async with asyncio.timeout(seconds), subscriber(self.local.ws_url) as socket:
            await socket.program_subscribe(program_id=PROGRAM_ID, commitment=Confirmed, encoding="base64")
            while not condition(set(await self.rentals())):
                await socket.recv()
