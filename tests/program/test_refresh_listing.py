"""refresh_listing: anyone brings what a listing says of its model up to the catalog's. Invariant MFP-1."""

from __future__ import annotations

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host

from .harness.actors import HOST, KEEPER, LISTING, RIVAL
from .harness.changes import respecify
from .harness.outcome import expect
from .harness.staking import refresh_listing, set_gpu_model
from .harness.terms import REFERENCE_USD
from .harness.world import World

HOST_ACCOUNT = find_host(HOST)[0]
REFRESH = refresh_listing()


def test_refresh_listing__catalog_changed__changes_listing_and_host(world: World) -> None:
    host, listing = world.host(), world.listing()
    world.act(set_gpu_model(1, 120, 2_760_000))
    assert world.act(REFRESH).event(events.ListingRefreshed) == events.ListingRefreshed(
        listing=LISTING,
        host=HOST_ACCOUNT,
        old_points=200,
        new_points=240,
        old_reference_usd=REFERENCE_USD,
        new_reference_usd=2_760_000,
        host_points=host.points + 40,
        by=KEEPER,
        at=world.now,
        seq=listing.seq + 1,
        host_seq=host.seq + 1,
    )
    assert (world.listing().points, world.host().points) == (240, host.points + 40)
    assert world.listing().reference_usd == 2_760_000


def test_refresh_listing__reference_price_alone__changes_it(world: World) -> None:
    world.act(set_gpu_model(1, 100, 1))
    event = world.act(REFRESH).event(events.ListingRefreshed)
    assert (event.old_points, event.new_points, event.new_reference_usd) == (200, 200, 1)


def test_refresh_listing__model_new_in_the_catalog__takes_its_terms(world: World) -> None:
    world.act(respecify(gpu_model=300))
    world.act(set_gpu_model(300, 7, 8))
    event = world.act(refresh_listing(model=300)).event(events.ListingRefreshed)
    assert (event.old_points, event.new_points, event.old_reference_usd, event.new_reference_usd) == (0, 14, 0, 8)


def test_refresh_listing__nothing_new__changes_nothing(world: World) -> None:
    host, listing = world.host(), world.listing()
    assert world.act(REFRESH).events == ()
    assert (world.host(), world.listing()) == (host, listing)


def test_refresh_listing__another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(refresh_listing(RIVAL))
