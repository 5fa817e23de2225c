"""stop_rental: the renter ends the rental and has the rest back at once.

Invariants SYS-2, MKT-3, HST-5, RNT-1 to RNT-3, RNT-6, RNT-7, RNT-9, RNT-13, RNT-16.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, KEEPER, LISTINGS, MINTS, RENTER, STRANGER, TENANT, USDC, WSOL
from .harness.audit.reputation import MIN_RATED_SECONDS
from .harness.changes import seeded_rates, set_parameter
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.reference import Rates, paid_usd, reputation
from .harness.terms import HOUR, RESERVED_TERMS
from .harness.tokens import supply_of
from .harness.world import World

TIP = 20_000
OFFLINE_AFTER = 300
LEAST = 60
PROMISE = 120
ANSWER_WINDOW = 60


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("used", [0, 1, LEAST - 1, LEAST, LEAST + 1, 1_234, HOUR - 1])
def test_stop_rental__running__pays_the_seconds_used(world: World, mint: Pubkey, used: int) -> None:
    rental = running(world, mint=mint)
    if used:
        world.run(used)
    expected = closed(world, rental, used=used, reason=CloseReason.STOPPED, caller=RENTER)
    supply = supply_of(world.cluster, mint)
    outcome = world.act(world.stop_rental(rental))
    assert outcome.event(events.RentalClosed) == expected
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert world.tokens(RENTER, mint) == WALLET_TOKENS - expected.deposit + expected.refunded
    assert supply_of(world.cluster, mint) == supply - expected.burned
    refund = expected.refunded if mint == WSOL else 0
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Rental.SIZE) + TIP + refund
    assert not world.exists(rental)


def test_stop_rental__running__frees_the_listing_and_counts(world: World) -> None:
    rental = running(world)
    world.run(1_234)
    world.act(world.stop_rental(rental))
    listing, profile = world.listing(), world.profile()
    assert (listing.current, listing.idle_since) == (Pubkey.default(), world.now)
    assert (listing.opened, listing.completed, listing.failed) == (1, 1, 0)
    assert (profile.active_rentals, profile.completed_rentals) == (0, 0)
    assert profile.spent_usd == listing.paid_usd == paid_usd(seeded_rates(GPUM), ON_DEMAND_USD, 1_234)


def test_stop_rental__an_hour_of_a_reserved_week__costs_what_it_costs_on_demand(world: World) -> None:
    rental = running(world, mint=USDC, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    world.run(HOUR)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    on_demand = seeded_rates(USDC).deposit(HOUR)
    assert (event.used, event.charged) == (HOUR, HOUR * 10 // 9)
    assert on_demand <= event.deposit - event.refunded <= on_demand + 2
    assert event.completed and world.profile().spent_usd == (ON_DEMAND_USD - ON_DEMAND_USD // 10)


@pytest.mark.parametrize("left", [1, RESERVED_TERMS[0] // 10, RESERVED_TERMS[0] // 10 + 1])
def test_stop_rental__end_of_a_reserved_term__costs_no_more_than_all_of_it(world: World, left: int) -> None:
    """Settled until now: the host has been paid for no more than the renter is charged."""
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    used = RESERVED_TERMS[0] - left
    world.run(used)
    world.act(world.settle_rental(rental))
    expected = closed(world, rental, used=used, reason=CloseReason.STOPPED, caller=RENTER)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert expected.charged == min(RESERVED_TERMS[0], -(-used * 10 // 9))


def test_stop_rental__discount_changed_meanwhile__is_that_of_the_opening(world: World) -> None:
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    world.act(set_parameter(MarketParameter.RESERVED_DISCOUNT_BPS, 5_000))
    world.run(900)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed).charged == 1_000


def test_stop_rental__reserved_rental_of_a_moment__costs_the_least_charge_without_the_discount(world: World) -> None:
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed).charged == 67


def test_stop_rental__extended_reserved_rental__gives_the_discount_of_all_of_it_back(world: World) -> None:
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    world.act(world.extend_rental(rental, RESERVED_TERMS[0]))
    used = RESERVED_TERMS[0] + HOUR
    world.run(used)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.charged == -(-used * 10 // 9)


@pytest.mark.parametrize("reason", [CloseReason.HOST_OFFLINE, CloseReason.HOST_FAULT])
def test_stop_rental__reserved__only_its_renters_stop_takes_the_discount_back(
    world: World, reason: CloseReason
) -> None:
    """A host that ends the rental, or has gone silent before its renter stops it, is paid for the time alone."""
    rental = running(world, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    world.run(HOUR)
    if reason is CloseReason.HOST_OFFLINE:
        world.fall_silent()
        event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    else:
        event = world.act(world.cancel_rental(rental, reason)).event(events.RentalClosed)
    assert (event.reason, event.used, event.charged) == (reason, HOUR, HOUR)


@pytest.mark.parametrize("used", [0, 1, MIN_RATED_SECONDS - 1, MIN_RATED_SECONDS, MIN_RATED_SECONDS + 1])
def test_stop_rental__around_the_least_time_of_a_rating__counts_as_completed_from_it_on(
    world: World, used: int
) -> None:
    """Neither for the host nor against it. Invariant HST-5."""
    rental = running(world)
    if used:
        world.run(used)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.completed is (used >= MIN_RATED_SECONDS)
    assert (world.listing().completed, world.listing().failed) == (int(event.completed), 0)


@pytest.mark.parametrize("change", [-1, 0, 1])
def test_stop_rental__least_time_changed_meanwhile__is_that_of_the_end(world: World, change: int) -> None:
    rental = running(world)
    world.run(1_000)
    world.act(set_parameter(MarketParameter.MIN_RATED_SECONDS, 1_000 + change))
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event.completed is (change <= 0)


def test_stop_rental__many_of_a_second__give_a_host_no_reputation(world: World) -> None:
    for _ in range(5):
        rental = running(world)
        world.run(1)
        world.act(world.stop_rental(rental))
    score = world.act(world.update_reputation(HOST, *LISTINGS)).events[-1]
    assert isinstance(score, events.HostScored)
    assert (score.completed, score.failed) == (0, 0)
    assert score.new == reputation(score.tracked_seconds, score.up_seconds)


@pytest.mark.parametrize("market", [find_host(HOST)[0], find_listing(find_host(HOST)[0], 0)[0], STRANGER])
def test_stop_rental__another_account_for_the_market__is_refused(world: World, market: Pubkey) -> None:
    rental = running(world)
    with expect_refusal():
        world.act(world.stop_rental(rental, market=market))


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("bring", [opened, accepted])
def test_stop_rental__before_the_start__has_everything_back(world: World, mint: Pubkey, bring: Flow) -> None:
    pool = world.vault(mint).subsidy_pool
    rental = bring(world, mint=mint)
    world.wait(450)
    expected = closed(world, rental, used=0, reason=CloseReason.WITHDRAWN, caller=RENTER)
    assert expected.refunded == expected.deposit
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.tokens(RENTER, mint) == WALLET_TOKENS
    assert world.vault(mint).subsidy_pool == pool
    listing = world.listing()
    assert (listing.completed, listing.failed) == (0, 0)


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("used", [0, 1, LEAST - 1])
def test_stop_rental__less_than_the_least_charge__pays_that_and_counts_what_was_used(
    world: World, mint: Pubkey, used: int
) -> None:
    """A machine is not held for nothing. Invariant RNT-13."""
    rental = running(world, mint=mint)
    state = world.rental(rental)
    if used:
        world.run(used)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert (event.used, event.charged) == (used, LEAST)
    assert event.deposit - event.refunded == -(-state.rate * LEAST // HOUR) and event.paid > 0
    rates = Rates(state.rate, state.subsidy_rate, state.burn_rate, state.fee_rate)
    assert world.profile().spent_usd == event.paid_usd == paid_usd(rates, state.rate_usd, used)


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize(
    ("held", "charged"), [(0, 0), (1, 1), (LEAST, LEAST), (LEAST + 1, LEAST), (PROMISE - 30, LEAST)]
)
def test_stop_rental__while_the_host_prepares__pays_it_up_to_the_least_charge(
    world: World, mint: Pubkey, held: int, charged: int
) -> None:
    """Squatting on a machine and withdrawing costs. Invariant RNT-13."""
    rental = opened(world, mint=mint)
    world.wait(30)
    world.act(world.accept_rental(rental))
    world.wait(held)
    expected = closed(world, rental, used=0, reason=CloseReason.WITHDRAWN, caller=RENTER)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert event == expected and (event.used, event.charged) == (0, charged)
    assert world.tokens(HOST, mint) == WALLET_TOKENS + event.paid
    assert (event.paid > 0) == (charged > 0)


@pytest.mark.parametrize(("after", "charged"), [(PROMISE, LEAST), (PROMISE + 1, 0)])
def test_stop_rental__host_breaks_its_promise__is_paid_nothing(world: World, after: int, charged: int) -> None:
    """Renters do not pay hosts for waiting. Invariant RNT-13."""
    rental = accepted(world)
    world.wait(after)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert (event.charged, event.paid > 0) == (charged, charged > 0)


def test_stop_rental__promise_longer_than_the_time_to_start__ends_with_that(world: World) -> None:
    world.act(set_parameter(MarketParameter.PROVISION_TIMEOUT, 20))
    rental = accepted(world)
    world.wait(21)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed).charged == 0


def test_stop_rental__least_charge_changed_meanwhile__is_that_of_the_opening(world: World) -> None:
    """Invariants RNT-6, RNT-13."""
    rental = running(world)
    world.act(set_parameter(MarketParameter.MIN_CHARGE_SECONDS, 600))
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed).charged == LEAST


def test_stop_rental__after_settling__pays_nothing_twice(world: World) -> None:
    rental = running(world)
    for _ in range(3):
        world.run(299)
        world.act(world.settle_rental(rental))
    world.run(103)
    expected = closed(world, rental, used=1_000, reason=CloseReason.STOPPED, caller=RENTER)
    assert 0 < expected.paid_now < expected.paid
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.tokens(HOST) == WALLET_TOKENS + expected.paid


@pytest.mark.parametrize(("answer", "reason"), [(ANSWER_WINDOW - 1, "STOPPED"), (ANSWER_WINDOW, "HOST_OFFLINE")])
def test_stop_rental__silent_host__is_paid_to_its_last_heartbeat(world: World, answer: int, reason: str) -> None:
    rental = running(world)
    world.run(1_000)
    world.wait(OFFLINE_AFTER + 1)
    world.act(world.mark_silent())
    world.wait(answer)
    why = CloseReason[reason]
    used = 1_000 + OFFLINE_AFTER + 1 + answer if why is CloseReason.STOPPED else 1_000
    expected = closed(world, rental, used=used, reason=why, caller=RENTER)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
    assert world.listing().failed == int(why is CloseReason.HOST_OFFLINE)


def test_stop_rental__paid_time_over__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    with expect(errors.RentalExpired):
        world.act(world.stop_rental(rental))


@pytest.mark.parametrize("signer", [TENANT, HOST, KEEPER, STRANGER])
@pytest.mark.parametrize("bring", [opened, running])
def test_stop_rental__not_the_renter__is_refused(world: World, bring: Flow, signer: Pubkey) -> None:
    with expect(errors.WrongRenter):
        world.act(world.stop_rental(bring(world), caller=signer))


def test_stop_rental__renter_spends_exactly__what_the_split_says(world: World) -> None:
    rental = running(world)
    world.run(1)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    spent = WALLET_TOKENS - world.tokens(RENTER, GPUM)
    assert spent == event.paid + event.fees + event.burned - (event.subsidy - event.subsidy_returned)


@pytest.mark.parametrize("back", [1, 15, 600])
def test_stop_rental__clock_goes_back_after_a_settlement__ends_at_the_later(world: World, back: int) -> None:
    rental = running(world)
    world.run(HOUR // 2)
    world.act(world.settle_rental(rental))
    world.wait(-back)
    expected = closed(world, rental, used=HOUR // 2, reason=CloseReason.STOPPED, caller=RENTER)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected


def test_stop_rental__silence_that_nobody_marked__counts_as_up(world: World) -> None:
    rental = running(world)
    world.run(1_000)
    world.wait(2_000)
    expected = closed(world, rental, used=3_000, reason=CloseReason.STOPPED, caller=RENTER)
    assert world.act(world.stop_rental(rental)).event(events.RentalClosed) == expected
