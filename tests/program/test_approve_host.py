"""approve_host: the authority gives and takes back approval. Invariant MKT-7."""

from __future__ import annotations

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_host

from .harness.actors import AUTHORITY, GUARDIAN, HOST, STRANGER
from .harness.cluster import START
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import HOUR
from .harness.world import World


def approve(approved: bool, authority: Pubkey = AUTHORITY, host: Pubkey = HOST) -> Instruction:
    return instructions.approve_host(authority=authority, host=find_host(host)[0], approved=approved)


@pytest.mark.parametrize(("first", "second"), [(False, True), (False, False), (True, False), (True, True)])
def test_approve_host__authority__sets_it(world: World, first: bool, second: bool) -> None:
    world.act(approve(first))
    seq = world.host().seq
    event = world.act(approve(second)).event(events.HostApproved)
    assert event == events.HostApproved(
        host=find_host(HOST)[0], old=first, new=second, by=AUTHORITY, at=START, seq=seq + 1
    )
    assert world.host().approved == int(second)


def test_approve_host__taken_back__stops_new_listings_and_orders(world: World) -> None:
    world.act(approve(False))
    with expect(errors.HostNotApproved):
        world.act(world.create_listing())
    with expect(errors.HostNotApproved):
        world.act(world.open_rental())


def test_approve_host__taken_back__leaves_running_rentals(world: World) -> None:
    rental = running(world)
    world.act(approve(False))
    world.run(HOUR)
    world.act(world.settle_rental(rental))
    world.act(world.finalize_rental(rental))


@pytest.mark.parametrize("signer", [HOST, GUARDIAN, STRANGER])
def test_approve_host__not_the_authority__is_refused(world: World, signer: Pubkey) -> None:
    with expect(errors.Unauthorized):
        world.act(approve(True, signer))
