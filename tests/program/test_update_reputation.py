"""update_reputation: what listings have counted moves to their host, which is scored once an interval.

Invariants HST-1 to HST-3, HST-9.
"""

from __future__ import annotations

import pytest
from solders.instruction import AccountMeta
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.constants import USD
from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types.listing_count import ListingCount
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import AUTHORITY, HOST, LISTING, LISTINGS, RIVAL, RIVAL_LISTING
from .harness.changes import set_parameter
from .harness.flows import running
from .harness.keys import address
from .harness.outcome import expect, expect_refusal
from .harness.reference import reputation
from .harness.terms import DAY, HOUR
from .harness.world import World

HOST_ACCOUNT = find_host(HOST)[0]
NEUTRAL = 5_000


def rated(world: World, rating: int = 5, listing: Pubkey = LISTING, **order: object) -> int:
    """A rental that ran to its end and was rated; gives the rating's weight."""
    world.act(world.heartbeat(HOST, listing))
    rental = running(world, listing=listing, **order)
    world.run(HOUR, listing=listing)
    outcome = world.act(world.rate_rental(rental, rating))
    world.act(world.finalize_rental(rental))
    return outcome.event(events.RentalRated).weight


def scored(world: World) -> World:
    """A host that has just been scored, without any data but its first heartbeats."""
    world.act(world.update_reputation(HOST, *LISTINGS))
    return world


def test_update_reputation__first_time__scores_at_once_and_takes_half_without_data(world: World) -> None:
    seqs = [world.listing(listing).seq for listing in LISTINGS]
    seq = world.host().seq
    counted, score = world.act(world.update_reputation(HOST, *LISTINGS)).events
    assert counted == events.HostCounted(
        host=HOST_ACCOUNT,
        at=world.now,
        rating_sum=0,
        rating_weight=0,
        paid_usd=0,
        completed=0,
        failed=0,
        refused=0,
        seq=seq + 1,
        listings=tuple(ListingCount(0, 0, 0, old + 1, id, 0, 0, 1, 0, 0) for id, old in enumerate(seqs)),
    )
    assert score == events.HostScored(
        host=HOST_ACCOUNT,
        old=0,
        new=NEUTRAL,
        round=1,
        tracked_seconds=0,
        up_seconds=0,
        rating_sum=0,
        rating_weight=0,
        completed=0,
        failed=0,
        paid_usd=0,
        prior_usd=1_000 * USD,
        not_as_listed_usd=0,
        at=world.now,
        seq=seq + 2,
    )
    assert (world.host().score, world.host().scored_at, world.host().score_round) == (NEUTRAL, world.now, 1)


def test_update_reputation__within_the_interval__moves_the_counts_and_keeps_the_score(world: World) -> None:
    scored(world)
    weight = rated(world, 4)
    outcome = world.act(world.update_reputation(HOST, *LISTINGS))
    [count] = outcome.event(events.HostCounted).listings
    assert (count.id, count.rating_sum, count.rating_weight) == (0, 4 * weight, weight)
    assert (count.completed, count.failed, count.score_round, count.paid_usd) == (1, 0, 1, weight)
    host, listing = world.host(), world.listing()
    assert (host.rating_sum, host.rating_weight, host.completed, host.failed) == (4 * weight, weight, 1, 0)
    assert (listing.rating_sum, listing.rating_weight, listing.completed, listing.failed) == (0, 0, 0, 0)
    assert (host.paid_usd, listing.paid_usd) == (weight, 0)
    assert (host.score, host.score_round) == (NEUTRAL, 1)


@pytest.mark.parametrize("interval", [5, DAY])
def test_update_reputation__around_the_interval__scores_from_it_on(world: World, interval: int) -> None:
    world.act(
        instructions.update_market(authority=AUTHORITY, parameter=MarketParameter.REPUTATION_INTERVAL, value=interval)
    )
    scored(world)
    world.wait(interval - 1)
    assert world.act(world.update_reputation(HOST, *LISTINGS)).events == ()
    world.wait(1)
    assert isinstance(world.act(world.update_reputation(HOST, *LISTINGS)).events[-1], events.HostScored)
    assert (world.host().scored_at, world.host().score_round) == (world.now, 2)


@pytest.mark.parametrize("prior_usd", [USD, 10 * USD, 1_000_000 * USD])
def test_update_reputation__all_kinds_of_ends__score_is_the_formula(world: World, prior_usd: int) -> None:
    world.act(set_parameter(MarketParameter.REPUTATION_PRIOR_USD, prior_usd))
    best, worst = rated(world, 5), rated(world, 1, LISTINGS[1])
    world.act(world.heartbeat(HOST, LISTINGS[2]))
    failing = running(world, listing=LISTINGS[2])
    world.run(HOUR // 2, listing=LISTINGS[2])
    world.act(world.cancel_rental(failing))
    world.fall_silent()
    world.act(world.heartbeat(HOST, LISTING))
    host = world.host()
    score = world.act(world.update_reputation(HOST, *LISTINGS)).events[-1]
    assert isinstance(score, events.HostScored)
    assert 0 < host.up_seconds < host.tracked_seconds
    paid = world.host().paid_usd
    assert paid > best + worst
    assert score.new == reputation(
        host.tracked_seconds, host.up_seconds, 5 * best + worst, best + worst, 2, 1, paid, prior_usd=prior_usd
    )
    assert world.host().score == score.new


def test_update_reputation__nothing_new__changes_nothing(world: World) -> None:
    scored(world)
    before = world.host(), [world.listing(listing) for listing in LISTINGS]
    for listings in ((), LISTINGS, (LISTING, LISTING)):
        assert world.act(world.update_reputation(HOST, *listings)).events == ()
    assert before == (world.host(), [world.listing(listing) for listing in LISTINGS])


def test_update_reputation__a_listing_left_out__is_waited_for(world: World) -> None:
    """A host cannot be scored on the listings that do it credit alone. Invariant HST-2."""
    failing = running(world, listing=LISTINGS[7])
    world.act(world.cancel_rental(failing))
    for _ in range(2):
        world.act(world.update_reputation(HOST, *LISTINGS[:7]))
        assert (world.host().scored_at, world.host().round_waiting) == (0, 1)
    assert isinstance(world.act(world.update_reputation(HOST, LISTINGS[7])).events[-1], events.HostScored)
    assert world.host().score == reputation(failed=1)


def test_update_reputation__in_several_calls__scores_what_one_call_scores(world: World) -> None:
    rated(world, 3)
    whole = world.cluster.accounts()
    world.act(world.update_reputation(HOST, *LISTINGS))
    at_once = world.host().score
    world.cluster.observers.clear()
    for key, account in whole.items():
        world.cluster.set_account(key, account)
    for listing in LISTINGS:
        world.act(world.update_reputation(HOST, listing))
    assert (world.host().score, world.host().scored_at) == (at_once, world.now)


def test_update_reputation__listings_come_and_go_in_between__are_not_waited_for(world: World) -> None:
    world.act(world.update_reputation(HOST, *LISTINGS[:6]))
    for listing in LISTINGS[5:7]:
        world.act(instructions.close_listing(authority=HOST, listing=listing, host=HOST_ACCOUNT))
    world.act(world.create_listing())
    new = find_listing(HOST_ACCOUNT, world.host().next_listing - 1)[0]
    assert world.act(world.update_reputation(HOST, new)).events == ()
    assert (world.host().round_waiting, world.host().scored_at) == (1, 0)
    world.act(world.update_reputation(HOST, LISTINGS[7]))
    assert (world.host().round_waiting, world.host().scored_at) == (0, world.now)


def test_update_reputation__last_one_missing_is_closed__scores_without_a_listing(world: World) -> None:
    world.act(world.update_reputation(HOST, *LISTINGS[:7]))
    world.act(instructions.close_listing(authority=HOST, listing=LISTINGS[7], host=HOST_ACCOUNT))
    world.act(world.update_reputation(HOST)).event(events.HostScored)


def test_update_reputation__twice_the_same_listing__counts_once(world: World) -> None:
    weight = rated(world, 2)
    [count] = world.act(world.update_reputation(HOST, LISTING, LISTING)).event(events.HostCounted).listings
    assert (count.rating_sum, count.rating_weight, count.completed) == (2 * weight, weight, 1)


def test_update_reputation__another_hosts_listing__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(world.update_reputation(HOST, LISTING, RIVAL_LISTING))
    with expect(errors.WrongHost):
        world.act(world.update_reputation(RIVAL, LISTING))


def test_update_reputation__not_a_listing__is_refused(world: World) -> None:
    for other in (HOST_ACCOUNT, find_host(RIVAL)[0], HOST, address("nothing")):
        with expect_refusal():
            world.act(world.update_reputation(HOST, other))


def test_update_reputation__read_only_listing__is_refused(world: World) -> None:
    metas = [AccountMeta(LISTING, is_signer=False, is_writable=False)]
    with expect_refusal():
        world.act(instructions.update_reputation(host=HOST_ACCOUNT, remaining_accounts=metas))
