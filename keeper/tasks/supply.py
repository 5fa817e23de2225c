"""Supply for requests: the market's machines, prices and pools at one moment, and the renters' profiles and stakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing, Market, PaymentMint, RenterProfile, StakeAccount, Vault
from anchor_client.generated.accounts import Request as RequestAccount
from anchor_client.generated.pdas import find_market, find_renter_profile, find_stake
from anchor_client.market.reads import MarketReader
from anchor_client.rules.payment_mint import FreshPrice
from anchor_client.rules.stake_account import active_at


@dataclass(frozen=True, slots=True)
class RequestSupply:
    """Mints and their prices by the mint's address, vaults by mint and shard, profiles and active stakes (base units)
    by wallet.

    A mint that the program would price nothing in is not in `prices`, a wallet without a stake account not in `stakes`.
    """

    market: Market
    listings: Mapping[Pubkey, Listing]
    hosts: Mapping[Pubkey, Host]
    mints: Mapping[Pubkey, PaymentMint]
    prices: Mapping[Pubkey, FreshPrice]
    vaults: Mapping[tuple[Pubkey, int], Vault]
    profiles: Mapping[Pubkey, RenterProfile]
    stakes: Mapping[Pubkey, int]


async def read_supply(reads: MarketReader, requests: Iterable[RequestAccount], now: int) -> RequestSupply | None:
    """All data for matching these requests; None without a market. Raises network errors."""
    reader, program = reads.program, reads.program_id
    market = await reader.read(Market, find_market(program)[0])
    if market is None:
        return None
    listings = await reader.read_all(Listing)
    hosts = await reader.read_all(Host)
    mints = await reader.read_all(PaymentMint)
    vaults = await reader.read_all(Vault)
    open_requests = list(requests)
    asked = {request.mint for request in open_requests}
    paid_in = [mint for mint in mints.values() if mint.mint in asked]
    renters = list(dict.fromkeys(request.renter for request in open_requests))
    profiles = await reader.read_many(RenterProfile, [find_renter_profile(renter, program)[0] for renter in renters])
    wallets = list(dict.fromkeys([*renters, *(listing.authority for listing in listings.values())]))
    stakes = await reader.read_many(StakeAccount, [find_stake(wallet, program)[0] for wallet in wallets])
    return RequestSupply(
        market=market,
        listings=listings,
        hosts=hosts,
        mints={mint.mint: mint for mint in mints.values()},
        prices={mint.mint: price async for mint, price in reads.fresh_prices(paid_in, now)},
        vaults={(vault.mint, vault.shard): vault for vault in vaults.values()},
        profiles={renter: profile for renter, profile in zip(renters, profiles, strict=True) if profile is not None},
        stakes={
            wallet: active_at(stake, now) for wallet, stake in zip(wallets, stakes, strict=True) if stake is not None
        },
    )
