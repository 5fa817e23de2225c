"""start_rental: the host starts the meter within its time. Invariants SYS-5, RNT-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import LISTING, LISTINGS, RENTER, RIVAL, RIVAL_LISTING, STRANGER
from .harness.flows import Flow, accepted, opened, running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World

PROVISION_TIMEOUT = 900
OFFLINE_AFTER = 300


def test_start_rental__host__starts_the_meter(world: World) -> None:
    rental = accepted(world)
    world.wait(77)
    outcome = world.act(world.start_rental(rental))
    state = world.rental(rental)
    assert (state.state, state.started_at) == (RentalState.RUNNING, world.now)
    assert outcome.event(events.RentalStarted) == events.RentalStarted(
        rental=rental,
        listing=LISTING,
        at=world.now,
        paid_until=world.now + HOUR,
        seq=3,
        matched_by=Pubkey.default(),
        match_tip=0,
    )


def test_start_rental__last_second_to_provision__is_allowed(world: World) -> None:
    rental = accepted(world)
    world.run(PROVISION_TIMEOUT)
    world.act(world.start_rental(rental))


def test_start_rental__time_to_provision_over__is_refused(world: World) -> None:
    rental = accepted(world)
    world.run(PROVISION_TIMEOUT + 1)
    with expect(errors.ProvisioningOverdue):
        world.act(world.start_rental(rental))


def test_start_rental__silent_host__is_refused(world: World) -> None:
    rental = accepted(world)
    world.wait(OFFLINE_AFTER + 1)
    with expect(errors.ListingOffline):
        world.act(world.start_rental(rental))
    world.act(world.mark_silent())
    with expect(errors.ListingOffline):
        world.act(world.start_rental(rental))
    world.act(world.heartbeat(), world.start_rental(rental))


def test_start_rental__host_that_is_silent__is_refused(world: World) -> None:
    rental = accepted(world)
    world.fall_silent()
    with expect(errors.ListingOffline):
        world.act(world.heartbeat(), world.start_rental(rental))


def test_start_rental__just_not_overdue__is_allowed(world: World) -> None:
    rental = accepted(world)
    world.wait(OFFLINE_AFTER)
    world.act(world.start_rental(rental))


@pytest.mark.parametrize("bring", [opened, running])
def test_start_rental__not_provisioning__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.start_rental(bring(world)))


@pytest.mark.parametrize("signer", [RIVAL, RENTER, STRANGER])
def test_start_rental__not_the_operator__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongOperator):
        world.act(world.start_rental(accepted(world), operator=signer))


def test_start_rental__another_listing__is_refused(world: World) -> None:
    rental = accepted(world)
    for listing in (LISTINGS[1], RIVAL_LISTING):
        with expect(errors.WrongListing):
            world.act(world.start_rental(rental, listing=listing))
