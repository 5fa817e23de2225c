"""Standing of the two sides of an order: what they hold, and what that takes off its fees."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, PaymentMint, StakeAccount
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.pdas import find_stake
from anchor_client.market.reads import MarketReader
from anchor_client.rules.order import OrderStanding, standing_of
from anchor_client.rules.stake_account import active_at, holding_discount_bps_floor


async def read_renter_standing(reads: MarketReader, renter: Pubkey, market: MarketAccount) -> OrderStanding:
    """The renter's side of the standing that an order is quoted with on any listing."""
    stake = active_at(await reads.stake_account(renter), await reads.now())
    return OrderStanding(holding_discount_bps_floor(stake, market.market_decimals))


async def read_standing(
    reads: MarketReader, renter: Pubkey, listing: Listing, market: MarketAccount, mint: PaymentMint
) -> OrderStanding:
    """The standing that an order by `renter` on a listing is quoted with, as both sides stand now. UnknownHost."""
    addresses = [find_stake(owner, reads.program_id)[0] for owner in (renter, listing.authority)]
    accounts = await reads.program.read_many(StakeAccount, addresses)
    host = await reads.host(listing.authority)
    now = await reads.now()
    renter_stake, host_stake = (active_at(account, now) for account in accounts)
    return standing_of(market, mint, host, listing, renter_stake=renter_stake, host_stake=host_stake)
