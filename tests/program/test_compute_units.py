"""Costs of the program: every figure frozen, the targets met, and no cost that grows with the market."""

from __future__ import annotations

import json

import pytest
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.generated import events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.pdas import find_host, find_listing, find_rental
from tests.markets.spec import spec_with

from .harness.actors import HOST, LISTINGS, RENTER, RIVAL, RIVAL_LISTING, TENANT
from .harness.cluster import FIRST_NONCE, PROGRAM_BINARY
from .harness.flows import opened, running
from .harness.market import seeded_world
from .harness.scenarios import IDL
from .harness.terms import HOUR
from .harness.world import World
from .measure_compute_units import BINARY_BYTES, FROZEN, LIFE, TARGETS, WHOLE_LIFE, life, measurements

MARGIN = 0.03
FIGURES: dict[str, int] = json.loads(FROZEN.read_text())
CROWD = 500


@pytest.fixture(scope="module")
def measured() -> dict[str, int]:
    return measurements()


def test_compute_units__frozen_figures__are_what_is_measured(measured: dict[str, int]) -> None:
    """After a deliberate change: python -m tests.program.measure_compute_units."""
    assert set(FIGURES) == set(measured)
    moved = {
        name: (FIGURES[name], cost) for name, cost in measured.items() if abs(cost - FIGURES[name]) > MARGIN * cost
    }
    assert not moved


def test_compute_units__every_instruction__is_frozen() -> None:
    assert {each["name"] for each in IDL["instructions"]} <= set(FIGURES)


@pytest.mark.parametrize("name", TARGETS)
def test_compute_units__target__is_met(measured: dict[str, int], name: str) -> None:
    assert measured[name] <= TARGETS[name]


def test_binary__size__is_within_its_target() -> None:
    assert PROGRAM_BINARY.stat().st_size <= BINARY_BYTES


@pytest.mark.parametrize("name", ["stop_rental", "finalize_rental"])
def test_compute_units__target_with_burn__burns(name: str) -> None:
    world = seeded_world()
    rental = running(world)
    world.run(HOUR if name == "finalize_rental" else HOUR // 2)
    act = world.finalize_rental(rental) if name == "finalize_rental" else world.stop_rental(rental)
    outcome = world.act(act)
    assert outcome.event(events.RentalClosed).burned > 0
    assert sum(f"Program {TOKEN_PROGRAM} invoke" in line for line in outcome.logs) == 1
    assert outcome.compute_units <= TARGETS[name]


def test_compute_units__whole_life__is_within_its_target_and_flat(world: World) -> None:
    other = seeded_world()
    other.act(other.stop_rental(opened(other, TENANT, listing=RIVAL_LISTING)))  # the day's first subsidy sets the day
    alone = life(other)
    crowd(world)
    assert world.vault().open_rentals == CROWD - 1
    crowded = life(world)
    assert set(alone) == set(LIFE)
    assert crowded == alone
    assert sum(alone.values()) <= WHOLE_LIFE


def test_compute_units__heartbeat_target__is_for_eight_listings(world: World) -> None:
    world.wait(60)
    outcome = world.act(world.heartbeat(HOST, *LISTINGS))
    assert len(outcome.event(events.HostHeartbeat).listings) == 8
    assert outcome.compute_units <= TARGETS["heartbeat"]


def test_compute_units__rental__is_small_and_all_that_opening_creates(world: World) -> None:
    outcome = world.act(world.open_rental())
    rental = find_rental(RENTER, FIRST_NONCE)[0]
    assert [key for key, state in outcome.after.items() if state and not outcome.before[key]] == [rental]
    created = outcome.after[rental]
    assert created is not None and len(created.data) == Rental.SIZE <= 296
    spent = outcome.lamports_gained(RENTER)
    back = world.act(world.stop_rental(rental)).lamports_gained(RENTER)
    assert back == -spent


def crowd(world: World) -> None:
    """The rival's machines, all rented by the tenant from the same vault."""
    opened(world, TENANT, listing=RIVAL_LISTING)
    listings = [find_listing(find_host(RIVAL)[0], number)[0] for number in range(1, CROWD - 1)]
    for start in range(0, len(listings), 16):
        batch = listings[start : start + 16]
        for number in range(len(batch)):
            world.act(world.create_listing(RIVAL, spec=spec_with(region=number % 8)))
        world.act(world.heartbeat(RIVAL, *batch))
        for listing in batch:
            opened(world, TENANT, listing=listing)
