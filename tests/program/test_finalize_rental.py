"""finalize_rental: anyone ends a rental whose paid time is over and takes the tip.

Invariants SYS-3, HST-5, RNT-4, RNT-7.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, HOST, KEEPER, LISTINGS, MINTS, RENTER, RIVAL_LISTING, STRANGER, TENANT, USDC, WSOL
from .harness.changes import seeded_rates, set_parameter
from .harness.endings import closed
from .harness.flows import Flow, accepted, opened, running
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect, expect_refusal
from .harness.reference import paid_usd
from .harness.terms import HOUR, RESERVED_TERMS
from .harness.tokens import supply_of
from .harness.world import World

TIP = 20_000
OFFLINE_AFTER = 300
ANSWER_WINDOW = 60


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("late", [0, 1, 10_000_000])
@pytest.mark.parametrize("signer", [KEEPER, RENTER, HOST])
def test_finalize_rental__anyone__pays_the_host_in_full(world: World, mint: Pubkey, late: int, signer: Pubkey) -> None:
    rental = running(world, mint=mint)
    world.run(HOUR)
    world.wait(late)
    expected = closed(world, rental, used=HOUR, reason=CloseReason.EXPIRED, caller=signer)
    assert (expected.refunded, expected.subsidy_returned) == (0, 0)
    supply = supply_of(world.cluster, mint)
    outcome = world.act(world.finalize_rental(rental, caller=signer))
    assert outcome.event(events.RentalClosed) == expected
    in_lamports = expected.paid if mint == WSOL else 0
    assert world.tokens(HOST, mint) == WALLET_TOKENS + expected.paid
    assert supply_of(world.cluster, mint) == supply - expected.burned
    rent = world.cluster.rent(Rental.SIZE)
    assert outcome.lamports_gained(RENTER) == rent + (TIP if signer == RENTER else 0)
    if signer != RENTER:
        assert outcome.lamports_gained(signer) == TIP + (in_lamports if signer == HOST else 0)
    assert not world.exists(rental)


def test_finalize_rental__expired__counts_as_completed(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    listing, profile = world.listing(), world.profile()
    assert (listing.completed, listing.failed, listing.current) == (1, 0, Pubkey.default())
    assert (profile.active_rentals, profile.completed_rentals) == (0, 1)
    assert profile.spent_usd == listing.paid_usd == paid_usd(seeded_rates(GPUM), ON_DEMAND_USD, HOUR)


def test_finalize_rental__paid_time_shorter_than_a_rating_takes__counts_all_the_same(world: World) -> None:
    """It was paid for in full, and no order is worth less than the market's minimum. Invariant HST-5."""
    world.act(set_parameter(MarketParameter.MIN_RATED_SECONDS, 24 * HOUR))
    rental = running(world)
    world.run(HOUR)
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed).completed
    assert world.listing().completed == 1


def test_finalize_rental__reserved__pays_ten_per_cent_less(world: World) -> None:
    rental = running(world, mint=USDC, kind=RentalKind.RESERVED, duration=RESERVED_TERMS[0])
    world.run(RESERVED_TERMS[0])
    expected = closed(world, rental, used=RESERVED_TERMS[0], reason=CloseReason.EXPIRED, caller=KEEPER)
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed) == expected
    discounted = ON_DEMAND_USD - ON_DEMAND_USD * 1_000 // 10_000
    assert world.profile().spent_usd == discounted * RESERVED_TERMS[0] // HOUR


def test_finalize_rental__a_second_early__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR - 1)
    with expect(errors.RentalNotExpired):
        world.act(world.finalize_rental(rental))


def test_finalize_rental__slots_without_seconds__end_nothing(world: World) -> None:
    rental = running(world)
    world.run(HOUR - 1)
    world.cluster.skip_slots(1_000_000)
    with expect(errors.RentalNotExpired):
        world.act(world.finalize_rental(rental))


@pytest.mark.parametrize(
    ("last_heard", "reason"), [(HOUR - OFFLINE_AFTER, "EXPIRED"), (HOUR - OFFLINE_AFTER - 1, "HOST_OFFLINE")]
)
def test_finalize_rental__silent_before_the_end__is_offline(world: World, last_heard: int, reason: str) -> None:
    rental = running(world)
    world.run(last_heard)
    world.wait(HOUR - last_heard)
    world.fall_silent()
    why = CloseReason[reason]
    used = HOUR if why is CloseReason.EXPIRED else last_heard
    expected = closed(world, rental, used=used, reason=why, caller=KEEPER)
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed) == expected
    assert (world.listing().failed, world.profile().completed_rentals) == (int(used < HOUR), int(used == HOUR))


def test_finalize_rental__host_may_still_answer__waits_for_it(world: World) -> None:
    rental = running(world)
    world.run(1_000)
    world.wait(HOUR - 1_000 - ANSWER_WINDOW + 1)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW - 1)
    with expect(errors.AnswerPending):
        world.act(world.finalize_rental(rental))
    world.act(world.heartbeat())
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed).reason is CloseReason.EXPIRED


def test_finalize_rental__silence_that_nobody_marked__counts_as_up(world: World) -> None:
    rental = running(world)
    world.wait(HOUR)
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed).reason is CloseReason.EXPIRED


def test_finalize_rental__silent_from_the_start__refunds_everything(world: World) -> None:
    rental = running(world)
    world.wait(HOUR)
    world.fall_silent()
    expected = closed(world, rental, used=0, reason=CloseReason.HOST_OFFLINE, caller=KEEPER)
    assert expected.refunded == expected.deposit
    assert world.act(world.finalize_rental(rental)).event(events.RentalClosed) == expected


@pytest.mark.parametrize("bring", [opened, accepted])
def test_finalize_rental__never_started__is_refused(world: World, bring: Flow) -> None:
    rental = bring(world)
    world.run(10 * HOUR)
    with expect(errors.WrongRentalState):
        world.act(world.finalize_rental(rental))


def test_finalize_rental__several_in_one_transaction__each_is_paid(world: World) -> None:
    rentals = [
        running(world),
        running(world, TENANT, listing=RIVAL_LISTING),
        running(world, TENANT, listing=LISTINGS[2]),
    ]
    world.run(HOUR)
    world.act(
        world.heartbeat(HOST, LISTINGS[2]), world.heartbeat(world.listing(RIVAL_LISTING).authority, RIVAL_LISTING)
    )
    outcome = world.act(*(world.finalize_rental(rental) for rental in rentals))
    assert [type(event) for event in outcome.events] == [events.RentalClosed] * 3
    assert outcome.lamports_gained(KEEPER) == 3 * TIP


def test_finalize_rental__closed_renter_account__does_not_block_an_expiry(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    world.act(world.finalize_rental(rental, renter_payout=STRANGER))
    assert not world.exists(rental)


def test_finalize_rental__nothing_burned__needs_no_mint(world: World) -> None:
    rental = running(world)
    world.fall_silent()
    world.wait(HOUR - OFFLINE_AFTER - ANSWER_WINDOW - 2)
    world.act(world.mark_silent())
    world.wait(ANSWER_WINDOW + 1)
    world.act(world.finalize_rental(rental, mint=None))


def test_finalize_rental__burn_without_the_mint__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    with expect(errors.MintAccountMissing):
        world.act(world.finalize_rental(rental, mint=None))


def test_finalize_rental__twice__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    act = world.finalize_rental(rental)
    with expect_refusal():
        world.act(act, act)
    world.act(act)
    with expect_refusal():
        world.act(act)
