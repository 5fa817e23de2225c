"""A small market on the embedded cluster, with parties that rent from each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from solana.rpc.commitment import Confirmed
from solders.account import Account
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.token.state import TokenAccount
from solders.transaction import VersionedTransaction
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client.generated.accounts import Rental, Request, Vault
from anchor_client.generated.instructions import (
    approve_host,
    register_host,
)
from anchor_client.generated.pdas import (
    find_host,
    find_listing,
    find_rental,
)
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import MarketParameter
from anchor_client.market.purse import Purse
from anchor_client.rules.vault import held
from anchor_client.solana.node import NodeClient
from anchor_client.solana.pubsub import subscriber
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import associated_token, create_associated_token
from keeper.settings import KeeperSettings
from local_market.addresses import LocalMints, Token
from local_market.keys import MarketKeyring
from local_market.program import add_market_program
from local_market.seed import seed_market
from local_market.terms import LOCALNET_TERMS
from localnet.server import LocalCluster
from tests.markets.node import NodeCluster
from tests.markets.spec import SPEC
from tests.processes.patience import PATIENCE
from tests.program.harness.changes import post_price
from tests.program.harness.flows import requested
from tests.program.harness.keys import known
from tests.program.harness.terms import asking
from tests.program.harness.world import World as Acts

SettingsOf = Callable[..., KeeperSettings]

SOL = 10**9
OFFLINE_AFTER = 900
ANSWER_WINDOW = 60
"""A mark lapses after as long again: what a test does with it takes less, on a busy machine too."""
PROVISION_TIMEOUT = 300
DURATION = 600
TERMS = replace(LOCALNET_TERMS, parameters={**LOCALNET_TERMS.parameters, MarketParameter.ANSWER_WINDOW: ANSWER_WINDOW})
CONNECTION = bytes(160)
"""As long as a sealed connection is."""
TIP = 20_000
"""The market's own default."""


@dataclass(slots=True)
class Party:
    """A host with one machine and a renter of its own, who deal with no one else."""

    host: Keypair
    renter: Keypair
    rentals: list[Pubkey] = field(default_factory=list)

    @property
    def listing(self) -> Pubkey:
        return find_listing(find_host(self.host.pubkey())[0], 0)[0]


class World:
    """The cluster, its market, and what the program harness's acts do there."""

    def __init__(self, local: LocalCluster, client: NodeClient, keys: MarketKeyring, tokens: LocalMints) -> None:
        self.local = local
        self.client = client
        self.keys = keys
        self.tokens = tokens
        self.reader = Reader(client, PROGRAM_ID, commitment=Confirmed)
        self.acts = Acts(NodeCluster(local.cluster))
        for key in (keys.authority, keys.oracle):
            known(key)

    @classmethod
    async def create(cls, local: LocalCluster, client: NodeClient, keys: MarketKeyring) -> World:
        """Seeds an empty cluster; no machines but those of the parties."""
        add_market_program(local, keys.authority.pubkey())
        seeded = await seed_market(client, keys, terms=TERMS, machines={region: [] for region in keys.hosts})
        return cls(local, client, keys, seeded.tokens)

    # Wallets and time

    def wallet(self, lamports: int = SOL) -> Keypair:
        """A funded wallet."""
        keypair = known(Keypair())
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

    def post_price(self) -> None:
        """The market token's price, again, so that it is fresh."""
        token = self.tokens.market_token
        self.acts.act(post_price(token.terms.price, token.mint, self.keys.oracle.pubkey()))

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
        party = Party(self.wallet(10 * SOL), self.wallet(10 * SOL))
        host, renter, authority = party.host.pubkey(), party.renter.pubkey(), self.keys.authority.pubkey()
        self.acts.act(
            register_host(seal_key=bytes([7] * 32), authority=host),
            approve_host(approved=True, subsidy_budget=10**13, authority=authority, host=find_host(host)[0]),
            self.acts.create_listing(host, id=0, spec=SPEC),
            create_associated_token(host, host, token.mint),
            self.acts.register_renter(renter),
        )
        if token is not self.tokens.sol:
            issue = MintToParams(
                program_id=TOKEN_PROGRAM,
                mint=token.mint,
                dest=associated_token(renter, token.mint),
                mint_authority=authority,
                amount=token.base_units(10_000),
            )
            self.acts.act(create_associated_token(renter, renter, token.mint), mint_to(issue))
        self.beat(party)
        return party

    def beat(self, *parties: Party) -> None:
        """A heartbeat of each party's machine."""
        for party in parties:
            self.acts.act(self.heartbeat(party))

    def heartbeat(self, party: Party) -> Instruction:
        """The host says that the party's machine is there."""
        return self.acts.heartbeat(party.host.pubkey(), party.listing)

    def fall_silent(self, *parties: Party) -> None:
        """Hosts are not heard from, are marked and do not answer."""
        self.warp(OFFLINE_AFTER + 2)
        for party in parties:
            self.acts.act(self.acts.mark_silent(party.listing))
        self.warp(ANSWER_WINDOW)

    def open(self, party: Party, *, token: Token | None = None, duration: int = DURATION, **order: Any) -> Pubkey:
        """The renter orders the party's machine; `order` are arguments of the harness's open_rental."""
        token, renter = token or self.tokens.market_token, party.renter.pubkey()
        purse = self._purse(renter, token)
        opening = self.acts.open_rental(
            renter, party.listing, token.mint, duration=duration, renter_token=purse.address, **order
        )
        party.rentals.append(find_rental(renter, self.acts.profile(renter).next_nonce)[0])
        self.acts.act(*purse.before, opening, *purse.after)
        return party.rentals[-1]

    def request(
        self, party: Party, *, token: Token | None = None, price_feed: Pubkey | None = None, **changes: Any
    ) -> Pubkey:
        """The renter asks for a machine like the parties'; `changes` are of the order."""
        token, renter = token or self.tokens.market_token, party.renter.pubkey()
        values: dict[str, Any] = {
            "duration": DURATION,
            "max_usd": 2 * SPEC.on_demand_usd,
            "deposit": token.base_units(1_000),
            "expires_at": self.now() + 3_600,
        }
        request = requested(
            self.acts, renter, mint=token.mint, order=asking(**(values | changes)), price_feed=price_feed
        )
        party.rentals.append(find_rental(renter, self.acts.profile(renter).next_nonce - 1)[0])
        return request

    def start(self, party: Party) -> None:
        """The host accepts and starts the party's last rental."""
        rental = party.rentals[-1]
        self.acts.act(self.acts.accept_rental(rental, CONNECTION), self.acts.start_rental(rental))

    def running(
        self, count: int, *, token: Token | None = None, duration: int = DURATION, shards: int = 1
    ) -> list[Party]:
        """Parties with a running rental each, all distinct; their vaults are the first `shards` in turn."""
        parties = []
        for number in range(count):
            party = self.party(token)
            self.open(party, token=token, duration=duration, shard=number % shards)
            self.start(party)
            parties.append(party)
        return parties

    def _purse(self, renter: Pubkey, token: Token) -> Purse:
        if token is not self.tokens.sol:
            return Purse(associated_token(renter, token.mint))
        return Purse.wrapped(renter, SOL, self.local.cluster.bank.minimum_balance(165))

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
            assert TokenAccount.from_bytes(account.data).amount == held(vault)
            assert vault.open_rentals == 0 and vault.liabilities == 0

    async def until_ended(self, *rentals: Pubkey, seconds: float = PATIENCE) -> None:
        """Waits until none of these rentals is open."""
        await self._until(lambda left: not left & set(rentals), seconds)

    async def until_requests_end(self, *requests: Pubkey, seconds: float = PATIENCE) -> None:
        """Waits until none of these requests is open."""

        async def left() -> set[Pubkey]:
            return set(await self.reader.read_all(Request))

        async with asyncio.timeout(seconds), subscriber(self.local.ws_url) as socket:
            await socket.program_subscribe(program_id=PROGRAM_ID, commitment=Confirmed, encoding="base64")
            while await left() & set(requests):
                await socket.recv()

    async def until_first_ended(self, count: int, seconds: float = PATIENCE) -> None:
        """Waits until fewer than `count` rentals are open."""
        await self._until(lambda left: len(left) < count, seconds)

    async def _until(self, condition: Callable[[set[Pubkey]], bool], seconds: float) -> None:
        async with asyncio.timeout(seconds), subscriber(self.local.ws_url) as socket:
            await socket.program_subscribe(program_id=PROGRAM_ID, commitment=Confirmed, encoding="base64")
            while not condition(set(await self.rentals())):
                await socket.recv()
