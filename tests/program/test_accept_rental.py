"""accept_rental: the host takes the order and hands over the sealed connection. Invariants SYS-5, RNT-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import LISTING, LISTINGS, MINTS, RENTER, RIVAL, RIVAL_LISTING, STRANGER
from .harness.cluster import START
from .harness.flows import Flow, accepted, opened, running
from .harness.outcome import expect, expect_refusal
from .harness.world import World


@pytest.mark.parametrize("mint", MINTS)
@pytest.mark.parametrize("length", [1, constants.MAX_CONNECTION_BYTES])
def test_accept_rental__host__provisions(world: World, mint: Pubkey, length: int) -> None:
    rental = opened(world, mint=mint)
    outcome = world.act(world.accept_rental(rental, b"\xff" * length))
    assert world.rental(rental).state == RentalState.PROVISIONING
    assert outcome.event(events.RentalAccepted) == events.RentalAccepted(
        rental=rental, listing=LISTING, connection=b"\xff" * length, at=START, seq=2
    )


@pytest.mark.parametrize("length", [0, constants.MAX_CONNECTION_BYTES + 1])
def test_accept_rental__connection_past_a_bound__is_refused(world: World, length: int) -> None:
    with expect(errors.InvalidConnection):
        world.act(world.accept_rental(opened(world), bytes(length)))


@pytest.mark.parametrize("bring", [accepted, running])
def test_accept_rental__not_queued__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.accept_rental(bring(world)))


@pytest.mark.parametrize("signer", [RIVAL, RENTER, STRANGER])
def test_accept_rental__not_the_operator__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.WrongOperator):
        world.act(world.accept_rental(opened(world), operator=signer))


def test_accept_rental__another_listing__is_refused(world: World) -> None:
    rental = opened(world)
    for listing in (LISTINGS[1], RIVAL_LISTING):
        with expect(errors.WrongListing):
            world.act(world.accept_rental(rental, listing=listing))


def test_accept_rental__ended__is_refused(world: World) -> None:
    rental = opened(world)
    act = world.accept_rental(rental)
    world.act(world.stop_rental(rental))
    with expect_refusal():
        world.act(act)
