"""Orders that a host never answers: what they cost their sender and the host, as docs/security.md says.

Invariants RNT-8, RNT-9.
"""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.types.close_reason import CloseReason
from host_agent.orders import PATIENCE_SECONDS

from .harness.actors import KEEPER, RENTER, TENANT, USDC
from .harness.flows import opened
from .harness.market import WALLET_TOKENS
from .harness.outcome import expect
from .harness.world import World

TIP = 20_000
WAIT = 900
"""Seconds to start by default."""
REPEATS = 20


def test_attack__orders_without_a_document__hold_a_silent_host_for_a_quarter_of_an_hour_each(world: World) -> None:
    """Time and again: the sender pays no tokens, and the tip to whoever ends the order; the host has a failure each."""
    opening = 0
    for number in range(REPEATS):
        begun = world.now
        outcome = world.act(world.open_rental(mint=USDC))
        rental = outcome.event(events.RentalOpened).rental
        opening -= outcome.lamports_gained(RENTER)
        world.run(WAIT)
        with expect(errors.ProvisioningInTime):
            world.act(world.cancel_unstarted(rental))
        world.run(1)
        ended = world.act(world.cancel_unstarted(rental))
        opening -= ended.lamports_gained(RENTER)
        assert ended.lamports_gained(KEEPER) == TIP
        assert (world.now - begun, world.listing().failed) == (WAIT + 1, number + 1)
    assert (opening, world.tokens(RENTER, USDC)) == (REPEATS * TIP, WALLET_TOKENS)


def test_attack__sender_ends_it_themselves__has_the_tip_back(world: World) -> None:
    """It then costs two transactions, which no program can charge more for."""
    rental = opened(world, mint=USDC)
    world.run(WAIT + 1)
    gained = world.act(world.cancel_unstarted(rental, caller=RENTER)).lamports_gained(RENTER)
    assert gained == world.cluster.rent(Rental.SIZE) + TIP


def test_attack__host_that_answers__has_its_machine_back_at_once_and_no_failure(world: World) -> None:
    rental = opened(world, mint=USDC)
    world.run(int(PATIENCE_SECONDS))
    world.act(world.cancel_rental(rental, CloseReason.ORDER_UNDELIVERED))
    state = world.listing()
    assert (state.failed, state.refused, PATIENCE_SECONDS) == (0, 1, 120)
    world.act(world.open_rental(TENANT, mint=USDC))


@pytest.mark.parametrize("late", [0, 1])
def test_attack__host_that_is_gone__takes_no_such_order(world: World, late: int) -> None:
    world.wait(world.market().offline_after + late)
    if late:
        with expect(errors.ListingOffline):
            opened(world, mint=USDC)
    else:
        opened(world, mint=USDC)
