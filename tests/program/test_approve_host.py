"""approve_host: the authority gives and takes back approval. Invariant MKT-7."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_host

from .harness.actors import AUTHORITY, GUARDIAN, HOST, STRANGER
from .harness.changes import approve_host
from .harness.cluster import START
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World


@pytest.mark.parametrize(("first", "second"), [(False, True), (False, False), (True, False), (True, True)])
def test_approve_host__authority__sets_it(world: World, first: bool, second: bool) -> None:
    world.act(approve_host(approved=first, budget=7))
    seq = world.host().seq
    event = world.act(approve_host(approved=second, budget=9)).event(events.HostApproved)
    assert event == events.HostApproved(
        host=find_host(HOST)[0],
        old=first,
        new=second,
        by=AUTHORITY,
        at=START,
        seq=seq + 1,
        old_budget=7,
        new_budget=9,
    )
    assert (world.host().approved, world.host().subsidy_budget) == (int(second), 9)


def test_approve_host__taken_back__stops_new_listings_and_orders(world: World) -> None:
    world.act(approve_host(approved=False))
    with expect(errors.HostNotApproved):
        world.act(world.create_listing())
    with expect(errors.HostNotApproved):
        world.act(world.open_rental())


def test_approve_host__taken_back__leaves_running_rentals(world: World) -> None:
    rental = running(world)
    world.act(approve_host(approved=False))
    world.run(HOUR)
    world.act(world.settle_rental(rental))
    world.act(world.finalize_rental(rental))


@pytest.mark.parametrize("signer", [HOST, GUARDIAN, STRANGER])
def test_approve_host__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(approve_host(authority=signer))
