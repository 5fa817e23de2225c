"""close_proposal: the rent of a proposal that is over returns, and its proposer may make another. Invariant GOV-10."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.constants import EXECUTION_WINDOW, QUEUE_WINDOW
from anchor_client.generated.pdas import find_stake
from anchor_client.generated.types.action import ActionTreasuryTransfer
from anchor_client.rules.proposal import proposal_stage

from .harness.actors import GPUM, RENTER, RIVAL, STRANGER, TENANT
from .harness.governance import (
    VOTING_PERIOD,
    close_proposal,
    due,
    execute,
    hand_over,
    proposed,
    put_stake,
    queued,
    veto_proposal,
    voted,
    with_stake,
)
from .harness.outcome import expect, expect_refusal
from .harness.staking import close_stake, stake_of
from .harness.world import World


def cancelled(world: World) -> Pubkey:
    proposal = proposed(world)
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    return proposal


def defeated(world: World) -> Pubkey:
    proposal = proposed(world)
    world.wait(VOTING_PERIOD)
    world.act(instructions.queue_proposal(proposal=proposal))
    return proposal


def executed(world: World) -> Pubkey:
    world.act(hand_over())
    proposal = due(world)
    world.act(execute(world, proposal))
    return proposal


def vetoed(world: World) -> Pubkey:
    proposal = queued(world, ActionTreasuryTransfer(GPUM, STRANGER, 1))
    world.act(veto_proposal(proposal))
    return proposal


def never_counted(world: World) -> Pubkey:
    proposal = voted(world)
    world.wait(QUEUE_WINDOW)
    return proposal


def never_executed(world: World) -> Pubkey:
    proposal = due(world)
    world.wait(EXECUTION_WINDOW)
    return proposal


ENDS = (cancelled, defeated, executed, vetoed, never_counted, never_executed)


@pytest.mark.parametrize("end", ENDS)
def test_close_proposal__over__gives_the_proposer_the_rent_and_another_turn(
    world: World, end: Callable[[World], Pubkey]
) -> None:
    proposal = end(with_stake(world))
    state, stake = world.read(Proposal, proposal), stake_of(world)
    assert proposal_stage(state, world.now).is_over and stake.proposal == proposal
    outcome = world.act(close_proposal(world, proposal))
    assert outcome.events == (
        events.ProposalClosed(
            proposal=proposal, proposer=RENTER, at=world.now, seq=state.seq + 1, stake_seq=stake.seq + 1
        ),
    )
    assert outcome.lamports_gained(RENTER) == world.cluster.rent(Proposal.SIZE) > 0
    assert not world.exists(proposal)
    assert stake_of(world).proposal == Pubkey.default()
    assert world.read(Proposal, proposed(world)).id == 1


@pytest.mark.parametrize("begin", [proposed, voted, queued, due])
def test_close_proposal__something_may_become_of_it__is_refused(world: World, begin: Callable[[World], Pubkey]) -> None:
    proposal = begin(with_stake(world))
    assert not proposal_stage(world.read(Proposal, proposal), world.now).is_over
    with expect(errors.ProposalNotOver):
        world.act(close_proposal(world, proposal))


@pytest.mark.parametrize(("begin", "window"), [(voted, QUEUE_WINDOW), (due, EXECUTION_WINDOW)])
def test_close_proposal__around_a_deadline__is_refused_before(
    world: World, begin: Callable[[World], Pubkey], window: int
) -> None:
    proposal = begin(with_stake(world))
    world.wait(window - 1)
    with expect(errors.ProposalNotOver):
        world.act(close_proposal(world, proposal))
    world.wait(1)
    world.act(close_proposal(world, proposal))


def test_close_proposal__votes_on_it__still_give_their_rent_back(world: World) -> None:
    proposal = voted(with_stake(world))
    world.wait(QUEUE_WINDOW)
    world.act(close_proposal(world, proposal))
    assert world.act(instructions.close_vote(proposal=proposal, voter=TENANT)).lamports_gained(TENANT) > 0
    with expect_refusal():
        world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))


def test_close_proposal__somebody_elses_stake_or_wallet__is_refused(world: World) -> None:
    proposal = cancelled(with_stake(world))
    proposed(world, proposer=TENANT)
    with expect(errors.WrongStakeOwner):
        world.act(close_proposal(world, proposal, stake=find_stake(TENANT)[0]))
    with expect(errors.Unauthorized):
        world.act(close_proposal(world, proposal, proposer=RIVAL, stake=find_stake(RENTER)[0]))


def test_close_proposal__twice__is_refused(world: World) -> None:
    close = close_proposal(world, cancelled(with_stake(world)))
    with expect_refusal():
        world.act(close, close)
    world.act(close)
    with expect_refusal():
        world.act(close)


def test_close_stake__live_proposal__keeps_the_empty_account(world: World) -> None:
    """Else the account, made again, could have a second proposal beside the first."""
    proposal = proposed(with_stake(world))
    put_stake(world, RENTER, 0, proposal=proposal)
    with expect(errors.ProposalLive):
        world.act(close_stake())
    world.act(
        instructions.cancel_proposal(proposer=RENTER, proposal=proposal),
        close_proposal(world, proposal),
        close_stake(),
    )
    assert not world.exists(find_stake(RENTER)[0])
