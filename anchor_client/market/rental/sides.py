"""What the two sides of an order hold, and what that takes off its fees."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, PaymentMint, StakeAccount
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.pdas import find_stake
from anchor_client.market.reads import MarketReader
from anchor_client.rules.host import extra_fee_bps_ceil
from anchor_client.rules.order import Standing
from anchor_client.rules.stake_account import active_at, holding_discount_bps_floor


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
    renter_discount, host_discount = (
        holding_discount_bps_floor(active_at(account, now), market.market_decimals) for account in accounts
    )
    extra_fee = extra_fee_bps_ceil(
        mint.extra_fee_bps,
        points=host.points,
        mfp_locked=host.mfp_locked,
        mfp_per_point=market.mfp_per_point,
    )
    named = [address if account is not None else None for address, account in zip(addresses, accounts, strict=True)]
    return Sides(Standing(renter_discount, host_discount, extra_fee), named[0], named[1])
