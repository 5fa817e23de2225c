"""A listing's spec version: an order lands on the machine that its renter has seen, or not at all.

Invariants RNT-18, REQ-4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from solders.instruction import Instruction

from anchor_client.generated import errors, events
from anchor_client.generated.types.charges import Charges
from tests.markets.spec import SPEC

from .harness.actors import LISTING
from .harness.changes import respecify
from .harness.charges import set_charges
from .harness.flows import requested
from .harness.outcome import expect
from .harness.spot import BEST, challenged, held, outbid, place_bid, register_stranger
from .harness.terms import asking
from .harness.world import World

MACHINE: dict[str, Any] = {
    "gpu_model": 2,
    "gpu_count": SPEC.gpu_count - 1,
    "vram_gb": 1,
    "cpu_cores": 1,
    "ram_gb": 1,
    "disk_kind": 2,
    "disk_gb": 1,
    "disk_mbps": 1,
    "net_up_mbps": 1,
    "net_down_mbps": 1,
    "cuda": 1,
    "region": 9,
    "keep_days": SPEC.keep_days - 1,
}
"""Fields of the machine and of what it keeps, each changed."""
TERMS: dict[str, Any] = {
    "on_demand_usd": SPEC.on_demand_usd + 1,
    "spot_min_usd": SPEC.spot_min_usd - 1,
    "mrl_seconds": SPEC.mrl_seconds - 1,
    "visible": not SPEC.visible,
}


def opens(world: World) -> Callable[..., Instruction]:
    return world.open_rental


def matches(world: World) -> Callable[..., Instruction]:
    request = requested(world)
    return lambda **given: world.match_request(request, **given)


def bids(world: World) -> Callable[..., Instruction]:
    held(world)
    return lambda **given: place_bid(world, **given)


def outbids(world: World) -> Callable[..., Instruction]:
    held(world)
    challenged(world)
    register_stranger(world)
    return lambda **given: outbid(world, bid=BEST, **given)


@pytest.mark.parametrize("way", [opens, matches, bids, outbids])
def test_spec_version__machine_changed_before_the_order_lands__is_refused(
    world: World, way: Callable[[World], Callable[..., Instruction]]
) -> None:
    """2 x 80 GB became 1 x 1 GB in the transaction before."""
    order = way(world)
    seen = world.listing().spec_version
    placed = order(spec=seen)
    world.act(respecify(LISTING, ram_gb=1))
    with expect(errors.SpecChanged):
        world.act(placed)
    with expect(errors.SpecChanged):
        world.act(order(spec=seen + 2))
    opened = next(event for event in world.act(order(spec=seen + 1)).events if isinstance(event, events.RentalOpened))
    assert opened.spec_version == seen + 1


@pytest.mark.parametrize("way", [opens, matches, bids, outbids])
def test_attack__workspaces_kept_no_more__before_the_order_lands__is_refused(
    world: World, way: Callable[[World], Callable[..., Instruction]]
) -> None:
    """A listing that keeps workspaces for a week keeps nothing from the transaction before the order on."""
    placed = way(world)(spec=world.listing().spec_version)
    world.act(respecify(LISTING, keep_days=0))
    with expect(errors.SpecChanged):
        world.act(placed)


@pytest.mark.parametrize("field", MACHINE)
def test_spec_version__what_the_machine_is__raises_it(world: World, field: str) -> None:
    change = respecify(LISTING, **{field: MACHINE[field]})
    assert world.act(change).event(events.ListingUpdated).spec_version == world.listing().spec_version == 2
    world.act(change)
    assert world.listing().spec_version == 2
    world.act(respecify(LISTING))
    assert world.listing().spec_version == 3


@pytest.mark.parametrize("field", TERMS)
def test_spec_version__prices_and_terms__leave_it(world: World, field: str) -> None:
    world.act(respecify(LISTING, **{field: TERMS[field]}), set_charges(LISTING, Charges(1, 2, 3)))
    assert world.listing().spec_version == 1


def test_spec_version__new_listing__begins_at_one(world: World) -> None:
    assert world.act(world.create_listing()).event(events.ListingCreated).spec_version == 1


LEAST = {
    "min_vram_gb": "vram_gb",
    "min_cuda": "cuda",
    "min_ram_gb": "ram_gb",
    "min_disk_gb": "disk_gb",
    "min_net_up_mbps": "net_up_mbps",
    "min_net_down_mbps": "net_down_mbps",
}


@pytest.mark.parametrize("least", LEAST)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_requirements__each__must_be_met(world: World, least: str, more: int) -> None:
    asked = getattr(SPEC, LEAST[least]) + more
    request = requested(world, order=asking(**{least: asked}))
    assert getattr(world.request(request), least) == asked
    if more > 0:
        with expect(errors.ListingUnfit):
            world.act(world.match_request(request))
    else:
        world.act(world.match_request(request))


def test_requirements__machine_reduced_after_the_request__is_not_matched(world: World) -> None:
    request = requested(world, order=asking(min_vram_gb=SPEC.vram_gb))
    world.act(respecify(LISTING, vram_gb=1))
    with expect(errors.ListingUnfit):
        world.act(world.match_request(request))
    world.act(world.cancel_request(request))
