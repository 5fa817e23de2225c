"""Votes that are bought, rushed or buried, on a market with its defaults. Invariants MKT-5, GOV-8 to GOV-11, GOV-13."""

from __future__ import annotations

import hashlib

import pytest
from solders.compute_budget import set_compute_unit_limit
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.types.action import Action, ActionTreasuryTransfer, ActionUpgradeProgram
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.proposal_state import ProposalState

from .harness.actors import GPUM, HOST, RENTER, RIVAL, STRANGER, TENANT
from .harness.changes import set_parameter
from .harness.governance import (
    CRITICAL_TIMELOCK,
    GOVERNANCE,
    VOTING_PERIOD,
    close_proposal,
    execute,
    hand_over,
    next_proposal,
    propose,
    proposed,
    put_pool,
    put_stake,
    with_stake,
)
from .harness.market import set_upgrade_authority
from .harness.outcome import expect
from .harness.staking import lock_mfp, stake, stake_of, unlock_mfp, unstake, withdraw_mfp, withdraw_stake
from .harness.terms import DAY
from .harness.tokens import put_tokens
from .harness.world import World
from .test_upgrade_program import deployed, put_buffer, second_build, upgrade_to

ALL = 10**14
PAY = ActionTreasuryTransfer(GPUM, STRANGER, 1)
WEEK = 7 * DAY


def test_upgrade__bought_with_a_tenth_of_the_stake__is_defeated(world: World) -> None:
    """10.00001 % of it, alone, once replaced the program."""
    with_stake(world).act(hand_over())
    set_upgrade_authority(world.cluster, GOVERNANCE)
    code = second_build()
    put_buffer(world, code)
    put_pool(world, ALL)
    put_stake(world, RENTER, ALL // 10 + ALL // 10**7)
    proposal = proposed(world, upgrade_to(code))
    world.act(instructions.vote(voter=RENTER, proposal=proposal, support=True))
    world.wait(VOTING_PERIOD)
    event = world.act(instructions.queue_proposal(proposal=proposal)).event(events.ProposalDecided)
    assert event.state == ProposalState.DEFEATED
    with expect(errors.WrongProposalState):
        world.act(set_compute_unit_limit(1_400_000), execute(world, proposal))
    assert code not in deployed(world)


@pytest.mark.parametrize("action", [PAY, ActionUpgradeProgram(RENTER, hashlib.sha256(b"").digest())])
def test_upgrade_and_payment__voted_against_ones_will__come_after_all_ways_out(world: World, action: Action) -> None:
    """Stake and locked tokens, at the longest cool-down and delay that the market can have, leave before."""
    with_stake(world).act(lock_mfp(HOST))
    for parameter in (MarketParameter.EPOCH_SECONDS, MarketParameter.MFP_UNLOCK_DELAY):
        world.act(set_parameter(parameter, WEEK))
    put_tokens(world.cluster, GPUM, GOVERNANCE, 1)
    world.act(hand_over())
    proposal = proposed(world, action)
    world.act(*(instructions.vote(voter=voter, proposal=proposal, support=True) for voter in (RENTER, TENANT)))
    world.wait(VOTING_PERIOD)
    world.act(instructions.queue_proposal(proposal=proposal))
    world.wait(DAY - 1)
    world.act(unstake(RIVAL, stake_of(world, RIVAL).active + stake_of(world, RIVAL).warming), unlock_mfp(HOST))
    world.wait(WEEK)
    with expect(errors.TimelockRunning):
        world.act(execute(world, proposal))
    world.act(withdraw_stake(RIVAL), withdraw_mfp(HOST))
    assert world.read(Proposal, proposal).execute_at == world.now + 1


def test_vote__bought_while_it_runs__changes_nothing(world: World) -> None:
    """The market's longest vote and shortest epoch: stake that came once it was open never counts."""
    with_stake(world)
    world.act(
        set_parameter(MarketParameter.EPOCH_SECONDS, 3_600), set_parameter(MarketParameter.VOTING_PERIOD, 30 * DAY)
    )
    proposal = proposed(world, PAY)
    for _ in range(12):
        world.act(stake(STRANGER, 10**12))
        world.wait(DAY)
    with expect(errors.NoActiveStake):
        world.act(instructions.vote(voter=STRANGER, proposal=proposal, support=True))


def test_proposals__hundreds_by_one_stake__are_one(world: World) -> None:
    with_stake(world)
    proposed(world)
    number = world.market().next_proposal
    with expect(errors.ProposalLive):
        world.act(propose(world, PAY))
    assert world.market().next_proposal == number


def test_proposals__others_proposed_and_closed_in_front_of_each__all_land(world: World) -> None:
    """Two stakers propose, cancel and close before each of twenty proposals that are signed already."""
    with_stake(world)
    numbers = []
    for _ in range(20):
        signed, proposal = propose(world), next_proposal(world)
        for other in (TENANT, RIVAL):
            theirs = proposed(world, proposer=other)
            numbers.append(world.read(Proposal, theirs).id)
            world.act(*ended(world, theirs))
        world.act(signed)
        numbers.append(world.read(Proposal, proposal).id)
        world.act(*ended(world, proposal))
    assert numbers == list(range(60))


def ended(world: World, proposal: Pubkey) -> tuple[Instruction, ...]:
    """A proposal cancelled and closed."""
    proposer = world.read(Proposal, proposal).proposer
    return instructions.cancel_proposal(proposer=proposer, proposal=proposal), close_proposal(world, proposal)


def test_parameters__that_end_governance__are_out_of_bounds_or_have_no_such_effect(world: World) -> None:
    with_stake(world)
    world.act(set_parameter(MarketParameter.PROPOSAL_STAKE, 2**64 - 1))
    for parameter, value in (
        (MarketParameter.QUORUM_BPS, 10_000),
        (MarketParameter.THRESHOLD_BPS, 10_000),
        (MarketParameter.QUORUM_BPS, 1),
        (MarketParameter.VOTING_PERIOD, 5),
        (MarketParameter.TIMELOCK, 0),
        (MarketParameter.EPOCH_SECONDS, 30 * DAY),
    ):
        with expect(errors.ParameterOutOfBounds):
            world.act(set_parameter(parameter, value))
    assert world.read(Proposal, proposed(world)).proposer == RENTER


def test_payment__between_two_votes_on_the_voting_period__waits_until_all_can_leave(world: World) -> None:
    """A long vote once held the stake of whoever had voted past the payment, which opened in a short one after it."""
    with_stake(world)
    put_tokens(world.cluster, GPUM, GOVERNANCE, 1)
    world.act(set_parameter(MarketParameter.VOTING_PERIOD, 30 * DAY))
    long = proposed(world)
    world.act(instructions.vote(voter=RIVAL, proposal=long, support=False))
    free_at = world.read(Proposal, long).ends_at
    world.act(set_parameter(MarketParameter.VOTING_PERIOD, VOTING_PERIOD), hand_over())

    payment = proposed(world, PAY, TENANT)
    world.act(*(instructions.vote(voter=voter, proposal=payment, support=True) for voter in (RENTER, TENANT)))
    world.wait(VOTING_PERIOD)
    world.act(instructions.queue_proposal(proposal=payment))
    assert world.read(Proposal, payment).execute_at == free_at + CRITICAL_TIMELOCK
    world.wait(CRITICAL_TIMELOCK)
    with expect(errors.TimelockRunning):
        world.act(execute(world, payment))
    held = stake_of(world, RIVAL).active + stake_of(world, RIVAL).warming
    with expect(errors.VoteLocked):
        world.act(unstake(RIVAL, held))

    world.wait(free_at - world.now)
    world.act(unstake(RIVAL, held))
    world.wait(CRITICAL_TIMELOCK - 1)
    with expect(errors.TimelockRunning):
        world.act(execute(world, payment))
    world.act(withdraw_stake(RIVAL))
    world.wait(1)
    world.act(execute(world, payment))
