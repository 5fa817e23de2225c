"""A host's attempts to be thought better of than what it did is worth. Invariants HST-2, HST-9 to HST-11."""

from __future__ import annotations

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events, instructions
from anchor_client.generated.constants import USD
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD, spec_with

from .harness.actors import GPUM, HOST, LISTING, LISTINGS, TENANT, USDC
from .harness.changes import seeded_rates, set_parameter
from .harness.flows import pay_elsewhere, running
from .harness.reference import paid_usd, reputation
from .harness.terms import DAY, HOUR, RESERVED_TERMS
from .harness.world import World

HOST_ACCOUNT = find_host(HOST)[0]
NEUTRAL = 5_000
LEAST = 600
"""Seconds of use that a rating takes."""


def scored(world: World, *listings: Pubkey) -> int:
    """The host's score after all of its listings have been brought."""
    event = world.act(world.update_reputation(HOST, *(listings or LISTINGS))).events[-1]
    assert isinstance(event, events.HostScored)
    return event.new


def praise_oneself(world: World, mint: Pubkey = USDC) -> None:
    """The host rents from itself with a second wallet, no longer than a rating takes, and gives itself the best one."""
    world.act(world.heartbeat())
    rental = running(world, TENANT, mint=mint)
    world.run(LEAST)
    world.act(world.rate_rental(rental, 5))
    world.act(world.stop_rental(rental))


def earn(world: World, seconds: int = RESERVED_TERMS[2]) -> None:
    """A renter pays for the longest term, in full, and says nothing; nobody marks the host."""
    world.act(world.heartbeat())
    rental = running(world, mint=USDC, kind=RentalKind.RESERVED, duration=seconds)
    world.wait(seconds)
    world.act(world.heartbeat())
    world.act(world.finalize_rental(rental))


def show(listing: Pubkey, *, visible: bool) -> Instruction:
    return instructions.update_listing(authority=HOST, listing=listing, spec=spec_with(visible=visible))


def new_listing(world: World, **changes: object) -> Pubkey:
    """One more machine, heard from."""
    number = world.host().next_listing
    world.act(world.create_listing(spec=spec_with(**changes)))
    listing = find_listing(HOST_ACCOUNT, number)[0]
    world.act(world.heartbeat(HOST, listing))
    return listing


def test_score__heartbeats_alone__are_worth_nothing(world: World) -> None:
    for _ in range(30):
        world.wait(DAY)
        world.act(world.heartbeat(HOST, *LISTINGS))
    assert world.host().up_seconds == world.host().tracked_seconds == 30 * DAY * len(LISTINGS)
    assert scored(world) == NEUTRAL


@pytest.mark.parametrize("mint", [USDC, GPUM])
def test_score__one_short_self_rental__hardly_moves_it(world: World, mint: Pubkey) -> None:
    praise_oneself(world, mint)
    assert NEUTRAL <= scored(world) <= NEUTRAL + 6


def test_score__self_praise_of_a_host_that_others_have_paid__hardly_moves_it(world: World) -> None:
    """Money that came without a rating says nothing of ratings: each weighs what its own renter has paid."""
    earn(world)
    before = scored(world)
    assert before > 8_000
    praise_oneself(world)
    world.wait(DAY)
    world.act(world.heartbeat(HOST, *LISTINGS))
    assert before <= scored(world) <= before + 6


def test_score__subsidised_rental__weighs_only_what_its_renter_has_paid(world: World) -> None:
    rental = running(world, TENANT, mint=GPUM)
    world.run(HOUR)
    world.act(world.settle_rental(rental))
    closed = world.act(world.finalize_rental(rental)).event(events.RentalClosed)
    scored(world)
    assert world.host().paid_usd == closed.paid_usd == world.profile(TENANT).spent_usd
    assert closed.paid_usd == paid_usd(seeded_rates(GPUM), ON_DEMAND_USD, HOUR) < ON_DEMAND_USD // 2


def denounce(world: World, renter: Pubkey, machines: int) -> None:
    """A wallet takes machines, reports each as not as listed and leaves at once."""
    world.act(world.heartbeat(HOST, *LISTINGS))
    for listing in LISTINGS[:machines]:
        rental = running(world, renter, listing=listing, mint=USDC)
        world.act(world.report_issue(rental, RentalIssue.NOT_AS_LISTED), world.stop_rental(rental))


def test_score__reports_sprayed_by_one_that_has_paid_nothing__are_worth_nothing(world: World) -> None:
    earn(world)
    before = scored(world)
    denounce(world, TENANT, machines=len(LISTINGS))
    world.wait(DAY)
    world.act(world.heartbeat(HOST, *LISTINGS))
    assert world.host().not_as_listed_usd == 0 and scored(world) >= before


@pytest.mark.parametrize("machines", [1, len(LISTINGS)])
def test_score__reports_sprayed_by_one_that_has_paid__weigh_that_once(world: World, machines: int) -> None:
    world.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, USD))
    paid = pay_elsewhere(world, TENANT)
    denounce(world, TENANT, machines=machines)
    host = world.host()
    score = scored(world)
    assert world.host().not_as_listed_usd == paid
    assert (
        score
        == reputation(host.tracked_seconds, host.up_seconds, not_as_listed_usd=paid, prior_usd=USD)
        < reputation(host.tracked_seconds, host.up_seconds, prior_usd=USD)
    )


def test_score__listing_closed_and_created_anew__keeps_its_dark_days(world: World) -> None:
    world.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, USD))
    earn(world, RESERVED_TERMS[0])
    world.fall_silent()
    world.act(world.mark_silent())
    world.wait(5 * DAY)
    heard = world.listing().last_heartbeat_at
    before = world.host()
    world.act(instructions.close_listing(authority=HOST, listing=LISTING, host=HOST_ACCOUNT))
    anew = new_listing(world)
    host = world.host()
    assert host.tracked_seconds - before.tracked_seconds == world.now - heard > 5 * DAY
    assert host.up_seconds == before.up_seconds
    score = scored(world, *LISTINGS[1:], anew)
    assert score == reputation(
        host.tracked_seconds, host.up_seconds, completed=1, paid_usd=world.host().paid_usd, prior_usd=USD
    )
    assert score < reputation(1, 1, completed=1, paid_usd=world.host().paid_usd, prior_usd=USD) - 1_000


def test_score__hidden_and_shown_again__keeps_its_dark_days(world: World) -> None:
    world.fall_silent()
    world.act(world.mark_silent())
    world.wait(5 * DAY)
    heard, dark = world.listing().last_heartbeat_at, world.now
    world.act(show(LISTING, visible=False))
    world.wait(DAY)
    world.act(show(LISTING, visible=True))
    world.wait(HOUR)
    world.act(world.heartbeat())
    host = world.host()
    assert (host.tracked_seconds, host.up_seconds) == (dark - heard + HOUR, 0)


def test_score__hidden_listings__lift_nothing(world: World) -> None:
    """Twelve machines that nobody can rent are kept online by one key on one laptop."""
    world.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, USD))
    others = LISTINGS[1:]
    world.act(*(show(listing, visible=False) for listing in others))
    earn(world, RESERVED_TERMS[0])
    world.fall_silent()
    world.act(world.mark_silent())
    world.wait(20 * DAY)
    world.act(world.heartbeat(HOST, LISTING, *others))
    before = scored(world)
    assert before < NEUTRAL
    hidden = [new_listing(world, visible=False) for _ in range(12 - len(others))]
    counted = world.host().tracked_seconds
    for _ in range(100):
        world.wait(DAY)
        world.act(world.heartbeat(HOST, *others, *hidden))
    assert world.host().tracked_seconds == counted
    assert scored(world, *LISTINGS, *hidden) == before


def test_score__hidden_under_a_rental__counts_until_the_rental_ends(world: World) -> None:
    rental = running(world, mint=USDC)
    world.act(show(LISTING, visible=False))
    world.run(LEAST)
    world.wait(60)
    world.act(world.stop_rental(rental))
    ended = world.now
    for _ in range(3):
        world.wait(HOUR)
        world.act(world.heartbeat())
    started = world.listing(LISTING).created_at
    assert world.host().tracked_seconds == world.host().up_seconds == ended - started == LEAST + 60


def test_score__new_listing_before_each_call__does_not_hold_it_up(world: World) -> None:
    """Each call lacks the machine that the host has created just before it."""
    known = list(LISTINGS)
    for _ in range(3):
        created = new_listing(world)
        world.act(world.update_reputation(HOST, *known))
        known.append(created)
    assert (world.host().score_round, world.host().scored_at > 0) == (1, True)


def test_score__new_listing_of_an_open_round__waits_for_the_next_with_its_counts(world: World) -> None:
    """Nobody chooses which of the machines created since make the score."""
    world.act(world.update_reputation(HOST, *LISTINGS[:7]))
    created = new_listing(world)
    failing = running(world, TENANT, listing=created, mint=USDC)
    world.act(world.cancel_rental(failing))
    assert world.act(world.update_reputation(HOST, created)).events == ()
    assert world.host().failed == 0 and world.listing(created).failed == 1
    scored(world, created, LISTINGS[7])
    assert (world.host().failed, world.host().score, world.listing(created).score_round) == (0, NEUTRAL, 0)
    [count] = world.act(world.update_reputation(HOST, created)).event(events.HostCounted).listings
    assert (count.failed, count.score_round) == (1, 0)


@pytest.mark.parametrize("settled", [(), (100,), (100, 700, 701)])
def test_paid__settled_in_any_steps__counts_what_was_paid_once(world: World, settled: tuple[int, ...]) -> None:
    rental = running(world, mint=GPUM)
    for seconds in settled:
        world.run(seconds - (world.now - world.rental(rental).started_at))
        outcome = world.act(world.settle_rental(rental))
        assert world.listing().paid_usd == outcome.event(events.RentalSettled).paid_usd > 0
    world.run(1_234 - (world.now - world.rental(rental).started_at))
    closed = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert closed.used == 1_234
    assert world.listing().paid_usd == closed.paid_usd == world.profile().spent_usd > 0


def test_quota__subsidised_spending__earns_it_only_by_what_was_paid(world: World) -> None:
    rental = running(world, mint=GPUM)
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    assert world.profile().spent_usd == paid_usd(seeded_rates(GPUM), ON_DEMAND_USD, HOUR) < ON_DEMAND_USD // 2
