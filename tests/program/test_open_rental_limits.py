"""open_rental: every limit and refusal, one step on either side of each.

Invariants MKT-3, RNT-5, RNT-8, RNT-10, SPT-6, SYS-4.
"""

from __future__ import annotations

from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host, find_payment_mint, find_rental, find_renter_profile, find_vault
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import (
    AUTHORITY,
    GPUM,
    HOST,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    USDC,
)
from .harness.changes import respecify, seeded_rates, set_parameter, set_terms
from .harness.cluster import FIRST_NONCE
from .harness.flows import opened
from .harness.keys import address, at_bump
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.specimens import replaced
from .harness.terms import DAY, HOUR, RESERVED_TERMS
from .harness.tokens import TOKEN_2022, put_tokens, token_address
from .harness.world import World

TIP = 20_000
OFFLINE_AFTER = 300
DISCOUNTED_USD = ON_DEMAND_USD - ON_DEMAND_USD * 1_000 // 10_000
P = MarketParameter


def test_open_rental__most_it_may_cost__is_exact(world: World) -> None:
    deposit = seeded_rates(GPUM).deposit(HOUR)
    with expect(errors.CostAboveMaximum):
        world.act(world.open_rental(max_deposit=deposit - 1))
    world.act(world.open_rental(max_deposit=deposit))


def test_open_rental__price_moved_past_the_maximum__is_refused(world: World) -> None:
    order = world.open_rental(max_deposit=seeded_rates(GPUM).deposit(HOUR))
    world.act(respecify(on_demand_usd=ON_DEMAND_USD + 1))
    with expect(errors.CostAboveMaximum):
        world.act(order)


@pytest.mark.parametrize("mint", MINTS)
def test_open_rental__balance__must_cover_the_deposit_exactly(world: World, mint: Pubkey) -> None:
    deposit = seeded_rates(mint).deposit(HOUR)
    put_tokens(world.cluster, mint, RENTER, deposit - 1)
    with expect(errors.InsufficientFunds):
        world.act(world.open_rental(mint=mint))
    put_tokens(world.cluster, mint, RENTER, deposit)
    world.act(world.open_rental(mint=mint))
    assert world.tokens(RENTER, mint) == 0


def test_open_rental__any_account_of_the_renter__pays(world: World) -> None:
    other = put_tokens(world.cluster, GPUM, RENTER, WALLET_TOKENS, at=address("renter's second account"))
    world.act(world.open_rental(renter_token=other))
    assert world.tokens(RENTER) == WALLET_TOKENS


def test_open_rental__shortest_duration__is_the_markets_minimum(world: World) -> None:
    world.act(set_parameter(P.MIN_DURATION, HOUR))
    with expect(errors.DurationTooShort):
        world.act(world.open_rental(duration=HOUR - 1))
    world.act(world.open_rental(duration=HOUR))


@pytest.mark.parametrize("longest", ["listing", "market"])
def test_open_rental__longest_duration__is_the_smaller_limit(world: World, longest: str) -> None:
    if longest == "listing":
        world.act(respecify(mrl_seconds=DAY))
    else:
        world.act(set_parameter(P.MAX_DURATION, DAY))
    with expect(errors.DurationTooLong):
        world.act(world.open_rental(duration=DAY + 1))
    world.act(world.open_rental(duration=DAY))


@pytest.mark.parametrize("usd", [5_000_000, 9_999_999])
def test_open_rental__order_minimum__is_measured_on_the_market_price(world: World, usd: int) -> None:
    world.act(respecify(on_demand_usd=usd))
    least = -(-5_000_000 * HOUR // usd)
    with expect(errors.OrderBelowMinimum):
        world.act(world.open_rental(duration=least - 1))
    world.act(world.open_rental(duration=least))


def test_open_rental__spot__is_not_opened_here(world: World) -> None:
    with expect(errors.InvalidBid):
        world.act(world.open_rental(kind=RentalKind.SPOT))


@pytest.mark.parametrize("term", [*(t + d for t in RESERVED_TERMS for d in (-1, 1)), HOUR, 14 * DAY])
def test_open_rental__reserved_for_another_term__is_refused(world: World, term: int) -> None:
    with expect(errors.InvalidReservedTerm):
        world.act(world.open_rental(kind=RentalKind.RESERVED, duration=term))


def test_open_rental__reserved_past_the_listings_limit__is_refused(world: World) -> None:
    world.act(respecify(mrl_seconds=RESERVED_TERMS[1] - 1))
    with expect(errors.DurationTooLong):
        world.act(world.open_rental(kind=RentalKind.RESERVED, duration=RESERVED_TERMS[1]))
    world.act(world.open_rental(kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0]))


def test_open_rental__taken_listing__is_refused(world: World) -> None:
    opened(world)
    for renter in (RENTER, TENANT):
        with expect(errors.ListingOccupied):
            world.act(world.open_rental(renter))


def test_open_rental__hidden_listing__is_refused(world: World) -> None:
    world.act(respecify(visible=False))
    with expect(errors.ListingHidden):
        world.act(world.open_rental())


def test_open_rental__silence__counts_as_offline_after_its_time(world: World) -> None:
    order = world.open_rental(listing=LISTINGS[1], nonce=FIRST_NONCE + 1)
    world.wait(OFFLINE_AFTER)
    world.act(world.open_rental())
    world.wait(1)
    with expect(errors.ListingOffline):
        world.act(order)


def test_open_rental__never_heard_from__is_offline(world: World) -> None:
    created = world.act(world.create_listing()).event(events.ListingCreated)
    with expect(errors.ListingOffline):
        world.act(world.open_rental(listing=created.listing))


def test_open_rental__own_listing__is_refused(world: World) -> None:
    world.act(world.register_renter(HOST, AUTHORITY))
    with expect(errors.SelfRental):
        world.act(world.open_rental(HOST))
    world.act(world.open_rental(HOST, RIVAL_LISTING))


def test_open_rental__no_profile__is_refused(world: World) -> None:
    with expect_refusal():
        world.act(world.open_rental(STRANGER, nonce=FIRST_NONCE))


def pin(world: World, mint: Pubkey, price: int) -> None:
    """Sets what a whole token is worth, in pico-USD, and the machine to the highest price there is."""
    world.act(set_terms(mint, pinned_price=price, burn_bps=5_000 if mint == GPUM else 0))
    world.act(respecify(on_demand_usd=2**32 - 1))


def test_open_rental__price_beyond_64_bits__is_refused(world: World) -> None:
    pin(world, USDC, 1)
    with expect(errors.MathOverflow):
        world.act(world.open_rental(mint=USDC))


def test_open_rental__rates_whose_sum_is_beyond_64_bits__is_refused(world: World) -> None:
    """Such a rental could be opened for a short time and then never be divided."""
    pin(world, GPUM, 268)
    world.act(set_parameter(P.MIN_DURATION, 60))
    put_tokens(world.cluster, GPUM, RENTER, 10**18)
    put_tokens(world.cluster, GPUM, STRANGER, 10**18)
    world.act(world.fund_subsidy(STRANGER, 10**18))
    with expect(errors.MathOverflow):
        world.act(world.open_rental(duration=60))


@pytest.mark.parametrize(
    ("error", "accounts"),
    [
        (errors.WrongVault, {"vault": find_vault(USDC, 0)[0]}),
        (errors.WrongVault, {"vault": find_vault(GPUM, 1)[0]}),
        (errors.WrongVault, {"vault_token": token_address(find_vault(GPUM, 1)[0], GPUM)}),
        (errors.WrongVault, {"vault_token": token_address(HOST, GPUM)}),
        (errors.WrongVault, {"payment_mint": find_payment_mint(USDC)[0]}),
        (errors.WrongHost, {"host": find_host(RIVAL)[0]}),
        (errors.WrongRenter, {"renter_profile": find_renter_profile(TENANT)[0]}),
        (errors.WrongTokenOwner, {"renter_token": token_address(TENANT, GPUM)}),
        (errors.WrongMint, {"renter_token": token_address(RENTER, USDC)}),
    ],
)
def test_open_rental__account_of_another__is_refused(
    world: World, error: type[errors.ProgramError], accounts: dict[str, Any]
) -> None:
    with expect(error):
        world.act(world.open_rental(**accounts))


def test_open_rental__frozen_tokens__is_refused(world: World) -> None:
    put_tokens(world.cluster, GPUM, RENTER, WALLET_TOKENS, frozen=True)
    with expect(errors.TokenAccountFrozen):
        world.act(world.open_rental())


def test_open_rental__closed_token_account__is_refused(world: World) -> None:
    world.cluster.set_account(token_address(RENTER, GPUM), Account(1, b"", Pubkey.default()))
    with expect(errors.InvalidTokenAccount):
        world.act(world.open_rental())


def test_open_rental__token_2022_account__is_refused(world: World) -> None:
    put_tokens(world.cluster, GPUM, RENTER, WALLET_TOKENS, program=TOKEN_2022)
    with expect(errors.InvalidTokenAccount):
        world.act(world.open_rental())


def test_open_rental__address_of_another_bump__is_refused(world: World) -> None:
    rental, canonical = find_rental(RENTER, FIRST_NONCE)
    seeds = [b"rental", bytes(RENTER), FIRST_NONCE.to_bytes(8, "little")]
    other = next(filter(None, (at_bump(seeds, bump) for bump in reversed(range(canonical)))))
    instruction = world.open_rental()
    at = [it.pubkey for it in instruction.accounts].index(rental)
    with expect_refusal():
        world.act(replaced(instruction, at, other))
    world.act(instruction)
