"""update_listing: the host says something else about its machine, for new rentals. Invariant RNT-6."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types.listing_spec import ListingSpec
from tests.markets.spec import ON_DEMAND_USD, SPEC, spec_with

from .harness.actors import HOST, LISTING, RIVAL
from .harness.cluster import START
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import DAY, HOUR
from .harness.world import World
from .test_create_listing import REFUSED_SPECS

OTHER = ListingSpec(
    gpu_model=6,
    gpu_count=8,
    vram_gb=24,
    region=5,
    cpu_cores=64,
    ram_gb=512,
    disk_kind=1,
    disk_gb=4_000,
    disk_mbps=550,
    net_up_mbps=10_000,
    net_down_mbps=20_000,
    cuda=1_300,
    on_demand_usd=1_520_000,
    spot_min_usd=0,
    mrl_seconds=30 * DAY,
    keep_days=30,
    visible=False,
)


def update(new: ListingSpec = OTHER, authority: Pubkey = HOST) -> Instruction:
    return instructions.update_listing(authority=authority, listing=LISTING, spec=new)


def test_update_listing__host__changes_everything_it_says(world: World) -> None:
    host, before = world.host(), world.listing()
    event = world.act(update()).event(events.ListingUpdated)
    assert event == events.ListingUpdated(
        listing=LISTING,
        old_on_demand_usd=ON_DEMAND_USD,
        old_spot_min_usd=SPEC.spot_min_usd,
        spec=OTHER,
        at=START,
        seq=before.seq + 1,
        host=find_host(HOST)[0],
        host_seq=host.seq + 1,
        points=0,
        host_points=host.points - 200,
        spec_version=2,
        tracked_seconds=0,
        up_seconds=0,
        host_tracked_seconds=0,
        host_up_seconds=0,
        reference_usd=0,
    )
    after = world.listing()
    assert (after.points, world.host().points) == (0, host.points - 200)
    before = replace(before, points=0, reference_usd=0, spec_version=2, unoffered_since=START)
    for name in Listing.LAYOUT.layouts:
        expected = getattr(OTHER, name) if name in OTHER.LAYOUT.layouts else getattr(before, name)
        assert getattr(after, name) == (before.seq + 1 if name == "seq" else expected), name


@pytest.mark.parametrize("proven", [False, True])
def test_update_listing__hidden_and_shown__tracks_no_time_in_between(world: World, proven: bool) -> None:
    """The time before counts when it is shown, as a heartbeat would count it. Invariant HST-10."""
    world.run(100)
    if proven:
        world.fall_silent()
        world.act(world.mark_silent())
    hidden_at = world.now
    assert world.act(update(spec_with(visible=False))).event(events.ListingUpdated).tracked_seconds == 100
    for _ in range(2):
        world.wait(DAY)
        world.act(update(spec_with(visible=False, on_demand_usd=ON_DEMAND_USD + 1)))
    assert world.listing().unoffered_since == hidden_at
    event = world.act(update(spec_with(visible=True))).event(events.ListingUpdated)
    assert (event.tracked_seconds, event.up_seconds) == (hidden_at - START, 100)
    assert (event.host_tracked_seconds, event.host_up_seconds) == (hidden_at - START, 100)
    world.wait(60)
    world.act(world.heartbeat())
    assert (world.listing().tracked_seconds, world.listing().up_seconds) == (
        hidden_at - START + 60,
        100 + 60 * (not proven),
    )


def test_update_listing__price__never_touches_a_running_rental(world: World) -> None:
    rental = running(world)
    before = world.rental(rental)
    world.act(update(spec_with(on_demand_usd=ON_DEMAND_USD * 3)))
    assert world.rental(rental) == before
    world.act(world.extend_rental(rental))
    after = world.rental(rental)
    assert after.deposit == -(-before.rate * 2 * HOUR // 3_600)
    assert after.rate_usd == ON_DEMAND_USD


@pytest.mark.parametrize("changes", REFUSED_SPECS)
def test_update_listing__specification_past_a_bound__is_refused(world: World, changes: dict[str, Any]) -> None:
    with expect(errors.InvalidListingSpec):
        world.act(update(spec_with(**changes)))


def test_update_listing__another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(update(authority=RIVAL))
