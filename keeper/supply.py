"""What requests are matched with: the market's machines, prices and pools at one moment, and who the renters are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Host, Listing, Market, PaymentMint, RenterProfile, StakeAccount, Vault
from anchor_client.generated.accounts import Request as RequestAccount
from anchor_client.generated.pdas import find_market, find_renter_profile
from anchor_client.market.quotas import active_stake
from anchor_client.market.reads import stake_address
from anchor_client.rpc import Reader


@dataclass(frozen=True, slots=True)
class Supply:
    """Mints by the mint's address, vaults by mint and shard, profiles and active stakes (base units) by wallet.

    A wallet without a stake account is not in `stakes`.
    """

    market: Market
    listings: Mapping[Pubkey, Listing]
    hosts: Mapping[Pubkey, Host]
    mints: Mapping[Pubkey, PaymentMint]
    vaults: Mapping[tuple[Pubkey, int], Vault]
    profiles: Mapping[Pubkey, RenterProfile]
    stakes: Mapping[Pubkey, int]
    program_id: Pubkey


async def read_supply(reader: Reader, requests: Iterable[RequestAccount], now: int) -> Supply | None:
    """Everything that matching these requests needs; None without a market. Raises the network's errors."""
    program = reader.program_id
    market = await reader.read(Market, find_market(program)[0])
    if market is None:
        return None
    listings, hosts = await reader.read_all(Listing), await reader.read_all(Host)
    mints, vaults = await reader.read_all(PaymentMint), await reader.read_all(Vault)
    renters = list(dict.fromkeys(request.renter for request in requests))
    profiles = await reader.read_many(RenterProfile, [find_renter_profile(renter, program)[0] for renter in renters])
    wallets = list(dict.fromkeys([*renters, *(listing.authority for listing in listings.values())]))
    stakes = await reader.read_many(StakeAccount, [stake_address(wallet, program) for wallet in wallets])
    return Supply(
        market=market,
        listings=listings,
        hosts=hosts,
        mints={mint.mint: mint for mint in mints.values()},
        vaults={(vault.mint, vault.shard): vault for vault in vaults.values()},
        profiles={renter: profile for renter, profile in zip(renters, profiles, strict=True) if profile is not None},
        stakes={
            wallet: active_stake(stake, now) for wallet, stake in zip(wallets, stakes, strict=True) if stake is not None
        },
        program_id=program,
    )
