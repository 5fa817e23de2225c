"""open_rental: a renter takes an idle listing and escrows the whole cost. Invariants SYS-4, MKT-1, RNT-6, RNT-8."""

from __future__ import annotations

from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host, find_rental
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import (
    HOST,
    LISTING,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL_LISTING,
    TENANT,
)
from .harness.changes import seeded_rates, set_parameter
from .harness.cluster import FIRST_NONCE, START
from .harness.flows import opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.terms import DAY, GPUM_PRICE, HOUR, RESERVED_TERMS, U64_MAX
from .harness.world import ORDER_HASH, World

TIP = 20_000
OFFLINE_AFTER = 300
DISCOUNTED_USD = ON_DEMAND_USD - ON_DEMAND_USD * 1_000 // 10_000
P = MarketParameter


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(
    ("kind", "duration", "usd"),
    [
        (RentalKind.ON_DEMAND, HOUR, ON_DEMAND_USD),
        (RentalKind.ON_DEMAND, 12_347, ON_DEMAND_USD),
        *((RentalKind.RESERVED, term, DISCOUNTED_USD) for term in RESERVED_TERMS),
    ],
)
def test_open_rental__idle_listing__escrows_and_occupies(
    world: World, mint: Pubkey, kind: RentalKind, duration: int, usd: int
) -> None:
    listing, vault, host = world.listing(), world.vault(mint), world.host()
    outcome = world.act(world.open_rental(mint=mint, kind=kind, duration=duration))
    rate = seeded_rates(mint, usd)
    deposit, subsidy = rate.deposit(duration), rate.subsidy_of(duration)
    address_, bump = find_rental(RENTER, FIRST_NONCE)
    carried: dict[str, Any] = {
        "renter": RENTER,
        "listing": LISTING,
        "mint": mint,
        "nonce": FIRST_NONCE,
        "kind": kind,
        "shard": 0,
        "duration": duration,
        "deposit": deposit,
        "rate": rate.rate,
        "subsidy_rate": rate.subsidy,
        "burn_rate": rate.burn,
        "fee_rate": rate.fee,
        "rate_usd": usd,
        "holdback_bps": 1_000,
        "holdback_window": DAY,
        "may_finish": False,
        "finish_window": DAY,
        "provision_timeout": 900,
        "min_charge": 60,
        "promise": 120,
        "offline_after": OFFLINE_AFTER,
        "tip_lamports": TIP,
        "order_hash": ORDER_HASH,
        "discount_bps": 1_000 if kind is RentalKind.RESERVED else 0,
    }
    assert world.rental(address_) == Rental(
        version=1,
        bump=bump,
        state=RentalState.QUEUED,
        rating=0,
        created_at=START,
        accepted_after=0,
        started_at=0,
        settled=0,
        seq=1,
        renter_fee_bps=500,
        exit_code=0,
        compensated=0,
        has_discount=0,
        has_meter=0,
        subsidy_day=world.now // DAY if subsidy else 0,
        not_as_listed=0,
        took_over=0,
        is_matched=0,
        reserved_end=bytes(2),
        **carried,
    )
    assert outcome.event(events.RentalOpened) == events.RentalOpened(
        rental=address_,
        host=find_host(HOST)[0],
        subsidy=subsidy,
        at=START,
        seq=1,
        listing_seq=listing.seq + 1,
        vault_seq=vault.seq + 1,
        preempt_at=0,
        spec_version=1,
        host_booked=subsidy,
        host_seq=host.seq + 1 if subsidy else 0,
        **carried,
    )
    after = world.vault(mint)
    assert after.liabilities == deposit + subsidy
    assert after.subsidy_pool == vault.subsidy_pool - subsidy
    assert (after.open_rentals, world.listing().opened, world.listing().current) == (1, 1, address_)
    assert (world.profile().next_nonce, world.profile().active_rentals) == (FIRST_NONCE + 1, 1)
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - deposit
    assert outcome.lamports_gained(RENTER) == -world.cluster.rent(Rental.SIZE) - TIP


def test_open_rental__market_token__costs_the_renter_less_than_market(world: World) -> None:
    rate = world.rental(opened(world)).rate
    market = -(-ON_DEMAND_USD * 10**12 // GPUM_PRICE)
    assert rate < market * 50 // 100


@pytest.mark.parametrize("tip", [0, 1, 100_000_000])
def test_open_rental__tip__rides_in_the_rental(world: World, tip: int) -> None:
    world.act(set_parameter(P.TIP_LAMPORTS, tip))
    outcome = world.act(world.open_rental())
    assert outcome.lamports_gained(RENTER) == -world.cluster.rent(Rental.SIZE) - tip


def test_open_rental__prefunded_address__is_topped_up_to_rent_and_tip(world: World) -> None:
    world.cluster.set_account(find_rental(RENTER, FIRST_NONCE)[0], Account(1_000_000, b"", Pubkey.default()))
    world.cluster.observers.clear()
    outcome = world.act(world.open_rental())
    assert outcome.lamports_gained(RENTER) == 1_000_000 - world.cluster.rent(Rental.SIZE) - TIP
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    back = world.act(world.stop_rental(rental))
    assert back.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP
    assert not world.exists(rental)


def test_open_rental__prefunded_past_the_rent__gives_it_all_back(world: World) -> None:
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    world.cluster.set_account(rental, Account(10**9, b"", Pubkey.default()))
    world.cluster.observers.clear()
    assert world.act(world.open_rental()).lamports_gained(RENTER) == 0
    assert world.act(world.stop_rental(rental)).lamports_gained(RENTER) == 10**9


def test_open_rental__closed_nonce__is_never_used_again(world: World) -> None:
    rental = opened(world)
    world.act(world.stop_rental(rental))
    with expect(errors.NonceMismatch):
        world.act(world.open_rental(nonce=FIRST_NONCE))
    assert opened(world) != rental


@pytest.mark.parametrize("nonce", [FIRST_NONCE - 1, FIRST_NONCE + 1, U64_MAX])
def test_open_rental__not_the_next_nonce__is_refused(world: World, nonce: int) -> None:
    with expect(errors.NonceMismatch):
        world.act(world.open_rental(nonce=nonce))


def test_open_rental__nonce_in_use__is_refused(world: World) -> None:
    opened(world)
    with expect_refusal():
        world.act(world.open_rental(listing=LISTINGS[1], nonce=FIRST_NONCE))


def test_open_rental__while_others_run__keeps_each_rentals_money_apart(world: World) -> None:
    first = running(world)
    second = opened(world, TENANT, listing=RIVAL_LISTING)
    before = world.rental(first)
    world.act(world.stop_rental(second))
    assert world.rental(first) == before
