"""set_gpu_model: the authority says what a GPU counts and its reference price. Invariants MFP-1, MKT-11."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_gpu_model, find_host
from anchor_client.generated.types.gpu_terms import GpuTerms
from tests.markets.spec import SPEC, spec_with

from .harness.actors import HOST, LISTING, LISTINGS, STRANGER
from .harness.changes import respecify
from .harness.outcome import expect
from .harness.staking import gpu_model_of, set_gpu_model
from .harness.terms import REFERENCE_USD
from .harness.world import World


def test_set_gpu_model__known_model__tells_old_and_new(world: World) -> None:
    seq = gpu_model_of(world).seq
    assert world.act(set_gpu_model(1, 65_535, 7)).event(events.GpuModelSet) == events.GpuModelSet(
        gpu_model=find_gpu_model(1)[0],
        number=1,
        old=GpuTerms(100, REFERENCE_USD),
        new=GpuTerms(65_535, 7),
        at=world.now,
        seq=seq + 1,
    )
    model = gpu_model_of(world)
    assert (model.number, model.points, model.reference_usd, model.version) == (1, 65_535, 7, 1)


@pytest.mark.parametrize("number", [255, 256, 65_535])
def test_set_gpu_model__new_model__has_an_account_of_its_own(world: World, number: int) -> None:
    first, second = world.act(set_gpu_model(number, 3, 4)), world.act(set_gpu_model(number, 5, 6))
    assert first.event(events.GpuModelSet).seq == 1
    assert (second.event(events.GpuModelSet).old, second.event(events.GpuModelSet).seq) == (GpuTerms(3, 4), 2)
    assert gpu_model_of(world, number).number == number


def test_set_gpu_model__number_of_none__is_refused(world: World) -> None:
    with expect(errors.UnknownGpuModel):
        world.act(set_gpu_model(0, 1))


@pytest.mark.parametrize("number", [1, 9])
def test_set_gpu_model__anybody_else__is_refused(world: World, number: int) -> None:
    with expect(errors.Unauthorized):
        world.act(set_gpu_model(number, 1, authority=STRANGER))


def test_listing_points__created_updated_and_closed__add_up_in_the_host(world: World) -> None:
    world.act(set_gpu_model(2, 40))
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


@pytest.mark.parametrize("number", [256, 65_535])
def test_listing__model_outside_the_catalog__has_neither_points_nor_reference_price(world: World, number: int) -> None:
    event = world.act(respecify(gpu_model=number)).event(events.ListingUpdated)
    assert (event.points, event.reference_usd, world.listing().reference_usd) == (0, 0, 0)


def test_listing__account_of_another_model__is_refused(world: World) -> None:
    """Nobody lists a cheap card at the reference price of a dear one, nor hides that theirs is in the catalog."""
    world.act(set_gpu_model(2, 40, 5_000_000))
    for number in (2, 3):
        other = find_gpu_model(number)[0]
        for act in (
            world.create_listing(gpu_model=other),
            instructions.update_listing(authority=HOST, listing=LISTING, spec=SPEC, gpu_model=other),
            instructions.refresh_listing(caller=STRANGER, host=find_host(HOST)[0], listing=LISTING, gpu_model=other),
        ):
            with expect(errors.WrongGpuModel):
                world.act(act)
