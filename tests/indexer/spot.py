"""Bids for a machine, in the recorded market."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_rental
from anchor_client.generated.types import RentalKind
from tests.markets.recorded import Market
from tests.program.harness.spot import (
    BEST,
    GRACE,
    LEAST,
    held,
    outbid,
    place_bid,
    preempt,
    take_over,
    withdraw_challenger,
)


def bid(market: Market, renter: Pubkey, listing: Pubkey, usd: int, **order: Any) -> Pubkey:
    """Bids for a machine that is held, or outbids whoever waits for it."""
    waits = market.listing(listing).challenger != Pubkey.default()
    rental = find_rental(renter, market.profile(renter).next_nonce)[0]
    market.act((outbid if waits else place_bid)(market, renter, listing=listing, bid=usd, **order))
    return rental


def contest(market: Market) -> Pubkey:
    """A listing that was bid for in every way: outbid, preempted, withdrawn, taken over."""
    listing, (first, second, third) = market.list_machine(), [market.renter() for _ in range(3)]
    held(market, first, listing=listing)
    market.pass_time(300)
    bid(market, second, listing, LEAST)
    market.pass_time(30)
    holder = bid(market, third, listing, BEST)
    market.pass_time(GRACE - 30)
    market.act(preempt(market, listing))
    market.act(market.accept_rental(holder))
    market.act(market.start_rental(holder))
    leaving = bid(market, first, listing, 2_500_000)
    market.pass_time(1)
    market.act(withdraw_challenger(market, leaving))
    market.pass_time(1)
    waiting = bid(market, second, listing, 0, kind=RentalKind.ON_DEMAND)
    market.pass_time(10)
    market.act(market.stop_rental(holder))
    market.act(take_over(market, listing))
    assert market.listing(listing).current == waiting
    market.act(market.stop_rental(waiting))
    return listing


def dropped(market: Market, *, leaves: bool) -> tuple[Pubkey, Pubkey, Pubkey]:
    """A listing whose host gave its holder up in front of an order, which leaves or takes over; and both rentals."""
    listing, (first, second) = market.list_machine(), [market.renter() for _ in range(2)]
    holder = held(market, first, listing=listing)
    market.pass_time(300)
    challenger = bid(market, second, listing, LEAST)
    market.pass_time(1)
    market.act(market.cancel_rental(holder))
    if leaves:
        market.wait(market.listing(listing).offline_after + 1)
    market.act(withdraw_challenger(market, challenger) if leaves else take_over(market, listing))
    return listing, holder, challenger
