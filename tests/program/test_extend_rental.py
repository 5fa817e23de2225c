"""extend_rental: the renter buys more time at the rates of the opening, while they are about those of today.

Invariants MKT-3, RNT-3, RNT-5, RNT-6, RNT-9, RNT-15, RNT-22.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import nullcontext
from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, LISTINGS, MINTS, RENTER, RIVAL_LISTING, STRANGER, TENANT, USDC, WSOL
from .harness.changes import approve_host, post_price, respecify, seeded_rates, set_parameter, set_terms
from .harness.flows import Flow, accepted, opened, running
from .harness.keys import address
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.reference import rates
from .harness.staking import TOKEN, staked
from .harness.terms import DAY, GPUM_PRICE, HOUR, PRICE_MAX_AGE, RESERVED_TERMS, USDC_PRICE, WSOL_PRICE
from .harness.tokens import put_tokens, token_address
from .harness.world import World

OFFLINE_AFTER = 300


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("seconds", [1, 1_799, HOUR])
def test_extend_rental__renter__buys_time_at_the_same_rates(world: World, mint: Pubkey, seconds: int) -> None:
    rental = running(world, mint=mint)
    world.run(100)
    world.act(respecify(on_demand_usd=ON_DEMAND_USD * 2))
    before, vault, host = world.rental(rental), world.vault(mint), world.host()
    outcome = world.act(world.extend_rental(rental, seconds))
    rate = seeded_rates(mint)
    deposit = rate.deposit(HOUR + seconds) - rate.deposit(HOUR)
    subsidy = rate.subsidy_of(HOUR + seconds) - rate.subsidy_of(HOUR)
    assert outcome.event(events.RentalExtended) == events.RentalExtended(
        rental=rental,
        old_duration=HOUR,
        new_duration=HOUR + seconds,
        deposit_added=deposit,
        subsidy_added=subsidy,
        paid_until=before.started_at + HOUR + seconds,
        at=world.now,
        seq=before.seq + 1,
        vault_seq=vault.seq + 1,
        host=find_host(HOST)[0],
        host_booked=host.subsidy_booked + subsidy if subsidy else 0,
        host_seq=host.seq + 1 if subsidy else 0,
    )
    after = world.rental(rental)
    assert (after.duration, after.deposit) == (HOUR + seconds, before.deposit + deposit)
    assert world.vault(mint).liabilities == vault.liabilities + deposit + subsidy
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - after.deposit


def test_extend_rental__in_pieces__costs_what_one_order_costs(world: World) -> None:
    rental = running(world)
    for seconds in (1, 1, 7, 3_591):
        world.act(world.extend_rental(rental, seconds))
    assert world.rental(rental).deposit == seeded_rates(GPUM).deposit(2 * HOUR)


def test_extend_rental__last_second__is_allowed(world: World) -> None:
    rental = running(world)
    world.run(HOUR - 1)
    world.act(world.extend_rental(rental, 1))


def test_extend_rental__paid_time_over__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    with expect(errors.RentalExpired):
        world.act(world.extend_rental(rental))


def test_extend_rental__token_that_lost_its_price_and_subsidy__is_refused(world: World) -> None:
    """The renter of an hour buys 2,000 at the rates of a better day, most of it out of the subsidy pool."""
    rental = running(world)
    pool = world.vault().subsidy_pool
    world.act(set_terms(GPUM, pinned_price=GPUM_PRICE // 10, subsidy_bps=0, enabled=False))
    with expect(errors.MintDisabled):
        world.act(world.extend_rental(rental, 2_000 * HOUR))
    world.act(set_terms(GPUM, pinned_price=GPUM_PRICE // 10, subsidy_bps=0))
    with expect(errors.RentalRepriced):
        world.act(world.extend_rental(rental, 2_000 * HOUR))
    assert world.vault().subsidy_pool == pool


def test_extend_rental__token_worth_ten_times_as_much__draws_no_tenfold_subsidy(world: World) -> None:
    """Renter and host are one: what the renter pays comes back to them, and the subsidy with it."""
    rental = running(world)
    world.act(set_terms(GPUM, pinned_price=GPUM_PRICE * 10))
    with expect(errors.RentalRepriced):
        world.act(world.extend_rental(rental, 2_000 * HOUR))


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"subsidy_bps": 6_101}, True),
        ({"subsidy_bps": 6_099}, False),
        ({"subsidy_bps": 8_500}, True),
        ({"subsidy_bps": 0}, False),
        ({"burn_bps": 2_272}, True),
        ({"burn_bps": 2_274}, False),
        ({"burn_bps": 0}, True),
    ],
)
def test_extend_rental__terms_of_the_mint__are_those_of_today(
    world: World, changes: dict[str, int], allowed: bool
) -> None:
    """A smaller subsidy is dearer for the renter before it is a tenth smaller; a greater one is for new rentals."""
    rental = running(world)
    world.act(set_terms(GPUM, **changes))
    with nullcontext() if allowed else expect(errors.RentalRepriced):
        world.act(world.extend_rental(rental))


@pytest.mark.parametrize("tolerance", [0, 1_000, 5_000])
def test_extend_rental__price_of_the_token__may_fall_by_the_tolerance(world: World, tolerance: int) -> None:
    world.act(set_parameter(MarketParameter.EXTEND_TOLERANCE_BPS, tolerance))
    rental = running(world, mint=USDC)
    most = world.rental(rental).rate * (10_000 + tolerance) // 10_000

    def rate_at(price: int) -> int:
        return rates(ON_DEMAND_USD, price, 6, fee_bps=1_000).rate

    near = USDC_PRICE * 10_000 // (10_000 + tolerance)
    around = range(near // 2, near * 2)
    lowest = around[bisect_left(around, -most, key=lambda price: -rate_at(price))]
    world.act(set_terms(USDC, pinned_price=lowest - 1))
    with expect(errors.RentalRepriced):
        world.act(world.extend_rental(rental))
    world.act(set_terms(USDC, pinned_price=lowest))
    world.act(world.extend_rental(rental))


def test_extend_rental__cheaper_today__is_bought_at_the_rental_rates_if_the_renter_wants(world: World) -> None:
    rental = running(world, mint=USDC)
    world.act(set_terms(USDC, pinned_price=USDC_PRICE * 2))
    world.act(world.extend_rental(rental))
    assert world.rental(rental).deposit == seeded_rates(USDC).deposit(2 * HOUR)


def test_extend_rental__discount_of_the_opening__is_kept(world: World) -> None:
    """Not a base unit of tolerance: the renter's own fee is in what is compared, and rounds in their favour."""
    world.act(set_parameter(MarketParameter.EXTEND_TOLERANCE_BPS, 0))
    account = staked(world, 1_333_337 * TOKEN, RENTER)
    world.act(world.heartbeat())
    rental = running(world, mint=USDC, renter_stake=account)
    world.act(world.extend_rental(rental))


def test_extend_rental__old_price__is_refused(world: World) -> None:
    rental = running(world, mint=WSOL)
    world.run(PRICE_MAX_AGE + 1)
    with expect(errors.PriceStale):
        world.act(world.extend_rental(rental))
    world.act(post_price(WSOL_PRICE))
    world.act(world.extend_rental(rental))


@pytest.mark.parametrize("usd", [1, ON_DEMAND_USD * 10])
def test_extend_rental__price_of_the_listing__plays_no_part(world: World, usd: int) -> None:
    rental = running(world)
    world.act(respecify(on_demand_usd=usd, spot_min_usd=0))
    world.act(world.extend_rental(rental))


def test_extend_rental__nothing__is_refused(world: World) -> None:
    with expect(errors.DurationTooShort):
        world.act(world.extend_rental(running(world), 0))


@pytest.mark.parametrize("longest", ["listing", "market"])
def test_extend_rental__longest_duration__is_the_smaller_limit(world: World, longest: str) -> None:
    rental = running(world)
    if longest == "listing":
        world.act(respecify(mrl_seconds=DAY))
    else:
        world.act(set_parameter(MarketParameter.MAX_DURATION, DAY))
    with expect(errors.DurationTooLong):
        world.act(world.extend_rental(rental, DAY - HOUR + 1))
    world.act(world.extend_rental(rental, DAY - HOUR))


def test_extend_rental__past_32_bits__is_refused(world: World) -> None:
    with expect(errors.DurationTooLong):
        world.act(world.extend_rental(running(world), 2**32 - 1))


def test_extend_rental__reserved__grows_by_whole_terms(world: World) -> None:
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    for seconds in (HOUR, RESERVED_TERMS[0] - 1, RESERVED_TERMS[0] + 1):
        with expect(errors.InvalidReservedTerm):
            world.act(world.extend_rental(rental, seconds))
    world.act(world.extend_rental(rental, RESERVED_TERMS[1]))
    assert world.rental(rental).duration == RESERVED_TERMS[0] + RESERVED_TERMS[1]


@pytest.mark.parametrize("bring", [opened, accepted])
def test_extend_rental__not_running__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.extend_rental(bring(world)))


def test_extend_rental__most_it_may_cost__is_exact(world: World) -> None:
    rental = running(world)
    rate = seeded_rates(GPUM)
    deposit = rate.deposit(2 * HOUR) - rate.deposit(HOUR)
    with expect(errors.CostAboveMaximum):
        world.act(world.extend_rental(rental, max_deposit=deposit - 1))
    world.act(world.extend_rental(rental, max_deposit=deposit))


@pytest.mark.parametrize("moved", [-1, 1])
def test_extend_rental__from_another_paid_time__is_refused(world: World, moved: int) -> None:
    rental = running(world)
    with expect(errors.AlreadyExtended):
        world.act(world.extend_rental(rental, old_duration=world.rental(rental).duration + moved))


def test_extend_rental__signed_twice__buys_once(world: World) -> None:
    rental = running(world)
    once, again = (world.extend_rental(rental, HOUR) for _ in range(2))
    world.act(once)
    with expect(errors.AlreadyExtended):
        world.act(again)
    assert world.rental(rental).duration == 2 * HOUR


def test_extend_rental__balance__must_cover_it_exactly(world: World) -> None:
    rental = running(world)
    rate = seeded_rates(GPUM)
    deposit = rate.deposit(2 * HOUR) - rate.deposit(HOUR)
    put_tokens(world.cluster, GPUM, RENTER, deposit - 1)
    with expect(errors.InsufficientFunds):
        world.act(world.extend_rental(rental))
    put_tokens(world.cluster, GPUM, RENTER, deposit)
    world.act(world.extend_rental(rental))


def test_extend_rental__after_settling__keeps_what_was_paid(world: World) -> None:
    rental = running(world)
    world.run(1_000)
    world.act(world.settle_rental(rental))
    world.act(world.extend_rental(rental))
    world.run(2 * HOUR - 1_000)
    closed = world.act(world.finalize_rental(rental)).event(events.RentalClosed)
    assert (closed.used, closed.refunded) == (2 * HOUR, 0)


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_extend_rental__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongRenter):
        world.act(world.extend_rental(running(world), renter=signer, renter_token=token_address(signer, GPUM)))


def test_extend_rental__account_of_another__is_refused(world: World) -> None:
    rental = running(world)
    frozen = put_tokens(world.cluster, GPUM, RENTER, 10**12, at=address("frozen"), frozen=True)
    world.cluster.set_account(address("closed"), Account(1, b"", Pubkey.default()))
    other_vault, usdc_vault = find_vault(GPUM, 1)[0], find_vault(USDC, 0)[0]
    cases: list[tuple[type[errors.ProgramError], dict[str, Any]]] = [
        (errors.WrongTokenOwner, {"renter_token": token_address(TENANT, GPUM)}),
        (errors.WrongMint, {"renter_token": token_address(RENTER, USDC)}),
        (errors.TokenAccountFrozen, {"renter_token": frozen}),
        (errors.InvalidTokenAccount, {"renter_token": address("closed")}),
        (errors.WrongMint, {"payment_mint": find_payment_mint(USDC)[0]}),
        (errors.WrongListing, {"listing": LISTINGS[1]}),
        (errors.WrongListing, {"listing": RIVAL_LISTING}),
        (errors.WrongVault, {"vault": other_vault, "vault_token": token_address(other_vault, GPUM)}),
        (errors.WrongVault, {"vault": usdc_vault, "vault_token": token_address(usdc_vault, USDC)}),
        (errors.WrongVault, {"vault_token": token_address(other_vault, GPUM)}),
    ]
    for error, accounts in cases:
        with expect(error):
            world.act(world.extend_rental(rental, **accounts))


def test_extend_rental__ended__is_refused(world: World) -> None:
    rental = running(world)
    act = world.extend_rental(rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)


def test_extend_rental__approval_taken_back__is_refused(world: World) -> None:
    rental = running(world)
    world.act(approve_host(approved=False))
    with expect(errors.HostNotApproved):
        world.act(world.extend_rental(rental))


@pytest.mark.parametrize("late", [0, 1])
def test_extend_rental__silent_host__is_refused_once_overdue(world: World, late: int) -> None:
    rental = running(world)
    world.wait(OFFLINE_AFTER + late)
    with expect(errors.ListingOffline) if late else nullcontext():
        world.act(world.extend_rental(rental))
