"""close_renter: a profile goes, and no address that it has made is ever made again. Invariant SYS-4."""

from __future__ import annotations

from typing import Any

import pytest
from solders.instruction import Instruction

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.constants import FIRST_NONCE_SLOTS, NONCES_PER_SLOT
from anchor_client.generated.pdas import find_rental, find_renter_profile
from anchor_client.rules.renter_profile import first_nonce

from .harness.actors import KEEPER, LISTINGS, RENTER, STRANGER, TENANT
from .harness.cluster import FIRST_NONCE, SLOTS_A_SECOND
from .harness.flows import accepted, opened, requested
from .harness.outcome import expect, expect_refusal
from .harness.terms import HOUR
from .harness.world import World

PROFILE = find_renter_profile(RENTER)[0]
TEN_MINUTES = FIRST_NONCE_SLOTS // SLOTS_A_SECOND


def close(**given: Any) -> Instruction:
    return instructions.close_renter(**{"wallet": RENTER, **given})


def test_close_renter__no_rentals__gives_the_rent_back(world: World) -> None:
    world.act(world.stop_rental(opened(world)))
    world.wait(TEN_MINUTES)
    outcome = world.act(close())
    assert outcome.events == (
        events.RenterClosed(profile=PROFILE, wallet=RENTER, next_nonce=FIRST_NONCE + 1, at=world.now),
    )
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(RenterProfile.SIZE) > 0
    assert not world.exists(PROFILE)


def test_close_renter__made_again__uses_no_address_twice(world: World) -> None:
    used = opened(world)
    world.act(world.stop_rental(used))
    world.wait(TEN_MINUTES)
    world.act(close(), world.register_renter(RENTER, STRANGER))
    profile = world.profile()
    assert profile.next_nonce > FIRST_NONCE + 1
    assert (profile.active_rentals, profile.spent_usd, profile.completed_rentals) == (0, 0, 0)
    assert opened(world) == find_rental(RENTER, profile.next_nonce)[0] != used


@pytest.mark.parametrize("nonce", [0, FIRST_NONCE, FIRST_NONCE + 1])
def test_close_renter__made_again_with_old_nonces__is_refused(world: World, nonce: int) -> None:
    world.act(world.stop_rental(opened(world)))
    world.wait(TEN_MINUTES)
    world.act(close())
    with expect(errors.NonceMismatch):
        world.act(world.register_renter(RENTER, first_nonce=nonce))


def test_close_renter__nonces_ahead_of_the_slot__has_to_wait_for_it(world: World) -> None:
    """One made in the same slot could use them again."""
    world.act(world.stop_rental(opened(world)))
    ahead = (world.profile().next_nonce - world.cluster.slot * NONCES_PER_SLOT - 1) // NONCES_PER_SLOT
    world.cluster.halt(0, slots=ahead)
    with expect(errors.AccountTooNew):
        world.act(close())
    world.cluster.halt(0, slots=1)
    world.act(close())


def test_close_renter__rental__has_to_end_first(world: World) -> None:
    rental = accepted(world)
    world.wait(TEN_MINUTES)
    with expect(errors.RentalsOpen):
        world.act(close())
    world.act(world.stop_rental(rental), close())


def test_close_renter__request__can_still_be_matched_and_withdrawn(world: World) -> None:
    """It keeps its own nonce, which a profile made later does not use."""
    first, second = requested(world), requested(world)
    world.wait(TEN_MINUTES)
    world.act(world.heartbeat(), close())
    world.act(world.cancel_request(second))
    world.act(world.register_renter(RENTER, KEEPER))
    world.act(world.match_request(first))
    assert world.profile().active_rentals == 1


def test_close_renter__somebody_elses__is_refused(world: World) -> None:
    world.wait(TEN_MINUTES)
    with expect(errors.WrongRenter):
        world.act(close(wallet=TENANT, renter_profile=PROFILE))


def test_close_renter__twice__is_refused(world: World) -> None:
    world.wait(TEN_MINUTES)
    world.act(close())
    with expect_refusal():
        world.act(close())


def test_register_renter__first_nonce_around_its_slots__is_refused_outside(world: World) -> None:
    slot = world.cluster.slot
    lowest, highest = slot * NONCES_PER_SLOT, (slot + FIRST_NONCE_SLOTS) * NONCES_PER_SLOT
    assert lowest < first_nonce(slot) < highest
    for nonce in (lowest - 1, highest + 1, 2**64 - 1):
        with expect(errors.NonceMismatch):
            world.act(world.register_renter(STRANGER, first_nonce=nonce))
    world.act(world.register_renter(STRANGER, first_nonce=lowest))
    world.act(world.register_renter(KEEPER, first_nonce=highest))
    world.act(world.open_rental(STRANGER, LISTINGS[1], duration=4 * HOUR))
