"""queue_proposal: counts the votes once the vote has ended. Invariants GOV-3, GOV-4, GOV-8, GOV-9."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.constants import EXECUTION_WINDOW, QUEUE_WINDOW
from anchor_client.generated.types.action import Action, ActionTreasuryTransfer
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.rules.proposal import ProposalStage, proposal_stage, tally_of

from .harness.actors import GPUM, RENTER, RIVAL, TENANT
from .harness.governance import (
    BEGIN,
    TIMELOCK,
    TIP,
    VOTING_PERIOD,
    execute,
    proposed,
    put_pool,
    put_stake,
    voted,
    with_stake,
)
from .harness.outcome import expect
from .harness.world import World

END = BEGIN + VOTING_PERIOD


def decided(world: World, *, eligible: int, votes_for: int, votes_against: int, action: Action = TIP) -> ProposalState:
    """State that a vote of that stake leads to; ordinarily 10 % must vote, 60 % of it in favour."""
    put_pool(with_stake(world), eligible)
    proposal = proposed(world, action, RIVAL)
    for voter, weight, support in ((RENTER, votes_for, True), (TENANT, votes_against, False)):
        if weight:
            put_stake(world, voter, weight)
            world.act(instructions.vote(voter=voter, proposal=proposal, support=support))
    world.wait(VOTING_PERIOD)
    state = world.act(instructions.queue_proposal(proposal=proposal)).event(events.ProposalDecided).state
    assert tally_of(world.read(Proposal, proposal)).passes == (state == ProposalState.QUEUED)
    return state


def test_queue_proposal__passed__starts_the_timelock_when_it_is_counted(world: World) -> None:
    proposal = voted(with_stake(world))
    world.wait(1_000)
    votes = world.read(Proposal, proposal).votes_for
    event = world.act(instructions.queue_proposal(proposal=proposal)).event(events.ProposalDecided)
    assert event == events.ProposalDecided(
        proposal=proposal,
        state=ProposalState.QUEUED,
        votes_for=votes,
        votes_against=0,
        execute_at=END + 1_000 + TIMELOCK,
        expires_at=END + 1_000 + TIMELOCK + EXECUTION_WINDOW,
        at=END + 1_000,
        seq=5,
    )
    assert world.read(Proposal, proposal).state == ProposalState.QUEUED


@pytest.mark.parametrize(
    ("votes_for", "votes_against", "state"),
    [
        (100, 0, ProposalState.DEFEATED),
        (101, 0, ProposalState.QUEUED),
        (102, 0, ProposalState.QUEUED),
        (61, 40, ProposalState.QUEUED),
        (60, 41, ProposalState.DEFEATED),
        (599, 400, ProposalState.DEFEATED),
        (600, 400, ProposalState.QUEUED),
        (601, 400, ProposalState.QUEUED),
        (0, 500, ProposalState.DEFEATED),
        (0, 0, ProposalState.DEFEATED),
    ],
)
def test_queue_proposal__around_quorum_and_threshold__rounds_against_the_proposal(
    world: World, votes_for: int, votes_against: int, state: ProposalState
) -> None:
    assert decided(world, eligible=1_001, votes_for=votes_for, votes_against=votes_against) == state


@pytest.mark.parametrize("left", [1, 0])
def test_queue_proposal__around_the_end__is_refused_before(world: World, left: int) -> None:
    proposal = proposed(with_stake(world))
    world.wait(VOTING_PERIOD - left)
    if left:
        with expect(errors.VoteOpen):
            world.act(instructions.queue_proposal(proposal=proposal))
    else:
        world.act(instructions.queue_proposal(proposal=proposal))


@pytest.mark.parametrize("left", [1, 0])
def test_queue_proposal__around_the_deadline__is_refused_from_it(world: World, left: int) -> None:
    """Proposals that passed lapse: none is kept for the day on which nobody remembers it."""
    proposal = voted(with_stake(world))
    world.wait(QUEUE_WINDOW - left)
    if left:
        assert proposal_stage(world.read(Proposal, proposal), world.now) is ProposalStage.ENDED
        world.act(instructions.queue_proposal(proposal=proposal))
    else:
        assert proposal_stage(world.read(Proposal, proposal), world.now) is ProposalStage.EXPIRED
        with expect(errors.ProposalExpired):
            world.act(instructions.queue_proposal(proposal=proposal))


@pytest.mark.parametrize(
    ("votes_for", "votes_against", "state"),
    [
        (300, 0, ProposalState.DEFEATED),
        (301, 0, ProposalState.QUEUED),
        (401, 201, ProposalState.DEFEATED),
        (402, 200, ProposalState.QUEUED),
    ],
)
def test_queue_proposal__treasury_payment__takes_three_tenths_of_the_stake_and_two_thirds_of_the_votes(
    world: World, votes_for: int, votes_against: int, state: ProposalState
) -> None:
    pay = ActionTreasuryTransfer(GPUM, RENTER, 1)
    assert decided(world, eligible=1_001, votes_for=votes_for, votes_against=votes_against, action=pay) == state


@pytest.mark.parametrize("support", [True, False])
def test_queue_proposal__twice__is_refused(world: World, support: bool) -> None:
    proposal = voted(with_stake(world)) if support else proposed(with_stake(world))
    world.wait(VOTING_PERIOD)
    world.act(instructions.queue_proposal(proposal=proposal))
    with expect(errors.WrongProposalState):
        world.act(instructions.queue_proposal(proposal=proposal))


def test_queue_proposal__defeated__is_never_executed(world: World) -> None:
    proposal = proposed(with_stake(world))
    world.wait(VOTING_PERIOD)
    event = world.act(instructions.queue_proposal(proposal=proposal)).event(events.ProposalDecided)
    assert (event.state, event.execute_at, event.expires_at) == (ProposalState.DEFEATED, 0, 0)
    world.wait(TIMELOCK)
    with expect(errors.WrongProposalState):
        world.act(execute(world, proposal))
