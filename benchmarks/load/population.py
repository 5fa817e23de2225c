"""A seeded market on the embedded cluster, with as many hosts and renters as asked for, all distinct."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from solana.rpc.async_api import AsyncClient
from solders.account import Account
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM
from solders.token.state import TokenAccount, TokenAccountState
from solders.transaction import VersionedTransaction

from anchor_client.generated import instructions
from anchor_client.generated.constants import USD
from anchor_client.generated.pdas import find_associated_token, find_host, find_listing, find_payment_mint
from anchor_client.generated.types.listing_spec import ListingSpec
from benchmarks.load.recording import Recording
from local_market.addresses import Tokens
from local_market.keys import MarketKeyring
from local_market.machines import machines_by_region
from local_market.program import add_market_program
from local_market.seed import seed_market
from localnet.cluster import Cluster
from localnet.server import LocalCluster

LAMPORTS = 10**10
TOKENS = 10**12
PRICE_USD = 8 * USD
"""Micro-USD per machine-hour: a rental as short as a host may be silent still reaches the order minimum."""


class TransactionRefused(RuntimeError):
    """A transaction that a load is made of has failed."""


@dataclass(slots=True)
class Party:
    """A renter, and a host with one machine; `nonce` is the renter's next."""

    renter: Keypair
    host: Keypair
    listing: Pubkey
    nonce: int = 0


class Population:
    """Acts on a cluster in this process, without waiting for anything. `open_population` makes one."""

    def __init__(self, cluster: Cluster, keys: MarketKeyring, tokens: Tokens, recording: Recording) -> None:
        self.cluster = cluster
        self.keys = keys
        self.tokens = tokens
        self.recording = recording
        self.parties: list[Party] = []

    @property
    def mint(self) -> Pubkey:
        """The market token."""
        return self.tokens.market_token.mint

    def add_party(self) -> Party:
        """A registered renter with lamports and tokens, and an approved host that is online."""
        renter, host = Keypair(), Keypair()
        wallet, authority = host.pubkey(), self.keys.authority
        for owner, amount in ((renter.pubkey(), TOKENS), (wallet, 0)):
            self.cluster.set_account(owner, Account(LAMPORTS, b"", Pubkey.default()))
            self._give(owner, amount)
        listing = find_listing(find_host(wallet)[0], 0)[0]
        party = Party(renter, host, listing)
        approve = instructions.approve_host(authority=authority.pubkey(), host=find_host(wallet)[0], approved=True)
        self.run([host, authority], [instructions.register_host(authority=wallet, seal_key=bytes(wallet)), approve])
        self.run([host], [instructions.create_listing(authority=wallet, id=0, spec=_machine())])
        register = instructions.register_renter(caller=renter.pubkey(), wallet=renter.pubkey())
        self.run([renter], [register])
        self.parties.append(party)
        return party

    def post_price(self) -> None:
        """The market token's price, again, so that it is fresh."""
        oracle = self.keys.oracle
        post = instructions.post_price(
            oracle=oracle.pubkey(),
            payment_mint=find_payment_mint(self.mint)[0],
            price=self.tokens.market_token.terms.price,
        )
        self.run([oracle], [post])

    def run(self, signers: Sequence[Keypair], acts: Sequence[Instruction]) -> None:
        """Lands a transaction that the first signer pays. Raises TransactionRefused."""
        blockhash = self.cluster.latest_blockhash()
        message = MessageV0.try_compile(signers[0].pubkey(), list(acts), [], blockhash)
        record = self.cluster.execute(VersionedTransaction(message, list(signers)))
        if record.err is not None:
            raise TransactionRefused("\n".join([str(record.err), *record.meta["logMessages"]]))

    def _give(self, owner: Pubkey, amount: int) -> None:
        where = find_associated_token(owner, TOKEN_PROGRAM, self.mint)[0]
        state = TokenAccount(self.mint, owner, amount, None, TokenAccountState.Initialized, None, 0, None)
        self.cluster.set_account(where, Account(LAMPORTS, bytes(state), TOKEN_PROGRAM))


@asynccontextmanager
async def open_population(data: Path | None = None) -> AsyncIterator[Population]:
    """The seeded market, its transactions recorded from the first; with `data`, kept there when it is left."""
    keys = MarketKeyring.generate()
    local = LocalCluster(data=data)
    recording = Recording(local.cluster)
    add_market_program(local, keys.authority.pubkey())
    async with local, AsyncClient(local.http_url) as client:
        seeded = await seed_market(client, keys)
        yield Population(local.cluster, keys, seeded.tokens, recording)


def _machine() -> ListingSpec:
    spec = next(spec for specs in machines_by_region().values() for spec in specs)
    return replace(spec, on_demand_usd=PRICE_USD, spot_min_usd=0)
