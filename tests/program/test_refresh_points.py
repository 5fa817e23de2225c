"""refresh_points: anyone brings a listing's points up to the catalog's."""

from __future__ import annotations

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host

from .harness.actors import HOST, KEEPER, LISTING, RIVAL
from .harness.outcome import expect
from .harness.staking import refresh_points, set_gpu_points
from .harness.world import World

HOST_ACCOUNT = find_host(HOST)[0]
REFRESH = refresh_points()


def test_refresh_points__catalog_changed__changes_listing_and_host(world: World) -> None:
    host, listing = world.host(), world.listing()
    world.act(set_gpu_points(1, 120))
    assert world.act(REFRESH).event(events.PointsRefreshed) == events.PointsRefreshed(
        listing=LISTING,
        host=HOST_ACCOUNT,
        old=200,
        new=240,
        host_points=host.points + 40,
        by=KEEPER,
        at=world.now,
        seq=listing.seq + 1,
        host_seq=host.seq + 1,
    )
    assert (world.listing().points, world.host().points) == (240, host.points + 40)


def test_refresh_points__nothing_new__changes_nothing(world: World) -> None:
    host, listing = world.host(), world.listing()
    assert world.act(REFRESH).events == ()
    assert (world.host(), world.listing()) == (host, listing)


def test_refresh_points__another_host__is_refused(world: World) -> None:
    with expect(errors.WrongHost):
        world.act(refresh_points(RIVAL))
