"""Bids for a machine, sent as the program's own instructions."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated import pdas
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.types import RentalKind
from tests.markets.recorded import HOUR, Market, Renter

MINIMUM = 1_500_000
"""Least bid of the listings, micro-USD an hour."""
GRACE = 90


def spot_machine(market: Market) -> Pubkey:
    """A listing that takes spot orders."""
    return market.list_machine(spot_min_usd=MINIMUM)


def bid(market: Market, renter: Renter, listing: Pubkey, usd: int, **terms: Any) -> Pubkey:
    """Orders a machine on spot as it stands: opens, bids, or outbids."""
    kind = terms.pop("kind", RentalKind.SPOT)
    offer = usd if kind is RentalKind.SPOT else 0
    arguments = market.order(renter, listing, kind=kind, bid_usd=offer, duration=4 * HOUR, **terms)
    state: Listing = market.account(Listing, listing)
    nonce = renter.next_nonce
    if state.current == Pubkey.default():
        instruction = ix.open_rental(**arguments, nonce=nonce)
    elif state.challenger == Pubkey.default():
        instruction = ix.place_bid(**arguments, nonce=nonce)
    else:
        beaten: Rental = market.account(Rental, state.challenger)
        profile = pdas.find_renter_profile(beaten.renter)[0]
        instruction = ix.outbid(
            **arguments,
            nonce=nonce,
            beaten_data=beaten,
            beaten_profile=None if beaten.renter == renter.address else profile,
        )
    market.send(renter.key, instruction)
    renter.next_nonce += 1
    return pdas.find_rental(renter.address, nonce)[0]


def run_spot(market: Market, renter: Renter, listing: Pubkey, usd: int) -> Pubkey:
    """A running spot rental."""
    rental = bid(market, renter, listing, usd)
    market.accept(rental)
    market.start(rental)
    return rental


def preempt(market: Market, listing: Pubkey) -> None:
    """A stranger preempts the holder."""
    state: Listing = market.account(Listing, listing)
    rental: Rental = market.account(Rental, state.current)
    act = ix.preempt(
        caller=market.oracle.pubkey(),
        rental=state.current,
        rental_data=rental,
        listing_data=state,
        mint=rental.mint if rental.burn_rate else None,
    )
    market.send(market.oracle, act)


def take_over(market: Market, listing: Pubkey) -> None:
    """A stranger gives the idle machine to whoever waits."""
    state: Listing = market.account(Listing, listing)
    market.send(market.oracle, ix.take_over(rental=state.challenger, listing=listing))


def withdraw(market: Market, renter: Renter, rental: Pubkey) -> None:
    """The renter withdraws their bid."""
    data: Rental = market.account(Rental, rental)
    market.send(renter.key, ix.withdraw_challenger(caller=renter.address, rental_data=data))


def contest(market: Market) -> Pubkey:
    """A listing that was bid for in every way: outbid, preempted, withdrawn, taken over."""
    listing, (first, second, third) = spot_machine(market), [market.renter() for _ in range(3)]
    run_spot(market, first, listing, 2_000_000)
    market.pass_time(300)
    bid(market, second, listing, 2_100_000)
    market.pass_time(30)
    bid(market, third, listing, 2_205_000)
    market.pass_time(GRACE - 30)
    preempt(market, listing)
    held = market.account(Listing, listing).current
    market.accept(held)
    market.start(held)
    withdrawn = bid(market, first, listing, 2_500_000)
    withdraw(market, first, withdrawn)
    waiting = bid(market, second, listing, 0, kind=RentalKind.ON_DEMAND)
    market.pass_time(10)
    market.stop(third, held)
    take_over(market, listing)
    assert market.account(Listing, listing).current == waiting
    market.stop(second, waiting)
    return listing
