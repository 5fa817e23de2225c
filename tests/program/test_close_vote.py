"""close_vote: the rent of a vote goes back once no vote can be cast any more. Invariant GOV-2."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_vote_record

from .harness.actors import RENTER, RIVAL, TENANT
from .harness.governance import BEGIN, VOTING_PERIOD, proposed, voted, with_stake
from .harness.outcome import expect
from .harness.world import World


def test_close_vote__after_the_end__gives_the_voter_all_of_the_rent(world: World) -> None:
    proposal = proposed(with_stake(world))
    vote = world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    world.wait(VOTING_PERIOD)
    outcome = world.act(instructions.close_vote(proposal=proposal, voter=TENANT))
    assert outcome.event(events.VoteClosed) == events.VoteClosed(
        proposal=proposal, voter=TENANT, at=BEGIN + VOTING_PERIOD
    )
    assert outcome.lamports_gained(TENANT) == -vote.lamports_gained(TENANT) > 0
    assert not world.exists(find_vote_record(proposal, TENANT)[0])


@pytest.mark.parametrize("left", [1, 0])
def test_close_vote__around_the_end__is_refused_before(world: World, left: int) -> None:
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    world.wait(VOTING_PERIOD - left)
    if left:
        with expect(errors.VoteOpen):
            world.act(instructions.close_vote(proposal=proposal, voter=TENANT))
    else:
        world.act(instructions.close_vote(proposal=proposal, voter=TENANT))


def test_close_vote__cancelled_proposal__works_at_once(world: World) -> None:
    proposal = proposed(with_stake(world))
    world.act(
        instructions.vote(voter=TENANT, proposal=proposal, support=True),
        instructions.cancel_proposal(proposer=RENTER, proposal=proposal),
    )
    world.act(instructions.close_vote(proposal=proposal, voter=TENANT))


def test_close_vote__closed__cannot_vote_again(world: World) -> None:
    proposal = voted(with_stake(world))
    world.act(instructions.close_vote(proposal=proposal, voter=TENANT))
    with expect(errors.VoteEnded):
        world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))


def test_close_vote__rent_to_somebody_else__is_refused(world: World) -> None:
    proposal = voted(with_stake(world))
    record = find_vote_record(proposal, TENANT)[0]
    with expect(errors.WrongVoter):
        world.act(instructions.close_vote(proposal=proposal, voter=RIVAL, vote_record=record))


def test_close_vote__another_proposal__is_refused(world: World) -> None:
    over, running = voted(with_stake(world)), proposed(world, proposer=TENANT)
    world.act(instructions.vote(voter=TENANT, proposal=running, support=True))
    record = find_vote_record(running, TENANT)[0]
    with expect(errors.WrongProposal):
        world.act(instructions.close_vote(proposal=over, voter=TENANT, vote_record=record))
