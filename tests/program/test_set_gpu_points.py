"""set_gpu_points: the authority says what a GPU of a model counts. Invariant MFP-1."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host
from tests.markets.spec import spec_with

from .harness.actors import HOST, LISTINGS, STRANGER
from .harness.changes import respecify
from .harness.outcome import expect
from .harness.staking import CATALOG, catalog_of, set_gpu_points
from .harness.world import World


def test_set_gpu_points__authority__tells_old_and_new(world: World) -> None:
    seq = catalog_of(world).seq
    assert world.act(set_gpu_points(1, 65_535)).event(events.GpuPointsSet) == events.GpuPointsSet(
        catalog=CATALOG, model=1, old=100, new=65_535, at=world.now, seq=seq + 1
    )
    assert catalog_of(world).points[1] == 65_535


@pytest.mark.parametrize("model", [256, 65_535])
def test_set_gpu_points__model_past_the_last__is_refused(world: World, model: int) -> None:
    world.act(set_gpu_points(255, 1))
    with expect(errors.UnknownGpuModel):
        world.act(set_gpu_points(model, 1))


def test_set_gpu_points__anybody_else__is_refused(world: World) -> None:
    with expect(errors.Unauthorized):
        world.act(set_gpu_points(1, 1, STRANGER))


def test_listing_points__created_updated_and_closed__add_up_in_the_host(world: World) -> None:
    world.act(set_gpu_points(2, 40))
    before = world.host().points
    assert before == 8 * 2 * 100
    created = world.act(world.create_listing(HOST, spec=spec_with(gpu_model=2, gpu_count=4))).event(
        events.ListingCreated
    )
    assert (created.points, created.host_points) == (160, before + 160)
    updated = world.act(respecify(LISTINGS[1], gpu_model=2, gpu_count=1)).event(events.ListingUpdated)
    assert (updated.points, updated.host_points) == (40, before + 160 - 160)
    closed = world.act(instructions.close_listing(authority=HOST, listing=LISTINGS[2], host=find_host(HOST)[0])).event(
        events.ListingClosed
    )
    assert closed.host_points == world.host().points == before - 200


def test_listing_points__model_outside_the_catalog__are_none(world: World) -> None:
    event = world.act(respecify(gpu_model=256)).event(events.ListingUpdated)
    assert event.points == 0
