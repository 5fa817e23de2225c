"""Reads the market's present state from the chain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, ParamSpec, Self

from solana.rpc.commitment import Commitment, Confirmed
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.token.state import Mint

from anchor_client import market as areas
from anchor_client.amounts import SOL_DECIMALS, Denomination
from anchor_client.errors import (
    NoCatalog,
    NoPool,
    ProgramRefusal,
    UnknownHost,
    UnknownJob,
    UnknownListing,
    UnknownMarket,
    UnknownPaymentToken,
    UnknownRequest,
    UnknownVault,
)
from anchor_client.generated import accounts
from anchor_client.generated.constants import PICO_PER_MICRO
from anchor_client.generated.pdas import (
    find_catalog,
    find_host,
    find_market,
    find_payment_mint,
    find_pool,
    find_renter_profile,
    find_stake,
    find_vault,
)
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import OracleKind, RentalState
from anchor_client.payment_tokens import PaymentTokens
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.rules.listing import rentals_of
from anchor_client.rules.payment_mint import FreshPrice, own_price
from anchor_client.rules.pyth import DEPLOYMENTS, PriceUpdate, sponsored_feed
from anchor_client.rules.rental import has_ended, is_finished, owes_renter, still_open
from anchor_client.rules.renter_profile import Quota, quota_of
from anchor_client.rules.stake_account import PresentStake, active_at, holding
from anchor_client.rules.stake_pool import advanced
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from anchor_client.solana.tokens import NATIVE_MINT, associated_token, balance_in
from anchor_client.symbols import MARKET_TOKEN

Arguments = ParamSpec("Arguments")
CAIP2_CHARACTERS: Final = 32
"""Of the genesis hash in base58: all that a CAIP-2 reference may have."""


class MarketReader:
    """Typed reads at one commitment; needs no key. Every method raises the network's errors."""

    def __init__(
        self,
        client: NodeClient,
        *,
        program_id: Pubkey = PROGRAM_ID,
        commitment: Commitment = Confirmed,
        tokens: PaymentTokens | None = None,
        price_feeds: Mapping[Pubkey, Pubkey] | None = None,
    ) -> None:
        """`price_feeds` are accounts with Pyth's price updates by mint, in addition to those that Pyth sponsors."""
        self.program = Reader(client, commitment=commitment, program_id=program_id)
        self.program_id = program_id
        self._configured = tokens or PaymentTokens()
        self._price_feeds = dict(price_feeds or {})
        self._tokens: PaymentTokens | None = None
        self._genesis_hash: str | None = None
        self._denominations: dict[Pubkey, Denomination] = {}

    @classmethod
    def over(cls, reader: Reader, *, price_feeds: Mapping[Pubkey, Pubkey] | None = None) -> Self:
        """Reads through a reader's node, at its commitment."""
        return cls(reader.client, program_id=reader.program_id, commitment=reader.commitment, price_feeds=price_feeds)

    def instruction(
        self, build: Callable[Arguments, Instruction], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Instruction:
        """An instruction of this market's program by its generated builder."""
        kwargs["program_id"] = self.program_id
        return build(*args, **kwargs)

    async def now(self) -> int:
        """The cluster's time, unix seconds."""
        return await self.program.now()

    async def genesis_hash(self) -> str:
        """Hash of the genesis block, which identifies the cluster; asked for once."""
        if self._genesis_hash is None:
            self._genesis_hash = str(await self.program.client.get_genesis_hash())
        return self._genesis_hash

    async def chain_id(self) -> str:
        """The cluster's CAIP-2 identifier."""
        return f"solana:{(await self.genesis_hash())[:CAIP2_CHARACTERS]}"

    async def market(self) -> accounts.Market:
        """The market's configuration. UnknownMarket."""
        return await self.program.require(
            accounts.Market,
            find_market(self.program_id)[0],
            UnknownMarket(f"Program {self.program_id} has no market on this cluster"),
        )

    async def tokens(self) -> PaymentTokens:
        """The symbols of payment mints, the market token's among them."""
        if self._tokens is None:
            market = await self.market()
            self._tokens = self._configured.with_token(MARKET_TOKEN, market.market_mint)
        return self._tokens

    async def denomination(self, mint: Pubkey) -> Denomination:
        """The symbol and the decimals of a mint. UnknownPaymentToken."""
        known = self._denominations.get(mint)
        if known is None:
            known = self._denominations[mint] = await self._denomination(mint)
        return known

    async def _denomination(self, mint: Pubkey) -> Denomination:
        symbol = (await self.tokens()).symbol(mint)
        if mint == NATIVE_MINT:
            return Denomination(symbol, SOL_DECIMALS)
        account = await self.program.account(mint)
        if account is None:
            raise UnknownPaymentToken(symbol, [known for known, _ in await self.tokens()])
        return Denomination(symbol, Mint.from_bytes(account.data).decimals)

    async def balance(self, owner: Pubkey, mint: Pubkey) -> int:
        """Base units in an owner's associated token account; 0 if there is none."""
        return balance_in(await self.program.account(associated_token(owner, mint)))

    async def payment_mint(self, mint: Pubkey) -> accounts.PaymentMint:
        """The market's account of a mint: its price and terms. UnknownPaymentToken."""
        found = await self.program.read(accounts.PaymentMint, find_payment_mint(mint, self.program_id)[0])
        if found is None:
            tokens = await self.tokens()
            raise UnknownPaymentToken(
                tokens.symbol(mint), [tokens.symbol(known.mint) for known in (await self.payment_mints()).values()]
            )
        return found

    async def payment_mints(self) -> dict[Pubkey, accounts.PaymentMint]:
        """Every mint that orders may be paid in, by the address of its PaymentMint account."""
        return await self.program.read_all(accounts.PaymentMint)

    async def fresh_price(self, mint: accounts.PaymentMint, now: int) -> FreshPrice:
        """Price at which the program would take this mint for an order at `now`.

        Raises the program's refusals: MintDisabled, PriceMissing, PriceStale, PriceUncertain, WrongPriceFeed.
        """
        pyth = DEPLOYMENTS.get(OracleKind(mint.oracle_kind))
        if mint.enabled == 0 or pyth is None:
            return FreshPrice(own_price(mint, now), None)
        feed = self._price_feeds.get(mint.mint) or sponsored_feed(mint.oracle, pyth.push_oracle)
        update = PriceUpdate.read(await self.program.account(feed), mint.oracle, pyth.receiver)
        price = update.fresh_price(max_age=mint.max_age, max_confidence_bps=mint.max_confidence_bps, now=now)
        return FreshPrice(price, feed)

    async def fresh_prices(
        self, mints: Iterable[accounts.PaymentMint], now: int
    ) -> AsyncIterator[tuple[accounts.PaymentMint, FreshPrice]]:
        """Each mint that the program would price an order in at `now`, with that price."""
        for mint in mints:
            with suppress(ProgramRefusal):
                yield mint, await self.fresh_price(mint, now)

    async def sol_usd(self) -> int | None:
        """Price of one SOL in micro-USD, as the program prices orders in it; None where it would refuse to."""
        mint = await self.program.read(accounts.PaymentMint, find_payment_mint(NATIVE_MINT, self.program_id)[0])
        if mint is None:
            return None
        try:
            price = await self.fresh_price(mint, await self.now())
        except ProgramRefusal:
            return None
        return price.pico_usd // PICO_PER_MICRO

    async def vault(self, mint: Pubkey, shard: int) -> tuple[Pubkey, accounts.Vault]:
        """A vault shard of a mint, with its address. UnknownVault."""
        address = find_vault(mint, shard, self.program_id)[0]
        return address, await self.program.require(
            accounts.Vault, address, UnknownVault(f"There is no vault {shard} of mint {mint}")
        )

    async def vaults(self, mint: Pubkey | None = None) -> dict[Pubkey, accounts.Vault]:
        """The vaults of a mint, or of all."""
        return await self.program.read_all(accounts.Vault, None if mint is None else {"mint": bytes(mint)})

    async def host(self, authority: Pubkey) -> accounts.Host:
        """A host by its wallet. UnknownHost."""
        return await self.program.require(
            accounts.Host,
            find_host(authority, self.program_id)[0],
            UnknownHost(f"{authority} is not registered as a host"),
        )

    async def hosts(self) -> dict[Pubkey, accounts.Host]:
        """Every host."""
        return await self.program.read_all(accounts.Host)

    async def listing(self, address: Pubkey) -> accounts.Listing:
        """A listing. UnknownListing."""
        return await self.program.require(
            accounts.Listing, address, UnknownListing(f"There is no listing at {address}")
        )

    async def offer(self, address: Pubkey) -> areas.Offer:
        """A listing with its host's standing. UnknownListing."""
        listing = await self.listing(address)
        host = await self.program.read(accounts.Host, listing.host)
        hosts = {} if host is None else {listing.host: host}
        return (await self._offers({address: listing}, hosts))[0]

    async def offers(self, gpu: GpuModel | None = None, *, host: Pubkey | None = None) -> list[areas.Offer]:
        """Every listing, of one model or one host if named, cheapest first."""
        fields: dict[str, bytes] = {}
        if gpu is not None:
            fields["gpu_model"] = gpu.id.to_bytes(2, "little")
        if host is not None:
            fields["host"] = bytes(host)
        listings = await self.program.read_all(accounts.Listing, fields)
        return await self._offers(listings, await self.hosts())

    async def _offers(
        self, listings: Mapping[Pubkey, accounts.Listing], hosts: Mapping[Pubkey, accounts.Host]
    ) -> list[areas.Offer]:
        owing = {listing.owed_vault for listing in listings.values() if listing.owed > 0}
        vaults = await self.program.read_known(accounts.Vault, owing) if owing else {}
        market = await self.market()
        now = await self.now()
        return areas.offers_of(listings, hosts, now=now, offline_after=market.offline_after, owing=vaults)

    async def listings_of(self, host: Pubkey) -> dict[Pubkey, accounts.Listing]:
        """The listings of a host."""
        return await self.program.read_all(accounts.Listing, {"host": bytes(host)})

    async def spot_book(self, address: Pubkey) -> areas.SpotBook:
        """Spot book of a listing: who holds the machine and who waits for it. UnknownListing."""
        return await self.spot_book_of(address, await self.listing(address), await self.market(), await self.now())

    async def spot_book_of(
        self, address: Pubkey, listing: accounts.Listing, market: accounts.Market, now: int
    ) -> areas.SpotBook:
        """The same for a listing and a market as they were read at `now`; a free machine takes no more reading."""
        places = rentals_of(listing)
        found = await self.program.read_known(accounts.Rental, places) if places else {}

        def place(rental: Pubkey) -> areas.SpotPlace | None:
            state = found.get(rental)
            return None if state is None else areas.SpotPlace(rental, state)

        holder = place(listing.current)
        challenger = place(listing.challenger)
        return areas.SpotBook(address, listing, holder, challenger, market.spot_increment_bps, now)

    async def rental(self, address: Pubkey) -> accounts.Rental:
        """A rental that has not ended. UnknownJob."""
        rental = await self.program.read(accounts.Rental, address)
        if rental is None or has_ended(rental):
            raise UnknownJob(
                f"There is no open rental at {address}", f"It may have ended: `gpu-market job {address}` shows it."
            )
        return rental

    async def rateable_rental(self, address: Pubkey) -> accounts.Rental:
        """A rental that its renter may rate: it has not ended, or waits to be contested. UnknownJob."""
        rental = await self.program.read(accounts.Rental, address)
        if rental is not None and is_finished(rental):
            return rental
        return await self.rental(address)

    async def owing_rental(self, address: Pubkey) -> accounts.Rental:
        """A rental that has ended and owes its renter a refund. UnknownJob."""
        rental = await self.program.read(accounts.Rental, address)
        if rental is None or not owes_renter(rental):
            raise UnknownJob(f"No rental at {address} owes its renter anything", "What it owed may have been claimed.")
        return rental

    async def finished_rental(self, address: Pubkey) -> accounts.Rental:
        """A rental whose command has ended and whose holdback waits. UnknownJob."""
        rental = await self.program.read(accounts.Rental, address)
        if rental is None or not is_finished(rental):
            raise UnknownJob(f"No finished rental at {address} waits", "What it held back may have been paid out.")
        return rental

    async def rentals(
        self, *, renter: Pubkey | None = None, listing: Pubkey | None = None
    ) -> dict[Pubkey, accounts.Rental]:
        """The rentals that have not ended, of one renter or one listing if named."""
        fields = {"renter": renter, "listing": listing}
        return still_open(
            await self.program.read_all(
                accounts.Rental, {name: bytes(value) for name, value in fields.items() if value is not None}
            )
        )

    async def owing_rentals(self, renter: Pubkey) -> dict[Pubkey, accounts.Rental]:
        """The rentals of a renter that have ended and owe them a refund."""
        fields = {"renter": bytes(renter), "state": bytes([RentalState.ENDED])}
        return await self.program.read_all(accounts.Rental, fields)

    async def pool(self) -> accounts.StakePool:
        """The stake pool with every epoch boundary up to now passed. NoPool."""
        pool = await self.program.require(
            accounts.StakePool,
            find_pool(self.program_id)[0],
            NoPool(f"Program {self.program_id} has no stake pool on this cluster"),
        )
        return advanced(pool, await self.now(), (await self.market()).epoch_seconds)

    async def stake_account(self, owner: Pubkey) -> accounts.StakeAccount | None:
        """A wallet's stake account as it was last settled; None until it first stakes."""
        return await self.program.read(accounts.StakeAccount, find_stake(owner, self.program_id)[0])

    async def holding(self, owner: Pubkey) -> PresentStake:
        """A wallet's present stake and its rewards; all zero for one that never staked. NoPool."""
        account = await self.stake_account(owner)
        return PresentStake() if account is None else holding(account, await self.pool())

    async def catalog(self) -> accounts.Catalog:
        """The catalog of GPU models. NoCatalog."""
        return await self.program.require(
            accounts.Catalog,
            find_catalog(self.program_id)[0],
            NoCatalog(f"Program {self.program_id} has no catalog on this cluster"),
        )

    async def request(self, address: Pubkey) -> accounts.Request:
        """A request that has not ended. UnknownRequest."""
        return await self.program.require(
            accounts.Request,
            address,
            UnknownRequest(
                f"There is no open request at {address}",
                f"It may have ended: `gpu-market request show {address}` shows it.",
            ),
        )

    async def requests(self, *, renter: Pubkey | None = None) -> dict[Pubkey, accounts.Request]:
        """The requests that have not ended, of one renter if named."""
        return await self.program.read_all(accounts.Request, None if renter is None else {"renter": bytes(renter)})

    async def quota(self, wallet: Pubkey) -> Quota:
        """A wallet's limits on concurrent rentals, and how many it has."""
        market = await self.market()
        profile = await self.renter_profile(wallet)
        now = await self.now()
        return quota_of(market, profile, active_at(await self.stake_account(wallet), now))

    async def renter_profile(self, wallet: Pubkey) -> accounts.RenterProfile | None:
        """A wallet's profile; None until it first rents."""
        return await self.program.read(accounts.RenterProfile, find_renter_profile(wallet, self.program_id)[0])
