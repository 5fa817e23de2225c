"""vote: active stake, once a wallet, and it stays in place until the end. Invariants STK-4, GOV-2, GOV-11."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.accounts.stake_account import StakeAccount
from anchor_client.generated.accounts.vote_record import VoteRecord
from anchor_client.generated.pdas import find_stake, find_vote_record
from anchor_client.generated.types.warm_up import WarmUp
from anchor_client.rules.stake_account import votes_since

from .harness.actors import RENTER, RIVAL, STRANGER, TENANT
from .harness.governance import BEGIN, STAKE, VOTING_PERIOD, proposed, put_stake, with_stake
from .harness.outcome import expect, expect_refusal
from .harness.staking import next_epoch, stake, stake_of
from .harness.world import World


@pytest.mark.parametrize("support", [True, False])
def test_vote__staker__weighs_the_active_stake(world: World, support: bool) -> None:
    proposal = proposed(with_stake(world))
    world.wait(60)
    outcome = world.act(instructions.vote(voter=TENANT, proposal=proposal, support=support))
    assert outcome.event(events.VoteCast) == events.VoteCast(
        proposal=proposal,
        voter=TENANT,
        support=support,
        weight=STAKE,
        votes_for=STAKE if support else 0,
        votes_against=0 if support else STAKE,
        voting_until=BEGIN + VOTING_PERIOD,
        at=BEGIN + 60,
        seq=2,
        stake_seq=2,
    )
    record = world.read(VoteRecord, find_vote_record(proposal, TENANT)[0])
    assert (record.voter, record.proposal, record.weight, record.support) == (TENANT, proposal, STAKE, int(support))
    assert world.read(StakeAccount, find_stake(TENANT)[0]).voting_until == BEGIN + VOTING_PERIOD
    assert world.read(Proposal, proposal).voters == 1


@pytest.mark.parametrize("second", [True, False])
def test_vote__twice__is_refused(world: World, second: bool) -> None:
    proposal = proposed(with_stake(world))
    world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    with expect_refusal():
        world.act(instructions.vote(voter=TENANT, proposal=proposal, support=second))


def test_vote__on_two_proposals__counts_on_both(world: World) -> None:
    proposals = [proposed(with_stake(world)), proposed(world, proposer=RIVAL)]
    world.act(*(instructions.vote(voter=TENANT, proposal=each, support=True) for each in proposals))
    assert [world.read(Proposal, each).votes_for for each in proposals] == [STAKE, STAKE]


@pytest.mark.parametrize("left", [1, 0])
def test_vote__around_the_end__is_refused_from_it(world: World, left: int) -> None:
    proposal = proposed(with_stake(world))
    world.wait(VOTING_PERIOD - left)
    if left:
        world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
    else:
        with expect(errors.VoteEnded):
            world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))


@pytest.mark.parametrize("late", [0, 1])
def test_vote__stake_that_warms_up_around_the_opening__votes_if_it_was_active_by_then(world: World, late: int) -> None:
    proposal = proposed(with_stake(world))
    put_stake(world, STRANGER, 0, warming=STAKE, warm_at=BEGIN + late)
    world.wait(100)
    if late:
        with expect(errors.NoActiveStake):
            world.act(instructions.vote(voter=STRANGER, proposal=proposal, support=True))
    else:
        outcome = world.act(instructions.vote(voter=STRANGER, proposal=proposal, support=True))
        assert outcome.event(events.VoteCast).weight == STAKE


def test_vote__stake_bought_once_the_vote_is_open__has_no_weight(world: World) -> None:
    """However often it is touched afterwards, and whatever else the wallet stakes: what was there by then votes."""
    proposal = proposed(with_stake(world))
    world.act(stake(STRANGER, 50 * STAKE), stake(TENANT, 50 * STAKE))
    for _ in range(2):
        next_epoch(world)
        world.act(stake(STRANGER, 1), stake(TENANT, 1))
    assert stake_of(world, STRANGER).active == 50 * STAKE + 1
    with expect(errors.NoActiveStake):
        world.act(instructions.vote(voter=STRANGER, proposal=proposal, support=True))
    cast = world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True)).event(events.VoteCast)
    assert cast.weight == STAKE == votes_since(stake_of(world, TENANT), BEGIN)
    later = proposed(world, proposer=STRANGER)
    assert world.read(Proposal, later).eligible == 3 * STAKE + 100 * STAKE + 2
    cast = world.act(instructions.vote(voter=STRANGER, proposal=later, support=True)).event(events.VoteCast)
    assert cast.weight == 50 * STAKE + 1


def test_vote__stake_of_many_epochs__votes_with_what_was_there_by_then(world: World) -> None:
    """A wallet that stakes in every epoch: the oldest warm-ups are known by the time of a later one only."""
    with_stake(world)
    for _ in range(7):
        world.act(stake(TENANT, STAKE))
        next_epoch(world)
    proposal = proposed(world)
    for _ in range(2):
        world.act(stake(TENANT, STAKE))
        next_epoch(world)
    cast = world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True)).event(events.VoteCast)
    assert cast.weight == 8 * STAKE


@pytest.mark.parametrize("spare", [0, 1])
def test_stake_account__warm_ups_that_sum_to_2_64__keeps_working(world: World, spare: int) -> None:
    """Stake that a wallet placed and withdrew for years adds up in its oldest warm-up."""
    with_stake(world)
    most = 2**64 - 1
    warm_ups = tuple(WarmUp(amount=amount, at=BEGIN - 9) for amount in (most - STAKE, STAKE - spare, STAKE, STAKE))
    put_stake(world, TENANT, STAKE, warming=STAKE, warm_at=BEGIN - 1, warm_ups=warm_ups)
    world.act(stake(TENANT, STAKE))
    assert stake_of(world, TENANT).warm_ups[0].amount == most - spare
    next_epoch(world)
    world.act(stake(TENANT, STAKE))
    assert stake_of(world, TENANT).warm_ups[0].amount == most
    proposal = proposed(world)
    cast = world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True)).event(events.VoteCast)
    assert cast.weight == 3 * STAKE == votes_since(stake_of(world, TENANT), world.now)
    assert votes_since(stake_of(world, TENANT), BEGIN - 10) == 0


def test_vote__somebody_elses_stake__is_refused(world: World) -> None:
    proposal = proposed(with_stake(world))
    with expect(errors.WrongStakeOwner):
        world.act(instructions.vote(voter=STRANGER, proposal=proposal, stake=find_stake(TENANT)[0], support=True))


def test_vote__cancelled_proposal__is_refused(world: World) -> None:
    proposal = proposed(with_stake(world))
    world.act(instructions.cancel_proposal(proposer=RENTER, proposal=proposal))
    with expect(errors.WrongProposalState):
        world.act(instructions.vote(voter=TENANT, proposal=proposal, support=True))
