"""What the two sides of an order hold, and what that takes off its fees."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, PaymentMint, StakeAccount
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.pdas import find_stake
from anchor_client.market.reads import MarketReader
from anchor_client.rules.order import Standing, standing_of
from anchor_client.rules.stake_account import active_at


@dataclass(frozen=True, slots=True)
class Sides:
    """The standing that an order is quoted with, and the stake accounts that it must name for it; None without one."""

    standing: Standing
    renter_stake: Pubkey | None
    host_stake: Pubkey | None


async def read_sides(
    reads: MarketReader, renter: Pubkey, listing: Listing, market: MarketAccount, mint: PaymentMint
) -> Sides:
    """Both sides of an order by `renter` on a listing, as they stand now. UnknownHost."""
    owners = (renter, listing.authority)
    addresses = [find_stake(owner, reads.program_id)[0] for owner in owners]
    accounts = await reads.program.read_many(StakeAccount, addresses)
    host, now = await reads.host(listing.authority), await reads.now()
    renter_stake, host_stake = (active_at(account, now) for account in accounts)
    standing = standing_of(market, mint, host, renter_stake=renter_stake, host_stake=host_stake)
    named = [address if account is not None else None for address, account in zip(addresses, accounts, strict=True)]
    return Sides(standing, named[0], named[1])
