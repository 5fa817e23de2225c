"""cancel_proposal: the proposer takes it back before its vote ends."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.types.proposal_state import ProposalState

from .harness.actors import AUTHORITY, RENTER, STRANGER, TENANT
from .harness.governance import BEGIN, VOTING_PERIOD, proposed, queued, with_stake
from .harness.outcome import expect
from .harness.world import World


def test_cancel_proposal__proposer__ends_it_for_good(world: World) -> None:
    proposal = proposed(with_stake(world))
    outcome = world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    assert outcome.event(events.ProposalCancelled) == events.ProposalCancelled(proposal=proposal, at=BEGIN, seq=2)
    assert world.read(Proposal, proposal).state == ProposalState.CANCELLED
    world.wait(VOTING_PERIOD)
    with expect(errors.WrongProposalState):
        world.act(instructions.queue_proposal(proposal=proposal))


@pytest.mark.parametrize("signer", [AUTHORITY, TENANT, STRANGER])
def test_cancel_proposal__somebody_else__is_refused(world: World, signer: Pubkey) -> None:
    proposal = proposed(with_stake(world))
    with expect(errors.Unauthorized):
        world.act(instructions.cancel_proposal(proposer=signer, proposal=proposal))


@pytest.mark.parametrize("left", [1, 0])
def test_cancel_proposal__around_the_end__is_refused_from_it(world: World, left: int) -> None:
    proposal = proposed(with_stake(world))
    world.wait(VOTING_PERIOD - left)
    if left:
        world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    else:
        with expect(errors.VoteEnded):
            world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))


def test_cancel_proposal__queued__is_refused(world: World) -> None:
    proposal = queued(with_stake(world))
    with expect(errors.WrongProposalState):
        world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
