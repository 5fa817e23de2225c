"""What the chain says about the market now."""

from __future__ import annotations

from collections.abc import Iterable

from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Commitment, Confirmed
from solders.pubkey import Pubkey

from anchor_client.catalog import GpuModel
from anchor_client.errors import (
    UnknownHost,
    UnknownJob,
    UnknownListing,
    UnknownMarket,
    UnknownPaymentToken,
    UnknownRequest,
)
from anchor_client.generated.accounts import (
    Host,
    Listing,
    PaymentMint,
    Rental,
    RenterProfile,
    Request,
    StakeAccount,
    Vault,
)
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.pdas import (
    find_host,
    find_market,
    find_payment_mint,
    find_renter_profile,
)
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market.matching import Offer, offers_of
from anchor_client.market.quotas import Quota, active_stake, quota_of
from anchor_client.rpc import Reader
from anchor_client.tokens import MARKET_TOKEN, PaymentTokens


class MarketReader:
    """Typed reads at one commitment; needs no key. Every method raises the network's errors."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        program_id: Pubkey = PROGRAM_ID,
        commitment: Commitment = Confirmed,
        tokens: PaymentTokens | None = None,
    ) -> None:
        self.program = Reader(client, commitment=commitment, program_id=program_id)
        self.program_id = program_id
        self._configured = tokens or PaymentTokens()
        self._tokens: PaymentTokens | None = None

    async def now(self) -> int:
        """The cluster's time, unix seconds."""
        return await self.program.now()

    async def market(self) -> MarketAccount:
        """The market's configuration. UnknownMarket."""
        market = await self.program.read(MarketAccount, find_market(self.program_id)[0])
        if market is None:
            raise UnknownMarket(f"Program {self.program_id} has no market on this cluster")
        return market

    async def tokens(self) -> PaymentTokens:
        """The symbols of payment mints, the market token's among them."""
        if self._tokens is None:
            market = await self.market()
            self._tokens = self._configured.with_token(MARKET_TOKEN, market.market_mint)
        return self._tokens

    async def payment_mint(self, mint: Pubkey) -> PaymentMint:
        """What the market says about a mint. UnknownPaymentToken."""
        found = await self.program.read(PaymentMint, find_payment_mint(mint, self.program_id)[0])
        if found is None:
            tokens = await self.tokens()
            raise UnknownPaymentToken(
                tokens.symbol(mint), [tokens.symbol(known.mint) for known in (await self.payment_mints()).values()]
            )
        return found

    async def payment_mints(self) -> dict[Pubkey, PaymentMint]:
        """Every mint that orders may be paid in, by the address of its PaymentMint account."""
        return await self.program.read_all(PaymentMint)

    async def vaults(self, mint: Pubkey | None = None) -> dict[Pubkey, Vault]:
        """The vaults of a mint, or of all."""
        return await self.program.read_all(Vault, None if mint is None else {"mint": bytes(mint)})

    async def host(self, authority: Pubkey) -> Host:
        """A host by its wallet. UnknownHost."""
        host = await self.program.read(Host, find_host(authority, self.program_id)[0])
        if host is None:
            raise UnknownHost(f"{authority} is not registered as a host")
        return host

    async def hosts(self) -> dict[Pubkey, Host]:
        """Every host."""
        return await self.program.read_all(Host)

    async def listing(self, address: Pubkey) -> Listing:
        """A listing. UnknownListing."""
        listing = await self.program.read(Listing, address)
        if listing is None:
            raise UnknownListing(f"There is no listing at {address}")
        return listing

    async def offer(self, address: Pubkey) -> Offer:
        """A listing with its host's standing. UnknownListing."""
        listing = await self.listing(address)
        host = await self.program.read(Host, listing.host)
        market, now = await self.market(), await self.now()
        hosts = {} if host is None else {listing.host: host}
        return offers_of({address: listing}, hosts, now=now, offline_after=market.offline_after)[0]

    async def offers(self, gpu: GpuModel | None = None, *, host: Pubkey | None = None) -> list[Offer]:
        """Every listing, of one model or one host if named, cheapest first."""
        fields: dict[str, bytes] = {}
        if gpu is not None:
            fields["gpu_model"] = gpu.id.to_bytes(2, "little")
        if host is not None:
            fields["host"] = bytes(host)
        listings = await self.program.read_all(Listing, fields)
        market, hosts, now = await self.market(), await self.hosts(), await self.now()
        return offers_of(listings, hosts, now=now, offline_after=market.offline_after)

    async def rental(self, address: Pubkey) -> Rental:
        """A rental that has not ended. UnknownJob."""
        rental = await self.program.read(Rental, address)
        if rental is None:
            raise UnknownJob(f"There is no open rental at {address}", "Look it up: it may have ended already.")
        return rental

    async def rentals(self, *, renter: Pubkey | None = None, listing: Pubkey | None = None) -> dict[Pubkey, Rental]:
        """The rentals that have not ended, of one renter or one listing if named."""
        fields = {"renter": renter, "listing": listing}
        return await self.program.read_all(
            Rental, {name: bytes(value) for name, value in fields.items() if value is not None}
        )

    async def request(self, address: Pubkey) -> Request:
        """A request that has not ended. UnknownRequest."""
        request = await self.program.read(Request, address)
        if request is None:
            raise UnknownRequest(f"There is no open request at {address}", "Look it up: it may have ended already.")
        return request

    async def requests(self, *, renter: Pubkey | None = None) -> dict[Pubkey, Request]:
        """The requests that have not ended, of one renter if named."""
        return await self.program.read_all(Request, None if renter is None else {"renter": bytes(renter)})

    async def stakes(self, owners: Iterable[Pubkey]) -> dict[Pubkey, StakeAccount]:
        """The stake accounts that these wallets have, by wallet."""
        wallets = list(dict.fromkeys(owners))
        places = [stake_address(owner, self.program_id) for owner in wallets]
        found = await self.program.read_many(StakeAccount, places)
        return {owner: account for owner, account in zip(wallets, found, strict=True) if account is not None}

    async def quota(self, wallet: Pubkey) -> Quota:
        """How many rentals a wallet may have at a time, and how many it has."""
        market, profile, now = await self.market(), await self.renter_profile(wallet), await self.now()
        stakes = await self.stakes([wallet])
        return quota_of(market, profile, active_stake(stakes.get(wallet), now))

    async def renter_profile(self, wallet: Pubkey) -> RenterProfile | None:
        """A wallet's profile; None until it first rents."""
        return await self.program.read(RenterProfile, find_renter_profile(wallet, self.program_id)[0])


def stake_address(owner: Pubkey, program_id: Pubkey = PROGRAM_ID) -> Pubkey:
    """Where a wallet's stake account is, if it has one."""
    return Pubkey.find_program_address([b"stake", bytes(owner)], program_id)[0]
